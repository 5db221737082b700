-- What erasure does to the social graph: all that a person did and said there goes, of what others said the fact stays.
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
update app.users set erased_at = erased_at where id = (select id from gone);   -- as the job does

select is((select string_agg(name, ', ' order by name) from app.circles), 'Canary of Bob, Canary of Carla', 'circles go');
select is((select count(*)::int from app.circle_members), 0, 'memberships, of the person and in the person''s circles');
select is((select count(*)::int from app.circle_invitations), 0, 'invitations both ways');
select is((select count(*)::int from app.follows where (select id from gone) in (follower_id, following_id)), 0, 'follows both ways');
select is((select count(*)::int from private.removed_follows where (select id from gone) in (follower_id, following_id)), 0, 'and their places');
select is((select count(*)::int from app.mutes), 0, 'mutes both ways');
select is((select count(*)::int from app.muted_keywords), 0, 'keywords');
select is((select count(*)::int from app.blocks where (select id from gone) in (blocker_id, blocked_id)), 0, 'blocks both ways');
select is((select count(*)::int from app.blocks), 1, 'those of others stay');
select is((select reason from app.reports where reporter_id = (select id from gone)), '', 'the words of a report');
select is((select reason from app.reports where reporter_id = test.id('bob')), 'Canary of Bob', 'what others reported stays');
select is((select count(*)::int from app.audience where (select id from gone) in (viewer_id, author_id) and viewer_id <> author_id), 0, 'nobody is their audience');
select is((select count(*)::int from (
    (table app.audience except select viewer_id, author_id, level from private.audience_rebuilt)
    union all (select viewer_id, author_id, level from private.audience_rebuilt except table app.audience)) f), 0,
  'the audience is as it would be rebuilt');
select test.act_as('bob');
select is(api.follow_stats('bob') ->> 'followers', '0', 'and nobody counts them');

select test.act_as_owner();
select private.lock_pairs(array_agg(gen_random_uuid()), array_fill((select id from gone), array[10000])) from generate_series(1, 10000);
select cmp_ok((select count(*)::int from pg_catalog.pg_locks where pid = pg_backend_pid() and locktype = 'advisory'), '<=', 1100,
  'whom thousands block is erased with a bounded number of locks');

select * from finish();
rollback;
