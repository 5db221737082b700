-- The audit chain: who can write entries, that nobody can change them, and that tampering is detected.
begin;
select plan(40);
select test.people('alice');
update app.users set role = 'admin' where username = 'alice';

-- The first entry that breaks the chain, or null
create function pg_temp.broken() returns bigint language sql stable security definer as $$
  select min(id) from (
    select a.id, a.hash <> private.audit_hash(a) or a.previous is distinct from lag(a.hash) over (order by a.id) as broken
    from app.audit_log a) c
  where broken $$;
create function pg_temp.broken_after(p_change text) returns bigint language plpgsql as $$
declare
  v_broken bigint;
begin
  alter table app.audit_log disable trigger user;   -- an attacker who owns the table can do this
  execute p_change;
  v_broken := pg_temp.broken();
  raise exception using errcode = 'ZZ000';
exception
  when sqlstate 'ZZ000' then return v_broken;
end $$;

delete from app.audit_details;
select is((select count(*)::int from app.audit_log), 0, 'A new instance has no audit entries');

-- Acting as Alice, an admin
select test.act_as_service('alice');
select set_config('request.headers', '{"x-forwarded-for": "192.0.2.7"}', true);
select lives_ok($$ select private.audit('tap.one', 'user', test.id('alice')::text, '{"reason": "because"}') $$, 'Staff can write an entry');
select set_config('request.headers', '', true);
select lives_ok($$ select private.audit('tap.' || n, 'post', n) from unnest(array['two', 'three']) n $$, 'Staff can write several entries in one statement');
select test.act_as_owner();
select results_eq('select id, action, actor_id, target_type, target_id from app.audit_log order by id',
  $$ values (1::bigint, 'tap.one', test.id('alice'), 'user', test.id('alice')::text),
            (2, 'tap.two', test.id('alice'), 'post', 'two'), (3, 'tap.three', test.id('alice'), 'post', 'three') $$,
  'An entry says who did what to which target');
select results_eq('select audit_id, ip, detail from app.audit_details order by audit_id',
  $$ values (1::bigint, '192.0.2.7', '{"reason": "because"}'::jsonb), (2, null, null), (3, null, null) $$,
  'An entry''s details, in a table of their own, have the address and the reason');
select is((select previous from app.audit_log where id = 1), null, 'The first entry has no previous hash');
select is((select previous from app.audit_log where id = 3), (select hash from app.audit_log where id = 2), 'Every other entry has the hash of the entry before it');
select is((select octet_length(hash) from app.audit_log where id = 1), 32, 'A hash has the 32 bytes of SHA-256');
select is(pg_temp.broken(), null, 'The chain is intact');

-- Tampering is detected
select is(pg_temp.broken_after('select 1'), null, 'The check finds nothing when nothing was changed');
select is(pg_temp.broken_after(format('update app.audit_log set %s where id = 2', c)), 2::bigint, format('A change of %s is detected', c))
from unnest(array[$$ action = 'tap.nothing' $$, 'actor_id = null', $$ target_type = 'user' $$, $$ target_id = 'four' $$,
                  $$ created_at = created_at - interval '1 microsecond' $$, $$ hash = '\x00' $$]) c;
select is(pg_temp.broken_after($$ update app.audit_log a set action = 'tap.nothing' where id = 2;
  update app.audit_log a set hash = private.audit_hash(a) where id = 2 $$), 3::bigint, 'A change is detected even if the entry''s own hash was recomputed');
select is(pg_temp.broken_after($$ update app.audit_log a set action = 'tap.nothing' where id = 2;
  update app.audit_log a set hash = private.audit_hash(a) where id = 2;
  update app.audit_log a set previous = (select hash from app.audit_log where id = 2) where id = 3 $$), 3::bigint,
  'A change is detected even if the next entry refers to the recomputed hash');
select is(pg_temp.broken_after('delete from app.audit_details; delete from app.audit_log where id = 2'), 3::bigint,
  'A deleted entry is detected');
select is(pg_temp.broken_after('delete from app.audit_details; delete from app.audit_log where id = 1'), 2::bigint, 'Deleting the first entry is detected');

-- Nobody can change entries
select throws_ok($$ update app.audit_log set action = 'tap.nothing' $$, 'PT409', 'append_only', 'The owner can''t change an entry');
select throws_ok('delete from app.audit_log', 'PT409', 'append_only', 'The owner can''t delete an entry');
select throws_ok('truncate app.audit_log cascade', 'PT409', 'append_only', 'The owner can''t truncate the log');

-- Details and addresses
create function pg_temp.changed(p_change text default null) returns bigint[] language plpgsql as $$
begin
  if p_change is not null then
    execute p_change;
  end if;
  return (select array_agg(l.id order by l.id) from app.audit_log l left join app.audit_details d on d.audit_id = l.id
          where private.is_audit_detail_changed(l, d));
end $$;
create function pg_temp.changed_after(p_change text) returns bigint[] language plpgsql as $$
declare
  v_changed bigint[];
begin
  v_changed := pg_temp.changed(p_change);
  raise exception using errcode = 'ZZ000';
exception
  when sqlstate 'ZZ000' then return v_changed;
end $$;
select is(pg_temp.changed(), null, 'No detail is changed');
select is(pg_temp.changed_after(c), '{1}', format('This change is detected: %s', c))
from unnest(array[$$ update app.audit_details set detail = '{"reason": "or not"}' where audit_id = 1 $$,
                  $$ update app.audit_details set ip = '192.0.2.8' where audit_id = 1 $$,
                  $$ update app.audit_details set detail_salt = null where audit_id = 1 $$,
                  $$ update app.audit_details set ip_salt = '\x00' where audit_id = 1 $$]) c;
select is(pg_temp.changed_after($$ update app.audit_details set detail = '{}' where audit_id = 2 $$), '{2}',
  'A detail that is added later is detected');
select is((select count(distinct actor_salt) + count(distinct detail_hash) + count(distinct ip_hash) from app.audit_log), 9::bigint,
  'The same actor and the same empty detail have another hash in each entry');
select is((select private.audit_hash(l) from (select (x.e).* from (select row(1, 'tap.one', test.id('alice'), 'post', 'one', '2026-11-21T00:00:00Z', null, '\x', null, null, null)::app.audit_log as e) x) l),
  sha256(convert_to(json_build_array(1, 'tap.one', test.id('alice'), 'post', 'one', 1795219200.000000)::text, 'UTF8')),
  'An entry of release 1.0.0 has the hash that 1.0.0 computed');
select lives_ok('update app.audit_details set ip = null, detail = null', 'The erasable details can be erased');
select results_eq('select audit_id, detail_salt is null, ip_salt is null from app.audit_details order by audit_id',
  'values (1::bigint, true, true), (2, false, false), (3, false, false)', 'Emptying a detail or an address empties its salt');
select is(pg_temp.changed(), null, 'A field that an erasure emptied is not detected as a change');
select is(pg_temp.broken(), null, 'Erasing details leaves the chain intact');
select throws_ok('delete from app.users where id = test.id(''alice'')', '23503', null, 'A person who acted in the log can''t be deleted');
select test.act_as_service('alice');
select throws_ok($$ update app.audit_log set action = 'tap.nothing' $$, 'PT409', 'append_only', 'The service role can''t change an entry');
select throws_ok('delete from app.audit_log', 'PT409', 'append_only', 'The service role can''t delete an entry');

-- Acting as Alice without the service's role
select test.act_as('alice');
select throws_ok('select * from app.audit_log', '42501', null, 'A person''s token can''t read the log');
select throws_ok($$ select private.audit('tap.one', 'user', 'x') $$, '42501', null, 'A person''s token can''t write to the log');

select * from finish();
rollback;
