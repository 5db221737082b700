-- Jobs that a transaction puts on a queue: they exist only if it commits. To pg-boss a job is a plain row.

create function private.enqueue(p_queue text, p_data json) returns void
language plpgsql volatile security definer   -- operations may not touch the queues themselves
set search_path = ''
as $$
begin
  insert into pgboss.job (name, data, policy, dead_letter, retry_limit, retry_delay, retry_backoff, retry_delay_max,
                          expire_seconds, deletion_seconds, heartbeat_seconds, keep_until)
  select q.name, p_data::jsonb, q.policy, q.dead_letter, q.retry_limit, q.retry_delay, q.retry_backoff,
         q.retry_delay_max, q.expire_seconds, q.deletion_seconds, q.heartbeat_seconds,
         now() + q.retention_seconds * interval '1 second'
  from pgboss.queue q
  where q.name = p_queue;
  if not found then
    raise exception 'there is no queue %', p_queue;
  end if;
end $$;
comment on function private.enqueue is
  'Puts a job on a queue in this transaction. The worker reads the data, and a failed job keeps it: ids, nothing '
  'secret and no words of people.';

-- by which a look finds the jobs that run, to see whether their worker is alive
create index job_active_idx on pgboss.job (name) where state = 'active';

-- made here and not by the first worker, so that jobs put on it before then wait for it. The worker sets its retries.
select pgboss.create_queue('mail', '{"policy": "standard"}');

create procedure private.make_batch_queue(p_queue text, p_batch text)
language plpgsql
set search_path = ''
as $$
begin
  perform pgboss.create_queue(p_queue, '{"policy": "standard"}');
  insert into private.batch_queues (queue, batch) values (p_queue, p_batch);
end $$;
comment on procedure private.make_batch_queue is
  'For migrations: registers a queue in private.batch_queues, and makes it, so that jobs put on it before the first '
  'worker starts wait for it.';
