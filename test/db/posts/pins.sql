-- Pins: only one's own posts, at most three, and no scheduled or deleted ones.
begin;
select plan(27);
select test.people('alice', 'bob');

create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.pinned() returns text language sql stable security definer as $$
  select coalesce(string_agg(m.name, ' ' order by m.name), '') from app.posts p join made m on m.id = p.id where p.pinned_at is not null and p.deleted_at is null $$;
grant execute on all functions in schema pg_temp to public;

select test.act_as('alice');
insert into made select n, (api.create_post(n) ->> 'id')::uuid from unnest(array['one', 'two', 'three', 'four']) n;
insert into made select 'closed', (api.create_post('For the inner circle', p_visibility => 'inner') ->> 'id')::uuid;
insert into made select 'later', (api.create_post('Later', p_publish_at => now() + interval '1 hour') ->> 'id')::uuid;

select is(api.pin_post(pg_temp.id('one')) ->> 'pinned', 'true', 'A post can be pinned');
select is(api.get_post(pg_temp.id('one')) ->> 'pinned', 'true', 'A pinned post''s card shows it');
select is(api.pin_post(pg_temp.id('one')) ->> 'id', pg_temp.id('one')::text, 'Pinning a post again returns it');
select api.pin_post(pg_temp.id('two'));
select is(api.pin_post(pg_temp.id('closed')) ->> 'pinned', 'true', 'A post for circles can be pinned');
select throws_ok($$ select api.pin_post(pg_temp.id('three')) $$, 'PT409', 'pins_exhausted', 'A fourth pin is refused');
select is(pg_temp.pinned(), 'closed one two', 'A refused pin changes nothing');
select is(api.pin_post(pg_temp.id('two')) ->> 'pinned', 'true', 'At the limit, a pinned post can be pinned again');
select throws_ok($$ select api.pin_post(pg_temp.id('later')) $$, 'PT422', 'post_not_out', 'A scheduled post can''t be pinned');
select throws_ok($$ select api.pin_post(gen_random_uuid()) $$, 'PT404', 'post_unknown', 'An unknown post can''t be pinned');
select throws_ok($$ update app.posts set pinned_at = now() where id = pg_temp.id('three') $$, '42501', null, 'Nobody can set a pin in the table');
select throws_ok($$ insert into app.posts (author_id, body, pinned_at) values (test.id('alice'), 'x', now()) $$, '42501', null, 'Nobody can insert a pinned post');

-- Acting as Bob
select test.act_as('bob');
select throws_ok($$ select api.pin_post(pg_temp.id('three')) $$, 'PT403', 'post_not_yours', 'Another person''s post can''t be pinned');
select throws_ok($$ select api.unpin_post(pg_temp.id('one')) $$, 'PT403', 'post_not_yours', 'Another person''s post can''t be unpinned');
select throws_ok($$ select api.pin_post(pg_temp.id('closed')) $$, 'PT404', 'post_unknown', 'A post the caller can''t see can''t be pinned');
select throws_ok($$ select api.unpin_post(pg_temp.id('closed')) $$, 'PT404', 'post_unknown', 'A post the caller can''t see can''t be unpinned');
select private.pin(pg_temp.id('three')), private.unpin(pg_temp.id('one'));
select is(pg_temp.pinned(), 'closed one two', 'The private functions don''t change another person''s pins');
insert into made select 'repost', (api.repost(pg_temp.id('one')) ->> 'id')::uuid;
select is(api.pin_post(pg_temp.id('repost')) ->> 'pinned', 'true', 'A repost can be pinned');
select api.unrepost(pg_temp.id('one'));
select is(pg_temp.pinned(), 'closed one two', 'Removing the repost removes its pin');

-- Acting as Alice: room for another pin
select test.act_as('alice');
select is(api.unpin_post(pg_temp.id('two'))::text, null, 'A post can be unpinned');
select is(api.unpin_post(pg_temp.id('two'))::text, null, 'Unpinning a post twice is not an error');
select api.pin_post(pg_temp.id('three'));
select is(pg_temp.pinned(), 'closed one three', 'Unpinning makes room for another');
select api.delete_post(pg_temp.id('closed'));
select is(pg_temp.pinned(), 'one three', 'A deleted post is no longer pinned');
select is(api.pin_post(pg_temp.id('four')) ->> 'pinned', 'true', 'The deleted post doesn''t count towards the limit of pins');
select throws_ok($$ select api.pin_post(pg_temp.id('closed')) $$, 'PT404', 'post_unknown', 'A deleted post can''t be pinned');
select throws_ok($$ select api.unpin_post(pg_temp.id('closed')) $$, 'PT404', 'post_unknown', 'A deleted post can''t be unpinned');

-- A repost of a deleted original doesn't count, because nobody can see or unpin it
select test.act_as('bob');
select api.pin_post((api.repost(pg_temp.id(n)) ->> 'id')::uuid) from unnest('{one,three,four}'::text[]) n;
insert into made select 'mine', (api.create_post('mine') ->> 'id')::uuid;
select throws_ok($$ select api.pin_post(pg_temp.id('mine')) $$, 'PT409', 'pins_exhausted', 'Three pinned reposts count towards the limit');
select test.act_as('alice');
select api.delete_post(pg_temp.id('three'));
select test.act_as('bob');
select is(api.pin_post(pg_temp.id('mine')) ->> 'pinned', 'true', 'A repost of a deleted original doesn''t count towards the limit');

select * from finish();
rollback;
