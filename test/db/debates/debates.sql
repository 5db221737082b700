-- Debates: who may do what, positions, arguments on four levels, votes, what is earned, bans and erasures.
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

-- Acting as Alice, who opens
select test.act_as('alice');
select pg_temp.open('trees');
select is(api.get_debate(pg_temp.id('trees'))::jsonb - '{author,interest,createdAt,interestId,authorId}'::text[], jsonb_build_object(
  'id', pg_temp.id('trees'), 'kind', 'debate', 'title', 'trees', 'groupId', null, 'guildId', null, 'editedAt', null, 'removedAt', null,
  'body', 'Why trees', 'closesAt', private.utc(now() + interval '1 day'), 'closedAt', null, 'status', 'open',
  'tally', '{"for": 0, "against": 0, "undecided": 0}'::jsonb, 'argumentCount', 0, 'viewer', '{"side": null}'::jsonb), 'a debate has its card');
select throws_ok(format('select api.create_debate(%L, %L, %s)', t, b, c), 'PT422', e, e)
from (values ('', 'x', 'now() + interval ''1 day''', 'content_title'), ('x', '', 'now() + interval ''1 day''', 'content_body'), ('x', 'x', 'now()', 'debate_closes_at'), ('x', 'x', '''9999-12-31Z''', 'debate_closes_at'), ('x', 'x', 'null', 'debate_closes_at')) w (t, b, c, e);
select is(api.update_debate(pg_temp.id('trees'), '{"title": "Trees!", "body": "Shade"}') ->> 'title', 'Trees!', 'its author changes it');
select throws_ok(format('select api.update_debate(pg_temp.id(%L), %L)', 'trees', c), 'PT422', e, e) from (values ('{"closesAt": "2020-01-01T00:00:00Z"}', 'debate_closes_at'), ('{"body": null}', 'content_body')) w (c, e);
select is(pg_temp.names(api.list_debates(p_q => 'SHADE trees')), 'trees', 'and it is found by its words');

-- Acting as Bob and Carla, who take sides
select test.act_as('bob');
select throws_ok(format('select api.%s', o), 'PT403', 'content_not_yours', o) from unnest(array['update_debate(pg_temp.id(''trees''), ''{}'')', 'close_debate(pg_temp.id(''trees''))', 'delete_debate(pg_temp.id(''trees''))']) o;
select is(api.take_position(pg_temp.id('trees'), 'for') -> 'viewer' ->> 'side', 'for', 'one takes a side');
select is(api.take_position(pg_temp.id('trees'), 'against')::jsonb -> 'tally', '{"for": 0, "against": 1, "undecided": 0}', 'and another');
select throws_ok($$ select api.take_position(pg_temp.id('trees'), 'both') $$, 'PT422', 'value_invalid', 'there are three');
select test.act_as('carla');
select api.take_position(pg_temp.id('trees'), 'undecided');
select is(pg_temp.tally('trees'), '0 1 1 0', 'the tally counts all');
select is((select count(*) from app.debate_positions)::int, 1, 'nobody sees where others stand');
select is(api.leave_position(pg_temp.id('trees'))::text, null, 'a position is taken back');
select api.leave_position(pg_temp.id('trees'));
select is(pg_temp.tally('trees'), '0 1 0 0', 'once');

-- arguments
select test.act_as('bob');
select is(pg_temp.argue('one', 'trees')::jsonb - '{id,author,authorId,createdAt}'::text[], jsonb_build_object(
  'debateId', pg_temp.id('trees'), 'side', 'for', 'body', rpad('one', 60, '.'), 'parentId', null, 'votes', 0, 'viewer', '{"voted": false}'::jsonb, 'removedAt', null, 'deletedAt', null), 'an argument has its card');
select pg_sleep(0.002);
select test.act_as('carla');
select pg_temp.argue('two', 'trees', 'against', 'one', 400) from pg_sleep(0.002);
select test.act_as('dora');
select pg_temp.argue('three', 'trees', 'for', 'two') from pg_sleep(0.002);
select test.act_as('alice');
select pg_temp.argue('four', 'trees', 'against', 'three', 301) from pg_sleep(0.002);
select test.act_as('bob');
select throws_ok($$ select pg_temp.argue('five', 'trees', 'for', 'four') $$, 'PT422', 'argument_depth', 'a fifth level there is not');
select throws_ok(format('select pg_temp.argue(''x'', ''trees'', ''for'', null, %s)', n), 'PT422', 'argument_body', n || ' characters are no argument') from unnest(array[0, 49, 2001]) n;
select throws_ok($$ select pg_temp.argue('x', 'trees', 'undecided') $$, 'PT422', 'value_invalid', 'an argument is for or against');
select throws_ok($$ select pg_temp.argue('x', 'trees', 'for', 'trees') $$, 'PT404', 'argument_unknown', 'what it answers is there');
select is(pg_temp.names(api.list_arguments(pg_temp.id('trees'), p_sort => 'new')), 'four three two one', 'all levels, the newest first');
select is(pg_temp.names(api.list_arguments(pg_temp.id('trees'), 'against', p_sort => 'new')), 'four two', 'of one side');
select is(pg_temp.names(api.list_arguments(pg_temp.id('trees'), p_parent_id => pg_temp.id('two'))), 'three', 'the answers to one');
select throws_ok($$ select api.vote_argument(pg_temp.id('one')) $$, 'PT400', 'argument_own', 'nobody votes for their own');
select is(api.vote_argument(pg_temp.id('two')) ->> 'votes', '1', 'others do');
select is(api.vote_argument(pg_temp.id('two')) #>> '{viewer,voted}', 'true', 'once');
select test.act_as('dora');
select api.vote_argument(pg_temp.id('two')), api.vote_argument(pg_temp.id('one'));
select is(pg_temp.names(api.list_arguments(pg_temp.id('trees'))), 'two one four three', 'by votes, then the newest');
select is(pg_temp.names(api.list_arguments(pg_temp.id('trees'), p_sort => s, p_limit => 2, p_cursor => api.list_arguments(pg_temp.id('trees'), p_sort => s, p_limit => 2) ->> 'nextCursor')), n, 'page by page: ' || s)
from (values ('top', 'four three'), ('new', 'two one')) w (s, n);
select throws_ok($$ select api.list_arguments(pg_temp.id('trees'), p_cursor => pg_temp.id('one')::text) $$, 'PT400', 'cursor_unknown', 'from what it gave');
select is(api.unvote_argument(pg_temp.id('one'))::text, null, 'a vote is taken back');
select is((select votes from app.debate_arguments where id = pg_temp.id('one')), 0, 'and counted');

-- what it earns
select is(pg_temp.earned(), 'bob reply.criticism 2.00, carla reply.contribution 5.00, dora reply.criticism 2.00', 'arguments earn as replies do, in one''s own debate nothing');
select test.act_as('dora');
select throws_ok($$ select api.delete_argument(pg_temp.id('one')) $$, 'PT403', 'argument_not_yours', 'only its author deletes an argument');
select api.delete_argument(pg_temp.id('three'));
select throws_ok($$ select api.delete_argument(pg_temp.id('three')) $$, 'PT404', 'argument_unknown', 'once');
select is(pg_temp.names(api.list_arguments(pg_temp.id('trees'))), 'two four three- one', 'where it was answered its place stays');
select is(api.list_arguments(pg_temp.id('trees'))::jsonb #> '{items,2}' ->> 'author', null, 'without its author');
select throws_ok($$ select pg_temp.argue('x', 'trees', 'for', 'three') $$, 'PT404', 'argument_unknown', 'and takes no more answers');
select test.act_as('alice');
select api.delete_argument(pg_temp.id('four'));
select is(pg_temp.names(api.list_arguments(pg_temp.id('trees'))), 'two three- one', 'otherwise it is gone');
select is(pg_temp.tally('trees'), '0 1 0 2', 'the count knows');
select is(pg_temp.earned(), 'bob reply.criticism 2.00, carla reply.contribution 5.00, dora reply.criticism 2.00, dora reply.criticism -2.00', 'what it earned goes with it');
select throws_ok($$ select api.delete_debate(pg_temp.id('trees')) $$, 'PT409', 'debate_answered', 'a debate of others'' arguments stays');

-- across a block, and for staff
select api.block_person('carla');
select is(pg_temp.names(api.list_arguments(pg_temp.id('trees'))), 'three- one', 'a block hides arguments');
select is(api.get_debate(pg_temp.id('trees')) ->> 'argumentCount', '2', 'and not their count');
select throws_ok($$ select api.vote_argument(pg_temp.id('two')) $$, 'PT404', 'argument_unknown', 'nor are they voted for');
select test.act_as('carla');
select throws_ok(format('select api.%s', o), 'PT404', 'debate_unknown', 'the debate is unknown: ' || o) from unnest(array['get_debate(pg_temp.id(''trees''))', 'list_arguments(pg_temp.id(''trees''))', 'take_position(pg_temp.id(''trees''), ''for'')']) o;
select is((api.unvote_argument(pg_temp.id('one')) ->> 'code') || (api.leave_position(pg_temp.id('trees')) ->> 'code'), 'PT404PT404', 'and what is taken back shows nothing');
select api.delete_argument(pg_temp.id('two'));
select test.act_as('alice');
select api.unblock_person('carla');
select test.act_as_owner();
update app.users set role = 'admin' where username = 'eve';
select test.act_as_service('eve');
select is(api.remove_content('arguments', pg_temp.id('one')) ->> 'kind', 'argument', 'staff removes an argument');
select is(pg_temp.tally('trees'), '0 1 0 0', 'which no longer counts');
select test.act_as('carla');
select is(pg_temp.names(api.list_arguments(pg_temp.id('trees'))), 'two- three-', 'which others do not see');
select throws_ok($$ select api.report('argument', pg_temp.id('one')::text, 'x') $$, 'PT404', 'argument_unknown', 'nor report');
select test.act_as('bob');
select is(pg_temp.names(api.list_arguments(pg_temp.id('trees'))), 'two- three- one', 'but its author');
select test.act_as_service('eve');
select api.restore_content('arguments', pg_temp.id('one'));
select is(pg_temp.tally('trees'), '0 1 0 1', 'and gives it back');

-- a ban, its end and an erasure
select test.act_as_owner();
update app.users set banned_at = now() where username = 'bob';
select is(pg_temp.tally('trees'), '0 0 0 0', 'a ban takes positions and arguments from the counts');
select test.act_as('carla');
select is(pg_temp.names(api.list_arguments(pg_temp.id('trees'))), 'two- three-', 'and from sight');
select test.act_as_owner();
update app.users set banned_at = null where username = 'bob';
select is(pg_temp.tally('trees'), '0 1 0 1', 'its end brings them back');
update app.users set erased_at = now() where username = 'bob';
select is(pg_temp.tally('trees') || (select count(*) from app.debate_positions) || (select body from app.debate_arguments where id = pg_temp.id('one')), '0 0 0 00', 'an erasure takes place and words');

-- a closed debate
select test.act_as('alice');
select api.delete_debate(pg_temp.id('trees'));
select pg_temp.open('stars'), pg_temp.open('moons');
select is(api.close_debate(pg_temp.id('moons')) ->> 'status', 'closed', 'its author closes a debate');
select test.act_as('carla');
select pg_temp.argue('last', 'stars'), api.take_position(pg_temp.id('stars'), 'for');
select pg_temp.shut('stars');
select is(api.get_debate(pg_temp.id('stars')) ->> 'status', 'closed', 'or time does');
select throws_ok(format('select api.%s', o), 'PT422', 'debate_closed', 'it is read alone: ' || o)
from unnest(array['take_position(pg_temp.id(''stars''), ''for'')', 'leave_position(pg_temp.id(''stars''))', 'delete_argument(pg_temp.id(''last''))', 'unvote_argument(pg_temp.id(''last''))']) o;
select test.act_as('alice');
select throws_ok(format('select %s', o), 'PT422', 'debate_closed', 'by its author too: ' || o)
from unnest(array['pg_temp.argue(''x'', ''stars'')', 'api.vote_argument(pg_temp.id(''last''))', 'api.close_debate(pg_temp.id(''stars''))', 'api.update_debate(pg_temp.id(''stars''), ''{"title": "x"}'')']) o;
select is(api.delete_debate(pg_temp.id('moons'))::text, null, 'and deleted where nobody argues');
select test.act_as_owner();
select is((select count(*) from app.debates where id = pg_temp.id('moons'))::int, 0, 'for good');

-- the author is erased
select test.act_as('alice');
select pg_temp.open('suns');
select test.act_as('carla');
select pg_temp.argue('stuck', 'suns');
select test.act_as_owner();
update app.users set erased_at = now() where username = 'alice';
select test.act_as('carla');
select is(api.delete_argument(pg_temp.id('stuck'))::text, null, 'words in the debate of an erased person can be taken back');
select test.act_as_owner();
select is((select body from app.debate_arguments where id = pg_temp.id('stuck')), '', 'for good');

select * from finish();
rollback;
