-- Sessions: the claims of tokens, login and logout. The facade signs tokens and checks passwords; the rules are here.
-- docs/decisions.md, Tokens and sessions.

insert into private.lock_kinds (kind, position) values ('credentials', 220);

create function private.issue_claims(p_user uuid, p_seconds integer) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_now     bigint := floor(extract(epoch from clock_timestamp()));
  v_issued  bigint;
  v_others  bigint[];
  v_expires bigint;
begin
  -- iat never decreases under the row lock, and tokens with the same iat differ in exp, so (sub, iat, exp) is unique
  select greatest(v_now, u.tokens_valid_from, c.last_issued_at),
         case when c.last_issued_at >= greatest(v_now, u.tokens_valid_from) then c.expiries else '{}' end
  into strict v_issued, v_others
  from private.credentials c join app.users u on u.id = c.user_id
  where c.user_id = p_user for no key update of c;
  v_expires := v_issued + p_seconds;
  while v_expires = any (v_others) loop
    v_expires := v_expires + 1;
  end loop;
  update private.credentials set last_issued_at = v_issued, expiries = v_others || v_expires where user_id = p_user;

  return (select json_build_object('sub', u.id, 'email', a.email, 'role', u.role, 'iat', v_issued, 'exp', v_expires)
          from app.users u join app.accounts a on a.user_id = u.id
          where u.id = p_user);
end $$;
comment on function private.issue_claims is
  'Returns the payload of a new access token, {sub, email, role, iat, exp}, valid for the given number of seconds.';

create function private.close_sessions(p_user uuid, p_by_password boolean default false) returns bigint
language plpgsql volatile security definer   -- only definer functions may touch credentials
set search_path = ''
as $$
begin
  -- lock the credentials, then the user, then sessions: ARCHITECTURE.md, Locks
  perform private.check_lock_order('credentials', p_user::text);
  perform from private.credentials where user_id = p_user for update;
  perform private.check_lock_order('person', p_user::text);
  perform from app.users where id = p_user for no key update;
  update app.sessions set ended_at = now(), user_agent = null, device = null, network = null
  where user_id = p_user and ended_at is null;
  perform private.end_access_token(id) from app.access_tokens
  where user_id = p_user and ended_at is null and (ends_with_password or not p_by_password);
  return greatest(
    floor(extract(epoch from clock_timestamp()))::bigint + 1,
    -- the last token may already have an iat in the next second, because iat is never before tokens_valid_from
    (select last_issued_at + 1 from private.credentials where user_id = p_user));
end $$;
comment on function private.close_sessions is
  'Locks a person, and ends their sessions and access tokens. Returns the next whole second, the value of '
  'tokens_valid_from that revokes every other token issued so far. With p_by_password, after a change of the '
  'password, it keeps the access tokens that do not end with the password.';

create function private.end_tokens(p_user uuid, p_by_password boolean default false) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_from bigint := private.close_sessions(p_user, p_by_password);
begin
  update app.users set tokens_valid_from = v_from where id = p_user;
end $$;
comment on function private.end_tokens is
  'Revokes every token issued so far, and ends the sessions. With p_by_password, after a change of the password, it '
  'keeps the access tokens that do not end with the password.';

create function private.end_devices_of_banned(p_user app.users) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  update app.users set credentials_version = credentials_version + 1 where id = p_user.id;
end $$;
comment on function private.end_devices_of_banned is
  'Step: at a ban, ends the device tokens of the person permanently.';
insert into private.account_steps (step, events, position) values
  ('private.end_devices_of_banned', '{ban}', 61);

create function private.login_answer(p_user uuid, p_claims json) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return json_build_object(
    'claims', p_claims, 'user', (select card from private.own_profiles where id = p_user),
    'credentialsVersion', (select credentials_version from app.users where id = p_user));
end $$;
comment on function private.login_answer is
  'Returns what the facade needs after a login, a registration or a change of password: {claims, user, '
  'credentialsVersion}.';

create function private.end_own_token(p_everywhere boolean) returns void
language plpgsql volatile security definer   -- people may not write users or the denylist
set search_path = ''
as $$
declare
  v_claims jsonb := current_setting('request.jwt.claims')::jsonb;
begin
  if p_everywhere then
    perform private.end_tokens(app.uid());
  else
    perform private.end_session(app.uid(), s.id)
    from app.sessions s
    where s.user_id = app.uid() and s.ended_at is null and s.kind = 'fixed' and s.live_tokens @> private.own_token();
    insert into private.revoked_tokens (user_id, issued_at, expires_at)
    values (app.uid(), (v_claims ->> 'iat')::bigint, (v_claims ->> 'exp')::bigint)
    on conflict do nothing;
  end if;
end $$;
comment on function private.end_own_token is 'Revokes the token of this request, or all tokens of the caller.';

create function api.find_login(p_email text) returns json
language plpgsql stable security definer   -- only for gate: without a token, policies show no rows
set search_path = ''
as $$
begin
  return (
    select json_build_object('userId', c.user_id, 'passwordHash', c.password_hash,
                             'credentialsVersion', u.credentials_version)
    from app.accounts a
    join private.credentials c on c.user_id = a.user_id
    join app.users u on u.id = a.user_id and u.erased_at is null
    where lower(a.email) = lower(btrim(p_email)));
end $$;
comment on function api.find_login is
  'For the facade alone: the person with this address and the password hash to check at login, {userId, '
  'passwordHash, credentialsVersion}, or null if nobody has the address. The hash is null if the person has no '
  'password.';

create function private.check_not_banned(p_user uuid) returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_person app.users;
begin
  select * into v_person from app.users where id = p_user;
  if v_person.banned_at is not null and v_person.banned_until is null then
    perform private.raise_error('person_banned');
  elsif v_person.banned_at is not null then
    perform private.raise_error('person_suspended');
  end if;
exception when sqlstate 'PT403' then
  if sqlerrm = 'person_suspended' then   -- tell the person when they can log in again
    raise exception using errcode = 'PT403', message = sqlerrm,
      detail = format('This account is suspended until %s.', private.utc(v_person.banned_until));
  end if;
  raise;
end $$;
comment on function private.check_not_banned is
  'Rejects a banned person with person_banned, and a suspended one with person_suspended, whose text says when the '
  'suspension ends.';

create function private.open_login(
  p_user_id uuid, p_seconds integer, p_family uuid, p_refresh_hash bytea, p_user_agent text, p_device text,
  p_address text, p_alert_hash bytea, p_code text
) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_claims json;
  v_before boolean;
begin
  perform private.check_lock_order('credentials', p_user_id::text);
  select last_issued_at > 0 into v_before from private.credentials where user_id = p_user_id for update;
  perform private.check_not_banned(p_user_id);
  perform private.require_code(p_user_id, p_code);
  v_claims := private.issue_claims(p_user_id, p_seconds);
  perform private.start_session(p_family, v_claims, p_refresh_hash, p_user_agent, p_device, p_address,
                                case when v_before then p_alert_hash end);
  if private.has_factor(p_user_id) then
    perform private.note_proof(v_claims::jsonb, p_family);
  end if;
  return private.login_answer(p_user_id, v_claims);
end $$;
comment on function private.open_login is
  'Begins a session of a person who has proved their identity, as described at api.log_in. Checks the second factor.';

create function api.log_in(
  p_user_id uuid, p_password_hash text, p_seconds integer, p_new_hash text default null,
  p_family uuid default null, p_refresh_hash bytea default null, p_user_agent text default null,
  p_device text default null, p_address text default null, p_alert_hash bytea default null,
  p_code text default null
) returns json
language plpgsql volatile security definer   -- only for gate: without a token, policies show no rows
set search_path = ''
as $$
begin
  perform from private.credentials
  where user_id = p_user_id and password_hash = p_password_hash
  for update;
  if not found then
    perform private.raise_error('credentials_wrong');   -- the password changed while the facade checked it
  end if;
  if p_new_hash is not null then
    update private.credentials set password_hash = p_new_hash where user_id = p_user_id;
  end if;
  return private.open_login(p_user_id, p_seconds, p_family, p_refresh_hash, p_user_agent, p_device, p_address,
                            p_alert_hash, p_code);
end $$;
comment on function api.log_in is
  'For the facade alone, after it has checked the password: logs the person in, {claims, user, credentialsVersion}. '
  'p_new_hash replaces a hash whose parameters have become too weak. p_family is the id of the session; with '
  'p_refresh_hash it is a rotating one. With p_alert_hash, the person gets a mail about a login on a new device, '
  'unless it is their first login. For a person with a second factor, p_code is a code of the app or a recovery '
  'code, and counts as a fresh proof.';

create function api.log_out(p_scope text default 'local', p_family uuid default null) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  -- write the session before the denylist, as every function does that ends a session
  perform private.end_own_session(p_family);
  perform private.end_own_token(p_scope = 'global');
  return null;   -- the response is 204
end $$;
comment on function api.log_out is
  'Revokes the token of this request or, with scope global, every token of the caller. Ends the session of the '
  'token if that session is fixed. With p_family it also ends the rotating session with this id, if that session is '
  'the caller''s.';
