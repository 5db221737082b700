-- Webhooks are addresses of other programs, to which the worker sends the events of the log that an admin chose.
-- docs/decisions.md, Webhooks.

insert into private.errors (code, status, text) values
  ('webhook_unknown', 404, 'There is no such webhook.'),
  ('webhook_url', 422, 'The address of a webhook must begin with https://, have the name of a host and no port, user '
   'name or fragment, and at most 2000 characters.'),
  ('webhook_events', 422, 'A webhook must have at least one event, and only events that GET /admin/webhooks lists in '
   'availableEvents.'),
  ('webhook_description', 422, 'The description of a webhook must have at most 200 characters.'),
  ('webhooks_full', 409, 'There are 20 webhooks already.');

insert into private.lock_kinds (kind, position) values ('webhooks', 592), ('webhook', 594);

insert into app.settings (key, value) values ('webhook_exempt', '');

create table private.webhooks (
  id              uuid primary key default gen_random_uuid(),
  url             text not null,
  description     text not null default '',
  events          text[] not null,
  is_active       boolean not null default true,
  secret          bytea not null default extensions.gen_random_bytes(32),
  previous_secret bytea,
  previous_until  timestamptz,
  queued_to       bigint not null,
  failing_since   timestamptz,
  deleted_at      timestamptz,
  created_at      timestamptz not null default now(),
  constraint webhook_description check (length(description) <= 200),
  check (num_nonnulls(previous_secret, previous_until) in (0, 2))
);
comment on table private.webhooks is
  'The addresses to which events are sent, at most 20. The secrets are stored unhashed, because the worker signs '
  'each request with them.';
comment on column private.webhooks.previous_secret is
  'The previous secret. For a day after the change, the worker signs requests with it, too.';
comment on column private.webhooks.previous_until is 'Until when requests are also signed with the previous secret.';
comment on column private.webhooks.queued_to is
  'The number of the last event of the log that was considered for this webhook. It does not change while the '
  'webhook is inactive. A webhook that becomes active again therefore gets the events of the inactive time that are '
  'still in the log.';
comment on column private.webhooks.failing_since is
  'When the worker gave a delivery up; null again after the next success.';
comment on column private.webhooks.deleted_at is
  'When the webhook was deleted. The worker then deletes its deliveries and, at the end, this row.';

create function private.require_webhook_url(p_url text) returns text
language plpgsql stable security definer   -- other callers may not read the settings
set search_path = ''
as $$
declare
  v_exempt text[] := string_to_array((select s.value from app.settings s where s.key = 'webhook_exempt'), ' ');
  v_url    text := btrim(p_url);
begin
  if (length(v_url) <= 2000 and v_url ~ '^[!-~]+$' and v_url !~ '[#\\]'
      and (v_url ~* '^https://([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9](/|\?|$)'
        or substring(v_url from '^https?://([^/?@]+)(?:[/?]|$)') = any (v_exempt))) is not true then
    perform private.raise_error('webhook_url');
  end if;
  return v_url;
end $$;
comment on function private.require_webhook_url is
  'The address, trimmed. Addresses in WEBHOOK_EXEMPT may have a port, and need no TLS. At each request the worker '
  'also checks that the name has only public addresses.';

create function private.require_webhook_events(p_events text[]) returns text[]
language plpgsql stable security definer   -- callers may not read the registry
set search_path = ''
as $$
declare
  v_events text[] := array(select distinct e.name from unnest(p_events) e (name) order by e.name);
begin
  if v_events = '{}' or exists (
       select from unnest(v_events) e (name)
       where not exists (select from private.outbound_events o where o.event = e.name)) then
    perform private.raise_error('webhook_events');
  end if;
  return v_events;
end $$;
comment on function private.require_webhook_events is 'The events, sorted and without duplicates.';

create function private.require_webhook(p_id uuid) returns private.webhooks
language plpgsql stable security definer   -- callers may not read the secrets
set search_path = ''
as $$
declare
  v_webhook private.webhooks;
begin
  select * into v_webhook from private.webhooks w where w.id = p_id and w.deleted_at is null;
  if not found then
    perform private.raise_error('webhook_unknown');
  end if;
  return v_webhook;
end $$;
comment on function private.require_webhook is 'Finds a webhook.';

create function private.lock_webhook(p_id uuid) returns private.webhooks
language plpgsql volatile security definer   -- callers may not read the secrets
set search_path = ''
as $$
begin
  perform private.check_lock_order('webhook', p_id::text);
  perform from private.webhooks w where w.id = p_id for no key update;
  return private.require_webhook(p_id);
end $$;
comment on function private.lock_webhook is
  'Finds a webhook, and prevents queuing and taking its deliveries until the transaction ends.';

create function private.webhook_card(p_webhook private.webhooks) returns json
language plpgsql stable security definer   -- callers may not read the deliveries
set search_path = ''
as $$
begin
  return json_build_object(
    'id', p_webhook.id,
    'url', p_webhook.url,
    'description', p_webhook.description,
    'events', p_webhook.events,
    'active', p_webhook.is_active,
    'failingSince', private.utc(p_webhook.failing_since),
    'previousSecretUntil', private.utc(case when p_webhook.previous_until > now() then p_webhook.previous_until end),
    'createdAt', private.utc(p_webhook.created_at));
end $$;
comment on function private.webhook_card is 'A webhook as admins see it, without its secrets.';

create function private.webhook_secret(p_secret bytea) returns text
language plpgsql immutable
set search_path = ''
as $$
begin
  return 'whsec_' || translate(encode(p_secret, 'base64'), e'\n', '');
end $$;
comment on function private.webhook_secret is 'A new secret in the form that Standard Webhooks defines.';
