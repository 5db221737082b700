-- The search by words over all types in the registry, newest block of time first. docs/decisions.md, Discovery.

create type private.search_run as (types text[], ids uuid[], numbers bigint[], ranks real[]);
comment on type private.search_run is
  'The documents that were found, in order: their types, ids, numbers and ranks.';

create function private.visible_documents(p_types text[], p_ids uuid[]) returns uuid[]
language plpgsql stable
set search_path = ''
as $$
declare
  v_type private.search_types;
  v_some uuid[];
  v_seen uuid[] := '{}';
begin
  for v_type in select t.* from private.search_types t where t.type = any (p_types) loop
    execute format('select array(select v.id from unnest($1) u (id) join %s v on v.id = u.id)', v_type.visible)
    into v_some
    using array(select u.id from unnest(p_types, p_ids) as u (type, id) where u.type = v_type.type);
    v_seen := v_seen || v_some;
  end loop;
  return v_seen;
end $$;
comment on function private.visible_documents is
  'Returns the ids of the things that the caller may see, according to the view of their type.';
call private.force_index_scans('private.visible_documents');

create function private.search_blocks(
  p_query private.search_query, p_types text[], p_leads private.search_lead[], p_people private.search_run,
  p_low bigint, p_before bigint
) returns private.search_run
language plpgsql stable
set search_path = ''
as $$
declare
  v_types  text[];
  v_ids    uuid[];
  v_nums   bigint[];
  v_seen   uuid[];
  v_run    private.search_run;
  v_single boolean := cardinality(p_query.words) = 1;
begin
  select array_agg(d.type), array_agg(d.id), array_agg(d.number) into v_types, v_ids, v_nums
  from unnest(p_leads) l
  cross join lateral (
    select s.number from private.search_words s
    where s.scope = l.scope and s.word = l.word and s.number >= p_low and s.number < p_before
    order by s.number desc) n
  cross join lateral (select o.number, o.type, o.id, o.interests, o.words from private.search_documents o
                      where o.number = n.number offset 0) d
  where d.type = any (p_types) and (p_query.interests is null or d.interests && p_query.interests)
    -- first check whether the document contains the other words, because this is cheaper than checking whether it is
    -- visible
    and (v_single or d.words @@ p_query.ranking);
  v_seen := private.visible_documents(v_types, v_ids);
  -- search only documents that the caller may see for phrases, and rank only these
  select array_agg(f.type), array_agg(f.id), array_agg(f.number), array_agg(f.rank)
  into v_run.types, v_run.ids, v_run.numbers, v_run.ranks
  from (select m.* from (
    select u.type, u.id, u.number, ts_rank(coalesce(d.ranked, d.words), p_query.ranking) as rank
    from unnest(v_types, v_ids, v_nums) as u (type, id, number)
    join unnest(v_seen) s (id) on s.id = u.id
    cross join lateral (select o.words, o.ranked from private.search_documents o
                        where o.number = u.number offset 0) d
    where d.words @@ p_query.query and (p_query.without is null or not d.words @@ p_query.without)
    union all
    select p.type, p.id, p.number, p.rank
    from unnest(p_people.types, p_people.ids, p_people.numbers, p_people.ranks) as p (type, id, number, rank)
    where p.number >= p_low and p.number < p_before) m
    order by m.number / 500 desc, m.rank desc, m.number desc) f;
  return v_run;
end $$;
comment on function private.search_blocks is
  'Searches whole blocks, from number p_low to before p_before. Returns the documents that have the words of '
  'p_leads, match the query and are visible to the caller, and those of p_people whose numbers are in these blocks. '
  'The calling function has checked that p_people are visible. Documents that the caller may not see, for example '
  'because one of two people has blocked the other, are neither searched for phrases nor ranked.';
call private.force_index_scans('private.search_blocks');
-- these settings are for joining the found documents with the visible ones
alter function private.search_blocks set enable_hashjoin = on;
alter function private.search_blocks set enable_sort = on;

create function private.require_search_cursor(p_type text, p_id text) returns private.search_documents
language plpgsql stable security definer   -- a cursor stays valid when the thing that it names is deleted
set search_path = ''
as $$
declare
  v_id       uuid;
  v_met      boolean;
  v_visible  regclass := (select t.visible from private.search_types t where t.type = p_type);
  v_document private.search_documents;
begin
  if p_type = 'person' then
    v_id := private.find_person(p_id);
    v_met := private.may_meet(private.find_level(app.uid(), v_id));
  elsif pg_input_is_valid(p_id, 'uuid') then
    v_id := p_id::uuid;
    if p_type = 'post' then
      v_met := private.find_post_time(v_id) is not null;
    elsif exists (select from private.content_kinds where kind = p_type) then
      v_met := (private.content_place(v_id, p_type)).at is not null;
    elsif v_visible is not null then   -- things of these types are never deleted
      execute format('select exists (select from %s v where v.id = $1)', v_visible) into v_met using v_id;
    end if;
  end if;
  if v_met then
    select * into v_document from private.search_documents where type = p_type and id = v_id;
  end if;
  if v_document.number is null then
    perform private.raise_error('cursor_unknown');
  end if;
  return v_document;
end $$;
comment on function private.require_search_cursor is
  'Returns the document that the cursor names, even if it was deleted, but not one that the caller could never see.';

create type private.search_page as (run private.search_run, next text);
comment on type private.search_page is
  'Up to 51 results and, if the search stopped before it had 51, the cursor from which it continues.';

create function private.find_by_words(p_query private.search_query, p_type text, p_cursor text)
returns private.search_page
language plpgsql stable security definer   -- callers may not read the index; returns only what the caller may see
set search_path = ''
as $$
declare
  v_before   bigint := 9223372036854775000;
  v_low      bigint;
  v_each     integer;
  v_cursor   private.search_documents;
  v_rank     real := 'infinity';
  v_types    text[] := array(select t.type from private.search_types t
                             where t.type <> 'person' and (p_type is null or t.type = p_type));
  v_leads    private.search_lead[];
  v_people   private.search_run;
  v_looked   integer := 0;
  v_run      private.search_run;
  v_page     private.search_page;
begin
  if strpos(p_cursor, ':') = 0 then
    v_before := (private.open_cursor('search', p_cursor)).rank;
    if v_before is null then
      perform private.raise_error('cursor_unknown');
    end if;
  elsif p_cursor is not null then
    v_cursor := private.require_search_cursor(
      split_part(p_cursor, ':', 1), substr(p_cursor, strpos(p_cursor, ':') + 1));
    v_before := (v_cursor.number / 500 + 1) * 500;
  end if;
  if p_query.query is null then
    return v_page;   -- without a word nothing is found
  end if;
  if coalesce(p_type, 'person') = 'person' and p_query.interests is null then
    select array_agg(d.type), array_agg(d.id), array_agg(d.number), array_agg(n.likeness)
    into v_people.types, v_people.ids, v_people.numbers, v_people.ranks
    from private.find_names(p_query.said) n
    cross join lateral (select o.* from private.search_documents o
                        where o.type = 'person' and o.id = n.id offset 0) d
    where d.number < v_before and d.gone_at is null
      -- a search over all types finds only very similar names
      and (p_type = 'person' or n.likeness >= 0.5)
      and (p_query.without is null or not d.words @@ p_query.without);
  end if;
  -- otherwise the page begins with the whole block again
  if v_cursor.number is not null and v_cursor.gone_at is null then
    v_rank := case v_cursor.type
      when 'person' then (select u.rank from unnest(v_people.ids, v_people.ranks) as u (id, rank)
                          where u.id = v_cursor.id)
      else ts_rank(coalesce(v_cursor.ranked, v_cursor.words), p_query.ranking) end;
    v_rank := coalesce(v_rank, 'infinity');
  end if;
  v_leads := private.search_leads(private.search_scopes(v_types), p_query.words, v_before);
  v_each := greatest(2, least(100, 400 / greatest(cardinality(v_leads), 1)));
  loop
    -- read whole blocks, down to the position at which the longest list has v_each entries
    select max(n.number) into v_low
    from unnest(v_leads) l
    cross join lateral (
      select s.number from private.search_words s
      where s.scope = l.scope and s.word = l.word and s.number < v_before
      order by s.number desc offset v_each - 1 limit 1) n;
    v_looked := v_looked + v_each * cardinality(v_leads);
    if v_low is null then
      v_low := 0;
    else
      v_low := (v_low / 500 + 1) * 500;
      if v_low >= v_before then
        v_low := (v_before - 1) / 500 * 500;
        v_looked := v_looked + 500;
      end if;
    end if;
    v_run := private.search_blocks(p_query, v_types, v_leads, v_people, v_low, v_before);
    if v_rank < 'infinity' then
      select array_agg(u.type), array_agg(u.id), array_agg(u.number), array_agg(u.rank)
      into v_run.types, v_run.ids, v_run.numbers, v_run.ranks
      from unnest(v_run.types, v_run.ids, v_run.numbers, v_run.ranks) with ordinality
        as u (type, id, number, rank, place)
      where u.number / 500 < v_cursor.number / 500 or (u.rank, u.number) < (v_rank, v_cursor.number);
    end if;
    v_page.run := ((v_page.run).types || (v_run.types)[:51], (v_page.run).ids || (v_run.ids)[:51],
                    null, null)::private.search_run;
    v_before := v_low;
    exit when v_low = 0 or cardinality((v_page.run).ids) > 50 or v_looked >= 1200;
  end loop;
  if v_low > 0 and coalesce(cardinality((v_page.run).ids), 0) < 51 then
    v_page.next := private.seal_cursor('search', v_low, '00000000-0000-0000-0000-000000000000');
  end if;
  return v_page;
end $$;
comment on function private.find_by_words is
  'Returns the next things of a type (null for all types) that match the query and that the caller may see. It '
  'searches whole blocks until it has 51 results or has read 1200 entries of lists.';
call private.force_index_scans('private.find_by_words');

create function private.search_cards(p_type text, p_ids uuid[], p_highlight tsquery)
returns table (id uuid, card jsonb)
language plpgsql stable security definer   -- the calling function has checked that they are visible
set search_path = ''
as $$
declare
  v_type private.search_types;
begin
  select * into v_type from private.search_types t where t.type = p_type;
  return query execute format($q$
    select c.id, c.card::jsonb || jsonb_build_object(
             'type', $2, 'title', t.title, 'excerpt', private.excerpt(t.body, $3))
    from (select ($1)[u.place] as id, u.card
          from json_array_elements(%s($1)) with ordinality as u (card, place)) c
    join %s($1) t on t.id = c.id $q$, v_type.cards, v_type.texts)
  using p_ids, p_type, p_highlight;
end $$;
comment on function private.search_cards is
  'Returns the results of one type: the card of each with {type, title, excerpt}.';
call private.force_index_scans('private.search_cards');

create function private.excerpt(p_body text, p_highlight tsquery) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  v_body    text := coalesce(left(p_body, 5000), '');
  v_from    integer := 1;
  v_part    text;
  v_excerpt text;
  v_first   text;
begin
  -- the time of ts_headline grows with the square of the length, so it gets one piece of the text at a time until
  -- there is a hit
  loop
    v_part := private.parsable(substr(v_body, v_from, 600));
    if v_from > 1 then
      v_part := regexp_replace(v_part, '^\S+\s', '');
    end if;
    if v_from + 600 <= length(v_body) then
      v_part := regexp_replace(v_part, '\s\S+$', '');
    end if;
    -- mark hits by characters that no text contains, because the text around them is not yet HTML
    v_excerpt := ts_headline('private.search', v_part, p_highlight,
      e'StartSel=\u0002, StopSel=\u0003, MaxFragments=2, MaxWords=30, MinWords=10, ShortWord=0, '
      'FragmentDelimiter=" … "');
    v_first := coalesce(v_first, v_excerpt);
    exit when strpos(v_excerpt, e'\u0002') > 0;
    v_excerpt := v_first;
    v_from := v_from + 500;   -- pieces overlap, because a phrase may cross a border
    exit when v_from + 100 > length(v_body);
  end loop;
  return replace(replace(replace(replace(replace(private.swap_punctuation(v_excerpt, true),
    '&', '&amp;'), e'\u0004', '&lt;'), e'\u0005', '&gt;'), e'\u0002', '<mark>'), e'\u0003', '</mark>');
end $$;
comment on function private.excerpt is
  'Returns the parts of a text around the hits, as HTML: hits are marked, and everything else is escaped. The parts '
  'are from the first piece of 600 characters with a hit, or else from the beginning.';

create function private.search_items(p_page private.search_page, p_highlight tsquery, p_limit integer) returns json
language plpgsql stable security definer   -- the calling function has checked that they are visible
set search_path = ''
as $$
declare
  v_types text[] := ((p_page.run).types)[:p_limit];
  v_ids   uuid[] := ((p_page.run).ids)[:p_limit];
begin
  return (
    select private.page(
             json_agg(c.card order by i.place),
             coalesce(array_agg(i.type || ':' || (c.card ->> 'id') order by i.place), '{}')
             || array(select 'more' where cardinality((p_page.run).ids) > p_limit),
             p_limit, p_page.next)
    from unnest(v_types, v_ids) with ordinality as i (type, id, place)
    join (select f.type, k.id, k.card
          from (select u.type, array_agg(u.id) as ids from unnest(v_types, v_ids) as u (type, id) group by u.type) f
          cross join lateral private.search_cards(f.type, f.ids, p_highlight) k) c
      on c.type = i.type and c.id = i.id);
end $$;
comment on function private.search_items is
  'Returns a page of results: the card of each with {type, id, title, excerpt}. The cursor is type:id.';

create function api.search(
  p_q text, p_type text default null, p_interest_id uuid default null, p_limit integer default 20,
  p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_query private.search_query := private.read_query(p_q, private.interest_subtree(p_interest_id));
begin
  perform private.require_limit(p_limit);   -- reject a wrong limit before the search
  perform private.take_search_turn();
  return private.search_items(private.find_by_words(v_query, p_type, p_cursor), v_query.highlight, p_limit);
end $$;
comment on function api.search is
  'Searches posts, people, groups, guilds, wiki entries and contents by words. The newest block of time comes first, '
  'and within a block the best match.';
