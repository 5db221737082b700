-- What earns reputation: posts, replies, invites and first choices. Also how entries roll up, and what earns nothing.
begin;
select plan(27);
select test.people('alice', 'bob', 'carla');

create function pg_temp.interest(p_slug text) returns uuid language sql stable
  as $$ select id from app.interests where slug = p_slug $$;
create function pg_temp.value(p_name text, p_slug text) returns numeric language sql volatile security definer
  as $$ select test.settle();
        select private.reputation_value(test.id(p_name), pg_temp.interest(p_slug)) $$;
create function pg_temp.total(p_name text) returns numeric language sql volatile security definer
  as $$ select test.settle();
        select private.total_reputation(test.id(p_name)) $$;
create function pg_temp.post(p_slug text) returns uuid language sql volatile
  as $$ select (api.create_post('What I found', p_interest_id => pg_temp.interest(p_slug)) ->> 'id')::uuid $$;
create function pg_temp.choose(variadic p_slugs text[]) returns void language sql volatile
  as $$ select api.select_interests(jsonb_agg(jsonb_build_object(
          'interestId', pg_temp.interest(s), 'depth', 1, 'expertise', 1))) from unnest(p_slugs) s $$;
grant execute on all functions in schema pg_temp to public;
create temp table made (what text, id uuid);
grant all on made to authenticated;

-- Posts. Acting as Alice
select test.act_as('alice');
insert into made select 'alice', pg_temp.post('applied-ethics');
select is(pg_temp.value('alice', 'applied-ethics'), 3.00, 'A post earns 3 in its primary interest');
select is(pg_temp.value('alice', 'ethics'), 1.50, 'Half of the points roll up to the parent');
select is(pg_temp.value('alice', 'philosophy'), 0.75, 'A quarter of the points roll up to the category');
select is(pg_temp.total('alice'), 3.00, 'The total excludes roll-ups');
insert into made select 'bare', (api.create_post('No interest at all') ->> 'id')::uuid;
select is(pg_temp.total('alice'), 3.00, 'A post without an interest earns nothing');
select api.create_reply((select id from made where what = 'alice'), repeat('on my own ', 20), 'contribution');
select api.react((select id from made where what = 'alice'), 'heart');
select is(pg_temp.total('alice'), 3.00, 'Replies and reactions to the author''s own post earn nothing');

-- Replies. Acting as Bob
select test.act_as('bob');
select api.create_reply((select id from made where what = 'alice'), 'Well said', 'reply');
select is(pg_temp.value('bob', 'applied-ethics'), 1.00, 'A reply earns the replier 1');
select api.create_reply((select id from made where what = 'alice'), 'Oh!', 'reaction');
select is(pg_temp.value('bob', 'applied-ethics'), 1.00, 'A reply of kind reaction earns nothing');
select api.create_reply((select id from made where what = 'alice'), repeat('not so ', 10), 'criticism');
select is(pg_temp.value('bob', 'applied-ethics'), 3.00, 'A criticism earns 2');
select api.create_reply((select id from made where what = 'alice'), repeat('moreover ', 20), 'contribution');
select is(pg_temp.value('bob', 'applied-ethics'), 8.00, 'A contribution earns 5');
select is(pg_temp.total('alice'), 3.00, 'The post''s author earns nothing by replies');
select api.create_reply((select id from made where what = 'bare'), 'Well said', 'reply');
select is(pg_temp.total('bob'), 8.00, 'A reply to a post without an interest earns nothing');

-- First choices. Acting as Carla
select test.act_as('carla');
select pg_temp.choose('music', 'ethics');
select is(pg_temp.value('carla', 'music'), 5.00, 'A category chosen first starts with 5');
select is(pg_temp.total('carla'), 5.00, 'A chosen deeper interest doesn''t start with points, and neither does its category');
select api.drop_interest(pg_temp.interest('music'));
select pg_temp.choose('music', 'history');
select is(pg_temp.value('carla', 'music'), 5.00, 'Choosing a category again gives nothing');
select is(pg_temp.value('carla', 'history'), 5.00, 'Each chosen category starts with 5');
select api.select_interest(pg_temp.interest('arts'), 1, 1);
select is(pg_temp.value('carla', 'arts'), 0::numeric, 'A category chosen outside the first choice gives nothing');

-- Acting as the owner
select test.act_as_owner();
select throws_ok($$ insert into app.reputation_entries (user_id, interest_id, kind, delta)
  values (test.id('carla'), pg_temp.interest('music'), 'onboarding.bootstrap', 5) $$, '23505', null, 'A constraint prevents a second start in the same interest');
create function pg_temp.brings(p_inviter text, p_new text) returns void language sql volatile
  as $$ select private.emit('identity.invite_code.used', json_build_object(
          'codeId', gen_random_uuid(), 'newUserId', test.id(p_new), 'inviterUserId', test.id(p_inviter)),
          array[test.id(p_inviter)]) $$;
select pg_temp.brings('alice', 'bob');
select is(pg_temp.value('alice', 'applied-ethics'), 6.00, 'An inviter earns 3 in their highest interest');
select test.people('dan', 'eve');
select pg_temp.brings('dan', 'eve');
select is(pg_temp.total('dan'), 0::numeric, 'An inviter without interests earns nothing');
select test.act_as('dan');
select pg_temp.choose('world-philosophies', 'ethics');
select test.act_as_owner();
select pg_temp.brings('dan', 'eve');
select is(pg_temp.value('dan', 'world-philosophies'), 3.00, 'An inviter without reputation earns in the interest they chose first');

-- The ledger
select is((select count(*)::int from app.reputation_entries e where e.roll_up_level > 0 and not exists (
    select from app.reputation_entries o where o.id = e.origin_id and o.roll_up_level = 0 and o.user_id = e.user_id)),
  0, 'Each roll-up refers to its origin');
select results_eq(
  $$ select user_id, interest_id, value, direct_value from app.reputation order by 1, 2 $$,
  $$ select user_id, interest_id, sum(delta)::numeric(12, 2), coalesce(sum(delta) filter (where roll_up_level = 0), 0)::numeric(12, 2)
     from app.reputation_entries group by 1, 2 order by 1, 2 $$, 'The sums equal the ledger');
select throws_ok($$ update app.reputation_entries set delta = 1000 $$, 'PT409', 'append_only', 'An entry can''t be changed');
select throws_ok($$ delete from app.reputation_entries $$, 'PT409', 'append_only', 'An entry can''t be deleted');
select throws_ok($$ truncate app.reputation_entries cascade $$, 'PT409', 'append_only', 'The entries can''t be truncated');
select results_eq($$ select private.roll_up_fraction(n) from generate_series(0, 5) n $$,
  array[1, 0.50, 0.25, 0.12, 0.06, 0.03]::numeric[], 'Each level of a roll-up gets this fraction of the points');

select * from finish();
rollback;
