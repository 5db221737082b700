-- How an import adds circles and muted keywords. See sql/import/10_imports.sql for how imports run.

create function private.import_circle(p_import app.imports, p_row private.import_rows) returns private.import_result
language plpgsql volatile security definer   -- the worker runs imports
set search_path = ''
as $$
declare
  v_id uuid;
begin
  insert into app.circles (owner_id, kind, name, accent, created_at)
  values (p_import.user_id, p_row.item ->> 'kind', private.require_name(p_row.item ->> 'name'),
          p_row.item ->> 'accent', private.import_time(p_row.item ->> 'createdAt'))
  returning id into v_id;
  return (v_id, null)::private.import_result;
end $$;
comment on function private.import_circle is 'Importer: adds a circle without its members.';

create function private.import_keyword(p_import app.imports, p_row private.import_rows) returns private.import_result
language plpgsql volatile security definer   -- the worker runs imports
set search_path = ''
as $$
declare
  v_keyword text := private.require_name(left(p_row.item ->> 'keyword', 400));
  v_until   timestamptz := (p_row.item ->> 'until')::timestamptz;
  v_id      uuid;
begin
  if v_until <= now() then
    return null;
  end if;
  insert into app.muted_keywords (id, user_id, keyword, folded, until, created_at)
  values (private.timed_id(), p_import.user_id, v_keyword, private.fold_keyword(v_keyword), v_until,
          private.import_time(p_row.item ->> 'createdAt'))
  on conflict (user_id, folded) do nothing
  returning id into v_id;
  return (v_id, null)::private.import_result;
end $$;
comment on function private.import_keyword is
  'Importer: adds a muted keyword whose mute has not ended, unless the person has already muted it.';

insert into private.import_sections (section, position, importer, key_field, sort_field, shape) values
  ('circles', 200, 'private.import_circle', 'id', 'createdAt', '{"id": "text", "kind": "text", "name": "text",
   "accent": "text?", "createdAt": "time"}'),
  ('mutedKeywords', 210, 'private.import_keyword', 'id', 'createdAt', '{"id": "text", "keyword": "text",
   "until": "time?", "createdAt": "time"}');
