-- Intents: who can read and write them, who is suggested, and who isn't. test/model/discovery.test.ts checks the order
-- against a model.
begin;
select plan(26);
select test.people('alice', 'bob', 'carla', 'dora', 'eve');

create function pg_temp.interest(p_slug text) returns uuid language sql stable security definer as $$
  select id from app.interests where slug = p_slug $$;
create function pg_temp.choose(variadic p_slugs text[]) returns void language sql as $$
  select api.select_interest(pg_temp.interest(s), 3, 3) from unnest(p_slugs) s $$;
create function pg_temp.met(p_call json) returns text language sql stable as $$
  select coalesce(string_agg(concat(i ->> 'username', ' ', i ->> 'sharedInterests'), ', '), '') from json_array_elements(p_call -> 'items') i $$;
create function pg_temp.wait(p_name text, p_minutes integer) returns void language sql security definer as $$
  update app.connection_intents set created_at = now() - p_minutes * interval '1 minute' where user_id = test.id(p_name);
  select private.place_intents(array[test.id(p_name)]) $$;
grant execute on all functions in schema pg_temp to public;

select test.act_as('alice');
select throws_ok('select api.get_intent()', 'PT404', 'intent_unknown', 'A person has no intent at first');
select throws_ok('select api.list_candidates()', 'PT422', 'intent_missing', 'Without an intent there are no candidates');
select is(api.set_intent('friends', '  For hikes ') ->> 'note', 'For hikes', 'An intent is stored with its trimmed note');
select throws_ok($$ select api.set_intent('friends', repeat('é', 281)) $$, 'PT422', 'intent_note', 'A note of more than 280 characters is refused');
select throws_ok($$ select api.set_intent('money') $$, 'PT422', 'value_invalid', 'An unknown intent is refused');
select pg_temp.choose('philosophy', 'history', 'music');

select test.act_as('bob');
select is((select count(*) from app.connection_intents)::int, 0, 'Nobody can read other people''s intents');
update app.connection_intents set note = 'x';
select throws_ok($$ insert into app.connection_intents (user_id, intent) select test.id('carla'), 'friends' $$, '42501', null, 'Nobody can insert an intent for somebody else');
select throws_ok($$ select * from private.intent_interests $$, '42501', null, 'Nobody can read the index of the interests of people with an intent');
select lives_ok($$ select pg_temp.choose('history'), api.set_intent('friends') $$, 'Bob sets the intent to find friends');
select test.act_as('carla');
select lives_ok($$ select api.set_intent('friends'), pg_temp.choose('music', 'history') $$, 'Carla sets the same intent');
select test.act_as('dora');
select lives_ok($$ select api.set_intent('friends'), pg_temp.choose('arts') $$, 'Dora sets the same intent');
select pg_temp.wait('bob', 20), pg_temp.wait('carla', 10), pg_temp.wait('dora', 30);

select test.act_as('alice');
select is(api.get_intent() ->> 'note', 'For hikes', 'Other people can''t change a person''s intent');
select is(pg_temp.met(api.list_candidates()), 'carla 2, bob 1', 'The candidate with the most shared interests comes first');
select is(pg_temp.met(api.list_candidates(p_min_shared => 0)), 'carla 2, bob 1, dora 0', 'With p_min_shared 0, people without shared interests are included');
select is(pg_temp.met(api.list_candidates(p_interest_slug => 'music')), 'carla 2', 'Candidates can be narrowed to an interest');
select throws_ok($$ select api.list_candidates(p_interest_slug => 'nothing') $$, 'PT404', 'interest_unknown', 'An unknown interest fails with interest_unknown');
select is(pg_temp.met(api.list_candidates(p_country => 'de', p_city => 'bérlin')), 'carla 2, bob 1', 'Candidates can be narrowed to a country and a city');
select is(pg_temp.met(api.list_candidates(p_city => 'B%')), '', 'A percent sign is no wildcard');
select is(pg_temp.met(api.list_candidates(p_cursor => 'carla')), 'bob 1', 'A page continues after the person in the cursor');
select throws_ok($$ select api.list_candidates(p_cursor => 'eve') $$, 'PT400', 'cursor_unknown', 'A person without an intent is refused as a cursor');

select test.act_as('carla');
select api.drop_interest(pg_temp.interest('history')), api.block_person('alice');
select test.act_as('bob');
select is(pg_temp.met(api.list_candidates()), 'alice 1', 'A person who no longer shares an interest is not suggested');
select test.act_as('alice');
select is(pg_temp.met(api.list_candidates()), 'bob 1', 'Nobody is suggested across a block');
select test.act_as_owner();
update app.users set banned_at = now() where id = test.id('alice');
update app.users set erased_at = now() where id = test.id('carla');
select is((select count(*) from private.intent_interests where user_id = test.id('carla'))::int
          + (select count(*) from app.connection_intents where user_id = test.id('carla'))::int, 0, 'An erasure deletes the intent and its interests');
select test.act_as('bob');
select is(pg_temp.met(api.list_candidates()), '', 'A banned person is not suggested');
select api.set_intent('friends', p_is_active => false);
select test.act_as_owner();
create function pg_temp.stands(p_name text) returns text language sql stable as $$
  select (select count(*) from private.intent_interests where user_id = test.id(p_name))
         || ' ' || (select count(*) from app.connection_intents where user_id = test.id(p_name) and is_active and not hidden) $$;
select is(pg_temp.stands('alice'), '0 0', 'A banned person''s rows are removed from the index');
update app.users set banned_at = null where id = test.id('alice');
select is(pg_temp.stands('alice'), '3 1', 'The end of the ban restores the rows of the index');

select * from finish();
rollback;
