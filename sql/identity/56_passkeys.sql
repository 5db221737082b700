-- Passkeys are keys on a person's devices (WebAuthn), with which the person logs in and gives fresh proofs. The facade
-- checks signatures; the rules about keys and challenges are here. docs/decisions.md, Second factors.

create table private.passkeys (
  id            uuid primary key default gen_random_uuid(),
  user_id       uuid not null references app.users on delete cascade,
  credential_id bytea not null check (length(credential_id) between 1 and 1023),
  public_key    bytea not null check (length(public_key) between 1 and 4000),
  counter       bigint not null check (counter >= 0),
  transports    text[] not null default '{}' check (cardinality(transports) <= 10),
  name          text not null check (length(btrim(name)) > 0 and length(name) <= 60),
  created_at    timestamptz not null default now(),
  last_used_at  timestamptz
);
create unique index passkeys_credential_id_idx on private.passkeys (credential_id);
create index passkeys_user_id_idx on private.passkeys (user_id, created_at);
comment on table private.passkeys is 'The passkeys of people, at most ten for each person.';
comment on column private.passkeys.credential_id is 'The id that the device gave the key.';
comment on column private.passkeys.public_key is 'The public key, encoded as COSE (RFC 9052).';
comment on column private.passkeys.counter is
  'The number of uses that the device reports; 0 if it does not count. If the number does not rise, somebody may '
  'have a copy of the key.';
comment on column private.passkeys.transports is
  'The ways in which browsers reach the device: usb, nfc, ble, internal, hybrid and others.';
comment on column private.passkeys.name is 'The name that the person gave the passkey.';
comment on column private.passkeys.last_used_at is 'When the passkey was last used; null if never.';

create table private.passkey_challenges (
  slot           integer primary key check (slot between 0 and 65535),
  challenge_hash bytea not null check (length(challenge_hash) = 32),
  user_id        uuid references app.users on delete cascade,
  purpose        text not null check (purpose in ('add', 'login', 'proof')),
  created_at     timestamptz not null default now()
);
create index passkey_challenges_challenge_hash_idx on private.passkey_challenges (challenge_hash);
create index passkey_challenges_user_id_idx on private.passkey_challenges (user_id, created_at);
create index passkey_challenges_created_at_idx on private.passkey_challenges (created_at);
comment on table private.passkey_challenges is
  'SHA-256 of the challenges that wait for the signature of a passkey. Each can be used once, within five minutes. '
  'A new challenge takes a random slot and replaces the challenge in it, so that strangers can''t fill the table.';
comment on column private.passkey_challenges.slot is 'A random number from 0 to 65535.';
comment on column private.passkey_challenges.user_id is 'The person who requested the challenge; null for a login.';
insert into private.retention (relation, counts_from, keep) values
  ('private.passkey_challenges', 'created_at', '5 minutes');

insert into private.errors (code, status, text) values
  ('passkey_wrong', 403, 'The passkey is not accepted. Ask for a new challenge, and try again.'),
  ('passkeys_full', 409, 'You have ten passkeys. Remove one first.');

create function private.note_challenge(p_challenge_hash bytea, p_user uuid, p_purpose text) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  insert into private.passkey_challenges (slot, challenge_hash, user_id, purpose)
  values (floor(random() * 65536), p_challenge_hash, p_user, p_purpose)
  on conflict (slot) do update
    set challenge_hash = excluded.challenge_hash, user_id = excluded.user_id, purpose = excluded.purpose,
        created_at = excluded.created_at;
end $$;
comment on function private.note_challenge is 'Stores a challenge for five minutes.';

create function private.passkey_card(p_passkey private.passkeys) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return json_build_object('id', p_passkey.id, 'name', p_passkey.name,
                           'createdAt', private.utc(p_passkey.created_at),
                           'lastUsedAt', private.utc(p_passkey.last_used_at));
end $$;
comment on function private.passkey_card is 'A passkey as its person sees it: {id, name, createdAt, lastUsedAt}.';

create function private.known_credentials(p_user uuid) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return coalesce(
    (select json_agg(json_build_object('id', encode(credential_id, 'hex'), 'transports', transports) order by id)
     from private.passkeys where user_id = p_user), '[]');
end $$;
comment on function private.known_credentials is
  'The ids of a person''s passkeys in hex, for a browser: [{id, transports}].';

create function api.start_passkey(p_challenge_hash bytea) returns json
language plpgsql volatile security definer   -- only for gate: people may not write factors
set search_path = ''
as $$
declare
  v_caller uuid := private.require_caller();
begin
  perform private.require_proof_of_all();
  if (select count(*) >= 10 from private.passkeys where user_id = v_caller) then
    perform private.raise_error('passkeys_full');
  end if;
  perform private.note_challenge(p_challenge_hash, v_caller, 'add');
  return (select json_build_object('handle', encode(sha256(convert_to('passkey ' || id, 'UTF8')), 'hex'),
                                   'username', username, 'known', private.known_credentials(id))
          from app.users where id = v_caller);
end $$;
comment on function api.start_passkey is
  'For the facade alone: stores the challenge of a new passkey. {handle (the user handle for the device, hex), '
  'username, known: the passkeys that the caller has}.';

create function api.start_passkey_login(p_challenge_hash bytea) returns json
language plpgsql volatile security definer   -- only for gate: callers may not write challenges
set search_path = ''
as $$
begin
  perform private.note_challenge(p_challenge_hash, null, 'login');
  return json_build_object('ok', true);
end $$;
comment on function api.start_passkey_login is 'For the facade alone: stores the challenge of a login, {ok}.';

create function api.start_passkey_proof(p_challenge_hash bytea) returns json
language plpgsql volatile security definer   -- only for gate: callers may not write challenges
set search_path = ''
as $$
declare
  v_caller uuid := private.require_caller();
begin
  perform private.note_challenge(p_challenge_hash, v_caller, 'proof');
  return json_build_object('known', private.known_credentials(v_caller));
end $$;
comment on function api.start_passkey_proof is
  'For the facade alone: stores the challenge of a fresh proof, {known: the passkeys that the caller has}.';

create function api.take_passkey_challenge(p_challenge_hash bytea, p_purpose text, p_credential_id bytea) returns json
language plpgsql volatile security definer   -- only for gate: without a token, policies show no rows
set search_path = ''
as $$
begin
  -- the transaction ends before the facade checks the signature, so a wrong signature uses up the challenge, too
  delete from private.passkey_challenges
  where challenge_hash = p_challenge_hash and purpose = p_purpose and user_id is not distinct from app.uid()
    and created_at > now() - interval '5 minutes';
  return (
    select json_build_object(
      'isOpen', found,
      'passkey', (select json_build_object('id', p.id, 'userId', p.user_id,
                                           'publicKey', encode(p.public_key, 'hex'),
                                           'credentialsVersion', u.credentials_version)
                  from private.passkeys p join app.users u on u.id = p.user_id
                  where p.credential_id = p_credential_id and p_purpose <> 'add'
                    and (app.uid() is null or p.user_id = app.uid()))));
end $$;
comment on function api.take_passkey_challenge is
  'For the facade alone: uses up a challenge. Returns {isOpen: whether the challenge was valid for this purpose and '
  'caller, passkey: {id, userId, publicKey (hex), credentialsVersion}, or null if the caller may use no such '
  'passkey}.';

create function api.add_passkey(
  p_credential_id bytea, p_public_key bytea, p_counter bigint, p_transports text[], p_name text, p_seconds integer,
  p_family uuid default null, p_refresh_hash bytea default null, p_user_agent text default null,
  p_device text default null, p_address text default null
) returns json
language plpgsql volatile security definer   -- only for gate: people may not write factors or issue claims
set search_path = ''
as $$
declare
  v_caller  uuid := private.require_caller();
  v_first   boolean;
  v_passkey private.passkeys;
  v_claims  json;
begin
  perform private.check_lock_order('credentials', v_caller::text);
  perform from private.credentials where user_id = v_caller for update;
  perform private.check_caller();   -- check again, because the token may have ended during the wait
  perform private.require_proof_of_all();
  if (select count(*) >= 10 from private.passkeys where user_id = v_caller) then
    perform private.raise_error('passkeys_full');
  end if;
  insert into private.passkeys (user_id, credential_id, public_key, counter, transports, name)
  values (v_caller, p_credential_id, p_public_key, p_counter, p_transports, private.require_name(p_name))
  on conflict (credential_id) do nothing
  returning * into v_passkey;
  if v_passkey.id is null then
    perform private.raise_error('passkey_wrong');   -- the same error as for every other fault
  end if;
  insert into private.people_with_factor (user_id) values (v_caller) on conflict do nothing;
  v_first := found;
  perform private.mail_about_factor(v_caller, 'passkeyAdded');
  if not v_first then
    return json_build_object('passkey', private.passkey_card(v_passkey));
  end if;
  -- other sessions began with only the password
  perform private.end_tokens(v_caller);
  v_claims := private.issue_claims(v_caller, p_seconds);
  perform private.start_session(p_family, v_claims, p_refresh_hash, p_user_agent, p_device, p_address);
  perform private.note_proof(v_claims::jsonb, p_family);
  return (private.login_answer(v_caller, v_claims)::jsonb
          || jsonb_build_object('passkey', private.passkey_card(v_passkey),
                                'recoveryCodes', private.renew_recovery_codes(v_caller)))::json;
end $$;
comment on function api.add_passkey is
  'For the facade alone, after it has checked the signature: adds a passkey, {passkey}. If it is the caller''s first '
  'factor, all tokens and sessions end, and the answer also has {claims, user, credentialsVersion, recoveryCodes} for '
  'new tokens. p_family is the id of the new session; with p_refresh_hash it is a rotating one.';

create function private.use_passkey(p_id uuid, p_user uuid, p_counter bigint) returns boolean
language plpgsql volatile
set search_path = ''
as $$
declare
  v_counter bigint;
begin
  select counter into v_counter from private.passkeys where id = p_id and user_id = p_user for update;
  if not found then
    perform private.raise_error('passkey_wrong');   -- the passkey was removed meanwhile
  elsif (p_counter > 0 or v_counter > 0) and p_counter <= v_counter then
    -- somebody has a copy of the key, and perhaps a session; the other factors and the recovery codes remain valid
    delete from private.passkeys where id = p_id;
    perform private.end_tokens(p_user);
    delete from private.proofs where user_id = p_user;
    perform private.mail_about_factor(p_user, 'passkeyEnded');
    return false;
  end if;
  update private.passkeys set counter = p_counter, last_used_at = now() where id = p_id;
  return true;
end $$;
comment on function private.use_passkey is
  'Records that a passkey was used. If its counter did not rise, the passkey and all tokens and sessions of the '
  'person end, and the function returns false. The calling function must then return an error and not raise it.';

create function api.log_in_with_passkey(
  p_passkey uuid, p_user_id uuid, p_counter bigint, p_seconds integer,
  p_family uuid default null, p_refresh_hash bytea default null, p_user_agent text default null,
  p_device text default null, p_address text default null, p_alert_hash bytea default null
) returns json
language plpgsql volatile security definer   -- only for gate: without a token, policies show no rows
set search_path = ''
as $$
declare
  v_claims json;
begin
  perform private.check_lock_order('credentials', p_user_id::text);
  perform from private.credentials where user_id = p_user_id for update;
  perform private.check_not_banned(p_user_id);
  if not private.use_passkey(p_passkey, p_user_id, p_counter) then
    return private.error_response('passkey_wrong');   -- an error would roll back the end of the passkey
  end if;
  v_claims := private.issue_claims(p_user_id, p_seconds);
  perform private.start_session(p_family, v_claims, p_refresh_hash, p_user_agent, p_device, p_address, p_alert_hash);
  perform private.note_proof(v_claims::jsonb, p_family);
  return private.login_answer(p_user_id, v_claims);
end $$;
comment on function api.log_in_with_passkey is
  'For the facade alone, after it has checked the signature: logs the person in, {claims, user, credentialsVersion}, '
  'as api.log_in does. A passkey is both factors, and a fresh proof.';

create function api.prove_with_passkey(p_passkey uuid, p_counter bigint) returns json
language plpgsql volatile security definer   -- only for gate: trusts the facade to have checked the signature
set search_path = ''
as $$
declare
  v_caller uuid := private.require_caller();
begin
  perform private.check_lock_order('credentials', v_caller::text);
  perform from private.credentials where user_id = v_caller for update;
  perform private.check_caller();   -- check again, because the token may have ended during the wait
  if not private.use_passkey(p_passkey, v_caller, p_counter) then
    return private.error_response('passkey_wrong');   -- an error would roll back the end of the passkey
  end if;
  perform private.note_proof(current_setting('request.jwt.claims')::jsonb, private.own_session());
  return json_build_object('provedUntil', private.utc(now() + interval '10 minutes'));
end $$;
comment on function api.prove_with_passkey is
  'For the facade alone, after it has checked the signature: records a fresh proof of this session, {provedUntil}.';

create function private.rename_own_passkey(p_id uuid, p_name text) returns json
language plpgsql volatile security definer   -- people may not write factors
set search_path = ''
as $$
declare
  v_passkey private.passkeys;
begin
  if p_name is null then
    perform private.raise_error('value_invalid');
  end if;
  update private.passkeys set name = private.require_name(p_name)
  where id = p_id and user_id = private.require_caller()
  returning * into v_passkey;
  if not found then
    perform private.raise_error('factor_unknown');
  end if;
  return private.passkey_card(v_passkey);
end $$;
comment on function private.rename_own_passkey is
  'Renames a passkey of the caller, as described at api.rename_passkey.';

create function api.rename_passkey(p_id uuid, p_name text) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  return private.rename_own_passkey(p_id, p_name);
end $$;
comment on function api.rename_passkey is
  'Renames a passkey of the caller: {id, name, createdAt, lastUsedAt}. The name has 1 to 60 characters.';

create function private.end_factor(p_user uuid) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  if exists (select from private.totp where user_id = p_user and confirmed_at is not null)
     or exists (select from private.passkeys where user_id = p_user) then
    -- another session may have its proof from the removed factor
    delete from private.proofs where user_id = p_user and session_id is distinct from private.own_session();
  elsif private.needs_factor((select role from app.users where id = p_user)) then
    perform private.raise_error('factor_needed');
  else
    perform private.forget_factors(p_user);
  end if;
end $$;
comment on function private.end_factor is
  'Completes the removal of the caller''s app or passkey: ends the fresh proofs of other sessions. With the last '
  'factor it also deletes the recovery codes, and fails if the role requires a factor.';

create function private.remove_own_passkey(p_id uuid) returns void
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
  delete from private.passkeys where id = p_id and user_id = v_caller;
  if not found then
    perform private.raise_error('factor_unknown');
  end if;
  perform private.require_way_in(v_caller);
  perform private.end_factor(v_caller);
  perform private.mail_about_factor(v_caller, 'passkeyRemoved');
end $$;
comment on function private.remove_own_passkey is
  'Removes a passkey of the caller, as described at api.remove_passkey.';

create function api.remove_passkey(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.remove_own_passkey(p_id);
  return null;   -- the response is 204
end $$;
comment on function api.remove_passkey is
  'Removes a passkey of the caller. If it is the last factor, also removes the recovery codes, and fails if the '
  'caller''s role requires a factor.';
