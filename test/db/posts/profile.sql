-- A person's posts on their profile: the order, who sees which, and walking it by every page length.
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

-- Bob writes what Alice passes on; Carla is in her circle; Dave is nobody to her
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
-- the first two in the same moment
update app.posts p set published_at = now() + place * interval '1 second'
from (values ('one', 1), ('two', 1), ('three', 2), ('four', 3), ('five', 4), ('hidden', 5), ('gone', 6), ('repost', 7), ('narrow', 8)) m (name, place)
where p.id = pg_temp.id(m.name);
update app.posts set hidden_at = now() where id = pg_temp.id('hidden');
update app.posts set deleted_at = now() where id = pg_temp.id('gone');
-- one and two by their ids, later first
update made m set name = case when m.id = (select max(id::text)::uuid from made where name in ('one', 'two')) then 'x' else 'y' end
where name in ('one', 'two');

select is(pg_temp.sees('alice'), 'narrow repost hidden five four three x y', 'one''s own: the newest first, hidden ones too, no scheduled ones');
select is(api.list_posts_by('alice') #>> '{items,2,hiddenAt}' is not null, true, 'a hidden one says so');
select is(pg_temp.sees('carla'), 'repost four three x y', 'a member of a circle');
select is(pg_temp.sees('dave'), 'repost four x y', 'a stranger');
select is(pg_temp.sees('bob'), 'narrow repost four x y', 'reposts show to who sees the original');

-- Acting as Alice: pins, later first
select test.act_as('alice');
select api.pin_post(pg_temp.id('y'));
select api.pin_post(pg_temp.id('five'));
select api.pin_post(pg_temp.id('four'));
select test.act_as_owner();
update app.posts p set pinned_at = now() + place * interval '1 second'
from (values ('y', 1), ('five', 2), ('four', 3)) m (name, place) where p.id = pg_temp.id(m.name);
select is(pg_temp.sees('alice'), 'four five y narrow repost hidden three x', 'the pinned ones come first, the latest pin at the top');
select is(pg_temp.sees('dave'), 'four y repost x', 'those that one may see');
select test.act_as('alice');
select is(pg_temp.walk(n), 'four five y narrow repost hidden three x', 'her own walked by ' || n) from generate_series(1, 9) n;
select test.act_as('dave');
select is(pg_temp.walk(n), 'four y repost x', 'a stranger walks by ' || n) from generate_series(1, 5) n;
select is(api.list_posts_by('alice', 4) ->> 'hasMore', 'false', 'a full last page is the last');
select is(api.list_posts_by('alice', 3) ->> 'nextCursor', pg_temp.id('repost')::text, 'a cursor is the last item');
select is(api.list_posts_by('alice', 2) ->> 'nextCursor', pg_temp.id('y')::text, 'a pin too');
select is(pg_temp.names(api.list_posts_by('alice', 1, pg_temp.id('four')::text)), 'y', 'one on a pin goes on among the pins');
select is(pg_temp.names(api.list_posts_by('alice', 1, pg_temp.id('y')::text)), 'repost', 'the last of them with the rest');
select is(pg_temp.names(api.list_posts_by('alice', 2, pg_temp.id('repost')::text)), 'x', 'which comes without them');

-- by every name of hers
select is(pg_temp.names(api.list_posts_by(n)), 'four y repost x', 'by ' || n)
from unnest(array['alice', 'ALICE', '@alice', 'acct:alice@localhost']) n;
select is(api.list_posts_by('carla')::jsonb, '{"items": [], "nextCursor": null, "hasMore": false}', 'who has none has none');

-- cursors
select test.act_as('alice');
insert into made select 'newest', (api.create_post('newest') ->> 'id')::uuid;
select test.act_as_owner();
update app.posts set published_at = now() + interval '1 minute' where id = pg_temp.id('newest');
update app.posts set deleted_at = now() where id = pg_temp.id('repost');
update app.posts set hidden_at = now() where id = pg_temp.id('four');
select test.act_as('dave');
select is(pg_temp.names(api.list_posts_by('alice', p_cursor => pg_temp.id('repost')::text)), 'x', 'a deleted post still says where it was');
select is(pg_temp.names(api.list_posts_by('alice', 2, pg_temp.id('four')::text)), 'y newest', 'a hidden pin too');
select throws_ok(format('select api.list_posts_by(%L, p_cursor => %L)', 'alice', c), 'PT400', 'cursor_unknown', what || ' is no cursor')
from (values (pg_temp.id('three')::text, 'a post that is not for the caller'), (pg_temp.id('five')::text, 'a pin that is not'),
             (pg_temp.id('later')::text, 'a scheduled one'), (pg_temp.id('bob')::text, 'another''s'),
             ('00000000-0000-4000-8000-000000000000', 'an unknown one'), ('x', 'no id'), ('', 'nothing')) c (c, what);
select throws_ok(format('select api.list_posts_by(%L, %s)', 'alice', n), 'PT422', 'limit_out_of_range', 'no limit: ' || n)
from unnest(array['0', '51', 'null']) n;

-- a pin that is deleted in the middle of a walk hides nothing of what comes behind it
select test.act_as_owner();
update app.posts set deleted_at = now() where id = pg_temp.id('y');
select test.act_as('dave');
select is(pg_temp.names(api.list_posts_by('alice', p_cursor => pg_temp.id('y')::text)), 'newest x', 'behind a deleted pin comes what came behind it');
select test.act_as_owner();
update app.posts set deleted_at = null where id = pg_temp.id('y');

-- who is not there
select throws_ok(format('select api.list_posts_by(%L)', n), 'PT404', 'person_unknown', 'nobody: ' || n)
from unnest(array['zoe', '', 'acct:alice@elsewhere']) n;
select test.act_as('alice');
select api.block_person('dave');
select test.act_as('dave');
select throws_ok($$ select api.list_posts_by('alice') $$, 'PT404', 'person_unknown', 'across a block there is nobody');
select test.act_as('alice');
select throws_ok($$ select api.list_posts_by('dave') $$, 'PT404', 'person_unknown', 'either way');
select api.unblock_person('dave');
select api.block_person('bob');
select is(pg_temp.sees('alice'), 'four five y newest hidden three x', 'whom one blocked one does not repeat either');
select test.act_as_owner();
update app.users set banned_at = now() where id = test.id('alice');
select test.act_as('dave');
select throws_ok($$ select api.list_posts_by('alice') $$, 'PT404', 'person_unknown', 'nor who is banned');

-- Acting as nobody
select test.act_as_anon();
select throws_ok($$ select api.list_posts_by('alice') $$, '42501', null, 'a profile is for members');
select throws_ok($$ select api.list_scheduled_posts() $$, '42501', null, 'and what is scheduled');
select throws_ok($$ select api.update_post(gen_random_uuid(), '{}') $$, '42501', null, 'nobody edits');
select throws_ok($$ select api.delete_post(gen_random_uuid()) $$, '42501', null, 'or deletes');

select * from finish();
rollback;
