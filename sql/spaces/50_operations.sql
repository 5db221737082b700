-- The operations that all kinds of spaces share. A route passes its kind as p_kind.
-- docs/decisions.md, Spaces.

create function private.space_cards(p_kind text, p_ids uuid[]) returns json
language plpgsql stable security definer   -- reads the registry; the cards check what the caller can see
set search_path = ''
as $$
declare
  v_cards text := (select cards from private.space_kinds where kind = p_kind);
  v_found json;
begin
  execute format('select %s($1)', v_cards) into v_found using p_ids;
  return v_found;
end $$;
comment on function private.space_cards is
  'The cards of these spaces of a kind (private.space_kinds), in order, if the caller can see them.';

create function api.list_spaces(
  p_kind text, p_mine boolean default false, p_q text default null, p_interest_id uuid default null,
  p_join_policy text default null, p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_kind  text := private.require_space_kind(p_kind);
  v_found app.found := private.list_spaces(v_kind, p_mine, p_q, p_interest_id, p_join_policy, p_cursor);
begin
  return private.page(private.space_cards(v_kind, v_found.ids[:p_limit]), v_found.ids::text[], p_limit, v_found.next);
end $$;
comment on function api.list_spaces is 'Public spaces of a kind and those of the caller, newest first.';

create function api.get_space(p_kind text, p_id text) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return private.space_cards(p_kind, array[(private.require_space(private.require_space_kind(p_kind), p_id)).id]) -> 0;
end $$;
comment on function api.get_space is 'A space by its id or slug.';

create function api.leave_space(p_kind text, p_id text) returns json
language plpgsql volatile
set search_path = ''
as $$ begin return private.leave_space(private.require_space_kind(p_kind), p_id); end $$;
comment on function api.leave_space is 'The caller leaves a space: {status: left}.';

create function api.list_space_members(
  p_kind text, p_id text, p_q text default null, p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return private.list_space_members(private.require_space_kind(p_kind), p_id, p_q, p_limit, p_cursor);
end $$;
comment on function api.list_space_members is 'The members of a space.';

create function api.list_space_requests(
  p_kind text, p_id text, p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$ begin return private.list_pending(private.require_space_kind(p_kind), p_id, true, p_limit, p_cursor); end $$;
comment on function api.list_space_requests is 'The pending requests to join a space, which guilds call applications.';

create function api.settle_space_request(
  p_kind text, p_id text, p_request_id uuid, p_approve boolean
) returns json
language plpgsql volatile
set search_path = ''
as $$ begin return private.settle_request(private.require_space_kind(p_kind), p_id, p_request_id, p_approve); end $$;
comment on function api.settle_space_request is 'Approves or rejects a pending request to join a space.';

create function api.withdraw_space_request(p_kind text, p_id text, p_request_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$ begin return private.withdraw_request(private.require_space_kind(p_kind), p_request_id); end $$;
comment on function api.withdraw_space_request is
  'The caller withdraws a request, even if they can no longer see the space.';
