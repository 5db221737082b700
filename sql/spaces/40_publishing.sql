-- Publishing posts and contents in a space. Only its members can do so, and a post or content never moves to another
-- space.
-- docs/decisions.md, Spaces.

insert into private.errors (code, status, text) values
  ('content_space', 422, 'Content can be in a group or in a guild. Name only one of them.'),
  ('space_visibility', 422, 'Content in a group or guild is only for its members, so visibility must be public.');

create function private.find_named_space(p_group_id text, p_guild_id text) returns uuid
language plpgsql stable
set search_path = ''
as $$
begin
  if p_group_id is not null and p_guild_id is not null then
    perform private.raise_error('content_space');
  end if;
  return case when p_group_id is not null then (private.require_space('group', p_group_id)).id
              when p_guild_id is not null then (private.require_space('guild', p_guild_id)).id end;
end $$;
comment on function private.find_named_space is
  'The group or guild with this id or slug, if the caller can see it; null if both parameters are null.';

create function private.write_in_space(p_space uuid) returns void
language plpgsql volatile security definer   -- callers may not lock people and spaces
set search_path = ''
as $$
declare
  v_me       uuid := private.require_caller();
  v_archived timestamptz;
begin
  if p_space is null then
    return;
  end if;
  -- Lock the person before the space: ARCHITECTURE.md, Locks. A concurrent removal or archiving waits for this
  -- transaction. After an earlier one, this call fails.
  perform private.check_lock_order('person', v_me::text);
  perform from app.users where id = v_me for share;
  perform private.check_lock_order('space', p_space::text);
  select archived_at into v_archived from app.spaces where id = p_space for share;
  if private.find_role(p_space, v_me) is null then
    perform private.raise_error('space_not_member');
  elsif v_archived is not null then
    perform private.raise_error('space_archived');
  end if;
end $$;
comment on function private.write_in_space is
  'Passes if the caller is a member of the space and the space is not archived; neither can change until the '
  'transaction ends. Always passes without a space.';

create function private.may_publish_in(p_space uuid, p_user uuid) returns boolean
language plpgsql stable security definer   -- also checks people other than the caller
set search_path = ''
as $$
begin
  return p_space is null
      or (private.find_role(p_space, p_user) is not null
          and exists (select from app.spaces s where s.id = p_space and s.archived_at is null));
end $$;
comment on function private.may_publish_in is
  'Returns whether a person''s scheduled post may be published in a space: the person is a member, and the space is '
  'not archived.';
