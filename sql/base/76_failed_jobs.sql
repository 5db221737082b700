-- For DBAs: permanently failed jobs, and how to retry them.

-- pg-boss puts a copy of each job whose retries all failed into this queue. No worker processes it. The copies are
-- deleted after 30 days: retentionSeconds is for waiting copies, and deleteAfterSeconds for copies that were retried.
select pgboss.create_queue('dead-letters',
  '{"policy": "standard", "retentionSeconds": 2592000, "deleteAfterSeconds": 2592000}');

create view private.failed_jobs with (security_invoker) as
select j.source_name as queue, j.source_id as id, j.data, j.source_output ->> 'message' as message,
       j.source_retry_count as retries, j.source_created_on as created_at, j.created_on as failed_at,
       j.completed_on as retried_at
from pgboss.job j
where j.name = 'dead-letters'
order by j.created_on desc;
comment on view private.failed_jobs is
  'For DBAs: jobs whose retries all failed, newest first: {queue, id, data (ids), message, retries, created_at, '
  'failed_at, retried_at}. The view has the last 30 days. private.retry_failed retries each job once.';

-- finds the failed jobs of one queue that were not retried, oldest first
create index job_dead_idx on pgboss.job (source_name, created_on, id)
  where name = 'dead-letters' and completed_on is null;

-- finds a failed job by its id
create index job_dead_source_idx on pgboss.job (source_id) where name = 'dead-letters';

create function private.retry_dead_letter(p_job pgboss.job) returns boolean
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.enqueue((p_job).source_name, (p_job).data::json);
  update pgboss.job j set state = 'completed', completed_on = now()
  where j.name = 'dead-letters' and j.id = (p_job).id;
  return true;
exception when unique_violation then
  return false;   -- a job of the same schedule is already waiting or running, so this job is not retried
end $$;
comment on function private.retry_dead_letter is
  'Retries a permanently failed job; returns false if its schedule already has another one. The caller must lock '
  'the row first and check that it was not retried.';

create function private.retry_failed(p_queue text, p_since timestamptz, p_most integer default null) returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_job  pgboss.job;
  v_sent integer := 0;
begin
  if not exists (select from pgboss.queue q where q.name = p_queue) then
    raise exception 'there is no queue %', p_queue;
  end if;
  for v_job in
    select j.* from pgboss.job j
    where j.name = 'dead-letters' and j.completed_on is null and j.source_name = p_queue and j.created_on >= p_since
    order by j.created_on, j.id
    limit p_most
    for update   -- a second caller waits here, and then finds that the job was retried
  loop
    v_sent := v_sent + private.retry_dead_letter(v_job)::integer;
  end loop;
  return v_sent;
end $$;
comment on function private.retry_failed is
  'For DBAs: retries the jobs of a queue that failed permanently since p_since, all or the oldest p_most, and '
  'returns their number. Each failure is retried once, however often the function is called. If a job fails '
  'permanently again, that is a new failure. A job that is no longer needed does nothing, because it determines '
  'from rows what is due.';
