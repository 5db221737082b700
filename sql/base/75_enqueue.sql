-- Jobs that a transaction causes: they come into being with it or not at all. pg-boss takes plain rows for jobs.

create function private.enqueue(p_queue text, p_data json) returns void
language plpgsql volatile security definer   -- the queue is the worker's alone; operations come here
set search_path = ''
as $$
begin
  insert into pgboss.job (name, data, policy, dead_letter, retry_limit, retry_delay, retry_backoff, retry_delay_max,
                          expire_seconds, deletion_seconds, keep_until)
  select q.name, p_data::jsonb, q.policy, q.dead_letter, q.retry_limit, q.retry_delay, q.retry_backoff, q.retry_delay_max,
         q.expire_seconds, q.deletion_seconds, now() + q.retention_seconds * interval '1 second'
  from pgboss.queue q
  where q.name = p_queue;
  if not found then
    raise exception 'there is no queue %', p_queue;
  end if;
end $$;
comment on function private.enqueue is
  'Puts a job on a queue in this transaction. The data is read by the worker and kept with a job that failed: ids, nothing secret and no words of people.';

-- here and not when the first worker starts: what is asked for before that waits for it. The worker sets how it is tried.
select pgboss.create_queue('mail', '{"policy": "standard"}');
