-- What staff can look at, as each kind of person, without the routes: who may call it, and that the caller is still
-- the same after a question about another person.
begin;
create temp table operations (call text);
grant all on operations to public;
insert into operations values
  ($$ select api.explain_access('nobody', 'post', gen_random_uuid()::text) $$),
  ($$ select api.get_daily_figures() $$),
  ($$ select api.get_user_standing('nobody') $$);
select plan((4 * count(*))::int + 9) from operations;

select test.people('alice', 'bob', 'carla', 'mona');
update app.users set role = 'admin' where username = 'alice';
update app.users set role = 'moderator' where username = 'mona';
create temp table made as
  with p as (insert into app.posts (author_id, body, visibility) values (test.id('alice'), 'Near', 'circles') returning id)
  select id from p;
grant select on made to public;

select test.act_as_service('bob');
select throws_ok(call, 'PT403', 'role_required', 'A user can''t ' || call) from operations;
select test.act_as('alice');
select throws_ok(call, '42501', null, 'An admin''s own token can''t, over .rpc(), ' || call) from operations;
select test.act_as('mona');
select throws_ok(call, '42501', null, 'A moderator''s own token can''t, over .rpc(), ' || call) from operations;
select test.act_as_service();
select throws_ok(call, 'PT403', 'role_required', 'The service role without a person can''t ' || call) from operations;

select test.act_as_service('mona');
select is(api.explain_access('carla', 'post', (select id::text from made)) ->> 'canSee', 'false', 'A moderator can ask what Carla sees');
select is(app.uid(), test.id('mona'), 'The moderator is still the caller');
select is(api.explain_access('alice', 'post', (select id::text from made)) ->> 'canSee', 'true', 'Alice sees her own post');
select is(app.uid(), test.id('mona'), 'The moderator is still the caller after a second question');

select test.act_as('mona');
select throws_ok($$ select * from app.daily_figures $$, '42501', null, 'Nobody can read the figures directly');
select throws_ok($$ select * from private.access_reasons $$, '42501', null, 'Nobody can read the reasons directly');
select throws_ok($$ select private.access_of(test.id('alice'), 'post', test.id('alice')) $$, '42501', null, 'People can''t ask what somebody else sees');

-- the figures
select test.act_as_owner();
update app.users set created_at = '2026-01-01 12:00+00' where username = 'carla';
select private.count_day('2026-01-01');
select private.count_day('2026-01-02');
select results_eq($$ select joined, active, posts from app.daily_figures order by day $$,
  $$ values (1, null::integer, 0), (0, null, 0) $$, 'A day is counted in UTC, from its beginning until the next one');
update app.daily_figures set active = 7;
select private.count_day('2026-01-01');
select is((select active from app.daily_figures where day = '2026-01-01'), 7, 'A new count of a day that is over keeps the number of active people');

select * from finish();
rollback;
