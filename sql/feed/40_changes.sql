-- The things that a client may have stored and that have changed, or can no longer be seen, for clients that catch up.
-- docs/decisions.md, Feed.

insert into private.errors (code, status, text) values
  ('sync_too_old', 410, 'This cursor is older than 30 days. Discard what you hold, and begin without a cursor.');

create function private.find_changes(p_after text) returns json
language plpgsql stable security definer   -- callers may not read changes
set search_path = ''
as $$
declare
  v_from    app.place := private.page_start('changes', p_after);
  v_at      timestamptz := v_from.at;   -- plain variables, so that the planner can use the index
  v_id      uuid := v_from.id;
  -- a change that was noted earlier may not be committed yet
  v_settled timestamptz := clock_timestamp() - interval '10 seconds';
  v_sources text[];
  v_ids     uuid[];
  v_levels  smallint[];
  v_times   timestamptz[];
  v_next    app.place;
  v_finder  record;
  v_some    app.change[];
  v_found   app.change[] := '{}';
begin
  if v_at < now() - interval '30 days' then
    perform private.raise_error('sync_too_old');
  end if;
  select array_agg(c.source), array_agg(c.thing_id), array_agg(c.level), array_agg(c.changed_at)
  into v_sources, v_ids, v_levels, v_times
  from (select source, thing_id, level, changed_at from private.changes
        where (changed_at, thing_id) > (v_at, v_id)
        order by changed_at, thing_id limit 400) c;
  v_next := case when v_times[400] < v_settled then (v_times[400], v_ids[400])::app.place
                 else greatest((v_settled, '00000000-0000-0000-0000-000000000000')::app.place, v_from) end;
  for v_finder in
    select s.finder, c.ids, c.levels
    from private.change_sources s
    cross join lateral (
      select array_agg(u.id order by u.place) as ids, array_agg(u.level order by u.place) as levels
      from unnest(v_sources, v_ids, v_levels) with ordinality as u (source, id, level, place)
      where u.source = s.source) c
    where c.ids is not null
    order by s.source
  loop
    execute format('select array_agg(f) from %s($1, $2) f', v_finder.finder) into v_some
      using v_finder.ids, v_finder.levels;
    v_found := v_found || v_some;
  end loop;
  return json_build_object(
    'items', coalesce((
      select json_agg(json_build_object('type', f.type, 'id', f.id, 'gone', f.gone) order by f.place)
      from (select u.type, u.id, u.gone, max(array_position(v_ids, u.id)) as place
            from unnest(v_found) u group by u.type, u.id, u.gone) f), '[]'),
    'nextCursor', private.place_cursor('changes', v_next.at, v_next.id),
    'hasMore', coalesce(v_times[400] < v_settled, false));
end $$;
comment on function private.find_changes is
  'The next 400 changes after a cursor, the oldest first, except those of which the caller may not learn: {items '
  '[{type, id, gone}], nextCursor, hasMore}. The next call lists changes of the last ten seconds again, because '
  'earlier changes may be committed after these.';
call private.force_index_scans('private.find_changes');

create function api.list_changes(p_after text default null) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.require_caller();
  if p_after is null then
    return json_build_object(
      'items', '[]'::json,
      'nextCursor', private.place_cursor('changes', clock_timestamp() - interval '10 seconds',
                                         '00000000-0000-0000-0000-000000000000'),
      'hasMore', false);
  end if;
  return private.find_changes(p_after);
end $$;
comment on function api.list_changes is
  'Which of the things that the caller may have stored have changed since a cursor of this list: {items [{type, id, '
  'gone}], nextCursor, hasMore}. Without a cursor it has no items, only the cursor to begin with.';
