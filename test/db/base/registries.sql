-- Registries: everything named in them exists.
begin;
select plan(12);

select is_empty($$ select listener from private.event_listeners
                   where to_regprocedure(listener || case timing when 'soon' then '(private.effects[])' else '(jsonb)' end) is null $$, 'Every registered listener exists');
select is_empty($$ select e.name from private.event_types e where not exists (
                     select from pg_proc p where p.prosrc ~ ('private\.emit\([^;]*''' || e.name || '''')) $$, 'Every registered event is emitted somewhere');
select is_empty($$ select m[1] from pg_proc p, regexp_matches(p.prosrc, '''((?:identity|interests|social|posts|reputation|economy|admin)(?:\.[a-z_]+)+)''', 'g') m
                   where p.pronamespace in ('private'::regnamespace, 'api'::regnamespace) and p.prosrc ~ 'private\.emit'
                     and m[1] not in (select name from private.event_types)
                     and m[1] not in (select kind from private.ledger_kinds)
                     and m[1] not in (select kind from private.notification_kinds) $$, 'Every emitted event is registered');
select is_empty($$ select batch from private.batch_queues where to_regprocedure(batch || '(jsonb, uuid)') is null $$, 'Every registered batch function exists');
select is_empty($$ select queue from private.batch_queues where queue not in (select name from pgboss.queue) $$, 'Every registered batch queue exists');
select private.enqueue(queue, '{}') from private.batch_queues;
select results_eq($$ select distinct dead_letter, retry_limit, retry_delay, retry_backoff, expire_seconds, deletion_seconds,
                            heartbeat_seconds, keep_until - now() from pgboss.job
                     where name in (select queue from private.batch_queues) $$,
                  $$ values ('dead-letters', 5, 5, true, 600, 86400, 10, interval '1 day') $$,
                  'A job has its retries and its dead letter, even if it was queued before the first worker started');
select is_empty($$ select name from private.jobs where to_regprocedure('private.job_' || replace(name, '-', '_') || '()') is null $$, 'Every registered job has a function');
select is_empty($$ select finder from private.report_targets where to_regprocedure(finder || '(text, text)') is null $$, 'Every registered report finder exists');
select is_empty($$ select audience from private.realtime_topics where to_regprocedure(audience || '(text)') is null $$, 'Every registered audience function exists');
select is_empty($$ select p.proname from pg_proc p where p.pronamespace = 'private'::regnamespace and p.proname ~ '^notify_'
                     and 'private.' || p.proname not in (select listener from private.event_listeners) $$,
  'Every notify_ function listens to an event');
select is_empty($$ select m[1] from pg_proc p, regexp_matches(p.prosrc, '\([a-z_.]*user_id, ''([a-z-]+\.[a-z-]+)''', 'g') m
                   where m[1] not in (select kind from private.notification_kinds) $$, 'Every kind of notification that is sent is registered');

select is_empty($$ select t.tgrelid::regclass from pg_trigger t where not t.tgisinternal and t.tgname !~ '^reject_' and t.tgrelid in (
                     select c.oid from pg_class c where c.relnamespace in ('app'::regnamespace, 'private'::regnamespace))
                   group by 1 having count(*) filter (where t.tgname ~ '^_\d\d\d_') not in (0, count(*)) $$,
  'If any trigger of a table is numbered to set the order, all are, except reject_ triggers');

select * from finish();
rollback;
