-- Peer votes: who may, what they weigh, and that moving one leaves what the last alone gives.
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
  'what a vote weighs: nothing below 5, the root of a tenth, 3 at most');

-- Acting as Bob, who holds an interest and is nobody in it
select test.act_as('bob');
select api.select_interest(pg_temp.interest('applied-ethics'), 2, 2);
select is(pg_temp.vote('alice', 'applied-ethics', 1) - 'createdAt' - 'updatedAt', jsonb_build_object(
    'userId', 'acct:alice@localhost', 'interestId', pg_temp.interest('applied-ethics'), 'value', 1, 'comment', null, 'weight', 0, 'impact', 0),
  'without reputation one votes, and moves nothing');
select is_empty($$ select pg_temp.direct('alice') $$, 'not in the ledger either');
select pg_temp.give('bob', 'applied-ethics', 5);
select is((pg_temp.vote('alice', 'applied-ethics', 1) ->> 'impact')::numeric, 0.71, 'voting again weighs again');
select results_eq($$ select pg_temp.of_votes('alice') $$, array['applied-ethics 0.71', 'ethics 0.36', 'philosophy 0.18'], 'and rolls up');
select pg_temp.give('bob', 'applied-ethics', 7.5);
select is((pg_temp.vote('alice', 'applied-ethics', -1, e'  No.\n') - 'createdAt' - 'updatedAt' - 'weight'), jsonb_build_object(
    'userId', 'acct:alice@localhost', 'interestId', pg_temp.interest('applied-ethics'), 'value', -1, 'comment', 'No.', 'impact', -1.12),
  'a vote is moved at what it weighs by then');
select results_eq($$ select pg_temp.of_votes('alice') $$, array['applied-ethics -1.12', 'ethics -0.56', 'philosophy -0.28'],
  'all levels are then as if there had been no other');
select results_eq($$ select pg_temp.direct('alice') $$, array[0.71, -1.83], 'the ledger has the difference');
select is((api.get_reputation('alice') ->> 'total')::numeric, -1.12, 'a person may fall below 0');
select is(pg_temp.vote('alice', 'applied-ethics', 0, 'But no') - 'createdAt' - 'updatedAt' - 'weight', jsonb_build_object(
    'userId', 'acct:alice@localhost', 'interestId', pg_temp.interest('applied-ethics'), 'value', 0, 'comment', null, 'impact', 0),
  '0 takes it back, its comment too');
select is_empty($$ select pg_temp.of_votes('alice') $$, 'and nothing stays anywhere');
do $$
begin
  for i in 1..10 loop
    perform pg_temp.give('bob', 'applied-ethics', 0.37), pg_temp.vote('alice', 'applied-ethics', i % 3 - 1);
  end loop;
  perform pg_temp.vote('alice', 'applied-ethics', 1);
end $$;
select results_eq($$ select pg_temp.of_votes('alice') $$, array['applied-ethics 1.27', 'ethics 0.64', 'philosophy 0.32'],
  'however often it is moved, the last alone counts');
select is((select count(*)::int from app.reputation where user_id = test.id('alice') and value not in (1.27, 0.64, 0.32)), 0,
  'in the snapshot too');
select api.drop_interest(pg_temp.interest('applied-ethics'));
select throws_ok($$ select pg_temp.vote('alice', 'applied-ethics', 0) $$, 'PT403', 'interest_not_held',
  'who has dropped the interest votes in it no more, not even 0');

-- What is refused
select api.select_interest(pg_temp.interest('ethics'), 2, 2);
select throws_ok($$ select pg_temp.vote('alice', 'music', 1) $$, 'PT403', 'interest_not_held', 'an interest that one has not chosen');
select throws_ok($$ select pg_temp.vote('alice', 'philosophy', 1) $$, 'PT403', 'interest_not_held', 'not the parent of one either');
select throws_ok($$ select pg_temp.vote('bob', 'ethics', 1) $$, 'PT400', 'vote_oneself', 'oneself');
select throws_ok($$ select pg_temp.vote('zoe', 'ethics', 1) $$, 'PT404', 'person_unknown', 'an unknown person');
select throws_ok($$ select api.vote_reputation('alice', gen_random_uuid(), 1) $$, 'PT404', 'interest_unknown', 'an unknown interest');
select throws_ok($$ select api.vote_reputation('alice', null, 1) $$, 'PT404', 'interest_unknown', 'no interest');
select throws_ok(format('select pg_temp.vote(''alice'', ''ethics'', %L)', v), 'PT422', 'vote_value', format('the value %s', coalesce(v, 'that is none')))
from unnest(array['2', '-2', null]) v;
select throws_ok($$ select pg_temp.vote('alice', 'ethics', 1, repeat('x', 281)) $$, 'PT422', 'vote_comment', 'a comment of 281 characters');
select is(length(pg_temp.vote('alice', 'ethics', 1, repeat('é', 280)) ->> 'comment'), 280, '280 are fine, of any script');
select throws_ok($$ insert into app.reputation_votes (voter_id, user_id, interest_id, value, impact)
  values (test.id('bob'), test.id('alice'), pg_temp.interest('music'), 1, 3) $$, '42501', null, 'nobody writes votes but the operation');
select is_empty($$ select from app.reputation_votes $$, 'a voter does not see votes for others, their own neither');

-- Acting as Alice
select test.act_as('alice');
select results_eq($$ select v ->> 'voterId', v #>> '{voter,username}', v ->> 'slug', (v ->> 'value')::int, length(v ->> 'comment'), (v ->> 'impact')::numeric
    from pg_temp.mine() v order by v ->> 'slug' $$,
  $$ values ('acct:bob@localhost', 'bob', 'applied-ethics', 1, null::int, 1.27), ('acct:bob@localhost', 'bob', 'ethics', 1, 280, 0.90) $$,
  'whom a vote is for sees who cast it, and what it came to');
select set_eq($$ select jsonb_object_keys(v) from pg_temp.mine() v $$,
  array['id', 'voterId', 'voter', 'interestId', 'slug', 'value', 'comment', 'impact', 'createdAt'], 'the shape of one');
select results_eq($$ select (h -> 'payload')::jsonb, h #>> '{actors,0,username}', h #>> '{target,type}', (h ->> 'count')::int from pg_temp.heard() h
    order by h -> 'payload' ->> 'interestId' $$,
  $$ select jsonb_build_object('interestId', id, 'value', 1), 'bob', 'vote', 1 from app.interests
     where slug in ('applied-ethics', 'ethics') order by id::text $$,
  'and hears of each vote, of the latest value while it is unread');
select api.mark_read(p_before => now() + interval '1 minute');

-- Acting as Bob: what is told, and what is not
select test.act_as('bob');
select pg_temp.vote('alice', 'ethics', 1, 'Again');
select test.act_as('alice');
select is((select count(*)::int from pg_temp.heard()), 2, 'an unchanged vote is no news');
select is((select v ->> 'comment' from pg_temp.mine() v where v ->> 'slug' = 'ethics'), 'Again', 'though its comment may be new');
select test.act_as('bob');
select pg_temp.vote('alice', 'ethics', 0);
select test.act_as('alice');
select is((select count(*)::int from pg_temp.heard()), 2, 'neither is one taken back');
select is((select count(*)::int from pg_temp.mine()), 1, 'which is listed no more');
select test.act_as('bob');
select pg_temp.vote('alice', 'ethics', -1);
select test.act_as('alice');
select is((select count(*)::int from pg_temp.heard()), 3, 'a vote against is');

-- Who may see votes: across a block, of the banned
select test.act_as('carla');
select api.select_interest(pg_temp.interest('ethics'), 1, 1);
select pg_temp.give('carla', 'ethics', 1000);
select is((pg_temp.vote('alice', 'ethics', 1) ->> 'weight')::numeric, 3::numeric, 'the weight has a cap');
select api.block_person('alice');
select throws_ok($$ select pg_temp.vote('alice', 'ethics', -1) $$, 'PT404', 'person_unknown', 'across a block nobody votes');
select test.act_as('alice');
select throws_ok($$ select pg_temp.vote('carla', 'ethics', 1) $$, 'PT404', 'person_unknown', 'the blocked neither');
select is((select count(*)::int from pg_temp.mine() v where v ->> 'voterId' ~ 'carla'), 0, 'and the vote is not shown');
select is((select (i ->> 'value')::numeric from json_array_elements(api.get_my_reputation() -> 'items') i where i ->> 'slug' = 'ethics'),
  3 - 0.90 + 0.64, 'though it counts');
select is((api.list_received_votes(1) ->> 'hasMore')::boolean, true, 'two are left, in pages');
create temporary table cursors as select api.list_received_votes(1) ->> 'nextCursor' as id;
grant all on cursors to public;
select test.act_as_owner();
update app.users set banned_at = now() where username = 'bob';
select test.act_as('alice');
select is_empty($$ select pg_temp.mine() $$, 'nor are those of the banned');
select lives_ok($$ select api.list_received_votes(1, (select id from cursors)) $$, 'a cursor holds although its vote is hidden');
select throws_ok($$ select api.list_received_votes(1, gen_random_uuid()::text) $$, 'PT400', 'cursor_unknown', 'an unknown cursor');
select throws_ok($$ select api.list_received_votes(1, 'x') $$, 'PT400', 'cursor_unknown', 'none at all');
select throws_ok($$ select api.list_received_votes(51) $$, 'PT422', 'limit_out_of_range', 'too long a page');

-- Acting as Dan, to whom the votes of others are nothing
select test.act_as('dan');
select is_empty($$ select pg_temp.mine() $$, 'the votes for others are not shown');
select throws_ok($$ select api.list_received_votes(1, (select id from cursors)) $$, 'PT400', 'cursor_unknown', 'nor taken as a cursor');

-- A ban beside the vote
select test.act('authenticated', test.claims('bob'));
select throws_ok($$ select private.cast_vote(test.id('alice'), pg_temp.interest('ethics'), 1, null) $$, 'PT401', 'token_revoked',
  'nothing comes from the banned');

-- Acting as somebody without a token
select test.act_as_anon();
select throws_ok($$ select pg_temp.vote('alice', 'ethics', 1) $$, '42501', null, 'votes are for members');

select * from finish();
rollback;
