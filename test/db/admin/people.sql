-- What staff can do to people: ban them, end a ban, give them roles.
begin;
select plan(58);
select test.people('alice', 'anna', 'bob', 'carla', 'dan', 'erin');
update app.users set role = 'user' where role = 'admin';   -- the first admin of the instance
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

-- Permissions: neither Bob, a moderator, nor Carla
select test.act_as_service('bob');
select throws_ok($$ select api.ban_person('carla', 'Spam') $$, 'PT403', 'role_required', 'A moderator can''t ban anybody');
select throws_ok($$ select api.unban_person('carla') $$, 'PT403', 'role_required', 'A moderator can''t end a ban');
select throws_ok($$ select api.set_role('carla', 'admin') $$, 'PT403', 'role_required', 'A moderator can''t give roles');
select test.act_as_service('carla');
select throws_ok($$ select api.set_role('carla', 'admin') $$, 'PT403', 'role_required', 'A user can''t make themselves an admin');
select throws_ok($$ select api.ban_person('dan', E'\u202e') $$, 'PT403', 'role_required', 'The role is checked before the reason');
select test.act_as_service();
select throws_ok($$ select api.ban_person('carla', 'Spam') $$, 'PT403', 'role_required', 'The service role without a person can''t ban anybody');
select test.act_as('alice');
select throws_ok($$ select api.ban_person('carla', 'Spam') $$, '42501', null, 'An admin''s own token can''t ban over .rpc()');
select throws_ok($$ select api.set_role('carla', 'admin') $$, '42501', null, 'An admin''s own token can''t give roles over .rpc()');
select test.act_as_anon();
select throws_ok($$ select api.ban_person('carla', 'Spam') $$, '42501', null, 'An anonymous caller can''t ban anybody');

-- A ban. Acting as Alice, an admin
select test.act_as_service('alice');
select throws_ok(format('select api.ban_person(%L, %L)', 'carla', r), 'PT422', c, 'A ban is refused with the reason ' || coalesce(left(r, 5), 'null'))
from (values (null, 'reason_length'), (' ', 'reason_length'), (repeat('x', 1001), 'reason_length'), (e'\u202e', 'text_unfit')) v (r, c);
select throws_ok(format('select api.ban_person(%L, ''Spam'')', p), 'PT404', 'person_unknown', 'There is nobody to ban: ' || w)
from (values ('zoe', 'a name'), (gen_random_uuid()::text, 'a UUID'), ((select id::text from gone), 'an erased person')) v (p, w);
select throws_ok($$ select api.ban_person('alice', 'Spam') $$, 'PT400', 'ban_oneself', 'Admins can''t ban themselves');
select throws_ok($$ select api.ban_person('anna', 'Spam') $$, 'PT409', 'ban_admin', 'Admins can''t ban another admin');
select is_empty('select pg_temp.audited()', 'A refused ban leaves no audit entry');
select is(api.ban_person('carla', e' Spam, cafe\u0301\n')::jsonb - 'bannedAt' - 'user', jsonb_build_object('id', test.id('carla'), 'role', 'user', 'suspendedUntil', null, 'limitedAt', null),
  'An admin can ban a person by username');
select is((select banned_at from app.users where username = 'carla'), now(), 'The ban starts immediately');
select is(api.ban_person(test.id('carla')::text, 'Again')::jsonb #>> '{user,username}', 'carla', 'Banning again, by UUID, changes nothing');
select results_eq('select pg_temp.audited()', array[E'user.banned user carla alice {"reason": "Spam, caf\u00e9"}'], 'The ban leaves one audit entry, with the normalized reason');
select ok(not pg_temp.live(pg_temp.token('carla')), 'The banned person''s token is revoked');
select ok(pg_temp.live(pg_temp.token('dan')), 'Other people''s tokens stay valid');
select test.act_as_owner();
select is(pg_temp.sessions('carla'), 0::bigint, 'The banned person''s sessions are ended');
select is((select jsonb_agg(t) from pg_temp.told() t where t ->> 'role' is null and t ->> 'sub' = test.id('carla')::text),
  jsonb_build_array(jsonb_build_object('sub', test.id('carla'), 'role', null, 'from', (select tokens_valid_from from app.users where username = 'carla'))),
  'Realtime is told to disconnect the banned person');
select test.act_as_gate();
select throws_ok(format('select api.log_in(%L, ''no hash'', 900)', test.id('carla')), 'PT403', 'person_banned', 'A banned person can''t log in');
select test.act_as('dan');
select throws_ok($$ select api.get_profile('carla') $$, 'PT404', 'person_unknown', 'A banned person''s profile is unknown to others');

-- The end of a ban
select test.act_as_service('anna');
select throws_ok($$ select api.unban_person('carla', repeat('x', 1001)) $$, 'PT422', 'reason_length', 'A reason of more than 1000 characters is refused');
select is(api.unban_person('carla', 'A mistake')::jsonb - 'user', jsonb_build_object('id', test.id('carla'), 'role', 'user', 'bannedAt', null, 'suspendedUntil', null, 'limitedAt', null), 'An admin can end a ban');
select is(api.unban_person('carla') ->> 'bannedAt', null, 'Ending the ban again changes nothing');
select is(api.unban_person('dan') ->> 'bannedAt', null, 'Ending the ban of a person who isn''t banned changes nothing');
select is((select array_agg(a) from pg_temp.audited() with ordinality t (a, n) where n > 1), array['user.unbanned user carla anna {"reason": "A mistake"}'], 'Ending a ban leaves one audit entry');
select ok(not pg_temp.live(pg_temp.token('carla')), 'Tokens issued before the ban stay revoked');
select ok(pg_temp.live(test.claims('carla')), 'New tokens are valid');
select test.act_as_gate();
select lives_ok(format('select api.log_in(%L, ''no hash'', 900)', test.id('carla')), 'The person can log in again');
select test.act_as('dan');
select is(api.get_profile('carla') ->> 'username', 'carla', 'Others can see the profile again');

-- Roles
select test.act_as_service('alice');
select throws_ok(format('select api.set_role(''dan'', %L)', r), 'PT422', 'role_unknown', 'There is no such role: ' || coalesce(r, 'null'))
from unnest(array['owner', 'Admin', 'service_role', '', null]) r;
select throws_ok(format('select api.set_role(%L, ''user'')', (select id from gone)), 'PT404', 'person_unknown', 'An erased person can''t get a role');
select is(api.set_role('dan', 'user') ->> 'role', 'user', 'Giving the same role again is accepted');
select ok(pg_temp.live(pg_temp.token('dan')), 'Giving the same role again revokes no token');
select test.act_as_service('alice');
select is(api.set_role('dan', 'moderator')::jsonb - 'user', jsonb_build_object('id', test.id('dan'), 'role', 'moderator', 'bannedAt', null, 'suspendedUntil', null, 'limitedAt', null), 'An admin can give another role');
select ok(not pg_temp.live(pg_temp.token('dan')), 'A new role revokes tokens with the former role');
select test.act_as_service('alice');
select is(api.set_role('dan', 'user') ->> 'role', 'user', 'An admin can give the former role back');
select ok(not pg_temp.live(pg_temp.token('dan')), 'Getting a role back doesn''t revive old tokens');
select ok(not pg_temp.live(pg_temp.token('dan') || '{"role": "moderator"}'), 'A token with the other role is revoked too');
select test.act_as_service('alice');
select throws_ok($$ select api.set_role('alice', 'user') $$, 'PT400', 'role_own', 'Admins can''t change their own role');
select is(api.set_role('alice', 'admin') ->> 'role', 'admin', 'Confirming one''s own role changes nothing');
select is(api.set_role('anna', 'user') ->> 'role', 'user', 'An admin can take the role from another admin');
select throws_ok($$ select api.set_role('alice', 'moderator') $$, 'PT409', 'last_admin', 'The last admin keeps the role');
select results_eq($$ select a from pg_temp.audited() with ordinality t (a, n) where n > 2 order by n $$,
  array['user.role_changed user dan alice {"to": "moderator", "from": "user"}',
        'user.role_changed user dan alice {"to": "user", "from": "moderator"}',
        'user.role_changed user anna alice {"to": "user", "from": "admin"}'], 'Each change of a role leaves one audit entry');
select test.act('service_role', pg_temp.token('anna'));
select throws_ok($$ select api.set_role('alice', 'user') $$, 'PT403', 'role_required', 'A former admin can''t use the role any more');

-- The reasons are deleted with the person they are about
select test.act_as_owner();
select private.erase_person(test.id('carla'));
select is((select array_agg(d.detail) from app.audit_log l join app.audit_details d on d.audit_id = l.id where l.target_id = test.id('carla')::text
           or l.target_id in (select id::text from app.users where username like 'deleted%' and id not in (select id from gone))),
  array[null, null]::jsonb[], 'An erasure deletes the reasons of bans');

select * from finish();
rollback;
