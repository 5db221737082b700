-- A person's posts on their profile: the order, who sees which, and reading the list page by page with every page length.
begin;
select plan(56);
select test.people('alice', 'bob', 'carla', 'dave');

create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.names(p_page json) returns text language sql as $$
  select coalesce(string_agg(m.name, ' ' order by l.place), '')
  from json_array_elements(p_page -> 'items') with ordinality l (i, place) join made m on m.id = (l.i ->> 'id')::uuid $$;
create function pg_temp.walk(p_limit integer) returns text language plpgsql as $$
declare
  v_page  json := api.list_posts_by('alice', p_limit);
  v_names text := pg_temp.names(v_page);
begin
  while v_page ->> 'nextCursor' is not null loop
    v_page := api.list_posts_by('alice', p_limit, v_page ->> 'nextCursor');
    v_names := v_names || ' ' || pg_temp.names(v_page);
  end loop;
  return v_names;
end $$;
create function pg_temp.sees(p_person text) returns text language plpgsql as $$
begin
  perform test.act_as(p_person);
  return pg_temp.names(api.list_posts_by('alice'));
end $$;
grant execute on all functions in schema pg_temp to public;

-- Bob writes what Alice reposts. Carla is in Alice's circle, and Dave is a stranger
select test.act_as('bob');
insert into made select 'bob', (api.create_post('Bob''s') ->> 'id')::uuid;
insert into made select 'closed', (api.create_post('Bob''s, closed', p_visibility => 'circles') ->> 'id')::uuid;
select api.create_circle('Friends');
select api.add_circle_member((select id from app.circles), 'alice');
select test.act_as('alice');
select api.create_circle('Friends');
select api.add_circle_member((select id from app.circles where owner_id = test.id('alice')), 'carla');
insert into made select n, (api.create_post(n, p_visibility => v) ->> 'id')::uuid
from (values ('one', 'public'), ('two', 'public'), ('three', 'circles'), ('four', 'public'), ('five', 'inner'), ('hidden', 'public'), ('gone', 'public')) p (n, v);
insert into made select 'repost', (api.create_post(p_format => 'repost', p_quoted_post_id => pg_temp.id('bob')) ->> 'id')::uuid;
insert into made select 'narrow', (api.create_post(p_format => 'repost', p_quoted_post_id => pg_temp.id('closed')) ->> 'id')::uuid;
insert into made select 'later', (api.create_post('Later', p_publish_at => now() + interval '1 hour') ->> 'id')::uuid;
select test.act_as_owner();
-- The first two at the same moment
update app.posts p set published_at = now() + place * interval '1 second'
from (values ('one', 1), ('two', 1), ('three', 2), ('four', 3), ('five', 4), ('hidden', 5), ('gone', 6), ('repost', 7), ('narrow', 8)) m (name, place)
where p.id = pg_temp.id(m.name);
update app.posts set hidden_at = now() where id = pg_temp.id('hidden');
update app.posts set deleted_at = now() where id = pg_temp.id('gone');
-- Renames one and two by their ids: the later id is x
update made m set name = case when m.id = (select max(id::text)::uuid from made where name in ('one', 'two')) then 'x' else 'y' end
where name in ('one', 'two');

select is(pg_temp.sees('alice'), 'narrow repost hidden five four three x y', 'Authors see their own posts newest first, including hidden ones and without scheduled ones');
select is(api.list_posts_by('alice') #>> '{items,2,hiddenAt}' is not null, true, 'A hidden post has the time when it was hidden');
select is(pg_temp.sees('carla'), 'repost four three x y', 'A member of a circle sees posts for circles');
select is(pg_temp.sees('dave'), 'repost four x y', 'A stranger sees only public posts');
select is(pg_temp.sees('bob'), 'narrow repost four x y', 'A repost is visible to people who see its original');

-- Acting as Alice: pins, latest first
select test.act_as('alice');
select api.pin_post(pg_temp.id('y'));
select api.pin_post(pg_temp.id('five'));
select api.pin_post(pg_temp.id('four'));
select test.act_as_owner();
update app.posts p set pinned_at = now() + place * interval '1 second'
from (values ('y', 1), ('five', 2), ('four', 3)) m (name, place) where p.id = pg_temp.id(m.name);
select is(pg_temp.sees('alice'), 'four five y narrow repost hidden three x', 'Pinned posts come first, the latest pin at the top');
select is(pg_temp.sees('dave'), 'four y repost x', 'A stranger sees only pinned posts they may see');
select test.act_as('alice');
select is(pg_temp.walk(n), 'four five y narrow repost hidden three x', 'Authors get all their posts in pages of ' || n) from generate_series(1, 9) n;
select test.act_as('dave');
select is(pg_temp.walk(n), 'four y repost x', 'A stranger gets all visible posts in pages of ' || n) from generate_series(1, 5) n;
select is(api.list_posts_by('alice', 4) ->> 'hasMore', 'false', 'A full last page has no next page');
select is(api.list_posts_by('alice', 3) ->> 'nextCursor', pg_temp.id('repost')::text, 'The cursor is the page''s last post');
select is(api.list_posts_by('alice', 2) ->> 'nextCursor', pg_temp.id('y')::text, 'The cursor can be a pinned post');
select is(pg_temp.names(api.list_posts_by('alice', 1, pg_temp.id('four')::text)), 'y', 'A page after a pin continues with the other pins');
select is(pg_temp.names(api.list_posts_by('alice', 1, pg_temp.id('y')::text)), 'repost', 'A page after the last pin continues with the other posts');
select is(pg_temp.names(api.list_posts_by('alice', 2, pg_temp.id('repost')::text)), 'x', 'A later page has no pins');

-- Every form of Alice's name finds her posts
select is(pg_temp.names(api.list_posts_by(n)), 'four y repost x', 'The posts are found by ' || n)
from unnest(array['alice', 'ALICE', '@alice', 'acct:alice@localhost']) n;
select is(api.list_posts_by('carla')::jsonb, '{"items": [], "nextCursor": null, "hasMore": false}', 'A person without posts has an empty list');

-- Cursors
select test.act_as('alice');
insert into made select 'newest', (api.create_post('newest') ->> 'id')::uuid;
select test.act_as_owner();
update app.posts set published_at = now() + interval '1 minute' where id = pg_temp.id('newest');
update app.posts set deleted_at = now() where id = pg_temp.id('repost');
update app.posts set hidden_at = now() where id = pg_temp.id('four');
select test.act_as('dave');
select is(pg_temp.names(api.list_posts_by('alice', p_cursor => pg_temp.id('repost')::text)), 'x', 'A deleted post stays valid as a cursor');
select is(pg_temp.names(api.list_posts_by('alice', 2, pg_temp.id('four')::text)), 'y newest', 'A hidden pin stays valid as a cursor');
select throws_ok(format('select api.list_posts_by(%L, p_cursor => %L)', 'alice', c), 'PT400', 'cursor_unknown', 'Invalid cursor: ' || what)
from (values (pg_temp.id('three')::text, 'a post the caller can''t see'), (pg_temp.id('five')::text, 'a pin the caller can''t see'),
             (pg_temp.id('later')::text, 'a scheduled post'), (pg_temp.id('bob')::text, 'another person''s post'),
             ('00000000-0000-4000-8000-000000000000', 'an unknown post'), ('x', 'not an id'), ('', 'an empty text')) c (c, what);
select throws_ok(format('select api.list_posts_by(%L, %s)', 'alice', n), 'PT422', 'limit_out_of_range', 'Invalid limit: ' || n)
from unnest(array['0', '51', 'null']) n;

-- If a pin is deleted while somebody reads page by page, the later pages are complete
select test.act_as_owner();
update app.posts set deleted_at = now() where id = pg_temp.id('y');
select test.act_as('dave');
select is(pg_temp.names(api.list_posts_by('alice', p_cursor => pg_temp.id('y')::text)), 'newest x', 'A page after a deleted pin continues with the posts after it');
select test.act_as_owner();
update app.posts set deleted_at = null where id = pg_temp.id('y');

-- Profiles that don't exist
select throws_ok(format('select api.list_posts_by(%L)', n), 'PT404', 'person_unknown', 'There is nobody with the name ' || n)
from unnest(array['zoe', '', 'acct:alice@elsewhere']) n;
select test.act_as('alice');
select api.block_person('dave');
select test.act_as('dave');
select throws_ok($$ select api.list_posts_by('alice') $$, 'PT404', 'person_unknown', 'A person blocked by the author gets person_unknown');
select test.act_as('alice');
select throws_ok($$ select api.list_posts_by('dave') $$, 'PT404', 'person_unknown', 'The author gets person_unknown for a person they blocked');
select api.unblock_person('dave');
select api.block_person('bob');
select is(pg_temp.sees('alice'), 'four five y newest hidden three x', 'A repost of a blocked person''s post is hidden from its author');
select test.act_as_owner();
update app.users set banned_at = now() where id = test.id('alice');
select test.act_as('dave');
select throws_ok($$ select api.list_posts_by('alice') $$, 'PT404', 'person_unknown', 'The posts of a banned person fail with person_unknown');

-- Acting as an anonymous caller
select test.act_as_anon();
select throws_ok($$ select api.list_posts_by('alice') $$, '42501', null, 'Profiles need a signed-in caller');
select throws_ok($$ select api.list_scheduled_posts() $$, '42501', null, 'Scheduled posts need a signed-in caller');
select throws_ok($$ select api.update_post(gen_random_uuid(), '{}') $$, '42501', null, 'Editing needs a signed-in caller');
select throws_ok($$ select api.delete_post(gen_random_uuid()) $$, '42501', null, 'Deleting needs a signed-in caller');

select * from finish();
rollback;
