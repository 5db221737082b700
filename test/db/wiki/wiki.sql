-- The wiki: who sees what, who may take part, and that nobody writes it without the operations. Steps over HTTP and
-- concurrent requests are in test/api/wiki.
begin;
select plan(37);
select test.people('alice', 'bob', 'carla', 'dora', 'eve', 'finn');
update app.users set role = 'admin' where username = 'finn';

create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.interest(p_slug text) returns uuid language sql stable security definer as $$ select id from app.interests where slug = p_slug $$;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.learn(p_name text, p_slug text, p_points numeric) returns void language sql security definer as $$
  select private.add_reputation(test.id(p_name), pg_temp.interest(p_slug), 'admin.adjusted', p_points) $$;
create function pg_temp.propose(p_name text, p_slug text, p_base integer default 0) returns void language sql as $$
  insert into made select p_name, (api.create_wiki_proposal(p_slug, 'The text of ' || p_name, 'About ' || p_name, p_base) ->> 'id')::uuid $$;
create function pg_temp.seen(p_slug text) returns text language sql stable as $$
  select coalesce(string_agg(i #>> '{proposer,username}', ' ' order by i #>> '{proposer,username}'), '')
  from json_array_elements(api.list_wiki_proposals(p_slug) -> 'items') i $$;
grant execute on all functions in schema pg_temp to public;

-- Required reputation: 5 in the interest, including roll-ups, or 20 in total
select pg_temp.learn('alice', 'haiku', 10), pg_temp.learn('bob', 'poetry', 4.99), pg_temp.learn('carla', 'mathematics', 20),
       pg_temp.learn('dora', 'poetry', 5);
select test.act_as('alice');
select lives_ok($$ select pg_temp.propose('alice', 'poetry') $$, 'A reputation that rolls up to 5 in the interest is enough to propose');
select test.act_as('bob');
select throws_ok($$ select pg_temp.propose('bob', 'poetry') $$, 'PT403', 'wiki_reputation', 'A reputation below 5 isn''t enough to propose');
select throws_ok(format('select api.vote_wiki_proposal(%L, 1)', pg_temp.id('alice')), 'PT403', 'wiki_reputation', 'A reputation below 5 isn''t enough to vote');
select is(api.vote_wiki_proposal(pg_temp.id('alice'), 0) ->> 'netVotes', '0', 'Withdrawing a vote needs no reputation');
select test.act_as('carla');
select lives_ok($$ select pg_temp.propose('carla', 'poetry') $$, 'A total reputation of 20 is enough in any interest');
select test.act_as('dora');
select is(api.vote_wiki_proposal(pg_temp.id('alice'), 1) ->> 'netVotes', '1', 'A reputation of 5 in the interest is enough to vote');
select throws_ok(format('select api.vote_wiki_proposal(%L, %s)', pg_temp.id('alice'), v), 'PT422', 'wiki_vote_value', 'An invalid vote is refused: ' || v)
from unnest(array['2', '-2', 'null']) v;

-- Nobody writes without the operations
select throws_ok(s, '42501', null, 'Nobody can run: ' || s)
from unnest(array['insert into app.wiki_versions (interest_id, version, body, summary, author_id) select interest_id, 9, ''x'', ''x'', app.uid() from app.wiki_proposals',
  'update app.wiki_proposals set status = ''approved''', 'delete from app.wiki_proposals', 'update app.wiki_votes set value = -1',
  'insert into app.wiki_votes (proposal_id, user_id, value) select id, app.uid(), 1 from app.wiki_proposals',
  'insert into app.wiki_proposals (interest_id, author_id, base_version, body, summary, net_votes) select interest_id, app.uid(), 0, ''x'', ''x'', 3 from app.wiki_proposals',
  'insert into app.wiki_proposals (interest_id, author_id, base_version, body, summary) select interest_id, app.uid(), 0, ''x'', ''x'' from app.wiki_proposals']) s;
select throws_ok(format('select api.create_wiki_proposal(''poetry'', %s, 0)', c), 'PT422', e, 'A proposal without its texts is refused with ' || e)
from (values ('null, ''x'''::text, 'wiki_body'), ('''x'', null', 'wiki_summary')) w (c, e);
select test.act_as('bob');
select is((select count(*) from app.wiki_votes)::int, 0, 'Nobody can read other people''s votes');
select throws_ok('select api.approve_wiki_proposal(gen_random_uuid())', '42501', null, 'People can''t call the operations of staff');
select test.act_as_anon();
select throws_ok($$ select api.get_wiki_entry('poetry') $$, '42501', null, 'The wiki needs a signed-in caller');

-- Staff: the stored role decides
select test.act_as_service('dora');
select throws_ok(format('select %s', c), 'PT403', 'role_required', 'A user can''t call ' || c)
from unnest(array['api.list_all_wiki_proposals()', format('api.approve_wiki_proposal(%L)', pg_temp.id('alice')),
  format('api.reject_wiki_proposal(%L)', pg_temp.id('alice'))]) c;
select test.act_as_service('finn');
select is(api.approve_wiki_proposal(pg_temp.id('alice')) ->> 'version', '1', 'An admin can approve a proposal without enough votes');
select test.act_as('eve');
select is(api.get_wiki_entry('Poetry') ->> 'body', 'The text of alice', 'Everybody can read the approved entry');
select test.act_as_owner();
select throws_ok($$ update app.wiki_versions set body = 'x' $$, 'PT409', 'append_only', 'A version can''t be changed');
select test.act_as_service('finn');
select is(api.approve_wiki_proposal(pg_temp.id('carla')) ->> 'message', 'wiki_base_stale', 'A proposal based on an earlier version can''t be approved');
select is((select status from app.wiki_proposals where id = pg_temp.id('carla')), 'superseded', 'A proposal based on an earlier version becomes superseded when staff try to approve it');
select results_eq($$ select action from app.audit_log order by id $$, array['wiki.approved', 'wiki.superseded'], 'Both decisions are in the audit log');

-- Across a block, and a ban
select test.act_as('dora');
select pg_temp.propose('dora', 'poetry', 1);
select test.act_as('eve');
select is(pg_temp.seen('poetry'), 'alice carla dora', 'Everybody sees the proposals');
select api.block_person('dora');
select is(pg_temp.seen('poetry'), 'alice carla', 'Proposals of a blocked person are hidden');
select test.act_as('dora');
select is(pg_temp.seen('poetry'), 'alice carla dora', 'The blocked person still sees their own proposal');
select test.act_as_owner();
update app.users set banned_at = now() where username = 'alice';
select test.act_as('bob');
select is(pg_temp.seen('poetry'), 'carla dora', 'Proposals of a banned person are hidden');
select is(api.get_wiki_entry('poetry')::jsonb - array['interestId', 'name', 'updatedAt'],
  '{"slug": "poetry", "version": 1, "body": "The text of alice", "summary": "About alice", "authorId": null, "author": null}'::jsonb,
  'An entry by a banned person stays without the author''s name');
select lives_ok(format('select api.list_wiki_proposals(''poetry'', p_cursor => %L)', pg_temp.id('alice')), 'A proposal of a banned person stays valid as a cursor');
select test.act_as('eve');
select throws_ok(format('select api.list_wiki_proposals(''poetry'', p_cursor => %L)', pg_temp.id('dora')), 'PT400', 'cursor_unknown', 'A proposal of a blocked person is no cursor');

select * from finish();
rollback;
