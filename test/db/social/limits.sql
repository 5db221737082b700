-- Limits: blocks of a person, pending invitations of a circle, and the counts of follows when thousands are hidden.
begin;
select plan(12);
select test.people('alice', 'bob', 'carla');
select test.crowd('crowd', 5001);
analyze app.users;   -- the statistics contain hardly anybody
create temp table made (name text primary key, id uuid);
grant all on made to public;

-- Pending invitations
select test.act_as('alice');
insert into made select 'circle', (api.create_circle('Friends') ->> 'id')::uuid;
select count(api.invite_to_circle((select id from made), 'crowd' || n)) from generate_series(1, 100) n;
select throws_ok($$ select api.invite_to_circle((select id from made), 'bob') $$, 'PT409', 'invitations_exhausted', 'A circle can have 100 pending invitations');
select throws_ok($$ select api.invite_to_circle((select id from made), 'crowd1') $$, 'PT409', 'invitation_pending', 'At the limit, a second invitation of the same person is still refused as pending');
select api.revoke_invitation((select id from made), (api.list_circle_invitations((select id from made)) #>> '{items,0,id}')::uuid);
select lives_ok($$ select api.invite_to_circle((select id from made), 'bob') $$, 'Revoking an invitation makes room for another');

-- Blocks
select test.act_as_owner();
alter table app.blocks disable trigger user;   -- otherwise thousands of pairs would each be locked
insert into app.blocks (blocker_id, blocked_id)
select test.id('alice'), u.id from app.users u where u.username like 'crowd%' and u.username not in ('crowd1', 'crowd9') limit 4999;
alter table app.blocks enable trigger user;
select test.act_as('alice');
select lives_ok($$ select api.block_person('carla') $$, 'A person can block 5000 people');
select throws_ok($$ select api.block_person('crowd1') $$, 'PT409', 'blocks_exhausted', 'A person can''t block more than 5000 people');
select lives_ok($$ select api.block_person('carla') $$, 'At the limit, an existing block can be repeated');
select api.unblock_person('carla');
select lives_ok($$ select api.block_person('crowd1') $$, 'Lifting a block makes room for another');
select api.unblock_person('crowd1');

-- Follows of hidden people
select test.act_as_owner();
insert into app.follows (follower_id, following_id)
select id, test.id('bob') from app.users where username like 'crowd____' and username > 'crowd2' or username = 'crowd1';
insert into app.follows (follower_id, following_id)
select test.id('bob'), id from app.users where username like 'crowd____' and username > 'crowd2' or username = 'crowd1';
create function pg_temp.counts() returns text language sql as $$
  select (s ->> 'followers') || ' ' || (s ->> 'following') from api.follow_stats('bob') s $$;
grant execute on function pg_temp.counts to public;
select test.act_as('carla');
select is(pg_temp.counts(), '3003 3003', 'All follows are counted');
select test.act_as_owner();
update app.users set banned_at = now() where username in ('crowd1', 'crowd9');
select test.act_as('carla');
select is(pg_temp.counts(), '3002 3002', 'Hidden people''s follows are not counted');
select test.act_as_owner();
set constraints all immediate;   -- a table with pending triggers can't be altered
alter table app.users disable trigger user;
update app.users set banned_at = now() where username like 'crowd%' and username not in ('crowd2001', 'crowd2002', 'crowd2003');
alter table app.users enable trigger user;
select test.act_as('carla');
select is(pg_temp.counts(), '3 3', 'More than a thousand hidden follows are not counted either');
select is((with recursive pages as (
    select api.list_followers('bob') as page
    union all select api.list_followers('bob', 20, page ->> 'nextCursor') from pages where (page ->> 'hasMore')::boolean)
  select sum(json_array_length(page -> 'items')) from pages), 3::bigint, 'The pages have all visible followers');
select throws_ok($$ select api.list_followers('bob', 20, '6f1c2a1e-0000-4000-8000-000000000001') $$, 'PT400', 'cursor_unknown',
  'An id that isn''t in the list is no cursor');

select * from finish();
rollback;
