-- Errors have codes, which each feature registers. Callers get the same status through the facade and by `.rpc()`.
-- docs/decisions.md, Errors.

create table private.errors (
  code   text primary key check (code ~ '^[a-z][a-z0-9_]*$'),
  status integer not null check (status between 400 and 599),
  text   text not null
);
comment on table private.errors is
  'Registry: the error codes, each with its HTTP status and its message. A code can be the name of a constraint.';
comment on column private.errors.status is 'The HTTP status.';

insert into private.errors (code, status, text) values
  ('token_missing', 401, 'An access token is required.'),
  ('token_revoked', 401, 'This access token is no longer valid. Log in again.'),
  ('cursor_unknown', 400, 'The cursor must be one that this list returned. Start again without a cursor.'),
  ('limit_out_of_range', 422, 'limit must be between 1 and 50.'),
  ('append_only', 409, 'This record cannot be changed or deleted.'),
  ('value_invalid', 422, 'A value is not allowed.');

create function private.raise_error(p_code text, p_headers json default null) returns void
language plpgsql stable security definer   -- callers may not read the registry
set search_path = ''
as $$
declare
  v_error private.errors;
begin
  select * into strict v_error from private.errors where code = p_code;
  if p_headers is not null then
    raise exception using
      errcode = 'PGRST',
      message = json_build_object('code', 'PT' || v_error.status, 'message', v_error.code,
                                  'details', v_error.text, 'hint', null),
      detail = json_build_object('status', v_error.status, 'headers', p_headers);
  end if;
  raise exception using
    errcode = 'PT' || v_error.status,
    message = v_error.code,
    detail = v_error.text;
end $$;
comment on function private.raise_error is
  'Raises a registered code: SQLSTATE PT<status>, with the code as the message and its text as the detail. With '
  'p_headers for the response it raises SQLSTATE PGRST, the form in which PostgREST accepts headers. The '
  'transaction is rolled back.';

create function private.error_response(p_code text) returns json
language plpgsql volatile security definer   -- callers may not read the registry
set search_path = ''
as $$
declare
  v_error private.errors;
begin
  select * into strict v_error from private.errors where code = p_code;
  perform set_config('response.status', v_error.status::text, true);
  return json_build_object('code', 'PT' || v_error.status, 'message', v_error.code,
                           'details', v_error.text, 'hint', null);
end $$;
comment on function private.error_response is
  'Returns an error as the response without raising it, so that what the operation wrote is kept. The caller gets '
  'an error, but the transaction commits.';

create function private.raise_check_violation(p_rule text) returns boolean
language plpgsql stable security definer   -- callers may not read the registry
set search_path = ''
as $$
declare
  v_error private.errors;
begin
  select * into strict v_error from private.errors
  where code in (p_rule, 'value_invalid') order by code = 'value_invalid' limit 1;
  raise exception using
    errcode = 'PT' || v_error.status,
    message = v_error.code,
    detail = v_error.text,
    constraint = p_rule;
end $$;
comment on function private.raise_check_violation is
  'Every check of the schema app calls this function for a value that violates the check '
  '(sql/generated/10_checks.sql, generated). It raises the code that has the name of the check, or value_invalid if '
  'no such code is registered, as private.raise_error does. The error of Postgres itself would show the row to '
  'callers of `.rpc()`.';

create function private.reject_null() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform private.raise_check_violation(tg_table_name || '_null');
  return null;
end $$;
comment on function private.reject_null is
  'Trigger: rejects a row that lacks a required value, with value_invalid, as a check would.';

create procedure private.make_nulls_raise_codes(p_table regclass)
language plpgsql
set search_path = ''
as $$
begin
  execute format('create trigger reject_null before insert or update on %s for each row when (%s)
                  execute function private.reject_null()', p_table,
                 (select string_agg(format('new.%I is null', a.attname), ' or ' order by a.attnum)
                  from pg_catalog.pg_attribute a
                  where a.attrelid = p_table and a.attnum > 0 and not a.attisdropped and a.attnotnull
                    and a.attgenerated = '' and a.attidentity = ''));
end $$;
comment on procedure private.make_nulls_raise_codes is
  'For migrations: from then on, a null in a required column raises value_invalid. Use it for tables into which '
  'only definer functions write values from the caller, because the error of Postgres itself would show the row to '
  'callers of `.rpc()`. Tables that people write under row-level security do not need it, because there Postgres '
  'does not show the row.';

create function private.reject_change() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform private.raise_error('append_only');
  return null;
end $$;
comment on function private.reject_change is
  'Trigger of append-only tables: rejects update, delete and truncate by everyone, including the owner.';

create procedure private.make_append_only(p_table regclass)
language plpgsql
set search_path = ''
as $$
begin
  execute format('create trigger reject_change before update or delete on %s
                  for each row execute function private.reject_change()', p_table);
  execute format('create trigger reject_truncate before truncate on %s
                  for each statement execute function private.reject_change()', p_table);
end $$;
comment on procedure private.make_append_only is
  'For migrations: makes a table append-only. From then on nobody can change or delete its rows (append_only).';

create function private.touch() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.updated_at := now();
  return new;
end $$;
comment on function private.touch is 'Trigger: sets updated_at to the current time.';
