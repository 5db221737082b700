-- How operations answer a list, an object of two parts, and a client that has the answer in its cache.

create function private.require_cursor(p_cursor text) returns uuid
language plpgsql stable
set search_path = ''
as $$
begin
  if not pg_input_is_valid(p_cursor, 'uuid') then
    perform private.fail('cursor_unknown');
  end if;
  return p_cursor::uuid;
end $$;
comment on function private.require_cursor is 'Reads a cursor that is a UUID; null stays null. Fails: cursor_unknown.';

create function private.page(p_items json, p_cursors text[], p_limit integer) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  if p_limit is null or p_limit not between 1 and 50 then   -- null would be a list without end
    perform private.fail('limit_out_of_range');
  end if;
  return json_build_object(
    'items', coalesce(p_items, '[]'::json),
    'nextCursor', case when cardinality(p_cursors) > p_limit then p_cursors[p_limit] end,
    'hasMore', cardinality(p_cursors) > p_limit);
end $$;
comment on function private.page is
  'Makes a page, {items, nextCursor, hasMore}, of its items and of the cursors of one item more than the page, in '
  'order. Fails: limit_out_of_range.';

create function private.merged(p_card json, p_more json) returns json
language plpgsql immutable
set search_path = ''
as $$
begin
  -- as text: parsing both into jsonb and printing them takes ten times as long
  return left(p_card::text, -1) || ',' || substr(p_more::text, 2);
end $$;
comment on function private.merged is
  'Merges two objects, neither of them empty, that have no field in common. The first must end without a blank, as '
  'json_build_object writes it.';

create function private.not_modified(p_version text) returns boolean
language plpgsql volatile
set search_path = ''
as $$
declare
  v_tag   text := '"' || encode(sha256(convert_to(p_version, 'UTF8')), 'hex') || '"';
  v_known text := nullif(current_setting('request.headers', true), '')::json ->> 'if-none-match';
begin
  perform set_config('response.headers', json_build_array(
    json_build_object('ETag', v_tag), json_build_object('Cache-Control', 'private, no-cache'))::text, true);
  if v_known is null or strpos(v_known, v_tag) = 0 then
    return false;
  end if;
  perform set_config('response.status', '304', true);
  return true;
end $$;
comment on function private.not_modified is
  'Puts the ETag of this version on the answer. True when If-None-Match names it: the operation then answers null '
  '(304). Call it before the answer is made.';
