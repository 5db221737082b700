-- Membership of spaces: joining, roles, leaving, removal and bans. Every change holds the lock of the space, so that
-- nobody becomes a member twice, and a space always has exactly one owner.
-- docs/decisions.md, Spaces.

insert into private.lock_kinds (kind, position) values ('memberships', 350);

create function private.require_visible_person(p_person text) returns uuid
language plpgsql stable security definer   -- called by definer functions, to which policies do not apply
set search_path = ''
as $$
declare
  v_id uuid;
begin
  select id into v_id from private.visible_people where id = private.find_person(p_person);
  if not found then
    perform private.raise_error('person_unknown');
  end if;
  return v_id;
end $$;
comment on function private.require_visible_person is
  'Does the same as private.require_person, for definer functions.';

create function private.emit_membership_decision(
  p_space app.spaces, p_event text, p_user uuid, p_actor uuid default null, p_invitation uuid default null,
  p_role text default null, p_proposal uuid default null
) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.emit('spaces.membership.decided', json_build_object(
    'spaceId', p_space.id, 'kind', p_space.kind, 'event', p_event, 'userId', p_user, 'actorId', p_actor,
    'invitationId', p_invitation, 'role', private.role_name(p_space.kind, p_role), 'proposalId', p_proposal),
    array[p_user]);
end $$;
comment on function private.emit_membership_decision is
  'Emits a decision about a person in a space: approved, rejected, invited, removed, role_changed, or '
  'proposal_decided for their proposal. Only an invitation names the actor.';

create function private.limit_memberships(p_user uuid) returns void
language plpgsql volatile security definer   -- counts memberships of people other than the caller
set search_path = ''
as $$
begin
  -- lock, so that concurrent calls cannot exceed the limit
  perform private.lock('memberships', p_user::text);
  if (select count(*) from app.space_members where user_id = p_user) > 1000 then
    perform private.raise_error('memberships_exhausted');
  end if;
end $$;
comment on function private.limit_memberships is 'Passes if a person who has just joined is in at most 1000 spaces.';

create function private.add_member(p_space app.spaces, p_user uuid) returns boolean
language plpgsql volatile security definer   -- callers may not write memberships
set search_path = ''
as $$
begin
  if private.find_role(p_space.id, p_user) is not null then
    return false;
  end if;
  perform private.require_open(p_space);
  if not exists (select from app.users where id = p_user and banned_at is null and erased_at is null) then
    perform private.raise_error('person_unknown');
  end if;
  update app.spaces set member_count = member_count + 1 where id = p_space.id and member_count < 5000;
  if not found then
    perform private.raise_error('space_full');
  end if;
  insert into app.space_members (space_id, user_id) values (p_space.id, p_user);
  perform private.limit_memberships(p_user);
  update app.space_requests set status = 'ended', decided_at = now()
  where space_id = p_space.id and user_id = p_user and status = 'pending';
  update app.space_invitations set status = 'accepted'
  where space_id = p_space.id and invitee_id = p_user and status = 'pending';
  return true;
end $$;
comment on function private.add_member is
  'Makes a person a member of a space, and ends their pending request and invitations. Returns false if they were '
  'already a member. The caller must hold the locks of the space and of the person.';

create function private.drop_member(p_space uuid, p_user uuid) returns boolean
language plpgsql volatile security definer   -- callers may not write memberships
set search_path = ''
as $$
begin
  delete from app.space_members where space_id = p_space and user_id = p_user;
  if not found then
    return false;
  end if;
  update app.spaces set member_count = member_count - 1 where id = p_space;
  return true;
end $$;
comment on function private.drop_member is
  'Removes a person from a locked space and updates its count. Returns false if they are not a member.';

create function private.find_own_request(p_space uuid) returns uuid
language plpgsql stable
set search_path = ''
as $$
begin
  return (select id from app.space_requests
          where space_id = p_space and user_id = app.uid() and status = 'pending');
end $$;
comment on function private.find_own_request is
  'The caller''s pending request to join a space; null if there is none.';

create function private.join_or_ask(p_space app.spaces, p_message text) returns uuid
language plpgsql volatile security definer   -- callers may not write memberships
set search_path = ''
as $$
declare
  v_me      uuid := private.require_caller();
  v_request uuid;
begin
  perform private.require_open(p_space);
  if exists (select from app.space_bans where space_id = p_space.id and user_id = v_me) then
    perform private.raise_error('space_banned');
  end if;
  if p_space.join_policy = 'open' or private.is_invited(p_space.id, v_me) then
    -- the same limit as the check of app.space_requests, because nothing is stored here
    if length(p_message) > 500 then
      perform private.raise_error('space_message');
    end if;
    perform private.add_member(p_space, v_me);
    return null;
  elsif p_space.join_policy = 'invite' then
    perform private.raise_error('invitation_required');
  end if;
  v_request := private.find_own_request(p_space.id);
  if v_request is null then
    insert into app.space_requests (space_id, user_id, message) values (p_space.id, v_me, p_message)
    returning id into v_request;
  end if;
  return v_request;
end $$;
comment on function private.join_or_ask is
  'Makes the caller a member of a locked space, or returns the id of their request: the pending one, or a new one.';

create function private.join_space(p_kind text, p_id text, p_message text) returns json
language plpgsql volatile security definer   -- callers may not write memberships
set search_path = ''
as $$
declare
  v_message text := coalesce(private.require_text(p_message), '');
  v_space   app.spaces;
  v_request uuid;
begin
  perform private.count_writes('memberships');
  v_space := private.lock_visible_space(p_kind, p_id);
  if private.find_role(v_space.id, private.require_caller()) is null then
    v_request := private.join_or_ask(v_space, v_message);
  end if;
  return json_build_object('status', case when v_request is null then 'joined' else 'pending' end,
                           'requestId', v_request);
end $$;
comment on function private.join_space is
  'The caller joins a space, or requests to join: {status: joined | pending, requestId}. Repeating it changes '
  'nothing.';

create function private.leave_space(p_kind text, p_id text) returns json
language plpgsql volatile security definer   -- callers may not write memberships
set search_path = ''
as $$
declare
  v_me    uuid := private.require_caller();
  v_space app.spaces := private.lock_visible_space(p_kind, p_id);
begin
  if private.find_role(v_space.id, v_me) = 'owner' then
    if exists (select from app.space_members where space_id = v_space.id and user_id <> v_me and not hidden) then
      perform private.raise_error('last_owner');
    end if;
    perform private.set_archived(v_space, true);
  end if;
  perform private.drop_member(v_space.id, v_me);
  return json_build_object('status', 'left');
end $$;
comment on function private.leave_space is
  'The caller leaves a space: {status: left}. An owner must first transfer the ownership. If nobody else is in the '
  'space, it is archived instead.';

create function private.member_cards(p_space uuid, p_users uuid[]) returns json
language plpgsql stable security definer   -- members of a space see each other; its callers leave out hidden people
set search_path = ''
as $$
begin
  return (
    select json_agg(json_build_object('userId', p.actor_id, 'user', p.card, 'role', private.role_name(s.kind, m.role),
                                      'joinedAt', private.utc(m.created_at)) order by u.place)
    from unnest(p_users) with ordinality as u (id, place)
    join app.space_members m on m.space_id = p_space and m.user_id = u.id
    join app.spaces s on s.id = m.space_id
    join app.person_card p on p.id = u.id);
end $$;
comment on function private.member_cards is 'These members of a space, in order: {userId, user, role, joinedAt}.';
call private.force_index_scans('private.member_cards');

create function private.set_space_role(p_space app.spaces, p_user uuid, p_role text) returns void
language plpgsql volatile security definer   -- callers may not write memberships
set search_path = ''
as $$
declare
  v_role  text := private.find_role(p_space.id, p_user);
  v_owner uuid;
begin
  if v_role is null then
    perform private.raise_error('space_member_unknown');
  elsif v_role = p_role then
    return;
  elsif v_role = 'owner' then
    perform private.raise_error('last_owner');
  end if;
  if p_role = 'owner' then
    if p_space.archived_at is null then
      perform private.limit_owned(p_space.kind, p_user);
    end if;
    update app.space_members set role = 'moderator' where space_id = p_space.id and role = 'owner'
    returning user_id into v_owner;
  end if;
  update app.space_members set role = p_role where space_id = p_space.id and user_id = p_user;
  perform private.emit_membership_decision(p_space, 'role_changed', u.id, p_role => u.role)
  from (values (p_user, p_role), (v_owner, 'moderator')) u (id, role)
  where u.id is not null and u.id is distinct from app.uid();
end $$;
comment on function private.set_space_role is
  'Gives a member of a locked space another role. If it is the role owner, the previous owner becomes a moderator.';

create function private.change_role(p_kind text, p_id text, p_person text, p_role text) returns json
language plpgsql volatile security definer   -- callers may not write memberships
set search_path = ''
as $$
declare
  v_user  uuid := private.require_visible_person(p_person);
  v_space app.spaces;
begin
  perform private.count_writes('memberships');
  v_space := private.lock_visible_space(p_kind, p_id, array[v_user]);
  perform private.require_space_role(v_space.id, 'owner');
  perform private.require_visible_person(p_person);   -- check again, because the person may have been banned meanwhile
  perform private.set_space_role(v_space, v_user, p_role);
  return private.member_cards(v_space.id, array[v_user]) -> 0;
end $$;
comment on function private.change_role is
  'Gives a member another role, for the owner of a space. The role owner transfers the ownership.';

create function private.remove_space_member(p_kind text, p_id text, p_person text, p_ban boolean) returns void
language plpgsql volatile security definer   -- callers may not write memberships
set search_path = ''
as $$
declare
  v_user  uuid := private.require_visible_person(p_person);
  v_space app.spaces;
  v_role  text;
  v_their text;
begin
  perform private.count_writes('memberships');
  v_space := private.lock_visible_space(p_kind, p_id, array[v_user]);
  v_role := private.require_space_role(v_space.id, 'owner', 'moderator');
  v_their := private.find_role(v_space.id, v_user);
  if v_their = 'owner' or v_their = v_role then
    perform private.raise_error('space_role');
  elsif v_their is null and not p_ban then
    perform private.raise_error('space_member_unknown');
  end if;
  if p_ban then
    insert into app.space_bans (space_id, user_id) values (v_space.id, v_user) on conflict do nothing;
    update app.space_requests set status = 'ended', decided_at = now()
    where space_id = v_space.id and user_id = v_user and status = 'pending';
    update app.space_invitations set status = 'revoked'
    where space_id = v_space.id and invitee_id = v_user and status = 'pending';
  end if;
  if private.drop_member(v_space.id, v_user) then
    perform private.emit_membership_decision(v_space, 'removed', v_user);
  end if;
end $$;
comment on function private.remove_space_member is
  'Removes a member with a lower role than the caller''s from a space. With p_ban it also bans the person, who need '
  'not be a member; repeating this changes nothing.';

create function private.lift_space_ban(p_kind text, p_id text, p_person text) returns void
language plpgsql volatile security definer   -- callers may not write bans
set search_path = ''
as $$
declare
  v_user  uuid := private.require_visible_person(p_person);
  v_space app.spaces := private.lock_visible_space(p_kind, p_id);
begin
  perform private.require_space_role(v_space.id, 'owner', 'moderator');
  delete from app.space_bans where space_id = v_space.id and user_id = v_user;
end $$;
comment on function private.lift_space_ban is 'Lets a banned person join a space again. Repeating it changes nothing.';
