-- How staff bans, suspends and limits people, and changes their roles. private.account_steps lists the other steps of
-- a ban, and sql/social/52_limited.sql has the effects of a limit. docs/decisions.md, Staff.

create index users_banned_until_idx on app.users (banned_until) where banned_until is not null;
comment on index app.users_banned_until_idx is 'Used by private.job_end_suspensions.';

insert into private.errors (code, status, text) values
  ('ban_oneself', 400, 'You cannot ban yourself.'),
  ('ban_admin', 409, 'An admin cannot be banned. Remove the role first.'),
  ('owner_unknown', 422, 'alsoOwner is for bots. This account has no owner.'),
  ('owner_banned', 409, 'The owner of this bot is banned. End that ban first.'),
  ('bot_role', 409, 'A bot can have no other role than user.'),
  ('until_past', 422, 'until must be in the future.'),
  ('until_far', 422, 'until must be at most 366 days from now.'),
  ('limit_oneself', 400, 'You cannot limit yourself.'),
  ('limit_admin', 409, 'An admin cannot be limited. Remove the role first.'),
  ('role_own', 400, 'You cannot change your own role. Ask another admin.'),
  ('role_unknown', 422, 'role must be user, moderator or admin.');

create function private.lock_account(p_user uuid) returns app.users
language plpgsql volatile security definer   -- callers may not lock credentials
set search_path = ''
as $$
declare
  v_person app.users;
begin
  -- lock the credentials first: ARCHITECTURE.md, Locks
  perform private.check_lock_order('credentials', p_user::text);
  perform from private.credentials where user_id = p_user for update;
  perform private.check_lock_order('person', p_user::text);
  select * into v_person from app.users where id = p_user and erased_at is null for no key update;
  if not found then
    perform private.raise_error('person_unknown');   -- erased meanwhile
  end if;
  return v_person;
end $$;
comment on function private.lock_account is
  'Locks a person against a concurrent login, ban or change of role, and returns their locked row.';

create function private.change_account(
  p_user uuid, p_role text, p_banned_at timestamptz, p_banned_until timestamptz default null
) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_from bigint := private.close_sessions(p_user);   -- otherwise the sessions would work again after the ban
begin
  -- make one update, because Realtime is notified of each change of the valid tokens
  update app.users
  set role = p_role, banned_at = p_banned_at, banned_until = p_banned_until, tokens_valid_from = v_from
  where id = p_user;
end $$;
comment on function private.change_account is
  'Sets a person''s role and ban, and ends all earlier tokens and sessions.';

create function private.staff_account(p_user uuid) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return (select json_build_object('id', u.id, 'user', p.card, 'role', u.role, 'bannedAt', private.utc(u.banned_at),
                                   'suspendedUntil', private.utc(u.banned_until),
                                   'limitedAt', private.utc(u.limited_at))
          from app.users u join app.person_card p on p.id = u.id where u.id = p_user);
end $$;
comment on function private.staff_account is
  'A person in the responses to bans, limits and changes of role: {id, user, role, bannedAt, suspendedUntil, '
  'limitedAt}.';

create function private.set_banned(
  p_person app.users, p_banned boolean, p_reason text, p_until timestamptz default null
) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_id  uuid;
  v_bot app.users;
begin
  perform private.change_account(p_person.id, p_person.role,
                                 case when p_banned then coalesce(p_person.banned_at, now()) end,
                                 case when p_banned then p_until end);
  -- only app.audit_details keeps the reason, with this person as its subject, so that their erasure deletes it
  perform private.audit(
    case when not p_banned then 'user.unbanned' when p_until is null then 'user.banned' else 'user.suspended' end,
    'user', p_person.id::text,
    case when coalesce(p_reason, p_until::text) is not null then
      json_strip_nulls(json_build_object('reason', p_reason, 'until', private.utc(p_until))) end,
    p_person.id);
  for v_id in
    select u.id from app.users u where u.bot_owner_id = p_person.id and u.erased_at is null order by u.id
  loop
    perform private.restart_lock_order();
    v_bot := private.lock_account(v_id);
    -- decide under the lock, because a ban of the bot alone may have ended meanwhile
    if p_banned and v_bot.banned_at is null or v_bot.banned_at = p_person.banned_at then
      perform private.set_banned(v_bot, p_banned, p_reason, p_until);
    end if;
  end loop;
end $$;
comment on function private.set_banned is
  'Bans a person whose row private.lock_account locked, or ends the ban, and leaves an audit entry. Their bots are '
  'banned with them, with the same banned_at. The end of the ban also ends the bans of bots with the same banned_at. '
  'With p_until the ban is a suspension and ends by itself at that time. If the person is already banned, p_until '
  'replaces the end of the ban.';

create function private.set_limited(p_person app.users, p_limited boolean, p_reason text) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  update app.users set limited_at = case when p_limited then coalesce(limited_at, now()) end where id = p_person.id;
  perform private.audit(case when p_limited then 'user.limited' else 'user.unlimited' end, 'user', p_person.id::text,
                        case when p_reason is not null then json_build_object('reason', p_reason) end, p_person.id);
end $$;
comment on function private.set_limited is
  'Limits a person whose row private.lock_account locked, or ends the limit, and leaves an audit entry. The person '
  'remains logged in.';

create function private.require_reason(p_reason text) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  v_reason text := private.find_reason(p_reason);
begin
  if v_reason is null then
    perform private.raise_error('reason_length');
  end if;
  return v_reason;
end $$;
comment on function private.require_reason is 'Returns the normalized reason of staff. Fails if there is none.';

create function private.check_until(p_until timestamptz) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if p_until <= now() then
    perform private.raise_error('until_past');
  elsif p_until > now() + interval '366 days' then
    perform private.raise_error('until_far');
  end if;
end $$;
comment on function private.check_until is
  'Passes if a suspension may end at this time: in the future, at most 366 days from now. Null passes.';

create function private.find_banned_with(p_user uuid, p_also_owner boolean) returns uuid
language plpgsql stable security definer   -- staff may not read the columns of people
set search_path = ''
as $$
declare
  v_owner uuid := (select bot_owner_id from app.users where id = p_user);
begin
  if not coalesce(p_also_owner, false) then
    return p_user;
  elsif v_owner is null then
    perform private.raise_error('owner_unknown');
  end if;
  return v_owner;
end $$;
comment on function private.find_banned_with is
  'The account that a ban bans: the given one, or with p_also_owner the owner of the bot, whose bots are banned with '
  'them.';

create function api.ban_person(
  p_id text, p_reason text, p_until timestamptz default null, p_also_owner boolean default false
) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_id     uuid;
  v_whom   uuid;
  v_reason text;
  v_person app.users;
begin
  perform private.require_role('admin');
  v_reason := private.require_reason(p_reason);
  perform private.check_until(p_until);
  v_id := private.require_any_person(p_id);
  v_whom := private.find_banned_with(v_id, p_also_owner);
  if v_whom = app.uid() then
    perform private.raise_error('ban_oneself');
  end if;
  v_person := private.lock_account(v_whom);
  if v_person.banned_at is null or v_person.banned_until is distinct from p_until then
    if v_person.role = 'admin' then
      perform private.raise_error('ban_admin');
    end if;
    perform private.set_banned(v_person, true, v_reason, p_until);
  end if;
  return private.staff_account(v_id);
end $$;
comment on function api.ban_person is
  'Bans a person: they are logged out immediately, and what they published is hidden from everyone until the ban '
  'ends. With p_until the ban ends by itself at that time, at most 366 days from now. If the person is already '
  'banned, a different p_until changes the end of the ban, and a call without p_until removes the end. Otherwise '
  'repeating the call changes nothing. {id, user, role, bannedAt, suspendedUntil, limitedAt}. The bots of a person '
  'are banned with them; with p_also_owner a bot''s owner is banned, with all their bots. Leaves an audit entry '
  'with the reason.';

create function private.is_owner_banned(p_bot app.users) returns boolean
language plpgsql stable security definer   -- staff may not read the columns of people
set search_path = ''
as $$
begin
  return exists (select from app.users where id = p_bot.bot_owner_id and banned_at is not null);
end $$;
comment on function private.is_owner_banned is 'Returns whether an account is a bot whose owner is banned.';

create function api.unban_person(p_id text, p_reason text default null) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_reason text;
  v_person app.users;
begin
  perform private.require_role('admin');
  v_reason := private.find_reason(p_reason);
  v_person := private.lock_account(private.require_any_person(p_id));
  if v_person.banned_at is not null then
    if private.is_owner_banned(v_person) then
      perform private.raise_error('owner_banned');
    end if;
    perform private.set_banned(v_person, false, v_reason);
  end if;
  return private.staff_account(v_person.id);
end $$;
comment on function api.unban_person is
  'Ends a ban or a suspension. What the person published is visible again, and they can log in, but older tokens '
  'remain invalid. Repeating it changes nothing. {id, user, role, bannedAt, suspendedUntil, limitedAt}. Leaves an '
  'audit entry.';

create function api.limit_person(p_id text, p_reason text) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_id     uuid;
  v_reason text;
  v_person app.users;
begin
  perform private.require_role('admin');
  v_reason := private.require_reason(p_reason);
  v_id := private.require_any_person(p_id);
  if v_id = app.uid() then
    perform private.raise_error('limit_oneself');
  end if;
  v_person := private.lock_account(v_id);
  if v_person.limited_at is null then
    if v_person.role = 'admin' then
      perform private.raise_error('limit_admin');
    end if;
    perform private.set_limited(v_person, true, v_reason);
  end if;
  return private.staff_account(v_id);
end $$;
comment on function api.limit_person is
  'Limits a person. In feeds, searches and suggestions, only the person and their followers find the person and '
  'what the person published. Repeating it changes nothing. {id, user, role, bannedAt, suspendedUntil, limitedAt}. '
  'Leaves an audit entry with the reason.';

create function api.unlimit_person(p_id text, p_reason text default null) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_reason text;
  v_person app.users;
begin
  perform private.require_role('admin');
  v_reason := private.find_reason(p_reason);
  v_person := private.lock_account(private.require_any_person(p_id));
  perform private.refuse_own('user', v_person.id, v_person.id);
  if v_person.limited_at is not null then
    perform private.set_limited(v_person, false, v_reason);
  end if;
  return private.staff_account(v_person.id);
end $$;
comment on function api.unlimit_person is
  'Ends a limit of another person. Repeating it changes nothing. {id, user, role, bannedAt, suspendedUntil, '
  'limitedAt}. Leaves an audit entry.';

create function private.job_end_suspensions() returns integer
language plpgsql volatile security definer   -- the worker has no access to Kith's tables
set search_path = ''
as $$
declare
  v_user   uuid;
  v_person app.users;
begin
  -- End one suspension per transaction, because the end of a ban takes locks of many ranks. Lock the credentials
  -- first, as private.lock_account does, so that the job does not wait for a login while it holds the lock of the
  -- person
  select u.id into v_user
  from app.users u join private.credentials c on c.user_id = u.id
  where u.banned_until <= now() and u.erased_at is null and not private.is_owner_banned(u)
  order by u.banned_until limit 1
  for update of c skip locked;
  if not found then
    return 0;
  end if;
  v_person := private.lock_account(v_user);
  if v_person.banned_until is null or v_person.banned_until > now() then
    return 1;   -- an admin has already ended the suspension
  end if;
  begin
    perform private.set_banned(v_person, false, null);
  exception when others or query_canceled then   -- "others" does not include a timeout
    raise warning 'the suspension of % did not end: % %', v_user, sqlstate, sqlerrm;
    update app.users set banned_until = clock_timestamp() + interval '5 seconds' where id = v_user;
    return -1;
  end;
  return 1;
end $$;
comment on function private.job_end_suspensions is
  'Job: ends the suspension that has been due the longest, as an unban does, with an audit entry that has no actor, '
  'and returns 1. If that fails, it returns -1, and tries again after the other due suspensions, in 5 seconds at the '
  'earliest. May run twice: it takes only due suspensions, each once, and skips locked people. The worker repeats it '
  'until it returns 0.';
insert into private.jobs (name, cron, expires, repeats) values ('end-suspensions', '* * * * *', 60, true);

create function api.set_role(p_id text, p_role text) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_id     uuid;
  v_person app.users;
begin
  perform private.require_role('admin');
  perform private.require_proof();
  if p_role is null or p_role not in ('user', 'moderator', 'admin') then
    perform private.raise_error('role_unknown');
  end if;
  v_id := private.require_any_person(p_id);
  -- only one change of roles runs at a time: if two admins demote each other concurrently, the second is no longer an
  -- admin
  perform private.lock_roles();
  perform private.check_caller();
  v_person := private.lock_account(v_id);
  if v_person.role <> p_role then
    if v_person.bot_owner_id is not null then
      perform private.raise_error('bot_role');
    end if;
    if v_id = app.uid() then
      perform private.keep_an_admin(v_id);
      perform private.raise_error('role_own');
    end if;
    perform private.change_account(v_id, p_role, v_person.banned_at, v_person.banned_until);
    perform private.audit('user.role_changed', 'user', v_id::text,
                          json_build_object('from', v_person.role, 'to', p_role));
  end if;
  return private.staff_account(v_id);
end $$;
comment on function api.set_role is
  'Gives a person another role and ends their tokens and sessions, because a token contains the role. Repeating it '
  'changes nothing. {id, user, role, bannedAt, suspendedUntil, limitedAt}. Leaves an audit entry. Fails: '
  'token_revoked (if the caller is no longer an admin).';
