-- Second factors: an authenticator app (TOTP), recovery codes, and fresh proofs of the identity of a session's user.
-- docs/decisions.md, Second factors.

create table private.totp (
  user_id      uuid primary key references app.users on delete cascade,
  secret       bytea not null check (length(secret) = 20),
  created_at   timestamptz not null default now(),
  confirmed_at timestamptz,
  last_step    bigint not null default 0,
  last_used_at timestamptz
);
comment on table private.totp is
  'The authenticator app of a person (RFC 6238: SHA-1, 6 digits, 30 seconds). It is a second factor from confirmed_at '
  'on.';
comment on column private.totp.confirmed_at is
  'When a code of the app proved that it has the secret; null until then.';
comment on column private.totp.last_step is
  'The time step of the last code that was used: unix seconds / 30. Only codes of later steps are accepted.';
comment on column private.totp.last_used_at is 'When a code of the app was last used; null if none was used yet.';

create table private.recovery_codes (
  user_id    uuid not null references app.users on delete cascade,
  number     smallint not null check (number between 1 and 10),
  code_hash  bytea not null check (length(code_hash) = 32),
  created_at timestamptz not null default now(),
  used_at    timestamptz,
  primary key (user_id, number)
);
comment on table private.recovery_codes is
  'SHA-256 of recovery codes. Each code can be used once instead of a code of the app. It has 80 random bits, so a '
  'fast hash is enough.';
comment on column private.recovery_codes.number is 'From 1 to 10.';
comment on column private.recovery_codes.used_at is 'When the code was used; null until then.';

create table private.proofs (
  user_id    uuid not null references app.users on delete cascade,
  issued_at  bigint not null,
  expires_at bigint not null,
  session_id uuid,
  proved_at  timestamptz not null default now(),
  primary key (user_id, issued_at, expires_at)
);
create index proofs_proved_at_idx on private.proofs (proved_at);
comment on table private.proofs is
  'Fresh proofs: when the user of a session last proved their identity. The key is the access token (iat, exp) of '
  'that request.';
comment on column private.proofs.issued_at is 'iat of the token, in unix seconds.';
comment on column private.proofs.expires_at is 'exp of the token, in unix seconds.';
comment on column private.proofs.proved_at is 'When the user of the session last proved their identity.';
comment on column private.proofs.session_id is
  'The session that issued the token, because all tokens of a session share the proof. Null if there is none.';
insert into private.retention (relation, counts_from, keep) values ('private.proofs', 'proved_at', '1 day');

insert into private.errors (code, status, text) values
  ('factor_required', 403, 'This account has a second factor. Also send the code of the app or a recovery code, or '
                           'log in with a passkey.'),
  ('code_wrong', 403, 'The code is wrong, or it was already used.'),
  ('proof_required', 403, 'Prove first that it is you: POST /auth/proof. A proof is valid for 10 minutes.'),
  ('factor_unknown', 404, 'You have no such factor.'),
  ('factor_needed', 409, 'Your role requires a second factor, and this is your last one.'),
  ('totp_already', 409, 'You already have an authenticator app. Remove it first.');

create function private.has_factor(p_user uuid) returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  return exists (select from private.people_with_factor where user_id = p_user);
end $$;
comment on function private.has_factor is 'Returns whether a person has a second factor.';

create function private.totp_code(p_secret bytea, p_step bigint) returns text
language plpgsql immutable
set search_path = ''
as $$
declare
  v_hash  bytea := extensions.hmac(int8send(p_step), p_secret, 'sha1');
  v_start integer := get_byte(v_hash, 19) & 15;
begin
  return lpad(((((get_byte(v_hash, v_start) & 127) << 24) | (get_byte(v_hash, v_start + 1) << 16)
                | (get_byte(v_hash, v_start + 2) << 8) | get_byte(v_hash, v_start + 3)) % 1000000)::text, 6, '0');
end $$;
comment on function private.totp_code is 'The code of a time step (RFC 6238, with the truncation of RFC 4226).';

create function private.base32(p_secret bytea) returns text
language plpgsql immutable
set search_path = ''
as $$
declare
  v_bits text := (select string_agg(get_byte(p_secret, n)::bit(8)::text, '' order by n)
                  from generate_series(0, length(p_secret) - 1) n);
begin
  return (select string_agg(substr('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', substr(v_bits, n, 5)::bit(5)::integer + 1, 1),
                            '' order by n)
          from generate_series(1, length(v_bits), 5) n);
end $$;
comment on function private.base32 is
  'A secret in base32 (RFC 4648), the form that apps read. The number of bits must be a multiple of 5.';

create function private.use_totp(p_user uuid, p_code text) returns boolean
language plpgsql volatile
set search_path = ''
as $$
declare
  v_now  bigint := floor(extract(epoch from clock_timestamp()) / 30);
  v_totp private.totp;
  v_step bigint;
begin
  -- lock the row, so that only one of two concurrent requests with the same code succeeds
  select * into v_totp from private.totp where user_id = p_user for update;
  select s into v_step from generate_series(v_now - 1, v_now + 1) s
  -- compare keyed hashes, so that the duration reveals nothing about the code
  where s > v_totp.last_step
    and extensions.hmac(convert_to(private.totp_code(v_totp.secret, s), 'UTF8'), v_totp.secret, 'sha256')
      = extensions.hmac(convert_to(p_code, 'UTF8'), v_totp.secret, 'sha256')
  order by s limit 1;
  update private.totp set last_step = v_step, last_used_at = now() where user_id = p_user and v_step is not null;
  return v_step is not null;
end $$;
comment on function private.use_totp is
  'Uses up a code of the app, even if the app is not confirmed yet. The clock may differ by one step. Returns false '
  'if the code is wrong, or if a code of its step or of a later one was used before.';

create function private.mail_about_factor(p_user uuid, p_letter text) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.enqueue('mail', json_build_object(
    'noticeId', gen_random_uuid(), 'userId', p_user, 'letter', p_letter));
end $$;
comment on function private.mail_about_factor is
  'Queues a mail to a person about a change of their factors: factorAdded, factorRemoved, recoveryUsed, '
  'recoveryRenewed, passkeyAdded, passkeyRemoved or passkeyEnded.';

create function private.find_notice_mail(p_user uuid) returns json
language plpgsql stable security definer   -- only for the worker, which has no access to Kith's tables
set search_path = ''
as $$
begin
  return (select json_build_object('to', a.email)
          from app.accounts a join app.users u on u.id = a.user_id and u.erased_at is null
          where a.user_id = p_user);
end $$;
comment on function private.find_notice_mail is
  'For the worker alone: the address of a person, {to}, or null if they were erased.';

create function private.use_code(p_user uuid, p_code text) returns boolean
language plpgsql volatile
set search_path = ''
as $$
declare
  v_code text := lower(regexp_replace(p_code, '[\s-]', '', 'g'));
begin
  if v_code ~ '^\d{6}$' then
    return exists (select from private.totp where user_id = p_user and confirmed_at is not null)
      and private.use_totp(p_user, v_code);
  end if;
  -- the update locks the row, so that only one of two concurrent requests with the same code succeeds
  update private.recovery_codes set used_at = now()
  where user_id = p_user and used_at is null and code_hash = sha256(convert_to(v_code, 'UTF8'));
  if not found then
    return false;
  end if;
  perform private.mail_about_factor(p_user, 'recoveryUsed');
  return true;
end $$;
comment on function private.use_code is
  'Uses up a code of the app or a recovery code, with or without blanks and dashes. Returns false if it is wrong or '
  'was used before.';

create function private.require_code(p_user uuid, p_code text) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  if not private.has_factor(p_user) then
    return;
  elsif p_code is null then
    perform private.raise_error('factor_required');
  elsif not private.use_code(p_user, p_code) then
    perform private.raise_error('code_wrong');
  end if;
end $$;
comment on function private.require_code is
  'Passes if the person has no second factor, or if this is one of their codes, which is then used up.';

create function private.note_proof(p_claims jsonb, p_session uuid) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  insert into private.proofs (user_id, issued_at, expires_at, session_id)
  values ((p_claims ->> 'sub')::uuid, (p_claims ->> 'iat')::bigint, (p_claims ->> 'exp')::bigint, p_session)
  on conflict (user_id, issued_at, expires_at) do update set proved_at = now();
end $$;
comment on function private.note_proof is 'Records a fresh proof for the session of an access token.';

create function private.own_session() returns uuid
language plpgsql stable
set search_path = ''
as $$
begin
  return (select s.id from app.sessions s
          where s.user_id = app.uid() and s.ended_at is null and s.live_tokens @> private.own_token());
end $$;
comment on function private.own_session is
  'The session that issued the token of this request; null if no session lists the token, because it is older than '
  'the list of sessions.';

create function private.proved_at() returns timestamptz
language plpgsql stable security definer   -- people may not read proofs
set search_path = ''
as $$
declare
  v_claims  jsonb := current_setting('request.jwt.claims')::jsonb;
  v_session uuid := private.own_session();
begin
  return (select max(p.proved_at) from private.proofs p
          where p.user_id = private.require_caller()
            and (p.session_id = v_session
                 or (p.issued_at, p.expires_at) = ((v_claims ->> 'iat')::bigint, (v_claims ->> 'exp')::bigint)));
end $$;
comment on function private.proved_at is
  'When the user of this request''s session last proved their identity; null if never.';

create function private.require_proof(p_within interval default '10 minutes') returns void
language plpgsql stable security definer   -- people may not read who has a factor
set search_path = ''
as $$
begin
  if private.has_factor(private.require_caller())
     and (private.proved_at() > now() - p_within) is not true then
    perform private.raise_error('proof_required');
  end if;
end $$;
comment on function private.require_proof is
  'Passes if the caller has no second factor, or if this session gave a fresh proof within this time.';

create function private.require_proof_of_all() returns void
language plpgsql stable security definer   -- people may not read proofs
set search_path = ''
as $$
begin
  if (private.proved_at() > now() - interval '10 minutes') is not true then
    perform private.raise_error('proof_required');
  end if;
end $$;
comment on function private.require_proof_of_all is
  'Does the same as private.require_proof, but also requires a proof from people without a second factor, who give '
  'their password.';

create function private.renew_recovery_codes(p_user uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_codes text[] := array(select encode(extensions.gen_random_bytes(10), 'hex') from generate_series(1, 10));
begin
  insert into private.recovery_codes (user_id, number, code_hash)
  select p_user, n, sha256(convert_to(c, 'UTF8')) from unnest(v_codes) with ordinality as t (c, n)
  on conflict (user_id, number) do update
    set code_hash = excluded.code_hash, created_at = now(), used_at = null;
  return (select json_agg(regexp_replace(c, '(.{5})(?=.)', '\1-', 'g') order by n)
          from unnest(v_codes) with ordinality as t (c, n));
end $$;
comment on function private.renew_recovery_codes is
  'Replaces the recovery codes of a person, and returns the ten new ones. Only their hashes are stored.';

create function private.first_recovery_codes(p_user uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  if exists (select from private.recovery_codes where user_id = p_user and used_at is null) then
    return null;
  end if;
  return private.renew_recovery_codes(p_user);
end $$;
comment on function private.first_recovery_codes is
  'The new recovery codes of a person who adds a factor, or null if they have unused codes, which stay.';

create function private.list_own_factors() returns json
language plpgsql stable security definer   -- people may not read factors, because they contain secrets
set search_path = ''
as $$
declare
  v_caller uuid := private.require_caller();
begin
  return (
    select json_build_object(
      'totp', (select json_build_object('createdAt', private.utc(t.confirmed_at),
                                        'lastUsedAt', private.utc(t.last_used_at))
               from private.totp t where t.user_id = v_caller and t.confirmed_at is not null),
      'passkeys', coalesce((select json_agg(private.passkey_card(p) order by p.created_at, p.id)
                            from private.passkeys p where p.user_id = v_caller), '[]'),
      'recoveryCodesLeft', (select count(*) from private.recovery_codes r
                            where r.user_id = v_caller and r.used_at is null),
      'isRequired', private.needs_factor(u.role),
      'provedUntil', (select private.utc(p + interval '10 minutes') from private.proved_at() p
                      where p > now() - interval '10 minutes'))
    from app.users u where u.id = v_caller);
end $$;
comment on function private.list_own_factors is 'The caller''s factors, as api.list_factors returns them.';

create function api.list_factors() returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return private.list_own_factors();
end $$;
comment on function api.list_factors is
  'The caller''s second factors: {totp: {createdAt, lastUsedAt} or null, passkeys: [{id, name, createdAt, '
  'lastUsedAt}], recoveryCodesLeft, isRequired (by the caller''s role), provedUntil '
  '(null if this session has no fresh proof)}.';

create function private.start_own_totp() returns json
language plpgsql volatile security definer   -- people may not write factors
set search_path = ''
as $$
declare
  v_caller uuid := private.require_caller();
  v_secret text;
  v_name   text;
begin
  perform private.require_proof_of_all();
  insert into private.totp as t (user_id, secret) values (v_caller, extensions.gen_random_bytes(20))
  on conflict (user_id) do update set secret = excluded.secret, created_at = now()
    where t.confirmed_at is null
  returning private.base32(secret) into v_secret;
  if v_secret is null then
    perform private.raise_error('totp_already');
  end if;
  select u.username || '@' || i.domain into v_name
  from app.users u cross join private.instance i where u.id = v_caller;
  return json_build_object(
    'secret', v_secret,
    'url', format('otpauth://totp/Kith:%s?secret=%s&issuer=Kith&algorithm=SHA1&digits=6&period=30',
                  replace(v_name, '@', '%40'), v_secret));
end $$;
comment on function private.start_own_totp is 'Begins adding an authenticator app, as described at api.start_totp.';

create function api.start_totp() returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  return private.start_own_totp();
end $$;
comment on function api.start_totp is
  'Begins adding an authenticator app: {secret (base32), url (otpauth:)}, which are shown only once. The app becomes '
  'a second factor when a code of it is confirmed. Repeating it makes another secret.';

create function api.confirm_totp(
  p_code text, p_seconds integer,
  p_family uuid default null, p_refresh_hash bytea default null, p_user_agent text default null,
  p_device text default null, p_address text default null
) returns json
language plpgsql volatile security definer   -- only for gate: people may not write factors or issue claims
set search_path = ''
as $$
declare
  v_caller uuid := private.require_caller();
  v_claims json;
begin
  perform private.check_lock_order('credentials', v_caller::text);
  perform from private.credentials where user_id = v_caller for update;
  perform private.check_caller();   -- check again, because the token may have ended during the wait
  perform private.require_proof_of_all();
  perform from private.totp where user_id = v_caller and confirmed_at is null for update;
  if not found then
    perform private.raise_error('factor_unknown');
  elsif not private.use_totp(v_caller, p_code) then
    perform private.raise_error('code_wrong');
  end if;
  update private.totp set confirmed_at = now() where user_id = v_caller;
  insert into private.people_with_factor (user_id) values (v_caller) on conflict do nothing;
  -- other sessions began with only the password
  perform private.end_tokens(v_caller);
  perform private.mail_about_factor(v_caller, 'factorAdded');
  v_claims := private.issue_claims(v_caller, p_seconds);
  perform private.start_session(p_family, v_claims, p_refresh_hash, p_user_agent, p_device, p_address);
  perform private.note_proof(v_claims::jsonb, p_family);
  return (private.login_answer(v_caller, v_claims)::jsonb
          || jsonb_build_object('recoveryCodes', private.first_recovery_codes(v_caller)))::json;
end $$;
comment on function api.confirm_totp is
  'For the facade alone: the caller''s authenticator app becomes a second factor. Ends all tokens and sessions, and '
  'returns {claims, user, credentialsVersion, recoveryCodes} for new tokens. recoveryCodes is null if the caller has '
  'unused ones. p_family is the id of the new session; with p_refresh_hash it is a rotating one.';

create function private.forget_factors(p_user uuid) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  delete from private.totp where user_id = p_user;
  delete from private.passkeys where user_id = p_user;
  delete from private.passkey_challenges where user_id = p_user;
  delete from private.recovery_codes where user_id = p_user;
  delete from private.proofs where user_id = p_user;
  delete from private.people_with_factor where user_id = p_user;
end $$;
comment on function private.forget_factors is 'Deletes all factors of a person, with their recovery codes and proofs.';

create function private.remove_own_totp() returns void
language plpgsql volatile security definer   -- people may not write factors
set search_path = ''
as $$
declare
  v_caller uuid := private.require_caller();
begin
  perform private.check_lock_order('credentials', v_caller::text);
  perform from private.credentials where user_id = v_caller for update;
  perform private.check_caller();   -- check again, because the caller's role may have changed during the wait
  perform private.require_proof();
  delete from private.totp where user_id = v_caller and confirmed_at is not null;
  if not found then
    perform private.raise_error('factor_unknown');
  end if;
  perform private.end_factor(v_caller);
  perform private.mail_about_factor(v_caller, 'factorRemoved');
end $$;
comment on function private.remove_own_totp is
  'Removes the caller''s authenticator app, as described at api.remove_totp.';

create function api.remove_totp() returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.remove_own_totp();
  return null;   -- the response is 204
end $$;
comment on function api.remove_totp is
  'Removes the caller''s authenticator app. If it is the last factor, also removes the recovery codes, and fails if '
  'the caller''s role requires a factor.';

create function private.renew_own_recovery_codes() returns json
language plpgsql volatile security definer   -- people may not write recovery codes
set search_path = ''
as $$
declare
  v_caller uuid := private.require_caller();
begin
  perform private.check_lock_order('credentials', v_caller::text);
  perform from private.credentials where user_id = v_caller for update;
  if not private.has_factor(v_caller) then
    perform private.raise_error('factor_unknown');
  end if;
  perform private.require_proof();
  perform private.mail_about_factor(v_caller, 'recoveryRenewed');
  return json_build_object('recoveryCodes', private.renew_recovery_codes(v_caller));
end $$;
comment on function private.renew_own_recovery_codes is 'Replaces the caller''s recovery codes: {recoveryCodes}.';

create function api.renew_recovery_codes() returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  return private.renew_own_recovery_codes();
end $$;
comment on function api.renew_recovery_codes is
  'Replaces the caller''s recovery codes, and returns the ten new ones, {recoveryCodes}, which are shown only once.';

create function api.prove(p_password_hash text default null, p_code text default null) returns json
language plpgsql volatile security definer   -- only for gate: trusts the facade to have checked the password
set search_path = ''
as $$
declare
  v_caller uuid := private.require_caller();
begin
  perform private.check_lock_order('credentials', v_caller::text);
  perform from private.credentials
  where user_id = v_caller and (p_password_hash is null or password_hash = p_password_hash)
  for update;
  if not found then
    -- the password changed while the facade checked it, which ended this token
    perform private.raise_error('token_revoked');
  end if;
  perform private.check_caller();   -- check again, because the token may have ended during the wait
  perform private.require_code(v_caller, p_code);
  if not private.has_factor(v_caller) and p_password_hash is null then
    perform private.raise_error('code_wrong');
  end if;
  perform private.note_proof(current_setting('request.jwt.claims')::jsonb, private.own_session());
  return json_build_object('provedUntil', private.utc(now() + interval '10 minutes'));
end $$;
comment on function api.prove is
  'For the facade alone: records a fresh proof of this session, {provedUntil}. People with a second factor give a '
  'code. The others give their password, which the facade has checked.';
