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
  'Puts a job on a queue in this transaction. The data is read by the worker and kept with a job that failed: ids, '
  'nothing secret and no words of people.';

-- here and not when the first worker starts: what is asked for before that waits for it. The worker sets how it is tried.
select pgboss.create_queue('mail', '{"policy": "standard"}');

create procedure private.make_batch_queue(p_queue text, p_batch text, p_seconds numeric default 5)
language plpgsql
set search_path = ''
as $$
begin
  perform pgboss.create_queue(p_queue, '{"policy": "standard"}');
  insert into private.batch_queues (queue, batch, seconds) values (p_queue, p_batch, p_seconds);
end $$;
comment on procedure private.make_batch_queue is
  'For migrations: registers a queue in private.batch_queues, and makes it, so that what is asked for before the '
  'first worker starts waits for it.';

create function private.apply_effect(p_job jsonb, p_after uuid default null) returns json
language plpgsql volatile security definer   -- listeners write for others
set search_path = ''
as $$
declare
  v_listener text := (select l.listener from private.event_listeners l
                      where l.listener = p_job ->> 'listener' and l.timing = 'soon' limit 1);
begin
  if v_listener is null then   -- a release has taken it away since
    return json_build_object('changed', 0, 'next', null);
  end if;
  execute format('select %s($1)', v_listener) using p_job -> 'payload';
  return json_build_object('changed', 1, 'next', null);
end $$;
comment on function private.apply_effect is
  'For the worker alone: tells one listener of one event {listener, payload}, which private.emit left for soon. '
  'Answers {changed, next}.';
call private.make_batch_queue('effects', 'private.apply_effect', 1);
