-- The devices on which a person has logged in, the mail about a login on a new device, and the link in this mail that
-- ends the login. docs/decisions.md, Tokens and sessions.

create table private.devices (
  user_id             uuid not null references app.users on delete cascade,
  fingerprint         bytea not null check (length(fingerprint) = 32),
  credentials_version integer not null,
  seen_at             timestamptz not null default now(),
  primary key (user_id, fingerprint)
);
create index devices_user_id_idx on private.devices (user_id, seen_at);
create index devices_seen_at_idx on private.devices (seen_at);
comment on table private.devices is
  'The devices on which people have logged in, at most 50 for each person. A fingerprint is the SHA-256 of the '
  'person, the network and the name of the device.';
comment on column private.devices.credentials_version is
  'The version of the person''s credentials at the last login on the device. If the version has changed, the device '
  'counts as new.';
comment on column private.devices.seen_at is 'When the person last logged in on the device.';
insert into private.retention (relation, counts_from, keep) values ('private.devices', 'seen_at', '1 year');

insert into private.errors (code, status, text) values
  ('session_over', 410, 'This login has already ended.');

create function private.network_of(p_address text) returns cidr
language plpgsql immutable
set search_path = ''
as $$
declare
  v_address inet := p_address;
begin
  return network(set_masklen(v_address, case family(v_address) when 4 then 24 else 48 end));
end $$;
comment on function private.network_of is
  'The network of an IP address, as people see it: the /24 of an IPv4 address, or the /48 of an IPv6 address.';

create function private.note_device(p_user uuid, p_device text, p_network cidr) returns boolean
language plpgsql volatile
set search_path = ''
as $$
declare
  v_fingerprint bytea := sha256(convert_to(concat_ws(E'\n', p_user, p_network, p_device), 'utf8'));
  v_version     integer := (select credentials_version from app.users where id = p_user);
  v_is_new      boolean;
begin
  v_is_new := not exists (
    select from private.devices
    where user_id = p_user and fingerprint = v_fingerprint and credentials_version = v_version);
  insert into private.devices (user_id, fingerprint, credentials_version) values (p_user, v_fingerprint, v_version)
  on conflict (user_id, fingerprint) do update
    set credentials_version = excluded.credentials_version, seen_at = excluded.seen_at;
  delete from private.devices d
  using (select fingerprint from private.devices where user_id = p_user
         order by fingerprint = v_fingerprint desc, seen_at desc, fingerprint offset 50) old
  where d.user_id = p_user and d.fingerprint = old.fingerprint;
  return v_is_new;
end $$;
comment on function private.note_device is
  'Records a login on a device, and returns whether it was the first on this device since the person''s credentials '
  'changed. The calling function must have locked the person''s credentials.';

create function private.alert_of_session(p_id uuid, p_user uuid, p_alert_hash bytea) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  -- limit the mails, so that somebody who knows the password can't flood the mailbox
  if p_alert_hash is null
     or (select count(*) >= 5 from app.sessions
         where user_id = p_user and created_at > now() - interval '1 hour' and alert_hash is not null) then
    return;
  end if;
  update app.sessions set alert_hash = p_alert_hash where id = p_id;
  perform private.enqueue('mail', json_build_object('sessionId', p_id));
end $$;
comment on function private.alert_of_session is
  'Queues a mail to a person about a session on a new device, with a link that ends it; at most 5 in an hour. Does '
  'nothing without p_alert_hash.';

create function private.find_session_mail(p_id uuid) returns json
language plpgsql stable security definer   -- only for the worker, which has no access to Kith's tables
set search_path = ''
as $$
begin
  return coalesce(
    (select case when a.email_bounced_at is null then
              json_build_object('to', a.email, 'tokenHash', encode(s.alert_hash, 'hex'), 'device', s.device,
                                'network', s.network, 'at', private.utc(s.created_at)) end
     from app.sessions s
     join private.reachable_accounts a on a.user_id = s.user_id
     where s.id = p_id and s.ended_at is null and s.expires_at > clock_timestamp()),
    '{"ended": true}');
end $$;
comment on function private.find_session_mail is
  'For the worker alone: the mail about a session on a new device, {to, tokenHash (hex), device, network, at}; '
  '{ended: true} if the session has ended or the address gets no mail.';

create function private.find_alerted_session(p_id uuid, p_alert_hash bytea) returns uuid
language plpgsql stable
set search_path = ''
as $$
begin
  return (select user_id from app.sessions
          where id = p_id and alert_hash = p_alert_hash and ended_at is null and expires_at > clock_timestamp());
end $$;
comment on function private.find_alerted_session is
  'Returns the person of a session that has not ended, if a mail with this token reported it; otherwise null.';

create function api.end_alerted_session(p_id uuid, p_alert_hash bytea) returns json
language plpgsql volatile security definer   -- only for gate: the link's token authorizes the call
set search_path = ''
as $$
declare
  v_person uuid := private.find_alerted_session(p_id, p_alert_hash);
begin
  -- lock the person and check again, so that only one of two concurrent calls with the same link succeeds
  perform private.check_lock_order('credentials', v_person::text);
  perform from private.credentials where user_id = v_person for update;
  v_person := private.find_alerted_session(p_id, p_alert_hash);
  if v_person is null then
    perform private.raise_error('session_over');
  end if;
  perform private.check_lock_order('person', v_person::text);
  -- the stranger also has a device token, with which their next login would count as a login on a known device
  update app.users set credentials_version = credentials_version + 1 where id = v_person;
  perform private.end_session(v_person, p_id);
  return json_build_object('ok', true);
end $$;
comment on function api.end_alerted_session is
  'For the facade alone: ends the session that a mail with this token reported, {ok}. Every device of the person, '
  'even one with a device token, then counts as new. The password does not change.';

create function private.note_session_seen() returns void
language plpgsql volatile security definer   -- people may not write sessions
set search_path = ''
as $$
begin
  update app.sessions set last_seen_at = now()
  where user_id = private.require_caller() and ended_at is null and live_tokens @> private.own_token()
    and last_seen_at < now() - interval '5 minutes';
end $$;
comment on function private.note_session_seen is
  'Records that the session of the token of this request is active now.';
