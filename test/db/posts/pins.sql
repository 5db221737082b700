-- Pins: one's own posts, at most three, never a scheduled or a deleted one.
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

select is(api.pin_post(pg_temp.id('one')) ->> 'pinned', 'true', 'a post is pinned');
select is(api.get_post(pg_temp.id('one')) ->> 'pinned', 'true', 'and says so');
select is(api.pin_post(pg_temp.id('one')) ->> 'id', pg_temp.id('one')::text, 'again, it is answered');
select api.pin_post(pg_temp.id('two'));
select is(api.pin_post(pg_temp.id('closed')) ->> 'pinned', 'true', 'one for circles can be pinned too');
select throws_ok($$ select api.pin_post(pg_temp.id('three')) $$, 'PT409', 'pins_exhausted', 'a fourth is one too many');
select is(pg_temp.pinned(), 'closed one two', 'and nothing changes');
select is(api.pin_post(pg_temp.id('two')) ->> 'pinned', 'true', 'what is pinned can be pinned again');
select throws_ok($$ select api.pin_post(pg_temp.id('later')) $$, 'PT422', 'post_not_out', 'a scheduled post cannot be pinned');
select throws_ok($$ select api.pin_post(gen_random_uuid()) $$, 'PT404', 'post_unknown', 'nor an unknown one');
select throws_ok($$ update app.posts set pinned_at = now() where id = pg_temp.id('three') $$, '42501', null, 'by hand neither');
select throws_ok($$ insert into app.posts (author_id, body, pinned_at) values (test.id('alice'), 'x', now()) $$, '42501', null, 'nor from the beginning');

-- Acting as Bob
select test.act_as('bob');
select throws_ok($$ select api.pin_post(pg_temp.id('three')) $$, 'PT403', 'post_not_yours', 'another''s post is not one''s to pin');
select throws_ok($$ select api.unpin_post(pg_temp.id('one')) $$, 'PT403', 'post_not_yours', 'nor to unpin');
select throws_ok($$ select api.pin_post(pg_temp.id('closed')) $$, 'PT404', 'post_unknown', 'what one may not see is not there');
select throws_ok($$ select api.unpin_post(pg_temp.id('closed')) $$, 'PT404', 'post_unknown', 'for either');
select private.pin(pg_temp.id('three')), private.unpin(pg_temp.id('one'));
select is(pg_temp.pinned(), 'closed one two', 'by hand nobody touches another''s');
insert into made select 'repost', (api.repost(pg_temp.id('one')) ->> 'id')::uuid;
select is(api.pin_post(pg_temp.id('repost')) ->> 'pinned', 'true', 'a repost can be pinned');
select api.unrepost(pg_temp.id('one'));
select is(pg_temp.pinned(), 'closed one two', 'until it is taken back');

-- Acting as Alice: room again
select test.act_as('alice');
select is(api.unpin_post(pg_temp.id('two'))::text, null, 'a post is unpinned');
select is(api.unpin_post(pg_temp.id('two'))::text, null, 'twice is no error');
select api.pin_post(pg_temp.id('three'));
select is(pg_temp.pinned(), 'closed one three', 'which makes room for another');
select api.delete_post(pg_temp.id('closed'));
select is(pg_temp.pinned(), 'one three', 'a deleted post is pinned no more');
select is(api.pin_post(pg_temp.id('four')) ->> 'pinned', 'true', 'and its place is free');
select throws_ok($$ select api.pin_post(pg_temp.id('closed')) $$, 'PT404', 'post_unknown', 'it cannot come back');
select throws_ok($$ select api.unpin_post(pg_temp.id('closed')) $$, 'PT404', 'post_unknown', 'nor be unpinned');

-- reposts whose originals went take no room: nobody sees them, and nobody could take them off
select test.act_as('bob');
select api.pin_post((api.repost(pg_temp.id(n)) ->> 'id')::uuid) from unnest('{one,three,four}'::text[]) n;
insert into made select 'mine', (api.create_post('mine') ->> 'id')::uuid;
select throws_ok($$ select api.pin_post(pg_temp.id('mine')) $$, 'PT409', 'pins_exhausted', 'three reposts are three pins');
select test.act_as('alice');
select api.delete_post(pg_temp.id('three'));
select test.act_as('bob');
select is(api.pin_post(pg_temp.id('mine')) ->> 'pinned', 'true', 'until one of them is out of sight');

select * from finish();
rollback;
