-- The jobs of the worker for staff, with their state, and the failed jobs. docs/operation.md, Failed jobs, effects and
-- webhooks.

insert into private.errors (code, status, text) values
  ('queue_unknown', 404, 'There is no such queue.'),
  ('job_unknown', 404, 'There is no such failed job.'),
  ('effects_not_stuck', 404, 'This person has no effects that fail.');

create index job_failed_at_idx on pgboss.job (created_on desc, source_id desc) where name = 'dead-letters';
create index job_failed_in_idx on pgboss.job (source_name, created_on desc, source_id desc)
  where name = 'dead-letters';
create index stuck_effects_failed_at_idx on private.stuck_effects (failed_at desc, user_id desc);

create function private.safe_message(p_message text) returns text
language plpgsql immutable
set search_path = ''
as $$
begin
  -- a UUID is not treated as a token, because ids help to find the cause
  return left(
    regexp_replace(
      regexp_replace(left(p_message, 2000), '[^[:space:]<>"''(),;:]+@[^[:space:]<>"''(),;:]+', '…', 'g'),
      '\m(?![0-9a-f]{8}-[0-9a-f]{4}-)(?=[A-Za-z+/_=.-]*[0-9])[A-Za-z0-9+/_=.-]{32,}', '…', 'g'), 200);
end $$;
comment on function private.safe_message is
  'The message of an error for staff: its first 200 characters, without email addresses and without what looks like '
  'a token.';

create function private.staff_jobs(p_queue text) returns json
language plpgsql stable security definer   -- callers may not read the queues
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
      select json_agg(json_build_object('queue', f.queue, 'id', f.id, 'message', private.safe_message(f.message),
                                        'retries', f.retries, 'createdAt', private.utc(f.created_at),
                                        'failedAt', private.utc(f.failed_at)) order by f.failed_at desc, f.id)
      from (select newest.*
            from pgboss.queue q
            cross join lateral (select * from private.failed_jobs j
                                where j.queue = q.name and j.retried_at is null limit 50) newest
            where p_queue is null or q.name = p_queue
            order by newest.failed_at desc, newest.id limit 50) f), '[]'::json),
    'queues', (
      select json_agg(json_build_object(
               'queue', q.name,
               'waiting', (select count(*) from (select from pgboss.job j where j.name = q.name and j.state < 'active'
                                                   and not j.blocked limit 1000) w),
               'active', (select count(*) from (select from pgboss.job j where j.name = q.name and j.state = 'active'
                                                limit 1000) a),
               'failed', (select count(*) from (select from pgboss.job j
                                                where j.name = 'dead-letters' and j.completed_on is null
                                                  and j.source_name = q.name limit 1000) f)) order by q.name)
      from pgboss.queue q where q.name !~ '^__pgboss' and q.name <> 'dead-letters'),
    'effects', (
      select json_build_object(
        'depth', count(*),
        'lagSeconds', round(coalesce(extract(epoch from clock_timestamp() - min(e.caused_at)), 0), 3),
        'stuckPeople', (select count(*) from private.stuck_effects))
      from (select caused_at from private.effects limit 100000) e));
end $$;
comment on function private.staff_jobs is
  'The state of the worker: its jobs; the newest 50 jobs that failed permanently, in one queue or in all; the number '
  'of jobs in each queue, counted up to 1000; and the number of pending effects, counted up to 100,000.';

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
  'deadLetters (of p_queue, or of all queues): [{queue, id, message, retries, createdAt, failedAt}], queues: '
  '[{queue, waiting, active, failed}], effects: {depth, lagSeconds, stuckPeople}}.';

create function private.retry_failed_batch(p_queue text, p_since timestamptz) returns json
language plpgsql volatile security definer   -- callers may not use the queues
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
  'Puts up to 500 permanently failed jobs back on their queue, the oldest first, each of them once: {retried, '
  'more}. more says whether any are left. Leaves an audit entry.';

create view private.staff_failed_jobs with (security_invoker) as
select j.created_on as at, j.source_id as id, j.source_name as queue,
       case when j.completed_on is null then 'open' else 'retried' end as status,
       concat_ws(' ', j.source_name, private.safe_message(j.source_output ->> 'message')) as said,
       json_build_object(
         'id', j.source_id,
         'queue', j.source_name,
         'message', private.safe_message(j.source_output ->> 'message'),
         'retries', j.source_retry_count,
         'createdAt', private.utc(j.source_created_on),
         'failedAt', private.utc(j.created_on),
         'retriedAt', private.utc(j.completed_on)) as card
from pgboss.job j
where j.name = 'dead-letters';
comment on view private.staff_failed_jobs is
  'Permanently failed jobs as staff sees them: without their data, and without addresses and tokens.';

create function api.list_failed_jobs(
  p_queue text default null, p_status text default null, p_q text default null, p_from timestamptz default null,
  p_to timestamptz default null, p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return private.staff_page('failed_jobs', json_build_object('queue', p_queue, 'status', p_status), array['queue'],
                            p_q, p_from, p_to, p_limit, p_cursor);
end $$;
comment on function api.list_failed_jobs is
  'Jobs that failed permanently in the last 30 days, newest first: {id, queue, message, retries, createdAt, '
  'failedAt, retriedAt}.';

create function private.retry_failed_job(p_queue text, p_id uuid) returns boolean
language plpgsql volatile security definer   -- callers may not use the queues
set search_path = ''
as $$
declare
  v_job pgboss.job;
begin
  if not exists (select from pgboss.queue q where q.name = p_queue) then
    perform private.raise_error('queue_unknown');
  end if;
  select j.* into v_job from pgboss.job j
  where j.name = 'dead-letters' and j.source_id = p_id and j.source_name = p_queue
  order by j.created_on desc limit 1
  for update;   -- a second caller waits here, and then finds that the job was retried
  if not found then
    perform private.raise_error('job_unknown');
  end if;
  return v_job.completed_on is null and private.retry_dead_letter(v_job);
end $$;
comment on function private.retry_failed_job is
  'Retries one permanently failed job; returns false if it was retried before, or if its schedule has already '
  'queued another one.';
call private.force_index_scans('private.retry_failed_job');

create function api.retry_failed_job(p_queue text, p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_retried boolean;
begin
  perform private.require_role('admin');
  v_retried := private.retry_failed_job(p_queue, p_id);
  if v_retried then
    perform private.audit('jobs.retried', 'queue', p_queue, json_build_object('job', p_id, 'retried', 1));
  end if;
  return json_build_object('retried', v_retried);
end $$;
comment on function api.retry_failed_job is
  'Puts one permanently failed job back on its queue, once: {retried}, which is false for a repeat. Leaves an audit '
  'entry.';

create view private.staff_stuck_effects with (security_invoker) as
select s.failed_at as at, s.user_id as id,
       json_build_object(
         'id', s.user_id,
         'personId', s.user_id,
         'person', p.card,
         'event', s.event,
         'eventId', s.event_id,
         'listener', s.listener,
         'attempts', s.attempts,
         'code', left(s.message, 5),
         'since', private.utc(e.caused_at),
         'failedAt', private.utc(s.failed_at),
         'retryAt', private.utc(s.retry_at)) as card
from private.stuck_effects s
join app.person_card p on p.id = s.user_id
left join private.effects e on e.user_id = s.user_id and e.id = s.effect_id;
comment on view private.staff_stuck_effects is
  'The effects that fail, one for each person, as staff sees them. They show only the SQLSTATE of the error, '
  'because its message could contain data.';

create function api.list_stuck_effects(p_limit integer default 20, p_cursor text default null) returns json
language plpgsql stable
set search_path = ''
as $$ begin return private.staff_page('stuck_effects', '{}', '{}', null, null, null, p_limit, p_cursor); end $$;
comment on function api.list_stuck_effects is
  'Effects that fail, the last failure first: {id, personId, person, event, eventId, listener, attempts, code, since, '
  'failedAt, retryAt}.';

create function private.retry_stuck(p_person uuid) returns boolean
language plpgsql volatile security definer   -- callers may not touch effects
set search_path = ''
as $$
begin
  update private.stuck_effects s set retry_at = now() where s.user_id = p_person and s.retry_at > now();
  if found then
    return true;
  elsif not exists (select from private.stuck_effects s where s.user_id = p_person) then
    perform private.raise_error('effects_not_stuck');
  end if;
  return false;
end $$;
comment on function private.retry_stuck is
  'Makes the worker retry the failing effects of a person now; returns false if it is about to do so anyway.';

create function api.retry_stuck_effects(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_retried boolean;
begin
  perform private.require_role('admin');
  v_retried := private.retry_stuck(p_id);
  if v_retried then
    perform private.audit('effects.retried', 'user', p_id::text);
  end if;
  return json_build_object('retried', v_retried);
end $$;
comment on function api.retry_stuck_effects is
  'Makes the worker retry the failing effects of a person now: {retried}, which is false if it is about to do so '
  'anyway. An effect is applied once, because applying it deletes its row. Leaves an audit entry.';
