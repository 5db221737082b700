-- How operations return a time, a list, an object merged from two, and a response that the client has in its cache.

create function private.utc(p_time timestamptz) returns text
language plpgsql stable strict
set search_path = ''
as $$
begin
  return to_char(p_time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
end $$;
comment on function private.utc is
  'A time in the form that all responses use: UTC with milliseconds and Z. Null for null and for infinity.';

create function private.calendar_end() returns timestamptz
language plpgsql immutable parallel safe
set search_path = ''
as $$
begin
  return timestamptz '9999-12-31 00:00:00+00';
end $$;
comment on function private.calendar_end is
  'Times that people plan must be before this time. A later time would have a year of five digits in some time '
  'zone, or be invalid.';

create function private.is_ahead(p_time timestamptz) returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  return (p_time > now() and p_time < private.calendar_end()) is true;
end $$;
comment on function private.is_ahead is
  'Returns whether a time can be planned: in the future, and before private.calendar_end.';

create function private.require_cursor(p_cursor text) returns uuid
language plpgsql stable
set search_path = ''
as $$
begin
  if not pg_input_is_valid(p_cursor, 'uuid') then
    perform private.raise_error('cursor_unknown');
  end if;
  return p_cursor::uuid;
end $$;
comment on function private.require_cursor is 'Reads a cursor that is a UUID; null stays null.';

-- A list reads its rows by an index. A page reads at most 400 rows, because the caller may not see all of them, and
-- nobody should wait while thousands of rows are skipped. If the page isn't full after 400 rows, it is short, and the
-- next page continues after the last row that was read. The caller may not see that row, so the cursor is sealed: it
-- is encrypted, and valid only for this caller and this list. Otherwise somebody could change the cursor bit by bit,
-- or try it in other lists, and infer its content from the pages.
-- docs/limits.md;
-- docs/decisions.md, Lists.

create table private.cursor_keys (
  hiding  bytea not null default extensions.gen_random_bytes(32),
  signing bytea not null default extensions.gen_random_bytes(32)
);
create unique index cursor_keys_one_row_idx on private.cursor_keys ((true));
comment on table private.cursor_keys is
  'The key that encrypts cursors and the key that signs them, in one row that is created with the schema.';
insert into private.cursor_keys default values;

create function private.cursor_signature(p_key bytea, p_list text, p_hidden bytea) returns bytea
language plpgsql stable
set search_path = ''
as $$
begin
  -- the first two parts have a fixed length, so no other caller and list result in the same bytes
  return substr(extensions.hmac(
    p_hidden || uuid_send(coalesce(app.uid(), '00000000-0000-0000-0000-000000000000')) || convert_to(p_list, 'UTF8'),
    p_key, 'sha256'), 1, 18);
end $$;
comment on function private.cursor_signature is
  'The end of a cursor: 144 bits of an HMAC over its encrypted part, the caller and the list.';

create function private.seal(p_list text, p_content bytea) returns text
language plpgsql volatile security definer   -- callers may not read the keys
set search_path = ''
as $$
declare
  v_keys   private.cursor_keys;
  v_hidden bytea := extensions.gen_random_bytes(16);
begin
  select * into v_keys from private.cursor_keys;
  v_hidden := v_hidden || extensions.encrypt_iv(p_content, v_keys.hiding, v_hidden, 'aes-cbc');
  return translate(encode(v_hidden || private.cursor_signature(v_keys.signing, p_list, v_hidden), 'base64'),
                   e'+/=\n', '-_');
end $$;
comment on function private.seal is
  'A cursor with this content, valid only for this caller and this list. Each call returns a different cursor. The '
  'name of a list must contain everything on which its order depends. See private.open.';

create function private.open(p_list text, p_cursor text) returns bytea
language plpgsql stable security definer   -- callers may not read the keys
set search_path = ''
as $$
declare
  v_keys   private.cursor_keys;
  v_sealed bytea;
  v_hidden bytea;
begin
  if (p_cursor ~ '^[A-Za-z0-9_-]{67,}$' and length(p_cursor) % 4 <> 1) is not true then
    return null;
  end if;
  select * into v_keys from private.cursor_keys;
  v_sealed := decode(rpad(translate(p_cursor, '-_', '+/'), (length(p_cursor) + 3) / 4 * 4, '='), 'base64');
  v_hidden := substr(v_sealed, 1, length(v_sealed) - 18);
  if private.cursor_signature(v_keys.signing, p_list, v_hidden) <> substr(v_sealed, length(v_sealed) - 17)
     -- the last letter has unused bits
     or translate(encode(v_sealed, 'base64'), e'+/=\n', '-_') <> p_cursor then
    return null;
  end if;
  return extensions.decrypt_iv(substr(v_hidden, 17), v_keys.hiding, substr(v_hidden, 1, 16), 'aes-cbc');
end $$;
comment on function private.open is
  'What private.seal put into a cursor for this caller and list; null for any other cursor.';

create function private.seal_cursor(p_list text, p_number bigint, p_id uuid) returns text
language plpgsql volatile
set search_path = ''
as $$ begin return private.seal(p_list, int8send(p_number) || uuid_send(p_id)); end $$;
comment on function private.seal_cursor is
  'A cursor with a number and an id: 88 letters. See private.seal, private.open_cursor.';

create type app.rank_place as (rank bigint, id uuid);
comment on type app.rank_place is 'A place in a list that is ordered by a number, then by id.';

create function private.open_cursor(p_list text, p_cursor text) returns app.rank_place
language plpgsql stable
set search_path = ''
as $$
declare
  v_content bytea := private.open(p_list, p_cursor);
begin
  if v_content is null then
    return null;
  end if;
  return (('x' || encode(substr(v_content, 1, 8), 'hex'))::bit(64)::bigint,
          encode(substr(v_content, 9), 'hex')::uuid)::app.rank_place;
end $$;
comment on function private.open_cursor is
  'What private.seal_cursor put into a cursor for this caller and list; null for any other cursor.';

create type app.place as (at timestamptz, id uuid);
comment on type app.place is
  'A place in a list that is ordered by time, then by id. The list may have no row at this place.';

create function private.place_cursor(p_list text, p_at timestamptz, p_id uuid) returns text
language plpgsql volatile
set search_path = ''
as $$ begin return private.seal_cursor(p_list, (extract(epoch from p_at) * 1000000)::bigint, p_id); end $$;
comment on function private.place_cursor is 'A cursor for a place in this list. See private.seal_cursor.';

create function private.cursor_place(p_list text, p_cursor text) returns app.place
language plpgsql stable
set search_path = ''
as $$
declare
  v_place app.rank_place := private.open_cursor(p_list, p_cursor);
begin
  -- add seconds and microseconds separately, because Postgres multiplies an interval by a float
  return (timestamptz 'epoch' + v_place.rank / 1000000 * interval '1 second'
                              + v_place.rank % 1000000 * interval '1 microsecond', v_place.id)::app.place;
end $$;
comment on function private.cursor_place is
  'The place in a cursor of private.place_cursor; for any other cursor both parts are null.';

create function private.page_start(p_list text, p_cursor text, p_oldest boolean default false) returns app.place
language plpgsql stable
set search_path = ''
as $$
declare
  v_place app.place := private.cursor_place(p_list, p_cursor);
begin
  if p_cursor is null and p_oldest then
    return ('-infinity', '00000000-0000-0000-0000-000000000000')::app.place;
  elsif p_cursor is null then
    return ('infinity', 'ffffffff-ffff-ffff-ffff-ffffffffffff')::app.place;
  elsif v_place.at is null then
    perform private.raise_error('cursor_unknown');
  end if;
  return v_place;
end $$;
comment on function private.page_start is
  'Where a page of this list begins: after the place of its cursor; without a cursor, at the newest row, or at the '
  'oldest row with p_oldest.';

create function private.rank_start(p_list text, p_cursor text) returns app.rank_place
language plpgsql stable
set search_path = ''
as $$
declare
  v_place app.rank_place := private.open_cursor(p_list, p_cursor);
begin
  if p_cursor is null then
    return (2147483647, 'ffffffff-ffff-ffff-ffff-ffffffffffff')::app.rank_place;
  elsif v_place.id is null then
    perform private.raise_error('cursor_unknown');
  end if;
  return v_place;
end $$;
comment on function private.rank_start is
  'Does the same as private.page_start, for a list that is ordered by a number, highest first.';

create function private.require_place(p_list text, p_cursor text) returns app.place
language plpgsql stable
set search_path = ''
as $$
declare
  v_place app.place := private.cursor_place(p_list, p_cursor);
begin
  if v_place.id is null then
    v_place.id := private.require_cursor(p_cursor);
  end if;
  return v_place;
end $$;
comment on function private.require_place is
  'Reads a cursor of this list, which is a place or the UUID of a row. For a UUID the time is null; for null both '
  'parts are null.';

create type app.found as (ids uuid[], next text);
comment on type app.found is
  'The result of one read of a list: up to 51 ids, one more than the largest page has. If the 400 rows that were '
  'read did not fill the page, it also has a cursor for the place of the last row, after which the next page '
  'continues.';

create procedure private.force_index_scans(p_function regproc)
language plpgsql
set search_path = ''
as $$
begin
  -- otherwise the planner reads and sorts all rows of a person if it underestimates their number
  execute format('alter function %s set enable_seqscan = off', p_function);
  execute format('alter function %s set enable_bitmapscan = off', p_function);
  execute format('alter function %s set enable_hashjoin = off', p_function);
  execute format('alter function %s set enable_mergejoin = off', p_function);
  execute format('alter function %s set enable_sort = off', p_function);
  execute format('alter function %s set enable_incremental_sort = off', p_function);
  -- otherwise the planner would, for the order of an aggregate, read a whole table that happens to be in that order
  execute format('alter function %s set enable_presorted_aggregate = off', p_function);
  -- with these settings only one plan is possible, and planning each call would take as long as running it
  execute format('alter function %s set plan_cache_mode = force_generic_plan', p_function);
end $$;
comment on procedure private.force_index_scans is
  'For migrations: from then on, whatever the planner expects, the function reads its rows in the order of an index '
  'or by id, and stops when it has enough. Its query is planned once per session.';

create function private.require_limit(p_limit integer) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if p_limit is null or p_limit not between 1 and 50 then   -- null would mean no limit
    perform private.raise_error('limit_out_of_range');
  end if;
end $$;
comment on function private.require_limit is 'Passes if the limit of a page is 1 to 50.';

create function private.page(p_items json, p_cursors text[], p_limit integer, p_next text default null) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_more boolean := cardinality(p_cursors) > p_limit;
begin
  perform private.require_limit(p_limit);
  return json_build_object(
    'items', coalesce(p_items, '[]'::json),
    'nextCursor', case when v_more then p_cursors[p_limit] else p_next end,
    'hasMore', v_more or p_next is not null);
end $$;
comment on function private.page is
  'Makes a page, {items, nextCursor, hasMore}, from its items and from the cursors, in order, of these items and of '
  'one further item. If the page is not full but p_next is given, there is a next page, which begins at p_next.';

create function private.page_of_texts(p_items text, p_cursors text[], p_limit integer, p_next text default null)
returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_more   boolean := cardinality(p_cursors) > p_limit;
  v_cursor text := case when v_more then p_cursors[p_limit] else p_next end;
begin
  perform private.require_limit(p_limit);
  return ('{"items":' || p_items || ',"nextCursor":' || coalesce(to_json(v_cursor)::text, 'null')
          || ',"hasMore":' || (v_cursor is not null) || '}')::json;
end $$;
comment on function private.page_of_texts is
  'Does the same as private.page for items in the form of a JSON array as text, which Postgres then parses only '
  'once, with the page.';

create function private.count_fitting(p_bytes integer[], p_limit integer) returns integer
language plpgsql immutable
set search_path = ''
as $$
declare
  v_left integer := 500000;
begin
  if p_limit between 1 and 50 then   -- private.page rejects any other limit
    for v_place in 1 .. least(p_limit, cardinality(p_bytes)) loop
      if v_left <= 0 then
        return v_place - 1;
      end if;
      v_left := v_left - p_bytes[v_place];
    end loop;
  end if;
  return p_limit;
end $$;
comment on function private.count_fitting is
  'The number of items of these sizes in bytes that fit on a page of p_limit. The page ends with the item that '
  'reaches half a megabyte. Otherwise a page of the 50 longest texts would have 40 MB, and the database would need '
  'a second to make it.';

create function private.require_uuid(p_text text, p_code text) returns uuid
language plpgsql stable
set search_path = ''
as $$
begin
  if pg_input_is_valid(p_text, 'uuid') is not true then
    perform private.raise_error(p_code);
  end if;
  return p_text::uuid;
end $$;
comment on function private.require_uuid is 'Reads a text that must be a UUID. Fails with p_code.';

create function private.require_card(p_code text, p_card json) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  if p_card is null then
    perform private.raise_error(p_code);
  end if;
  return p_card;
end $$;
comment on function private.require_card is
  'Returns a card that the caller may see. Fails with this code if there is no card, because the caller may not see '
  'it or it was deleted meanwhile.';

create function private.merge_objects(p_card json, p_more json) returns json
language plpgsql immutable
set search_path = ''
as $$
begin
  -- join them as text, because parsing both into jsonb and printing them takes ten times as long
  return left(p_card::text, -1) || ',' || substr(p_more::text, 2);
end $$;
comment on function private.merge_objects is
  'Merges two objects that have no field in common. Neither may be empty. The first must end without a blank, as '
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
  'Sets the ETag of this version on the response. Returns true if If-None-Match has this version; the operation '
  'must then return null (304). An operation calls this function before it makes the response.';
