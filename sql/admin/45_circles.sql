-- How staff finds circles, and deletes them.
-- docs/decisions.md, Staff.

create index circles_created_at_idx on app.circles (created_at desc, id desc);

create view private.staff_circles with (security_invoker) as
select c.created_at as at, c.id, c.kind, c.owner_id, concat_ws(' ', c.name, u.username) as said,
       json_build_object(
         'id', c.id,
         'name', c.name,
         'kind', c.kind,
         'accent', c.accent,
         'ownerId', c.owner_id,
         'owner', owner.card,
         'memberCount', (select count(*) from app.circle_members m where m.circle_id = c.id),
         'createdAt', private.utc(c.created_at)) as card
from app.circles c
join app.users u on u.id = c.owner_id
join app.person_card owner on owner.id = c.owner_id;
comment on view private.staff_circles is 'Circles as staff sees them, without their members.';

create function api.list_circles(
  p_kind text default null, p_owner_id text default null, p_q text default null, p_from timestamptz default null,
  p_to timestamptz default null, p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return private.staff_page(
    'circles', json_build_object('kind', p_kind, 'owner_id', private.find_staff_person(p_owner_id)),
    array['owner_id'], p_q, p_from, p_to, p_limit, p_cursor);
end $$;
comment on function api.list_circles is 'Everybody''s circles, newest first.';

create function api.remove_circle(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_owner uuid;
begin
  perform private.require_role('admin');
  select owner_id into v_owner from app.circles where id = p_id;
  if not found then
    perform private.raise_error('circle_unknown');
  end if;
  if not private.drop_circle(p_id, v_owner) then
    perform private.raise_error('circle_unknown');   -- the owner has already deleted the circle
  end if;
  perform private.emit_moderation('circle', p_id, 'deleted', v_owner);
  perform private.audit('circle.deleted', 'circle', p_id::text);
  return null;   -- the response is 204
end $$;
comment on function api.remove_circle is
  'Deletes anybody''s circle with its memberships and invitations, and notifies its owner. Leaves an audit entry.';
