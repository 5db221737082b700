-- Feature flags, which staff switches. Operations read them where they stand, so a switch acts at once everywhere.
-- docs/decisions.md, Staff.

insert into private.errors (code, status, text) values
  ('flag_unknown', 404, 'There is no such feature flag.');

create function api.list_feature_flags() returns json
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.require_role('moderator', 'admin');
  return json_build_object('items', coalesce((
    select json_agg(json_build_object('key', key, 'enabled', enabled, 'description', description) order by key)
    from app.feature_flags), '[]'::json));
end $$;
comment on function api.list_feature_flags is
  'All feature flags: {items: [{key, enabled, description}]}. Fails: role_required.';

create function private.switch_flag(p_key text, p_enabled boolean) returns boolean
language plpgsql volatile security definer   -- nobody else may switch them
set search_path = ''
as $$
begin
  update app.feature_flags set enabled = p_enabled where key = p_key and enabled <> p_enabled;
  return found;
end $$;
comment on function private.switch_flag is 'Switches a flag. False when it stands there already.';

create function api.set_feature_flag(p_key text, p_enabled boolean) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.require_role('admin');
  if not exists (select from app.feature_flags where key = p_key) then
    perform private.fail('flag_unknown');
  end if;
  if private.switch_flag(p_key, p_enabled) then
    perform private.audit('flag.switched', 'feature_flag', p_key, json_build_object('enabled', p_enabled));
  end if;
  return (select json_build_object('key', key, 'enabled', enabled, 'description', description)
          from app.feature_flags where key = p_key);
end $$;
comment on function api.set_feature_flag is
  'Switches a feature on or off, at once everywhere: {key, enabled, description}. Repeating it changes nothing. '
  'Leaves an audit entry. Fails: role_required, flag_unknown.';
