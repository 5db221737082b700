-- Membership of spaces: joining, asking, inviting, roles, leaving, removal and bans. All of it happens under the lock
-- of the space, so that no two ways in make two memberships, and a space has one owner at every moment.
-- docs/decisions.md, Spaces.

create function private.require_visible_person(p_person text) returns uuid
language plpgsql stable security definer   -- for definer functions, to which no policy applies
set search_path = ''
as $$
declare
  v_id uuid;
begin
  select id into v_id from private.visible_people where id = private.find_person(p_person);
  if not found then
    perform private.fail('person_unknown');
  end if;
  return v_id;
end $$;
comment on function private.require_visible_person is
  'As private.require_person, for definer functions. Fails: person_unknown.';

create function private.tell_membership(
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
comment on function private.tell_membership is
  'Emits what was decided about somebody in a space: approved, rejected, invited, removed or role_changed, and '
  'proposal_decided of what they proposed. An actor is named for invitations alone.';

create function private.limit_memberships(p_user uuid) returns void
language plpgsql volatile security definer   -- counts the memberships of others than the caller
set search_path = ''
as $$
begin
  -- so that two at once never make one too many
  perform pg_advisory_xact_lock(hashtextextended('memberships ' || p_user, 0));
  if (select count(*) from app.space_members where user_id = p_user) > 1000 then
    perform private.fail('memberships_exhausted');
  end if;
end $$;
comment on function private.limit_memberships is
  'Passes when a person, who was just let in, is in at most 1000 spaces. Fails: memberships_exhausted.';

create function private.add_member(p_space app.spaces, p_user uuid) returns boolean
language plpgsql volatile security definer   -- nobody may write memberships
set search_path = ''
as $$
begin
  if private.find_role(p_space.id, p_user) is not null then
    return false;
  end if;
  perform private.require_open(p_space);
  if not exists (select from app.users where id = p_user and banned_at is null and erased_at is null) then
    perform private.fail('person_unknown');
  end if;
  update app.spaces set member_count = member_count + 1 where id = p_space.id and member_count < 5000;
  if not found then
    perform private.fail('space_full');
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
  'Lets a person into a space, both locked; false for a member. Ends what else was pending between the two. Fails: '
  'space_archived, person_unknown, space_full, memberships_exhausted.';

create function private.drop_member(p_space uuid, p_user uuid) returns boolean
language plpgsql volatile security definer   -- nobody may write memberships
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
  'Takes a person out of a space that is locked, and frees the place; false for somebody who is no member.';

create function private.join_space(p_kind text, p_id text, p_message text) returns json
language plpgsql volatile security definer   -- nobody may write memberships
set search_path = ''
as $$
declare
  v_me      uuid := private.require_caller();
  v_message text := coalesce(private.require_text(p_message), '');
  v_space   app.spaces;
  v_request uuid;
begin
  perform private.count_writes('memberships');
  v_space := private.enter_space(p_kind, p_id);
  if private.find_role(v_space.id, v_me) is not null then
    return json_build_object('status', 'joined', 'requestId', null);
  end if;
  perform private.require_open(v_space);
  if exists (select from app.space_bans where space_id = v_space.id and user_id = v_me) then
    perform private.fail('space_banned');
  end if;
  if v_space.join_policy = 'open'
     or exists (select from app.space_invitations i
                where i.space_id = v_space.id and i.invitee_id = v_me and i.status = 'pending'
                  and private.may_meet(private.find_level(v_me, i.inviter_id))
                  and not exists (select from app.silenced_people s where s.user_id = i.inviter_id)) then
    perform private.add_member(v_space, v_me);
    return json_build_object('status', 'joined', 'requestId', null);
  elsif v_space.join_policy = 'invite' then
    perform private.fail('invitation_required');
  end if;
  insert into app.space_requests (space_id, user_id, message) values (v_space.id, v_me, v_message)
  on conflict (space_id, user_id) where status = 'pending' do nothing returning id into v_request;
  if not found then
    select id into v_request from app.space_requests
    where space_id = v_space.id and user_id = v_me and status = 'pending';
  end if;
  return json_build_object('status', 'pending', 'requestId', v_request);
end $$;
comment on function private.join_space is
  'The caller joins a space, or asks to: {status: joined | pending, requestId}. Repeating it changes nothing. Fails: '
  'writes_exceeded, text_unfit, space_message, space_unknown, space_archived, space_banned, invitation_required, '
  'space_full, memberships_exhausted, person_unknown.';

create function private.leave_space(p_kind text, p_id text) returns json
language plpgsql volatile security definer   -- nobody may write memberships
set search_path = ''
as $$
declare
  v_me    uuid := private.require_caller();
  v_space app.spaces := private.enter_space(p_kind, p_id);
begin
  if private.find_role(v_space.id, v_me) = 'owner' then
    if exists (select from app.space_members where space_id = v_space.id and user_id <> v_me and not silent) then
      perform private.fail('last_owner');
    end if;
    perform private.set_archived(v_space, true);
  end if;
  perform private.drop_member(v_space.id, v_me);
  return json_build_object('status', 'left');
end $$;
comment on function private.leave_space is
  'The caller leaves a space: {status: left}. An owner must hand over first, unless nobody else is there: then it is '
  'archived. Fails: space_unknown, last_owner, space_ownerless, spaces_exhausted.';

create function private.member_cards(p_space uuid, p_users uuid[]) returns json
language plpgsql stable security definer   -- members of a space see one another; its callers look at who is hidden
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
call private.make_walk('private.member_cards');

create function private.set_space_role(p_space app.spaces, p_user uuid, p_role text) returns void
language plpgsql volatile security definer   -- nobody may write memberships
set search_path = ''
as $$
declare
  v_role  text := private.find_role(p_space.id, p_user);
  v_owner uuid;
begin
  if v_role is null then
    perform private.fail('space_member_unknown');
  elsif v_role = p_role then
    return;
  elsif v_role = 'owner' then
    perform private.fail('last_owner');
  end if;
  if p_role = 'owner' then
    if p_space.archived_at is null then
      perform private.limit_owned(p_space.kind, p_user);
    end if;
    update app.space_members set role = 'moderator' where space_id = p_space.id and role = 'owner'
    returning user_id into v_owner;
  end if;
  update app.space_members set role = p_role where space_id = p_space.id and user_id = p_user;
  perform private.tell_membership(p_space, 'role_changed', u.id, p_role => u.role)
  from (values (p_user, p_role), (v_owner, 'moderator')) u (id, role)
  where u.id is not null and u.id is distinct from app.uid();
end $$;
comment on function private.set_space_role is
  'Gives a member of a locked space another role. A new owner takes the place of the old one, who becomes a '
  'moderator. Fails: space_member_unknown, last_owner, spaces_exhausted.';

create function private.change_role(p_kind text, p_id text, p_person text, p_role text) returns json
language plpgsql volatile security definer   -- nobody may write memberships
set search_path = ''
as $$
declare
  v_user  uuid := private.require_visible_person(p_person);
  v_space app.spaces;
begin
  perform private.count_writes('memberships');
  v_space := private.enter_space(p_kind, p_id, array[v_user]);
  perform private.require_space_role(v_space.id, 'owner');
  perform private.require_visible_person(p_person);   -- again, since a ban may have come while we waited
  perform private.set_space_role(v_space, v_user, p_role);
  return private.member_cards(v_space.id, array[v_user]) -> 0;
end $$;
comment on function private.change_role is
  'The owner of a space gives a member another role, and with owner hands over. Fails: writes_exceeded, '
  'person_unknown, space_unknown, space_not_member, space_role, space_member_unknown, last_owner, spaces_exhausted.';

create function private.remove_space_member(p_kind text, p_id text, p_person text, p_ban boolean) returns void
language plpgsql volatile security definer   -- nobody may write memberships
set search_path = ''
as $$
declare
  v_user  uuid := private.require_visible_person(p_person);
  v_space app.spaces;
  v_role  text;
  v_their text;
begin
  perform private.count_writes('memberships');
  v_space := private.enter_space(p_kind, p_id, array[v_user]);
  v_role := private.require_space_role(v_space.id, 'owner', 'moderator');
  v_their := private.find_role(v_space.id, v_user);
  if v_their = 'owner' or v_their = v_role then
    perform private.fail('space_role');
  end if;
  if p_ban then
    insert into app.space_bans (space_id, user_id) values (v_space.id, v_user) on conflict do nothing;
    update app.space_requests set status = 'ended', decided_at = now()
    where space_id = v_space.id and user_id = v_user and status = 'pending';
    update app.space_invitations set status = 'revoked'
    where space_id = v_space.id and invitee_id = v_user and status = 'pending';
  end if;
  if private.drop_member(v_space.id, v_user) then
    perform private.tell_membership(v_space, 'removed', v_user);
  end if;
end $$;
comment on function private.remove_space_member is
  'Takes somebody of a lower role out of a space, and with p_ban keeps them out, also when they have left. Repeating '
  'it changes nothing. Fails: writes_exceeded, person_unknown, space_unknown, space_not_member, space_role.';

create function private.lift_space_ban(p_kind text, p_id text, p_person text) returns void
language plpgsql volatile security definer   -- nobody may write bans
set search_path = ''
as $$
declare
  v_user  uuid := private.require_visible_person(p_person);
  v_space app.spaces := private.enter_space(p_kind, p_id);
begin
  perform private.require_space_role(v_space.id, 'owner', 'moderator');
  delete from app.space_bans where space_id = v_space.id and user_id = v_user;
end $$;
comment on function private.lift_space_ban is
  'Lets somebody come into a space again. Repeating it changes nothing. Fails: person_unknown, space_unknown, '
  'space_not_member, space_role.';

create function private.request_cards(p_ids uuid[]) returns json
language plpgsql stable security definer   -- its callers look at who may see them
set search_path = ''
as $$
begin
  return (
    select json_agg(json_build_object(
             'id', r.id, case s.kind when 'group' then 'groupId' else 'guildId' end, r.space_id,
             'userId', p.actor_id, 'user', p.card, 'message', r.message, 'status', r.status,
             'createdAt', private.utc(r.created_at), 'decidedAt', private.utc(r.decided_at)) order by i.place)
    from unnest(p_ids) with ordinality as i (id, place)
    join app.space_requests r on r.id = i.id
    join app.spaces s on s.id = r.space_id
    join app.person_card p on p.id = r.user_id);
end $$;
comment on function private.request_cards is
  'These requests, in order: {id, groupId or guildId, userId, user, message, status, createdAt, decidedAt}.';
call private.make_walk('private.request_cards');

create function private.decide_request(p_space app.spaces, p_request app.space_requests, p_approve boolean)
returns void
language plpgsql volatile security definer   -- nobody may write requests
set search_path = ''
as $$
begin
  update app.space_requests set status = case when p_approve then 'approved' else 'rejected' end, decided_at = now()
  where id = p_request.id and status = 'pending';
  if not found then
    perform private.fail('request_settled');
  end if;
  if p_approve then
    perform private.add_member(p_space, p_request.user_id);
  end if;
  perform private.tell_membership(p_space, case when p_approve then 'approved' else 'rejected' end,
                                  p_request.user_id);
end $$;
comment on function private.decide_request is
  'Approves or rejects a pending request to join a space, which is locked with who asked. Fails: request_settled, '
  'space_archived, person_unknown, space_full, memberships_exhausted.';

create function private.settle_request(p_kind text, p_id text, p_request uuid, p_approve boolean) returns json
language plpgsql volatile security definer   -- nobody may write requests
set search_path = ''
as $$
declare
  v_space   app.spaces := private.require_space(p_kind, p_id);
  v_request app.space_requests;
begin
  perform private.count_writes('memberships');
  select * into v_request from app.space_requests where id = p_request and space_id = v_space.id;
  v_space := private.enter_space(p_kind, p_id, array[v_request.user_id]);
  perform private.require_space_role(v_space.id, 'owner', 'moderator');
  perform from private.visible_people where id = v_request.user_id;
  if not found then
    perform private.fail('request_unknown');
  end if;
  perform private.decide_request(v_space, v_request, p_approve);
  return private.request_cards(array[p_request]) -> 0;
end $$;
comment on function private.settle_request is
  'The owner or a moderator approves or rejects a pending request. Fails: writes_exceeded, space_unknown, '
  'space_not_member, space_role, request_unknown, request_settled, space_archived, person_unknown, space_full, '
  'memberships_exhausted.';

create function private.withdraw_request(p_kind text, p_request uuid) returns json
language plpgsql volatile security definer   -- works where the caller no longer sees the space
set search_path = ''
as $$
declare
  v_request app.space_requests;
begin
  select r.* into v_request from app.space_requests r join app.spaces s on s.id = r.space_id
  where r.id = p_request and r.user_id = private.require_caller() and s.kind = p_kind;
  if not found then
    perform private.fail('request_unknown');
  end if;
  perform private.lock_space(v_request.space_id, array[v_request.user_id]);
  update app.space_requests set status = 'withdrawn', decided_at = now() where id = p_request and status = 'pending';
  if not found then
    perform private.fail('request_settled');
  end if;
  return private.request_cards(array[p_request]) -> 0;
end $$;
comment on function private.withdraw_request is
  'Who asked takes a pending request back. Fails: request_unknown, request_settled.';

create function private.space_invitation_cards(p_ids uuid[]) returns json
language plpgsql stable security definer   -- its callers look at who may see them
set search_path = ''
as $$
begin
  return (
    select json_agg(json_build_object(
             'id', i.id, s.kind || 'Id', s.id,
             s.kind, json_build_object('id', s.id, 'slug', s.slug, 'name', s.name, 'accent', s.accent),
             'inviterId', inviter.actor_id, 'inviter', inviter.card,
             'inviteeId', invitee.actor_id, 'invitee', invitee.card,
             'status', i.status, 'createdAt', private.utc(i.created_at)) order by w.place)
    from unnest(p_ids) with ordinality as w (id, place)
    join app.space_invitations i on i.id = w.id
    join app.spaces s on s.id = i.space_id
    join app.person_card inviter on inviter.id = i.inviter_id
    join app.person_card invitee on invitee.id = i.invitee_id);
end $$;
comment on function private.space_invitation_cards is
  'These invitations, in order: {id, groupId, group or guildId, guild, inviterId, inviter, inviteeId, invitee, '
  'status, createdAt}.';
call private.make_walk('private.space_invitation_cards');

create function private.invite_to_space(p_kind text, p_id text, p_person text) returns json
language plpgsql volatile security definer   -- nobody may write invitations
set search_path = ''
as $$
declare
  v_me         uuid := private.require_caller();
  v_user       uuid := private.require_visible_person(p_person);
  v_space      app.spaces;
  v_invitation uuid;
begin
  perform private.count_writes('invitations');
  v_space := private.enter_space(p_kind, p_id, array[v_user]);
  if v_space.join_policy = 'open' then
    perform private.require_space_role(v_space.id, 'owner', 'moderator', 'member');
  else
    perform private.require_space_role(v_space.id, 'owner', 'moderator');
  end if;
  perform private.lock_pairs(array[v_user], array[v_me]);
  perform private.require_visible_person(p_person);   -- again, since a block may have come while we waited
  perform private.require_open(v_space);
  if v_user = v_me then
    perform private.fail('invite_oneself');
  elsif private.find_role(v_space.id, v_user) is not null then
    perform private.fail('space_member_already');
  elsif exists (select from app.space_bans where space_id = v_space.id and user_id = v_user) then
    perform private.fail('space_invitee_banned');
  end if;
  -- one by somebody who is banned from the instance nobody sees, so it could be neither answered nor taken back
  update app.space_invitations i set status = 'revoked'
  where i.space_id = v_space.id and i.invitee_id = v_user and i.status = 'pending'
    and exists (select from app.silenced_people s where s.user_id = i.inviter_id);
  insert into app.space_invitations (space_id, inviter_id, invitee_id) values (v_space.id, v_me, v_user)
  on conflict (space_id, invitee_id) where status = 'pending' do nothing returning id into v_invitation;
  if not found then
    perform private.fail('space_invitation_pending');
  end if;
  perform private.tell_membership(v_space, 'invited', v_user, v_me, v_invitation);
  return private.space_invitation_cards(array[v_invitation]) -> 0;
end $$;
comment on function private.invite_to_space is
  'Invites a person into a space: its owner and moderators do, and where it is open any member. It takes the place of '
  'one by somebody who is banned from the instance. Fails: '
  'writes_exceeded, person_unknown, space_unknown, space_not_member, space_role, space_archived, invite_oneself, '
  'space_member_already, space_invitee_banned, space_invitation_pending.';

create function private.revoke_space_invitation(p_kind text, p_id text, p_invitation uuid) returns void
language plpgsql volatile security definer   -- nobody may write invitations
set search_path = ''
as $$
declare
  v_space      app.spaces := private.enter_space(p_kind, p_id);
  v_invitation app.space_invitations;
begin
  select * into v_invitation from app.space_invitations where id = p_invitation and space_id = v_space.id;
  if v_invitation.inviter_id is distinct from app.uid() then
    perform private.require_space_role(v_space.id, 'owner', 'moderator');
  end if;
  if v_invitation.id is null then
    perform private.fail('invitation_unknown');
  end if;
  update app.space_invitations set status = 'revoked' where id = p_invitation and status = 'pending';
  if not found then
    perform private.fail('invitation_settled');
  end if;
end $$;
comment on function private.revoke_space_invitation is
  'Takes a pending invitation back, for who made it and for owner and moderators. Fails: space_unknown, '
  'space_not_member, space_role, invitation_unknown, invitation_settled.';

create function private.answer_space_invitation(p_kind text, p_invitation uuid, p_accept boolean) returns json
language plpgsql volatile security definer   -- nobody may write memberships
set search_path = ''
as $$
declare
  v_me         uuid := private.require_caller();
  v_invitation app.space_invitations;
  v_space      app.spaces;
begin
  perform private.count_writes('memberships');
  select i.* into v_invitation
  from app.space_invitations i
  join app.spaces s on s.id = i.space_id and s.kind = p_kind
  join private.visible_people p on p.id = i.inviter_id
  where i.id = p_invitation and i.invitee_id = v_me;
  if not found then
    perform private.fail('invitation_unknown');
  end if;
  v_space := private.lock_space(v_invitation.space_id, array[v_me]);
  if p_accept then
    perform private.require_open(v_space);
  end if;
  update app.space_invitations set status = case when p_accept then 'accepted' else 'declined' end
  where id = p_invitation and status = 'pending';
  if not found then
    perform private.fail('invitation_settled');
  end if;
  if p_accept then
    perform private.add_member(v_space, v_me);
  end if;
  return private.space_invitation_cards(array[p_invitation]) -> 0;
end $$;
comment on function private.answer_space_invitation is
  'Who is invited into a space accepts, and is a member, or declines. Fails: writes_exceeded, invitation_unknown, '
  'invitation_settled, space_archived, space_full, memberships_exhausted, person_unknown.';

create function private.end_space_invitations() returns trigger
language plpgsql security definer   -- ends invitations of both
set search_path = ''
as $$
begin
  update app.space_invitations i set status = 'revoked'
  from changed c
  where i.status = 'pending'
    -- nobody invites themselves: these are the two ways, in the form that finds its index
    and i.inviter_id = any (array[c.blocker_id, c.blocked_id])
    and i.invitee_id = any (array[c.blocker_id, c.blocked_id]);
  return null;
end $$;
comment on function private.end_space_invitations is
  'Trigger: a block ends pending invitations into spaces, both ways. Memberships stay.';
call private.make_walk('private.end_space_invitations');
create trigger _120_end_space_invitations after insert on app.blocks
  referencing new table as changed for each statement execute function private.end_space_invitations();

create function private.silence_memberships() returns trigger
language plpgsql security definer   -- a ban changes rows that nobody may change
set search_path = ''
as $$
begin
  update app.space_members set silent = new.banned_at is not null or new.erased_at is not null
  where user_id = new.id;
  return null;
end $$;
comment on function private.silence_memberships is
  'Trigger: who is banned or erased is counted in no space, of which one person is in 1000 at most.';
-- behind private.leave_spaces, which may make one who is just being erased an heir
create trigger _085_silence_memberships after update of banned_at, erased_at on app.users
  for each row when ((old.banned_at is null, old.erased_at is null) <> (new.banned_at is null, new.erased_at is null))
  execute function private.silence_memberships();
