-- Debates: who may do what, positions, arguments on four levels, votes, earned reputation, bans and erasures.
begin;
select plan(80);
select test.people('alice', 'bob', 'carla', 'dora', 'eve');
create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.open(p_name text) returns void language sql as $$
  insert into made select p_name, (api.create_debate(p_name, 'Why ' || p_name, now() + interval '1 day', (select id from app.interests order by slug limit 1)) ->> 'id')::uuid $$;
create function pg_temp.argue(p_name text, p_debate text, p_side text default 'for', p_parent text default null, p_length int default 60) returns json language sql as $$
  with a as (select api.create_argument(pg_temp.id(p_debate), p_side, rpad(p_name, p_length, '.'), pg_temp.id(p_parent)) as card), kept as (insert into made select p_name, (card ->> 'id')::uuid from a)
  select card from a $$;
create function pg_temp.names(p_page json) returns text language sql stable as $$
  select coalesce(string_agg(coalesce(m.name, '?') || case when item ->> 'body' is null then '-' else '' end, ' ' order by i.place), '')
  from json_array_elements(p_page -> 'items') with ordinality i (item, place) left join made m on m.id = (i.item ->> 'id')::uuid $$;
create function pg_temp.tally(p_name text) returns text language sql stable as $$
  select concat_ws(' ', for_count, against_count, undecided_count, argument_count) from app.debates where id = pg_temp.id(p_name) $$;
create function pg_temp.earned() returns text language sql volatile security definer as $$
  select test.settle();
  select coalesce(string_agg(concat_ws(' ', u.username, e.kind, e.delta), ', ' order by e.position), '')
  from app.reputation_entries e join app.users u on u.id = e.user_id where e.roll_up_level = 0 and e.kind like 'reply.%' $$;
create function pg_temp.shut(p_name text) returns void language sql security definer as $$
  update app.debates set closes_at = now() where id = pg_temp.id(p_name) $$;
grant execute on all functions in schema pg_temp to public;

-- Acting as Alice, who opens a debate
select test.act_as('alice');
select pg_temp.open('trees');
select is(api.get_debate(pg_temp.id('trees'))::jsonb - '{author,interest,createdAt,interestId,authorId}'::text[], jsonb_build_object(
  'id', pg_temp.id('trees'), 'kind', 'debate', 'title', 'trees', 'groupId', null, 'guildId', null, 'editedAt', null, 'removedAt', null,
  'body', 'Why trees', 'closesAt', private.utc(now() + interval '1 day'), 'closedAt', null, 'status', 'open',
  'tally', '{"for": 0, "against": 0, "undecided": 0}'::jsonb, 'argumentCount', 0, 'viewer', '{"side": null}'::jsonb), 'A debate''s card has these fields');
select throws_ok(format('select api.create_debate(%L, %L, %s)', t, b, c), 'PT422', e, 'A debate is refused with ' || e)
from (values ('', 'x', 'now() + interval ''1 day''', 'content_title'), ('x', '', 'now() + interval ''1 day''', 'content_body'), ('x', 'x', 'now()', 'debate_closes_at'), ('x', 'x', '''9999-12-31Z''', 'debate_closes_at'), ('x', 'x', 'null', 'debate_closes_at')) w (t, b, c, e);
select is(api.update_debate(pg_temp.id('trees'), '{"title": "Trees!", "body": "Shade"}') ->> 'title', 'Trees!', 'The author can change a debate');
select throws_ok(format('select api.update_debate(pg_temp.id(%L), %L)', 'trees', c), 'PT422', e, 'A change of a debate is refused with ' || e) from (values ('{"closesAt": "2020-01-01T00:00:00Z"}', 'debate_closes_at'), ('{"body": null}', 'content_body')) w (c, e);
select is(pg_temp.names(api.list_debates(p_q => 'SHADE trees')), 'trees', 'A debate is found by its words');

-- Acting as Bob and Carla, who take positions
select test.act_as('bob');
select throws_ok(format('select api.%s', o), 'PT403', 'content_not_yours', 'Only the author can ' || o) from unnest(array['update_debate(pg_temp.id(''trees''), ''{}'')', 'close_debate(pg_temp.id(''trees''))', 'delete_debate(pg_temp.id(''trees''))']) o;
select is(api.take_position(pg_temp.id('trees'), 'for') -> 'viewer' ->> 'side', 'for', 'A person can take a position');
select is(api.take_position(pg_temp.id('trees'), 'against')::jsonb -> 'tally', '{"for": 0, "against": 1, "undecided": 0}', 'A person can change their position');
select throws_ok($$ select api.take_position(pg_temp.id('trees'), 'both') $$, 'PT422', 'value_invalid', 'An unknown position is refused');
select test.act_as('carla');
select api.take_position(pg_temp.id('trees'), 'undecided');
select is(pg_temp.tally('trees'), '0 1 1 0', 'The tally counts all positions');
select is((select count(*) from app.debate_positions)::int, 1, 'Nobody can see other people''s positions');
select is(api.leave_position(pg_temp.id('trees'))::text, null, 'A position can be withdrawn');
select api.leave_position(pg_temp.id('trees'));
select is(pg_temp.tally('trees'), '0 1 0 0', 'Repeating the withdrawal of a position changes nothing');

-- Arguments
select test.act_as('bob');
select is(pg_temp.argue('one', 'trees')::jsonb - '{id,author,authorId,createdAt}'::text[], jsonb_build_object(
  'debateId', pg_temp.id('trees'), 'side', 'for', 'body', rpad('one', 60, '.'), 'parentId', null, 'votes', 0, 'viewer', '{"voted": false}'::jsonb, 'removedAt', null, 'deletedAt', null), 'An argument''s card has these fields');
select pg_sleep(0.002);
select test.act_as('carla');
select pg_temp.argue('two', 'trees', 'against', 'one', 400) from pg_sleep(0.002);
select test.act_as('dora');
select pg_temp.argue('three', 'trees', 'for', 'two') from pg_sleep(0.002);
select test.act_as('alice');
select pg_temp.argue('four', 'trees', 'against', 'three', 301) from pg_sleep(0.002);
select test.act_as('bob');
select throws_ok($$ select pg_temp.argue('five', 'trees', 'for', 'four') $$, 'PT422', 'argument_depth', 'A fifth level of arguments is refused');
select throws_ok(format('select pg_temp.argue(''x'', ''trees'', ''for'', null, %s)', n), 'PT422', 'argument_body', 'An argument of ' || n || ' characters is refused') from unnest(array[0, 49, 2001]) n;
select throws_ok($$ select pg_temp.argue('x', 'trees', 'undecided') $$, 'PT422', 'value_invalid', 'An argument must be for or against');
select throws_ok($$ select pg_temp.argue('x', 'trees', 'for', 'trees') $$, 'PT404', 'argument_unknown', 'An argument can''t answer an unknown argument');
select is(pg_temp.names(api.list_arguments(pg_temp.id('trees'), p_sort => 'new')), 'four three two one', 'The list has all levels, newest first');
select is(pg_temp.names(api.list_arguments(pg_temp.id('trees'), 'against', p_sort => 'new')), 'four two', 'The list can be narrowed to one side');
select is(pg_temp.names(api.list_arguments(pg_temp.id('trees'), p_parent_id => pg_temp.id('two'))), 'three', 'The list can be narrowed to the answers to an argument');
select throws_ok($$ select api.vote_argument(pg_temp.id('one')) $$, 'PT400', 'argument_own', 'Authors can''t vote for their own argument');
select is(api.vote_argument(pg_temp.id('two')) ->> 'votes', '1', 'Others can vote for an argument');
select is(api.vote_argument(pg_temp.id('two')) #>> '{viewer,voted}', 'true', 'Voting again changes nothing');
select test.act_as('dora');
select api.vote_argument(pg_temp.id('two')), api.vote_argument(pg_temp.id('one'));
select is(pg_temp.names(api.list_arguments(pg_temp.id('trees'))), 'two one four three', 'The default order is by votes, then newest first');
select is(pg_temp.names(api.list_arguments(pg_temp.id('trees'), p_sort => s, p_limit => 2, p_cursor => api.list_arguments(pg_temp.id('trees'), p_sort => s, p_limit => 2) ->> 'nextCursor')), n, 'The cursor leads to the next page in the order ' || s)
from (values ('top', 'four three'), ('new', 'two one')) w (s, n);
select throws_ok($$ select api.list_arguments(pg_temp.id('trees'), p_cursor => pg_temp.id('one')::text) $$, 'PT400', 'cursor_unknown', 'A plain id is refused as a cursor');
select is(api.unvote_argument(pg_temp.id('one'))::text, null, 'A vote can be withdrawn');
select is((select votes from app.debate_arguments where id = pg_temp.id('one')), 0, 'A withdrawn vote is not counted');

-- The reputation that an argument earns
select is(pg_temp.earned(), 'bob reply.criticism 2.00, carla reply.contribution 5.00, dora reply.criticism 2.00', 'Arguments earn reputation like replies, but not in the author''s own debate');
select test.act_as('dora');
select throws_ok($$ select api.delete_argument(pg_temp.id('one')) $$, 'PT403', 'argument_not_yours', 'Only its author can delete an argument');
select api.delete_argument(pg_temp.id('three'));
select throws_ok($$ select api.delete_argument(pg_temp.id('three')) $$, 'PT404', 'argument_unknown', 'An argument can be deleted only once');
select is(pg_temp.names(api.list_arguments(pg_temp.id('trees'))), 'two four three- one', 'A deleted argument with answers keeps its place');
select is(api.list_arguments(pg_temp.id('trees'))::jsonb #> '{items,2}' ->> 'author', null, 'A deleted argument has no author');
select throws_ok($$ select pg_temp.argue('x', 'trees', 'for', 'three') $$, 'PT404', 'argument_unknown', 'A deleted argument can''t be answered');
select test.act_as('alice');
select api.delete_argument(pg_temp.id('four'));
select is(pg_temp.names(api.list_arguments(pg_temp.id('trees'))), 'two three- one', 'A deleted argument without answers is gone');
select is(pg_temp.tally('trees'), '0 1 0 2', 'Deleted arguments are not counted');
select is(pg_temp.earned(), 'bob reply.criticism 2.00, carla reply.contribution 5.00, dora reply.criticism 2.00, dora reply.criticism -2.00', 'Deleting an argument reverses what it earned');
select throws_ok($$ select api.delete_debate(pg_temp.id('trees')) $$, 'PT409', 'debate_answered', 'A debate with other people''s arguments can''t be deleted');

-- Blocks, and staff
select api.block_person('carla');
select is(pg_temp.names(api.list_arguments(pg_temp.id('trees'))), 'three- one', 'Arguments of a blocked person are hidden');
select is(api.get_debate(pg_temp.id('trees')) ->> 'argumentCount', '2', 'A block doesn''t change the count of arguments');
select throws_ok($$ select api.vote_argument(pg_temp.id('two')) $$, 'PT404', 'argument_unknown', 'Arguments of a blocked person can''t be voted for');
select test.act_as('carla');
select throws_ok(format('select api.%s', o), 'PT404', 'debate_unknown', 'A person blocked by the author gets debate_unknown from ' || o) from unnest(array['get_debate(pg_temp.id(''trees''))', 'list_arguments(pg_temp.id(''trees''))', 'take_position(pg_temp.id(''trees''), ''for'')']) o;
select is((api.unvote_argument(pg_temp.id('one')) ->> 'code') || (api.leave_position(pg_temp.id('trees')) ->> 'code'), 'PT404PT404', 'Withdrawing a vote or a position across a block returns the code PT404');
select api.delete_argument(pg_temp.id('two'));
select test.act_as('alice');
select api.unblock_person('carla');
select test.act_as_owner();
update app.users set role = 'admin' where username = 'eve';
select test.act_as_service('eve');
select is(api.remove_content('arguments', pg_temp.id('one')) ->> 'kind', 'argument', 'Staff can remove an argument');
select is(pg_temp.tally('trees'), '0 1 0 0', 'A removed argument is not counted');
select test.act_as('carla');
select is(pg_temp.names(api.list_arguments(pg_temp.id('trees'))), 'two- three-', 'Others can''t see a removed argument');
select throws_ok($$ select api.report('argument', pg_temp.id('one')::text, 'x') $$, 'PT404', 'argument_unknown', 'A removed argument can''t be reported');
select test.act_as('bob');
select is(pg_temp.names(api.list_arguments(pg_temp.id('trees'))), 'two- three- one', 'The author still sees the removed argument');
select test.act_as_service('eve');
select api.restore_content('arguments', pg_temp.id('one'));
select is(pg_temp.tally('trees'), '0 1 0 1', 'Staff can restore the argument');

-- A ban, its end and an erasure
select test.act_as_owner();
update app.users set banned_at = now() where username = 'bob';
select is(pg_temp.tally('trees'), '0 0 0 0', 'A ban removes positions and arguments from the counts');
select test.act_as('carla');
select is(pg_temp.names(api.list_arguments(pg_temp.id('trees'))), 'two- three-', 'A banned person''s arguments are hidden');
select test.act_as_owner();
update app.users set banned_at = null where username = 'bob';
select is(pg_temp.tally('trees'), '0 1 0 1', 'The end of the ban restores the counts');
update app.users set erased_at = now() where username = 'bob';
select is(pg_temp.tally('trees') || (select count(*) from app.debate_positions) || (select body from app.debate_arguments where id = pg_temp.id('one')), '0 0 0 00', 'An erasure deletes the positions and empties the arguments');

-- A closed debate
select test.act_as('alice');
select api.delete_debate(pg_temp.id('trees'));
select pg_temp.open('stars'), pg_temp.open('moons');
select is(api.close_debate(pg_temp.id('moons')) ->> 'status', 'closed', 'The author can close a debate');
select test.act_as('carla');
select pg_temp.argue('last', 'stars'), api.take_position(pg_temp.id('stars'), 'for');
select pg_temp.shut('stars');
select is(api.get_debate(pg_temp.id('stars')) ->> 'status', 'closed', 'A debate closes at its time');
select throws_ok(format('select api.%s', o), 'PT422', 'debate_closed', 'In a closed debate nobody can ' || o)
from unnest(array['take_position(pg_temp.id(''stars''), ''for'')', 'leave_position(pg_temp.id(''stars''))', 'delete_argument(pg_temp.id(''last''))', 'unvote_argument(pg_temp.id(''last''))']) o;
select test.act_as('alice');
select throws_ok(format('select %s', o), 'PT422', 'debate_closed', 'In a closed debate its author can''t ' || o)
from unnest(array['pg_temp.argue(''x'', ''stars'')', 'api.vote_argument(pg_temp.id(''last''))', 'api.close_debate(pg_temp.id(''stars''))', 'api.update_debate(pg_temp.id(''stars''), ''{"title": "x"}'')']) o;
select is(api.delete_debate(pg_temp.id('moons'))::text, null, 'A closed debate without arguments can be deleted');
select test.act_as_owner();
select is((select count(*) from app.debates where id = pg_temp.id('moons'))::int, 0, 'The deletion is permanent');

-- The author is erased
select test.act_as('alice');
select pg_temp.open('suns');
select test.act_as('carla');
select pg_temp.argue('stuck', 'suns');
select test.act_as_owner();
update app.users set erased_at = now() where username = 'alice';
select test.act_as('carla');
select is(api.delete_argument(pg_temp.id('stuck'))::text, null, 'An argument in the debate of an erased person can be deleted');
select test.act_as_owner();
select is((select body from app.debate_arguments where id = pg_temp.id('stuck')), '', 'The text of the deleted argument is gone');

select * from finish();
rollback;
