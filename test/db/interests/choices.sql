-- Choosing interests one by one and in bulk, dropping them, and the counts. Everyone has their own choices.
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
select is(pg_temp.mine(), '', 'At first nothing is chosen');
select is(api.select_interest(pg_temp.interest('ethics'), 3, 2) ->> 'interestId', pg_temp.interest('ethics')::text,
  'Choosing an interest returns the choice');
select is(pg_temp.count('ethics'), 1, 'The choice is counted');
select lives_ok($$ select api.select_interest(pg_temp.interest('ethics'), 5, 1) $$, 'Choosing an interest again is accepted');
select is(pg_temp.mine(), 'ethics 5/1', 'The second choice sets the new depth and expertise');
select is(pg_temp.count('ethics'), 1, 'The second choice isn''t counted again');
select set_eq($$ select json_object_keys(api.list_my_interests() -> 'items' -> 0) $$,
  array['interestId', 'slug', 'name', 'level', 'parentId', 'accentColor', 'depth', 'expertise', 'createdAt', 'updatedAt'],
  'A chosen interest has these fields');
select throws_ok($$ select count(*) from app.domain_events $$, '42501', null, 'People can''t read the outbox');
select throws_ok($$ select api.select_interest(gen_random_uuid(), 1, 1) $$, 'PT404', 'interest_unknown', 'An unknown interest can''t be chosen');
select throws_ok($$ select api.select_interest(pg_temp.interest('ethics'), 6, 1) $$, 'PT422', 'interest_depth_out_of_range', 'A depth above 5 is refused');
select throws_ok($$ select api.select_interest(pg_temp.interest('ethics'), 1, 0) $$, 'PT422', 'interest_expertise_out_of_range', 'An expertise below 1 is refused');

select lives_ok($$ select api.select_interests(jsonb_build_array(
  pg_temp.choice('music', 1, 1), pg_temp.choice('ethics', 2, 2), pg_temp.choice('history', 4, 4))) $$, 'Several interests can be chosen at once');
select is(pg_temp.mine(), 'ethics 2/2, music 1/1, history 4/4', 'A bulk choice is merged with earlier choices, in the order of choosing');
select lives_ok($$ select api.select_interests(jsonb_build_array(
  pg_temp.choice('music', 2, 2), pg_temp.choice('music', 3, 3))) $$, 'An interest may be named twice in a bulk choice');
select is(pg_temp.mine(), 'ethics 2/2, music 3/3, history 4/4', 'If an interest is named twice, its last mention counts');
select throws_ok($$ select api.select_interests(jsonb_build_array(
  pg_temp.choice('arts', 1, 1), jsonb_build_object('interestId', gen_random_uuid(), 'depth', 1, 'expertise', 1))) $$,
  'PT404', 'interest_unknown', 'A bulk choice with an unknown interest is refused');
select throws_ok($$ select api.select_interests(jsonb_build_array(pg_temp.choice('arts', 1, 1), pg_temp.choice('music', 1, 9))) $$,
  'PT422', 'interest_expertise_out_of_range', 'A bulk choice with a number out of range is refused');
select is(pg_temp.mine(), 'ethics 2/2, music 3/3, history 4/4', 'A refused bulk choice changes nothing');
select is(pg_temp.count('arts'), 0, 'A refused bulk choice isn''t counted');
select throws_ok($$ select api.select_interests('{}') $$, '22023', null, 'A bulk choice must be a list');

-- Acting as Bob
select test.act_as('bob');
select api.select_interest(pg_temp.interest('ethics'), 1, 1);
select is(pg_temp.count('ethics'), 2, 'Each person is counted');
select is(pg_temp.mine(), 'ethics 1/1', 'People see their own choices');
select is((select count(*)::int from app.user_interests), 1, 'People don''t see the choices of others');
select throws_ok($$ insert into app.user_interests (user_id, interest_id, depth, expertise)
  values (test.id('alice'), pg_temp.interest('arts'), 1, 1) $$, '42501', null, 'Nobody can choose for somebody else');
select results_eq($$ with u as (update app.user_interests set depth = 5 where user_id = test.id('alice') returning 1)
  select count(*)::int from u $$, array[0], 'Nobody can change somebody else''s choice');
select results_eq($$ with d as (delete from app.user_interests where user_id = test.id('alice') returning 1)
  select count(*)::int from d $$, array[0], 'Nobody can drop somebody else''s choice');
select lives_ok($$ select api.drop_interest(pg_temp.interest('ethics')) $$, 'A choice can be dropped');
select lives_ok($$ select api.drop_interest(pg_temp.interest('ethics')) $$, 'Dropping a choice twice is not an error');
select is(pg_temp.count('ethics'), 1, 'Dropping a choice twice is counted once');
select throws_ok($$ select api.drop_interest(gen_random_uuid()) $$, 'PT404', 'interest_unknown', 'An unknown interest can''t be dropped');

-- Acting as the owner
select test.act_as_owner();
select results_eq(
  $$ select payload ->> 'userId', jsonb_array_length(payload -> 'interestIds') from app.domain_events
     where name = 'interests.user_selected' order by id $$,
  $$ values (test.id('alice')::text, 3), (test.id('alice')::text, 1) $$, 'Only bulk choices emit an event, with the interests they named');

-- Acting as somebody without a token
select test.act_as_anon();
select throws_ok($$ select api.list_my_interests() $$, '42501', null, 'Choosing needs a signed-in caller');

select * from finish();
rollback;
