-- Jobs that a transaction adds to a queue. They exist only if the transaction commits. For pg-boss, a job is an
-- ordinary row.

create function private.enqueue(p_queue text, p_data json) returns void
language plpgsql volatile security definer   -- operations may not use the queues directly
set search_path = ''
as $$
declare
  v_trace text := private.traceparent();
begin
  insert into pgboss.job (name, data, policy, dead_letter, retry_limit, retry_delay, retry_backoff, retry_delay_max,
                          expire_seconds, deletion_seconds, heartbeat_seconds, keep_until)
  select q.name,
         -- a job that is queued again keeps its traceparent
         case when v_trace is null then '{}' else jsonb_build_object('traceparent', v_trace) end || p_data::jsonb,
         q.policy, q.dead_letter, q.retry_limit, q.retry_delay, q.retry_backoff,
         q.retry_delay_max, q.expire_seconds, q.deletion_seconds, q.heartbeat_seconds,
         now() + q.retention_seconds * interval '1 second'
  from pgboss.queue q
  where q.name = p_queue;
  if not found then
    raise exception 'there is no queue %', p_queue;
  end if;
end $$;
comment on function private.enqueue is
  'Adds a job to a queue in this transaction. The worker reads the data, and a failed job keeps it, so it may '
  'contain only ids, but no secrets and nothing that people wrote. The job also gets the trace of the request, as '
  '`traceparent`.';

-- finds the jobs that are running, to check whether their worker is alive
create index job_active_idx on pgboss.job (name) where state = 'active';

-- create the queue here, so that jobs can be added before the first worker starts. The worker sets the retries.
select pgboss.create_queue('mail', '{"policy": "standard"}');

create procedure private.make_batch_queue(p_queue text, p_batch text)
language plpgsql
set search_path = ''
as $$
begin
  -- retries after about 5, 10, 20, 40 and 80 seconds; a waiting job is kept for a day, and a done one too. The worker
  -- sends heartbeats (api-facade/worker/polling.ts)
  perform pgboss.create_queue(p_queue, '{"policy": "standard", "deadLetter": "dead-letters", "retryLimit": 5,
    "retryDelay": 5, "retryBackoff": true, "expireInSeconds": 600, "retentionSeconds": 86400,
    "deleteAfterSeconds": 86400, "heartbeatSeconds": 10}');
  insert into private.batch_queues (queue, batch) values (p_queue, p_batch);
end $$;
comment on procedure private.make_batch_queue is
  'For migrations: registers a queue in private.batch_queues and creates it with its retries, so that jobs can be '
  'added before the first worker starts.';
