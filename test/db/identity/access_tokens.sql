-- Access tokens with scopes: what they may do, by which operation, and what ends them.
begin;
select plan(47);
select test.people('alice', 'bob', 'carla');
update app.users set role = 'moderator' where username = 'carla';

create temporary table token (name text primary key, claims jsonb);
grant all on token to public;
create function pg_temp.hash(p_name text) returns bytea language sql immutable as $$ select sha256(convert_to(p_name, 'UTF8')) $$;
create function pg_temp.issue(p_name text, p_person text, p_scopes text[], p_kind text default 'personal', p_with_password boolean default true)
returns void language sql volatile security definer as $$
  insert into token
  select p_name, private.issue_access_token(test.id(p_person), p_kind, p_name, pg_temp.hash(p_name), p_scopes, 3600,
                                            case when p_kind = 'app' then 'app 1' end, p_with_password)::jsonb $$;
create function pg_temp.id(p_name text) returns uuid language sql stable security definer
  as $$ select id from app.access_tokens where name = p_name $$;
create function pg_temp.tried(p_name text, p_operation text) returns text language plpgsql volatile as $$
begin
  return private.enter((select claims::text from token where name = p_name), null, p_operation);
exception when others then
  return case when sqlstate = 'PGRST' then sqlerrm::json ->> 'message' else sqlerrm end;
end $$;
grant execute on all functions in schema pg_temp to public;

-- What a token may do
select pg_temp.issue('reader', 'alice', '{posts:read}');
select pg_temp.issue('writer', 'alice', '{posts:write,posts:write}');
select pg_temp.issue('staff', 'carla', '{staff:read}');
select test.act('authenticated', null);
select is(pg_temp.tried('reader', 'get_post'), 'true', 'A token may do what its scope allows');
select is(pg_temp.tried('reader', 'create_post'), 'scope_missing', 'Reading doesn''t include writing');
select is(pg_temp.tried('writer', 'create_post'), 'true', 'A token may write if its scope allows writing');
select is(pg_temp.tried('writer', 'get_post'), 'scope_missing', 'Writing doesn''t include reading');
select is(pg_temp.tried('reader', 'list_conversations'), 'scope_missing', 'Another area needs another scope');
select is(pg_temp.tried('reader', 'note_presence'), 'true', 'Every token may record that it was used');
select is(pg_temp.tried('reader', 'list_sessions'), 'session_required', 'No token with scopes may read sessions');
select is(pg_temp.tried('reader', 'create_access_token'), 'session_required', 'No token with scopes may make tokens');
select is(pg_temp.tried('reader', 'export_me'), 'session_required', 'No token with scopes may export');
select is(pg_temp.tried('reader', 'no_such_operation'), 'session_required', 'An operation that is not registered is refused');
select is(pg_temp.tried('reader', null), 'session_required', 'Without an operation, a token with scopes may do nothing');
select is(pg_temp.tried('staff', 'list_cases'), 'true', 'A token with a scope for staff may do what this scope allows');
select is(pg_temp.tried('staff', 'get_post'), 'scope_missing', 'A token with a scope for staff may do nothing else');
select throws_like($$ select private.enter((select claims::text from token where name = 'reader'), null, 'create_post') $$,
  '%This needs the scope posts:write, which this access token does not have.%', 'The error names the scope');
select set_config('request.path', '/rpc/get_post', true), set_config('request.jwt.claims', (select claims::text from token where name = 'reader'), true);
select ok(private.check_caller(), 'A path of PostgREST names the operation');
select set_config('request.path', '/rpc/create_post', true);
select throws_ok('select private.check_caller()', 'PGRST', null, 'A path of PostgREST is refused if its operation needs another scope');
select set_config('request.path', '/', true);
select throws_ok('select private.check_caller()', 'PT403', 'session_required', 'A path of PostgREST that names no operation is refused');

-- Realtime
create function pg_temp.hears(p_name text, p_topic text) returns boolean language plpgsql volatile as $$
begin
  perform set_config('request.jwt.claims', (select claims::text from token where name = p_name), true);
  return private.may_listen(p_topic);
end $$;
select ok(pg_temp.hears('reader', 'feed:public'), 'A token that may read posts may listen to their topic');
select ok(not pg_temp.hears('writer', 'feed:public'), 'A token that may only write may not listen');
select ok(not pg_temp.hears('reader', 'user:' || test.id('alice')), 'A token without the scopes of notifications and messages may not listen to them');

-- What a token contains
select test.act_as_owner();
select is((select claims - 'iat' - 'exp' from token where name = 'reader'),
  jsonb_build_object('sub', test.id('alice'), 'email', 'alice@example.org', 'role', 'user'), 'The claims are the same as those of other tokens');
select is((select scopes from app.access_tokens where name = 'writer'), '{posts:write}', 'A scope that is given twice is stored once');
select test.act_as_gate();
select is(api.find_access_token(pg_temp.hash('reader'))::jsonb, (select claims from token where name = 'reader'), 'The operation returns the claims of the token with this hash');
select is(api.find_access_token(pg_temp.hash('other'))::text, null, 'Another hash finds nothing');
select test.act_as_owner();

select is((select count(distinct (c ->> 'iat', c ->> 'exp'))::int
           from (select private.issue_claims(test.id('alice'), 900 - n % 3) as c from generate_series(1, 30) n) t), 30,
  'No two tokens have the same claims, however long they are valid');

-- What is refused
select throws_ok($$ select pg_temp.issue('x', 'alice', '{posts:see}') $$, 'PT422', 'scope_unknown', 'A scope must exist');
select throws_ok($$ select pg_temp.issue('x', 'alice', '{}') $$, 'PT422', 'scope_unknown', 'A token needs a scope');
select throws_ok($$ select pg_temp.issue('x', 'alice', '{posts:read,null}') $$, 'PT422', 'scope_unknown', 'A null is rejected as a scope');
select throws_ok($$ select pg_temp.issue('x', 'alice', '{posts:read,staff:read}') $$, 'PT403', 'role_required', 'Only staff can have scopes for staff');
select throws_ok($$ select pg_temp.issue('', 'alice', '{posts:read}') $$, 'PT422', 'access_token_name', 'A token needs a name');
select lives_ok($$ select pg_temp.issue('b' || n, 'bob', '{posts:read}') from generate_series(1, 50) n $$, 'A person can have 50 tokens');
select throws_ok($$ select pg_temp.issue('b51', 'bob', '{posts:read}') $$, 'PT409', 'access_tokens_full', 'A person can''t have a 51st token');
select lives_ok($$ select pg_temp.issue('app', 'bob', '{posts:read}', 'app') $$, 'Tokens of apps don''t count towards this limit');

-- What ends a token
select pg_temp.issue('kept', 'alice', '{posts:read}', p_with_password => false);
select test.act('gate', (select claims from token where name = 'writer'));
insert into token select 'short', api.exchange_access_token(900)::jsonb;
select is(pg_temp.tried('short', 'create_post'), 'true', 'A JWT has the scopes of the token for which it was issued');
select is(pg_temp.tried('short', 'get_post'), 'scope_missing', 'A JWT has no other scopes');
select test.act('gate', (select claims from token where name = 'short'));
select throws_ok('select api.exchange_access_token(900)', 'PT403', 'access_token_required', 'A JWT can''t be exchanged again');
select test.act('gate', test.claims('alice'));
select throws_ok('select api.exchange_access_token(900)', 'PT403', 'access_token_required', 'A token of a login can''t be exchanged');
select test.act_as('bob');
select throws_ok(format('select api.end_access_token(%L)', pg_temp.id('writer')), 'PT404', 'access_token_unknown', 'Nobody can end a token of somebody else');
select test.act_as('alice');
select lives_ok(format('select api.end_access_token(%L)', pg_temp.id('writer')), 'A person can end their own token');
select lives_ok(format('select api.end_access_token(%L)', pg_temp.id('writer')),
  'Ending a token again changes nothing');
select is(pg_temp.tried('writer', 'create_post'), 'token_revoked', 'An ended token is rejected');
select is(pg_temp.tried('short', 'create_post'), 'token_revoked', 'The JWT for which it was exchanged is rejected, too');
select test.act_as_owner();
select private.replace_password(test.id('alice'), 'another hash');
select test.act('authenticated', null);
select is(array[pg_temp.tried('reader', 'get_post'), pg_temp.tried('kept', 'get_post')], '{token_revoked,true}',
  'A new password ends only the tokens that depend on the password');
select test.act_as_owner();
select private.end_tokens(test.id('alice'));
select is(pg_temp.tried('kept', 'get_post'), 'token_revoked', 'A logout everywhere ends all tokens');
update app.users set role = 'user' where username = 'carla';
select is(pg_temp.tried('staff', 'list_cases'), 'token_revoked', 'A token ends when the person gets another role');
update app.users set banned_at = now() where username = 'bob';
select is(pg_temp.tried('b1', 'get_post'), 'token_revoked', 'A token of a banned person is refused');
select is((select count(*)::int from app.access_tokens where user_id = test.id('alice') and ended_at is null), 0, 'All tokens of the person are marked as ended');
select * from finish();
rollback;
