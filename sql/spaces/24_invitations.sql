-- How invitations into spaces are created, revoked, answered, and ended by a block. docs/decisions.md, Spaces.

insert into private.event_types (name, payload, happens) values
  ('spaces.invitation.withdrawn', '{invitationId,spaceId}',
   'an invitation into a space is revoked by its author or a moderator, or ended by a block or a ban');

create function private.announce_space_withdrawal() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform private.emit('spaces.invitation.withdrawn', json_build_object(
    'invitationId', old.id, 'spaceId', old.space_id), array[old.invitee_id]);
  return null;
end $$;
comment on function private.announce_space_withdrawal is 'Trigger: emits spaces.invitation.withdrawn.';
create trigger announce_withdrawal after update of status on app.space_invitations
  for each row when (old.status = 'pending' and new.status = 'revoked')
  execute function private.announce_space_withdrawal();
create trigger announce_deletion after delete on app.space_invitations
  for each row when (old.status = 'pending') execute function private.announce_space_withdrawal();

create function private.space_invitation_cards(p_ids uuid[]) returns json
language plpgsql stable security definer   -- its callers check who may see the invitations
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
call private.force_index_scans('private.space_invitation_cards');

create function private.invite_to_space(p_kind text, p_id text, p_person text) returns json
language plpgsql volatile security definer   -- callers may not write invitations
set search_path = ''
as $$
declare
  v_me         uuid := private.require_caller();
  v_user       uuid := private.require_visible_person(p_person);
  v_space      app.spaces;
  v_invitation uuid;
begin
  perform private.count_writes('invitations');
  v_space := private.lock_visible_space(p_kind, p_id, array[v_user]);
  if not private.may_invite(v_space.id, v_me) then
    perform private.require_space_role(v_space.id, 'owner', 'moderator');
  end if;
  perform private.lock_pairs(array[v_user], array[v_me]);
  -- check again, because somebody may have made a block during the wait
  perform private.require_visible_person(p_person);
  perform private.require_open(v_space);
  if v_user = v_me then
    perform private.raise_error('invite_oneself');
  elsif private.find_role(v_space.id, v_user) is not null then
    perform private.raise_error('space_member_already');
  elsif exists (select from app.space_bans where space_id = v_space.id and user_id = v_user) then
    perform private.raise_error('space_invitee_banned');
  end if;
  -- End the invitations of people who are banned from the instance or may no longer invite. Nobody sees these
  -- invitations, so nobody could answer or revoke them.
  update app.space_invitations i set status = 'revoked'
  where i.space_id = v_space.id and i.invitee_id = v_user and i.status = 'pending'
    and (not private.may_invite(v_space.id, i.inviter_id)
         or exists (select from app.hidden_people s where s.user_id = i.inviter_id));
  insert into app.space_invitations (space_id, inviter_id, invitee_id) values (v_space.id, v_me, v_user)
  on conflict (space_id, invitee_id) where status = 'pending' do nothing returning id into v_invitation;
  if not found then
    perform private.raise_error('space_invitation_pending');
  end if;
  perform private.emit_membership_decision(v_space, 'invited', v_user, v_me, v_invitation);
  return private.space_invitation_cards(array[v_invitation]) -> 0;
end $$;
comment on function private.invite_to_space is
  'Invites a person into a space, for callers who may invite (private.may_invite). It replaces an invitation by a '
  'person who is banned from the instance or may no longer invite.';

create function private.revoke_space_invitation(p_kind text, p_id text, p_invitation uuid) returns void
language plpgsql volatile security definer   -- callers may not write invitations
set search_path = ''
as $$
declare
  v_space      app.spaces := private.lock_visible_space(p_kind, p_id);
  v_invitation app.space_invitations;
begin
  select * into v_invitation from app.space_invitations where id = p_invitation and space_id = v_space.id;
  if v_invitation.inviter_id is distinct from app.uid() then
    perform private.require_space_role(v_space.id, 'owner', 'moderator');
  end if;
  if v_invitation.id is null then
    perform private.raise_error('invitation_unknown');
  end if;
  update app.space_invitations set status = 'revoked' where id = p_invitation and status = 'pending';
  if not found then
    perform private.raise_error('invitation_settled');
  end if;
end $$;
comment on function private.revoke_space_invitation is
  'Revokes a pending invitation, for the inviter, the owner and moderators.';

create function private.answer_space_invitation(p_kind text, p_invitation uuid, p_accept boolean) returns json
language plpgsql volatile security definer   -- callers may not write memberships
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
  join private.visible_people inviter on inviter.id = i.inviter_id
  join private.visible_people invitee on invitee.id = i.invitee_id
  where i.id = p_invitation
    and (v_me in (i.inviter_id, i.invitee_id) or private.find_role(i.space_id, v_me) in ('owner', 'moderator'));
  if not found then
    perform private.raise_error('invitation_unknown');
  elsif v_invitation.invitee_id <> v_me then
    perform private.raise_error('invitation_not_yours');
  end if;
  v_space := private.lock_space(v_invitation.space_id, array[v_me]);
  if p_accept then
    perform private.require_open(v_space);
  end if;
  -- check under the lock of the space, because the invitation ends with the inviter's right to invite
  update app.space_invitations set status = case when p_accept then 'accepted' else 'declined' end
  where id = p_invitation and status = 'pending' and private.may_invite(space_id, inviter_id);
  if not found then
    perform private.raise_error('invitation_settled');
  end if;
  if p_accept then
    perform private.add_member(v_space, v_me);
  end if;
  return private.space_invitation_cards(array[p_invitation]) -> 0;
end $$;
comment on function private.answer_space_invitation is
  'The invitee accepts an invitation, and becomes a member, or declines it.';

create function private.end_invitations(p_job jsonb, p_after uuid default null) returns json
language plpgsql volatile security definer   -- callers may not write invitations
set search_path = ''
as $$
declare
  v_space    uuid := (p_job ->> 'spaceId')::uuid;
  v_user     uuid := (p_job ->> 'userId')::uuid;
  v_from     uuid := coalesce(p_after, '00000000-0000-0000-0000-000000000000');
  v_invitees uuid[];
  v_ended    integer;
begin
  perform private.lock_space(v_space, '{}');
  if v_user is null then
    v_invitees := array(select invitee_id from app.space_invitations
                        where space_id = v_space and status = 'pending' and invitee_id > v_from
                        order by invitee_id limit 500);
  else
    v_invitees := array(select invitee_id from app.space_invitations
                        where space_id = v_space and inviter_id = v_user and status = 'pending'
                          and invitee_id > v_from
                        order by invitee_id limit 500);
  end if;
  update app.space_invitations set status = 'revoked'
  where space_id = v_space and invitee_id = any (v_invitees) and status = 'pending'
    and not private.may_invite(space_id, inviter_id);
  get diagnostics v_ended = row_count;
  return json_build_object('changed', v_ended, 'next', v_invitees[500]);
end $$;
comment on function private.end_invitations is
  'For the worker and private.end_invitations_soon: checks the next 500 pending invitations into a space, by all '
  'members or by one person, and ends those whose inviter may no longer invite. p_job is {spaceId, userId}. Returns '
  '{changed, next}; next is null at the end.';
call private.force_index_scans('private.end_invitations');
call private.make_batch_queue('ended-invitations', 'private.end_invitations');

create function private.end_invitations_soon(p_space uuid, p_user uuid) returns void
language plpgsql volatile security definer   -- callers may not write invitations
set search_path = ''
as $$
declare
  v_job json := json_build_object('spaceId', p_space, 'userId', p_user);
begin
  if private.end_invitations(v_job::jsonb) ->> 'next' is not null then
    perform private.enqueue('ended-invitations', v_job);
  end if;
end $$;
comment on function private.end_invitations_soon is
  'Does the same as private.end_invitations, for all invitations: it checks the first 500 at once, and the worker '
  'checks the others soon after. Meanwhile nobody can accept an invitation whose inviter may no longer invite.';

create function private.end_lost_invitations() returns trigger
language plpgsql security definer   -- ends invitations of other people
set search_path = ''
as $$
begin
  -- an erasure deletes all invitations of the person later: ARCHITECTURE.md, Locks
  if not exists (select from app.users where id = old.user_id and erased_at is not null) then
    perform private.end_invitations_soon(old.space_id, old.user_id);
  end if;
  return null;
end $$;
comment on function private.end_lost_invitations is
  'Trigger: when a member loses the right to invite by leaving, by removal or by another role, ends the invitations '
  'that they made. The invitations stay ended if the member gets the right back.';
create trigger _080_end_left_invitations after delete on app.space_members
  for each row execute function private.end_lost_invitations();
create trigger _080_end_lost_invitations after update of role on app.space_members
  for each row when (old.role <> 'member' and new.role = 'member') execute function private.end_lost_invitations();

create function private.end_open_invitations() returns trigger
language plpgsql security definer   -- ends invitations of other people
set search_path = ''
as $$
begin
  perform private.end_invitations_soon(new.id, null);
  return null;
end $$;
comment on function private.end_open_invitations is
  'Trigger: when a space is no longer open, ends the invitations that its members made.';
create trigger _080_end_open_invitations after update of join_policy on app.spaces
  for each row when (old.join_policy = 'open' and new.join_policy <> 'open')
  execute function private.end_open_invitations();

create function private.end_space_invitations() returns trigger
language plpgsql security definer   -- a block ends the invitations of both people
set search_path = ''
as $$
begin
  update app.space_invitations i set status = 'revoked'
  from changed c
  where i.status = 'pending'
    -- this form matches both directions, because nobody invites themselves, and it can use the index
    and i.inviter_id = any (array[c.blocker_id, c.blocked_id])
    and i.invitee_id = any (array[c.blocker_id, c.blocked_id]);
  return null;
end $$;
comment on function private.end_space_invitations is
  'Trigger: after a block, ends pending invitations into spaces between the two people. Memberships remain.';
call private.force_index_scans('private.end_space_invitations');
create trigger _120_end_space_invitations after insert on app.blocks
  referencing new table as changed for each statement execute function private.end_space_invitations();
