-- A ban: a banned person can't publish, and their replies are not counted.
begin;
select plan(6);
select test.people('alice', 'bob', 'carla');

-- Acting as Alice, then Bob
select test.act_as('alice');
create temp table post as select (api.create_post('A post') ->> 'id')::uuid as id;
grant select on post to public;
select test.act_as('bob');
select lives_ok($$ select api.create_reply((select id from post), 'A reply') $$, 'A person can reply');
select is(api.get_post((select id from post)) #>> '{counters,replies}', '1', 'The reply is counted');

-- Acting as the owner, who bans Bob
select test.act_as_owner();
update app.users set banned_at = now() where id = test.id('bob');
select throws_ok(
  $$ insert into app.posts (author_id, body) values (test.id('bob'), 'beside the ban') $$,
  'PT401', 'token_revoked', 'A post by a banned person can''t be inserted');
select throws_ok(
  $$ insert into app.replies (post_id, author_id, body) values ((select id from post), test.id('bob'), 'beside the ban') $$,
  'PT401', 'token_revoked', 'A reply by a banned person can''t be inserted');

-- Acting as Carla
select test.act_as('carla');
select is(api.get_post((select id from post)) #>> '{counters,replies}', '0', 'A banned person''s reply is not counted');
select test.act_as_owner();
update app.users set banned_at = null where id = test.id('bob');
select test.act_as('carla');
select is(api.get_post((select id from post)) #>> '{counters,replies}', '1', 'When the ban ends, the reply is counted again');

select * from finish();
rollback;
