-- How an import changes the profile and the personas of an account. See sql/import/10_imports.sql for how imports run.

create function private.import_picture(p_url text, out url text, out notes jsonb)
language plpgsql stable
set search_path = ''
as $$
begin
  url := private.use_picture(p_url);
exception when sqlstate 'PT422' then
  notes := '[{"field": "profilePicUrl", "code": "media_url"}]';
end $$;
comment on function private.import_picture is
  'For importers: the address of a picture. If this instance does not accept it, the result is null and a problem is '
  'reported.';

create function private.import_profile(p_import app.imports, p_row private.import_rows) returns private.import_result
language plpgsql volatile security definer   -- the worker runs imports
set search_path = ''
as $$
declare
  v_picture record;
begin
  select * into v_picture from private.import_picture(p_row.item ->> 'profilePicUrl');
  perform api.update_me(jsonb_strip_nulls(jsonb_build_object(
    'firstName', p_row.item ->> 'firstName', 'lastName', p_row.item ->> 'lastName', 'about', p_row.item ->> 'about',
    'country', p_row.item ->> 'country', 'city', p_row.item ->> 'city', 'profilePicUrl', v_picture.url)));
  return (p_import.user_id, v_picture.notes)::private.import_result;
end $$;
comment on function private.import_profile is
  'Importer: replaces the name, country, city, about and picture of the person with those of the dossier.';

create function private.import_persona(p_import app.imports, p_row private.import_rows) returns private.import_result
language plpgsql volatile security definer   -- the worker runs imports
set search_path = ''
as $$
declare
  v_item    jsonb := p_row.item;
  v_name    text := private.require_name(v_item ->> 'name');
  v_about   text := private.require_text(v_item ->> 'about');
  v_made    timestamptz := private.import_time(v_item ->> 'createdAt');
  v_picture record;
  v_default app.personas;
  v_same    uuid;
  v_id      uuid;
begin
  select * into v_picture from private.import_picture(v_item ->> 'profilePicUrl');
  perform private.lock('personas', p_import.user_id::text);
  select * into strict v_default from app.personas where user_id = p_import.user_id and is_default;
  select id into v_same from app.personas where user_id = p_import.user_id and name = v_name;
  if v_same is not null and ((v_item ->> 'isDefault')::boolean and v_same = v_default.id) is not true then
    return (v_same, null)::private.import_result;   -- the persona of this name does not change
  end if;
  if (v_item ->> 'isDefault')::boolean
     and not exists (select from private.imported where user_id = p_import.user_id and section = p_row.section
                       and here = v_default.id) then
    update app.personas
    set name = v_name, about = v_about, accent = v_item ->> 'accent', profile_pic_url = v_picture.url,
        created_at = v_made
    where id = v_default.id;
    return (v_default.id, v_picture.notes)::private.import_result;
  end if;
  insert into app.personas (user_id, name, about, accent, profile_pic_url, created_at)
  values (p_import.user_id, v_name, v_about, v_item ->> 'accent', v_picture.url, v_made)
  returning id into v_id;
  if (v_item ->> 'isDefault')::boolean then
    perform private.make_default_persona(v_id);
  end if;
  return (v_id, v_picture.notes)::private.import_result;
end $$;
comment on function private.import_persona is
  'Importer: the default persona of the dossier replaces the default one of the person. If another persona of the '
  'dossier has the same name as a persona of the person, it counts as imported, and the person''s persona does not '
  'change.';

insert into private.import_sections (section, position, importer, key_field, shape) values
  ('profile', 100, 'private.import_profile', null, '{"firstName": "text", "lastName": "text", "country": "text?",
   "city": "text?", "about": "text?", "profilePicUrl": "text?"}'),
  ('personas', 110, 'private.import_persona', 'id', '{"id": "text", "name": "text", "about": "text?",
   "accent": "text", "profilePicUrl": "text?", "isDefault": "boolean", "createdAt": "time"}');
