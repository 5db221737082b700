-- The operations of admins on webhooks and on the event log. docs/decisions.md, Webhooks; Staff.

insert into private.errors (code, status, text) values
  ('webhook_inactive', 409, 'This webhook is not active.'),
  ('webhook_delivery_unknown', 404, 'There is no such delivery.');

create function private.find_webhooks() returns json
language plpgsql stable security definer   -- callers may not read the secrets
set search_path = ''
as $$
begin
  return json_build_object(
    'items', coalesce((select json_agg(private.webhook_card(w) order by w.created_at, w.id)
                       from private.webhooks w where w.deleted_at is null), '[]'),
    'availableEvents', (
      select json_agg(json_build_object(
               'event', o.event,
               'subjectType', o.subject_type,
               'fields', o.fields || o.people,
               'happens', t.happens) order by o.event)
      from private.outbound_events o join private.event_types t on t.name = o.event));
end $$;
comment on function private.find_webhooks is 'All webhooks, oldest first, and the events that they can get.';

create function api.list_webhooks() returns json
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.require_role('admin');
  return private.find_webhooks();
end $$;
comment on function api.list_webhooks is 'All webhooks, at most 20, and the events that they can get.';

create function api.get_webhook(p_id uuid) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.require_role('admin');
  return private.webhook_card(private.require_webhook(p_id));
end $$;
comment on function api.get_webhook is 'A webhook.';

create function private.add_webhook(p_url text, p_events text[], p_description text, p_active boolean)
returns private.webhooks
language plpgsql volatile security definer   -- callers may not write the table
set search_path = ''
as $$
declare
  v_webhook private.webhooks;
begin
  perform private.lock('webhooks');   -- lock, so that concurrent calls don't exceed the limit
  if (select count(*) from private.webhooks w where w.deleted_at is null) >= 20 then
    perform private.raise_error('webhooks_full');
  end if;
  insert into private.webhooks (url, events, description, is_active, queued_to)
  values (private.require_webhook_url(p_url), private.require_webhook_events(p_events),
          btrim(coalesce(p_description, '')), coalesce(p_active, true),
          coalesce((select l.sequence from private.event_log l order by l.sequence desc limit 1), 0))
  returning * into v_webhook;
  return v_webhook;
end $$;
comment on function private.add_webhook is
  'Adds a webhook, which gets the events that are logged from now on. Fails: webhook_description.';

create function api.create_webhook(
  p_url text, p_events text[], p_description text default '', p_active boolean default true
) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_webhook private.webhooks;
begin
  perform private.require_role('admin');
  v_webhook := private.add_webhook(p_url, p_events, p_description, p_active);
  perform private.audit('webhook.created', 'webhook', v_webhook.id::text,
                        json_build_object('url', v_webhook.url, 'events', v_webhook.events));
  return json_build_object('webhook', private.webhook_card(v_webhook),
                           'secret', private.webhook_secret(v_webhook.secret));
end $$;
comment on function api.create_webhook is
  'Adds a webhook: {webhook, secret}. The secret is shown only once. Leaves an audit entry.';

create function private.change_webhook(p_webhook private.webhooks) returns private.webhooks
language plpgsql volatile security definer   -- callers may not write the table
set search_path = ''
as $$
declare
  v_webhook private.webhooks;
begin
  update private.webhooks w
  set url = private.require_webhook_url(p_webhook.url),
      description = btrim(p_webhook.description),
      events = private.require_webhook_events(p_webhook.events),
      is_active = p_webhook.is_active,
      failing_since = case when w.url = p_webhook.url then w.failing_since end
  where w.id = p_webhook.id
  returning * into v_webhook;
  return v_webhook;
end $$;
comment on function private.change_webhook is
  'Changes a webhook that the caller has locked. Fails: webhook_description.';

create function api.update_webhook(p_id uuid, p_changes jsonb) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_old private.webhooks;
  v_new private.webhooks;
begin
  perform private.require_role('admin');
  v_old := private.lock_webhook(p_id);
  v_new := v_old;
  v_new.url := coalesce(btrim(p_changes ->> 'url'), v_old.url);
  v_new.description := coalesce(btrim(p_changes ->> 'description'), v_old.description);
  v_new.is_active := coalesce((p_changes ->> 'active')::boolean, v_old.is_active);
  if jsonb_typeof(p_changes -> 'events') = 'array' then
    v_new.events := array(select jsonb_array_elements_text(p_changes -> 'events'));
  end if;
  if v_new is distinct from v_old then
    v_new := private.change_webhook(v_new);
    perform private.audit('webhook.updated', 'webhook', p_id::text, json_build_object(
      'from', json_build_object('url', v_old.url, 'events', v_old.events, 'active', v_old.is_active),
      'to', json_build_object('url', v_new.url, 'events', v_new.events, 'active', v_new.is_active)));
  end if;
  return private.webhook_card(v_new);
end $$;
comment on function api.update_webhook is
  'Changes the given fields among url, events, description and active. Repeating it changes nothing. Leaves an audit '
  'entry.';

create function private.drop_webhook(p_id uuid) returns void
language plpgsql volatile security definer   -- callers may not write the table
set search_path = ''
as $$
begin
  update private.webhooks w set deleted_at = now(), is_active = false where w.id = p_id;
  perform private.enqueue('deleted-webhooks', json_build_object('webhookId', p_id));
end $$;
comment on function private.drop_webhook is
  'Deletes a webhook that the caller has locked. The worker deletes its deliveries.';

create function api.delete_webhook(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.require_role('admin');
  perform private.lock_webhook(p_id);
  perform private.drop_webhook(p_id);
  perform private.audit('webhook.deleted', 'webhook', p_id::text);
  return null;   -- the response is 204
end $$;
comment on function api.delete_webhook is 'Deletes a webhook and its deliveries. Leaves an audit entry.';

create function private.change_webhook_secret(p_id uuid) returns private.webhooks
language plpgsql volatile security definer   -- callers may not write the table
set search_path = ''
as $$
declare
  v_webhook private.webhooks;
begin
  update private.webhooks w
  set previous_secret = w.secret, previous_until = now() + interval '24 hours',
      secret = extensions.gen_random_bytes(32)
  where w.id = p_id
  returning * into v_webhook;
  return v_webhook;
end $$;
comment on function private.change_webhook_secret is
  'Gives another secret to a webhook that the caller has locked. For 24 hours, requests are also signed with the '
  'previous secret.';

create function api.rotate_webhook_secret(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_webhook private.webhooks;
begin
  perform private.require_role('admin');
  perform private.lock_webhook(p_id);
  v_webhook := private.change_webhook_secret(p_id);
  perform private.audit('webhook.secret-changed', 'webhook', p_id::text);
  return json_build_object('webhook', private.webhook_card(v_webhook),
                           'secret', private.webhook_secret(v_webhook.secret));
end $$;
comment on function api.rotate_webhook_secret is
  'Gives a webhook another secret: {webhook, secret}. The secret is shown only once. Leaves an audit entry.';

create function private.delivery_card(p_delivery private.webhook_deliveries) returns json
language plpgsql stable security definer   -- callers may not read the turns
set search_path = ''
as $$
declare
  v_turn private.webhook_turns;
begin
  if p_delivery.status = 'pending' then
    select * into v_turn from private.webhook_turns t
    where t.webhook_id = p_delivery.webhook_id and t.subject_key = p_delivery.subject_key
      and not exists (select from private.webhook_deliveries d
                      where d.webhook_id = t.webhook_id and d.subject_key = t.subject_key
                        and d.status = 'pending' and d.id < p_delivery.id);
  end if;
  return json_build_object(
    'id', p_delivery.id,
    'event', p_delivery.event,
    'eventId', p_delivery.event_id,
    'sequence', p_delivery.sequence,
    'status', p_delivery.status,
    'attempts', p_delivery.attempts,
    'nextAttemptAt', private.utc(v_turn.due_at),
    'attemptedAt', private.utc(p_delivery.attempted_at),
    'endedAt', private.utc(p_delivery.ended_at),
    'responseStatus', p_delivery.response_status,
    'failure', p_delivery.failure,
    'excerpt', p_delivery.excerpt,
    'createdAt', private.utc(p_delivery.created_at));
end $$;
comment on function private.delivery_card is
  'A delivery as admins see it. nextAttemptAt is null if the delivery has ended, or waits for an earlier delivery '
  'of its subject.';

create function private.find_webhook_deliveries(p_webhook uuid, p_status text, p_limit integer, p_cursor text)
returns json
language plpgsql stable security definer   -- callers may not read the deliveries
set search_path = ''
as $$
declare
  v_before bigint := 9223372036854775807;
  v_ids    bigint[];
begin
  perform private.require_webhook(p_webhook);
  if p_cursor is not null then
    if not pg_input_is_valid(p_cursor, 'bigint') then
      perform private.raise_error('cursor_unknown');
    end if;
    v_before := p_cursor::bigint;
  end if;
  if p_status is null then
    v_ids := array(select d.id from private.webhook_deliveries d
                   where d.webhook_id = p_webhook and d.id < v_before order by d.id desc limit p_limit + 1);
  else
    v_ids := array(select d.id from private.webhook_deliveries d
                   where d.webhook_id = p_webhook and d.status = p_status and d.id < v_before
                   order by d.id desc limit p_limit + 1);
  end if;
  return private.page(
    (select json_agg(private.delivery_card(d) order by d.id desc)
     from private.webhook_deliveries d where d.id = any (v_ids[:p_limit])),
    v_ids::text[], p_limit);
end $$;
comment on function private.find_webhook_deliveries is
  'A page of the deliveries of a webhook, newest first. p_cursor is the id of the last delivery of the previous page.';
call private.force_index_scans('private.find_webhook_deliveries');

create function api.list_webhook_deliveries(
  p_id uuid, p_status text default null, p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.require_role('admin');
  perform private.require_limit(p_limit);
  return private.find_webhook_deliveries(p_id, p_status, p_limit, p_cursor);
end $$;
comment on function api.list_webhook_deliveries is 'The deliveries of a webhook within 30 days, newest first.';

create function private.take_turn(p_webhook uuid, p_subject text) returns void
language plpgsql volatile security definer   -- callers may not write the turns
set search_path = ''
as $$
begin
  insert into private.webhook_turns as t (webhook_id, subject_key) values (p_webhook, p_subject)
  on conflict (webhook_id, subject_key) do update
    set due_at = case when t.claim is null then now() else t.due_at end;
end $$;
comment on function private.take_turn is
  'Makes a subject of a webhook due now, unless an attempt is running. The caller has locked the webhook.';

create function private.replay_delivery(p_webhook uuid, p_delivery bigint) returns json
language plpgsql volatile security definer   -- callers may not write the deliveries
set search_path = ''
as $$
declare
  v_delivery private.webhook_deliveries;
begin
  update private.webhook_deliveries d
  set status = 'pending', gives_up_at = now() + interval '3 days', ended_at = null
  where d.id = p_delivery and d.webhook_id = p_webhook
  returning * into v_delivery;
  if not found then
    perform private.raise_error('webhook_delivery_unknown');
  end if;
  perform private.take_turn(p_webhook, v_delivery.subject_key);
  return private.delivery_card(v_delivery);
end $$;
comment on function private.replay_delivery is
  'Makes a delivery of a webhook pending and due now. The caller has locked the webhook.';

create function api.replay_webhook_delivery(p_id uuid, p_delivery_id bigint) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_card json;
begin
  perform private.require_role('admin');
  if not (private.lock_webhook(p_id)).is_active then
    perform private.raise_error('webhook_inactive');
  end if;
  v_card := private.replay_delivery(p_id, p_delivery_id);
  perform private.audit('webhook.replayed', 'webhook', p_id::text, json_build_object('deliveryId', p_delivery_id));
  return v_card;
end $$;
comment on function api.replay_webhook_delivery is
  'Sends a delivery again, or sends a pending one now. Leaves an audit entry.';

create function private.add_webhook_test(p_webhook uuid) returns json
language plpgsql volatile security definer   -- callers may not write the deliveries
set search_path = ''
as $$
declare
  v_subject  constant text := 'webhook:' || p_webhook;
  v_delivery private.webhook_deliveries;
begin
  -- at most one test waits; send it now
  select * into v_delivery from private.webhook_deliveries d
  where d.webhook_id = p_webhook and d.subject_key = v_subject and d.status = 'pending' order by d.id limit 1;
  if not found then
    insert into private.webhook_deliveries (webhook_id, event, event_id, subject_key)
    values (p_webhook, 'webhooks.webhook.tested', gen_random_uuid(), v_subject)
    returning * into v_delivery;
  end if;
  perform private.take_turn(p_webhook, v_subject);
  return private.delivery_card(v_delivery);
end $$;
comment on function private.add_webhook_test is
  'Queues a test for a webhook that the caller has locked, or makes a pending test due now.';

create function api.test_webhook(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_card json;
begin
  perform private.require_role('admin');
  if not (private.lock_webhook(p_id)).is_active then
    perform private.raise_error('webhook_inactive');
  end if;
  v_card := private.add_webhook_test(p_id);
  perform private.audit('webhook.tested', 'webhook', p_id::text);
  return v_card;
end $$;
comment on function api.test_webhook is 'Sends a test to a webhook. Leaves an audit entry.';

create function private.find_events(p_after bigint, p_limit integer) returns json
language plpgsql stable security definer   -- callers may not read the log
set search_path = ''
as $$
declare
  v_last  bigint;
  v_items json;
begin
  select max(n.sequence), json_agg(n.card order by n.sequence) into v_last, v_items
  from (select l.sequence, json_build_object(
                 'sequence', l.sequence,
                 'id', l.id,
                 'type', l.event,
                 'timestamp', private.utc(l.happened_at),
                 'subject', l.subject,
                 'data', l.payload) as card
        from private.event_log l where l.sequence > p_after order by l.sequence limit p_limit) n;
  return json_build_object(
    'items', coalesce(v_items, '[]'),
    'next', coalesce(v_last, p_after),
    'oldest', (select l.sequence from private.event_log l order by l.sequence limit 1));
end $$;
comment on function private.find_events is 'The next events of the log after this number.';
call private.force_index_scans('private.find_events');

create function api.list_logged_events(p_after bigint default 0, p_limit integer default 50) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.require_role('admin');
  perform private.require_limit(p_limit);
  return private.find_events(greatest(p_after, 0), p_limit);
end $$;
comment on function api.list_logged_events is
  'The events of the last 30 days with a higher number than p_after, oldest first: {items, next, oldest}. `next` is '
  'p_after for the next call, even if there are no further events now.';
