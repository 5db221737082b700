-- Feature flags, which staff can switch. Operations read the table of flags, so a switch takes effect immediately
-- everywhere.
-- docs/decisions.md, Staff.

insert into private.errors (code, status, text) values
  ('flag_unknown', 404, 'There is no such feature flag.');

create function private.flag_card(p_flag app.feature_flags) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return json_build_object('id', p_flag.key, 'key', p_flag.key, 'enabled', p_flag.enabled,
                           'description', p_flag.description);
end $$;
comment on function private.flag_card is 'A feature flag: {id, key, enabled, description}; its id is its key.';

create function api.list_feature_flags(p_limit integer default 20, p_cursor text default null) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_keys text[];
begin
  perform private.require_role('moderator', 'admin');
  if p_cursor is not null and not exists (select from app.feature_flags where key = p_cursor) then
    perform private.raise_error('cursor_unknown');
  end if;
  v_keys := array(select key from app.feature_flags where key > coalesce(p_cursor, '') order by key limit 51);
  return private.page((select json_agg(private.flag_card(f) order by f.key)
                       from app.feature_flags f where f.key = any (v_keys[:p_limit])), v_keys, p_limit);
end $$;
comment on function api.list_feature_flags is
  'Feature flags by key, {id, key, enabled, description}; the cursor is a key.';

create function private.switch_flag(p_key text, p_enabled boolean) returns boolean
language plpgsql volatile security definer   -- callers may not write feature flags
set search_path = ''
as $$
begin
  update app.feature_flags set enabled = p_enabled where key = p_key and enabled <> p_enabled;
  return found;
end $$;
comment on function private.switch_flag is 'Switches a flag. Returns false if it already had this value.';

create function api.set_feature_flag(p_key text, p_enabled boolean) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.require_role('admin');
  if not exists (select from app.feature_flags where key = p_key) then
    perform private.raise_error('flag_unknown');
  end if;
  if private.switch_flag(p_key, p_enabled) then
    perform private.audit('flag.switched', 'feature_flag', p_key, json_build_object('enabled', p_enabled));
  end if;
  return (select private.flag_card(f) from app.feature_flags f where f.key = p_key);
end $$;
comment on function api.set_feature_flag is
  'Switches a feature on or off, immediately everywhere: {id, key, enabled, description}. Repeating it changes '
  'nothing. Leaves an audit entry.';
