-- Jobs: what time does. The worker (api-facade/worker) holds the clock and nothing else; each job is one function, here or
-- in the feature whose rows it touches, and answers how many rows it changed. What is due is read from the rows, so a job
-- may run late, twice, or in two workers at once.

create table private.job_runs (
  job            text primary key,
  runs           bigint not null default 0,
  failures       bigint not null default 0,
  changed        bigint not null default 0,
  last_run_at    timestamptz,
  last_failed_at timestamptz
);
comment on table private.job_runs is
  'A line a job, for /metrics: how often it ran and failed, in whichever worker, and how many rows it changed in all.';

create function private.note_job_run(p_job text, p_changed integer, p_failed boolean) returns void
language sql volatile security definer   -- the worker may touch no table of ours
set search_path = ''
as $$
  insert into private.job_runs as r (job, runs, failures, changed, last_run_at, last_failed_at)
  values (p_job, 1, p_failed::integer, p_changed, now(), case when p_failed then now() end)
  on conflict (job) do update
    set runs = r.runs + 1,
        failures = r.failures + excluded.failures,
        changed = r.changed + excluded.changed,
        last_run_at = excluded.last_run_at,
        last_failed_at = coalesce(excluded.last_failed_at, r.last_failed_at)
$$;
comment on function private.note_job_run is
  'Keeps that a job ran. In a transaction of its own: what a failed job wrote is undone, and that it failed is not.';

create function private.job_metrics() returns json
language plpgsql stable security definer   -- for /metrics alone: queues and their record are nobody else's to read
set search_path = ''
as $$
begin
  return json_build_object(
    'runs', (select coalesce(json_agg(json_build_object(
                      'job', job, 'runs', runs, 'failures', failures, 'changed', changed,
                      'lastRun', extract(epoch from last_run_at),
                      'lastFailure', extract(epoch from last_failed_at))), '[]')
             from private.job_runs),
    'queues', (select coalesce(json_agg(json_build_object('queue', q.name, 'state', s.state, 'depth', (
                        select count(*) from pgboss.job j where j.name = q.name and j.state = s.state))), '[]')
               from pgboss.queue q
               cross join unnest(array['created', 'retry', 'active', 'failed']::pgboss.job_state[]) as s (state)
               where q.name !~ '^__pgboss'));
end $$;
comment on function private.job_metrics is
  'For /metrics: {runs: [{job, runs, failures, changed, lastRun, lastFailure}], queues: [{queue, state, depth}]}; times in unix seconds.';

create function private.job_roll_realtime_partitions() returns integer
language plpgsql volatile security definer   -- partitions belong to the platform
set search_path = ''
as $$
declare
  v_before oid[];
  v_after  oid[];
begin
  if to_regprocedure('realtime.create_partitions()') is null then
    return 0;   -- the real Realtime server rolls its partitions itself
  end if;
  v_before := array(select inhrelid from pg_inherits where inhparent = to_regclass('realtime.messages'));
  perform realtime.create_partitions();
  v_after := array(select inhrelid from pg_inherits where inhparent = to_regclass('realtime.messages'));
  return (select count(*) from unnest(v_before || v_after) as p (id) where p.id <> all (v_before) or p.id <> all (v_after));
end $$;
comment on function private.job_roll_realtime_partitions is
  'Job: makes the partitions of the days ahead and drops those older than 72 hours.';

create function private.job_purge_idempotency_keys() returns integer
language plpgsql volatile security definer   -- the worker may touch no table of ours
set search_path = ''
as $$
declare
  v_changed integer;
begin
  delete from app.idempotency_keys where created_at < now() - interval '24 hours';
  get diagnostics v_changed = row_count;
  return v_changed;
end $$;
comment on function private.job_purge_idempotency_keys is 'Job: forgets answers after 24 hours. Decisions: Idempotency.';

create function private.job_purge_revoked_tokens() returns integer
language plpgsql volatile security definer   -- the worker may touch no table of ours
set search_path = ''
as $$
declare
  v_changed integer;
begin
  -- an hour late: doors whose clocks are behind still refuse the token
  delete from private.revoked_tokens where expires_at < extract(epoch from now() - interval '1 hour');
  get diagnostics v_changed = row_count;
  return v_changed;
end $$;
comment on function private.job_purge_revoked_tokens is 'Job: takes tokens off the denylist that have expired by themselves.';

create function private.job_purge_domain_events() returns integer
language plpgsql volatile security definer   -- the worker may touch no table of ours
set search_path = ''
as $$
declare
  v_changed integer;
begin
  delete from app.domain_events where created_at < now() - interval '30 days';
  get diagnostics v_changed = row_count;
  return v_changed;
end $$;
comment on function private.job_purge_domain_events is 'Job: empties the outbox of what is older than 30 days. design.md, Database.';
