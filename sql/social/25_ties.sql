-- Questions about circles: whether two people share a circle, which invitations are pending, and which circles have a
-- person as a member. docs/decisions.md, Circles and blocks.

create function private.have_common_circle(p_one uuid, p_other uuid) returns boolean
language plpgsql stable security definer   -- members see neither each other nor the circles of strangers
set search_path = ''
as $$
begin
  return p_one <> p_other and exists (
    select
    from (select id as circle_id, owner_id from app.circles where owner_id in (p_one, p_other)
          union all
          (select circle_id, owner_id from app.circle_members
           where member_id = p_one order by made_at desc, circle_id desc limit 1000)) c
    join app.users owner on owner.id = c.owner_id and owner.banned_at is null and owner.erased_at is null
    where private.may_meet(private.find_level(p_one, c.owner_id))
      and private.may_meet(private.find_level(p_other, c.owner_id))
      and (c.owner_id = p_one
           or exists (select from app.circle_members m where m.circle_id = c.circle_id and m.member_id = p_one))
      and (c.owner_id = p_other
           or exists (select from app.circle_members m where m.circle_id = c.circle_id and m.member_id = p_other)));
end $$;
comment on function private.have_common_circle is
  'Returns whether two people belong to the same circle, as its owner or as members. A circle does not count if its '
  'owner is banned or erased, or if there is a block between its owner and one of the two. Among the circles of '
  'others, the function checks the 1000 newest in which the first person is a member.';
call private.force_index_scans('private.have_common_circle');

create function api.check_circles(p_person text) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_person uuid := private.require_person(p_person);
begin
  return json_build_object(
    'sharesCircle', private.have_common_circle(private.require_caller(), v_person),
    'inMyCircle', exists (select from app.circle_members where owner_id = app.uid() and member_id = v_person),
    'inTheirCircle', exists (select from app.circle_members where owner_id = v_person and member_id = app.uid()));
end $$;
comment on function api.check_circles is
  'Returns whether the caller and a person share a circle, and whether each of them is in a circle of the other: '
  '{sharesCircle, inMyCircle, inTheirCircle}.';

create function api.list_pending_invitations(p_person text) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_person uuid := private.require_person(p_person);
begin
  return private.page(
    private.invitation_cards(array(
      select id from app.circle_invitations
      where inviter_id = private.require_caller() and invitee_id = v_person and status = 'pending'
      order by created_at desc, id desc)),
    '{}', 50);
end $$;
comment on function api.list_pending_invitations is
  'The caller''s pending invitations to a person, newest first, on one page, because nobody has more than 50 circles.';

create function api.list_memberships(p_limit integer default 20, p_cursor text default null) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_found app.found := private.find_circles(false, private.require_circle_place(p_cursor, p_own => false));
begin
  return private.page(private.circle_cards(v_found.ids[:p_limit]), v_found.ids::text[], p_limit, v_found.next);
end $$;
comment on function api.list_memberships is 'The circles of others in which the caller is a member, newest first.';
