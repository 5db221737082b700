-- Staff lists rows newest first, with the filters that an operation names. Each list is a view private.staff_<list>.
-- docs/decisions.md, Staff; Lists.

create function private.staff_page(
  p_list text, p_filters json, p_by text[], p_q text, p_since timestamptz, p_until timestamptz, p_limit integer,
  p_cursor text, p_key text default null
) returns json
language plpgsql stable security definer   -- staff sees more than any policy allows
set search_path = ''
as $$
declare
  v_view   text := format('private.%I', 'staff_' || p_list);   -- the prefix keeps p_list from naming another relation
  v_cursor uuid := private.require_cursor(p_cursor);
  v_times  text := format('l.at < %L and l.at >= %L', coalesce(p_until, 'infinity'), coalesce(p_since, '-infinity'));
  v_behind text := 'true';
  v_walk   text;
  v_first  text;
  v_fits   text;
  v_ids    uuid[];
  v_next   uuid;
  v_items  json;
begin
  perform private.require_role('moderator', 'admin');
  -- use literals and not parameters, so that the planner can use a partial index
  if v_cursor is not null then
    if p_key is null then
      execute format($q$ select format('(l.at, l.id) < (%%L, %%L)', l.at, l.id) from %s l where l.id = %L $q$,
                     v_view, v_cursor) into v_behind;
    else
      execute format($q$ select format('l.%%I < %%L', %2$L, l.%2$I) from %1$s l where l.id = %3$L $q$,
                     v_view, p_key, v_cursor) into v_behind;
    end if;
    if v_behind is null then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  select coalesce(string_agg(format('l.%I = %L', f.key, f.value), ' and '), 'true') into v_fits
  from json_each_text(p_filters) f where f.value is not null;

  if pg_input_is_valid(p_q, 'uuid') then
    execute format('select array(select l.id from %s l where l.id = %L and %s and %s and %s)',
                   v_view, p_q, v_behind, v_times, v_fits)
      into v_ids;
  else
    -- Order by the filter first, and write = any instead of =. With =, the planner could scan the index of the whole
    -- list, and read all of it if the rows that match are at its end. A filter that is true or false has a partial
    -- index.
    select case when f.is_flag then format('l.%I = %L', f.name, f.value)
                else format('l.%I = any (%L)', f.name, array[f.value]) end,
           case when not f.is_flag then format('l.%I, ', f.name) end
    into v_walk, v_first
    from (select b.name, b.place, p_filters ->> b.name as value,
                 json_typeof(p_filters -> b.name) = 'boolean' as is_flag
          from unnest(p_by) with ordinality b (name, place)) f
    where f.value is not null order by f.place limit 1;
    v_walk := coalesce(v_walk, 'true');
    if p_key is null then
      v_walk := v_walk || ' and ' || v_times;
    else
      v_fits := v_fits || ' and ' || v_times;   -- if the list has another order, no index has these rows side by side
    end if;
    if p_q is not null then
      v_fits := v_fits || format(' and strpos(lower(l.said), lower(%L)) > 0', p_q);
    end if;
    execute format($q$
      with looked as materialized (
        select l.id, %s as fits from %s l where %s and %s order by %s limit 400
      ), seen as materialized (
        select array(select id from looked where fits limit 51) as ids
      )
      select ids, case when cardinality(ids) < 51 then (select id from looked offset 399 limit 1) end from seen
      $q$, v_fits, v_view, v_behind, v_walk,
                   concat(v_first, case when p_key is null then 'l.at desc, l.id desc'
                                        else format('l.%I desc', p_key) end))
      into v_ids, v_next;
  end if;
  execute format('select json_agg(l.card order by p.place) from unnest($1) with ordinality p (id, place)
                  join %s l on l.id = p.id', v_view)
    into v_items using v_ids[:p_limit];
  return private.page(v_items, v_ids::text[], p_limit, v_next::text);
end $$;
comment on function private.staff_page is
  'A page of private.staff_<list>, a view with at, id, said (the text that p_q searches), card and a column for '
  'each filter. It reads the next 400 rows that match the first filter of p_by that is not null; this filter must '
  'have an index in the order of the list. Of these rows it returns those between the two times that match all '
  'other filters that are not null and contain p_q in their text. If p_q is a UUID, it looks only at the row with '
  'this id. p_key is the column that orders the list, if that is not the time. The cursor of a short page is the '
  'last row that was read, because nothing is hidden from staff.';
call private.force_index_scans('private.staff_page');

create function private.staff_card(p_list text, p_id uuid) returns json
language plpgsql stable security definer   -- staff sees more than any policy allows
set search_path = ''
as $$
declare
  v_card json;
begin
  perform private.require_role('moderator', 'admin');
  execute format('select card from private.%I where id = $1', 'staff_' || p_list) into v_card using p_id;
  return v_card;
end $$;
comment on function private.staff_card is 'One row of a list as staff sees it; null if there is no such row.';

create function private.require_any_person(p_person text) returns uuid
language plpgsql stable
set search_path = ''
as $$
declare
  v_id uuid := private.find_person(p_person);
begin
  if v_id is null and pg_input_is_valid(p_person, 'uuid') then
    v_id := p_person::uuid;
  end if;
  if not exists (select from app.users u where u.id = v_id and u.erased_at is null) then
    perform private.raise_error('person_unknown');
  end if;
  return v_id;
end $$;
comment on function private.require_any_person is
  'Finds a person for staff, even a banned one, by UUID, actor id or username. Fails: person_unknown (also if '
  'erased).';

create function private.find_staff_person(p_person text) returns uuid
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.require_role('moderator', 'admin');
  if p_person is null then
    return null;
  end if;
  return private.require_any_person(p_person);
end $$;
comment on function private.find_staff_person is
  'Returns the id of the person by whom staff filters a list; null if p_person is null.';
