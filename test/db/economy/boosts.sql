-- Boosts: who may buy one, what it costs, what it does in the feed, and how it ends.
begin;
select plan(39);
select test.people('alice', 'bob', 'carla');
update app.users set role = 'moderator' where username = 'carla';
create temporary table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.weight(p_name text, p_factor text) returns numeric language sql stable as $$
  select coalesce((select (w ->> 'weight')::numeric from jsonb_array_elements(i -> 'why') w where w ->> 'factor' = p_factor), 0)
  from jsonb_array_elements(api.list_feed()::jsonb -> 'items') i where (i ->> 'id')::uuid = pg_temp.id(p_name) $$;
create function pg_temp.score(p_name text) returns numeric language sql stable as $$
  select (i ->> 'score')::numeric from jsonb_array_elements(api.list_feed()::jsonb -> 'items') i where (i ->> 'id')::uuid = pg_temp.id(p_name) $$;
create function pg_temp.boosted(p_name text) returns text language sql stable as $$
  select concat_ws(' ', c ->> 'boostScore', c ->> 'boostExpiresAt') from (select api.get_post(pg_temp.id(p_name)) as c) p $$;
create function pg_temp.run() returns integer language plpgsql as $$
declare
  v_done integer;
begin
  perform test.act('worker', null);
  v_done := private.job_expire_boosts();
  perform test.act_as_owner();
  return v_done;
end $$;
grant execute on all functions in schema pg_temp to public;

-- Alice publishes. Bob follows her, likes a post of hers and reposts it
select test.act_as('alice');
insert into made select n, (api.create_post('Mine: ' || n) ->> 'id')::uuid from unnest(array['one', 'two', 'closed', 'hidden']) n;
select api.update_post(pg_temp.id('closed'), '{"visibility": "circles"}');
insert into made select 'later', (api.create_post('Soon', p_publish_at => now() + interval '1 hour') ->> 'id')::uuid;
select test.act_as('bob');
select api.follow_person('alice'), api.react(pg_temp.id('one'), 'heart');
insert into made select 'repost', (api.repost(pg_temp.id('one')) ->> 'id')::uuid;
select test.act_as_service('carla');
select api.hide_post(pg_temp.id('hidden'));

-- Acting as Bob, who is not the author
select test.act_as('bob');
select throws_ok($$ select api.boost_post(pg_temp.id('one'), 1) $$, 'PT403', 'post_not_yours', 'Only the author can boost a post');
select throws_ok($$ select api.boost_post(pg_temp.id('repost'), 1) $$, 'PT403', 'post_not_yours', 'A person can''t boost another person''s post through their own repost of it');
select throws_ok($$ select api.boost_post(pg_temp.id('closed'), 1) $$, 'PT404', 'post_unknown', 'Boosting a post that the caller can''t see fails with post_unknown');
select throws_ok($$ select api.boost_post(gen_random_uuid(), 1) $$, 'PT404', 'post_unknown', 'An unknown post can''t be boosted');
create temporary table before as select pg_temp.score('one') as one, pg_temp.score('two') as two, pg_temp.score('repost') as repost;
grant select on before to public;

-- Acting as Alice
select test.act_as('alice');
select throws_ok($$ select api.boost_post(pg_temp.id('one'), 3) $$, 'PT422', 'boost_tier', 'A tier above 2 is refused');
select throws_ok($$ select api.boost_post(pg_temp.id('one'), 0) $$, 'PT422', 'boost_tier', 'A tier below 1 is refused');
select throws_ok($$ select api.boost_post(pg_temp.id('one'), null) $$, 'PT422', 'boost_tier', 'A null tier is refused');
select throws_ok($$ select api.boost_post(pg_temp.id('later'), 1) $$, 'PT422', 'post_not_out', 'A scheduled post can''t be boosted');
select throws_ok($$ select api.boost_post(pg_temp.id('hidden'), 1) $$, 'PT409', 'boost_hidden', 'A post hidden by staff can''t be boosted');
select is((api.get_wallet() ->> 'balance')::int, 50, 'A refused boost costs nothing');
select is(pg_temp.boosted('one'), '0.0', 'At first a post isn''t boosted');
insert into made select 'boost', (b ->> 'id')::uuid from (select api.boost_post(pg_temp.id('one'), 1) -> 'boost' as b) b;
select is((api.get_wallet() ->> 'balance')::int, 40, 'A boost of tier 1 costs 10 mana');
select is(pg_temp.boosted('one'), '1.5 ' || private.utc(now() + interval '24 hours'), 'A boost of tier 1 lasts 24 hours');
select throws_ok($$ select api.boost_post(pg_temp.id('one'), 2) $$, 'PT409', 'boost_active', 'A post can have one boost at a time');
select is((api.boost_post(pg_temp.id('two'), 2)::jsonb -> 'boost') - 'id' - 'createdAt',
  jsonb_build_object('postId', pg_temp.id('two'), 'tier', 2, 'cost', 25, 'multiplier', 2.0,
                     'expiresAt', private.utc(now() + interval '48 hours')), 'A boost of tier 2 costs 25 mana and lasts 48 hours');
select is((api.get_wallet() ->> 'lifetimeSpent')::int, 35, 'The cost counts as spent');
select throws_ok($$ select api.boost_post(pg_temp.id('closed'), 2) $$, 'PT409', 'insufficient_mana', 'A boost that the author can''t afford is refused');
select throws_ok($$ select * from app.post_boosts $$, '42501', null, 'Nobody can read the table of boosts');

-- The feed. Acting as Bob
select test.act_as('bob');
select ok((select one > 1 and two = 1 and repost > 0 from before), 'Each post has a score before the boosts');
select is(pg_temp.score('one'), (select round(one * 1.5, 4) from before), 'A boost of tier 1 multiplies the score by 1.5');
select is(pg_temp.score('two'), (select two * 2 from before), 'A boost of tier 2 multiplies the score by 2');
select is(pg_temp.weight('two', 'boost'), 1::numeric, 'The boost is one of the reasons');
select is(pg_temp.score('repost'), (select repost from before), 'A repost doesn''t get the boost of its original');
select is((select sum((w ->> 'weight')::numeric) from jsonb_array_elements(api.list_feed()::jsonb -> 'items') i,
           jsonb_array_elements(i -> 'why') w where (i ->> 'id')::uuid = pg_temp.id('one')), pg_temp.score('one'), 'The score of a boosted post is the sum of its reasons');

-- The ledger
select test.act_as_owner();
select results_eq($$ select a.kind, e.amount from app.mana_entries e join app.mana_accounts a on a.id = e.account_id
                     where e.transaction_id = pg_temp.id('boost') order by e.amount $$,
  $$ values ('wallet', -10), ('burn', 10) $$, 'The cost of a boost is burnt');
select is_empty('select * from private.audit_mana()', 'The audit of mana finds nothing wrong');
select throws_ok($$ update app.post_boosts set cost = 1 $$, 'PT409', 'append_only', 'A boost can''t be changed');
select throws_ok($$ delete from app.post_boosts $$, 'PT409', 'append_only', 'A boost can''t be deleted');

-- The end of a boost
select is(pg_temp.run(), 0, 'No boost is ended before its time');
update app.post_counters set boost_expires_at = now() where post_id = pg_temp.id('one');
select test.act_as('bob');
select is(pg_temp.score('one'), (select round(one * 1.5, 4) from before), 'A boost counts until the job ends it');
select is(pg_temp.run(), 1, 'The job ends an expired boost');
select is(pg_temp.run(), 0, 'The job ends a boost only once');
select test.act_as('bob');
select is(pg_temp.score('one'), (select one from before), 'After the boost the post has its former score');
select is(pg_temp.boosted('one'), '0.0', 'After the boost the card shows no boost');
select test.act_as('alice');
select lives_ok($$ select api.boost_post(pg_temp.id('one'), 1) $$, 'After the boost the post can be boosted again');
select test.act_as_owner();
update app.post_counters set boost_expires_at = now() where post_id = pg_temp.id('one');
select private.move('starter', array[private.mint(), test.id('alice')], array[-10, 10]);
select test.act_as('alice');
select lives_ok($$ select api.boost_post(pg_temp.id('one'), 1) $$, 'An expired boost that the job hasn''t ended yet doesn''t prevent another');

-- The feature flag, and anonymous callers
select test.act_as_owner();
update app.feature_flags set enabled = false where key = 'emoji-pay';
select test.act_as('alice');
select throws_ok($$ select api.boost_post(pg_temp.id('closed'), 1) $$, 'PT403', 'feature_disabled', 'With the flag off, boosts are refused');
select test.act_as_anon();
select throws_ok($$ select api.boost_post(pg_temp.id('one'), 1) $$, '42501', null, 'Boosts need a signed-in caller');
set constraints all immediate;
select pass('The deferred checks of the ledger pass');

select * from finish();
rollback;
