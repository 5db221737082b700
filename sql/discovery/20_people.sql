-- Operations that find people: mentors, people by name, suggested people, and talent. docs/decisions.md, Discovery.

create function private.find_mentors(p_interests uuid[], p_gap integer, p_after app.connection_intents)
returns table (id uuid, gap integer, interest_id uuid)
language plpgsql stable security definer   -- checks each person once: see private.visible_people
set search_path = ''
as $$
declare
  v_me    uuid := app.uid();
  v_after uuid := (p_after).user_id;
  v_at    timestamptz := (p_after).created_at;
  -- The gap is 5 if the person of the cursor no longer qualifies. Then people may be listed twice, but nobody is left
  -- out.
  v_gap   integer := (select coalesce(max(t.expertise - m.expertise), 5)
                      from app.user_interests m
                      join app.user_interests t on t.user_id = v_after and t.interest_id = m.interest_id
                      where m.user_id = v_me and m.interest_id = any (p_interests)
                        and t.expertise - m.expertise >= p_gap);
begin
  return query
  select b.id, b.gap, b.interest_id
  from (select m.user_id as id, m.placed_at, max(t.expertise - c.expertise)::integer as gap,
               (array_agg(m.interest_id order by t.expertise - c.expertise desc, m.interest_id))[1] as interest_id
        from private.match_by_interest('mentor', p_interests) m
        join app.user_interests c on c.user_id = v_me and c.interest_id = m.interest_id
        join app.user_interests t on t.user_id = m.user_id and t.interest_id = m.interest_id
        where m.user_id <> v_me and t.expertise - c.expertise >= p_gap
        group by m.user_id, m.placed_at) b
  join private.listed_people p on p.id = b.id
  where v_after is null or (-b.gap, b.placed_at, b.id) > (-v_gap, v_at, v_after)
  order by b.gap desc, b.placed_at, b.id limit 51;
end $$;
comment on function private.find_mentors is
  'Returns the next mentors whose expertise in one of these interests exceeds the caller''s by at least this gap, '
  'each with the widest gap and its interest. People with the widest gap come first, then people who have waited '
  'longest. It chooses from the people that private.match_by_interest returns.';
call private.force_index_scans('private.find_mentors');

create function private.mentor_fields(p_ids uuid[], p_gaps integer[], p_interests uuid[]) returns json[]
language plpgsql stable security definer   -- reads intents of people whom its caller has found visible
set search_path = ''
as $$
begin
  return array(
    select json_build_object(
             'note', c.note,
             'expertiseGap', i.gap,
             'interest', json_build_object('id', n.id, 'slug', n.slug, 'name', n.name, 'accentColor', n.accent_color))
    from unnest(p_ids, p_gaps, p_interests) with ordinality as i (id, gap, interest_id, place)
    join app.connection_intents c on c.user_id = i.id
    join app.interests n on n.id = i.interest_id
    order by i.place);
end $$;
comment on function private.mentor_fields is
  'The fields that a mentor''s card adds to the person''s: {note, expertiseGap, interest}.';
call private.force_index_scans('private.mentor_fields');

create function api.list_mentors(
  p_interest_slug text default null, p_min_expertise_gap integer default 2, p_limit integer default 20,
  p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_interest uuid := private.find_interest(p_interest_slug);
  v_mine     uuid[] := private.chosen_interests();
  v_ids      uuid[];
  v_gaps     integer[];
  v_where    uuid[];
begin
  if v_interest is not null then
    v_mine := case when v_interest = any (v_mine) then array[v_interest] else '{}' end;
  end if;
  select array_agg(m.id), array_agg(m.gap), array_agg(m.interest_id) into v_ids, v_gaps, v_where
  from private.find_mentors(v_mine, least(greatest(coalesce(p_min_expertise_gap, 2), 1), 4),
                            private.require_match_cursor(p_cursor)) m;
  return private.match_page(v_ids, private.mentor_fields(v_ids, v_gaps, v_where), p_limit);
end $$;
comment on function api.list_mentors is
  'Mentors who know much more than the caller about an interest that both chose.';

-- The search for people by name splits each name into trigrams. Each trigram has a list of people, newest first. A
-- search reads only the newest entries of each list; with an index on the names it would read all matching people, and
-- take longer as the instance grows.

create index users_present_created_at_idx on app.users (created_at desc, id desc)
  where banned_at is null and erased_at is null;

create table private.name_trigrams (
  trigram   text collate "C" not null,
  joined_at timestamptz not null,
  user_id   uuid not null references app.users on delete cascade,
  primary key (trigram, joined_at, user_id)
);
create index name_trigrams_user_id_idx on private.name_trigrams (user_id);
comment on table private.name_trigrams is
  'The sequences of three letters in the names of each person, so that a search finds people even if a letter is '
  'wrong. Triggers and steps maintain it.';
comment on column private.name_trigrams.joined_at is 'When the person joined.';
insert into private.personal_data (relation, person_column, reason) values
  ('private.name_trigrams', 'user_id', 'Computed from the names, which have a section of their own.');

create function private.full_name(p_first text, p_last text, p_username text) returns text
language plpgsql stable
set search_path = ''
as $$ begin return private.fold(concat_ws(' ', p_first, p_last, p_username)); end $$;
comment on function private.full_name is
  'Returns all names of a person as one text, in the form in which names are compared.';

create function private.index_person_names(p_user app.users) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  delete from private.name_trigrams where user_id = p_user.id;
  if p_user.banned_at is null and p_user.erased_at is null then
    insert into private.name_trigrams (trigram, joined_at, user_id)
    select t, p_user.created_at, p_user.id
    from unnest(extensions.show_trgm(private.full_name(p_user.first_name, p_user.last_name, p_user.username))) t;
  end if;
end $$;
comment on function private.index_person_names is
  'Step: indexes the current names of a person, and removes banned and erased people from the lists, so that '
  'searches need not skip them.';
insert into private.account_steps (step, events, position) values
  ('private.index_person_names', '{ban,unban,erasure}', 205);

create function private.index_new_person_names() returns trigger
language plpgsql security definer   -- only triggers and steps may write private.name_trigrams
set search_path = ''
as $$
begin
  perform private.index_person_names(new);
  return null;
end $$;
comment on function private.index_new_person_names is
  'Trigger: indexes the current names of new people, and of people who change a name.';
create trigger _205_index_new_person_names after insert or update of first_name, last_name, username on app.users
  for each row execute function private.index_new_person_names();

create function private.find_names(p_q text) returns table (id uuid, at timestamptz, likeness real)
language plpgsql stable security definer   -- checks each person once: see private.visible_people
set search_path = ''
as $$
declare
  v_q        text := private.fold(left(p_q, 100));
  v_trigrams text[] := extensions.show_trgm(v_q);
  v_each     integer := greatest(40, 4000 / greatest(cardinality(v_trigrams), 1));
begin
  return query
  select l.id, l.at, l.likeness
  from (select f.user_id as id, f.joined_at as at,
               extensions.word_similarity(v_q, private.full_name(u.first_name, u.last_name, u.username)) as likeness
        from (select t.user_id, t.joined_at
              from unnest(v_trigrams) g (trigram)
              cross join lateral (
                select n.user_id, n.joined_at from private.name_trigrams n
                where n.trigram = g.trigram
                order by n.joined_at desc, n.user_id desc limit v_each) t
              group by t.user_id, t.joined_at
              having count(*) >= least(2, cardinality(v_trigrams))) f
        join private.listed_people p on p.id = f.user_id
        -- look up by id, without a scan
        cross join lateral (select o.* from app.users o where o.id = f.user_id offset 0) u) l
  where l.likeness >= 0.32;   -- the similarity of "crala" and "carla", which share two of six trigrams
end $$;
comment on function private.find_names is
  'Returns the people with a similar name whom the caller may see, each with the similarity from 0 to 1. For each '
  'trigram it considers the people who joined last, about 4000 in total.';
call private.force_index_scans('private.find_names');

create function private.find_person_place(p_cursor text) returns app.place
language plpgsql stable security definer   -- a cursor stays valid when its person is banned
set search_path = ''
as $$
declare
  v_person uuid := private.find_person(p_cursor);
  v_place  app.place := private.cursor_place('people', p_cursor);
begin
  if p_cursor is null then
    return ('infinity', app.uid())::app.place;   -- no row has this time, so any id works
  elsif v_place.at is null and private.may_meet(private.find_level(app.uid(), v_person)) then
    select created_at, id into v_place from app.users where id = v_person;
  end if;
  if v_place.at is null then
    perform private.raise_error('cursor_unknown');
  end if;
  return v_place;
end $$;
comment on function private.find_person_place is
  'Returns the place of the cursor''s person in the list of people by joining time; without a cursor, a place before '
  'all of them.';

create function private.find_people(p_from app.place) returns app.found
language plpgsql stable security definer   -- a policy could make the query scan any number of hidden people
set search_path = ''
as $$
declare
  v_me     uuid := app.uid();
  v_from   timestamptz := p_from.at;   -- plain variables, so that the planner can use the index
  v_before uuid := p_from.id;
  v_found  app.found;
begin
  with looked as materialized (
    select created_at as at, id from app.users
    where banned_at is null and erased_at is null and (created_at, id) < (v_from, v_before)
    order by created_at desc, id desc limit 400
  ), seen as materialized (
    select array(select l.id from looked l join private.listed_people p on p.id = l.id
                 where l.id <> v_me order by l.at desc, l.id desc limit 51) as ids
  )
  select s.ids, case when cardinality(s.ids) < 51
                     then (select private.place_cursor('people', l.at, l.id)
                           from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $$;
comment on function private.find_people is
  'Returns the people among the next 400 whom the caller may see, newest first.';
call private.force_index_scans('private.find_people');

create function private.find_people_named(p_q text, p_cursor text) returns uuid[]
language plpgsql stable security definer   -- a cursor stays valid when its person is banned
set search_path = ''
as $$
declare
  v_me       uuid := app.uid();
  v_from     app.place := private.find_person_place(p_cursor);
  v_likeness real := 'infinity';
begin
  if p_cursor is not null then
    select extensions.word_similarity(private.fold(left(p_q, 100)),
                                      private.full_name(u.first_name, u.last_name, u.username))
    into v_likeness from app.users u where u.id = v_from.id;
    if not found then
      perform private.raise_error('cursor_unknown');   -- a cursor of this list always names a person
    end if;
  end if;
  return array(
    select n.id from private.find_names(p_q) n
    where n.id <> v_me and (n.likeness, n.at, n.id) < (v_likeness, v_from.at, v_from.id)
    order by n.likeness desc, n.at desc, n.id desc limit 51);
end $$;
comment on function private.find_people_named is 'Returns the next people with a similar name, most similar first.';

create function api.list_people(p_q text default null, p_limit integer default 20, p_cursor text default null)
returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_found app.found;
begin
  if p_q is null then
    v_found := private.find_people(private.find_person_place(p_cursor));
  else
    v_found.ids := private.find_people_named(p_q, p_cursor);
  end if;
  return private.match_page(v_found.ids, null, p_limit, v_found.next);
end $$;
comment on function api.list_people is 'People, newest first, or with a name similar to q.';

create function private.find_suggested(p_limit integer) returns uuid[]
language plpgsql stable security definer   -- checks each post once: see private.visible_posts
set search_path = ''
as $$
declare
  v_me     uuid := app.uid();
  v_muted  uuid[] := private.muted_people();
  v_looked uuid[];
begin
  if not private.has_centroid() then
    return '{}';
  end if;
  v_looked := array(
    select v.id
    from (select id, published_at from app.posts
          where required_level = 0 and closer_id is null and within_id is null
          order by published_at desc, id desc limit 400) w
    join private.listed_posts v on v.id = w.id
    where v.format <> 'repost' and v.author_id <> v_me);
  return array(
    select a.author_id
    from (select p.author_id, max(n.nearness) as nearness
          from private.nearness(v_looked) n join app.posts p on p.id = n.id
          group by p.author_id) a
    where a.author_id <> all (v_muted)
      and (select true from app.follows f where f.follower_id = v_me and f.following_id = a.author_id) is null
    order by a.nearness desc, a.author_id limit p_limit);
end $$;
comment on function private.find_suggested is
  'Returns the authors whose posts, among the newest 400 for everybody, are nearest to what the caller likes, '
  'except those whom the caller follows or has muted. Returns nobody if the caller has no centroid, or if no model '
  'computes vectors.';
call private.force_index_scans('private.find_suggested');

create function api.list_suggested(p_limit integer default 20) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.require_limit(p_limit);   -- reject a wrong limit before the search
  return private.match_page(private.find_suggested(p_limit), null, p_limit);
end $$;
comment on function api.list_suggested is 'People who write what the caller likes, as one page.';

create function private.find_talent(p_interests uuid[], p_country text, p_city text, p_after uuid)
returns table (id uuid, interest_id uuid, value numeric)
language plpgsql stable security definer   -- checks each person once: see private.visible_people
set search_path = ''
as $$
declare
  v_me    uuid := app.uid();
  v_country text := upper(left(p_country, 3));   -- a country code has two letters
  v_city  text := private.fold_query(p_city);
  v_each  integer := greatest(20, 4000 / greatest(cardinality(p_interests), 1));
  v_value numeric := coalesce((select max(r.value) from app.reputation r
                               where r.user_id = p_after and r.interest_id = any (p_interests)), 'infinity');
begin
  return query
  select b.id, b.interest_id, b.value
  from (select t.id, max(t.value) as value,
               (array_agg(t.interest_id order by t.value desc, t.interest_id))[1] as interest_id
        from (select w.id, n.id as interest_id, w.value
              from unnest(p_interests) n (id)
              cross join lateral (
                select r.user_id as id, r.value from app.reputation r
                where r.interest_id = n.id and r.band >= 0
                order by r.band desc, r.user_id limit v_each) w) t
        where t.id <> v_me
        group by t.id) b
  join private.listed_people p on p.id = b.id
  cross join lateral (select o.* from app.users o where o.id = b.id offset 0) u   -- look up by id, without a scan
  where (v_country is null or u.country = v_country)
    and (v_city is null or private.fold(u.city) = v_city)
    and (p_after is null or (-b.value, b.id) > (-v_value, p_after))
  order by b.value desc, b.id limit 51;
end $$;
comment on function private.find_talent is
  'Returns the next people with reputation in one of these interests, highest first, each with the interest where '
  'their reputation is highest. For each interest it considers the people with the highest reputation: about 4000 '
  'in total, but at least 20 per interest.';
call private.force_index_scans('private.find_talent');

create function private.talent_fields(p_ids uuid[], p_interests uuid[], p_values numeric[]) returns json[]
language plpgsql stable security definer   -- reads the country and city of people whom its caller has found visible
set search_path = ''
as $$
begin
  return array(
    select json_build_object(
             'country', u.country,
             'city', u.city,
             'reputation', json_build_object('interestId', n.id, 'slug', n.slug, 'name', n.name, 'value', i.value,
                                             'level', private.reputation_level(i.value)))
    from unnest(p_ids, p_interests, p_values) with ordinality as i (id, interest_id, value, place)
    join app.users u on u.id = i.id
    join app.interests n on n.id = i.interest_id
    order by i.place);
end $$;
comment on function private.talent_fields is
  'The fields that a talent''s card adds to the person''s: {country, city, reputation}.';
call private.force_index_scans('private.talent_fields');

create function api.list_talent(
  p_interest_slug text default null, p_country text default null, p_city text default null,
  p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_interest uuid := private.find_interest(p_interest_slug);
  v_from     app.place := private.find_person_place(p_cursor);
  v_ids      uuid[];
  v_where    uuid[];
  v_values   numeric[];
begin
  select array_agg(t.id), array_agg(t.interest_id), array_agg(t.value) into v_ids, v_where, v_values
  from private.find_talent(case when v_interest is null then private.chosen_interests() else array[v_interest] end,
                           p_country, p_city, case when p_cursor is not null then v_from.id end) t;
  return private.match_page(v_ids, private.talent_fields(v_ids, v_where, v_values), p_limit);
end $$;
comment on function api.list_talent is
  'People with reputation in an interest or, if none is given, in the interests of the caller.';
