-- Push: the devices that people register, and the pushes to them. The transaction that writes a notification, or makes
-- it unread again, adds a job to the queue `push`. The worker sends the push (api-facade/worker/push.ts) with
-- `deliver`. docs/decisions.md, Notifications.

insert into private.errors (code, status, text) values
  ('push_token', 422, 'A push token must be an Expo token, the endpoint of a web push subscription with its keys, a '
                      'registration token of FCM, or a device token of APNs in lower-case hex.'),
  ('push_platform', 422, 'This instance sends no pushes by this platform.');

create table app.push_tokens (
  id           uuid primary key default gen_random_uuid(),
  user_id      uuid not null references app.users on delete cascade,
  platform     text not null,
  token        text not null unique,
  p256dh       text,
  auth         text,
  created_at   timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  constraint push_token check (case platform
    when 'expo' then token ~ '^Expo(nent)?PushToken\[[!-Z^-~]{1,200}\]$' and num_nonnulls(p256dh, auth) = 0
    when 'web' then token ~ '^https?://[!-~]+$' and length(token) <= 2000 and p256dh ~ '^[\w-]{87}=?$'
                    and auth ~ '^[\w-]{22}={0,2}$'
    when 'fcm' then token ~ '^[\w:-]+$' and length(token) between 32 and 2000 and num_nonnulls(p256dh, auth) = 0
    when 'apns' then token ~ '^[0-9a-f]{64,200}$' and num_nonnulls(p256dh, auth) = 0
    else false end is true)
);
create index push_tokens_user_id_idx on app.push_tokens (user_id, last_seen_at);
comment on table app.push_tokens is
  'Devices that receive pushes, at most 20 per person. A device belongs to the person who registered it last.';
call private.make_nulls_raise_codes('app.push_tokens');
comment on column app.push_tokens.last_seen_at is
  'When the device was last registered; clients register at each start.';

create table private.pushes (
  notification_id  uuid not null references app.notifications on delete cascade,
  round            integer not null check (round > 0),
  token_id         uuid not null references app.push_tokens on delete cascade,
  created_at       timestamptz not null default now(),
  claimed_until    timestamptz not null,
  sent_at          timestamptz,
  receipt          text,
  receipt_asked_at timestamptz,
  primary key (notification_id, round, token_id)
);
create index pushes_token_id_idx on private.pushes (token_id);
create index pushes_created_at_idx on private.pushes (created_at);
create index pushes_receipt_idx on private.pushes (receipt) where receipt is not null;
create index pushes_unasked_idx on private.pushes (sent_at) where receipt is not null and receipt_asked_at is null;
comment on table private.pushes is
  'The pushes of notifications to devices, one for each round (app.notifications.round).';
comment on column private.pushes.claimed_until is
  'Until this time only the worker that claimed the push may send it, or nobody if the provider asked to wait. '
  'After this time any worker may send the push.';
comment on column private.pushes.sent_at is
  'When the provider accepted the push, or rejected it permanently; null until then.';
comment on column private.pushes.receipt_asked_at is
  'When the worker asked Expo for the receipt of the push; null until then.';
insert into private.retention (relation, counts_from, keep) values ('private.pushes', 'created_at', '2 days');

select pgboss.create_queue('push', '{"policy": "standard"}');

insert into private.lock_kinds (kind, position) values ('push tokens', 250);

create function private.take_push_token(p_token text, p_platform text, p_p256dh text, p_auth text) returns timestamptz
language plpgsql volatile security definer   -- the device may belong to somebody else
set search_path = ''
as $$
declare
  v_caller uuid := private.require_caller();
begin
  -- lock, so that concurrent calls don't exceed the limit
  perform private.lock('push tokens', v_caller::text);
  insert into app.push_tokens as t (user_id, platform, token, p256dh, auth)
  values (v_caller, p_platform, p_token, p_p256dh, p_auth)
  on conflict (token) do update
    set user_id = excluded.user_id, platform = excluded.platform, p256dh = excluded.p256dh, auth = excluded.auth,
        last_seen_at = now();
  delete from app.push_tokens where id in (
    select id from app.push_tokens where user_id = v_caller and token <> p_token
    order by last_seen_at desc, id offset 19);
  return now();
end $$;
comment on function private.take_push_token is
  'Assigns a device to the caller, even if it belonged to somebody else. If the caller then has more than 20 '
  'devices, removes the ones that were registered longest ago. Fails: push_token.';

create function api.add_push_token(
  p_token text, p_platform text, p_p256dh text default null, p_auth text default null
) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  return json_build_object('platform', p_platform,
                           'lastSeenAt', private.utc(private.take_push_token(p_token, p_platform, p_p256dh, p_auth)));
end $$;
comment on function api.add_push_token is
  'Registers a device for push: {platform, lastSeenAt}. Clients call it again at each start.';

create function api.remove_push_token(p_token text default null) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  delete from app.push_tokens where user_id = private.require_caller() and (p_token is null or token = p_token);
  return null;   -- the response is 204
end $$;
comment on function api.remove_push_token is
  'Removes a device of the caller, or without a token all of them. Repeating it changes nothing.';

create function private.forget_push_tokens(p_user app.users) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  delete from app.push_tokens where user_id = p_user.id;
end $$;
comment on function private.forget_push_tokens is 'Step: removes the devices of a banned or erased person.';
insert into private.account_steps (step, events, position) values
  ('private.forget_push_tokens', '{ban,erasure}', 191);

create function private.forget_ended_devices() returns trigger
language plpgsql security definer   -- staff may not delete devices themselves
set search_path = ''
as $$
begin
  perform private.forget_push_tokens(new);
  return null;
end $$;
comment on function private.forget_ended_devices is
  'Trigger: removes the devices of a person whose tokens are all revoked by a new password, a logout everywhere or '
  'a change of role. A device registers again after the next login.';
create trigger _191_forget_ended_devices after update of tokens_valid_from on app.users
  for each row when (old.tokens_valid_from <> new.tokens_valid_from) execute function private.forget_ended_devices();

create unlogged table private.pushed_subjects (
  user_id   uuid not null,
  subject   text not null,
  pushed_at timestamptz not null,
  primary key (user_id, subject)
);
create index pushed_subjects_pushed_at_idx on private.pushed_subjects (pushed_at);
comment on table private.pushed_subjects is
  'The subjects of the pushes to a person within the last hour, for kinds that replace the unread notification. '
  'Unlogged and without foreign keys, like private.write_counts: after a crash of the database the hours start again.';
comment on column private.pushed_subjects.subject is
  'The subject of the push: the kind, the actor (or the group if there is no actor), and the event or state in the '
  'payload.';
comment on column private.pushed_subjects.pushed_at is 'When the latest push of this subject was queued.';
insert into private.retention (relation, counts_from, keep) values ('private.pushed_subjects', 'pushed_at', '1 hour');

create function private.begin_push_hour(p_notification app.notifications) returns boolean
language plpgsql volatile
set search_path = ''
as $$
begin
  insert into private.pushed_subjects as s (user_id, subject, pushed_at)
  select p_notification.user_id,
         concat_ws(':', p_notification.kind,
                   coalesce((select a.actor_id::text from app.notification_actors a
                             where a.notification_id = p_notification.id limit 1), p_notification.group_key),
                   p_notification.payload ->> 'event', p_notification.payload ->> 'state'),
         now()
  on conflict (user_id, subject) do update set pushed_at = excluded.pushed_at
    where s.pushed_at <= excluded.pushed_at - interval '1 hour';
  return found;
end $$;
comment on function private.begin_push_hour is
  'Returns true, and starts a new hour, if nothing with the same subject was pushed within the last hour. An action '
  'that somebody repeats is therefore pushed once an hour, even if its notification was read or withdrawn '
  'meanwhile. A cancellation and a change have different subjects, so a cancellation is pushed immediately.';

create function private.push_notification() returns trigger
language plpgsql security definer   -- the caller may not read other people's devices
set search_path = ''
as $$
begin
  if exists (select from app.push_tokens where user_id = new.user_id)
     and 'push' = any (private.wanted_channels(new.user_id, new.kind))
     and (not exists (select from private.notification_kinds k where k.kind = new.kind and k.replaces_unread)
          or private.begin_push_hour(new)) then
    perform private.enqueue('push', json_build_object('notificationId', new.id, 'round', new.round));
  end if;
  return null;
end $$;
comment on function private.push_notification is
  'Trigger: queues the push of a notification that is new, unread again, or replaced by a later item, if the person '
  'wants pushes of its kind. For kinds that replace the unread notification, it does so at most once an hour. An '
  'item that joins an unread notification sends no push.';
create trigger push_notification after insert on app.notifications
  for each row when (new.read_at is null) execute function private.push_notification();
create trigger push_unread_again after update of read_at on app.notifications
  for each row when (old.read_at is not null and new.read_at is null) execute function private.push_notification();
create trigger push_replaced after update of created_at on app.notifications
  for each row when (new.read_at is null and new.created_at > old.created_at)
  execute function private.push_notification();

create function private.is_target_visible(p_notification app.notifications) returns boolean
language plpgsql stable
set search_path = ''
as $$
declare
  v_user uuid := p_notification.user_id;
  v_post uuid := case when p_notification.target_type = 'post' then p_notification.target_id::uuid end;
begin
  return v_post is null
      or exists (select from private.notification_kinds k
                 where k.kind = p_notification.kind
                   and (k.always_in_app   -- the notification may say that staff deleted the post
                        or private.post_visible_to(v_post, v_user)
                           and (k.passes_muted_post
                                or not exists (select from app.post_mutes m
                                               where m.user_id = v_user and m.post_id = v_post))))
         -- if there are several items, the payload names only the latest
         and (p_notification.count > 1
              or not exists (select from jsonb_each_text(p_notification.payload) f
                             where f.key = any ('{repostId,quoteId}')
                               and private.post_visible_to(f.value::uuid, v_user) is not true)
                 and not exists (
                       select from app.replies r
                       where r.id = (p_notification.payload ->> 'replyId')::uuid and r.required_level > 0));
end $$;
comment on function private.is_target_visible is
  'Returns whether the target of a notification still allows sending it. If the target is a post, the person must '
  'see the post and must not have muted it, unless the kind ignores muted posts; kinds that are always in the inbox '
  'need neither. If the notification has one item, the repost, quote or reply in its payload must be neither deleted '
  'nor hidden.';

create function private.is_still_deliverable(p_notification app.notifications) returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  return exists (select from app.users
                 where id = p_notification.user_id and banned_at is null and erased_at is null)
     and private.is_target_visible(p_notification)
     and (not exists (select from app.notification_actors where notification_id = p_notification.id)
          or exists (select
                     from (select actor_id from app.notification_actors where notification_id = p_notification.id
                           order by created_at, actor_id limit 50) a
                     join app.users u on u.id = a.actor_id and u.banned_at is null and u.erased_at is null
                     where (private.find_level(p_notification.user_id, a.actor_id) < 0) is not true
                       and not exists (select from app.mutes m
                                       where m.muter_id = p_notification.user_id and m.muted_id = a.actor_id)));
end $$;
comment on function private.is_still_deliverable is
  'Returns whether a notification may still be sent: its person is neither banned nor erased, its target is still '
  'visible, and, if it has actors, at least one of the first 50 is not muted, blocked, banned or erased.';

create function private.claim_pushes(p_jobs jsonb) returns json
language plpgsql volatile security definer   -- the worker has no access to Kith's tables
set search_path = ''
as $$
declare
  v_claimed json;
begin
  with due as (
    select distinct n.id, j.round, t.id as token_id
    from jsonb_to_recordset(p_jobs) as j ("notificationId" uuid, round integer)
    join app.notifications n on n.id = j."notificationId" and n.read_at is null
    join app.push_tokens t on t.user_id = n.user_id
    where 'push' = any (private.wanted_channels(n.user_id, n.kind)) and private.is_still_deliverable(n)),
  claimed as (
    insert into private.pushes as p (notification_id, round, token_id, claimed_until)
    select id, round, token_id, clock_timestamp() + interval '1 minute' from due order by 1, 2, 3
    on conflict (notification_id, round, token_id) do update
      set claimed_until = excluded.claimed_until
      where p.sent_at is null and p.claimed_until < clock_timestamp()
    returning p.notification_id, p.round, p.token_id),
  badges as materialized (
    select u.user_id, private.count_unread_of(u.user_id) as badge
    from (select distinct n.user_id from claimed c join app.notifications n on n.id = c.notification_id) u)
  select json_build_object(
    'messages', (select coalesce(json_agg(json_build_object(
                          'notificationId', n.id, 'round', c.round, 'tokenId', t.id, 'platform', t.platform,
                          'token', t.token, 'p256dh', t.p256dh, 'auth', t.auth, 'kind', n.kind, 'count', n.count,
                          'groupKey', n.group_key, 'badge', b.badge,
                          'target', case when n.target_id is not null
                                         then json_build_object('type', n.target_type, 'id', n.target_id) end,
                          'path', private.notification_path(n.kind, n.count, n.target_type, n.target_id, n.payload))),
                        '[]')
                 from claimed c
                 join app.notifications n on n.id = c.notification_id
                 join badges b on b.user_id = n.user_id
                 join app.push_tokens t on t.id = c.token_id),
    'busy', (select coalesce(json_agg(d.id), '[]')
             from due d
             left join claimed c on (c.notification_id, c.round, c.token_id) = (d.id, d.round, d.token_id)
             left join private.pushes p on (p.notification_id, p.round, p.token_id) = (d.id, d.round, d.token_id)
             where c.token_id is null and p.sent_at is null))
  into v_claimed;
  return v_claimed;
end $$;
comment on function private.claim_pushes is
  'For the worker alone: claims the pushes of these jobs, [{notificationId, round}], that must still be sent, for a '
  'minute, and returns {messages: [{notificationId, round, tokenId, platform, token, p256dh, auth, kind, count, '
  'groupKey, badge, target, path}], busy: [notificationId]}. badge is the number of unread notifications. busy has '
  'the notifications that another worker is sending, or for which a provider asked to wait.';

create function private.note_pushes(p_results jsonb) returns integer
language plpgsql volatile security definer   -- the worker has no access to Kith's tables
set search_path = ''
as $$
declare
  v_sent integer;
begin
  update private.pushes p
  set sent_at = case when r.outcome <> 'failed' then clock_timestamp() end,
      claimed_until = case when r."retryAfter" is null then '-infinity'
                           else clock_timestamp() + make_interval(secs => r."retryAfter") end,
      receipt = r.receipt
  from jsonb_to_recordset(p_results)
       as r ("notificationId" uuid, round integer, "tokenId" uuid, outcome text, receipt text, "retryAfter" integer)
  where (p.notification_id, p.round, p.token_id) = (r."notificationId", r.round, r."tokenId");
  delete from app.push_tokens t using jsonb_to_recordset(p_results) as r ("tokenId" uuid, outcome text)
  where t.id = r."tokenId" and r.outcome = 'gone';
  select count(*) into v_sent from jsonb_to_recordset(p_results) as r (outcome text) where r.outcome = 'sent';
  return v_sent;
end $$;
comment on function private.note_pushes is
  'For the worker alone: records the results of the pushes that it claimed, [{notificationId, round, tokenId, '
  'outcome, receipt, retryAfter}]. The outcome is sent, refused (permanently), failed (the push is tried again, but '
  'not before retryAfter seconds), or gone (the device is removed). Returns the number of sent pushes.';

create function private.note_push_receipts(p_gone text[]) returns integer
language plpgsql volatile security definer   -- the worker has no access to Kith's tables
set search_path = ''
as $$
declare
  v_changed integer;
begin
  delete from app.push_tokens where id in (select token_id from private.pushes where receipt = any (p_gone));
  get diagnostics v_changed = row_count;
  return v_changed;
end $$;
comment on function private.note_push_receipts is
  'For the worker alone: removes the devices that these receipts report as gone, and returns their number.';

create function private.job_ask_push_receipts() returns integer
language plpgsql volatile security definer   -- the worker has no access to Kith's tables
set search_path = ''
as $$
declare
  v_receipts text[];
begin
  with due as (
    select ctid from private.pushes
    where receipt is not null and receipt_asked_at is null and sent_at < now() - interval '15 minutes'
    order by sent_at limit 300
    for update skip locked)
  , asked as (
    update private.pushes p set receipt_asked_at = now() from due d where p.ctid = d.ctid returning p.receipt)
  select coalesce(array_agg(receipt), '{}') into v_receipts from asked;
  if v_receipts <> '{}' then
    perform private.enqueue('push', json_build_object('receipts', v_receipts));
  end if;
  return cardinality(v_receipts);
end $$;
comment on function private.job_ask_push_receipts is
  'Job: asks Expo for the receipts of pushes that it accepted at least 15 minutes ago, 300 at a time. May run '
  'twice: each receipt is requested once. The worker repeats it until no receipt is due.';
insert into private.jobs (name, cron, expires, repeats) values ('ask-push-receipts', '*/5 * * * *', 120, true);
