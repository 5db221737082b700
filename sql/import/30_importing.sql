-- The worker imports up to 200 rows of a dossier in each transaction, and deletes them from private.import_rows.

create function private.is_already_here(p_import app.imports, p_section text, p_key text) returns boolean
language plpgsql stable security definer   -- reads any table of the export
set search_path = ''
as $$
declare
  v_source private.personal_data;
  v_found  boolean;
begin
  if p_import.origin <> private.domain() or not pg_input_is_valid(p_key, 'uuid') then
    return false;
  end if;
  select d.* into v_source
  from private.personal_data d join private.import_sections s on s.section = d.section and s.key_field = 'id'
  where d.section = p_section and d.within is null;
  if not found then
    return false;
  end if;
  execute format('select exists (select from %s where id = $1 and %I = $2)', v_source.relation,
                 v_source.person_column) into v_found using p_key::uuid, p_import.user_id;
  return v_found;
end $$;
comment on function private.is_already_here is
  'Returns whether the thing in this row of a dossier of this instance belongs to the importing person and still '
  'exists.';

create function private.find_imported(p_import app.imports, p_section text, p_key text) returns uuid
language plpgsql stable security definer   -- callers may not read what was imported
set search_path = ''
as $$
declare
  v_here uuid;
begin
  select here into v_here from private.imported
  where user_id = p_import.user_id and origin = p_import.origin and section = p_section and row_key = p_key;
  if not found and private.is_already_here(p_import, p_section, p_key) then
    v_here := p_key;
  end if;
  return v_here;
end $$;
comment on function private.find_imported is
  'The id in this instance of the thing that the person imported under this key. If the dossier is of this '
  'instance, the thing can also be one that the person already has. Null if there is none.';

create function private.import_time(p_text text) returns timestamptz
language plpgsql stable
set search_path = ''
as $$ begin return case when p_text is not null then least(p_text::timestamptz, now()) end; end $$;
comment on function private.import_time is 'For importers: a time of a dossier, but never a time in the future.';

create function private.import_details(p_import app.imports, p_section text, p_of text) returns setof jsonb
language plpgsql stable security definer   -- callers may not read the rows
set search_path = ''
as $$
begin
  return query
    select r.item from private.import_rows r
    where r.import_id = p_import.id and r.section = p_section and r.of_key = p_of
    order by r.place limit 200;
end $$;
comment on function private.import_details is
  'For importers: the rows of a section that belong to a row with this key, at most 200.';

create function private.import_problem(p_row private.import_rows, p_code text, p_field text default null) returns jsonb
language plpgsql stable security definer   -- callers may not read the registry
set search_path = ''
as $$
begin
  return (select jsonb_build_object(
            'path', concat_ws('.', p_row.section,
                              case when p_row.row_key <> '' then p_row.place end, p_field),
            'code', e.code,
            'message', e.text)
          from private.errors e where e.code in (p_code, 'value_invalid') order by e.code = 'value_invalid' limit 1);
end $$;
comment on function private.import_problem is 'A problem of a row: {path, code, message}.';

create function private.import_row(p_import app.imports, p_row private.import_rows, p_importer text) returns jsonb
language plpgsql volatile
set search_path = ''
as $$
declare
  v_result private.import_result;
  v_state  text;
  v_name   text;
begin
  if exists (select from private.imported
             where user_id = p_import.user_id and origin = p_import.origin and section = p_row.section
               and row_key = p_row.row_key)
     or private.is_already_here(p_import, p_row.section, p_row.row_key) then
    return '[]';
  end if;
  execute format('select * from %s($1, $2)', p_importer) into v_result using p_import, p_row;
  insert into private.imported (user_id, origin, section, row_key, here)
  values (p_import.user_id, p_import.origin, p_row.section, p_row.row_key, v_result.here);
  return (select coalesce(jsonb_agg(private.import_problem(p_row, n.code, n.field)), '[]')
          from jsonb_to_recordset(coalesce(v_result.notes, '[]')) as n (field text, code text));
exception when others then
  get stacked diagnostics v_state = returned_sqlstate, v_name = constraint_name;
  if v_state !~ '^(PT|PGRST|22|23)' then
    raise;   -- after any other error, such as a deadlock, the batch is retried
  end if;
  return jsonb_build_array(private.import_problem(
    p_row, case when v_state ~ '^(PT|PGRST)' then sqlerrm else nullif(v_name, '') end));
end $$;
comment on function private.import_row is
  'Imports one row unless it was imported before, and returns the problems. A row that cannot be imported changes '
  'nothing.';

create function private.import_batch(p_job jsonb, p_after uuid default null) returns json
language plpgsql volatile security definer   -- the worker has no access to Kith's tables
set search_path = ''
as $$
declare
  v_id       uuid := (p_job ->> 'importId')::uuid;
  v_user     uuid := (select user_id from app.imports where id = v_id);
  v_import   app.imports;
  v_position smallint;
  v_importer text;
  v_rows     private.import_rows[];
  v_row      private.import_rows;
  v_problems jsonb := '[]';
  v_changed  integer;
begin
  perform private.check_lock_order('person', v_user::text);
  perform from app.users where id = v_user and banned_at is null and erased_at is null for share;
  if not found then
    update app.imports set state = 'stopped', ended_at = now() where id = v_id and ended_at is null;
    return json_build_object('changed', 0, 'next', null);
  end if;
  perform private.lock('import', v_user::text);   -- a second worker waits here, and then imports other rows
  select * into v_import from app.imports where id = v_id and state in ('waiting', 'running');
  if not found then
    return json_build_object('changed', 0, 'next', null);
  end if;

  select r.position into v_position from private.import_rows r
  where r.import_id = v_id and r.position is not null order by r.position limit 1;
  if v_position is null then
    -- the remaining rows belonged to other rows
    delete from private.import_rows where ctid = any (array(
      select ctid from private.import_rows where import_id = v_id limit 5000));
    get diagnostics v_changed = row_count;
    if v_changed < 5000 then
      update app.imports set state = 'done', ended_at = now() where id = v_id;
    end if;
    return json_build_object('changed', v_changed, 'next', case when v_changed = 5000 then v_id end);
  end if;

  -- set the caller, because importers call functions of operations, which need a caller
  perform set_config('request.jwt.claims', json_build_object('sub', v_user)::text, true);
  select s.importer into strict v_importer from private.import_sections s where s.position = v_position;
  v_rows := array(
    select r from private.import_rows r
    where r.import_id = v_id and r.position = v_position order by r.sort_at, r.place limit 200);
  foreach v_row in array v_rows loop
    v_problems := v_problems || private.import_row(v_import, v_row, v_importer);
  end loop;
  delete from private.import_rows
  where import_id = v_id and section = v_rows[1].section
    and place = any (array(select (r).place from unnest(v_rows) r));
  update app.imports
  set state = 'running', done = done + cardinality(v_rows),
      problems = (select coalesce(jsonb_agg(p.problem order by p.place), '[]')
                  from jsonb_array_elements(problems || v_problems) with ordinality as p (problem, place)
                  where p.place <= 200),
      problem_count = problem_count + jsonb_array_length(v_problems)
  where id = v_id;
  return json_build_object('changed', cardinality(v_rows), 'next', v_id);
end $$;
comment on function private.import_batch is
  'For the worker alone: imports the next 200 rows of a finished import {importId}, of one section, and returns '
  '{changed, next}; next is null at the end. May run twice: it deletes the rows that it imports.';
call private.force_index_scans('private.import_batch');
call private.make_batch_queue('imports', 'private.import_batch');
