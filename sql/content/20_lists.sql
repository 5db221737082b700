-- Lists of contents, newest first, for every kind.
-- docs/decisions.md, Lists; Contents.

create function private.content_place(p_id uuid, p_kind text) returns app.place
language plpgsql stable security definer   -- a cursor stays good when its content is deleted or removed
set search_path = ''
as $$
begin
  return (
    select (c.created_at, c.id)::app.place from app.contents c
    where c.id = p_id and c.kind = p_kind
      and (not c.is_draft or c.author_id = app.uid())
      and private.may_meet(private.find_level(app.uid(), c.author_id))
      and (c.space_id is null or exists (select from app.space_members m
                                         where m.space_id = c.space_id and m.user_id = app.uid())));
end $$;
comment on function private.content_place is
  'The place of a cursor''s content, also of one that was deleted within the day or removed, but not of one that '
  'was never for the caller; null then.';

create function private.interests_below(p_interest uuid) returns uuid[]
language plpgsql stable security definer   -- one plan, whoever asks
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
  'An interest with those below it, first itself, which need not be in the catalog.';

create function private.find_contents(p_kind text, p_from app.place, p_past integer default 0) returns app.found
language plpgsql stable security definer   -- under the policy it would pass over hidden contents without end
set search_path = ''
as $$
declare
  v_from   timestamptz := p_from.at;   -- plain variables: an expression makes no index condition
  v_before uuid := p_from.id;
  v_most   integer := 400 + p_past;
  v_found  app.found;
begin
  with looked as materialized (
    select created_at as at, id from app.contents
    where kind = p_kind and required_level <= 3 and space_id is null and (created_at, id) < (v_from, v_before)
    order by created_at desc, id desc limit v_most
  ), seen as materialized (
    select array(select l.id from looked l join private.visible_contents c on c.id = l.id
                 order by l.at desc, l.id desc offset p_past limit 51) as ids
  )
  select s.ids, case when cardinality(s.ids) < 51
                     then (select private.place_cursor(l.at, l.id)
                           from (select * from looked offset v_most - 1 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $$;
comment on function private.find_contents is
  'The next contents of a kind that the caller may see, past so many of them, among the next 400 and as many more. '
  'Those of spaces are in the lists of their spaces.';
call private.make_walk('private.find_contents');

create function private.find_contents_about(
  p_kind text, p_interest uuid, p_from app.place, p_past integer default 0
) returns app.found
language plpgsql stable security definer   -- under the policy it would pass over hidden contents without end
set search_path = ''
as $$
declare
  v_from      timestamptz := p_from.at;   -- plain variables: an expression makes no index condition
  v_before    uuid := p_from.id;
  v_most      integer := 400 + p_past;
  v_interests uuid[] := private.interests_below(p_interest);
  v_each      integer := greatest(4, least(v_most, 4000 / cardinality(v_interests)));
  v_found     app.found;
begin
  -- of each interest the next ones. Behind the last one of an interest that has more, others of it may lie between
  -- those of the rest: so the look ends there
  with taken as materialized (
    select e.at, e.id, e.place
    from unnest(v_interests) n (interest_id)
    cross join lateral (
      select w.at, w.id, row_number() over () as place
      from (select created_at as at, id from app.contents
            where interest_id = n.interest_id and kind = p_kind and required_level <= 3 and space_id is null
              and (created_at, id) < (v_from, v_before)
            order by created_at desc, id desc limit v_each) w) e
  ), cut as materialized (
    select at, id from taken where place = v_each order by at desc, id desc limit 1
  ), looked as materialized (
    select t.at, t.id from taken t left join cut c on true
    where c.at is null or (t.at, t.id) >= (c.at, c.id)
    order by t.at desc, t.id desc limit v_most
  ), seen as materialized (
    select array(select l.id from looked l join private.visible_contents c on c.id = l.id
                 order by l.at desc, l.id desc offset p_past limit 51) as ids
  )
  select s.ids, case when cardinality(s.ids) < 51
                     then coalesce((select private.place_cursor(l.at, l.id)
                                    from (select * from looked offset v_most - 1 limit 1) l),
                                   (select private.place_cursor(c.at, c.id) from cut c)) end
  into v_found from seen s;
  return v_found;
end $$;
comment on function private.find_contents_about is
  'As private.find_contents, of an interest and those below it, among the next 4000 of all of them together.';
call private.make_walk('private.find_contents_about');

create function private.list_contents_at(p_kind text, p_interest uuid, p_from app.place, p_past integer default 0)
returns app.found
language plpgsql stable
set search_path = ''
as $$
begin
  if p_interest is null then
    return private.find_contents(p_kind, p_from, p_past);
  end if;
  return private.find_contents_about(p_kind, p_interest, p_from, p_past);
end $$;
comment on function private.list_contents_at is
  'A look at the list of a kind: all, or those about an interest and what is below it.';

create function private.find_contents_by(p_kind text, p_author uuid) returns uuid[]
language plpgsql stable security definer   -- under the policy it would pass over hidden contents without end
set search_path = ''
as $$
begin
  return array(
    select l.id
    from (select created_at as at, id from app.contents
          where author_id = p_author and kind = p_kind
          order by created_at desc, id desc limit 400) l
    join private.visible_contents c on c.id = l.id
    order by l.at desc, l.id desc limit 30);
end $$;
comment on function private.find_contents_by is
  'The latest 30 contents of a kind by a person that the caller may see, among the latest 400.';
call private.make_walk('private.find_contents_by');
