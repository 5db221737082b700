-- The operations of guilds that groups do not share (sql/spaces/50_operations.sql).

insert into private.operations_of_people (operation) values ('create_guild');

create function api.create_guild(
  p_name text, p_interest_id uuid, p_slug text default null, p_about text default '', p_charter text default '',
  p_min_rep integer default 0, p_accent text default null
) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_kept  json := private.begin_idempotent('create_guild', json_build_array(
    p_name, p_interest_id, p_slug, p_about, p_charter, p_min_rep, p_accent));
  v_space app.spaces;
  v_id    uuid;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  v_space.kind := 'guild';
  v_space.slug := p_slug;
  v_space.name := p_name;
  v_space.about := p_about;
  v_space.interest_id := p_interest_id;
  v_space.accent := p_accent;
  v_space.visibility := 'public';
  v_space.join_policy := 'request';
  v_id := private.create_guild(v_space, p_charter, p_min_rep);
  return private.finish_idempotent('create_guild', private.guild_cards(array[v_id]) -> 0);
end $$;
comment on function api.create_guild is 'Creates a guild; the caller becomes its founder.';

create function api.update_guild(p_id text, p_changes jsonb) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_id uuid := private.change_guild(p_id, p_changes);
begin
  return private.guild_cards(array[v_id]) -> 0;
end $$;
comment on function api.update_guild is 'The founder changes a guild.';

create function api.list_guild_charters(
  p_id text, p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return private.list_charters((private.require_space('guild', p_id)).id, p_limit, p_cursor);
end $$;
comment on function api.list_guild_charters is 'The charters of a guild, latest first.';

create function api.hand_over_guild(p_id text, p_user_id text, p_role text) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  if p_role is distinct from 'founder' then
    perform private.raise_error('value_invalid');
  end if;
  return private.change_role('guild', p_id, p_user_id, 'owner');
end $$;
comment on function api.hand_over_guild is 'The founder transfers a guild to a member, and becomes a steward.';

insert into private.operations_of_people (operation) values ('apply_to_guild');

create function api.apply_to_guild(p_id text, p_message text default null) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_kept json := private.begin_idempotent('apply_to_guild', json_build_array(p_id, p_message));
begin
  if v_kept is not null then
    return v_kept;
  end if;
  return private.finish_idempotent('apply_to_guild', private.apply_to_guild(p_id, p_message));
end $$;
comment on function api.apply_to_guild is 'The caller applies to a guild.';

create function api.list_my_guild_applications(p_limit integer default 20, p_cursor text default null) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return private.list_own_applications(p_limit, p_cursor);
end $$;
comment on function api.list_my_guild_applications is 'The caller''s applications to guilds, including settled ones.';
