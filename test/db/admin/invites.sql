-- Generating invite codes: who can generate them, how many at once, and the audit entry.
begin;
select plan(24);
select test.people('alice', 'bob', 'carla');
update app.users set role = 'admin' where username = 'alice';
update app.users set role = 'moderator' where username = 'bob';
create function pg_temp.codes() returns integer language sql stable security definer as $$ select count(*)::int from app.invite_codes where generated_by = test.id('alice') $$;
create function pg_temp.entries() returns integer language sql stable security definer as $$ select count(*)::int from app.audit_log $$;
grant execute on all functions in schema pg_temp to public;
create temporary table made (item json);
grant all on made to public;

-- Acting as Alice, an admin
select test.act_as_service('alice');
select set_config('request.headers', '{"x-forwarded-for": "192.0.2.7"}', true);
insert into made select json_array_elements(api.generate_invite_codes(3) -> 'items');
select is((select count(distinct item ->> 'code')::int from made where item ->> 'code' ~ '^INV-[A-Z2-9]{6}$'), 3, 'An admin can generate invite codes');
select set_eq($$ select json_object_keys(item) from made $$, array['id', 'code', 'status', 'expiresAt'], 'A code has these fields');
select results_eq($$ select distinct item ->> 'status', item ->> 'expiresAt' from made $$,
  $$ values ('active', private.utc(now() + interval '30 days')) $$, 'Codes are active for 30 days');
select is(pg_temp.codes(), 3, 'The codes belong to the admin');
select test.act_as_owner();
select results_eq($$ select l.action, l.actor_id, l.target_type, l.target_id, d.ip, d.detail
    from app.audit_log l join app.audit_details d on d.audit_id = l.id $$,
  $$ values ('invite_codes.generated', test.id('alice'), 'user', test.id('alice')::text, '192.0.2.7', '{"count": 3}'::jsonb) $$,
  'An audit entry records the count, but not the codes');

-- How many
select test.act_as_service('alice');
select is(json_array_length(api.generate_invite_codes(1) -> 'items'), 1, 'One code can be generated');
select is(json_array_length(api.generate_invite_codes(100) -> 'items'), 100, 'At most 100 codes can be generated');
select is(pg_temp.entries(), 3, 'Each call leaves one audit entry');
select throws_ok(format('select api.generate_invite_codes(%L)', n), 'PT422', 'count_out_of_range', format('A count of %s is out of range', coalesce(n, 'null')))
from unnest(array['0', '-1', '101', null]) n;
select is(pg_temp.codes(), 104, 'A refused call generates no code');
select is(pg_temp.entries(), 3, 'A refused call leaves no audit entry');

-- Acting as the others
select test.act_as_service('bob');
select throws_ok('select api.generate_invite_codes(1)', 'PT403', 'role_required', 'A moderator can''t generate codes');
select test.act_as_service('carla');
select throws_ok('select api.generate_invite_codes(1)', 'PT403', 'role_required', 'A user can''t generate codes');
select test.act('service_role', test.claims('carla') || '{"role": "admin"}');
select throws_ok('select api.generate_invite_codes(1)', 'PT403', 'role_required', 'The stored role counts, not the role in the token');
select throws_ok('select api.generate_invite_codes(0)', 'PT403', 'role_required', 'The role is checked before the arguments');
select test.act_as_service();
select throws_ok('select api.generate_invite_codes(1)', 'PT403', 'role_required', 'The service role without a person can''t generate codes');
select is(pg_temp.entries(), 3, 'Refused callers leave no audit entry');

-- Acting as Alice without the service's role
select test.act_as('alice');
select throws_ok('select api.generate_invite_codes(1)', '42501', null, 'An admin''s own token can''t call staff operations over .rpc()');
select test.act('admin', test.claims('alice'));
select throws_ok('select api.generate_invite_codes(1)', '42501', null, 'The role admin can''t generate codes over .rpc() either');
select test.act_as_gate();
select throws_ok('select api.generate_invite_codes(1)', '42501', null, 'The gate can''t generate codes');
select test.act_as_anon();
select throws_ok('select api.generate_invite_codes(1)', '42501', null, 'An anonymous caller can''t generate codes');

select * from finish();
rollback;
