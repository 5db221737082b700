-- Logging in with an OpenID provider. The facade calls the provider; the rules are here. To begin, the client chooses
-- a secret verifier and sends its hash, the challenge. The provider then sends the browser back to the facade, which
-- gives it a one-time code. Only a client that has the verifier can use this code. docs/decisions.md, Logins at an
-- OpenID provider.

create table private.identities (
  id           uuid primary key default gen_random_uuid(),
  user_id      uuid not null references app.users on delete cascade,
  issuer       text not null check (length(issuer) between 1 and 500),
  subject      text not null check (length(subject) between 1 and 255),
  email        text not null check (length(email) between 3 and 254),
  created_at   timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  constraint identity_taken unique (issuer, subject)
);
create index identities_user_id_idx on private.identities (user_id, created_at);
comment on table private.identities is
  'Accounts at OpenID providers with which people log in, at most 5 for each person.';
comment on column private.identities.issuer is 'The issuer: the address that identifies the provider.';
comment on column private.identities.subject is 'The id of the account at the provider, which never changes.';
comment on column private.identities.email is
  'The email address of the account when it was linked. Only the person sees it.';
comment on column private.identities.last_used_at is
  'When the account was last used for a login or a proof, or linked.';

create table private.oidc_logins (
  id         uuid primary key,
  code_hash  bytea not null check (length(code_hash) = 32),
  challenge  text not null check (length(challenge) = 43),
  issuer     text not null check (length(issuer) between 1 and 500),
  subject    text not null check (length(subject) between 1 and 255),
  email      text not null check (length(email) between 3 and 254),
  is_fresh   boolean not null,
  created_at timestamptz not null default now(),
  used_at    timestamptz
);
create index oidc_logins_created_at_idx on private.oidc_logins (created_at);
comment on table private.oidc_logins is
  'Logins from which the provider has sent the browser back, by their id, so that each can be completed only once. '
  'code_hash is the SHA-256 of the one-time code.';
comment on column private.oidc_logins.challenge is 'SHA-256 of the client''s verifier, in base64url.';
comment on column private.oidc_logins.is_fresh is
  'Whether the provider asked for the password again within the last 5 minutes.';
comment on column private.oidc_logins.used_at is 'When the one-time code was used; null until then.';
insert into private.retention (relation, counts_from, keep) values ('private.oidc_logins', 'created_at', '1 hour');

insert into private.errors (code, status, text) values
  ('oidc_off', 404, 'On this instance people log in with a password only.'),
  ('oidc_address', 422, 'This return address is not allowed. OIDC_RETURN lists the allowed addresses.'),
  ('oidc_unverified', 403, 'The provider has not verified your address. Verify it there first.'),
  ('oidc_over', 410, 'This login has expired or was already used. Begin again.'),
  ('identity_unlinked', 404,
   'Nobody has linked this login. Register with an invite code, or log in with your password and link it.'),
  ('identity_unknown', 404, 'You have no such linked login.'),
  ('identity_taken', 409, 'This login is already linked to an account.'),
  ('identity_needed', 409, 'This is your only way to log in. Set a password first: POST /auth/forgot-password.'),
  ('identities_exhausted', 409, 'You have linked 5 logins, which is the maximum.');

create function api.finish_oidc(
  p_id uuid, p_code_hash bytea, p_challenge text, p_issuer text, p_subject text, p_email text, p_is_fresh boolean
) returns json
language plpgsql volatile security definer   -- only for gate: trusts the facade to have asked the provider
set search_path = ''
as $$
begin
  insert into private.oidc_logins (id, code_hash, challenge, issuer, subject, email, is_fresh)
  values (p_id, p_code_hash, p_challenge, p_issuer, p_subject, p_email, p_is_fresh)
  on conflict (id) do nothing;
  if not found then
    perform private.raise_error('oidc_over');
  end if;
  return json_build_object('ok', true);
end $$;
comment on function api.finish_oidc is
  'For the facade alone, after it has checked the provider''s answer: records a login at the provider, {ok}. Its '
  'one-time code can be used for 30 minutes. Each login can be recorded once.';

create function private.find_oidc_login(p_id uuid, p_code_hash bytea, p_challenge text) returns private.oidc_logins
language plpgsql volatile
set search_path = ''
as $$
declare
  v_login private.oidc_logins;
begin
  select * into v_login from private.oidc_logins
  where id = p_id and code_hash = p_code_hash and challenge = p_challenge
    and used_at is null and created_at > clock_timestamp() - interval '30 minutes';
  if not found then
    perform private.raise_error('oidc_over');
  end if;
  return v_login;
end $$;
comment on function private.find_oidc_login is
  'The login at the provider to which this one-time code and this challenge belong.';

create function private.use_oidc_login(p_id uuid, p_code_hash bytea, p_challenge text) returns private.oidc_logins
language plpgsql volatile
set search_path = ''
as $$
declare
  v_login private.oidc_logins := private.find_oidc_login(p_id, p_code_hash, p_challenge);
begin
  -- the update locks the row, so that only one of two concurrent requests with the same code succeeds
  update private.oidc_logins set used_at = now() where id = p_id and used_at is null;
  if not found then
    perform private.raise_error('oidc_over');
  end if;
  return v_login;
end $$;
comment on function private.use_oidc_login is
  'Uses up a one-time code. If the operation then fails, the code can be used again.';

create function private.find_identity(p_login private.oidc_logins) returns private.identities
language plpgsql stable
set search_path = ''
as $$
declare
  v_identity private.identities;
begin
  select * into v_identity from private.identities
  where issuer = p_login.issuer and subject = p_login.subject;
  return v_identity;
end $$;
comment on function private.find_identity is
  'The linked account of a login at the provider; null if nobody linked it.';

create function private.add_identity(p_user uuid, p_login private.oidc_logins) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  insert into private.identities (user_id, issuer, subject, email)
  values (p_user, p_login.issuer, p_login.subject, p_login.email);
end $$;
comment on function private.add_identity is 'Links a login at the provider to a person. Fails: identity_taken.';

create function api.find_identity(p_id uuid, p_code_hash bytea, p_challenge text) returns json
language plpgsql volatile security definer   -- only for gate: the one-time code authorizes the call
set search_path = ''
as $$
declare
  v_person uuid := (private.find_identity(private.find_oidc_login(p_id, p_code_hash, p_challenge))).user_id;
begin
  if v_person is null then
    perform private.raise_error('identity_unlinked');
  end if;
  return (select json_build_object('userId', u.id, 'credentialsVersion', u.credentials_version, 'email', a.email)
          from app.users u join app.accounts a on a.user_id = u.id where u.id = v_person);
end $$;
comment on function api.find_identity is
  'For the facade alone: the person who linked the login of this one-time code, {userId, credentialsVersion, email}.';

create function api.log_in_with_oidc(
  p_id uuid, p_code_hash bytea, p_challenge text, p_seconds integer,
  p_family uuid default null, p_refresh_hash bytea default null, p_user_agent text default null,
  p_device text default null, p_address text default null, p_alert_hash bytea default null,
  p_code text default null
) returns json
language plpgsql volatile security definer   -- only for gate: without a token, policies show no rows
set search_path = ''
as $$
declare
  v_login    private.oidc_logins := private.use_oidc_login(p_id, p_code_hash, p_challenge);
  v_identity private.identities := private.find_identity(v_login);
  v_answer   json;
begin
  v_answer := private.open_login(v_identity.user_id, p_seconds, p_family, p_refresh_hash, p_user_agent, p_device,
                                 p_address, p_alert_hash, p_code);
  update private.identities set last_used_at = now() where id = v_identity.id;
  if not found then
    perform private.raise_error('identity_unlinked');   -- the login may have been unlinked during the wait
  end if;
  return v_answer;
end $$;
comment on function api.log_in_with_oidc is
  'For the facade alone: logs in the person who linked this login, like api.log_in, {claims, user, '
  'credentialsVersion}. People with a second factor also give p_code.';

create function api.register_with_oidc(
  p_id uuid, p_code_hash bytea, p_challenge text,
  p_session_id uuid, p_first_name text, p_last_name text, p_date_of_birth date, p_country text, p_city text,
  p_seconds integer, p_family uuid default null, p_refresh_hash bytea default null, p_user_agent text default null,
  p_device text default null, p_address text default null
) returns json
language plpgsql volatile security definer   -- only for gate: without a token, policies show no rows
set search_path = ''
as $$
declare
  v_login  private.oidc_logins := private.use_oidc_login(p_id, p_code_hash, p_challenge);
  v_person uuid;
  v_claims json;
begin
  v_person := private.redeem_invite(p_session_id, v_login.email, null, p_first_name, p_last_name,
                                    p_date_of_birth, p_country, p_city);
  update app.accounts set email_verified_at = now() where user_id = v_person;   -- the provider verified the address
  perform private.add_identity(v_person, v_login);
  v_claims := private.issue_claims(v_person, p_seconds);
  perform private.start_session(p_family, v_claims, p_refresh_hash, p_user_agent, p_device, p_address);
  return private.login_answer(v_person, v_claims);
end $$;
comment on function api.register_with_oidc is
  'For the facade alone: does the same as api.register, with a login at the provider instead of a password. The '
  'address is the one that the provider verified.';

create function private.list_own_identities() returns json
language plpgsql stable security definer   -- people may not read identities
set search_path = ''
as $$
declare
  v_caller uuid := private.require_caller();
begin
  return json_build_object(
    'items', coalesce((
      select json_agg(json_build_object(
               'id', i.id, 'issuer', i.issuer, 'email', i.email, 'createdAt', private.utc(i.created_at),
               'lastUsedAt', private.utc(i.last_used_at)) order by i.created_at, i.id)
      from private.identities i where i.user_id = v_caller), '[]'),
    'hasPassword', exists (select from private.credentials where user_id = v_caller and password_hash is not null));
end $$;
comment on function private.list_own_identities is 'The caller''s linked logins, as api.list_identities returns them.';

create function api.list_identities() returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return private.list_own_identities();
end $$;
comment on function api.list_identities is
  'The logins that the caller linked, oldest first: {items: [{id, issuer, email, createdAt, lastUsedAt}], '
  'hasPassword}.';

create function private.lock_own_credentials() returns uuid
language plpgsql volatile
set search_path = ''
as $$
declare
  v_caller uuid := private.require_caller();
begin
  perform private.check_lock_order('credentials', v_caller::text);
  perform from private.credentials where user_id = v_caller for update;
  perform private.check_caller();   -- check again, because the token may have ended during the wait
  return v_caller;
end $$;
comment on function private.lock_own_credentials is
  'Locks the caller''s credentials and checks the token again. Returns the caller.';

create function api.link_identity(p_id uuid, p_code_hash bytea, p_challenge text) returns json
language plpgsql volatile security definer   -- only for gate: the facade checks the one-time code's seal
set search_path = ''
as $$
declare
  v_login  private.oidc_logins := private.use_oidc_login(p_id, p_code_hash, p_challenge);
  v_caller uuid := private.lock_own_credentials();
begin
  perform private.require_proof_of_all();
  if (select count(*) >= 5 from private.identities where user_id = v_caller) then
    perform private.raise_error('identities_exhausted');
  end if;
  perform private.add_identity(v_caller, v_login);
  perform private.mail_about_factor(v_caller, 'identityLinked');
  return private.list_own_identities();
end $$;
comment on function api.link_identity is
  'For the facade alone: links a login at the provider to the caller, who has given a fresh proof. Returns what '
  'api.list_identities returns. The address at the provider may differ from the caller''s.';

create function private.require_way_in(p_user uuid) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if not exists (select from private.credentials where user_id = p_user and password_hash is not null)
     and not exists (select from private.identities where user_id = p_user)
     and not exists (select from private.passkeys where user_id = p_user) then
    perform private.raise_error('identity_needed');
  end if;
end $$;
comment on function private.require_way_in is
  'Passes if a person can log in with a password, a linked login or a passkey.';

create function private.unlink_own_identity(p_id uuid) returns void
language plpgsql volatile security definer   -- people may not write identities
set search_path = ''
as $$
declare
  v_caller uuid := private.lock_own_credentials();
begin
  perform private.require_proof_of_all();
  delete from private.identities where id = p_id and user_id = v_caller;
  if not found then
    perform private.raise_error('identity_unknown');
  end if;
  perform private.require_way_in(v_caller);
  perform private.mail_about_factor(v_caller, 'identityUnlinked');
end $$;
comment on function private.unlink_own_identity is
  'Removes a linked login of the caller, unless it is their only way to log in.';

create function api.unlink_identity(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.unlink_own_identity(p_id);
  return null;   -- the response is 204
end $$;
comment on function api.unlink_identity is
  'Removes a linked login of the caller, who has given a fresh proof. Fails with identity_needed if it is their '
  'only way to log in.';

create function api.prove_with_oidc(p_id uuid, p_code_hash bytea, p_challenge text) returns json
language plpgsql volatile security definer   -- only for gate: the facade checks the one-time code's seal
set search_path = ''
as $$
declare
  v_login  private.oidc_logins := private.use_oidc_login(p_id, p_code_hash, p_challenge);
  v_caller uuid := private.lock_own_credentials();
begin
  perform private.require_code(v_caller, null);
  if not v_login.is_fresh or v_login.created_at < now() - interval '5 minutes' then
    perform private.raise_error('oidc_over');
  elsif (private.find_identity(v_login)).user_id is distinct from v_caller then
    perform private.raise_error('identity_unknown');
  end if;
  update private.identities set last_used_at = now() where issuer = v_login.issuer and subject = v_login.subject;
  perform private.note_proof(current_setting('request.jwt.claims')::jsonb, private.own_session());
  return json_build_object('provedUntil', private.utc(now() + interval '10 minutes'));
end $$;
comment on function api.prove_with_oidc is
  'For the facade alone: records a fresh proof of this session by a login at the provider that asked for the '
  'password, {provedUntil}. People with a second factor give a proof of that factor instead.';
