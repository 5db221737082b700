-- Scopes limit a token to some of the rights of its holder. The rows of both registries are in
-- sql/generated/40_scopes.sql, which `npm run gen` writes from the route tables. docs/decisions.md, Access tokens.

create table private.scopes (
  scope    text primary key check (scope ~ '^[a-z]+:(read|write)$'),
  position smallint not null unique,
  says     text not null,
  staff    boolean not null
);
comment on table private.scopes is 'Registry: the scopes that a token can have.';
comment on column private.scopes.position is 'The order in which people see the scopes.';
comment on column private.scopes.says is 'What a token with the scope may do, as a sentence for people.';
comment on column private.scopes.staff is 'Whether only moderators and admins can have tokens with the scope.';

create table private.operation_scopes (
  operation text not null,
  scope     text references private.scopes on delete cascade,
  unique nulls not distinct (operation, scope)
);
create index operation_scopes_scope_idx on private.operation_scopes (scope);
comment on table private.operation_scopes is
  'Registry: the scopes of each operation. A token with scopes needs one of them, and may not call an operation '
  'without a row.';
comment on column private.operation_scopes.operation is
  'The name of the operation. For a route that calls none, the operationId of the route.';
comment on column private.operation_scopes.scope is 'Null if every token may call the operation.';

insert into private.errors (code, status, text) values
  ('scope_missing', 403, 'This needs a scope that this access token does not have.'),
  ('session_required', 403, 'No access token with scopes may do this. Log in instead.'),
  ('scope_unknown', 422, 'There is no such scope. GET /scopes lists them.');

create function private.require_scope(p_scopes text[], p_operation text) returns void
language plpgsql stable security definer   -- callers may not read the registry
set search_path = ''
as $$
declare
  v_needed text[] := array(select scope from private.operation_scopes where operation = p_operation order by scope);
begin
  if cardinality(v_needed) = 0 then
    perform private.raise_error('session_required');
  elsif not (v_needed && p_scopes or array_position(v_needed, null) is not null) then
    -- the form in which PostgREST accepts headers (private.raise_error); RFC 6750 defines the header
    raise exception using
      errcode = 'PGRST',
      message = json_build_object(
        'code', 'PT403', 'message', 'scope_missing', 'hint', null,
        'details', format('This needs the scope %s, which this access token does not have.',
                          array_to_string(v_needed, ' or '))),
      detail = json_build_object(
        'status', 403,
        'headers', json_build_object('WWW-Authenticate',
                                     format('Bearer error="insufficient_scope", scope="%s"', v_needed[1])));
  end if;
end $$;
comment on function private.require_scope is
  'Passes if these scopes of the caller''s token include one that the operation needs. Fails: scope_missing.';
