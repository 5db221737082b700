-- Limits: pins that nobody sees any more, and the stored positions of deleted series items.
begin;
select plan(6);
select test.people('alice', 'bob');
create temp table made (name text primary key, id uuid);
grant all on made to public;

select test.act_as('alice');
insert into made select 'post', (api.create_post('A post') ->> 'id')::uuid;
select test.act_as_owner();
insert into app.posts (author_id, body, pinned_at, visibility) select test.id('bob'), 'x', now() - n * interval '1 day', 'public'
from generate_series(1, 49) n;
select test.act_as('bob');
insert into made select 'mine', (api.create_post('Mine') ->> 'id')::uuid;
select throws_ok($$ select api.pin_post((select id from made where name = 'mine')) $$, 'PT409', 'pins_exhausted', 'An author can have at most three visible pins');
select test.act_as_owner();
insert into app.spaces (id, kind, slug, name) values ('5f1c2a1e-0000-4000-8000-000000000001', 'group', 'the-space', 'x');
update app.posts set space_id = '5f1c2a1e-0000-4000-8000-000000000001' where pinned_at is not null;
select test.act_as('bob');
select lives_ok($$ select api.pin_post((select id from made where name = 'mine')) $$, 'Pins that the author no longer sees don''t count');
insert into made select 'next', (api.create_post('Next') ->> 'id')::uuid;
select throws_ok($$ select api.pin_post((select id from made where name = 'next')) $$, 'PT409', 'pins_exhausted', 'An author can have at most 50 pins, including those that they can''t see');
select is(json_array_length(api.list_posts_by('bob') -> 'items'), 2, 'The profile has only the visible posts');

-- Stored positions of deleted items
insert into made select 'series', (api.create_series('Letters') ->> 'id')::uuid;
select test.act_as_owner();
insert into private.deleted_series_items (series_id, post_id, position, left_at)
select (select id from made where name = 'series'), id, 1, now() - interval '1 day' from app.posts where author_id = test.id('bob');
insert into app.posts (author_id, body) select test.id('bob'), 'x' from generate_series(1, 200);
insert into app.series_items (series_id, post_id, position)
select (select id from made where name = 'series'), id, row_number() over ()
from (select id from app.posts where author_id = test.id('bob') and pinned_at is null and body = 'x' limit 200) p;
update app.posts set deleted_at = now() where author_id = test.id('bob') and pinned_at is null and body = 'x';
select is((select count(*) from private.deleted_series_items), 200::bigint, 'A series keeps the positions of at most 200 deleted items');
select is((select count(*) from private.deleted_series_items where left_at < now() - interval '1 hour'), 0::bigint, 'A series keeps the positions of the items deleted last');

select * from finish();
rollback;
