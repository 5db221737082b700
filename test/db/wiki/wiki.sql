-- The wiki: who sees what, who may take part, and that nobody writes it past the operations. Steps over HTTP and many
-- at once: test/api/wiki.
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

-- the gate: 5 in the interest, roll-ups included, or 20 in all
select pg_temp.learn('alice', 'haiku', 10), pg_temp.learn('bob', 'poetry', 4.99), pg_temp.learn('carla', 'mathematics', 20),
       pg_temp.learn('dora', 'poetry', 5);
select test.act_as('alice');
select lives_ok($$ select pg_temp.propose('alice', 'poetry') $$, 'what rolls up to 5 in the interest is enough to propose');
select test.act_as('bob');
select throws_ok($$ select pg_temp.propose('bob', 'poetry') $$, 'PT403', 'wiki_reputation', 'less than 5 is not');
select throws_ok(format('select api.vote_wiki_proposal(%L, 1)', pg_temp.id('alice')), 'PT403', 'wiki_reputation', 'nor to vote');
select is(api.vote_wiki_proposal(pg_temp.id('alice'), 0) ->> 'netVotes', '0', 'taking a vote back needs none');
select test.act_as('carla');
select lives_ok($$ select pg_temp.propose('carla', 'poetry') $$, '20 in all is enough anywhere');
select test.act_as('dora');
select is(api.vote_wiki_proposal(pg_temp.id('alice'), 1) ->> 'netVotes', '1', 'and 5 in the interest to vote');
select throws_ok(format('select api.vote_wiki_proposal(%L, %s)', pg_temp.id('alice'), v), 'PT422', 'wiki_vote_value', 'a vote of ' || v)
from unnest(array['2', '-2', 'null']) v;

-- nobody writes past the operations
select throws_ok(s, '42501', null, 'nobody: ' || s)
from unnest(array['insert into app.wiki_versions (interest_id, version, body, summary, author_id) select interest_id, 9, ''x'', ''x'', app.uid() from app.wiki_proposals',
  'update app.wiki_proposals set status = ''approved''', 'delete from app.wiki_proposals', 'update app.wiki_votes set value = -1',
  'insert into app.wiki_votes (proposal_id, user_id, value) select id, app.uid(), 1 from app.wiki_proposals',
  'insert into app.wiki_proposals (interest_id, author_id, base_version, body, summary, net_votes) select interest_id, app.uid(), 0, ''x'', ''x'', 3 from app.wiki_proposals',
  'insert into app.wiki_proposals (interest_id, author_id, base_version, body, summary) select interest_id, app.uid(), 0, ''x'', ''x'' from app.wiki_proposals']) s;
select throws_ok(format('select api.create_wiki_proposal(''poetry'', %s, 0)', c), 'PT422', e, 'a proposal has words: ' || e)
from (values ('null, ''x'''::text, 'wiki_body'), ('''x'', null', 'wiki_summary')) w (c, e);
select test.act_as('bob');
select is((select count(*) from app.wiki_votes)::int, 0, 'nobody reads how others voted');
select throws_ok('select api.approve_wiki_proposal(gen_random_uuid())', '42501', null, 'and what the staff does only the staff may');
select test.act_as_anon();
select throws_ok($$ select api.get_wiki_entry('poetry') $$, '42501', null, 'without a token there is nothing');

-- staff: the stored role decides
select test.act_as_service('dora');
select throws_ok(format('select %s', c), 'PT403', 'role_required', 'not for others: ' || c)
from unnest(array['api.list_all_wiki_proposals()', format('api.approve_wiki_proposal(%L)', pg_temp.id('alice')),
  format('api.reject_wiki_proposal(%L)', pg_temp.id('alice'))]) c;
select test.act_as_service('finn');
select is(api.approve_wiki_proposal(pg_temp.id('alice')) ->> 'version', '1', 'an admin approves one with a single vote');
select test.act_as('eve');
select is(api.get_wiki_entry('Poetry') ->> 'body', 'The text of alice', 'and everybody reads it');
select test.act_as_owner();
select throws_ok($$ update app.wiki_versions set body = 'x' $$, 'PT409', 'append_only', 'nobody changes a version');
select test.act_as_service('finn');
select is(api.approve_wiki_proposal(pg_temp.id('carla')) ->> 'message', 'wiki_base_stale', 'what was written upon an earlier version is refused');
select is((select status from app.wiki_proposals where id = pg_temp.id('carla')), 'superseded', 'and superseded');
select results_eq($$ select action from app.audit_log order by id $$, array['wiki.approved', 'wiki.superseded'], 'both are in the audit log');

-- across a block, and a ban
select test.act_as('dora');
select pg_temp.propose('dora', 'poetry', 1);
select test.act_as('eve');
select is(pg_temp.seen('poetry'), 'alice carla dora', 'everybody sees proposals');
select api.block_person('dora');
select is(pg_temp.seen('poetry'), 'alice carla', 'but not across a block');
select test.act_as('dora');
select is(pg_temp.seen('poetry'), 'alice carla dora', 'and the other still their own');
select test.act_as_owner();
update app.users set banned_at = now() where username = 'alice';
select test.act_as('bob');
select is(pg_temp.seen('poetry'), 'carla dora', 'nor those of who is banned');
select is(api.get_wiki_entry('poetry')::jsonb - array['interestId', 'name', 'updatedAt'],
  '{"slug": "poetry", "version": 1, "body": "The text of alice", "summary": "About alice", "authorId": null, "author": null}'::jsonb,
  'whose text stays without a name');
select lives_ok(format('select api.list_wiki_proposals(''poetry'', p_cursor => %L)', pg_temp.id('alice')), 'a cursor holds beyond a ban');
select test.act_as('eve');
select throws_ok(format('select api.list_wiki_proposals(''poetry'', p_cursor => %L)', pg_temp.id('dora')), 'PT400', 'cursor_unknown', 'not beyond a block');

select * from finish();
rollback;
