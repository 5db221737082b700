-- The daily digest. Every minute a job finds the people whose digest is due, and adds a job to the queue `digests` for
-- each who has unread notifications. The worker reads the notifications again and mails the digest
-- (api-facade/worker/digest.ts) with `deliver`.
-- docs/decisions.md, Notifications.

insert into private.errors (code, status, text) values
  ('unsubscribe_unknown', 404, 'This unsubscribe link is incomplete, or belongs to an address that no longer exists.');

create table private.digests (
  id            uuid primary key default gen_random_uuid(),
  user_id       uuid not null references app.notification_settings on delete cascade,
  day           date not null,
  told_from     timestamptz not null,
  told_to       timestamptz not null,
  created_at    timestamptz not null default now(),
  claimed_until timestamptz not null default '-infinity',
  sent_at       timestamptz,
  unique (user_id, day)
);
create index digests_created_at_idx on private.digests (created_at);
comment on table private.digests is
  'The digests, at most one per person and local day. The content of a digest is read when it is sent.';
comment on column private.digests.told_from is
  'The digest covers the notifications that are new, or unread again, between told_from and told_to. The next '
  'digest starts where this digest ends.';
comment on column private.digests.told_to is
  'The end of the period that the digest covers. It is a few seconds before the digest was created, because a '
  'transaction may take that long to become visible.';
comment on column private.digests.claimed_until is
  'Until this time only the worker that claimed the digest may send it. After this time the worker is assumed dead, '
  'and another worker may send the digest. -infinity before the first attempt, and again if the mail was not '
  'accepted.';
comment on column private.digests.sent_at is
  'When the mail was accepted, nothing remained to send, or the mailbox was found not to exist; null until then.';
-- keep digests longer than the period that a digest covers
insert into private.retention (relation, counts_from, keep) values ('private.digests', 'created_at', '8 days');

select pgboss.create_queue('digests', '{"policy": "standard"}');

create function private.unread_between(p_user uuid, p_from timestamptz, p_to timestamptz)
returns setof app.notifications
language plpgsql stable
set search_path = ''
as $$
begin
  return query
    select n.* from app.notifications n
    where n.user_id = p_user and n.in_app = any ('{true,false}')   -- to use notifications_updated_at_idx
      and n.read_at is null and n.updated_at > p_from and n.updated_at <= p_to
    order by n.updated_at desc limit 500;
end $$;
comment on function private.unread_between is
  'The latest 500 of a person''s notifications that became new or unread again between two times and are still '
  'unread.';
call private.force_index_scans('private.unread_between');

create function private.has_digest_items(p_user uuid, p_from timestamptz, p_to timestamptz) returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  return exists (select from (select distinct n.kind from private.unread_between(p_user, p_from, p_to) n) k
                 where 'email' = any (private.wanted_channels(p_user, k.kind)));
end $$;
comment on function private.has_digest_items is
  'Returns whether private.unread_between finds notifications of a kind that the person wants by mail. The function '
  'doesn''t check whether these notifications may still be sent.';

create function private.job_queue_digests() returns integer
language plpgsql volatile security definer   -- the worker has no access to Kith's tables
set search_path = ''
as $$
declare
  c_to     constant timestamptz := now() - interval '3 seconds';   -- see private.list_changed
  c_back   constant interval := '7 days';
  v_people uuid[];
  v_days   date[];
  v_ids    uuid[];
begin
  with due as (
    select user_id, (next_digest_at at time zone private.known_timezone(timezone))::date as day
    from app.notification_settings
    where next_digest_at <= now()
    order by next_digest_at limit 500
    for no key update skip locked),
  moved as (
    update app.notification_settings s
    set next_digest_at = private.next_digest(s.timezone, s.digest_hour, now())
    from due where s.user_id = due.user_id)
  select array_agg(user_id), array_agg(day) into v_people, v_days from due;

  -- drop a digest that nobody tried to send or that no server accepted; the new one covers its period
  delete from private.digests where user_id = any (v_people) and sent_at is null and claimed_until = '-infinity';
  with made as (
    insert into private.digests (user_id, day, told_from, told_to)
    select p.id, p.day, f.told_from, c_to
    from unnest(v_people, v_days) as p (id, day)
    join private.reachable_accounts a on a.user_id = p.id and a.email_bounced_at is null
    join app.users u on u.id = p.id and u.banned_at is null
    cross join lateral (
      select coalesce(max(d.told_to), now() - c_back) from private.digests d where d.user_id = p.id) as f (told_from)
    where private.has_digest_items(p.id, f.told_from, c_to)
    on conflict (user_id, day) do nothing
    returning id)
  select array_agg(id) into v_ids from made;
  perform private.enqueue('digests', json_build_object('digestId', d.id)) from unnest(v_ids) as d (id);
  return coalesce(cardinality(v_people), 0);
end $$;
comment on function private.job_queue_digests is
  'Job: takes up to 500 people whose digest is due, queues a digest for those who have unread notifications, and sets '
  'when the next one is due. For banned people, and people whose address bounces or was not verified within a day, it '
  'only sets the next time. May run twice: it takes only people who are due, skips locked rows, and each person has '
  'one digest a day. The worker repeats it until nobody is due.';
call private.force_index_scans('private.job_queue_digests');
insert into private.jobs (name, cron, expires, repeats) values ('queue-digests', '* * * * *', 120, true);

create function private.digest_mail(p_digest private.digests) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_news  app.notifications[] := array(
    select n from private.unread_between(p_digest.user_id, p_digest.told_from, p_digest.told_to) n);
  v_items json;
begin
  select json_agg(json_build_object('kind', k.kind, 'count', k.count) order by k.kind) into v_items
  from (select n.kind, sum(n.count)::integer as count
        from unnest(v_news) n
        where 'email' = any (private.wanted_channels(n.user_id, n.kind)) and private.is_still_deliverable(n)
        group by n.kind) k;
  return (select json_build_object('to', a.email, 'unsubscribeId', s.unsubscribe_id, 'timezone', s.timezone,
                                   'hour', s.digest_hour, 'items', v_items, 'more', cardinality(v_news) = 500)
          from app.notification_settings s
          join private.reachable_accounts a on a.user_id = s.user_id and a.email_bounced_at is null
          join app.users u on u.id = s.user_id and u.banned_at is null
          where s.user_id = p_digest.user_id and s.digest_hour is not null and v_items is not null);
end $$;
comment on function private.digest_mail is
  'The current content of a digest, {to, unsubscribeId, timezone, hour, items: [{kind, count}], more}. Null if there '
  'is nothing to send, or if the person is banned, erased or unreachable, has an address that bounces, or wants no '
  'digest. more is true if there were 500 notifications, so that there may be others.';

create function private.claim_digest(p_id uuid) returns json
language plpgsql volatile security definer   -- the worker has no access to Kith's tables
set search_path = ''
as $$
declare
  v_digest private.digests;
  v_mail   json;
begin
  update private.digests set claimed_until = clock_timestamp() + interval '2 minutes'
  where id = p_id and sent_at is null and claimed_until < clock_timestamp()
  returning * into v_digest;
  if not found then
    return (select json_build_object('busy', true) from private.digests where id = p_id and sent_at is null);
  end if;
  v_mail := private.digest_mail(v_digest);
  if v_mail is null then
    update private.digests set sent_at = clock_timestamp() where id = p_id;
  end if;
  return v_mail;
end $$;
comment on function private.claim_digest is
  'For the worker alone: claims a digest for two minutes and returns the mail to send, as private.digest_mail does. '
  'Null if there is nothing to send or the digest was sent; {busy: true} if another worker is sending it.';

create function private.note_digest(p_id uuid, p_sent boolean) returns void
language plpgsql volatile security definer   -- the worker has no access to Kith's tables
set search_path = ''
as $$
begin
  update private.digests
  set sent_at = case when p_sent then clock_timestamp() end, claimed_until = '-infinity'
  where id = p_id and sent_at is null;
end $$;
comment on function private.note_digest is
  'For the worker alone: records that the digest that it claimed is finished or, if p_sent is false, was not accepted '
  'and must be tried again.';

create function private.renew_unsubscribe_id() returns trigger
language plpgsql security definer   -- callers may not write unsubscribe_id
set search_path = ''
as $$
begin
  update app.notification_settings set unsubscribe_id = default where user_id = new.user_id;
  return null;
end $$;
comment on function private.renew_unsubscribe_id is
  'Trigger: changes the person''s unsubscribe_id, so that the unsubscribe tokens that were mailed to their previous '
  'address become invalid.';
create trigger _190_renew_unsubscribe_id after update of email on app.accounts
  for each row when (new.email <> old.email) execute function private.renew_unsubscribe_id();

create function api.unsubscribe(p_id uuid) returns json
language plpgsql volatile security definer   -- only for gate: the token from the mail authorizes the call
set search_path = ''
as $$
begin
  update app.notification_settings set digest_hour = null where unsubscribe_id = p_id;
  if not found then
    perform private.raise_error('unsubscribe_unknown');
  end if;
  return json_build_object('ok', true);
end $$;
comment on function api.unsubscribe is
  'For the facade alone, after it has checked the token: turns off the digest of the person who got the mail, {ok}. '
  'Repeating it changes nothing. The person can turn the digest on again by api.update_preferences with a '
  'digestHour.';
