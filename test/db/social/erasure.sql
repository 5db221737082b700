-- What an erasure does to the social graph: it deletes everything that the person did and wrote there. Other people's
-- reports of the person stay, without their texts.
begin;
select plan(15);
select test.people('alice', 'bob', 'carla');

select test.act_as('alice');
select api.create_circle('Canary of Alice');
select api.add_circle_member((select id from app.circles), 'carla');
select api.invite_to_circle((select id from app.circles), 'bob');
select api.follow_person('bob');
select api.follow_person('carla');
select api.unfollow_person('carla');
select api.mute_person('bob');
select api.mute_keyword('canary of alice');
select api.report('user', 'bob', 'Canary of Alice');
select test.act_as('bob');
select api.create_circle('Canary of Bob');
select api.invite_to_circle((select id from app.circles where name = 'Canary of Bob'), 'alice');
select api.follow_person('alice');
select api.mute_person('alice');
select api.report('user', 'alice', 'Canary of Bob');
select test.act_as('carla');
select api.create_circle('Canary of Carla');
select api.add_circle_member((select id from app.circles where name = 'Canary of Carla'), 'alice');
select api.follow_person('bob');
select api.block_person('bob');

select test.act_as_owner();
insert into app.blocks (blocker_id, blocked_id) values (test.id('alice'), test.id('carla'));
create temp table gone as select test.id('alice') as id;
update app.users set erased_at = now() where username = 'alice';
select private.job_finish_erasures();

select is((select string_agg(name, ', ' order by name) from app.circles), 'Canary of Bob, Canary of Carla', 'Circles of the person are deleted');
select is((select count(*)::int from app.circle_members), 0, 'Memberships of the person, and in the person''s circles, are deleted');
select is((select count(*)::int from app.circle_invitations), 0, 'Invitations from and to the person are deleted');
select is((select count(*)::int from app.follows where (select id from gone) in (follower_id, following_id)), 0, 'Follows from and to the person are deleted');
select is((select count(*)::int from private.removed_follows where (select id from gone) in (follower_id, following_id)), 0, 'The stored places of ended follows are deleted');
select is((select count(*)::int from app.mutes), 0, 'Mutes by and of the person are deleted');
select is((select count(*)::int from app.muted_keywords), 0, 'Muted keywords are deleted');
select is((select count(*)::int from app.blocks where (select id from gone) in (blocker_id, blocked_id)), 0, 'Blocks by and of the person are deleted');
select is((select count(*)::int from app.blocks), 1, 'Other people''s blocks stay');
select is((select reason from app.reports where reporter_id = (select id from gone)), '', 'The text of the person''s report is emptied');
select is((select reason from app.reports where reporter_id = test.id('bob')), 'Canary of Bob', 'Another person''s report stays');
select is((select count(*)::int from app.audience where (select id from gone) in (viewer_id, author_id) and viewer_id <> author_id), 0, 'Nobody is in the person''s audience');
select is((select count(*)::int from (
    (table app.audience except select viewer_id, author_id, level from private.audience_rebuilt)
    union all (select viewer_id, author_id, level from private.audience_rebuilt except table app.audience)) f), 0,
  'The audience equals what a rebuild gives');
select test.act_as('bob');
select is(api.follow_stats('bob') ->> 'followers', '0', 'The erased person isn''t counted as a follower');

select test.act_as_owner();
select private.lock_pairs(array_agg(gen_random_uuid()), array_fill((select id from gone), array[10000])) from generate_series(1, 10000);
select cmp_ok((select count(*)::int from pg_catalog.pg_locks where pid = pg_backend_pid() and locktype = 'advisory'), '<=', 1100,
  'Erasing a person blocked by thousands takes a bounded number of locks');

select * from finish();
rollback;
