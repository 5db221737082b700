-- What staff does about people: bans them, lets them in again, gives them roles.
begin;
select plan(58);
select test.people('alice', 'anna', 'bob', 'carla', 'dan', 'erin');
update app.users set role = 'user' where role = 'admin';   -- the instance's first one
update app.users set role = 'admin' where username in ('alice', 'anna');
update app.users set role = 'moderator' where username = 'bob';
select private.erase_person(test.id('erin'));
create temporary table gone as select id from app.users where erased_at is not null;
grant select on gone to public;

create function pg_temp.audited() returns setof text language sql stable security definer
  as $$ select concat_ws(' ', l.action, l.target_type, (select username from app.users where id::text = l.target_id),
                         (select username from app.users where id = l.actor_id), d.detail)
        from app.audit_log l join app.audit_details d on d.audit_id = l.id order by l.id $$;
create function pg_temp.live(p_claims jsonb) returns boolean language plpgsql as $$
begin
  perform set_config('request.jwt.claims', p_claims::text, true);
  return private.check_caller();
exception when sqlstate 'PT401' then return false;
end $$;
create function pg_temp.told() returns setof jsonb language sql stable security definer
  as $$ select payload - 'id' from realtime.messages where topic = 'tokens' order by inserted_at $$;
create temporary table tokens as select n as name, test.claims(n) as claims from unnest(array['alice', 'anna', 'bob', 'carla', 'dan']) n;
grant select on tokens to public;
create function pg_temp.token(p_name text) returns jsonb language sql stable as $$ select claims from tokens where name = p_name $$;
insert into app.sessions (id, user_id, issued_at, token_hash)
select gen_random_uuid(), test.id(n), (pg_temp.token(n) ->> 'iat')::bigint, sha256('token') from unnest(array['bob', 'carla']) n;
create function pg_temp.sessions(p_name text) returns bigint language sql stable security definer
  as $$ select count(*) from app.sessions where user_id = test.id(p_name) and ended_at is null $$;
grant execute on all functions in schema pg_temp to public;

-- Who may: not Bob, a moderator, nor Carla
select test.act_as_service('bob');
select throws_ok($$ select api.ban_person('carla', 'Spam') $$, 'PT403', 'role_required', 'a moderator bans nobody');
select throws_ok($$ select api.unban_person('carla') $$, 'PT403', 'role_required', 'nor ends a ban');
select throws_ok($$ select api.set_role('carla', 'admin') $$, 'PT403', 'role_required', 'nor gives roles');
select test.act_as_service('carla');
select throws_ok($$ select api.set_role('carla', 'admin') $$, 'PT403', 'role_required', 'nobody makes themselves an admin');
select throws_ok($$ select api.ban_person('dan', E'\u202e') $$, 'PT403', 'role_required', 'whatever they say');
select test.act_as_service();
select throws_ok($$ select api.ban_person('carla', 'Spam') $$, 'PT403', 'role_required', 'the service alone is nobody');
select test.act_as('alice');
select throws_ok($$ select api.ban_person('carla', 'Spam') $$, '42501', null, 'an admin''s own token is not for .rpc()');
select throws_ok($$ select api.set_role('carla', 'admin') $$, '42501', null, 'for roles neither');
select test.act_as_anon();
select throws_ok($$ select api.ban_person('carla', 'Spam') $$, '42501', null, 'nor is no token at all');

-- A ban. Acting as Alice, an admin
select test.act_as_service('alice');
select throws_ok(format('select api.ban_person(%L, %L)', 'carla', r), 'PT422', c, 'refused with the reason ' || coalesce(left(r, 5), 'null'))
from (values (null, 'reason_length'), (' ', 'reason_length'), (repeat('x', 1001), 'reason_length'), (e'\u202e', 'text_unfit')) v (r, c);
select throws_ok(format('select api.ban_person(%L, ''Spam'')', p), 'PT404', 'person_unknown', 'nobody: ' || w)
from (values ('zoe', 'a name'), (gen_random_uuid()::text, 'a UUID'), ((select id::text from gone), 'an erased person')) v (p, w);
select throws_ok($$ select api.ban_person('alice', 'Spam') $$, 'PT400', 'ban_oneself', 'not oneself');
select throws_ok($$ select api.ban_person('anna', 'Spam') $$, 'PT409', 'ban_admin', 'not another admin');
select is_empty('select pg_temp.audited()', 'what was refused leaves no entry');
select is(api.ban_person('carla', e' Spam, cafe\u0301\n')::jsonb - 'bannedAt' - 'user', jsonb_build_object('id', test.id('carla'), 'role', 'user'),
  'a person is banned, by name');
select is((select banned_at from app.users where username = 'carla'), now(), 'from now on');
select is(api.ban_person(test.id('carla')::text, 'Again')::jsonb #>> '{user,username}', 'carla', 'again, by UUID, and it stays as it was');
select results_eq('select pg_temp.audited()', array[E'user.banned user carla alice {"reason": "Spam, caf\u00e9"}'], 'one entry, with the reason in one form');
select ok(not pg_temp.live(pg_temp.token('carla')), 'their token is dead');
select ok(pg_temp.live(pg_temp.token('dan')), 'and others'' are not');
select test.act_as_owner();
select is(pg_temp.sessions('carla'), 0::bigint, 'their sessions are over');
select is((select jsonb_agg(t) from pg_temp.told() t where t ->> 'role' is null and t ->> 'sub' = test.id('carla')::text),
  jsonb_build_array(jsonb_build_object('sub', test.id('carla'), 'role', null, 'from', (select tokens_valid_from from app.users where username = 'carla'))),
  'and Realtime is told');
select test.act_as_gate();
select throws_ok(format('select api.log_in(%L, ''no hash'', 900)', test.id('carla')), 'PT403', 'person_banned', 'who is banned cannot log in');
select test.act_as('dan');
select throws_ok($$ select api.get_profile('carla') $$, 'PT404', 'person_unknown', 'others know nobody of that name');

-- The end of it
select test.act_as_service('anna');
select throws_ok($$ select api.unban_person('carla', repeat('x', 1001)) $$, 'PT422', 'reason_length', 'too long a reason');
select is(api.unban_person('carla', 'A mistake')::jsonb - 'user', jsonb_build_object('id', test.id('carla'), 'role', 'user', 'bannedAt', null), 'a ban ends');
select is(api.unban_person('carla') ->> 'bannedAt', null, 'once');
select is(api.unban_person('dan') ->> 'bannedAt', null, 'of who never was banned nothing changes');
select is((select array_agg(a) from pg_temp.audited() with ordinality t (a, n) where n > 1), array['user.unbanned user carla anna {"reason": "A mistake"}'], 'with an entry');
select ok(not pg_temp.live(pg_temp.token('carla')), 'tokens from before stay dead');
select ok(pg_temp.live(test.claims('carla')), 'and new ones live');
select test.act_as_gate();
select lives_ok(format('select api.log_in(%L, ''no hash'', 900)', test.id('carla')), 'they can log in');
select test.act_as('dan');
select is(api.get_profile('carla') ->> 'username', 'carla', 'and are there for others');

-- Roles
select test.act_as_service('alice');
select throws_ok(format('select api.set_role(''dan'', %L)', r), 'PT422', 'role_unknown', 'no role: ' || coalesce(r, 'null'))
from unnest(array['owner', 'Admin', 'service_role', '', null]) r;
select throws_ok(format('select api.set_role(%L, ''user'')', (select id from gone)), 'PT404', 'person_unknown', 'the erased get none');
select is(api.set_role('dan', 'user') ->> 'role', 'user', 'the same role again');
select ok(pg_temp.live(pg_temp.token('dan')), 'ends nothing');
select test.act_as_service('alice');
select is(api.set_role('dan', 'moderator')::jsonb - 'user', jsonb_build_object('id', test.id('dan'), 'role', 'moderator', 'bannedAt', null), 'another role');
select ok(not pg_temp.live(pg_temp.token('dan')), 'ends the tokens that named the former');
select test.act_as_service('alice');
select is(api.set_role('dan', 'user') ->> 'role', 'user', 'and back');
select ok(not pg_temp.live(pg_temp.token('dan')), 'brings none of them back');
select ok(not pg_temp.live(pg_temp.token('dan') || '{"role": "moderator"}'), 'nor one that named the one in between');
select test.act_as_service('alice');
select throws_ok($$ select api.set_role('alice', 'user') $$, 'PT400', 'role_own', 'one''s own role stays');
select is(api.set_role('alice', 'admin') ->> 'role', 'admin', 'as it is');
select is(api.set_role('anna', 'user') ->> 'role', 'user', 'an admin takes it from another');
select throws_ok($$ select api.set_role('alice', 'moderator') $$, 'PT409', 'last_admin', 'the last one keeps it');
select results_eq($$ select a from pg_temp.audited() with ordinality t (a, n) where n > 2 order by n $$,
  array['user.role_changed user dan alice {"to": "moderator", "from": "user"}',
        'user.role_changed user dan alice {"to": "user", "from": "moderator"}',
        'user.role_changed user anna alice {"to": "user", "from": "admin"}'], 'with the entries that say so');
select test.act('service_role', pg_temp.token('anna'));
select throws_ok($$ select api.set_role('alice', 'user') $$, 'PT403', 'role_required', 'who is none any more takes nothing back');

-- The words go with whom they are about
select test.act_as_owner();
select private.erase_person(test.id('carla'));
select is((select array_agg(d.detail) from app.audit_log l join app.audit_details d on d.audit_id = l.id where l.target_id = test.id('carla')::text
           or l.target_id in (select id::text from app.users where username like 'deleted%' and id not in (select id from gone))),
  array[null, null]::jsonb[], 'an erasure takes the reasons');

select * from finish();
rollback;
