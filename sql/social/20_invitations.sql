-- Invitations into a circle: pending, then accepted, declined or revoked.
-- docs/decisions.md, Circles and blocks.

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
create index circle_invitations_inviter_id_idx on app.circle_invitations (inviter_id, status);
create index circle_invitations_invitee_id_idx
  on app.circle_invitations (invitee_id, status, created_at desc, id desc);
create index circle_invitations_circle_id_idx on app.circle_invitations (circle_id, created_at desc, id desc);
comment on table app.circle_invitations is 'Invitations into circles. A settled one never changes again.';
comment on column app.circle_invitations.status is
  'pending, then accepted or declined by the invitee, or revoked by the inviter or a block. Only pending changes.';
create trigger touch before update on app.circle_invitations for each row execute function private.touch();

insert into private.events (name, payload, happens) values
  ('social.invitation.sent', '{invitationId,circleId,inviterId,inviteeId}',
   'somebody is invited into a circle'),
  ('social.invitation.accepted', '{invitationId,circleId,memberId}',
   'an invitation into a circle is accepted');

insert into private.errors (code, status, text) values
  ('invitation_unknown', 404, 'There is no such invitation.'),
  ('invitation_pending', 409, 'This person already has a pending invitation into the circle.'),
  ('invitation_settled', 409, 'This invitation has already been accepted, declined or revoked.'),
  ('invite_oneself', 400, 'You cannot invite yourself.');

create function private.circle_name(p_circle uuid) returns text
language plpgsql stable security definer   -- an invitee does not see the circle yet, but may know its name
set search_path = ''
as $$
begin
  return (select name from app.circles where id = p_circle);
end $$;
comment on function private.circle_name is 'The name of a circle that somebody is invited into.';

create view app.circle_invitation_card with (security_invoker) as
select i.id, i.circle_id, i.inviter_id, i.invitee_id, i.status, i.created_at,
       json_build_object(
         'id', i.id,
         'circleId', i.circle_id,
         'circleName', private.circle_name(i.circle_id),
         'inviterId', inviter.card ->> 'id',
         'inviter', inviter.card,
         'inviteeId', invitee.card ->> 'id',
         'invitee', invitee.card,
         'bondLevel', i.bond_level,
         'status', i.status,
         'createdAt', private.utc(i.created_at)) as card
from app.circle_invitations i
join app.person_card inviter on inviter.id = i.inviter_id
join app.person_card invitee on invitee.id = i.invitee_id;
comment on view app.circle_invitation_card is
  'An invitation as its two people see it: {id, circleId, circleName, inviterId, inviter, inviteeId, invitee, '
  'bondLevel, status, createdAt}.';

create function private.invitation_cards(p_ids uuid[]) returns json
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_generic_plan   -- planning such a view takes longer than running it
as $$
begin
  return (
    select json_agg(c.card order by i.place)
    from unnest(p_ids) with ordinality as i (id, place) join app.circle_invitation_card c on c.id = i.id);
end $$;
comment on function private.invitation_cards is 'The cards of these invitations, in order, as far as the caller sees '
  'them.';

create function api.invite_to_circle(p_id uuid, p_invitee_id text, p_bond_level text default 'acquaintance')
returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_invitee    uuid := private.lock_person(p_invitee_id);
  v_invitation uuid;
begin
  perform private.require_own_circle(p_id);
  if exists (select from app.circle_members where circle_id = p_id and member_id = v_invitee) then
    perform private.fail('member_already');
  end if;
  insert into app.circle_invitations (circle_id, inviter_id, invitee_id, bond_level)
  values (p_id, app.uid(), v_invitee, p_bond_level)
  on conflict (circle_id, invitee_id) where status = 'pending' do nothing
  returning id into v_invitation;
  if not found then
    perform private.fail('invitation_pending');
  end if;
  perform private.emit('social.invitation.sent', json_build_object(
    'invitationId', v_invitation, 'circleId', p_id, 'inviterId', app.uid(), 'inviteeId', v_invitee));
  return private.invitation_cards(array[v_invitation]) -> 0;
end $$;
comment on function api.invite_to_circle is
  'Invites a person into the caller''s circle. Fails: circle_unknown, circle_not_yours, person_unknown, '
  'invite_oneself, member_already, invitation_pending.';

create function api.list_circle_invitations(p_id uuid, p_limit integer default 20, p_cursor text default null)
returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_from app.circle_invitations;
  v_ids  uuid[];
begin
  perform private.require_own_circle(p_id);
  select * into v_from from app.circle_invitations where id = private.require_cursor(p_cursor);
  if p_cursor is not null and not found then
    perform private.fail('cursor_unknown');
  end if;
  v_ids := array(select id from app.circle_invitation_card
                 where circle_id = p_id and status = 'pending'
                   and (created_at, id) < (coalesce(v_from.created_at, 'infinity'), coalesce(v_from.id, p_id))
                 order by created_at desc, id desc limit 51);
  return private.page(private.invitation_cards(v_ids[:p_limit]), v_ids::text[], p_limit);
end $$;
comment on function api.list_circle_invitations is
  'The pending invitations of the caller''s circle, newest first. Fails: circle_unknown, circle_not_yours, '
  'cursor_unknown, limit_out_of_range.';

create function api.list_my_invitations(p_limit integer default 20, p_cursor text default null) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_from app.circle_invitations;
  v_ids  uuid[];
begin
  select * into v_from from app.circle_invitations where id = private.require_cursor(p_cursor);
  if p_cursor is not null and not found then
    perform private.fail('cursor_unknown');
  end if;
  v_ids := array(select id from app.circle_invitation_card
                 where invitee_id = app.uid() and status = 'pending'
                   and (created_at, id) < (coalesce(v_from.created_at, 'infinity'), coalesce(v_from.id, app.uid()))
                 order by created_at desc, id desc limit 51);
  return private.page(private.invitation_cards(v_ids[:p_limit]), v_ids::text[], p_limit);
end $$;
comment on function api.list_my_invitations is
  'The pending invitations addressed to the caller, newest first. Fails: cursor_unknown, limit_out_of_range.';

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
    perform private.fail('invitation_unknown');
  end if;
  -- the pair before the rows: ARCHITECTURE.md, Locks. Only what is read after it is final
  perform private.lock_pairs(array[v_invitation.invitee_id], array[v_invitation.inviter_id]);
  update app.circle_invitations set status = p_status where id = p_invitation and status = 'pending';
  if not found then
    perform private.fail('invitation_settled');
  end if;
  if p_status = 'accepted' then
    insert into app.circle_members (circle_id, owner_id, member_id, bond_level)
    values (v_invitation.circle_id, v_invitation.inviter_id, v_invitation.invitee_id, v_invitation.bond_level);
    perform private.emit('social.invitation.accepted', json_build_object(
      'invitationId', p_invitation, 'circleId', v_invitation.circle_id, 'memberId', v_invitation.invitee_id));
  end if;
end $$;
comment on function private.settle_invitation is
  'Settles a pending invitation: accepting makes the membership. The invitee accepts and declines, the inviter '
  'revokes. Fails: invitation_unknown, invitation_settled, member_already, circle_full.';

create function api.respond_invitation(p_id uuid, p_accept boolean) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  if not exists (select from app.circle_invitation_card where id = p_id and invitee_id = app.uid()) then
    perform private.fail('invitation_unknown');
  end if;
  perform private.settle_invitation(p_id, case when p_accept then 'accepted' else 'declined' end);
  return private.invitation_cards(array[p_id]) -> 0;
end $$;
comment on function api.respond_invitation is
  'The invitee accepts or declines. Fails: invitation_unknown, invitation_settled, member_already, circle_full.';

create function api.accept_invitation(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$ begin return api.respond_invitation(p_id, true); end $$;
comment on function api.accept_invitation is
  'The invitee accepts. Fails: invitation_unknown, invitation_settled, member_already, circle_full.';

create function api.decline_invitation(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$ begin return api.respond_invitation(p_id, false); end $$;
comment on function api.decline_invitation is 'The invitee declines. Fails: invitation_unknown, invitation_settled.';

create function api.revoke_invitation(p_circle_id uuid, p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.require_own_circle(p_circle_id);
  if not exists (select from app.circle_invitations
                 where id = p_id and circle_id = p_circle_id and inviter_id = app.uid()) then
    perform private.fail('invitation_unknown');
  end if;
  perform private.settle_invitation(p_id, 'revoked');
  return null;   -- answered as 204
end $$;
comment on function api.revoke_invitation is
  'The inviter takes a pending invitation back. Fails: circle_unknown, circle_not_yours, invitation_unknown, '
  'invitation_settled.';
