-- Errors have codes. A feature registers its own here; the facade and `.rpc()` callers get the same status for each.
-- docs/decisions.md, Errors.

create table private.errors (
  code   text primary key check (code ~ '^[a-z][a-z0-9_]*$'),
  status integer not null check (status between 400 and 599),
  text   text not null
);
comment on table private.errors is
  'Registry: the error codes, each with its HTTP status and its message. The name of a constraint can be a code '
  'too.';
comment on column private.errors.status is 'The HTTP status.';

insert into private.errors (code, status, text) values
  ('token_missing', 401, 'You must send an access token.'),
  ('token_revoked', 401, 'This access token is no longer valid. Log in again.'),
  ('cursor_unknown', 400, 'The cursor must be one that this list gave.'),
  ('limit_out_of_range', 422, 'limit must be between 1 and 50.'),
  ('append_only', 409, 'This record cannot be changed or deleted.'),
  ('value_invalid', 422, 'A value is outside what is allowed.');

create function private.raise_error(p_code text, p_headers json default null) returns void
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
comment on function private.raise_error is
  'Raises a registered code: SQLSTATE PT<status>, the code as message, its text as detail. With headers for the '
  'answer it is SQLSTATE PGRST, which is how PostgREST takes them. Undoes the transaction.';

create function private.error_response(p_code text) returns json
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
comment on function private.error_response is
  'Answers an error without raising it, so that what the operation wrote is kept: the caller sees an error, the '
  'database a commit.';

create function private.raise_check_violation(p_rule text) returns boolean
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
comment on function private.raise_check_violation is
  'What every check of schema app comes to: raises the code that is the check''s name, as private.raise_error does, '
  'and value_invalid where none is registered. Postgres would quote the row to whoever calls by `.rpc()`.';

create procedure private.make_checks_raise_codes()
language plpgsql
set search_path = ''
as $$
declare
  v_domain record;
  v_table  record;
begin
  for v_domain in
    select c.conname as name, c.contypid::regtype as domain,
           regexp_replace(pg_get_constraintdef(c.oid), '^CHECK ', '') as rule
    from pg_catalog.pg_constraint c
    where c.connamespace = 'app'::regnamespace and c.contype = 'c' and c.contypid <> 0
      and pg_get_constraintdef(c.oid) not like '%private.raise_check_violation(%'
  loop
    execute format('alter domain %s drop constraint %I', v_domain.domain, v_domain.name);
    -- in this order: the function is called for what breaks the rule alone, and null passes as in any check
    execute format('alter domain %s add constraint %I check (%s is not false or private.raise_check_violation(%L))',
                   v_domain.domain, v_domain.name, v_domain.rule, v_domain.name);
  end loop;

  -- those of a table become one function: Postgres parses every check anew in each statement that writes a row
  for v_table in
    with checks as (
      select k.conrelid, k.conname, k.conkey, pg_get_expr(k.conbin, k.conrelid) as rule
      from pg_catalog.pg_constraint k
      where k.connamespace = 'app'::regnamespace and k.contype = 'c' and k.conrelid <> 0
        and pg_get_expr(k.conbin, k.conrelid) !~ '^private\.\w+_rules[0-9]*\('
    )
    select c.relation, c.drops, c.body,
           format('%s_rules%s', t.relname, (select nullif(count(*), 0) from pg_catalog.pg_constraint o
                                            where o.conrelid = t.oid and o.conname ~ '_rules[0-9]*$')) as rules,
           string_agg(quote_ident(a.attname), ', ' order by a.attnum) as columns,
           string_agg(format('%I %s', a.attname, format_type(a.atttypid, a.atttypmod)), ', '
                      order by a.attnum) as parameters
    from (select k.conrelid, k.conrelid::regclass as relation,
                 string_agg(format('drop constraint %I', k.conname), ', ') as drops,
                 string_agg(format(e'  if (%s) is false then perform private.raise_check_violation(%L); end if;\n',
                                   k.rule, k.conname), '' order by k.conname) as body
          from checks k
          group by k.conrelid) c
    join pg_catalog.pg_class t on t.oid = c.conrelid
    join pg_catalog.pg_attribute a on a.attrelid = t.oid
     and exists (select from checks k where k.conrelid = t.oid and a.attnum = any (k.conkey))
    group by t.oid, c.relation, c.drops, c.body
  loop
    execute format(e'create function private.%I(%s) returns boolean language plpgsql immutable set search_path = '''' '
                   'as %L', v_table.rules, v_table.parameters,
                   e'\nbegin\n' || v_table.body || e'  return true;\nend ');
    execute format('comment on function private.%I is %L', v_table.rules,
                   'Check: what every row of ' || v_table.relation || ' keeps to. Fails with a rule''s name.');
    execute format('grant execute on function private.%I to anon, authenticated, service_role, gate', v_table.rules);
    execute format('alter table %s %s, add constraint %I check (private.%I(%s))',
                   v_table.relation, v_table.drops, v_table.rules, v_table.rules, v_table.columns);
  end loop;
end $$;
comment on procedure private.make_checks_raise_codes is
  'For migrations: from then on every check of schema app raises its code, in whatever way it is reached. Those of a '
  'table become one function, private.<table>_rules. To change a rule later, drop that constraint and its function, '
  'declare all checks of the table anew, and call this.';

create function private.reject_null() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform private.raise_check_violation(tg_table_name || '_null');
  return null;
end $$;
comment on function private.reject_null is
  'Trigger: refuses a row that lacks a value with value_invalid, as a check would.';

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
  'For migrations: from then on a null where a column wants a value is value_invalid. For tables that definer '
  'functions alone write with what they are given: Postgres would quote the row to whoever calls by `.rpc()`. Where '
  'people write under row-level security it quotes none.';

create function private.reject_change() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform private.raise_error('append_only');
  return null;
end $$;
comment on function private.reject_change is
  'Trigger of append-only tables: refuses update, delete and truncate for everyone, the owner included.';

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
