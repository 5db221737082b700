-- Jobs are work that runs on a schedule. The worker (api-facade/worker) has only the schedule. Each job is one
-- function, private.job_<name>, here or in the feature whose rows it changes, and returns the number of changed rows.
-- It determines from the rows what is due, so it may run late, twice, or in two workers at once. `npm run gen` writes
-- sql/JOBS.md from the registry.

create table private.jobs (
  name    text primary key check (name ~ '^[a-z]+(-[a-z]+)*$'),
  cron    text not null,
  expires integer not null check (expires > 0),
  repeats boolean not null default false,
  alarm   text
);
comment on table private.jobs is
  'Registry: the jobs. The function of a job is private.job_<name>, with underscores.';
comment on column private.jobs.cron is 'When it runs, in UTC.';
comment on column private.jobs.expires is
  'After this number of seconds a run counts as lost, and the next one may begin. If the worker of a run was '
  'killed, the next run may begin after 10 seconds.';
comment on column private.jobs.repeats is
  'Whether the worker calls the function again until nothing is due, for at most half of expires. A call that '
  'returns less than 0 has failed: the other calls still run, and the run fails at its end.';
comment on column private.jobs.alarm is
  'If the job had to change anything, the worker logs this text as an error and counts the run as a failure.';

create table private.batch_queues (
  queue   text primary key,
  batch   text not null check (batch ~ '^private\.[a-z_]+$')
);
comment on table private.batch_queues is
  'Registry: queues for work that exceeds the transaction that causes it. private.make_batch_queue adds a row.';
comment on column private.batch_queues.batch is
  'A function that takes (job jsonb, after uuid) and returns json. It processes about the next 500 rows after '
  '`after`, which is null at the beginning, and returns {changed, next}; next is null at the end. Each batch is one '
  'transaction, and may run twice.';

create function private.list_work() returns json
language plpgsql stable security definer   -- only for the worker, which has no access to Kith's tables
set search_path = ''
as $$
begin
  return json_build_object(
    'jobs', (select json_agg(json_build_object('name', name, 'cron', cron, 'expires', expires, 'repeats', repeats,
                                               'alarm', alarm) order by name) from private.jobs),
    'queues', (select json_agg(json_build_object('queue', queue, 'batch', batch) order by queue)
               from private.batch_queues));
end $$;
comment on function private.list_work is
  'For the worker alone: {jobs: [{name, cron, expires, repeats, alarm}], queues: [{queue, batch}]}.';

create table private.job_runs (
  job            text primary key,
  runs           bigint not null default 0,
  failures       bigint not null default 0,
  changed        bigint not null default 0,
  last_run_at    timestamptz,
  last_failed_at timestamptz,
  last_changed   bigint not null default 0,
  last_ended_at  timestamptz
);
comment on table private.job_runs is
  'For /metrics, one row per job: how often the job ran and failed in all workers, and how many rows it changed.';
comment on column private.job_runs.last_run_at is 'When the job last ran, even if it failed.';
comment on column private.job_runs.last_failed_at is 'When the job last failed; null if never.';
comment on column private.job_runs.last_ended_at is
  'When the job last ran to its end, even if it raised its alarm; null if never.';
comment on column private.job_runs.last_changed is
  'The number of rows that the job changed when it last ran to its end. For a job with an alarm, the number of '
  'errors that it found.';

create function private.note_job_run(p_job text, p_changed integer, p_failed boolean) returns void
language plpgsql volatile security definer   -- the worker has no access to Kith's tables
set search_path = ''
as $$
begin
  insert into private.job_runs as r
    (job, runs, failures, changed, last_run_at, last_failed_at, last_ended_at, last_changed)
  values (p_job, 1, p_failed::integer, p_changed, now(), case when p_failed then now() end,
          case when not p_failed or p_changed <> 0 then now() end, p_changed)
  on conflict (job) do update
    set runs = r.runs + 1,
        failures = r.failures + excluded.failures,
        changed = r.changed + excluded.changed,
        last_run_at = excluded.last_run_at,
        last_failed_at = coalesce(excluded.last_failed_at, r.last_failed_at),
        last_ended_at = coalesce(excluded.last_ended_at, r.last_ended_at),
        last_changed = case when excluded.last_ended_at is null then r.last_changed else excluded.last_changed end;
end $$;
comment on function private.note_job_run is
  'Records that a job ran. The worker calls it in a separate transaction, because the record of a failed job must '
  'not be rolled back with the job.';

create function private.job_metrics() returns json
language plpgsql stable security definer   -- callers may not read the queues
set search_path = ''
as $$
begin
  return json_build_object(
    'runs', (select coalesce(json_agg(json_build_object(
                      'job', job, 'runs', runs, 'failures', failures, 'changed', changed,
                      'lastChanged', last_changed,
                      'lastRun', extract(epoch from last_run_at),
                      'lastFailure', extract(epoch from last_failed_at))), '[]')
             from private.job_runs),
    'queues', (select coalesce(json_agg(json_build_object('queue', q.name, 'state', s.state, 'depth', (
                        select count(*) from pgboss.job j where j.name = q.name and j.state = s.state))), '[]')
               from pgboss.queue q
               cross join unnest(array['created', 'retry', 'active', 'failed']::pgboss.job_state[]) as s (state)
               where q.name !~ '^__pgboss'),
    'effects', (select json_build_object(
                         'depth', count(*),
                         'lag', coalesce(extract(epoch from clock_timestamp() - min(e.caused_at)), 0),
                         'stuck', (select count(*) from private.stuck_effects))
                from (select caused_at from private.effects limit 100000) e),
    'verifiedBackup', (select extract(epoch from reaches_until) from private.verified_backups));
end $$;
comment on function private.job_metrics is
  'For /metrics: {runs: [{job, runs, failures, changed, lastChanged, lastRun, lastFailure}], queues: [{queue, '
  'state, depth}], effects: {depth, lag, stuck}, verifiedBackup}; times in unix seconds. depth is the number of '
  'waiting effects, up to 100,000; lag is the age of the oldest of them in seconds; stuck is the number of people '
  'with effects that failed; verifiedBackup is the time of the newest data in the last verified backup, or null.';

create function private.functions_fingerprint() returns text
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select encode(sha256(string_agg(f.hash, '' order by f.hash)), 'hex')
    from (select sha256(convert_to(concat_ws(' ', n.nspname, p.proname, oidvectortypes(p.proargtypes), p.provolatile,
                                             p.prosecdef, p.proconfig, p.prosrc), 'UTF8')) as hash
          from pg_proc p join pg_namespace n on n.oid = p.pronamespace
          where n.nspname in ('app', 'private', 'api', 'pgboss')) f);
end $$;
comment on function private.functions_fingerprint is
  'A SHA-256 of the names, arguments, settings and texts of all functions of the schema. Servers with the same '
  'functions have the same hash.';

create function private.readiness() returns json
language plpgsql stable security definer   -- the gate may read neither the migrations nor the queues
set search_path = ''
as $$
declare
  c_within constant text := '3 minutes';
begin
  return json_build_object(
    -- the CLI splits a migration into statements and drops the last semicolon, so a migration that was split has no
    -- comparable hash
    'migrations', (select coalesce(json_object_agg(m.version, case when cardinality(m.statements) = 1 then encode(
                            sha256(convert_to(regexp_replace(btrim(m.statements[1], E' \t\r\n'), ';$', ''), 'UTF8')),
                            'hex') end), '{}')
                   from supabase_migrations.schema_migrations m),
    'functions', private.functions_fingerprint(),
    'worker', exists (select from pgboss.version v where v.cron_on > now() - c_within::interval)
           or exists (select from private.job_runs r where r.last_run_at > now() - c_within::interval),
    'within', c_within);
end $$;
comment on function private.readiness is
  'For /ready and at a start: {migrations: {version: SHA-256 of its text without its last semicolon, or null}, '
  'functions: private.functions_fingerprint, worker: whether a worker was active recently, within: the period that '
  'counts as recent, such as 3 minutes}.';

create table private.vital_tables (
  relation regclass primary key
);
comment on table private.vital_tables is
  'Registry: the tables without which most requests fail. /ready checks that nobody has locked them.';
insert into private.vital_tables values ('app.users');

create function private.try_writing() returns json
language plpgsql volatile security definer   -- gate may not write tables
set search_path = ''
set lock_timeout = '100ms'
set work_mem = '64kB'   -- small, so that the sort below uses the disk
as $$
declare
  v_relation regclass;
  v_locked   text[] := '{}';
begin
  perform pg_current_xact_id();   -- assigns a transaction id, so that the commit is written, too
  perform count(*)
  from (select t from unnest(array_fill(repeat('x', 8000), array[128])) t order by t offset 0) s;
  for v_relation in select relation from private.vital_tables order by relation::text loop
    begin
      execute format('lock table %s in row exclusive mode', v_relation);
    exception when lock_not_available then
      v_locked := v_locked || v_relation::text;
    end;
  end loop;
  return to_json(v_locked);
end $$;
comment on function private.try_writing is
  'For /ready: writes a megabyte of temporary data, and returns the vital tables to which nobody can write because '
  'of a lock. Fails if it can''t write, for example because the disk is full.';

create function private.yield_turn(
  p_table regclass, p_person name, p_who uuid, p_waits text, p_due text, p_again name
) returns void
language plpgsql volatile security definer   -- called by jobs, which may use any table
set search_path = ''
as $$
begin
  execute format($q$
    with others as materialized (
      select w.place, row_number() over () as n
      from (select ctid as place from %1$s where %2$I = $1 and %3$s and %4$s <= now()
            order by %4$s offset 100 limit 500 for no key update skip locked) w
    )
    update %1$s t set %5$I = clock_timestamp() + o.n * interval '100 milliseconds'
    from others o where t.ctid = o.place $q$, p_table, p_person, p_waits, p_due, p_again) using p_who;
end $$;
comment on function private.yield_turn is
  'This function is for jobs that take, at every call, the row that has been due the longest. After a job has taken '
  'a row of a person, this function delays the person''s other due rows: the next 100 keep their turn, and the 500 '
  'after them are postponed by up to 50 s, one every 100 ms. Therefore, a person with thousands of due rows delays '
  'others only briefly. p_person names the column with the person, p_waits is the condition for waiting rows, and '
  'p_due is the time at which a row is due: an expression of p_again, indexed after the person.';
call private.force_index_scans('private.yield_turn');

create function private.job_roll_realtime_partitions() returns integer
language plpgsql volatile security definer   -- the platform owns the partitions
set search_path = ''
as $$
declare
  v_before oid[];
  v_after  oid[];
begin
  if to_regprocedure('realtime.create_partitions()') is null then
    return 0;   -- the real Realtime server makes and drops its partitions itself
  end if;
  v_before := array(select inhrelid from pg_inherits where inhparent = to_regclass('realtime.messages'));
  perform realtime.create_partitions();
  v_after := array(select inhrelid from pg_inherits where inhparent = to_regclass('realtime.messages'));
  return (select count(*) from unnest(v_before || v_after) as p (id)
          where p.id <> all (v_before) or p.id <> all (v_after));
end $$;
comment on function private.job_roll_realtime_partitions is
  'Job: makes the partitions of the days ahead and drops those older than 72 hours. May run twice: it makes only '
  'missing ones.';

insert into private.jobs (name, cron, expires) values ('roll-realtime-partitions', '10 * * * *', 300);
