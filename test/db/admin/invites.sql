-- Generating invite codes: who may, how many, and the audit entry.
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
select is((select count(distinct item ->> 'code')::int from made where item ->> 'code' ~ '^INV-[A-Z2-9]{6}$'), 3, 'an admin makes codes');
select set_eq($$ select json_object_keys(item) from made $$, array['id', 'code', 'status', 'expiresAt'], 'the shape of one');
select results_eq($$ select distinct item ->> 'status', item ->> 'expiresAt' from made $$,
  $$ values ('active', private.utc(now() + interval '30 days')) $$, 'active for 30 days');
select is(pg_temp.codes(), 3, 'they are the admin''s own');
select test.act_as_owner();
select results_eq($$ select l.action, l.actor_id, l.target_type, l.target_id, d.ip, d.detail
    from app.audit_log l join app.audit_details d on d.audit_id = l.id $$,
  $$ values ('invite_codes.generated', test.id('alice'), 'user', test.id('alice')::text, '192.0.2.7', '{"count": 3}'::jsonb) $$,
  'an audit entry says so, and not the codes');

-- How many
select test.act_as_service('alice');
select is(json_array_length(api.generate_invite_codes(1) -> 'items'), 1, 'one is enough');
select is(json_array_length(api.generate_invite_codes(100) -> 'items'), 100, '100 are the most');
select is(pg_temp.entries(), 3, 'each time leaves an entry');
select throws_ok(format('select api.generate_invite_codes(%L)', n), 'PT422', 'count_out_of_range', format('%s is out of range', coalesce(n, 'no number')))
from unnest(array['0', '-1', '101', null]) n;
select is(pg_temp.codes(), 104, 'what is refused makes no code');
select is(pg_temp.entries(), 3, 'and no entry');

-- Acting as the others
select test.act_as_service('bob');
select throws_ok('select api.generate_invite_codes(1)', 'PT403', 'role_required', 'a moderator may not');
select test.act_as_service('carla');
select throws_ok('select api.generate_invite_codes(1)', 'PT403', 'role_required', 'nor may a user');
select test.act('service_role', test.claims('carla') || '{"role": "admin"}');
select throws_ok('select api.generate_invite_codes(1)', 'PT403', 'role_required', 'whatever their token says');
select throws_ok('select api.generate_invite_codes(0)', 'PT403', 'role_required', 'that comes before what is wrong with the request');
select test.act_as_service();
select throws_ok('select api.generate_invite_codes(1)', 'PT403', 'role_required', 'nor the service by itself');
select is(pg_temp.entries(), 3, 'and none of it leaves an entry');

-- Acting as Alice without the service's role
select test.act_as('alice');
select throws_ok('select api.generate_invite_codes(1)', '42501', null, 'an admin''s own token is not for .rpc()');
select test.act('admin', test.claims('alice'));
select throws_ok('select api.generate_invite_codes(1)', '42501', null, 'also in the role admin');
select test.act_as_gate();
select throws_ok('select api.generate_invite_codes(1)', '42501', null, 'the gate may not');
select test.act_as_anon();
select throws_ok('select api.generate_invite_codes(1)', '42501', null, 'nobody may not');

select * from finish();
rollback;
