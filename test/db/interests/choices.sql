-- Choosing interests: one by one, in bulk, taking back; the counts; and that it is everyone's own.
begin;
select plan(32);
select test.people('alice', 'bob');

create function pg_temp.interest(p_slug text) returns uuid language sql stable
  as $$ select id from app.interests where slug = p_slug $$;
create function pg_temp.count(p_slug text) returns integer language sql stable
  as $$ select user_count from app.interests where slug = p_slug $$;
create function pg_temp.mine() returns text language sql stable
  as $$ select coalesce(string_agg(format('%s %s/%s', i ->> 'slug', i ->> 'depth', i ->> 'expertise'), ', ' order by n), '')
        from json_array_elements(api.list_my_interests() -> 'items') with ordinality as i (i, n) $$;
create function pg_temp.choice(p_slug text, p_depth integer, p_expertise integer) returns jsonb language sql stable
  as $$ select jsonb_build_object('interestId', pg_temp.interest(p_slug), 'depth', p_depth, 'expertise', p_expertise) $$;
grant execute on all functions in schema pg_temp to public;

-- Acting as Alice
select test.act_as('alice');
select is(pg_temp.mine(), '', 'at first nothing is chosen');
select is(api.select_interest(pg_temp.interest('ethics'), 3, 2) ->> 'interestId', pg_temp.interest('ethics')::text,
  'choosing answers the choice');
select is(pg_temp.count('ethics'), 1, 'and counts');
select lives_ok($$ select api.select_interest(pg_temp.interest('ethics'), 5, 1) $$, 'choosing it again changes it');
select is(pg_temp.mine(), 'ethics 5/1', 'to the new depth and expertise');
select is(pg_temp.count('ethics'), 1, 'and counts once');
select set_eq($$ select json_object_keys(api.list_my_interests() -> 'items' -> 0) $$,
  array['interestId', 'slug', 'name', 'level', 'parentId', 'accentColor', 'depth', 'expertise', 'createdAt', 'updatedAt'],
  'a chosen interest');
select throws_ok($$ select count(*) from app.domain_events $$, '42501', null, 'people do not read the outbox');
select throws_ok($$ select api.select_interest(gen_random_uuid(), 1, 1) $$, 'PT404', 'interest_unknown', 'an unknown interest');
select throws_ok($$ select api.select_interest(pg_temp.interest('ethics'), 6, 1) $$, 'PT422', 'interest_depth_out_of_range', 'depth ends at 5');
select throws_ok($$ select api.select_interest(pg_temp.interest('ethics'), 1, 0) $$, 'PT422', 'interest_expertise_out_of_range', 'expertise begins at 1');

select lives_ok($$ select api.select_interests(jsonb_build_array(
  pg_temp.choice('music', 1, 1), pg_temp.choice('ethics', 2, 2), pg_temp.choice('history', 4, 4))) $$, 'a bulk choice');
select is(pg_temp.mine(), 'ethics 2/2, music 1/1, history 4/4', 'merges, in the order of choosing');
select lives_ok($$ select api.select_interests(jsonb_build_array(
  pg_temp.choice('music', 2, 2), pg_temp.choice('music', 3, 3))) $$, 'one named twice');
select is(pg_temp.mine(), 'ethics 2/2, music 3/3, history 4/4', 'counts as it was named last');
select throws_ok($$ select api.select_interests(jsonb_build_array(
  pg_temp.choice('arts', 1, 1), jsonb_build_object('interestId', gen_random_uuid(), 'depth', 1, 'expertise', 1))) $$,
  'PT404', 'interest_unknown', 'one unknown interest in it');
select throws_ok($$ select api.select_interests(jsonb_build_array(pg_temp.choice('arts', 1, 1), pg_temp.choice('music', 1, 9))) $$,
  'PT422', 'interest_expertise_out_of_range', 'or one wrong number');
select is(pg_temp.mine(), 'ethics 2/2, music 3/3, history 4/4', 'refuses all of it');
select is(pg_temp.count('arts'), 0, 'and counts nothing');
select throws_ok($$ select api.select_interests('{}') $$, '22023', null, 'a bulk choice is a list');

-- Acting as Bob
select test.act_as('bob');
select api.select_interest(pg_temp.interest('ethics'), 1, 1);
select is(pg_temp.count('ethics'), 2, 'every person counts');
select is(pg_temp.mine(), 'ethics 1/1', 'people see their own choices');
select is((select count(*)::int from app.user_interests), 1, 'and no others');
select throws_ok($$ insert into app.user_interests (user_id, interest_id, depth, expertise)
  values (test.id('alice'), pg_temp.interest('arts'), 1, 1) $$, '42501', null, 'nobody chooses for another');
select results_eq($$ with u as (update app.user_interests set depth = 5 where user_id = test.id('alice') returning 1)
  select count(*)::int from u $$, array[0], 'nobody rates for another');
select results_eq($$ with d as (delete from app.user_interests where user_id = test.id('alice') returning 1)
  select count(*)::int from d $$, array[0], 'nobody takes back for another');
select lives_ok($$ select api.drop_interest(pg_temp.interest('ethics')) $$, 'a choice can be taken back');
select lives_ok($$ select api.drop_interest(pg_temp.interest('ethics')) $$, 'twice is no error');
select is(pg_temp.count('ethics'), 1, 'and it counts once');
select throws_ok($$ select api.drop_interest(gen_random_uuid()) $$, 'PT404', 'interest_unknown', 'what was never there');

-- Acting as the owner
select test.act_as_owner();
select results_eq(
  $$ select payload ->> 'userId', jsonb_array_length(payload -> 'interestIds') from app.domain_events
     where name = 'interests.user_selected' order by id $$,
  $$ values (test.id('alice')::text, 3), (test.id('alice')::text, 1) $$, 'a bulk choice alone is told, with what it named');

-- Acting as somebody without a token
select test.act_as_anon();
select throws_ok($$ select api.list_my_interests() $$, '42501', null, 'choosing is for members');

select * from finish();
rollback;
