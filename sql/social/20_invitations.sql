-- Invitations to a circle. They are pending, then accepted, declined or revoked. docs/decisions.md, Circles and
-- blocks.

create table app.circle_invitations (
  id         uuid primary key default gen_random_uuid(),
  circle_id  uuid not null references app.circles on delete cascade,
  inviter_id uuid not null references app.users on delete cascade,
  invitee_id uuid not null references app.users on delete cascade,
  bond_level text not null default 'acquaintance' check (bond_level in ('acquaintance', 'inner-circle')),
  status     text not null default 'pending' check (status in ('pending', 'accepted', 'declined', 'revoked')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint invite_oneself check (invitee_id <> inviter_id)
);
create unique index invitation_pending on app.circle_invitations (circle_id, invitee_id) where status = 'pending';
create index circle_invitations_inviter_id_idx on app.circle_invitations (inviter_id, invitee_id, status);
create index circle_invitations_invitee_id_idx
  on app.circle_invitations (invitee_id, status desc, created_at desc, id desc);
create index circle_invitations_circle_id_idx
  on app.circle_invitations (circle_id, status, created_at desc, id desc);
comment on table app.circle_invitations is 'Invitations to circles. A settled invitation never changes again.';
comment on column app.circle_invitations.status is
  'pending, then accepted or declined by the invitee, or revoked by the inviter or by a block. Only a pending '
  'invitation changes.';
create trigger touch before update on app.circle_invitations for each row execute function private.touch();

insert into private.event_types (name, payload, happens) values
  ('social.invitation.sent', '{invitationId,circleId,inviterId,inviteeId}',
   'somebody is invited into a circle'),
  ('social.invitation.accepted', '{invitationId,circleId,memberId}',
   'an invitation into a circle is accepted'),
  ('social.invitation.withdrawn', '{invitationId,circleId}',
   'an invitation into a circle is revoked by the owner, or ended by a block or the deletion of the circle');

insert into private.write_limits (kind, per_hour) values ('invitations', 100);

insert into private.errors (code, status, text) values
  ('invitation_unknown', 404, 'There is no such invitation.'),
  ('invitation_not_yours', 403, 'Only the invited person can answer an invitation.'),
  ('invitation_pending', 409, 'This person already has a pending invitation to the circle.'),
  ('invitations_exhausted', 409, 'A circle can have at most 100 pending invitations. Revoke one first.'),
  ('invitation_settled', 409, 'This invitation has already been accepted, declined or revoked.'),
  ('invite_oneself', 400, 'You cannot invite yourself.');

create function private.limit_invitations() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  -- lock, so that concurrent calls cannot exceed the limit
  perform from app.circles where id = new.circle_id for update;
  if not exists (select from app.circle_invitations
                 where circle_id = new.circle_id and invitee_id = new.invitee_id and status = 'pending')
     and (select count(*) from app.circle_invitations
          where circle_id = new.circle_id and status = 'pending') >= 100 then
    perform private.raise_error('invitations_exhausted');
  end if;
  return new;
end $$;
comment on function private.limit_invitations is
  'Trigger: rejects an invitation if the circle has 100 pending ones, because deleting the circle locks a pair for '
  'each.';
create trigger limit_invitations before insert on app.circle_invitations
  for each row execute function private.limit_invitations();

create function private.announce_withdrawal() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform private.emit('social.invitation.withdrawn', json_build_object(
    'invitationId', old.id, 'circleId', old.circle_id), array[old.invitee_id]);
  return null;
end $$;
comment on function private.announce_withdrawal is 'Trigger: emits social.invitation.withdrawn.';
create trigger announce_withdrawal after update of status on app.circle_invitations
  for each row when (old.status = 'pending' and new.status = 'revoked') execute function private.announce_withdrawal();
create trigger announce_deletion after delete on app.circle_invitations
  for each row when (old.status = 'pending') execute function private.announce_withdrawal();

create function private.circle_name(p_circle uuid) returns text
language plpgsql stable security definer   -- an invitee does not see the circle yet, but may see its name
set search_path = ''
as $$
begin
  return (select name from app.circles where id = p_circle);
end $$;
comment on function private.circle_name is 'The name of a circle, also for invited people.';

create view app.circle_invitation_card with (security_invoker) as
select i.id, i.circle_id, i.inviter_id, i.invitee_id, i.status, i.created_at,
       json_build_object(
         'id', i.id,
         'circleId', i.circle_id,
         'circleName', private.circle_name(i.circle_id),
         'inviterId', inviter.actor_id,
         'inviter', inviter.card,
         'inviteeId', invitee.actor_id,
         'invitee', invitee.card,
         'bondLevel', i.bond_level,
         'status', i.status,
         'createdAt', private.utc(i.created_at)) as card
from app.circle_invitations i
join app.person_card inviter on inviter.id = i.inviter_id
join app.person_card invitee on invitee.id = i.invitee_id;
comment on view app.circle_invitation_card is
  'An invitation as the inviter and the invitee see it: {id, circleId, circleName, inviterId, inviter, inviteeId, '
  'invitee, bondLevel, status, createdAt}.';

create function private.invitation_cards(p_ids uuid[]) returns json
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_generic_plan   -- planning a card view takes longer than running it
as $$
begin
  return (
    select json_agg(c.card order by i.place)
    from unnest(p_ids) with ordinality as i (id, place) join app.circle_invitation_card c on c.id = i.id);
end $$;
comment on function private.invitation_cards is 'The cards of these invitations that the caller sees, in order.';
call private.force_index_scans('private.invitation_cards');

create function api.invite_to_circle(p_id uuid, p_invitee_id text, p_bond_level text default 'acquaintance')
returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_kept       json := private.begin_idempotent('invite_to_circle', json_build_array(
    p_id, p_invitee_id, p_bond_level));
  v_invitee    uuid;
  v_invitation uuid;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  perform private.count_writes('invitations');
  v_invitee := private.lock_person(p_invitee_id);
  perform private.require_own_circle(p_id);
  if exists (select from app.circle_members where circle_id = p_id and member_id = v_invitee) then
    perform private.raise_error('member_already');
  end if;
  -- check and insert in one statement, because a ban does not lock the pair
  insert into app.circle_invitations (circle_id, inviter_id, invitee_id, bond_level)
  select p_id, app.uid(), u.id, p_bond_level from app.users u where u.id = v_invitee
  on conflict (circle_id, invitee_id) where status = 'pending' do nothing
  returning id into v_invitation;
  if not found then
    perform private.require_person(p_invitee_id);
    perform private.raise_error('invitation_pending');
  end if;
  perform private.emit('social.invitation.sent', json_build_object(
    'invitationId', v_invitation, 'circleId', p_id, 'inviterId', app.uid(), 'inviteeId', v_invitee),
    array[v_invitee]);
  return private.finish_idempotent('invite_to_circle', private.invitation_cards(array[v_invitation]) -> 0);
end $$;
comment on function api.invite_to_circle is
  'Invites a person to the caller''s circle. Fails: invite_oneself, invitations_exhausted.';

create function private.find_invitations(p_circle uuid, p_cursor text) returns app.found
language plpgsql stable security definer   -- a policy could make the query scan any number of hidden people
set search_path = ''
as $$
declare
  v_me     uuid := app.uid();
  v_list   text := concat_ws(' ', 'circle invitations', p_circle);
  v_place  app.place := private.require_place(v_list, p_cursor);
  v_from   timestamptz := v_place.at;
  v_before uuid := v_place.id;
  v_found  app.found;
begin
  if p_cursor is null then
    v_from := 'infinity';
    v_before := v_me;   -- no row has this time, so any id works
  elsif v_from is null then
    select created_at, id into v_from, v_before
    from app.circle_invitations where id = v_place.id and v_me in (inviter_id, invitee_id);
    if not found then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  -- exactly one of these two branches applies
  with looked as materialized (
    select * from (
      (select created_at as at, id, invitee_id as other from app.circle_invitations
       where p_circle is not null and circle_id = p_circle and inviter_id = v_me and status = 'pending'
         and (created_at, id) < (v_from, v_before)
       order by created_at desc, id desc limit 400)
      union all
      (select created_at, id, inviter_id from app.circle_invitations
       where p_circle is null and invitee_id = v_me and status = 'pending' and (created_at, id) < (v_from, v_before)
       order by created_at desc, id desc limit 400)) w
  ), seen as materialized (
    select array(select l.id from looked l join private.visible_people o on o.id = l.other
                 order by l.at desc, l.id desc limit 51) as ids
  )
  select s.ids, case when cardinality(s.ids) < 51
                     then (select private.place_cursor(v_list, l.at, l.id)
                           from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $$;
comment on function private.find_invitations is
  'The next pending invitations to a circle of the caller or, if no circle is given, to the caller, among the next '
  '400. It leaves out invitations of hidden people.';
call private.force_index_scans('private.find_invitations');

create function api.list_circle_invitations(p_id uuid, p_limit integer default 20, p_cursor text default null)
returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_found app.found;
begin
  perform private.require_own_circle(p_id);
  v_found := private.find_invitations(p_id, p_cursor);
  return private.page(private.invitation_cards(v_found.ids[:p_limit]), v_found.ids::text[], p_limit, v_found.next);
end $$;
comment on function api.list_circle_invitations is 'The pending invitations of the caller''s circle, newest first.';

create function api.list_my_invitations(p_limit integer default 20, p_cursor text default null) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_found app.found := private.find_invitations(null, p_cursor);
begin
  return private.page(private.invitation_cards(v_found.ids[:p_limit]), v_found.ids::text[], p_limit, v_found.next);
end $$;
comment on function api.list_my_invitations is 'The pending invitations addressed to the caller, newest first.';

create function private.settle_invitation(p_invitation uuid, p_status text) returns void
language plpgsql volatile security definer   -- an invitee joins another's circle
set search_path = ''
as $$
declare
  v_invitation app.circle_invitations;
begin
  select * into v_invitation from app.circle_invitations
  where id = p_invitation and app.uid() = case p_status when 'revoked' then inviter_id else invitee_id end;
  if not found then
    perform private.raise_error('invitation_unknown');
  end if;
  -- lock the pair before the rows: ARCHITECTURE.md, Locks. The row must be read again after the lock
  perform private.lock_pairs(array[v_invitation.invitee_id], array[v_invitation.inviter_id]);
  update app.circle_invitations set status = p_status where id = p_invitation and status = 'pending';
  if not found then
    perform private.raise_error('invitation_settled');
  end if;
  if p_status = 'accepted' then
    insert into app.circle_members (circle_id, owner_id, member_id, bond_level)
    values (v_invitation.circle_id, v_invitation.inviter_id, v_invitation.invitee_id, v_invitation.bond_level);
    perform private.emit('social.invitation.accepted', json_build_object(
      'invitationId', p_invitation, 'circleId', v_invitation.circle_id, 'memberId', v_invitation.invitee_id),
      array[v_invitation.inviter_id]);
  end if;
end $$;
comment on function private.settle_invitation is
  'Settles a pending invitation. The invitee accepts or declines it, the inviter revokes it. Accepting creates the '
  'membership. Fails: member_already, circle_full.';

create function api.respond_invitation(p_id uuid, p_accept boolean) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  if p_accept is null then
    perform private.raise_error('value_invalid');   -- null would count as declining, which is final
  elsif not exists (select from app.circle_invitation_card where id = p_id) then
    perform private.raise_error('invitation_unknown');
  elsif not exists (select from app.circle_invitations where id = p_id and invitee_id = app.uid()) then
    perform private.raise_error('invitation_not_yours');
  end if;
  perform private.settle_invitation(p_id, case when p_accept then 'accepted' else 'declined' end);
  return private.invitation_cards(array[p_id]) -> 0;
end $$;
comment on function api.respond_invitation is 'The invitee accepts or declines. Fails: value_invalid (neither).';

create function api.accept_invitation(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$ begin return api.respond_invitation(p_id, true); end $$;
comment on function api.accept_invitation is 'The invitee accepts.';

create function api.decline_invitation(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$ begin return api.respond_invitation(p_id, false); end $$;
comment on function api.decline_invitation is 'The invitee declines. Never: circle_full, member_already.';

create function api.revoke_invitation(p_circle_id uuid, p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  if exists (select from app.circle_invitation_card
             where id = p_id and circle_id = p_circle_id and invitee_id = app.uid()) then
    perform private.raise_error('circle_not_yours');   -- the invitee sees the invitation, but not the circle
  end if;
  perform private.require_own_circle(p_circle_id);
  if not exists (select from app.circle_invitations
                 where id = p_id and circle_id = p_circle_id and inviter_id = app.uid()) then
    perform private.raise_error('invitation_unknown');
  end if;
  perform private.settle_invitation(p_id, 'revoked');
  return null;   -- null becomes a 204 response
end $$;
comment on function api.revoke_invitation is
  'The inviter revokes a pending invitation. Never: circle_full, member_already.';

insert into private.links (type, path) values ('invitation', '/circles/invitations/{id}');
