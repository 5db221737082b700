-- Invite codes. A person generates a code; a candidate reserves it for half an hour and redeems it once.
-- docs/decisions.md, Invites.

create table app.invite_codes (
  id                   uuid primary key default gen_random_uuid(),
  code                 text not null unique check (code ~ '^INV-[A-Z2-9]{6}$'),
  status               text not null default 'active'
                       check (status in ('active', 'reserved', 'used', 'expired', 'revoked')),
  generated_by         uuid not null references app.users on delete restrict,
  reservation_id       uuid unique,
  candidate_session_id uuid,
  reserved_until       timestamptz,
  used_by              uuid unique references app.users on delete restrict,
  used_at              timestamptz,
  expires_at           timestamptz not null default now() + interval '30 days',
  created_at           timestamptz not null default now(),
  check (status <> 'reserved' or (reservation_id is not null and reserved_until is not null)),
  check ((used_by is null) = (used_at is null)),
  check (case status when 'used' then used_by is not null when 'revoked' then true else used_by is null end)
);
create index invite_codes_generated_by_idx on app.invite_codes (generated_by, created_at desc, id desc);
create index invite_codes_open_idx on app.invite_codes (generated_by) where status <> 'expired';
create index invite_codes_used_idx on app.invite_codes (generated_by) where used_by is not null;
create index invite_codes_reserved_until_idx on app.invite_codes (reserved_until) where status = 'reserved';
create index invite_codes_candidate_idx on app.invite_codes (candidate_session_id) where status = 'reserved';
comment on table app.invite_codes is
  'One-time codes. reservation_id is the secret of the candidate who reserved the code; it remains after the code is '
  'used.';
comment on column app.invite_codes.used_at is 'When somebody registered with the code; null until then.';
comment on column app.invite_codes.status is 'active, reserved, used, expired or revoked. used and revoked are final.';
comment on column app.invite_codes.reserved_until is 'When the reservation ends; null if the code is not reserved.';
comment on column app.invite_codes.expires_at is 'When the code expires. From then on it cannot be reserved.';

create table app.invite_tree (
  invitee_id uuid primary key references app.users on delete cascade,
  inviter_id uuid not null references app.users on delete cascade,
  code_id    uuid not null unique references app.invite_codes on delete restrict,
  created_at timestamptz not null default now()
);
create index invite_tree_inviter_id_idx on app.invite_tree (inviter_id, created_at desc, code_id desc);
comment on table app.invite_tree is 'Who invited whom, and with which code.';

insert into private.event_types (name, payload, happens) values
  ('identity.user_registered', '{userId,email,inviterUserId}',
   'a person has registered'),
  ('identity.invite_code.used', '{codeId,newUserId,inviterUserId}',
   'a person has registered; the payload names the code that they used');
insert into private.outbound_events (event, subject_type, subject_field, fields, people) values
  ('identity.user_registered', 'person', 'userId', '{}', '{userId}');

insert into private.errors (code, status, text) values
  ('invite_unknown', 404, 'There is no such invite code.'),
  ('invite_reserved', 409, 'Somebody else has reserved this invite code. Try again in half an hour.'),
  ('invite_dead', 410, 'This invite code was used, has expired or was revoked.'),
  ('reservation_over', 410, 'This reservation has expired or was already used. Reserve the invite code again.');

insert into private.lock_kinds (kind, position) values ('first admin', 200), ('candidate', 200), ('invite code', 210);

create function private.random_code() returns text
language plpgsql volatile
set search_path = ''
as $$
declare
  c_alphabet constant text := 'ABCDEFGHIJKLMNOPQRSTUVWXYZ23456789';
  v_code text := '';
  v_byte integer;
begin
  while length(v_code) < 6 loop
    v_byte := get_byte(extensions.gen_random_bytes(1), 0);
    -- 204 is the largest multiple of 34 in a byte; higher values would favour the first letters
    if v_byte < 204 then
      v_code := v_code || substr(c_alphabet, v_byte % 34 + 1, 1);
    end if;
  end loop;
  return 'INV-' || v_code;
end $$;
comment on function private.random_code is 'INV- and six characters of A-Z and 2-9 from the secure random source.';

create function private.make_invite_code(p_owner uuid) returns app.invite_codes
language plpgsql volatile
set search_path = ''
as $$
declare
  v_code app.invite_codes;
begin
  loop
    insert into app.invite_codes (code, generated_by) values (private.random_code(), p_owner)
    on conflict (code) do nothing
    returning * into v_code;
    exit when found;
  end loop;
  return v_code;
end $$;
comment on function private.make_invite_code is 'Creates an active code of a person.';

create function private.release_reservations() returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_released integer;
begin
  update app.invite_codes
  set status = case when expires_at <= now() then 'expired' else 'active' end,
      reservation_id = null, candidate_session_id = null, reserved_until = null
  where id in (select id from app.invite_codes
               where status = 'reserved' and reserved_until <= now()
               order by reserved_until limit 500
               for update skip locked);   -- skips codes that a concurrent request is using
  get diagnostics v_released = row_count;
  return v_released;
end $$;
comment on function private.release_reservations is
  'Ends up to 500 reservations whose half hour is over: their codes become active again, or expired. Returns the '
  'number of ended reservations.';

create function api.reserve_invite(p_code text, p_candidate_session_id uuid default null) returns json
language plpgsql volatile security definer   -- only for gate: without a token, policies show no rows
set search_path = ''
as $$
declare
  v_code app.invite_codes;
begin
  perform private.release_reservations();
  if p_candidate_session_id is not null then
    -- lock, so that a candidate has one reservation after two concurrent requests
    perform private.lock('candidate', p_candidate_session_id::text);
  end if;

  perform private.check_lock_order('invite code');
  select * into v_code from app.invite_codes where code = upper(btrim(p_code)) for update;
  if not found then
    perform private.raise_error('invite_unknown');
  elsif v_code.status in ('used', 'expired', 'revoked') or v_code.expires_at <= now()
     or exists (select from app.users u where u.id = v_code.generated_by
                and (u.banned_at is not null or u.erased_at is not null)) then
    perform private.raise_error('invite_dead');
  elsif v_code.status = 'reserved' and v_code.reserved_until > now()
    and v_code.candidate_session_id is distinct from p_candidate_session_id then
    perform private.raise_error('invite_reserved');
  elsif v_code.status = 'reserved' and v_code.reserved_until > now() and p_candidate_session_id is null then
    perform private.raise_error('invite_reserved');
  end if;

  update app.invite_codes
  set status = 'active', reservation_id = null, candidate_session_id = null, reserved_until = null
  where candidate_session_id = p_candidate_session_id and status = 'reserved' and id <> v_code.id;

  update app.invite_codes
  set status = 'reserved', reservation_id = gen_random_uuid(),
      candidate_session_id = p_candidate_session_id, reserved_until = now() + interval '30 minutes'
  where id = v_code.id
  returning * into v_code;
  return json_build_object('sessionId', v_code.reservation_id, 'expiresAt', private.utc(v_code.reserved_until));
end $$;
comment on function api.reserve_invite is
  'Reserves a code for 30 minutes: {sessionId, expiresAt}. It first ends reservations that are over. If a candidate '
  'reserves again, their earlier reservation ends.';

create function api.reserve_invite_code(p_code text, p_candidate_session_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_reservation json := api.reserve_invite(p_code, p_candidate_session_id);
begin
  return json_build_object('inviteCodeId', v_reservation ->> 'sessionId',
                           'reservedUntil', v_reservation ->> 'expiresAt');
end $$;
comment on function api.reserve_invite_code is
  'Reserves a code like api.reserve_invite, with other field names: {inviteCodeId, reservedUntil}. inviteCodeId is '
  'the secret of the reservation, not the id of the code.';

create function private.redeem_invite(
  p_session_id uuid, p_email text, p_password_hash text, p_first_name text, p_last_name text,
  p_date_of_birth date, p_country text, p_city text
) returns uuid
language plpgsql volatile
set search_path = ''
as $$
declare
  v_code   app.invite_codes;
  v_person uuid;
begin
  if p_date_of_birth > current_date - interval '18 years' then
    perform private.raise_error('under_age');
  end if;

  perform private.check_lock_order('invite code');
  select * into v_code from app.invite_codes where reservation_id = p_session_id for update;
  if not found or v_code.status <> 'reserved' or v_code.reserved_until <= now()
     or exists (select from app.users u where u.id = v_code.generated_by
                and (u.banned_at is not null or u.erased_at is not null)) then
    perform private.raise_error('reservation_over');
  end if;

  v_person := private.create_person(p_email, p_password_hash, p_first_name, p_last_name,
                                    p_date_of_birth, p_country, p_city);
  update app.invite_codes set status = 'used', used_by = v_person, used_at = now() where id = v_code.id;
  insert into app.invite_tree (invitee_id, inviter_id, code_id) values (v_person, v_code.generated_by, v_code.id);
  perform private.emit('identity.user_registered', json_build_object(
    'userId', v_person, 'email', btrim(p_email), 'inviterUserId', v_code.generated_by));
  perform private.emit('identity.invite_code.used', json_build_object(
    'codeId', v_code.id, 'newUserId', v_person, 'inviterUserId', v_code.generated_by), array[v_code.generated_by]);
  return v_person;
end $$;
comment on function private.redeem_invite is
  'Redeems a reservation and creates the person, who has no password if p_password_hash is null. Returns the person. '
  'A failure does not change the reservation.';

create function api.register(
  p_session_id uuid, p_email text, p_password_hash text, p_first_name text, p_last_name text,
  p_date_of_birth date, p_country text, p_city text, p_seconds integer,
  p_family uuid default null, p_refresh_hash bytea default null, p_user_agent text default null,
  p_verification_id uuid default null, p_verification_hash bytea default null,
  p_device text default null, p_address text default null
) returns json
language plpgsql volatile security definer   -- only for gate: without a token, policies show no rows
set search_path = ''
as $$
declare
  v_person uuid := private.redeem_invite(p_session_id, p_email, p_password_hash, p_first_name, p_last_name,
                                         p_date_of_birth, p_country, p_city);
  v_claims json;
begin
  if p_verification_id is not null then
    perform private.mail_verification(v_person, btrim(p_email), null, p_verification_id, p_verification_hash);
  end if;
  v_claims := private.issue_claims(v_person, p_seconds);
  perform private.start_session(p_family, v_claims, p_refresh_hash, p_user_agent, p_device, p_address);
  return private.login_answer(v_person, v_claims);
end $$;
comment on function api.register is
  'For the facade alone: redeems a reservation and creates the person: {claims, user, credentialsVersion}. '
  'p_family is the id of the session; with p_refresh_hash it is a rotating one. With p_verification_id it mails a '
  'link that verifies the address. A failure does not change the reservation.';

create function private.ensure_first_admin(p_email text, p_password_hash text) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_admin uuid;
begin
  perform private.lock('first admin');   -- several facades may boot concurrently
  if exists (select from app.users where role = 'admin') then
    return null;
  end if;
  v_admin := private.create_person(p_email, p_password_hash, 'Admin', 'Admin', null, null, null, 'admin');
  update app.accounts set email_verified_at = now() where user_id = v_admin;   -- the operator configured the address
  -- people cannot choose this username, but an erased admin may have had it
  insert into app.usernames (hash, username, user_id) values (private.username_hash('admin'), 'admin', v_admin)
  on conflict (hash) do nothing;
  if found then
    update app.users set username = 'admin' where id = v_admin;
  end if;
  return (select json_agg((private.make_invite_code(v_admin)).code) from generate_series(1, 3));
end $$;
comment on function private.ensure_first_admin is
  'At boot: if there is no admin, creates the first admin and returns their first invite codes; otherwise returns '
  'null.';

insert into private.links (type, path) values ('invite-code', '/invites');
