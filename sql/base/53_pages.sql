-- How operations answer a time, a list, an object of two parts, and a client that has the answer in its cache.

create function private.utc(p_time timestamptz) returns text
language plpgsql stable strict
set search_path = ''
as $$
begin
  return to_char(p_time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
end $$;
comment on function private.utc is
  'A time as every answer has it: UTC with milliseconds and Z. Null where there is none, or no end.';

create function private.calendar_end() returns timestamptz
language plpgsql immutable parallel safe
set search_path = ''
as $$
begin
  return timestamptz '9999-12-31 00:00:00+00';
end $$;
comment on function private.calendar_end is
  'What people plan lies before: later it would have five digits of a year on some clock, or be no moment at all.';

create function private.is_ahead(p_time timestamptz) returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  return (p_time > now() and p_time < private.calendar_end()) is true;
end $$;
comment on function private.is_ahead is 'Whether a time can be planned: in the future, and before the year 9999 ends.';

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

-- A list reads its rows by an index, of which the caller may not see all, and nobody may have to wait while thousands
-- of them are passed over. So a page looks at no more than 400 rows. When they end before the page is full it is
-- short, and the next one goes on behind the last row that was looked at, which may be one that the caller must not
-- know of: its cursor is a place.
-- docs/limits.md; docs/decisions.md, Lists.

create type app.place as (at timestamptz, id uuid);
comment on type app.place is 'A place in a list that goes by time, then id. It need not be that of a row.';

create table private.place_key (
  key uuid not null default gen_random_uuid()
);
create unique index place_key_one_row_idx on private.place_key ((true));
comment on table private.place_key is
  'One row, made with the schema: the secret under which cursors hide the id of the row that was looked at last.';
insert into private.place_key default values;

create function private.masked_place(p_at text, p_id text) returns text
language plpgsql stable security definer   -- nobody may read the key
set search_path = ''
as $$
declare
  v_mask text := encode(sha256(convert_to((select key from private.place_key) || p_at, 'UTF8')), 'hex');
begin
  return lpad(to_hex((('x' || p_id)::bit(60) # ('x' || left(v_mask, 15))::bit(60))::bigint), 15, '0');
end $$;
comment on function private.masked_place is
  'Hides, or shows again, the 15 hexadecimal digits of an id beside a moment. The mask is that of the moment: whoever '
  'has a cursor learns nothing of the id, which may be that of a hidden person.';

create function private.place_cursor(p_at timestamptz, p_id uuid) returns uuid
language plpgsql stable
set search_path = ''
as $$
declare
  -- microseconds since 1970 in 60 bits, which end in the year 38503, and the first 60 bits of the id
  v_us bigint := floor(least(greatest(extract(epoch from p_at) * 1000000, 0), (1::bigint << 60) - 1));
  v_at text := lpad(to_hex(v_us), 15, '0');
begin
  return (left(v_at, 12) || '8' || right(v_at, 3) || '8'
          || private.masked_place(v_at, left(translate(p_id::text, '-', ''), 15)))::uuid;
end $$;
comment on function private.place_cursor is
  'A cursor for a place, which names no row: a UUID of version 8 with the moment in microseconds and, masked, the '
  'first 60 bits of the id. See private.cursor_place.';

create function private.cursor_place(p_cursor uuid, p_up boolean default false) returns app.place
language plpgsql stable
set search_path = ''
as $$
declare
  v_hex text := translate(p_cursor::text, '-', '');
  v_at  text := left(v_hex, 12) || substr(v_hex, 14, 3);
  v_us  bigint;
begin
  if (substr(v_hex, 13, 1) = '8' and substr(v_hex, 17, 1) = '8') is not true then
    return null;
  end if;
  v_us := ('x0' || v_at)::bit(64)::bigint;
  -- whole seconds and the rest, since an interval is multiplied by a float
  return (timestamptz 'epoch' + v_us / 1000000 * interval '1 second' + v_us % 1000000 * interval '1 microsecond',
          private.masked_place(v_at, right(v_hex, 15))
            || case when p_up then 'fffffffffffffffff' else '00000000000000000' end)::app.place;
end $$;
comment on function private.cursor_place is
  'The place in a cursor of private.place_cursor; null for any other. The missing bits of the id are zeros, or with '
  'p_up ones: in a list that goes down the rows before it come next, in one that goes up those behind it.';

create type app.rank_place as (rank integer, id uuid);
comment on type app.rank_place is 'A place in a list that goes down by a number, then by an id of private.timed_id.';

create function private.rank_cursor(p_rank integer, p_id uuid) returns uuid
language plpgsql stable
set search_path = ''
as $$
declare
  v_rank text := lpad(to_hex(p_rank + 2147483648), 8, '0');
  v_id   text := overlay(translate(p_id::text, '-', '') placing '' from 13 for 1);   -- the version says nothing
  v_head text := left(v_id, 15);
  v_tail text := left(private.masked_place(v_rank || v_head, rpad(substr(v_id, 16, 7), 15, '0')), 7);
begin
  -- many have the same rank, and one known id must not be the key to the others: each half masks the other
  return (v_rank || left(v_tail, 4) || '8' || right(v_tail, 3) || '8'
          || private.masked_place(v_rank || v_tail, v_head))::uuid;
end $$;
comment on function private.rank_cursor is
  'As private.place_cursor, where a number stands before an id that begins with its time: the number, and masked all '
  'of the time and 38 bits behind it, so that no two of one millisecond are the same place.';

create function private.cursor_rank(p_cursor uuid) returns app.rank_place
language plpgsql stable
set search_path = ''
as $$
declare
  v_hex  text := translate(p_cursor::text, '-', '');
  v_rank text := left(v_hex, 8);
  v_tail text := substr(v_hex, 9, 4) || substr(v_hex, 14, 3);
  v_head text;
begin
  if (substr(v_hex, 13, 1) = '8' and substr(v_hex, 17, 1) = '8') is not true then
    return null;
  end if;
  v_head := private.masked_place(v_rank || v_tail, right(v_hex, 15));
  v_tail := left(private.masked_place(v_rank || v_head, rpad(v_tail, 15, '0')), 7);
  return ((('x0' || v_rank)::bit(36)::bigint - 2147483648)::integer,
          rpad(left(v_head, 12) || '7' || right(v_head, 3) || v_tail, 32, '0'))::app.rank_place;
end $$;
comment on function private.cursor_rank is
  'The place in a cursor of private.rank_cursor; null for any other. The missing bits of the id are zeros.';

create type app.found as (ids uuid[], next uuid);
comment on type app.found is
  'What one look at a list found: up to 51 ids, which are one more than the largest page, and when all its 400 rows '
  'did not fill the page, the place of the last one, from which the next page goes on.';

create procedure private.make_walk(p_function regproc)
language plpgsql
set search_path = ''
as $$
begin
  -- for many rows of one person, of which the planner expects few, it would rather read and sort them all
  execute format('alter function %s set enable_seqscan = off', p_function);
  execute format('alter function %s set enable_bitmapscan = off', p_function);
  execute format('alter function %s set enable_hashjoin = off', p_function);
  execute format('alter function %s set enable_mergejoin = off', p_function);
  execute format('alter function %s set enable_sort = off', p_function);
  execute format('alter function %s set enable_incremental_sort = off', p_function);
  -- or the order of an aggregate would have it walk a whole table that happens to be in that order
  execute format('alter function %s set enable_presorted_aggregate = off', p_function);
  -- there is one such plan, and making it at every call would cost as much as running it
  execute format('alter function %s set plan_cache_mode = force_generic_plan', p_function);
end $$;
comment on procedure private.make_walk is
  'For migrations: from then on the function finds its rows one by one, in the order of an index or by their ids, and '
  'stops when it has enough, whatever the planner believes. It is planned once a session.';

create function private.page(p_items json, p_cursors text[], p_limit integer, p_next uuid default null) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_more boolean := cardinality(p_cursors) > p_limit;
begin
  if p_limit is null or p_limit not between 1 and 50 then   -- null would be a list without end
    perform private.fail('limit_out_of_range');
  end if;
  return json_build_object(
    'items', coalesce(p_items, '[]'::json),
    'nextCursor', case when v_more then p_cursors[p_limit] else p_next::text end,
    'hasMore', v_more or p_next is not null);
end $$;
comment on function private.page is
  'Makes a page, {items, nextCursor, hasMore}, of its items and of the cursors of one item more than the page, in '
  'order. With p_next a page that is not full has a next one nevertheless, which goes on from there. Fails: '
  'limit_out_of_range.';

create function private.require_card(p_code text, p_card json) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  if p_card is null then
    perform private.fail(p_code);
  end if;
  return p_card;
end $$;
comment on function private.require_card is
  'A card that the caller may see. Fails with this code where there is none: it was never for them, or it went '
  'meanwhile.';

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
