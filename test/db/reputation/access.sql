-- Who sees reputation, who writes it (nobody), the levels, and what it lets people do.
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
  'a level begins at its minimum');

-- Acting as Alice
select test.act_as('alice');
select is(api.get_my_reputation()::text, '{"total" : 0, "items" : []}', 'at first there is nothing');
select set_eq($$ select json_object_keys(api.get_my_capabilities()) $$,
  array['canVoteWiki', 'canMentor', 'canModerate', 'canProposeGuild', 'canPostJournalism'], 'the five capabilities');
select ok(not (pg_temp.may('canVoteWiki') or pg_temp.may('canMentor') or pg_temp.may('canModerate')
            or pg_temp.may('canProposeGuild') or pg_temp.may('canPostJournalism')), 'a newcomer has none');
select pg_temp.give('alice', 'applied-ethics', 4.99);
select ok(not pg_temp.may('canVoteWiki'), 'below 5 in total nobody votes on the wiki');
select pg_temp.give('alice', 'music', 0.01);
select ok(pg_temp.may('canVoteWiki'), 'from 5 in total one does');
select is((api.get_my_reputation() ->> 'total')::numeric, 5.00, 'the total counts direct entries');
select is(api.get_my_reputation() -> 'items' -> 0 ->> 'slug', 'applied-ethics', 'the strongest interest comes first');
select set_eq($$ select json_object_keys(api.get_my_reputation() -> 'items' -> 0) $$,
  array['interestId', 'slug', 'name', 'value', 'level'], 'an interest in it');
select is(json_typeof(api.get_my_reputation() -> 'items' -> 0 -> 'value'), 'number', 'a value is a number');
select ok(not pg_temp.may('canPostJournalism'), 'below 20 everywhere there is no journalism');
select pg_temp.give('alice', 'applied-ethics', 15.01);
select ok(pg_temp.may('canPostJournalism'), 'from 20 in one interest there is');
select ok(not pg_temp.may('canMentor'), 'but no mentoring');
select pg_temp.give('alice', 'applied-ethics', 10);
select ok(pg_temp.may('canMentor'), 'that begins at 30 in one interest');
select ok(not (pg_temp.may('canModerate') or pg_temp.may('canProposeGuild')), 'the others reputation cannot buy');
select throws_ok($$ insert into app.reputation (user_id, interest_id, value, direct_value)
  values (test.id('alice'), pg_temp.interest('arts'), 90, 90) $$, '42501', null, 'nobody writes the sums');
select throws_ok($$ insert into app.reputation_entries (user_id, interest_id, kind, delta)
  values (test.id('alice'), pg_temp.interest('arts'), 'admin.adjusted', 90) $$, '42501', null, 'nor the ledger');
select throws_ok($$ select private.earn_reputation('{}') $$,
  '42501', null, 'nor earns by asking');

-- Acting as Bob
select test.act_as('bob');
select pg_temp.give('bob', 'ethics', 25), pg_temp.give('bob', 'music', 25);
select ok(pg_temp.may('canMentor'), '50 in total make a mentor too');
select is((api.get_reputation('alice') ->> 'total')::numeric, 30.01, 'reputation is for everyone to see');
select is((select count(*)::int from app.reputation_entries where user_id <> test.id('bob')), 0, 'the entries of others are not');
select throws_ok($$ select api.get_reputation('zoe') $$, 'PT404', 'person_unknown', 'an unknown person');
select pg_temp.give('bob', 'ethics', -25);
select is((select count(*)::int from json_array_elements(api.get_my_reputation() -> 'items') i where i ->> 'slug' = 'ethics'),
  0, 'an interest where all was taken back is left out');

-- Acting as Carla, blocked by Alice
select test.act_as_owner();
insert into app.audience (viewer_id, author_id, level)
values (test.id('carla'), test.id('alice'), -1), (test.id('alice'), test.id('carla'), -1);
update app.users set role = 'moderator' where id = test.id('carla');
select test.act_as('carla');
select throws_ok($$ select api.get_reputation('alice') $$, 'PT404', 'person_unknown', 'across a block there is nobody');
select is(private.reputation_value(test.id('alice'), pg_temp.interest('applied-ethics')), 0::numeric, 'and no reputation');
select ok(pg_temp.may('canModerate'), 'moderators moderate');

-- Acting as somebody without a token
select test.act_as_anon();
select throws_ok($$ select api.get_my_reputation() $$, '42501', null, 'reputation is for members');

select * from finish();
rollback;
