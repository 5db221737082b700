-- How the facade passes on a dossier. It begins an import, adds rows, and finishes the import, or cancels it if the
-- file is not valid. The worker imports nothing before the import is finished.

create function private.begin_import() returns uuid
language plpgsql volatile security definer   -- only definer functions write imports
set search_path = ''
as $$
declare
  v_caller uuid := private.require_caller();
  v_last   app.imports;
  v_id     uuid;
begin
  perform private.count_writes('imports');
  -- lock the import, so that only one of several concurrent calls finishes it
  perform private.lock('import', v_caller::text);
  delete from app.imports where user_id = v_caller and state = 'receiving';
  select * into v_last from app.imports
  where user_id = v_caller and created_at > now() - interval '24 hours' order by created_at desc limit 1;
  if v_last.state in ('waiting', 'running') then
    perform private.raise_error('import_running');
  elsif found then
    perform private.raise_error('import_daily', json_build_object(
      'Retry-After', ceil(extract(epoch from v_last.created_at + interval '24 hours' - now()))::text));
  end if;
  insert into app.imports (user_id) values (v_caller) returning id into v_id;
  return v_id;
end $$;
comment on function private.begin_import is
  'Begins an import of the caller, and returns its id. It ends an unfinished earlier import of the caller.';
call private.force_index_scans('private.begin_import');

create function private.list_import_sections() returns json
language plpgsql stable security definer   -- callers may not read the registry
set search_path = ''
as $$
begin
  return (select json_agg(json_build_object('name', s.section, 'single', s.key_field is null) order by s.section)
          from private.import_sections s);
end $$;
comment on function private.list_import_sections is 'The sections that can be imported: [{name, single}].';

insert into private.operations_of_people (operation) values ('begin_import');

create function api.begin_import() returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  return json_build_object('id', private.begin_import(), 'sections', private.list_import_sections());
end $$;
comment on function api.begin_import is
  'Begins an import of the caller: {id, sections: [{name, single}]}. The facade then adds the rows of these sections.';

create function private.import_shape_error(p_value jsonb, p_type text) returns text
language plpgsql immutable
set search_path = ''
as $$
declare
  c_time constant text := '^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d(:?\d\d)?)$';
  v_kind text := coalesce(jsonb_typeof(p_value), 'null');
  v_text text := p_value #>> '{}';
begin
  if v_kind = 'null' and p_type like '%?' then
    return null;
  end if;
  return case rtrim(p_type, '?')
    when 'text' then case when v_kind <> 'string' then 'must be a text' end
    when 'boolean' then case when v_kind <> 'boolean' then 'must be true or false' end
    when 'array' then case when v_kind <> 'array' then 'must be a list' end
    when 'integer' then case when v_kind <> 'number' or not pg_input_is_valid(v_text, 'integer')
                             then 'must be a whole number' end
    when 'uuid' then case when v_kind <> 'string' or not pg_input_is_valid(v_text, 'uuid') then 'must be a UUID' end
    when 'time' then case when v_kind <> 'string' or v_text !~ c_time or not pg_input_is_valid(v_text, 'timestamptz')
                          then 'must be a time such as 2099-01-31T12:00:00.000Z' end
  end;
end $$;
comment on function private.import_shape_error is
  'The message that a value does not have a type of private.import_sections.shape; null if it has the type.';

create function private.check_import_rows(p_section private.import_sections, p_from integer, p_items jsonb)
returns text[]
language plpgsql stable
set search_path = ''
as $$
begin
  return array(
    select format('%s: %s', concat_ws('.', p_section.section,
                                      case when p_section.key_field is not null then p_from + i.place - 1 end,
                                      e.field), e.error)
    from jsonb_array_elements(p_items) with ordinality as i (item, place)
    cross join lateral (
      select null as field, 'must be an object' as error where jsonb_typeof(i.item) <> 'object'
      union all
      select f.field, private.import_shape_error(i.item -> f.field, f.type)
      from jsonb_each_text(p_section.shape) as f (field, type) where jsonb_typeof(i.item) = 'object'
      union all
      select k.field, 'must have 1 to 200 characters'
      from (values (p_section.key_field), (p_section.of_field)) as k (field)
      where jsonb_typeof(i.item) = 'object' and length(i.item ->> k.field) not between 1 and 200) e
    where e.error is not null
    order by i.place, e.field limit 100);
end $$;
comment on function private.check_import_rows is
  'The errors in rows of a section of a dossier, as "path: what is wrong", at most 100. p_from is the place of the '
  'first row.';

create function api.add_import_rows(p_id uuid, p_section text, p_from integer, p_items jsonb) returns json
language plpgsql volatile security definer   -- relies on the facade to have read the file
set search_path = ''
as $$
declare
  v_section private.import_sections;
  v_import  app.imports;
  v_errors  text[];
begin
  select * into strict v_section from private.import_sections where section = p_section;
  v_errors := private.check_import_rows(v_section, p_from, p_items);
  if v_errors = '{}' then
    perform private.check_lock_order('import', app.uid()::text);
    update app.imports
    set staged = staged + jsonb_array_length(p_items),
        total = total + case when v_section.importer is not null then jsonb_array_length(p_items) else 0 end
    where id = p_id and user_id = private.require_caller() and state = 'receiving'
    returning * into v_import;
    if not found then
      perform private.raise_error('import_running');   -- the person has begun another import meanwhile
    elsif v_import.staged > 100000 then
      perform private.raise_error('import_large');
    end if;
    insert into private.import_rows (import_id, section, place, position, sort_at, row_key, of_key, item)
    select p_id, p_section, p_from + i.place - 1, v_section.position,
           coalesce((i.item ->> v_section.sort_field)::timestamptz, '-infinity'),
           coalesce(i.item ->> v_section.key_field, ''), i.item ->> v_section.of_field, i.item
    from jsonb_array_elements(p_items) with ordinality as i (item, place);
  end if;
  return json_build_object('problems', to_json(v_errors));
end $$;
comment on function api.add_import_rows is
  'For the facade alone: adds rows of a section to an unfinished import of the caller. If a row is invalid, it adds '
  'none and returns {problems: ["path: what"]}. p_from is the place of the first row in its section.';

create function api.finish_import(p_id uuid, p_origin text, p_signature text, p_issuer text) returns json
language plpgsql volatile security definer   -- relies on the facade to have checked the signature
set search_path = ''
as $$
declare
  v_import app.imports;
begin
  perform private.lock('import', private.require_caller()::text);
  update app.imports
  set state = 'waiting', origin = lower(p_origin), signature = p_signature, issuer = p_issuer, created_at = now()
  where id = p_id and user_id = app.uid() and state = 'receiving'
  returning * into v_import;
  if not found then
    perform private.raise_error('import_running');
  end if;
  perform private.enqueue('imports', json_build_object('importId', p_id));
  return private.import_card(v_import);
end $$;
comment on function api.finish_import is
  'For the facade alone: records that the dossier is complete and valid, so that the worker imports it. Returns the '
  'import.';

create function api.cancel_import(p_id uuid) returns json
language plpgsql volatile security definer   -- only definer functions write imports
set search_path = ''
as $$
begin
  perform private.lock('import', private.require_caller()::text);
  delete from app.imports where id = p_id and user_id = app.uid() and state = 'receiving';
  return null;
end $$;
comment on function api.cancel_import is
  'For the facade alone: ends an unfinished import of the caller, and deletes its rows.';
call private.force_index_scans('api.cancel_import');

create function private.find_import() returns json
language plpgsql stable security definer   -- only definer functions read imports
set search_path = ''
as $$
declare
  v_caller uuid := private.require_caller();
begin
  return (select private.import_card(i) from app.imports i
          where i.user_id = v_caller and i.state <> 'receiving' order by i.created_at desc limit 1);
end $$;
comment on function private.find_import is 'The caller''s last import; null if there is none.';

create function api.get_import() returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_import json := private.find_import();
begin
  if v_import is null then
    perform private.raise_error('import_none');
  end if;
  return v_import;
end $$;
comment on function api.get_import is
  'The caller''s last import of the last 7 days: {id, state, origin, signature, issuer, done, total, problems, '
  'problemCount, createdAt, endedAt}.';
