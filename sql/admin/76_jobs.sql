-- The jobs of the worker for staff: their state, and those that failed.
-- docs/operation.md, Failed jobs, effects and webhooks.

insert into private.errors (code, status, text) values
  ('queue_unknown', 404, 'There is no such queue.');

create function private.staff_jobs(p_queue text) returns json
language plpgsql stable security definer   -- nobody else may read the queues
set search_path = ''
as $$
begin
  return json_build_object(
    'jobs', (select json_agg(json_build_object(
                      'name', j.name,
                      'cron', j.cron,
                      'runs', coalesce(r.runs, 0),
                      'failures', coalesce(r.failures, 0),
                      'lastChanged', coalesce(r.last_changed, 0),
                      'lastRunAt', private.utc(r.last_run_at),
                      'lastFailedAt', private.utc(r.last_failed_at)) order by j.name)
             from private.jobs j left join private.job_runs r on r.job = j.name),
    'deadLetters', coalesce((
      select json_agg(json_build_object('queue', f.queue, 'id', f.id, 'message', left(f.message, 200),
                                        'retries', f.retries, 'createdAt', private.utc(f.created_at),
                                        'failedAt', private.utc(f.failed_at)) order by f.failed_at desc, f.id)
      from (select newest.*
            from pgboss.queue q
            cross join lateral (select * from private.failed_jobs j
                                where j.queue = q.name and j.retried_at is null limit 50) newest
            where p_queue is null or q.name = p_queue
            order by newest.failed_at desc, newest.id limit 50) f), '[]'::json),
    'effects', (
      select json_build_object(
        'depth', count(*),
        'lagSeconds', round(coalesce(extract(epoch from clock_timestamp() - min(e.caused_at)), 0), 3),
        'stuckPeople', (select count(*) from private.stuck_effects))
      from (select caused_at from private.effects limit 100000) e));
end $$;
comment on function private.staff_jobs is
  'The state of the worker: its jobs, the newest 50 that failed permanently, of one queue or of all, and the pending '
  'effects, counted up to 100,000.';

create function api.get_jobs(p_queue text default null) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.require_role('moderator', 'admin');
  return private.staff_jobs(p_queue);
end $$;
comment on function api.get_jobs is
  'The state of the worker: {jobs: [{name, cron, runs, failures, lastChanged, lastRunAt, lastFailedAt}], '
  'deadLetters (of p_queue, or of all queues): [{queue, id, message, retries, createdAt, failedAt}], effects: {depth, '
  'lagSeconds, stuckPeople}}.';

create function private.retry_failed_batch(p_queue text, p_since timestamptz) returns json
language plpgsql volatile security definer   -- nobody else may use the queues
set search_path = ''
as $$
declare
  c_most    constant integer := 500;
  v_since   timestamptz := coalesce(p_since, '-infinity');
  v_retried integer;
begin
  if not exists (select from pgboss.queue q where q.name = p_queue) then
    perform private.raise_error('queue_unknown');
  end if;
  v_retried := private.retry_failed(p_queue, v_since, c_most);
  return json_build_object(
    'retried', v_retried,
    'more', exists (select from pgboss.job j
                    where j.name = 'dead-letters' and j.completed_on is null and j.source_name = p_queue
                      and j.created_on >= v_since));
end $$;
comment on function private.retry_failed_batch is
  'Retries the oldest 500 jobs of a queue that failed since p_since, {retried, more}.';
call private.force_index_scans('private.retry_failed_batch');

create function api.retry_failed_jobs(p_queue text, p_since timestamptz default null) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_done json;
begin
  perform private.require_role('admin');
  v_done := private.retry_failed_batch(p_queue, p_since);
  if (v_done ->> 'retried')::integer > 0 then
    perform private.audit('jobs.retried', 'queue', p_queue,
                          json_build_object('since', private.utc(p_since), 'retried', v_done -> 'retried'));
  end if;
  return v_done;
end $$;
comment on function api.retry_failed_jobs is
  'Puts up to 500 jobs of a queue that failed permanently back on it, the oldest first, each once: {retried, more}. '
  'more says whether others are left. Leaves an audit entry.';
