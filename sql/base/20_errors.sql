-- Errors have codes. A feature registers its own here; the facade and `.rpc()` callers get the same status for each.
-- docs/decisions.md, Errors.

create table private.errors (
  code   text primary key check (code ~ '^[a-z][a-z0-9_]*$'),
  status integer not null check (status between 400 and 599),
  text   text not null
);
comment on table private.errors is
  'Every error code with its HTTP status and the sentence that people read. A constraint''s name is a code too.';
comment on column private.errors.status is 'The HTTP status.';

insert into private.errors (code, status, text) values
  ('token_missing', 401, 'You must send an access token.'),
  ('token_revoked', 401, 'This access token is no longer valid. Log in again.'),
  ('cursor_unknown', 400, 'The cursor must be one that this list gave.'),
  ('limit_out_of_range', 422, 'limit must be between 1 and 50.'),
  ('append_only', 409, 'This record cannot be changed or deleted.'),
  ('value_invalid', 422, 'A value is outside what is allowed.');

create function private.fail(p_code text, p_headers json default null) returns void
language plpgsql stable security definer   -- reads the registry for callers who may not
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
comment on function private.fail is
  'Raises a registered code: SQLSTATE PT<status>, the code as message, its text as detail. With headers for the '
  'answer it is SQLSTATE PGRST, which is how PostgREST takes them. Undoes the transaction.';

create function private.refusal(p_code text) returns json
language plpgsql volatile security definer   -- reads the registry for callers who may not
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
comment on function private.refusal is
  'Answers an error without raising it, so that what the operation wrote is kept: the caller sees an error, the '
  'database a commit.';

create function private.refused(p_rule text) returns boolean
language plpgsql stable security definer   -- reads the registry for callers who may not
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
comment on function private.refused is
  'The end of every check of schema app: raises the code that is the constraint''s name, as private.fail does, and '
  'value_invalid where none is registered. Postgres would quote the row to whoever calls by `.rpc()`.';

create procedure private.make_checks_speak()
language plpgsql
set search_path = ''
as $$
declare
  v_check record;
begin
  for v_check in
    select c.conname as name, regexp_replace(pg_get_constraintdef(c.oid), '^CHECK ', '') as rule,
           case when c.contypid = 0 then 'table ' || c.conrelid::regclass
                else 'domain ' || c.contypid::regtype end as holder
    from pg_catalog.pg_constraint c
    where c.connamespace = 'app'::regnamespace and c.contype = 'c'
      and pg_get_constraintdef(c.oid) not like '%private.refused(%'
  loop
    execute format('alter %s drop constraint %I', v_check.holder, v_check.name);
    -- in this order: the function is called for what breaks the rule alone, and null passes as in any check
    execute format('alter %s add constraint %I check (%s is not false or private.refused(%L))',
                   v_check.holder, v_check.name, v_check.rule, v_check.name);
  end loop;
end $$;
comment on procedure private.make_checks_speak is
  'For migrations: from then on every check of schema app raises its code, in whatever way it is reached.';

create function private.refuse_change() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform private.fail('append_only');
  return null;
end $$;
comment on function private.refuse_change is
  'Trigger of append-only tables: refuses update, delete and truncate for everyone, the owner included.';

create procedure private.make_append_only(p_table regclass)
language plpgsql
set search_path = ''
as $$
begin
  execute format('create trigger refuse_change before update or delete on %s
                  for each row execute function private.refuse_change()', p_table);
  execute format('create trigger refuse_truncate before truncate on %s
                  for each statement execute function private.refuse_change()', p_table);
end $$;
comment on procedure private.make_append_only is
  'For migrations: from then on nobody can change or delete the table''s rows (append_only).';

create function private.touch() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.updated_at := now();
  return new;
end $$;
comment on function private.touch is 'Trigger: stamps updated_at.';
