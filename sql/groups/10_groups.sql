-- Groups are spaces that people create and run themselves. The rules of groups are in sql/spaces. This file has the
-- card of a group and the operations that guilds do not have. The operations of both are in
-- sql/spaces/50_operations.sql. docs/decisions.md, Spaces.

create function private.group_cards(p_ids uuid[]) returns json
language plpgsql stable security definer   -- private.space_heads checks what the caller sees
set search_path = ''
as $$
begin
  return (
    select json_agg(json_build_object(
             'id', (h.space).id, 'slug', (h.space).slug, 'name', (h.space).name, 'about', (h.space).about,
             'interestId', (h.space).interest_id, 'accent', (h.space).accent,
             'visibility', (h.space).visibility, 'joinPolicy', (h.space).join_policy,
             'memberCount', h.members, 'archivedAt', private.utc((h.space).archived_at),
             'createdAt', private.utc((h.space).created_at), 'viewer', h.viewer) order by h.place)
    from private.space_heads(p_ids) h);
end $$;
comment on function private.group_cards is
  'The cards of the given groups that the caller can see, in order: {id, slug, name, about, interestId, accent, '
  'visibility, joinPolicy, memberCount, archivedAt, createdAt, viewer {role, status, requestId}}.';
insert into private.space_kinds (kind, cards) values ('group', 'private.group_cards');

insert into private.report_targets (type, finder, author) values
  ('group', 'private.require_reported_space',
   'select user_id from app.space_members where space_id = $1 and role = ''owner''');

insert into private.operations_of_people (operation) values ('create_group');

create function api.create_group(
  p_name text, p_slug text default null, p_about text default '', p_interest_id uuid default null,
  p_accent text default null, p_visibility text default 'public', p_join_policy text default 'open'
) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_kept  json := private.begin_idempotent('create_group', json_build_array(
    p_name, p_slug, p_about, p_interest_id, p_accent, p_visibility, p_join_policy));
  v_space app.spaces;
  v_id    uuid;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  v_space.kind := 'group';
  v_space.slug := p_slug;
  v_space.name := p_name;
  v_space.about := p_about;
  v_space.interest_id := p_interest_id;
  v_space.accent := p_accent;
  v_space.visibility := p_visibility;
  v_space.join_policy := p_join_policy;
  v_id := private.make_space(v_space);
  return private.finish_idempotent('create_group', private.group_cards(array[v_id]) -> 0);
end $$;
comment on function api.create_group is 'Creates a group; the caller becomes its owner.';

create function api.update_group(p_id text, p_changes jsonb) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_id uuid := private.change_space('group', p_id, p_changes);
begin
  return private.group_cards(array[v_id]) -> 0;
end $$;
comment on function api.update_group is 'The owner or a moderator changes a group.';

create function api.archive_group(p_id text) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.archive_space('group', p_id, true);
  return null;   -- the response is 204
end $$;
comment on function api.archive_group is 'The owner archives a group. Repeating it changes nothing.';

create function api.restore_group(p_id text) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_id uuid := private.archive_space('group', p_id, false);
begin
  return private.group_cards(array[v_id]) -> 0;
end $$;
comment on function api.restore_group is 'The owner opens an archived group again.';

create function api.join_group(p_id text, p_message text default null) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  return private.join_space('group', p_id, p_message);
end $$;
comment on function api.join_group is
  'The caller joins a group, or requests to join it: {status: joined | pending, requestId}.';

create function api.set_group_role(p_id text, p_user_id text, p_role text) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  return private.change_role('group', p_id, p_user_id, p_role);
end $$;
comment on function api.set_group_role is 'The owner gives a member another role, or transfers the group to them.';

create function api.remove_group_member(p_id text, p_user_id text, p_ban boolean default false) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.remove_space_member('group', p_id, p_user_id, p_ban);
  return null;   -- the response is 204
end $$;
comment on function api.remove_group_member is
  'Removes a member from a group; with p_ban it also bans them from the group.';

create function api.list_group_bans(p_id text, p_limit integer default 20, p_cursor text default null) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return private.list_space_bans('group', p_id, p_limit, p_cursor);
end $$;
comment on function api.list_group_bans is 'The people who are banned from a group.';

create function api.lift_group_ban(p_id text, p_user_id text) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.lift_space_ban('group', p_id, p_user_id);
  return null;   -- the response is 204
end $$;
comment on function api.lift_group_ban is 'Lifts a ban: the person can join the group again.';

create function api.invite_to_group(p_id text, p_invitee_id text) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_kept json := private.begin_idempotent('invite_to_group', json_build_array(p_id, p_invitee_id));
begin
  if v_kept is not null then
    return v_kept;
  end if;
  return private.finish_idempotent('invite_to_group', private.invite_to_space('group', p_id, p_invitee_id));
end $$;
comment on function api.invite_to_group is 'Invites a person to a group.';

create function api.list_group_invitations(
  p_id text, p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return private.list_pending('group', p_id, false, p_limit, p_cursor);
end $$;
comment on function api.list_group_invitations is 'The pending invitations to a group.';

create function api.revoke_group_invitation(p_id text, p_iid uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.revoke_space_invitation('group', p_id, p_iid);
  return null;   -- the response is 204
end $$;
comment on function api.revoke_group_invitation is 'Revokes an invitation to a group.';

create function api.list_my_group_invitations(p_limit integer default 20, p_cursor text default null) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_found app.found := private.find_pending('group', null, false, p_cursor);
begin
  return private.page(private.space_invitation_cards(v_found.ids[:p_limit]), v_found.ids::text[], p_limit,
                      v_found.next);
end $$;
comment on function api.list_my_group_invitations is 'The caller''s pending invitations to groups.';

create function api.accept_group_invitation(p_iid uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  return private.answer_space_invitation('group', p_iid, true);
end $$;
comment on function api.accept_group_invitation is 'Accepts an invitation to a group.';

create function api.decline_group_invitation(p_iid uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  return private.answer_space_invitation('group', p_iid, false);
end $$;
comment on function api.decline_group_invitation is 'Declines an invitation to a group.';

insert into private.links (type, path) values ('group', '/groups/{id}');
