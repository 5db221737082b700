-- A delivery is one event for one webhook. The worker queues deliveries from the event log, and sends them
-- (api-facade/worker/webhooks.ts): in order for each subject and webhook, at least once, for up to three days.
-- docs/decisions.md, Webhooks.

create table private.webhook_deliveries (
  id              bigint generated always as identity primary key,
  webhook_id      uuid not null references private.webhooks on delete cascade,
  sequence        bigint,
  event           text not null,
  event_id        uuid not null,
  subject_key     text not null,
  status          text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  attempts        integer not null default 0,
  gives_up_at     timestamptz not null default now() + interval '3 days',
  attempted_at    timestamptz,
  ended_at        timestamptz,
  response_status smallint,
  failure         text,
  excerpt         text check (length(excerpt) <= 200),
  created_at      timestamptz not null default now(),
  unique (sequence, webhook_id)
);
create index webhook_deliveries_webhook_id_idx on private.webhook_deliveries (webhook_id, id);
create index webhook_deliveries_status_idx on private.webhook_deliveries (webhook_id, status, id);
create index webhook_deliveries_pending_idx on private.webhook_deliveries (webhook_id, subject_key, id)
  where status = 'pending';
create index webhook_deliveries_created_at_idx on private.webhook_deliveries (created_at);
comment on table private.webhook_deliveries is
  'The deliveries to webhooks, one for each event of the log and each webhook with this event, and deliveries of '
  'tests.';
comment on column private.webhook_deliveries.sequence is
  'The number of the event in private.event_log; null for a test. The column has no foreign key, because then the '
  'worker and an erasure could deadlock.';
comment on column private.webhook_deliveries.event_id is 'The header webhook-id, the same in each attempt.';
comment on column private.webhook_deliveries.status is
  'pending until the delivery has arrived (delivered) or is given up (failed).';
comment on column private.webhook_deliveries.gives_up_at is
  'The time after which a failed attempt is the last one.';
comment on column private.webhook_deliveries.attempted_at is 'When the last attempt began; null before the first.';
comment on column private.webhook_deliveries.ended_at is 'When the event was delivered or given up; null until then.';
comment on column private.webhook_deliveries.response_status is
  'The HTTP status of the last attempt; null if there was no response.';
comment on column private.webhook_deliveries.failure is
  'The reason for a missing response: not_public, timeout or unreachable; null if there was a response.';
comment on column private.webhook_deliveries.excerpt is
  'The beginning of the response to the last attempt, if the attempt failed; printable characters only.';
insert into private.retention (relation, counts_from, keep) values
  ('private.webhook_deliveries', 'created_at', '30 days');

create table private.webhook_turns (
  webhook_id  uuid not null references private.webhooks on delete cascade,
  subject_key text not null,
  due_at      timestamptz not null default now(),
  claim       uuid,
  primary key (webhook_id, subject_key)
);
create index webhook_turns_due_at_idx on private.webhook_turns (webhook_id, due_at);
comment on table private.webhook_turns is
  'One row for each webhook and subject with pending deliveries. The worker sends the first of these deliveries '
  'when the row is due, and the others wait. Rows are written only under the lock of the webhook.';
comment on column private.webhook_turns.due_at is
  'When the next attempt may begin. While an attempt runs, the time is the end of its lease, after which another '
  'worker takes over.';
comment on column private.webhook_turns.claim is 'The id of the running attempt; null if none runs.';

create function private.forget_deliveries() returns trigger
language plpgsql security definer   -- callers that delete from the log may not use the deliveries
set search_path = ''
as $$
begin
  delete from private.webhook_deliveries d using gone g where d.sequence = g.sequence;
  return null;
end $$;
comment on function private.forget_deliveries is
  'Trigger: deletes the deliveries of events that are deleted from the log, by age or by an erasure.';
create trigger _100_forget_deliveries after delete on private.event_log
  referencing old table as gone for each statement execute function private.forget_deliveries();

create function private.queue_webhooks() returns integer
language plpgsql volatile security definer   -- only for the worker, which has no access to Kith's tables
set search_path = ''
as $$
declare
  v_last    bigint := (select l.sequence from private.event_log l order by l.sequence desc limit 1);
  v_id      uuid;
  v_webhook private.webhooks;
  v_to      bigint;
  v_queued  integer := 0;
begin
  for v_id in
    select w.id from private.webhooks w
    where w.is_active and w.deleted_at is null and w.queued_to < v_last order by w.id
  loop
    perform private.check_lock_order('webhook', v_id::text);
    select * into v_webhook from private.webhooks w where w.id = v_id and w.is_active for no key update;
    continue when not found;
    select max(n.sequence) into v_to
    from (select l.sequence from private.event_log l where l.sequence > v_webhook.queued_to
          order by l.sequence limit 500) n;
    continue when v_to is null;
    with next as (
      insert into private.webhook_deliveries (webhook_id, sequence, event, event_id, subject_key)
      select v_id, l.sequence, l.event, l.id, l.subject_key
      from private.event_log l
      where l.sequence > v_webhook.queued_to and l.sequence <= v_to and l.event = any (v_webhook.events)
      order by l.sequence
      returning subject_key
    )
    insert into private.webhook_turns (webhook_id, subject_key)
    select distinct v_id, n.subject_key from next n
    on conflict do nothing;
    update private.webhooks w set queued_to = v_to where w.id = v_id;
    v_queued := v_queued + 1;
  end loop;
  return v_queued;
end $$;
comment on function private.queue_webhooks is
  'For the worker alone: queues deliveries of the next 500 events of the log for each active webhook. Returns the '
  'number of webhooks that had events to consider. May run twice: each webhook records the last considered event, '
  'under its lock.';
call private.force_index_scans('private.queue_webhooks');

create function private.webhook_body(p_delivery private.webhook_deliveries) returns text
language plpgsql stable security definer   -- callers may not read the log
set search_path = ''
as $$
begin
  if p_delivery.sequence is null then
    return json_build_object(
      'type', p_delivery.event,
      'timestamp', private.utc(p_delivery.created_at),
      'sequence', null,
      'subject', json_build_object('type', 'webhook', 'id', p_delivery.webhook_id),
      'data', json_build_object('webhookId', p_delivery.webhook_id));
  end if;
  return (select json_build_object(
                   'type', l.event,
                   'timestamp', private.utc(l.happened_at),
                   'sequence', l.sequence,
                   'subject', l.subject,
                   'data', l.payload)
          from private.event_log l where l.sequence = p_delivery.sequence);
end $$;
comment on function private.webhook_body is
  'The body of a delivery, the same in each attempt: {type, timestamp, sequence, subject, data}; null if the event '
  'was deleted.';

create function private.note_webhook_attempt(p_outcome json) returns void
language plpgsql volatile security definer   -- only for the worker
set search_path = ''
as $$
declare
  v_webhook  uuid := (p_outcome ->> 'webhookId')::uuid;
  v_arrived  boolean := coalesce((p_outcome ->> 'status')::integer between 200 and 299, false);
  v_delivery private.webhook_deliveries;
  v_turn     private.webhook_turns;
begin
  update private.webhook_turns t set claim = null, due_at = now()
  where t.webhook_id = v_webhook and t.claim = (p_outcome ->> 'claim')::uuid
  returning * into v_turn;
  if not found then
    return;   -- the lease has ended, and another attempt follows or was made
  end if;
  update private.webhook_deliveries d
  set status = case when v_arrived then 'delivered' when d.gives_up_at <= now() then 'failed' else 'pending' end,
      ended_at = case when v_arrived or d.gives_up_at <= now() then now() end,
      response_status = (p_outcome ->> 'status')::smallint,
      failure = p_outcome ->> 'failure',
      excerpt = case when not v_arrived then left(p_outcome ->> 'excerpt', 200) end
  where d.id = (p_outcome ->> 'deliveryId')::bigint
  returning * into v_delivery;
  if v_delivery.status = 'pending' then
    update private.webhook_turns t
    set due_at = now() + least(interval '5 seconds' * 2 ^ least(v_delivery.attempts - 1, 20), interval '6 hours')
                         * (0.8 + 0.4 * random())
    where t.webhook_id = v_webhook and t.subject_key = v_turn.subject_key;
  else
    update private.webhooks w set failing_since = case when not v_arrived then now() end
    where w.id = v_webhook and (w.failing_since is null) = (not v_arrived);
  end if;
end $$;
comment on function private.note_webhook_attempt is
  'Records an attempt, {webhookId, deliveryId, claim, status, failure, excerpt}. A delivery that did not arrive is '
  'due again after 5 seconds, then after twice as long each time, up to 6 hours, each time varied by up to a fifth. '
  'After three days it is given up, and the next delivery of its subject is due. An attempt whose lease has ended '
  'is not recorded.';

create function private.take_webhook_deliveries(p_webhook private.webhooks, p_most integer) returns json
language plpgsql volatile security definer   -- only for the worker
set search_path = ''
as $$
declare
  c_lease constant interval := '1 minute';
  v_taken json;
begin
  -- delete the row of a subject without pending deliveries; the lock of the webhook prevents new ones meanwhile
  with due as materialized (
    select t.subject_key,
           (select d.id from private.webhook_deliveries d
            where d.webhook_id = p_webhook.id and d.subject_key = t.subject_key and d.status = 'pending'
              and (d.sequence is null or exists (select from private.event_log l where l.sequence = d.sequence))
            order by d.id limit 1) as delivery_id
    from private.webhook_turns t
    where t.webhook_id = p_webhook.id and t.due_at <= now()
    order by t.due_at limit p_most
  ), idle as (
    delete from private.webhook_turns t using due
    where t.webhook_id = p_webhook.id and t.subject_key = due.subject_key and due.delivery_id is null
  ), claimed as (
    update private.webhook_turns t set claim = gen_random_uuid(), due_at = now() + c_lease
    from due where t.webhook_id = p_webhook.id and t.subject_key = due.subject_key and due.delivery_id is not null
    returning t.claim, due.delivery_id
  ), attempted as (
    update private.webhook_deliveries d set attempts = d.attempts + 1, attempted_at = now()
    from claimed c where d.id = c.delivery_id
    returning d.*, c.claim
  )
  select json_agg(json_build_object(
           'webhookId', p_webhook.id,
           'deliveryId', a.id,
           'claim', a.claim,
           'url', p_webhook.url,
           'secrets', array[private.webhook_secret(p_webhook.secret)]
             || case when p_webhook.previous_until > now()
                     then array[private.webhook_secret(p_webhook.previous_secret)] else '{}'::text[] end,
           'id', a.event_id,
           'body', private.webhook_body(d)))
    into v_taken
  from attempted a join private.webhook_deliveries d on d.id = a.id;
  return coalesce(v_taken, '[]');
end $$;
comment on function private.take_webhook_deliveries is
  'Takes the due deliveries of a webhook that the caller has locked, up to p_most, for a minute: [{webhookId, '
  'deliveryId, claim, url, secrets, id, body}]. The first secret is the current one.';
call private.force_index_scans('private.take_webhook_deliveries');

create function private.work_on_webhooks(p_outcomes json, p_busy json, p_at_once integer) returns json
language plpgsql volatile security definer   -- only for the worker, which has no access to Kith's tables
set search_path = ''
as $$
declare
  v_ids     uuid[];
  v_webhook private.webhooks;
  v_outcome json;
  v_taken   json;
  v_all     jsonb := '[]';
begin
  v_ids := array(
    select w.id from private.webhooks w
    where w.id in (select (o ->> 'webhookId')::uuid from json_array_elements(p_outcomes) o)
       or (w.is_active and w.deleted_at is null and coalesce((p_busy ->> w.id::text)::integer, 0) < p_at_once
           and exists (select from private.webhook_turns t where t.webhook_id = w.id and t.due_at <= now()))
    order by w.id);
  perform private.check_lock_order('webhook', variadic v_ids::text[]);
  perform from private.webhooks w where w.id = any (v_ids) order by w.id for no key update;
  for v_outcome in select o from json_array_elements(p_outcomes) o loop
    perform private.note_webhook_attempt(v_outcome);
  end loop;
  for v_webhook in
    select * from private.webhooks w
    where w.id = any (v_ids) and w.is_active and w.deleted_at is null order by w.id
  loop
    v_taken := private.take_webhook_deliveries(
      v_webhook, greatest(p_at_once - coalesce((p_busy ->> v_webhook.id::text)::integer, 0), 0));
    v_all := v_all || v_taken::jsonb;
  end loop;
  return v_all;
end $$;
comment on function private.work_on_webhooks is
  'For the worker alone: records attempts (private.note_webhook_attempt) and takes due deliveries of each active '
  'webhook (private.take_webhook_deliveries), as many as are needed for p_at_once running attempts per webhook in '
  'this worker. p_busy has the number of attempts that already run, by webhook. Several workers may call it at once.';

create function private.clear_webhook(p_job jsonb, p_after uuid default null) returns json
language plpgsql volatile security definer   -- the worker has no access to Kith's tables
set search_path = ''
as $$
declare
  v_id      uuid := (p_job ->> 'webhookId')::uuid;
  v_changed integer;
  v_turns   integer;
begin
  delete from private.webhook_deliveries d where d.id in (
    select n.id from private.webhook_deliveries n where n.webhook_id = v_id order by n.id limit 500);
  get diagnostics v_changed = row_count;
  delete from private.webhook_turns t where t.webhook_id = v_id and t.subject_key in (
    select n.subject_key from private.webhook_turns n where n.webhook_id = v_id order by n.subject_key limit 500);
  get diagnostics v_turns = row_count;
  if v_changed < 500 and v_turns < 500 then
    delete from private.webhooks w where w.id = v_id and w.deleted_at is not null;
    return json_build_object('changed', v_changed, 'next', null);
  end if;
  return json_build_object('changed', v_changed, 'next', v_id);
end $$;
comment on function private.clear_webhook is
  'For the worker alone: deletes the next 500 deliveries of a deleted webhook {webhookId}, and at the end the '
  'webhook. Returns {changed, next}; next is null at the end.';
call private.force_index_scans('private.clear_webhook');
call private.make_batch_queue('deleted-webhooks', 'private.clear_webhook');
