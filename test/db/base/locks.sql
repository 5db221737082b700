-- Locks: every kind is registered, and only private.lock waits for advisory locks.
begin;
select plan(6);

create view pg_temp.taken as
select p.oid::regprocedure as taker, m[1] as kind
from pg_proc p, regexp_matches(p.prosrc, 'private\.(?:lock|check_lock_order)\(''([a-z ]+)''', 'g') m
where p.pronamespace in ('app'::regnamespace, 'private'::regnamespace, 'api'::regnamespace)
union all
select 'private.count_writes'::regproc::regprocedure, lock_kind from private.write_limits;
select is_empty($$ select taker, kind from pg_temp.taken where kind not in (select kind from private.lock_kinds) $$,
  'Every kind of lock that is taken is registered');
select is_empty($$ select kind from private.lock_kinds where kind not in (select kind from pg_temp.taken) $$,
  'Every registered kind of lock is taken');
select is_empty($$ select p.oid::regprocedure from pg_proc p
                   where p.pronamespace in ('app'::regnamespace, 'private'::regnamespace, 'api'::regnamespace)
                     and p.prosrc ~ 'pg_advisory_(xact_)?lock' and p.oid <> 'private.lock'::regproc $$,
  'Only private.lock waits for advisory locks');

select is((select count(*)::int from private.lock_ranks), 8, 'There are eight ranks');
select is((select string_agg(distinct rank::text, ' ' order by rank::text) from private.lock_kinds), '1 2 3 4 5 6 7 8', 'Each rank has a kind of lock');
select throws_ok($$ insert into private.lock_kinds (kind, position) values ('test', 900) $$, '23503', null, 'A kind of lock can''t have another rank');

select * from finish();
rollback;
