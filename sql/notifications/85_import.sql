-- How an import sets a person's preferences. See sql/import/10_imports.sql for how imports run.

create function private.import_preference(p_import app.imports, p_row private.import_rows)
returns private.import_result
language plpgsql volatile security definer   -- the worker runs imports
set search_path = ''
as $$
begin
  if not exists (select from private.notification_kinds where kind = p_row.item ->> 'kind') then
    perform private.raise_error('value_invalid');
  end if;
  perform api.update_preferences(jsonb_build_object(p_row.item ->> 'kind', p_row.item));
  return null;
end $$;
comment on function private.import_preference is 'Importer: sets the channels that the person chose for a kind.';

create function private.import_settings(p_import app.imports, p_row private.import_rows) returns private.import_result
language plpgsql volatile security definer   -- the worker runs imports
set search_path = ''
as $$
begin
  perform api.update_preferences(jsonb_build_object(
    'timezone', p_row.item -> 'timezone', 'digestHour', p_row.item -> 'digestHour'));
  return null;
end $$;
comment on function private.import_settings is 'Importer: sets the time zone and the hour of the digest.';

insert into private.import_sections (section, position, importer, key_field, shape) values
  ('notificationSettings', 400, 'private.import_settings', null, '{"timezone": "text", "digestHour": "integer?"}'),
  ('notificationPreferences', 410, 'private.import_preference', 'kind', '{"kind": "text", "inApp": "boolean?",
   "push": "boolean?", "email": "boolean?"}');
