-- The stream: its kinds, its authors, and what it leaves out. test/model/oracle checks posts against the model of
-- visibility.
begin;
select plan(18);
select test.people('alice', 'bob', 'carla', 'dora');

create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.note(p_name text, p_made json) returns void language sql as $$
  insert into made values (p_name, (p_made ->> 'id')::uuid) $$;
create function pg_temp.streams(p_page json) returns text language sql stable as $$
  select coalesce(string_agg(coalesce(m.name, 'unknown'), ' ' order by place), '')
  from json_array_elements(p_page -> 'items') with ordinality as u (item, place) left join made m on m.id = (item ->> 'id')::uuid $$;
create function pg_temp.place(p_name text, p_minutes integer) returns void language sql security definer as $$
  update app.posts set published_at = now() - p_minutes * interval '1 minute' where id = (select id from made where name = p_name);
  update app.contents set created_at = now() - p_minutes * interval '1 minute' where id = (select id from made where name = p_name) $$;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
grant execute on all functions in schema pg_temp to public;

select test.act_as('bob');
select pg_temp.note('essay', api.create_post('Long', p_format => 'essay', p_title => 'Title')),
       pg_temp.note('circles', api.create_post('Near', p_visibility => 'circles')),
       pg_temp.note('video', api.create_video('https://example.org/a.mp4')),
       pg_temp.note('gone', api.create_audio('https://example.org/b.mp3'));
select test.act_as('carla');
select pg_temp.note('group', api.create_group('Cooks')), pg_temp.note('audio', api.create_audio('https://example.org/c.mp3')),
       pg_temp.note('photo', api.create_post('', p_format => 'photo', p_media => '[{"url": "https://example.org/d.png"}]'));
select pg_temp.note('spoken', api.create_audio('https://example.org/e.mp3'));
select test.act_as_owner();
update app.contents set space_id = pg_temp.id('group') where id = pg_temp.id('spoken');
update app.contents set removed_at = now() where id = pg_temp.id('gone');
update app.users set country = 'PT', city = 'Évora' where username = 'carla';
select pg_temp.place(n, m) from (values ('essay', 50), ('circles', 45), ('video', 40), ('audio', 30), ('photo', 20), ('spoken', 10), ('gone', 5)) v (n, m);

select test.act_as('alice');
select is(pg_temp.streams(api.list_stream()), 'photo audio video essay', 'The stream mixes all kinds and leaves out items that are for circles, removed or in a group');
select is((select string_agg(concat_ws(' ', i ->> 'type', i ->> 'subBadge', i ->> 'mediaUrl', i ->> 'title'), ', ') from json_array_elements(api.list_stream() -> 'items') i),
          'post photo https://example.org/d.png, audio audio https://example.org/c.mp3, video video https://example.org/a.mp4, post essay Title', 'Each item has its type, badge, media and title');
select is(pg_temp.streams(api.list_stream(p_cursor => pg_temp.id(n)::text)), s, 'A page continues after a cursor of: ' || n)
from (values ('photo', 'audio video essay'), ('audio', 'video essay'), ('essay', '')) v (n, s);
select throws_ok($$ select api.list_stream(p_cursor => gen_random_uuid()::text) $$, 'PT400', 'cursor_unknown', 'An invented cursor is refused');
select throws_ok($$ select api.list_stream(p_cursor => pg_temp.id('spoken')::text) $$, 'PT400', 'cursor_unknown', 'An item in a group is refused as a cursor of a non-member');
select is(pg_temp.streams(api.list_stream('video')) || ' ' || pg_temp.streams(api.list_stream('post')), 'video photo essay', 'The stream can be narrowed to one type');
select is(pg_temp.streams(api.list_stream(p_country => 'pt', p_city => 'evora')), 'photo audio', 'The stream can be narrowed to the authors'' country and city');
select is(pg_temp.streams(api.list_stream(p_trending => true)), '', 'Without reactions nothing trends');
select api.like_video(pg_temp.id('video')), api.react(pg_temp.id('essay'), 'heart');
select is(pg_temp.streams(api.list_stream(p_trending => true)), 'video essay', 'Items with reactions trend');
select is((select string_agg(concat_ws(' ', i #>> '{engagement,reactCount}', i #>> '{engagement,viewerHasReacted}'), ', ') from json_array_elements(api.list_stream() -> 'items') i),
          '0 false, , 1 true, 1 true', 'An item has its reaction count and the viewer''s reaction');
select api.mute_person('carla');
select is(pg_temp.streams(api.list_stream()), 'video essay', 'A muted person''s items are left out');
select api.mute_keyword('long');
select is(pg_temp.streams(api.list_stream()), 'video', 'Items with a muted word are left out');
select api.unmute_person('carla');
select test.act_as('bob');
select api.block_person('alice');
select test.act_as('alice');
select is(pg_temp.streams(api.list_stream()), 'photo audio', 'Nothing is shown across a block');
select test.act_as('bob');
select is(pg_temp.streams(api.list_stream()), 'photo audio video essay', 'Authors see their own items, except removed ones');
select test.act_as('carla');
select is(pg_temp.streams(api.list_stream()), 'photo audio video essay', 'A member doesn''t see the group''s items in the stream');
select test.act_as_owner();
update app.users set banned_at = now() where username = 'carla';
select test.act_as('alice');
select is(pg_temp.streams(api.list_stream()), '', 'Nothing by banned people is shown');

select * from finish();
rollback;
