-- The points of every kind, levels at their boundaries, and that a person is notified once of each level reached.
begin;
select plan(31);
select test.people('alice', 'bob');

create function pg_temp.interest(p_slug text) returns uuid language sql stable
  as $$ select id from app.interests where slug = p_slug $$;
create function pg_temp.give(p_slug text, p_points numeric) returns void language sql volatile security definer
  as $$ select private.add_reputation(test.id('alice'), pg_temp.interest(p_slug), 'admin.adjusted', p_points) $$;
create function pg_temp.told() returns text[] language sql stable security definer
  as $$ select coalesce(array_agg(i.slug || ' ' || (e.payload ->> 'level') order by i.slug, e.id), '{}')
        from app.domain_events e join app.interests i on i.id = (e.payload ->> 'interestId')::uuid
        where e.name = 'reputation.level_reached' and e.payload ->> 'userId' = test.id('alice')::text $$;
create function pg_temp.heard() returns text[] language sql stable
  as $$ select coalesce(array_agg(n ->> 'level' order by n ->> 'level'), '{}')
        from (select i -> 'payload' as n from json_array_elements(api.list_notifications(50) -> 'items') i
              where i ->> 'kind' = 'reputation.level-up') l $$;
create function pg_temp.highest(p_slug text) returns integer language sql stable security definer
  as $$ select highest_level from app.reputation where user_id = test.id('alice') and interest_id = pg_temp.interest(p_slug) $$;
create function pg_temp.replace(p_points numeric, p_before numeric) returns void language sql volatile security definer
  as $$ select private.add_reputation(test.id('bob'), pg_temp.interest('applied-ethics'), 'admin.adjusted', p_points, p_before => p_before) $$;
create function pg_temp.sums() returns setof text language sql stable security definer
  as $$ select concat_ws(' ', roll_up_level, sum(delta)) from app.reputation_entries where user_id = test.id('bob')
        group by roll_up_level having sum(delta) <> 0 order by roll_up_level $$;
create temporary table banded (like app.reputation including generated including defaults);
insert into banded (user_id, interest_id, value, direct_value)
select gen_random_uuid(), gen_random_uuid(), v, v from unnest(array[-3, 0, 0.12, 0.99, 1, 2.99, 3, 6.99, 7, 126.99]) v;
grant select on banded to public;
create function pg_temp.rewrites() returns bigint[] language sql volatile
  as $$ select array[pg_stat_get_xact_tuples_updated(r), pg_stat_get_xact_tuples_hot_updated(r)] from cast('app.reputation'::regclass as oid) r $$;
create function pg_temp.rewrites_of_another_point() returns bigint[] language plpgsql volatile security definer as $$
  declare
    v_before bigint[];
    v_after  bigint[];
  begin
    perform pg_temp.give('free-will', 40);
    v_before := pg_temp.rewrites();
    perform pg_temp.give('free-will', 1);
    v_after := pg_temp.rewrites();
    return array[v_after[1] - v_before[1], v_after[2] - v_before[2]];
  end $$;
grant execute on all functions in schema pg_temp to public;

select results_eq(
  $$ select k, private.ledger_points('reputation', k) from unnest(array['post.contributed', 'reply.reply', 'reply.reaction', 'reply.criticism',
       'reply.contribution', 'reaction.received', 'bookmark.received', 'repost.received', 'invite.used', 'onboarding.bootstrap',
       'vote.received', 'appeal.restored', 'admin.adjusted']) k $$,
  $$ values ('post.contributed', 3::numeric), ('reply.reply', 1), ('reply.reaction', 0), ('reply.criticism', 2),
       ('reply.contribution', 5), ('reaction.received', 1), ('bookmark.received', 1), ('repost.received', 1), ('invite.used', 3),
       ('onboarding.bootstrap', 5), ('vote.received', null), ('appeal.restored', null), ('admin.adjusted', null) $$,
  'Every kind has its points');
select results_eq(
  $$ select v, private.reputation_level(v), private.next_level(v)::jsonb
     from unnest(array[-5, 0, 9.99, 10, 29.99, 30, 49.99, 50, 69.99, 70, 89.99, 90, 900]) v $$,
  $$ values (-5::numeric, 'Curious', '{"level": "Reader", "minValue": 10}'::jsonb),
            (0, 'Curious', '{"level": "Reader", "minValue": 10}'), (9.99, 'Curious', '{"level": "Reader", "minValue": 10}'),
            (10, 'Reader', '{"level": "Practitioner", "minValue": 30}'), (29.99, 'Reader', '{"level": "Practitioner", "minValue": 30}'),
            (30, 'Practitioner', '{"level": "Adept", "minValue": 50}'), (49.99, 'Practitioner', '{"level": "Adept", "minValue": 50}'),
            (50, 'Adept', '{"level": "Master", "minValue": 70}'), (69.99, 'Adept', '{"level": "Master", "minValue": 70}'),
            (70, 'Master', '{"level": "Lifework", "minValue": 90}'), (89.99, 'Master', '{"level": "Lifework", "minValue": 90}'),
            (90, 'Lifework', null), (900, 'Lifework', null) $$,
  'A level begins at its minimum, and the last has no next level');

-- Acting as Alice, in an interest without a parent
select test.act_as('alice');
select pg_temp.give('music', 9.99);
select is(pg_temp.told(), '{}', 'The first level, Curious, emits no event');
select is(pg_temp.heard(), '{}', 'The first level notifies nobody');
select pg_temp.give('music', 0.01);
select is(pg_temp.told(), array['music Reader'], 'A person with a value of 10 becomes a Reader');
select is(pg_temp.heard(), array['Reader'], 'The person is notified of the new level');
select results_eq($$ select i -> 'target' ->> 'type', i -> 'target' ->> 'id', (i -> 'payload')::jsonb, json_array_length(i -> 'actors')
    from json_array_elements(api.list_notifications(50) -> 'items') i where i ->> 'kind' = 'reputation.level-up' $$,
  $$ select 'interest', id::text, jsonb_build_object('interestId', id, 'level', 'Reader'), 0 from app.interests where slug = 'music' $$,
  'The notification has the interest and no actor');
select pg_temp.give('music', -5);
select is((api.get_my_reputation() #>> '{items,0,level}'), 'Curious', 'A person whose value falls below a level has the lower level');
select pg_temp.give('music', 5);
select is(pg_temp.told(), array['music Reader'], 'Reaching the level again emits no event');
select is(pg_temp.highest('music'), 1, 'The highest level is stored');
select pg_temp.give('music', 60);
select is(pg_temp.told(), array['music Reader', 'music Master'], 'Of several levels reached at once, the highest emits an event');
select is(pg_temp.heard(), array['Master', 'Reader'], 'Several levels reached at once send one notification');
select pg_temp.give('music', 0);
select pg_temp.give('music', 19.99);
select is(pg_temp.told(), array['music Reader', 'music Master'], 'A value below the next level emits no event');
select pg_temp.give('music', 0.01), pg_temp.give('music', 500), pg_temp.give('music', -600), pg_temp.give('music', 600);
select is(pg_temp.told(), array['music Reader', 'music Master', 'music Lifework'], 'Lifework is the last level');
select is(pg_temp.highest('music'), 5, 'The highest level stays at Lifework');

-- Roll-ups
select pg_temp.give('ethics', 19.98);
select is(pg_temp.told() @> array['ethics Reader'], true, 'A first entry can reach a level');
select is('philosophy Reader' = any (pg_temp.told()), false, 'Half of 19.98 isn''t enough for Reader');
select pg_temp.give('ethics', 0.02);
select is('philosophy Reader' = any (pg_temp.told()), true, 'A roll-up can reach a level');
select is(cardinality(pg_temp.heard()), 5, 'Each interest has its own notification');

-- A value below 0 from the start
select pg_temp.give('history', -20);
select is(pg_temp.highest('history'), 0, 'Below 0 the highest level is Curious');
select is((select count(*)::int from json_array_elements(api.get_my_reputation() -> 'items') i
           where i ->> 'slug' = 'history' and i ->> 'level' = 'Curious'), 1, 'Below 0 the level is named Curious');

-- Entries that replace what their cause gave before
select test.act_as_owner();
select pg_temp.replace(0.71, 0);
select results_eq('select pg_temp.sums()', array['0 0.71', '1 0.36', '2 0.18'], 'Each level of the roll-up is rounded by itself');
select pg_temp.replace(1.58, 0.71), pg_temp.replace(-0.01, 1.58), pg_temp.replace(0.03, -0.01);
select results_eq('select pg_temp.sums()', array['0 0.03', '1 0.02', '2 0.01'], 'The differences add up to the entries of the last value alone');
select pg_temp.replace(0.03, 0.03);
select is((select count(*)::int from app.reputation_entries where user_id = test.id('bob') and delta = 0), 0, 'If the value is unchanged, there is no entry');
select pg_temp.replace(0, 0.03);
select is_empty('select pg_temp.sums()', 'A value of 0 leaves nothing in the ledger');
select results_eq($$ select value, direct_value from app.reputation where user_id = test.id('bob') $$,
  $$ select 0.00, 0.00 from generate_series(1, 3) $$, 'A value of 0 leaves nothing in the sums');

-- The guard
select test.act_as('alice');
select lives_ok($$ select private.require_reputation(pg_temp.interest('ethics'), 20) $$, 'A person with enough reputation passes the guard');
select throws_ok($$ select private.require_reputation(pg_temp.interest('ethics'), 20.01) $$, 'PT403', 'reputation_too_low', 'A person with less is refused');
select lives_ok($$ select private.require_reputation(null, 1000) $$, 'A post without an interest requires no reputation');

select is(array(select band from banded order by value), '{-1,-1,0,0,1,1,2,2,3,6}', 'Each band ends where the value plus one has doubled');
select is(pg_temp.rewrites_of_another_point(), '{3,3}', 'A sum that stays in its band changes no index');

select * from finish();
rollback;
