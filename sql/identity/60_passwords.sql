-- People change their password with the old one or by mail. The facade computes the hashes; the database stores them,
-- and has the rules. docs/decisions.md, Tokens and sessions.

create table private.password_resets (
  id         uuid primary key,
  user_id    uuid references app.users on delete cascade,
  token_hash bytea not null check (length(token_hash) = 32),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null default now() + interval '1 hour',
  used_at    timestamptz
);
create index password_resets_user_id_idx on private.password_resets (user_id, created_at);
create index password_resets_created_at_idx on private.password_resets (created_at);
comment on table private.password_resets is
  'Requests for a new password, with the SHA-256 of the mailed token. user_id is null if nobody has the address. '
  'Such a request is stored and queued like any other, so that the sender can''t find out whether anybody has the '
  'address.';
comment on column private.password_resets.used_at is
  'When this or another reset of the person set a password; null until then.';
comment on column private.password_resets.expires_at is 'When the link expires: an hour after the request.';
insert into private.retention (relation, counts_from, keep) values ('private.password_resets', 'created_at', '1 day');

insert into private.errors (code, status, text) values
  ('password_wrong', 403, 'The password is wrong.'),
  ('password_guessable', 422,
   'This password is one of the most common ones, or easy to guess from your name or address. Choose another one, for '
   'example several words.'),
  ('reset_over', 410, 'This link has expired or was already used. Request another one.');

create function private.words_of(p_user uuid) returns text[]
language plpgsql stable
set search_path = ''
as $$
begin
  return (select array[a.email, u.username, u.first_name, u.last_name]
          from app.users u join app.accounts a on a.user_id = u.id
          where u.id = p_user);
end $$;
comment on function private.words_of is
  'The names and the address of a person. A new password of the person may not consist of them.';

create function api.find_password() returns json
language plpgsql stable security definer   -- only for gate: callers may not read hashes
set search_path = ''
as $$
begin
  return (select json_build_object('userId', c.user_id, 'passwordHash', c.password_hash,
                                   'credentialsVersion', u.credentials_version, 'words', private.words_of(u.id))
          from private.credentials c join app.users u on u.id = c.user_id
          where c.user_id = private.require_caller());
end $$;
comment on function api.find_password is
  'For the facade alone: the caller''s password hash, for operations that require the password, {userId, '
  'passwordHash, credentialsVersion, words (names and address)}.';

create function private.replace_password(p_user uuid, p_new_hash text) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  update private.credentials set password_hash = p_new_hash where user_id = p_user;
  update private.password_resets set used_at = now() where user_id = p_user and used_at is null;
  perform private.end_email_changes(p_user);
  perform private.end_tokens(p_user, p_by_password => true);
  update app.users set credentials_version = credentials_version + 1 where id = p_user;
end $$;
comment on function private.replace_password is
  'Sets a password, and ends everything that depended on the old one: sessions, tokens (except access tokens that '
  'do not end with the password), device tokens, mailed links and a pending change of address.';

create function api.change_password(
  p_password_hash text, p_new_hash text, p_seconds integer,
  p_family uuid default null, p_refresh_hash bytea default null, p_user_agent text default null,
  p_device text default null, p_address text default null
) returns json
language plpgsql volatile security definer   -- only for gate: a person may write neither hashes nor tokens_valid_from
set search_path = ''
as $$
declare
  v_caller uuid := private.require_caller();
  v_claims json;
begin
  perform from private.credentials where user_id = v_caller and password_hash = p_password_hash for update;
  if not found then
    -- the password changed while the facade checked it, which ended this token
    perform private.raise_error('token_revoked');
  end if;
  perform private.require_proof();
  perform private.replace_password(v_caller, p_new_hash);
  v_claims := private.issue_claims(v_caller, p_seconds);
  perform private.start_session(p_family, v_claims, p_refresh_hash, p_user_agent, p_device, p_address);
  return private.login_answer(v_caller, v_claims);
end $$;
comment on function api.change_password is
  'For the facade alone, after it has checked the old password: sets the new one and returns {claims, user, '
  'credentialsVersion} for new tokens. It ends every token, session and device token of the caller, and the links '
  'that were mailed for a password or a change of address. p_family is the id of the new session; with p_refresh_hash '
  'it is a rotating one.';

create function api.request_password_reset(p_email text, p_id uuid, p_token_hash bytea) returns json
language plpgsql volatile security definer   -- only for gate: without a token, policies show no rows
set search_path = ''
as $$
declare
  v_person uuid;
begin
  -- lock the person, because a concurrent change of the address must also end this link
  select a.user_id into v_person
  from private.reachable_accounts a join private.credentials c on c.user_id = a.user_id
  where lower(a.email) = lower(btrim(p_email))
  for share of c;
  -- limit the requests, so that nobody can flood another person's mailbox
  if (select count(*) >= 5 from private.password_resets r
      where r.user_id = v_person and r.created_at > now() - interval '1 hour') then
    v_person := null;
  end if;
  insert into private.password_resets (id, user_id, token_hash) values (p_id, v_person, p_token_hash);
  perform private.enqueue('mail', json_build_object('resetId', p_id));
  return json_build_object('ok', true);
end $$;
comment on function api.request_password_reset is
  'For the facade alone: stores a request for a new password and mails a link, at most 5 per person and hour. '
  'Returns {ok} after the same work, even if nobody has the address or it was not verified within a day.';

create function private.find_reset_mail(p_id uuid) returns json
language plpgsql stable security definer   -- only for the worker, which has no access to Kith's tables
set search_path = ''
as $$
declare
  v_reset private.password_resets;
begin
  select * into v_reset from private.password_resets r where r.id = p_id;
  if found and v_reset.user_id is null then
    return null;
  end if;
  return coalesce(
    (select json_build_object('to', a.email, 'tokenHash', encode(v_reset.token_hash, 'hex'),
                              'endsAt', private.utc(v_reset.expires_at))
     from app.accounts a join app.users u on u.id = a.user_id and u.erased_at is null
     where a.user_id = v_reset.user_id and v_reset.used_at is null and v_reset.expires_at > now()),
    '{"ended": true}');
end $$;
comment on function private.find_reset_mail is
  'For the worker alone: the address to which the link of a request for a new password is mailed, {to, tokenHash '
  '(hex), endsAt}; null if nobody has the address; {ended: true} if the link is no longer valid.';

create function private.find_running_reset(p_id uuid, p_token_hash bytea) returns uuid
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select r.user_id
    from private.password_resets r join app.users u on u.id = r.user_id and u.erased_at is null
    where r.id = p_id and r.token_hash = p_token_hash and r.used_at is null and r.expires_at > clock_timestamp());
end $$;
comment on function private.find_running_reset is 'Returns the person whose password this token may set, or null.';

create function api.check_password_reset(p_id uuid, p_token_hash bytea) returns json
language plpgsql stable security definer   -- only for gate: the link's token authorizes the call
set search_path = ''
as $$
declare
  v_person uuid := private.find_running_reset(p_id, p_token_hash);
begin
  if v_person is null then
    perform private.raise_error('reset_over');
  end if;
  return json_build_object('words', private.words_of(v_person));
end $$;
comment on function api.check_password_reset is
  'For the facade alone: checks a token before the facade hashes a new password. {words}: the names and the address '
  'of the person.';

create function api.reset_password(p_id uuid, p_token_hash bytea, p_new_hash text) returns json
language plpgsql volatile security definer   -- only for gate: the link's token authorizes the call
set search_path = ''
as $$
declare
  v_person uuid := private.find_running_reset(p_id, p_token_hash);
begin
  -- lock the person and check again, so that only one of two concurrent calls with the same link succeeds
  perform from private.credentials where user_id = v_person for update;
  v_person := private.find_running_reset(p_id, p_token_hash);
  if v_person is null then
    perform private.raise_error('reset_over');
  end if;
  perform private.replace_password(v_person, p_new_hash);
  -- the person got the link at this address, so the address is verified
  update app.accounts set email_verified_at = coalesce(email_verified_at, now()), email_bounced_at = null
  where user_id = v_person and (email_verified_at is null or email_bounced_at is not null);
  return (select json_build_object('userId', id, 'credentialsVersion', credentials_version)
          from app.users where id = v_person);
end $$;
comment on function api.reset_password is
  'For the facade alone: sets the password of the person to whom this token was mailed, {userId, '
  'credentialsVersion}. All links for a password or a change of address end, and so do the person''s access tokens, '
  'sessions and device tokens. Their address is then verified.';
