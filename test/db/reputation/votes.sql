-- Peer votes: who can vote, their weight, and that after changes only the last value of a vote counts.
begin;
select plan(50);
select test.people('alice', 'bob', 'carla', 'dan');

create function pg_temp.interest(p_slug text) returns uuid language sql stable
  as $$ select id from app.interests where slug = p_slug $$;
create function pg_temp.give(p_name text, p_slug text, p_points numeric) returns void language sql volatile security definer
  as $$ select private.add_reputation(test.id(p_name), pg_temp.interest(p_slug), 'admin.adjusted', p_points) $$;
create function pg_temp.vote(p_name text, p_slug text, p_value integer, p_comment text default null) returns jsonb language sql volatile
  as $$ select api.vote_reputation(p_name, pg_temp.interest(p_slug), p_value, p_comment)::jsonb $$;
create function pg_temp.of_votes(p_name text) returns setof text language sql stable security definer
  as $$ select i.slug || ' ' || sum(e.delta) from app.reputation_entries e join app.interests i on i.id = e.interest_id
        where e.user_id = test.id(p_name) and e.kind = 'vote.received' group by i.slug having sum(e.delta) <> 0 order by i.slug $$;
create function pg_temp.direct(p_name text) returns setof numeric language sql stable security definer
  as $$ select delta from app.reputation_entries
        where user_id = test.id(p_name) and kind = 'vote.received' and roll_up_level = 0 order by position $$;
create function pg_temp.heard() returns setof jsonb language sql stable
  as $$ select i::jsonb from json_array_elements(api.list_notifications(50) -> 'items') i where i ->> 'kind' = 'reputation.voted' $$;
create function pg_temp.mine() returns setof jsonb language sql stable
  as $$ select i::jsonb from json_array_elements(api.list_received_votes(50) -> 'items') i $$;
grant execute on all functions in schema pg_temp to public;

select results_eq(
  $$ select r, round(private.vote_weight(r) * 1, 2), round(private.vote_weight(r) * -1, 2)
     from unnest(array[null, -50, 0, 4.99, 5, 10, 12.5, 40, 89.99, 90, 90.01, 100000]::numeric[]) r $$,
  $$ values (null::numeric, 0.00, 0.00), (-50, 0, 0), (0, 0, 0), (4.99, 0, 0), (5, 0.71, -0.71), (10, 1, -1), (12.5, 1.12, -1.12),
            (40, 2, -2), (89.99, 3, -3), (90, 3, -3), (90.01, 3, -3), (100000, 3, -3) $$,
  'A vote''s weight is 0 below 5, then the square root of a tenth of the reputation, and at most 3');

-- Acting as Bob, who has chosen an interest and has no reputation in it
select test.act_as('bob');
select api.select_interest(pg_temp.interest('applied-ethics'), 2, 2);
select is(pg_temp.vote('alice', 'applied-ethics', 1) - 'createdAt' - 'updatedAt', jsonb_build_object(
    'userId', 'acct:alice@localhost', 'interestId', pg_temp.interest('applied-ethics'), 'value', 1, 'comment', null, 'weight', 0, 'impact', 0),
  'A vote without reputation is accepted and has no weight');
select is_empty($$ select pg_temp.direct('alice') $$, 'A vote without weight leaves no ledger entry');
select pg_temp.give('bob', 'applied-ethics', 5);
select is((pg_temp.vote('alice', 'applied-ethics', 1) ->> 'impact')::numeric, 0.71, 'Voting again uses the current weight');
select results_eq($$ select pg_temp.of_votes('alice') $$, array['applied-ethics 0.71', 'ethics 0.36', 'philosophy 0.18'], 'A vote rolls up to the parent interests');
select pg_temp.give('bob', 'applied-ethics', 7.5);
select is((pg_temp.vote('alice', 'applied-ethics', -1, e'  No.\n') - 'createdAt' - 'updatedAt' - 'weight'), jsonb_build_object(
    'userId', 'acct:alice@localhost', 'interestId', pg_temp.interest('applied-ethics'), 'value', -1, 'comment', 'No.', 'impact', -1.12),
  'A moved vote has the current weight');
select results_eq($$ select pg_temp.of_votes('alice') $$, array['applied-ethics -1.12', 'ethics -0.56', 'philosophy -0.28'],
  'In all levels of the catalog only the last vote counts');
select results_eq($$ select pg_temp.direct('alice') $$, array[0.71, -1.83], 'The ledger has an entry with the difference');
select is((api.get_reputation('alice') ->> 'total')::numeric, -1.12, 'A person''s reputation can fall below 0');
select is(pg_temp.vote('alice', 'applied-ethics', 0, 'But no') - 'createdAt' - 'updatedAt' - 'weight', jsonb_build_object(
    'userId', 'acct:alice@localhost', 'interestId', pg_temp.interest('applied-ethics'), 'value', 0, 'comment', null, 'impact', 0),
  'A vote of 0 removes the vote and its comment');
select is_empty($$ select pg_temp.of_votes('alice') $$, 'A removed vote leaves nothing in the sums');
do $$
begin
  for i in 1..10 loop
    perform pg_temp.give('bob', 'applied-ethics', 0.37), pg_temp.vote('alice', 'applied-ethics', i % 3 - 1);
  end loop;
  perform pg_temp.vote('alice', 'applied-ethics', 1);
end $$;
select results_eq($$ select pg_temp.of_votes('alice') $$, array['applied-ethics 1.27', 'ethics 0.64', 'philosophy 0.32'],
  'However often a vote is moved, only the last one counts');
select is((select count(*)::int from app.reputation where user_id = test.id('alice') and value not in (1.27, 0.64, 0.32)), 0,
  'The sums agree');
select api.drop_interest(pg_temp.interest('applied-ethics'));
select throws_ok($$ select pg_temp.vote('alice', 'applied-ethics', 0) $$, 'PT403', 'interest_not_held',
  'A person who dropped the interest can''t vote in it any more, not even 0');

-- Refused votes
select api.select_interest(pg_temp.interest('ethics'), 2, 2);
select throws_ok($$ select pg_temp.vote('alice', 'music', 1) $$, 'PT403', 'interest_not_held', 'A person can''t vote in an interest they haven''t chosen');
select throws_ok($$ select pg_temp.vote('alice', 'philosophy', 1) $$, 'PT403', 'interest_not_held', 'A person can''t vote in the parent of a chosen interest');
select throws_ok($$ select pg_temp.vote('bob', 'ethics', 1) $$, 'PT400', 'vote_oneself', 'People can''t vote for themselves');
select throws_ok($$ select pg_temp.vote('zoe', 'ethics', 1) $$, 'PT404', 'person_unknown', 'A vote for an unknown person is refused');
select throws_ok($$ select api.vote_reputation('alice', gen_random_uuid(), 1) $$, 'PT404', 'interest_unknown', 'A vote in an unknown interest is refused');
select throws_ok($$ select api.vote_reputation('alice', null, 1) $$, 'PT404', 'interest_unknown', 'A vote without an interest is refused');
select throws_ok(format('select pg_temp.vote(''alice'', ''ethics'', %L)', v), 'PT422', 'vote_value', format('A vote with the value %s is refused', coalesce(v, 'null')))
from unnest(array['2', '-2', null]) v;
select throws_ok($$ select pg_temp.vote('alice', 'ethics', 1, repeat('x', 281)) $$, 'PT422', 'vote_comment', 'A comment of 281 characters is refused');
select is(length(pg_temp.vote('alice', 'ethics', 1, repeat('é', 280)) ->> 'comment'), 280, 'A comment of 280 characters is accepted');
select throws_ok($$ insert into app.reputation_votes (voter_id, user_id, interest_id, value, impact)
  values (test.id('bob'), test.id('alice'), pg_temp.interest('music'), 1, 3) $$, '42501', null, 'Nobody can insert votes directly');
select is_empty($$ select from app.reputation_votes $$, 'Voters see no rows of votes for others, not even their own votes');

-- Acting as Alice
select test.act_as('alice');
select results_eq($$ select v ->> 'voterId', v #>> '{voter,username}', v ->> 'slug', (v ->> 'value')::int, length(v ->> 'comment'), (v ->> 'impact')::numeric
    from pg_temp.mine() v order by v ->> 'slug' $$,
  $$ values ('acct:bob@localhost', 'bob', 'applied-ethics', 1, null::int, 1.27), ('acct:bob@localhost', 'bob', 'ethics', 1, 280, 0.90) $$,
  'The receiver of a vote sees who cast it, and its impact');
select set_eq($$ select jsonb_object_keys(v) from pg_temp.mine() v $$,
  array['id', 'voterId', 'voter', 'interestId', 'slug', 'value', 'comment', 'impact', 'createdAt'], 'A received vote has these fields');
select results_eq($$ select (h -> 'payload')::jsonb, h #>> '{actors,0,username}', h #>> '{target,type}', (h ->> 'count')::int from pg_temp.heard() h
    order by h -> 'payload' ->> 'interestId' $$,
  $$ select jsonb_build_object('interestId', id, 'value', 1), 'bob', 'vote', 1 from app.interests
     where slug in ('applied-ethics', 'ethics') order by id::text $$,
  'The receiver is notified of each vote, with the latest value while unread');
select api.mark_read(p_before => now() + interval '1 minute');

-- Acting as Bob: which changes notify
select test.act_as('bob');
select pg_temp.vote('alice', 'ethics', 1, 'Again');
select test.act_as('alice');
select is((select count(*)::int from pg_temp.heard()), 2, 'An unchanged vote doesn''t notify again');
select is((select v ->> 'comment' from pg_temp.mine() v where v ->> 'slug' = 'ethics'), 'Again', 'The comment of an unchanged vote can still change');
select test.act_as('bob');
select pg_temp.vote('alice', 'ethics', 0);
select test.act_as('alice');
select is((select count(*)::int from pg_temp.heard()), 2, 'A removed vote doesn''t notify');
select is((select count(*)::int from pg_temp.mine()), 1, 'A removed vote isn''t listed');
select test.act_as('bob');
select pg_temp.vote('alice', 'ethics', -1);
select test.act_as('alice');
select is((select count(*)::int from pg_temp.heard()), 3, 'A downvote notifies');

-- Who can see votes: across a block, and of banned people
select test.act_as('carla');
select api.select_interest(pg_temp.interest('ethics'), 1, 1);
select pg_temp.give('carla', 'ethics', 1000);
select is((pg_temp.vote('alice', 'ethics', 1) ->> 'weight')::numeric, 3::numeric, 'The weight is capped at 3');
select api.block_person('alice');
select throws_ok($$ select pg_temp.vote('alice', 'ethics', -1) $$, 'PT404', 'person_unknown', 'Nobody can vote across a block');
select test.act_as('alice');
select throws_ok($$ select pg_temp.vote('carla', 'ethics', 1) $$, 'PT404', 'person_unknown', 'The blocked person can''t vote either');
select is((select count(*)::int from pg_temp.mine() v where v ->> 'voterId' ~ 'carla'), 0, 'A vote of a person across a block isn''t listed');
select is((select (i ->> 'value')::numeric from json_array_elements(api.get_my_reputation() -> 'items') i where i ->> 'slug' = 'ethics'),
  3 - 0.90 + 0.64, 'A vote of a person across a block still counts');
select is((api.list_received_votes(1) ->> 'hasMore')::boolean, true, 'The remaining two votes come in pages');
create temporary table cursors as select api.list_received_votes(1) ->> 'nextCursor' as id;
grant all on cursors to public;
select test.act_as_owner();
update app.users set banned_at = now() where username = 'bob';
select test.act_as('alice');
select is_empty($$ select pg_temp.mine() $$, 'Votes of banned people are not listed');
select lives_ok($$ select api.list_received_votes(1, (select id from cursors)) $$, 'A hidden vote stays valid as a cursor');
select throws_ok($$ select api.list_received_votes(1, gen_random_uuid()::text) $$, 'PT400', 'cursor_unknown', 'An invented cursor is refused');
select throws_ok($$ select api.list_received_votes(1, 'x') $$, 'PT400', 'cursor_unknown', 'A malformed cursor is refused');
select throws_ok($$ select api.list_received_votes(51) $$, 'PT422', 'limit_out_of_range', 'A limit above 50 is refused');

-- Acting as Dan, whom the votes don't concern
select test.act_as('dan');
select is_empty($$ select pg_temp.mine() $$, 'Votes for other people are not listed');
select throws_ok($$ select api.list_received_votes(1, (select id from cursors)) $$, 'PT400', 'cursor_unknown', 'A vote for another person is no cursor');

-- A ban while the person votes
select test.act('authenticated', test.claims('bob'));
select throws_ok($$ select private.cast_vote(test.id('alice'), pg_temp.interest('ethics'), 1, null) $$, 'PT401', 'token_revoked',
  'A banned person can''t cast a vote');

-- Acting as an anonymous caller
select test.act_as_anon();
select throws_ok($$ select pg_temp.vote('alice', 'ethics', 1) $$, '42501', null, 'Votes need a signed-in caller');

select * from finish();
rollback;
