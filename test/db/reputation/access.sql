-- Who sees reputation, who can write it (nobody), the levels, and the capabilities it gives.
begin;
select plan(27);
select test.people('alice', 'bob', 'carla');

create function pg_temp.interest(p_slug text) returns uuid language sql stable
  as $$ select id from app.interests where slug = p_slug $$;
create function pg_temp.give(p_name text, p_slug text, p_points numeric) returns void language sql volatile security definer
  as $$ select private.add_reputation(test.id(p_name), pg_temp.interest(p_slug), 'admin.adjusted', p_points) $$;
create function pg_temp.may(p_what text) returns boolean language sql stable
  as $$ select (api.get_my_capabilities() ->> p_what)::boolean $$;
grant execute on all functions in schema pg_temp to public;

select results_eq(
  $$ select private.reputation_level(v) from unnest(array[-5, 0, 9.99, 10, 30, 50, 69.99, 70, 90]::numeric[]) v $$,
  array['Curious', 'Curious', 'Curious', 'Reader', 'Practitioner', 'Adept', 'Adept', 'Master', 'Lifework'],
  'A level begins at its minimum');

-- Acting as Alice
select test.act_as('alice');
select is(api.get_my_reputation()::text, '{"total" : 0, "items" : []}', 'At first a person has no reputation');
select set_eq($$ select json_object_keys(api.get_my_capabilities()) $$,
  array['canVoteWiki', 'canMentor', 'canModerate', 'canProposeGuild', 'canPostJournalism'], 'There are five capabilities');
select ok(not (pg_temp.may('canVoteWiki') or pg_temp.may('canMentor') or pg_temp.may('canModerate')
            or pg_temp.may('canProposeGuild') or pg_temp.may('canPostJournalism')), 'A newcomer has no capability');
select pg_temp.give('alice', 'applied-ethics', 4.99);
select ok(not pg_temp.may('canVoteWiki'), 'A total below 5 isn''t enough to vote on the wiki');
select pg_temp.give('alice', 'music', 0.01);
select ok(pg_temp.may('canVoteWiki'), 'A total of 5 is enough to vote on the wiki');
select is((api.get_my_reputation() ->> 'total')::numeric, 5.00, 'The total is the sum of direct entries');
select is(api.get_my_reputation() -> 'items' -> 0 ->> 'slug', 'applied-ethics', 'The interest with the highest value is listed first');
select set_eq($$ select json_object_keys(api.get_my_reputation() -> 'items' -> 0) $$,
  array['interestId', 'slug', 'name', 'value', 'level'], 'An interest has these fields');
select is(json_typeof(api.get_my_reputation() -> 'items' -> 0 -> 'value'), 'number', 'A value is a number');
select ok(not pg_temp.may('canPostJournalism'), 'With less than 20 points in every interest, a person can''t publish journalism');
select pg_temp.give('alice', 'applied-ethics', 15.01);
select ok(pg_temp.may('canPostJournalism'), 'With 20 points in one interest, a person can publish journalism');
select ok(not pg_temp.may('canMentor'), 'With 20 points in one interest, a person can''t mentor');
select pg_temp.give('alice', 'applied-ethics', 10);
select ok(pg_temp.may('canMentor'), 'With 30 points in one interest, a person can mentor');
select ok(not (pg_temp.may('canModerate') or pg_temp.may('canProposeGuild')), 'Reputation doesn''t give the other capabilities');
select throws_ok($$ insert into app.reputation (user_id, interest_id, value, direct_value)
  values (test.id('alice'), pg_temp.interest('arts'), 90, 90) $$, '42501', null, 'People can''t change the sums of reputation');
select throws_ok($$ insert into app.reputation_entries (user_id, interest_id, kind, delta)
  values (test.id('alice'), pg_temp.interest('arts'), 'admin.adjusted', 90) $$, '42501', null, 'People can''t write to the ledger of reputation');
select throws_ok($$ select private.earn_reputation('{}') $$,
  '42501', null, 'People can''t call earn_reputation');

-- Acting as Bob
select test.act_as('bob');
select pg_temp.give('bob', 'ethics', 25), pg_temp.give('bob', 'music', 25);
select ok(pg_temp.may('canMentor'), 'With 50 points in total, a person can mentor too');
select is((api.get_reputation('alice') ->> 'total')::numeric, 30.01, 'Everybody can see a person''s reputation');
select is((select count(*)::int from app.reputation_entries where user_id <> test.id('bob')), 0, 'Nobody can see another person''s ledger entries');
select throws_ok($$ select api.get_reputation('zoe') $$, 'PT404', 'person_unknown', 'An unknown person fails with person_unknown');
select pg_temp.give('bob', 'ethics', -25);
select is((select count(*)::int from json_array_elements(api.get_my_reputation() -> 'items') i where i ->> 'slug' = 'ethics'),
  0, 'An interest with a sum of 0 is left out');

-- Acting as Carla, whom Alice blocked
select test.act_as_owner();
insert into app.audience (viewer_id, author_id, level)
values (test.id('carla'), test.id('alice'), -1), (test.id('alice'), test.id('carla'), -1);
update app.users set role = 'moderator' where id = test.id('carla');
select test.act_as('carla');
select throws_ok($$ select api.get_reputation('alice') $$, 'PT404', 'person_unknown', 'The error for a person who '
  'blocked the caller is person_unknown');
select is(private.reputation_value(test.id('alice'), pg_temp.interest('applied-ethics')), 0::numeric, 'Across a block the reputation is 0');
select ok(pg_temp.may('canModerate'), 'A moderator can moderate');

-- Acting as an anonymous caller
select test.act_as_anon();
select throws_ok($$ select api.get_my_reputation() $$, '42501', null, 'Reputation needs a signed-in caller');

select * from finish();
rollback;
