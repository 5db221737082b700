-- Boosts: who may, what it costs, what the feed makes of it, and how it ends.
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

-- Alice publishes, Bob follows her, likes a post of hers and reposts it
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
select throws_ok($$ select api.boost_post(pg_temp.id('one'), 1) $$, 'PT403', 'post_not_yours', 'only the author boosts a post');
select throws_ok($$ select api.boost_post(pg_temp.id('repost'), 1) $$, 'PT403', 'post_not_yours', 'nor by one''s own repost of it');
select throws_ok($$ select api.boost_post(pg_temp.id('closed'), 1) $$, 'PT404', 'post_unknown', 'one that I do not see is unknown');
select throws_ok($$ select api.boost_post(gen_random_uuid(), 1) $$, 'PT404', 'post_unknown', 'as is none');
create temporary table before as select pg_temp.score('one') as one, pg_temp.score('two') as two, pg_temp.score('repost') as repost;
grant select on before to public;

-- Acting as Alice
select test.act_as('alice');
select throws_ok($$ select api.boost_post(pg_temp.id('one'), 3) $$, 'PT422', 'boost_tier', 'there are two tiers');
select throws_ok($$ select api.boost_post(pg_temp.id('one'), 0) $$, 'PT422', 'boost_tier', 'from 1');
select throws_ok($$ select api.boost_post(pg_temp.id('one'), null) $$, 'PT422', 'boost_tier', 'none is no tier');
select throws_ok($$ select api.boost_post(pg_temp.id('later'), 1) $$, 'PT422', 'post_not_out', 'what is not out cannot be boosted');
select throws_ok($$ select api.boost_post(pg_temp.id('hidden'), 1) $$, 'PT409', 'boost_hidden', 'nor what the staff hid');
select is((api.get_wallet() ->> 'balance')::int, 50, 'and what is refused costs nothing');
select is(pg_temp.boosted('one'), '0.0', 'a post is not boosted');
insert into made select 'boost', (b ->> 'id')::uuid from (select api.boost_post(pg_temp.id('one'), 1) -> 'boost' as b) b;
select is((api.get_wallet() ->> 'balance')::int, 40, 'a boost costs 10');
select is(pg_temp.boosted('one'), '1.5 ' || private.utc(now() + interval '24 hours'), 'and shows for a day');
select throws_ok($$ select api.boost_post(pg_temp.id('one'), 2) $$, 'PT409', 'boost_active', 'one at a time');
select is((api.boost_post(pg_temp.id('two'), 2)::jsonb -> 'boost') - 'id' - 'createdAt',
  jsonb_build_object('postId', pg_temp.id('two'), 'tier', 2, 'cost', 25, 'multiplier', 2.0,
                     'expiresAt', private.utc(now() + interval '48 hours')), 'the greater costs 25 and lasts two days');
select is((api.get_wallet() ->> 'lifetimeSpent')::int, 35, 'which is spent');
select throws_ok($$ select api.boost_post(pg_temp.id('closed'), 2) $$, 'PT409', 'insufficient_mana', 'nobody spends what they lack');
select throws_ok($$ select * from app.post_boosts $$, '42501', null, 'the table is nobody''s to read');

-- The feed. Acting as Bob
select test.act_as('bob');
select ok((select one > 1 and two = 1 and repost > 0 from before), 'what posts were worth');
select is(pg_temp.score('one'), (select round(one * 1.5, 4) from before), 'a boost multiplies the score');
select is(pg_temp.score('two'), (select two * 2 from before), 'the greater by two');
select is(pg_temp.weight('two', 'boost'), 1::numeric, 'and is one of the reasons');
select is(pg_temp.score('repost'), (select repost from before), 'a repost has none of it');
select is((select sum((w ->> 'weight')::numeric) from jsonb_array_elements(api.list_feed()::jsonb -> 'items') i,
           jsonb_array_elements(i -> 'why') w where (i ->> 'id')::uuid = pg_temp.id('one')), pg_temp.score('one'), 'the reasons add up');

-- The books
select test.act_as_owner();
select results_eq($$ select a.kind, e.amount from app.mana_entries e join app.mana_accounts a on a.id = e.account_id
                     where e.transaction_id = pg_temp.id('boost') order by e.amount $$,
  $$ values ('wallet', -10), ('burn', 10) $$, 'what a boost cost is burnt');
select is_empty('select * from private.audit_mana()', 'the books are in order');
select throws_ok($$ update app.post_boosts set cost = 1 $$, 'PT409', 'append_only', 'no boost changes');
select throws_ok($$ delete from app.post_boosts $$, 'PT409', 'append_only', 'or goes');

-- The end
select is(pg_temp.run(), 0, 'before its time no boost ends');
update app.post_counters set boost_expires_at = now() where post_id = pg_temp.id('one');
select test.act_as('bob');
select is(pg_temp.score('one'), (select round(one * 1.5, 4) from before), 'until the job ends it the feed stays as it is');
select is(pg_temp.run(), 1, 'which ends what is over');
select is(pg_temp.run(), 0, 'once');
select test.act_as('bob');
select is(pg_temp.score('one'), (select one from before), 'the score is what it was');
select is(pg_temp.boosted('one'), '0.0', 'and so is the post');
select test.act_as('alice');
select lives_ok($$ select api.boost_post(pg_temp.id('one'), 1) $$, 'then it can be boosted again');
select test.act_as_owner();
update app.post_counters set boost_expires_at = now() where post_id = pg_temp.id('one');
select private.move('starter', array[private.mint(), test.id('alice')], array[-10, 10]);
select test.act_as('alice');
select lives_ok($$ select api.boost_post(pg_temp.id('one'), 1) $$, 'also before the job has seen to it');

-- The switch, and who has no token
select test.act_as_owner();
update app.feature_flags set enabled = false where key = 'emoji-pay';
select test.act_as('alice');
select throws_ok($$ select api.boost_post(pg_temp.id('closed'), 1) $$, 'PT403', 'feature_disabled', 'boosts can be switched off');
select test.act_as_anon();
select throws_ok($$ select api.boost_post(pg_temp.id('one'), 1) $$, '42501', null, 'and need a token');
set constraints all immediate;
select pass('and all of it was balanced');

select * from finish();
rollback;
