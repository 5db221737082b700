-- How staff bans and unbans people, and changes their roles.
-- What else a ban does: private.account_steps. docs/decisions.md, Staff.

insert into private.errors (code, status, text) values
  ('ban_oneself', 400, 'You cannot ban yourself.'),
  ('ban_admin', 409, 'An admin cannot be banned. Remove the role first.'),
  ('role_own', 400, 'You cannot change your own role. Ask another admin.'),
  ('role_unknown', 422, 'role must be user, moderator or admin.');

create function private.lock_account(p_user uuid) returns app.users
language plpgsql volatile security definer   -- nobody may lock credentials
set search_path = ''
as $$
declare
  v_person app.users;
begin
  -- credentials first: ARCHITECTURE.md, Locks
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
  'Locks a person against a concurrent login, ban or change of role, and returns their row as it is then.';

create function private.change_account(p_user uuid, p_role text, p_banned_at timestamptz) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_from bigint := private.close_sessions(p_user);   -- otherwise the sessions would work again once a ban ends
begin
  -- one update, because Realtime is notified of each change of the valid tokens
  update app.users set role = p_role, banned_at = p_banned_at, tokens_valid_from = v_from where id = p_user;
end $$;
comment on function private.change_account is
  'Sets a person''s role and ban, and ends all earlier tokens and sessions.';

create function private.staff_account(p_user uuid) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return (select json_build_object('id', u.id, 'user', p.card, 'role', u.role, 'bannedAt', private.utc(u.banned_at))
          from app.users u join app.person_card p on p.id = u.id where u.id = p_user);
end $$;
comment on function private.staff_account is
  'A person in the responses to bans and changes of role: {id, user, role, bannedAt}.';

create function private.set_banned(p_person app.users, p_banned boolean, p_reason text) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.change_account(p_person.id, p_person.role, case when p_banned then now() end);
  -- only app.audit_details keeps the reason; it belongs to this person there, so their erasure deletes it
  perform private.audit(case when p_banned then 'user.banned' else 'user.unbanned' end, 'user', p_person.id::text,
                        case when p_reason is not null then json_build_object('reason', p_reason) end, p_person.id);
end $$;
comment on function private.set_banned is
  'Bans a person whose row is locked, or ends the ban, and leaves an audit entry.';

create function api.ban_person(p_id text, p_reason text) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_id     uuid;
  v_reason text;
  v_person app.users;
begin
  perform private.require_role('admin');
  v_reason := private.find_reason(p_reason);
  if v_reason is null then
    perform private.raise_error('reason_length');
  end if;
  v_id := private.require_any_person(p_id);
  if v_id = app.uid() then
    perform private.raise_error('ban_oneself');
  end if;
  v_person := private.lock_account(v_id);
  if v_person.banned_at is null then
    if v_person.role = 'admin' then
      perform private.raise_error('ban_admin');
    end if;
    perform private.set_banned(v_person, true, v_reason);
  end if;
  return private.staff_account(v_id);
end $$;
comment on function api.ban_person is
  'Bans a person: they are logged out immediately, and what they published is hidden from everyone until the ban '
  'ends. Repeating it changes nothing. {id, user, role, bannedAt}. Leaves an audit entry with the reason.';

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
    perform private.set_banned(v_person, false, v_reason);
  end if;
  return private.staff_account(v_person.id);
end $$;
comment on function api.unban_person is
  'Ends a ban: what the person published is visible again, and they can log in; older tokens remain invalid. '
  'Repeating it changes nothing. {id, user, role, bannedAt}. Leaves an audit entry.';

create function api.set_role(p_id text, p_role text) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_id     uuid;
  v_person app.users;
begin
  perform private.require_role('admin');
  if p_role is null or p_role not in ('user', 'moderator', 'admin') then
    perform private.raise_error('role_unknown');
  end if;
  v_id := private.require_any_person(p_id);
  -- one change of roles at a time: if two admins demote each other concurrently, the second is no longer an admin
  perform private.lock_roles();
  perform private.check_caller();
  v_person := private.lock_account(v_id);
  if v_person.role <> p_role then
    if v_id = app.uid() then
      perform private.keep_an_admin(v_id);
      perform private.raise_error('role_own');
    end if;
    perform private.change_account(v_id, p_role, v_person.banned_at);
    perform private.audit('user.role_changed', 'user', v_id::text,
                          json_build_object('from', v_person.role, 'to', p_role));
  end if;
  return private.staff_account(v_id);
end $$;
comment on function api.set_role is
  'Gives a person another role and ends their tokens and sessions, because a token contains the role. Repeating it '
  'changes nothing. {id, user, role, bannedAt}. Leaves an audit entry. Fails: token_revoked (if the caller is no '
  'longer an admin).';
