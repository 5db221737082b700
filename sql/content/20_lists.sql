-- Lists of contents, newest first, for every kind.
-- docs/decisions.md, Lists; Contents.

create function private.content_place(p_id uuid, p_kind text) returns app.place
language plpgsql stable security definer   -- a cursor remains valid if its content is deleted or removed
set search_path = ''
as $$
begin
  return (
    select (c.created_at, c.id)::app.place
    from app.contents c
    cross join lateral private.visibility(c.author_id, case when c.is_draft then 3 else 0 end, c.space_id) v
    where c.id = p_id and c.kind = p_kind and v.is_addressed);
end $$;
comment on function private.content_place is
  'The place of the content in a cursor, even if it was removed, or deleted within the last day. Null if the '
  'content was never visible to the caller.';

create function private.interests_below(p_interest uuid) returns uuid[]
language plpgsql stable security definer   -- one plan for all callers
set search_path = ''
as $$
begin
  -- the tree has three levels
  return p_interest || array(
    select n.id from app.interests n where n.parent_id = p_interest
    union all
    select d.id from app.interests n join app.interests d on d.parent_id = n.id where n.parent_id = p_interest);
end $$;
comment on function private.interests_below is
  'Returns this interest, and then the interests below it. The catalog need not contain the interest.';

create function private.content_list(p_kind text, p_sort text, p_space uuid) returns text
language plpgsql immutable
set search_path = ''
as $$ begin return concat_ws(' ', p_kind, p_sort, p_space); end $$;
comment on function private.content_list is 'The name for cursors of a list of private.find_contents.';

create function private.find_contents(
  p_kind text, p_from app.place, p_space uuid, p_author uuid, p_interests uuid[], p_words text[],
  p_filters jsonb default null, p_sort text default null, p_up boolean default false, p_past integer default 0,
  p_end timestamptz default null
) returns app.found
language plpgsql stable security definer   -- a policy could make the query scan any number of hidden contents
set search_path = ''
as $$
declare
  v_me    uuid := private.require_caller();
  v_most  integer := 400 + p_past;
  v_each  integer := greatest(4, least(v_most, 4000 / greatest(1, cardinality(p_interests))));
  v_way   text := case when p_up then 'asc' else 'desc' end;
  v_walk  text;   -- the read of an index, with a placeholder for the condition of the index
  v_open  text;   -- what everybody sees, or every member of the space
  v_own   text;   -- what only the caller sees
  v_taken boolean := p_sort is null and num_nonnulls(p_space, p_author) = 0 and p_interests is not null;
  v_list  text := private.content_list(p_kind, p_sort, p_space);
  v_end   timestamptz := coalesce(p_end, case when p_up then 'infinity' else '-infinity' end::timestamptz);
  v_found app.found;
begin
  if p_sort is null then
    v_walk := '(select created_at as at, id from app.contents
                where kind = $1 and (created_at, id) < ($2, $3) and %s
                order by created_at desc, id desc limit $4)';
  else
    v_walk := format('(select at, content_id as id from private.content_places
                       where sort = $13 and (at, content_id) %1$s ($2, $3) and at %3$s $15 and %%s
                       order by at %2$s, content_id %2$s limit $4)',
                     case when p_up then '>' else '<' end, v_way, case when p_up then '<=' else '>=' end);
  end if;
  v_open := case
    when v_taken then '(select at, id from taken)'
    when p_space is not null then format(v_walk, 'space_id = $5 and space_id is not null and required_level = 0')
    when p_author is not null then format(v_walk, 'author_id = $6 and space_id is null and required_level = 0')
    else format(v_walk, 'space_id is null and required_level = 0') end;
  v_own := case when coalesce(p_author, v_me) = v_me
                then 'union all ' || format(v_walk, 'author_id = $12 and required_level = 3') end;
  -- Take the next contents of each interest. If an interest has more, these may be newer than some contents of the
  -- other interests, so the page ends at the last content taken from this interest.
  execute format($q$
    with taken as materialized (
      select e.at, e.id, e.place
      from unnest($7) n (interest_id)
      cross join lateral (
        select w.at, w.id, row_number() over () as place
        from (select created_at as at, id from app.contents
              where interest_id = n.interest_id and kind = $1 and required_level = 0 and space_id is null
                and (created_at, id) < ($2, $3)
              order by created_at desc, id desc limit $10) w) e
    ), cut as materialized (
      select at, id from taken where place = $10 order by at desc, id desc limit 1
    ), looked as materialized (
      select w.at, w.id from (%1$s %2$s) w %3$s order by w.at %4$s, w.id %4$s limit $4
    ), seen as materialized (
      select array(select l.id from looked l
                   -- look up by id, because the plan might otherwise start with all contents of the author or of the
                   -- interest
                   cross join lateral (select * from private.%7$I v where v.id = l.id offset 0) c
                   where c.space_id is not distinct from $5 %5$s
                   order by l.at %4$s, l.id %4$s offset $11 limit 51) as ids
    )
    select s.ids, case when cardinality(s.ids) < 51
                       then coalesce((select private.place_cursor($14, l.at, l.id)
                                      from (select * from looked offset $4 - 1 limit 1) l) %6$s) end
    from seen s $q$,
    v_open, v_own,
    case when v_taken then 'left join cut c on true where c.at is null or (w.at, w.id) >= (c.at, c.id)' end,
    v_way,
    concat(
      case when p_author is not null then ' and c.author_id = $6' end,
      case when p_interests is not null then ' and c.interest_id = any ($7)' end,
      case when p_words is not null then ' and $8 <@ tsvector_to_array(c.words)' end,
      case when p_filters is not null then format(' and %s(c.id, $9)', (
        select filter from private.content_kinds where kind = p_kind)) end),
    case when v_taken then ', (select private.place_cursor($14, c.at, c.id) from cut c)' end,
    -- a limit does not apply to an author or a space that the caller named
    case when num_nonnulls(p_space, p_author) = 0 then 'listed_contents' else 'visible_contents' end)
  into v_found
  using p_kind, p_from.at, p_from.id, v_most, p_space, p_author, p_interests, p_words, p_filters, v_each, p_past,
        v_me, p_sort, v_list, v_end;
  return v_found;
end $$;
comment on function private.find_contents is
  'The next contents of a kind, in a space or in none, that the caller may see, without the first p_past. Optional '
  'filters: an author, these interests, all these words, and the filter of the kind. Newest first, or in an order '
  'of private.content_places. It reads the next 400 + p_past entries of the narrowest index of contents that others '
  'see, and as many of the caller''s own contents that others don''t see; for several interests, 4000 entries in '
  'all.';
call private.force_index_scans('private.find_contents');

create function private.content_cursors(p_kind text, p_ids uuid[], p_sort text, p_space uuid) returns text[]
language plpgsql stable security definer   -- callers may not read places
set search_path = ''
as $$
begin
  if p_sort is null then
    return p_ids::text[];
  end if;
  return array(select private.place_cursor(private.content_list(p_kind, p_sort, p_space), p.at, p.content_id)
               from unnest(p_ids) with ordinality as i (id, place)
               join private.content_places p on p.content_id = i.id and p.sort = p_sort order by i.place);
end $$;
comment on function private.content_cursors is
  'The cursors of found contents. They are the ids if the list is newest first, and the places in any other order, '
  'because a deleted content has no place.';
call private.force_index_scans('private.content_cursors');

create type app.listing as (ids uuid[], cursors text[], next text);
comment on type app.listing is 'The same as app.found, with the cursor of each id. Both are inputs of private.page.';

create function private.search_contents(
  p_kind text, p_interest_id uuid, p_author_id text, p_q text, p_group_id text, p_guild_id text, p_cursor text,
  p_filters jsonb default null, p_sort text default null, p_up boolean default false,
  p_start timestamptz default null, p_past integer default 0, p_end timestamptz default null
) returns app.listing
language plpgsql stable
set search_path = ''
as $$
declare
  -- no content has this start, so any id works
  v_from   app.place := (coalesce(p_start, case when p_up then '-infinity' else 'infinity' end::timestamptz),
                         private.require_caller())::app.place;
  v_space  uuid := private.find_named_space(p_group_id, p_guild_id);
  v_author uuid := case when p_author_id is not null then private.require_person(p_author_id) end;
  v_words  text[];
  v_found  app.found := ('{}', null)::app.found;
begin
  if p_sort is not null and p_up and p_start is not null then
    v_from.id := '00000000-0000-0000-0000-000000000000';
  end if;
  if p_cursor is not null then
    v_from := private.require_place(private.content_list(p_kind, p_sort, v_space), p_cursor);
    if v_from.at is null and p_sort is null then
      v_from := private.content_place(v_from.id, p_kind);
    end if;
    if v_from.at is null then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  v_words := tsvector_to_array(private.words_in(array[p_q]));
  if (p_q is null or v_words <> '{}')   -- a search without words finds nothing
     and (v_space is null
          or exists (select from app.space_members where space_id = v_space and user_id = app.uid())) then
    v_found := private.find_contents(
      p_kind, v_from, v_space, v_author,
      case when p_interest_id is not null then private.interests_below(p_interest_id) end,
      nullif(v_words, '{}'), p_filters, p_sort, p_up, p_past, p_end);
  end if;
  return (v_found.ids, private.content_cursors(p_kind, v_found.ids, p_sort, v_space), v_found.next)::app.listing;
end $$;
comment on function private.search_contents is
  'One read of the list of a kind, with the parameters of every GET of such a list: an interest (with the interests '
  'below it), an author, words, a group or guild (nothing if the caller is not a member), and the kind''s own '
  'filters (private.content_kinds). Newest first; or in the kind''s own order, between a start and an end, with '
  'places as cursors. It skips the first p_past.';
