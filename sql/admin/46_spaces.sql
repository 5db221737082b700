-- What staff sees of groups and guilds, and what it can do with them and their members. Groups and guilds share the
-- code, as in sql/spaces. docs/decisions.md, Staff; Spaces.

create view private.staff_spaces with (security_invoker) as
select s.created_at as at, s.id, s.kind, s.visibility,
       case when s.archived_at is null then 'active' else 'archived' end as status,
       concat_ws(' ', s.slug, s.name, s.about) as said,
       private.merge_objects(
         json_build_object(
           'id', s.id, 'slug', s.slug, 'name', s.name, 'about', s.about, 'interestId', s.interest_id,
           'accent', s.accent, 'status', case when s.archived_at is null then 'active' else 'archived' end,
           'memberCount', s.member_count, 'archivedAt', private.utc(s.archived_at),
           'createdAt', private.utc(s.created_at)),
         case when s.kind = 'group' then json_build_object(
                'visibility', s.visibility, 'joinPolicy', s.join_policy, 'ownerId', head.id, 'owner', head.card)
              else json_build_object(
                'minRep', g.min_rep, 'treasuryBalance', a.balance, 'founderId', head.id, 'founder', head.card,
                'stewardCount', (select count(*) from app.space_members m
                                 where m.space_id = s.id and m.role = 'moderator')) end) as card
from app.spaces s
left join app.space_members owner on owner.space_id = s.id and owner.role = 'owner'
left join app.person_card head on head.id = owner.user_id
left join app.guilds g on g.space_id = s.id
left join app.mana_accounts a on a.id = g.space_id;
comment on view private.staff_spaces is
  'All groups and guilds as staff sees them. Counts also include hidden members; ids of people are UUIDs.';

create function private.find_any_space(p_kind text, p_id text) returns app.spaces
language plpgsql stable security definer   -- staff sees more than any policy allows
set search_path = ''
as $$
declare
  v_space app.spaces;
begin
  if pg_input_is_valid(p_id, 'uuid') then
    select * into v_space from app.spaces where id = p_id::uuid and kind = p_kind;
  else
    select * into v_space from app.spaces where kind = p_kind and slug = lower(p_id);
  end if;
  if v_space.id is null then
    perform private.raise_error('space_unknown');
  end if;
  return v_space;
end $$;
comment on function private.find_any_space is
  'Returns the space of this kind with this id or slug, whatever its visibility.';

create function private.staff_members(p_space app.spaces, p_ids uuid[]) returns json
language plpgsql stable security definer   -- staff sees more than any policy allows
set search_path = ''
as $$
begin
  return (
    select json_agg(json_build_object('userId', p.id, 'user', p.card,
                                      'role', private.role_name((p_space).kind, m.role),
                                      'joinedAt', private.utc(m.created_at)) order by i.place)
    from unnest(p_ids) with ordinality as i (id, place)
    join app.space_members m on m.space_id = (p_space).id and m.user_id = i.id
    join app.person_card p on p.id = i.id);
end $$;
comment on function private.staff_members is
  'These members of a space as staff sees them, in order: {userId, user, role, joinedAt}.';

create function private.staff_requests(p_ids uuid[]) returns json
language plpgsql stable security definer   -- staff sees more than any policy allows
set search_path = ''
as $$
begin
  return (
    select json_agg(json_build_object(
             'id', r.id, 'userId', p.id, 'user', p.card, 'message', r.message, 'status', r.status,
             'createdAt', private.utc(r.created_at), 'decidedAt', private.utc(r.decided_at)) order by i.place)
    from unnest(p_ids) with ordinality as i (id, place)
    join app.space_requests r on r.id = i.id
    join app.person_card p on p.id = r.user_id);
end $$;
comment on function private.staff_requests is
  'These requests as staff sees them, in order: {id, userId, user, message, status, createdAt, decidedAt}.';

create function private.staff_space(p_kind text, p_id text, p_limit integer, p_cursor text) returns json
language plpgsql stable security definer   -- staff sees more than any policy allows
set search_path = ''
as $$
declare
  v_space  app.spaces;
  v_list   text;
  v_place  app.place;
  v_from   timestamptz;
  v_after  uuid;
  v_ids    uuid[];
begin
  perform private.require_role('moderator', 'admin');
  v_space := private.find_any_space(p_kind, p_id);
  v_list := 'all members ' || v_space.id;
  v_place := private.page_start(v_list, p_cursor, true);
  v_from := v_place.at;
  v_after := v_place.id;
  v_ids := array(select user_id from app.space_members
                 where space_id = v_space.id and (placed_at, user_id) > (v_from, v_after)
                 order by placed_at, user_id limit 51);
  return private.merge_objects(
    private.staff_card('spaces', v_space.id),
    json_build_object(
      'members', private.page(
        private.staff_members(v_space, v_ids[:p_limit]),
        array(select private.place_cursor(v_list, m.placed_at, m.user_id)
              from unnest(v_ids) with ordinality as i (id, place)
              join app.space_members m on m.space_id = v_space.id and m.user_id = i.id order by i.place),
        p_limit),
      case p_kind when 'group' then 'requests' else 'applications' end,
      coalesce(private.staff_requests(array(
        select id from app.space_requests where space_id = v_space.id and status = 'pending'
        order by created_at desc, id desc limit 50)), '[]')));
end $$;
comment on function private.staff_space is
  'A space as staff sees it, with a page of its members {items, nextCursor, hasMore} and its newest 50 pending '
  'requests; a guild''s requests are applications.';
call private.force_index_scans('private.staff_space');

create function private.lock_any_space(p_kind text, p_id text, p_people uuid[]) returns app.spaces
language plpgsql volatile security definer   -- staff sees more than any policy allows
set search_path = ''
as $$
begin
  perform private.require_role('admin');
  return private.lock_space((private.find_any_space(p_kind, p_id)).id, p_people);
end $$;
comment on function private.lock_any_space is 'Locks a space and these people for an admin, and returns the space.';

create function private.record_about_space(p_space app.spaces, p_action text, p_user uuid, p_detail json default null)
returns void
language plpgsql volatile security definer   -- only for definer functions of staff
set search_path = ''
as $$
begin
  perform private.emit_moderation(p_space.kind, p_space.id, p_action, p_user);
  perform private.audit(p_space.kind || '.' || p_action, p_space.kind, p_space.id::text, p_detail);
end $$;
comment on function private.record_about_space is
  'Records what staff did about a space: it notifies the person concerned, and writes an audit entry that says who '
  'did it.';

create function private.set_any_space_archived(p_kind text, p_id text, p_archived boolean, p_reason text) returns json
language plpgsql volatile security definer   -- callers may not write spaces
set search_path = ''
as $$
declare
  v_reason text;
  v_space  app.spaces;
  v_owner  uuid;
begin
  perform private.require_role('admin');
  v_reason := private.find_reason(p_reason);
  v_space := private.find_any_space(p_kind, p_id);
  select user_id into v_owner from app.space_members where space_id = v_space.id and role = 'owner';
  v_space := private.lock_any_space(p_kind, p_id, array[v_owner]);
  select user_id into v_owner from app.space_members where space_id = v_space.id and role = 'owner';
  if not p_archived and v_space.archived_by_staff then
    perform private.refuse_own(v_space.kind, v_space.id, v_owner);
  end if;
  if private.set_archived(v_space, p_archived, not private.is_own_thing(v_space.kind, v_space.id, v_owner)) then
    perform private.record_about_space(
      v_space, case when p_archived then 'archived' else 'restored' end, v_owner,
      case when v_reason is not null then json_build_object('reason', v_reason) end);
  end if;
  return private.staff_card('spaces', v_space.id);
end $$;
comment on function private.set_any_space_archived is
  'Archives a space or restores it, for an admin. Nobody can restore their own space if another member of staff '
  'archived it. Repeating it changes nothing and leaves no audit entry.';

create function private.expel_from_space(p_kind text, p_id text, p_user text) returns void
language plpgsql volatile security definer   -- callers may not write memberships
set search_path = ''
as $$
declare
  v_user  uuid;
  v_space app.spaces;
  v_role  text;
begin
  perform private.require_role('admin');
  v_user := private.require_any_person(p_user);
  v_space := private.lock_any_space(p_kind, p_id, array[v_user]);
  v_role := private.find_role(v_space.id, v_user);
  if v_role is null then
    perform private.raise_error('space_member_unknown');
  elsif v_role = 'owner' then
    perform private.raise_error('last_owner');
  end if;
  perform private.drop_member(v_space.id, v_user);
  perform private.emit_membership_decision(v_space, 'removed', v_user);
  perform private.record_about_space(v_space, 'expelled', v_user, json_build_object('userId', v_user));
end $$;
comment on function private.expel_from_space is 'Removes a member from a space, for an admin.';

create function private.role_of_name(p_kind text, p_name text) returns text
language plpgsql immutable
set search_path = ''
as $$
begin
  return (select r from unnest(array['owner', 'moderator', 'member']) r where private.role_name(p_kind, r) = p_name);
end $$;
comment on function private.role_of_name is
  'Returns the role with this name in spaces of this kind; null if there is no such role.';

create function private.set_any_space_role(p_kind text, p_id text, p_user text, p_role text) returns json
language plpgsql volatile security definer   -- callers may not write memberships
set search_path = ''
as $$
declare
  v_role   text := private.role_of_name(p_kind, p_role);
  v_user   uuid;
  v_space  app.spaces;
  v_opened app.spaces;
begin
  perform private.require_role('admin');
  if v_role is null then
    perform private.raise_error('value_invalid');
  end if;
  v_user := private.require_any_person(p_user);
  v_space := private.lock_any_space(p_kind, p_id, array[v_user]);
  if private.find_role(v_space.id, v_user) is distinct from v_role then
    -- check this for members, too: if the only founder of a guild is banned, the guild can get no other founder
    if v_role = 'owner' and exists (select from app.hidden_people s where s.user_id = v_user) then
      perform private.raise_error('person_unknown');
    end if;
    if p_kind = 'guild' and v_role = 'owner'
       and not exists (select from app.space_members where space_id = v_space.id and role = 'owner') then
      -- otherwise the treasury of a guild without members could never be emptied
      v_opened := v_space;
      v_opened.archived_at := null;
      perform private.add_member(v_opened, v_user);
    end if;
    perform private.set_space_role(v_space, v_user, v_role);
    perform private.record_about_space(v_space, 'role_changed', v_user,
                                       json_build_object('userId', v_user, 'role', p_role));
  end if;
  return private.staff_members(v_space, array[v_user]) -> 0;
end $$;
comment on function private.set_any_space_role is
  'For admins: gives a member of a space another role. If it is the role of the owner, the previous owner becomes a '
  'moderator; a banned person cannot get this role. Anybody can become the founder of an archived guild that has '
  'none. Repeating it changes nothing and leaves no audit entry.';

create function private.settle_any_request(p_kind text, p_id text, p_request uuid, p_approve boolean) returns json
language plpgsql volatile security definer   -- callers may not write requests
set search_path = ''
as $$
declare
  v_space   app.spaces;
  v_request app.space_requests;
begin
  perform private.require_role('admin');
  v_space := private.find_any_space(p_kind, p_id);
  select * into v_request from app.space_requests where id = p_request and space_id = v_space.id;
  if not found then
    perform private.raise_error('request_unknown');
  end if;
  v_space := private.lock_any_space(p_kind, p_id, array[v_request.user_id]);
  perform private.decide_request(v_space, v_request, p_approve);
  perform private.record_about_space(
    v_space, case when p_approve then 'approved' else 'rejected' end, v_request.user_id,
    json_build_object('userId', v_request.user_id, 'requestId', p_request));
  return private.staff_requests(array[p_request]) -> 0;
end $$;
comment on function private.settle_any_request is 'Approves or rejects a pending request, for an admin.';

create function api.list_all_spaces(
  p_kind text, p_q text default null, p_visibility text default null, p_status text default null,
  p_from timestamptz default null, p_to timestamptz default null,
  p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return private.staff_page(
    'spaces',
    json_build_object('kind', private.require_space_kind(p_kind), 'visibility', p_visibility, 'status', p_status),
    array['kind'], p_q, p_from, p_to, p_limit, p_cursor);
end $$;
comment on function api.list_all_spaces is 'All spaces of a kind, newest first, whatever their visibility.';

create function api.get_any_space(
  p_kind text, p_id text, p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$ begin return private.staff_space(private.require_space_kind(p_kind), p_id, p_limit, p_cursor); end $$;
comment on function api.get_any_space is 'Any space, with a page of its members and its pending requests.';

create function api.set_any_space_archived(
  p_kind text, p_id text, p_archived boolean, p_reason text default null
) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  return private.set_any_space_archived(private.require_space_kind(p_kind), p_id, p_archived, p_reason);
end $$;
comment on function api.set_any_space_archived is
  'Archives any space or restores it. Repeating it changes nothing. Leaves an audit entry.';

create function api.expel_from_space(p_kind text, p_id text, p_user_id text) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.expel_from_space(private.require_space_kind(p_kind), p_id, p_user_id);
  return null;   -- the response is 204
end $$;
comment on function api.expel_from_space is
  'Removes a member from any space, except its owner. Leaves an audit entry.';

create function api.set_any_space_role(
  p_kind text, p_id text, p_user_id text, p_role text
) returns json
language plpgsql volatile
set search_path = ''
as $$ begin return private.set_any_space_role(private.require_space_kind(p_kind), p_id, p_user_id, p_role); end $$;
comment on function api.set_any_space_role is
  'Gives a member of any space another role, or makes anybody the founder of a guild that has none. Repeating it '
  'changes nothing. Leaves an audit entry.';

create function api.settle_any_space_request(
  p_kind text, p_id text, p_request_id uuid, p_approve boolean
) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  return private.settle_any_request(private.require_space_kind(p_kind), p_id, p_request_id, p_approve);
end $$;
comment on function api.settle_any_space_request is
  'Approves or rejects a pending request to any space. Leaves an audit entry.';
