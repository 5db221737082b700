-- Access tokens with scopes: what they may do, by which operation, and what ends them.
begin;
select plan(46);
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
select is(pg_temp.tried('writer', 'create_post'), 'true', 'A token that writes may write');
select is(pg_temp.tried('writer', 'get_post'), 'scope_missing', 'Writing doesn''t include reading');
select is(pg_temp.tried('reader', 'list_conversations'), 'scope_missing', 'Another area needs another scope');
select is(pg_temp.tried('reader', 'note_presence'), 'true', 'Every token may record its use');
select is(pg_temp.tried('reader', 'list_sessions'), 'session_required', 'No token may read sessions');
select is(pg_temp.tried('reader', 'create_access_token'), 'session_required', 'No token may make tokens');
select is(pg_temp.tried('reader', 'export_me'), 'session_required', 'No token may export');
select is(pg_temp.tried('reader', 'no_such_operation'), 'session_required', 'What is not registered is refused');
select is(pg_temp.tried('reader', null), 'session_required', 'Without an operation a token may do nothing');
select is(pg_temp.tried('staff', 'list_cases'), 'true', 'A token of staff may do what its scope allows');
select is(pg_temp.tried('staff', 'get_post'), 'scope_missing', 'A token of staff has no further scopes');
select throws_like($$ select private.enter((select claims::text from token where name = 'reader'), null, 'create_post') $$,
  '%This needs the scope posts:write, which this access token does not have.%', 'The error names the scope');
select set_config('request.path', '/rpc/get_post', true), set_config('request.jwt.claims', (select claims::text from token where name = 'reader'), true);
select ok(private.check_caller(), 'PostgREST''s path names the operation');
select set_config('request.path', '/rpc/create_post', true);
select throws_ok('select private.check_caller()', 'PGRST', null, 'PostgREST''s path names an operation that needs another scope');
select set_config('request.path', '/', true);
select throws_ok('select private.check_caller()', 'PT403', 'session_required', 'Another path of PostgREST is refused');

-- Realtime
create function pg_temp.hears(p_name text, p_topic text) returns boolean language plpgsql volatile as $$
begin
  perform set_config('request.jwt.claims', (select claims::text from token where name = p_name), true);
  return private.may_listen(p_topic);
end $$;
select ok(pg_temp.hears('reader', 'feed:public'), 'A token that reads posts hears of them');
select ok(not pg_temp.hears('writer', 'feed:public'), 'A token that only writes hears nothing');
select ok(not pg_temp.hears('reader', 'user:' || test.id('alice')), 'A token without their scopes hears no notifications');

-- What a token contains
select test.act_as_owner();
select is((select claims - 'iat' - 'exp' from token where name = 'reader'),
  jsonb_build_object('sub', test.id('alice'), 'email', 'alice@example.org', 'role', 'user'), 'The claims are those of any token');
select is((select scopes from app.access_tokens where name = 'writer'), '{posts:write}', 'A scope counts once');
select test.act_as_gate();
select is(api.find_access_token(pg_temp.hash('reader'))::jsonb, (select claims from token where name = 'reader'), 'The hash finds the claims');
select is(api.find_access_token(pg_temp.hash('other'))::text, null, 'Another hash finds nothing');
select test.act_as_owner();

-- What is refused
select throws_ok($$ select pg_temp.issue('x', 'alice', '{posts:see}') $$, 'PT422', 'scope_unknown', 'A scope must exist');
select throws_ok($$ select pg_temp.issue('x', 'alice', '{}') $$, 'PT422', 'scope_unknown', 'A token needs a scope');
select throws_ok($$ select pg_temp.issue('x', 'alice', '{posts:read,null}') $$, 'PT422', 'scope_unknown', 'A null is no scope');
select throws_ok($$ select pg_temp.issue('x', 'alice', '{posts:read,staff:read}') $$, 'PT403', 'role_required', 'Only staff has scopes of staff');
select throws_ok($$ select pg_temp.issue('', 'alice', '{posts:read}') $$, 'PT422', 'access_token_name', 'A token needs a name');
select lives_ok($$ select pg_temp.issue('b' || n, 'bob', '{posts:read}') from generate_series(1, 50) n $$, 'A person has 50 tokens');
select throws_ok($$ select pg_temp.issue('b51', 'bob', '{posts:read}') $$, 'PT409', 'access_tokens_full', 'A person has no 51st token');
select lives_ok($$ select pg_temp.issue('app', 'bob', '{posts:read}', 'app') $$, 'Tokens of apps don''t count towards it');

-- What ends a token
select pg_temp.issue('kept', 'alice', '{posts:read}', p_with_password => false);
select test.act('gate', (select claims from token where name = 'writer'));
insert into token select 'short', api.exchange_access_token(900)::jsonb;
select is(pg_temp.tried('short', 'create_post'), 'true', 'A token that was exchanged has its scopes');
select is(pg_temp.tried('short', 'get_post'), 'scope_missing', 'A token that was exchanged has no further scopes');
select test.act('gate', (select claims from token where name = 'short'));
select throws_ok('select api.exchange_access_token(900)', 'PT403', 'access_token_required', 'It can''t be exchanged again');
select test.act('gate', test.claims('alice'));
select throws_ok('select api.exchange_access_token(900)', 'PT403', 'access_token_required', 'A token of a login can''t be exchanged');
select test.act_as('bob');
select throws_ok(format('select api.end_access_token(%L)', pg_temp.id('writer')), 'PT404', 'access_token_unknown', 'Nobody ends a token of somebody else');
select test.act_as('alice');
select lives_ok(format('select api.end_access_token(%L)', pg_temp.id('writer')), 'A person ends a token');
select lives_ok(format('select api.end_access_token(%L)', pg_temp.id('writer')), 'Ending it again changes nothing');
select is(pg_temp.tried('writer', 'create_post'), 'token_revoked', 'It is over');
select is(pg_temp.tried('short', 'create_post'), 'token_revoked', 'What it was exchanged for is over, too');
select test.act_as_owner();
select private.replace_password(test.id('alice'), 'another hash');
select test.act('authenticated', null);
select is(array[pg_temp.tried('reader', 'get_post'), pg_temp.tried('kept', 'get_post')], '{token_revoked,true}',
  'A new password ends the tokens that end with it');
select test.act_as_owner();
select private.end_tokens(test.id('alice'));
select is(pg_temp.tried('kept', 'get_post'), 'token_revoked', 'A logout everywhere ends all of them');
update app.users set role = 'user' where username = 'carla';
select is(pg_temp.tried('staff', 'list_cases'), 'token_revoked', 'A token ends with the role');
update app.users set banned_at = now() where username = 'bob';
select is(pg_temp.tried('b1', 'get_post'), 'token_revoked', 'A token of a banned person is refused');
select is((select count(*)::int from app.access_tokens where user_id = test.id('alice') and ended_at is null), 0, 'They are marked as ended');
select * from finish();
rollback;
