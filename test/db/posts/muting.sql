-- The feed without muted people and words: pages are full, each other post is listed once, and nothing else changes.
begin;
select plan(27);
select test.people('alice', 'bob', 'carla', 'dave');

create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.names(p_page json) returns text language sql as $$
  select coalesce(string_agg(split_part(i ->> 'body', ' ', 1), ' ' order by place), '') from json_array_elements(p_page -> 'items') with ordinality l (i, place) $$;
create function pg_temp.walk(p_limit integer) returns text language plpgsql as $$
declare
  v_page  json := api.list_feed(p_limit => p_limit);
  v_names text := pg_temp.names(v_page);
begin
  while v_page ->> 'nextCursor' is not null loop
    v_page := api.list_feed(p_limit => p_limit, p_cursor => v_page ->> 'nextCursor');
    v_names := btrim(v_names || ' ' || pg_temp.names(v_page));
  end loop;
  return v_names;
end $$;
create function pg_temp.post(p_who text, p_name text, p_text text, p_title text default null) returns void language plpgsql as $$
begin
  perform test.act_as(p_who);
  insert into made select p_name, (api.create_post(p_name || ' ' || p_text, case when p_title is null then 'note' else 'essay' end, p_title) ->> 'id')::uuid;
end $$;
grant execute on all functions in schema pg_temp to public;

select pg_temp.post('bob', 'b1', 'about tea');
select pg_temp.post('carla', 'c1', 'about coffee');
select pg_temp.post('bob', 'b2', 'about coffee');
select pg_temp.post('carla', 'c2', 'about tea');
select pg_temp.post('carla', 'c3', 'an essay', 'Coffee, again');
select pg_temp.post('dave', 'd1', 'about water');
select pg_temp.post('alice', 'a1', 'her own, on coffee');
select test.act_as_owner();
update app.posts p set published_at = now() + place * interval '1 second'
from (values ('b1', 1), ('c1', 2), ('b2', 3), ('c2', 4), ('c3', 5), ('d1', 6), ('a1', 7)) m (name, place) where p.id = pg_temp.id(m.name);

insert into app.feed_blocks (starts_at) select distinct published_at from app.posts;   -- a block for each moment, so the feed is in time order
select test.act_as('alice');
select is(pg_temp.names(api.list_feed()), 'a1 d1 c3 c2 b2 c1 b1', 'Without mutes the feed has all posts');

-- People
select api.mute_person('carla');
select is(pg_temp.walk(n), 'a1 d1 b2 b1', 'The feed leaves out a muted person, in pages of ' || n) from generate_series(1, 4) n;
select is(pg_temp.names(api.list_feed(p_limit => 3)), 'a1 d1 b2', 'Although a person is muted, pages are full');
select is(api.list_feed(p_limit => 4) ->> 'hasMore', 'false', 'Although a person is muted, the last page has no next page');
select is(pg_temp.names(api.list_feed(p_limit => 3, p_cursor => pg_temp.id('c2')::text)), 'b2 b1', 'A muted person''s post stays valid as a cursor');
select is(api.get_post(pg_temp.id('c1')) ->> 'body', 'c1 about coffee', 'A muted person''s post can be opened');

-- Words
select api.mute_keyword('coffee');
select is(pg_temp.walk(n), 'd1 b1',
  'The feed leaves out muted words, even in the caller''s own posts, in pages of ' || n) from generate_series(1, 3) n;
select api.unmute_person('carla');
select is(pg_temp.walk(n), 'd1 c2 b1', 'The feed leaves out posts with a muted word in the title, in pages of ' || n) from generate_series(1, 4) n;
select is(pg_temp.names(api.list_feed(p_limit => 2)), 'd1 c2', 'Although a word is muted, pages are full');
select is(api.list_feed(p_limit => 2) ->> 'hasMore', 'true', 'hasMore is true if there are more posts');
select is(api.list_feed(p_limit => 3) ->> 'hasMore', 'false', 'hasMore is false on the last page');
select api.mute_keyword('about');
select throws_ok($$ select api.list_feed(p_limit => 51) $$, 'PT422', 'limit_out_of_range', 'A limit above 50 is refused');
select throws_ok($$ select api.list_feed(p_limit => null) $$, 'PT422', 'limit_out_of_range', 'A null limit is refused');
select is(api.list_feed()::jsonb, '{"items": [], "nextCursor": null, "hasMore": false}', 'The feed is empty if all posts are muted');
select test.act_as('bob');
select is(pg_temp.names(api.list_feed()), 'a1 d1 c3 c2 b2 c1 b1', 'Other people''s feeds are unchanged');

-- A muted word in nearly every post: a page scans at most 4000 posts, and the next page continues from there
select test.act_as_owner();
insert into app.posts (author_id, body, published_at)
select test.id('dave'), case when n in (3, 2500, 4100) then 'x' || n else 'x' || n || ' about coffee' end, now() - n * interval '1 second'
from generate_series(1, 4200) n;
insert into app.feed_blocks (starts_at) select distinct published_at from app.posts on conflict do nothing;
select test.act_as('alice');
select is(pg_temp.names(api.list_feed(p_limit => 5)), 'x3 x2500', 'A page that reached the scan limit is short');
select is(api.list_feed(p_limit => 5) ->> 'hasMore', 'true', 'Such a page has a next page');
select is(pg_temp.walk(5), 'x3 x2500 x4100', 'Pages of 5 have all remaining posts');
select is(pg_temp.walk(1), 'x3 x2500 x4100', 'Pages of 1 have all remaining posts');

select * from finish();
rollback;
