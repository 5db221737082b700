-- Members of circles, and how close they are. docs/decisions.md, Circles and blocks.

create function private.lock_person(p_person text) returns uuid
language plpgsql volatile
set search_path = ''
as $$
declare
  v_person uuid := private.require_person(p_person);
begin
  perform private.lock_pairs(array[v_person], array[private.require_caller()]);
  return private.require_person(p_person);   -- check again, because somebody may have made a block during the wait
end $$;
comment on function private.lock_person is
  'Returns the id of a person. Locks the pair of the person and the caller until the transaction ends, so that '
  'neither can block the other in the meantime.';

create view app.circle_member_card with (security_invoker) as
select m.circle_id, m.member_id, m.created_at,
       json_build_object('circleId', m.circle_id, 'memberId', p.actor_id, 'member', p.card,
                         'bondLevel', m.bond_level, 'createdAt', private.utc(m.created_at)) as card
from app.circle_members m join app.person_card p on p.id = m.member_id;
comment on view app.circle_member_card is
  'A membership: {circleId, memberId, member, bondLevel, createdAt}. The view hides it while there is a block '
  'between the member and the viewer.';

create function api.list_circle_members(p_id uuid) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.require_own_circle(p_id);
  return private.page(
    (select json_agg(card order by created_at, member_id) from app.circle_member_card where circle_id = p_id),
    '{}', 10);
end $$;
comment on function api.list_circle_members is 'The members of the caller''s circle (at most 10, so one page).';

create function api.add_circle_member(p_id uuid, p_member_id text, p_bond_level text default 'acquaintance')
returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_kept   json := private.begin_idempotent('add_circle_member', json_build_array(p_id, p_member_id, p_bond_level));
  v_member uuid;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  perform private.count_writes('follows');   -- count before any lock: ARCHITECTURE.md, Locks
  v_member := private.lock_person(p_member_id);
  perform private.require_own_circle(p_id);
  -- check and insert in one statement, because a ban does not lock the pair
  insert into app.circle_members (circle_id, owner_id, member_id, bond_level)
  select p_id, app.uid(), u.id, p_bond_level from app.users u where u.id = v_member;
  if not found then
    perform private.raise_error('person_unknown');
  end if;
  return private.finish_idempotent('add_circle_member', (
    select card from app.circle_member_card where circle_id = p_id and member_id = v_member));
end $$;
comment on function api.add_circle_member is
  'Adds a person to the caller''s circle. Fails: member_already, member_oneself, circle_full.';

create function api.set_bond_level(p_id uuid, p_member_id text, p_bond_level text) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_member uuid := private.lock_person(p_member_id);
begin
  perform private.require_own_circle(p_id);
  update app.circle_members set bond_level = p_bond_level where circle_id = p_id and member_id = v_member;
  if not found then
    perform private.raise_error('member_unknown');
  end if;
  return (select card from app.circle_member_card where circle_id = p_id and member_id = v_member);
end $$;
comment on function api.set_bond_level is 'Changes how close a member is.';

create function api.remove_circle_member(p_id uuid, p_member_id text) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_member uuid := private.require_person(p_member_id);
  v_owner  uuid;
begin
  select owner_id into v_owner from app.circle_card where id = p_id;
  if not found then
    perform private.raise_error('circle_unknown');
  elsif app.uid() not in (v_owner, v_member) then
    perform private.raise_error('circle_not_yours');
  end if;
  perform private.lock_pairs(array[v_member], array[v_owner]);
  delete from app.circle_members where circle_id = p_id and member_id = v_member;
  if not found then
    perform private.raise_error('member_unknown');
  end if;
  return null;   -- null becomes a 204 response
end $$;
comment on function api.remove_circle_member is
  'Removes a member. The owner may remove anyone; a member may remove themselves, which leaves the circle.';
