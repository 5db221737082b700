-- Problems: bounties that are held, paid once or refunded; solutions, votes, earned reputation; bans and erasures.
begin;
select plan(63);
select test.people('alice', 'bob', 'carla', 'dora');
update app.users set role = 'admin' where username = 'dora';
create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.pose(p_name text, p_bounty integer default null, p_depth integer default 0) returns json language sql as $$
  with p as (select api.create_problem(p_name, 'Who knows ' || p_name, p_depth, p_bounty, (select id from app.interests order by slug limit 1)) as card),
       kept as (insert into made select p_name, (card ->> 'id')::uuid from p)
  select card from p $$;
create function pg_temp.solve(p_name text, p_problem text, p_length int default 60) returns json language sql as $$
  with s as (select api.create_solution(pg_temp.id(p_problem), rpad(p_name, p_length, '.')) as card), kept as (insert into made select p_name, (card ->> 'id')::uuid from s)
  select card from s, pg_sleep(0.002) $$;
create function pg_temp.names(p_page json) returns text language sql stable as $$
  select coalesce(string_agg(coalesce(m.name, '?'), ' ' order by i.place), '')
  from json_array_elements(p_page -> 'items') with ordinality i (item, place) left join made m on m.id = (i.item ->> 'id')::uuid $$;
create function pg_temp.earned() returns text language sql volatile security definer as $$
  select test.settle();
  select coalesce(string_agg(concat_ws(' ', u.username, e.kind, e.delta), ', ' order by e.position), '')
  from app.reputation_entries e join app.users u on u.id = e.user_id where e.roll_up_level = 0 and e.kind like 'reply.%' $$;
create function pg_temp.worked() returns text language sql volatile security definer as $$
  select string_agg(private.release_bounties(j.data) ->> 'changed', ' ') from pgboss.job j where j.name = 'released-bounties' $$;
grant execute on all functions in schema pg_temp to public;
create temp table start as select balance from app.wallets w where w.user_id = test.id('alice');
grant select on start to public;
select is((select balance from start) >= 50, true, 'People start with some mana');
create function pg_temp.less(p_less integer) returns text language sql volatile security definer as $$
  select case when (select balance from app.wallets where user_id = test.id('alice')) = (select balance from start) - p_less then 'as it must be'
              else 'short of ' || (select s.balance - w.balance from start s, app.wallets w where w.user_id = test.id('alice')) end
         || coalesce((select ' WRONG ' || json_agg(a) from private.audit_mana() a), '') $$;
grant execute on all functions in schema pg_temp to public;

-- Acting as Alice
select test.act_as('alice');
select is(pg_temp.pose('gears', 20, 3)::jsonb - '{id,author,authorId,interest,interestId,createdAt}'::text[], jsonb_build_object(
  'kind', 'problem', 'title', 'gears', 'groupId', null, 'guildId', null, 'editedAt', null, 'removedAt', null, 'body', 'Who knows gears', 'depth', 3,
  'bounty', 20, 'status', 'open', 'solvedAt', null, 'closedAt', null, 'solutionCount', 0, 'acceptedSolutionId', null), 'A problem''s card has these fields');
select is(pg_temp.less(20), 'as it must be', 'The bounty is held');
select throws_ok(format('select pg_temp.pose(''x'', %s)', n), 'PT422', 'problem_bounty', 'A bounty is refused: ' || n) from unnest(array[-1, 1000001]) n;
select throws_ok($$ select pg_temp.pose('x', 100000) $$, 'PT409', 'insufficient_mana', 'A bounty the author can''t afford is refused');
select throws_ok($$ select pg_temp.pose('x', 0, 6) $$, 'PT422', 'value_invalid', 'A depth above 5 is refused');
select is(api.add_bounty(pg_temp.id('gears'), 5) ->> 'bounty', '25', 'The author can add to the bounty');
select is(pg_temp.less(25), 'as it must be', 'The added mana is held too');
select throws_ok($$ select api.add_bounty(pg_temp.id('gears'), 0) $$, 'PT422', 'problem_bounty', 'An addition of 0 is refused');
select pg_temp.pose('clocks', null, 1);
select is((select string_agg(t.n, ' ' order by t.n) from string_to_table(pg_temp.names(api.list_problems(p_status => s, p_min_depth => d, p_has_bounty => b)), ' ') t (n)), f, 'The filter finds: ' || coalesce(f, 'none'))
from (values ('open', null, null, 'clocks gears'), ('solved', null, null, null), (null, 2, null, 'gears'), (null, null, true, 'gears'), (null, null, false, 'clocks')) w (s, d, b, f);
select is(api.update_problem(pg_temp.id('gears'), '{"body": "Teeth", "depth": 4}') ->> 'depth', '4', 'The author can change the problem');

-- Solutions
select test.act_as('bob');
select throws_ok(format('select api.%s', o), 'PT403', 'content_not_yours', 'Another person can''t ' || o)
from unnest(array['update_problem(pg_temp.id(''gears''), ''{}'')', 'close_problem(pg_temp.id(''gears''))', 'delete_problem(pg_temp.id(''gears''))', 'add_bounty(pg_temp.id(''gears''), 1)', 'accept_solution(pg_temp.id(''gears''), gen_random_uuid())']) o;
select is(pg_temp.solve('oil', 'gears')::jsonb - '{id,author,authorId,createdAt}'::text[], jsonb_build_object(
  'problemId', pg_temp.id('gears'), 'body', rpad('oil', 60, '.'), 'score', 0, 'accepted', false, 'viewer', '{"vote": null}'::jsonb, 'removedAt', null, 'editedAt', null), 'A solution''s card has these fields');
select throws_ok(format('select pg_temp.solve(''x'', ''gears'', %s)', n), 'PT422', 'solution_body', 'A solution is refused with length ' || n) from unnest(array[49, 20001]) n;
select is(api.update_solution(pg_temp.id('oil'), rpad('Oil', 70, '!')) ->> 'editedAt', private.utc(now()), 'The author can change the solution');
select throws_ok($$ select api.vote_solution(pg_temp.id('oil'), 1) $$, 'PT400', 'solution_own', 'Authors can''t vote for their own solution');
select test.act_as('carla');
select pg_temp.solve('grease', 'gears');
select is(pg_temp.names(api.list_solutions(pg_temp.id('gears'))), 'grease oil', 'Solutions with equal scores are listed newest first');
select is(api.vote_solution(pg_temp.id('oil'), -1) ->> 'score', '-1', 'Others can vote a solution down');
select is(pg_temp.names(api.list_solutions(pg_temp.id('gears'), 1, api.list_solutions(pg_temp.id('gears'), 1) ->> 'nextCursor')), 'oil', 'The cursor leads to the next page, even if a score is below zero');
select is(api.vote_solution(pg_temp.id('oil'), 1)::jsonb - '{id,author,authorId,createdAt,body,editedAt,problemId,removedAt}'::text[], '{"score": 1, "accepted": false, "viewer": {"vote": 1}}', 'Others can vote a solution up');
select throws_ok($$ select api.vote_solution(pg_temp.id('oil'), 2) $$, 'PT422', 'value_invalid', 'A vote that isn''t 1 or -1 is refused');
select is(pg_temp.names(api.list_solutions(pg_temp.id('gears'))), 'oil grease', 'Solutions are ordered by score');
select throws_ok($$ select api.update_solution(pg_temp.id('oil'), rpad('x', 60, 'x')) $$, 'PT403', 'solution_not_yours', 'Nobody can change another person''s solution');
select throws_ok($$ select api.delete_solution(pg_temp.id('oil')) $$, 'PT403', 'solution_not_yours', 'Nobody can delete another person''s solution');

-- Accepting
select test.act_as('alice');
select throws_ok($$ select api.delete_problem(pg_temp.id('gears')) $$, 'PT409', 'problem_answered', 'A problem with other people''s solutions can''t be deleted');
select throws_ok($$ select api.accept_solution(pg_temp.id('clocks'), pg_temp.id('oil')) $$, 'PT404', 'solution_unknown', 'A solution of another problem can''t be accepted');
select api.block_person('carla');
select throws_ok($$ select api.accept_solution(pg_temp.id('gears'), pg_temp.id('grease')) $$, 'PT404', 'solution_unknown', 'A solution of a blocked person can''t be accepted');
select api.unblock_person('carla');
select test.act_as_service('dora');
select api.remove_content('solutions', pg_temp.id('grease'));
select test.act_as('alice');
select throws_ok($$ select api.accept_solution(pg_temp.id('gears'), pg_temp.id('grease')) $$, 'PT404', 'solution_unknown', 'A removed solution can''t be accepted');
select is(api.accept_solution(pg_temp.id('gears'), pg_temp.id('oil')) ->> 'acceptedSolutionId', pg_temp.id('oil')::text, 'The author can accept a solution');
select is(pg_temp.less(25), 'as it must be', 'The held bounty isn''t refunded');
select test.act_as_owner();
select is((select sum(e.amount)::int from app.mana_entries e where e.account_id = test.id('bob') and e.amount = 25), 25, 'The solver gets the bounty');
select is(pg_temp.earned(), 'bob reply.contribution 5.00', 'The solver earns reputation');
select test.act_as('alice');
select throws_ok(format('select api.%s', o), 'PT409', 'problem_solved', 'A solved problem refuses ' || o)
from unnest(array['accept_solution(pg_temp.id(''gears''), pg_temp.id(''oil''))', 'close_problem(pg_temp.id(''gears''))', 'add_bounty(pg_temp.id(''gears''), 1)', 'update_problem(pg_temp.id(''gears''), ''{}'')', 'create_solution(pg_temp.id(''gears''), rpad(''x'', 60, ''x''))', 'vote_solution(pg_temp.id(''oil''), 1)']) o;
select test.act_as('bob');
select throws_ok($$ select api.delete_solution(pg_temp.id('oil')) $$, 'PT409', 'solution_accepted', 'An accepted solution can''t be deleted');

-- Refunds
select test.act_as('alice');
select api.add_bounty(pg_temp.id('clocks'), 10), pg_temp.solve('mine', 'clocks');
select is(api.accept_solution(pg_temp.id('clocks'), pg_temp.id('mine')) ->> 'bounty', '0', 'The bounty is refunded if the author accepts their own solution');
select is(pg_temp.less(25) || ' ' || pg_temp.earned(), 'as it must be bob reply.contribution 5.00', 'The author''s own solution earns nothing');
select pg_temp.pose('closed', 3), pg_temp.pose('deleted', 4), pg_temp.pose('removed', 5), pg_temp.pose('banned', 6);
select is(pg_temp.less(43), 'as it must be', 'Four more bounties are held');
select is(api.close_problem(pg_temp.id('closed')) ->> 'status', 'closed', 'The author can close a problem');
select api.delete_problem(pg_temp.id('deleted'));
select test.act_as('bob');
select pg_temp.solve('late', 'removed');
select test.act_as_service('dora');
select api.remove_content('problems', pg_temp.id('removed'));
select test.act_as('alice');
select throws_ok(format('select api.%s', o), 'PT404', 'problem_unknown', 'The author of a removed problem can''t ' || o)
from unnest(array['accept_solution(pg_temp.id(''removed''), pg_temp.id(''late''))', 'add_bounty(pg_temp.id(''removed''), 1)']) o;
select is(pg_temp.less(31), 'as it must be', 'Closing, deleting and removing a problem refund its bounty');
select test.act_as_service('dora');
select api.restore_content('problems', pg_temp.id('removed'));
select test.act_as('alice');
select is(api.add_bounty(pg_temp.id('removed'), 2) ->> 'bounty', '2', 'A restored problem can get a new bounty');
select test.act_as_owner();
update app.users set banned_at = now() where username = 'alice';
select is(pg_temp.worked(), '2', 'A ban makes the worker refund the bounties');
select is(pg_temp.less(25), 'as it must be', 'All held bounties are refunded');
select is(private.release_bounties(jsonb_build_object('userId', test.id('alice'))) ->> 'changed', '0', 'Running a batch again refunds nothing');
update app.users set banned_at = null where username = 'alice';
select test.act_as('alice');
select is(api.add_bounty(pg_temp.id('banned'), 7) ->> 'bounty', '7', 'After the ban the author can add a bounty');
select test.act_as_owner();
delete from pgboss.job where name = 'released-bounties';
update app.users set erased_at = now() where username = 'alice';
select is(pg_temp.worked(), '1', 'After an erasure the worker refunds the bounties too');
select is(pg_temp.less(25) || (select count(*) from app.problems), 'as it must be0', 'The refund is in the erased person''s wallet');

select * from finish();
rollback;
