-- Intents: whose they are, who is met by them, and by whom not. Every order against a model: test/model/discovery.test.ts.
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
select throws_ok('select api.get_intent()', 'PT404', 'intent_unknown', 'there is none before it is said');
select throws_ok('select api.list_candidates()', 'PT422', 'intent_missing', 'and nobody is met without one');
select is(api.set_intent('friends', '  For hikes ') ->> 'note', 'For hikes', 'it is said with a note');
select throws_ok($$ select api.set_intent('friends', repeat('é', 281)) $$, 'PT422', 'intent_note', 'a short one');
select throws_ok($$ select api.set_intent('money') $$, 'PT422', 'value_invalid', 'and is one of six');
select pg_temp.choose('philosophy', 'history', 'music');

select test.act_as('bob');
select is((select count(*) from app.connection_intents)::int, 0, 'nobody reads what others look for');
update app.connection_intents set note = 'x';
select throws_ok($$ insert into app.connection_intents (user_id, intent) select test.id('carla'), 'friends' $$, '42501', null, 'or says it for them');
select throws_ok($$ select * from private.intent_interests $$, '42501', null, 'nor where they are found');
select lives_ok($$ select pg_temp.choose('history'), api.set_intent('friends') $$, 'Bob looks for friends too');
select test.act_as('carla');
select lives_ok($$ select api.set_intent('friends'), pg_temp.choose('music', 'history') $$, 'and so does Carla');
select test.act_as('dora');
select lives_ok($$ select api.set_intent('friends'), pg_temp.choose('arts') $$, 'and Dora');
select pg_temp.wait('bob', 20), pg_temp.wait('carla', 10), pg_temp.wait('dora', 30);

select test.act_as('alice');
select is(api.get_intent() ->> 'note', 'For hikes', 'and it is as its person left it');
select is(pg_temp.met(api.list_candidates()), 'carla 2, bob 1', 'who shares most is met first');
select is(pg_temp.met(api.list_candidates(p_min_shared => 0)), 'carla 2, bob 1, dora 0', 'also who shares nothing');
select is(pg_temp.met(api.list_candidates(p_interest_slug => 'music')), 'carla 2', 'or who chose one thing');
select throws_ok($$ select api.list_candidates(p_interest_slug => 'nothing') $$, 'PT404', 'interest_unknown', 'which there is');
select is(pg_temp.met(api.list_candidates(p_country => 'de', p_city => 'bérlin')), 'carla 2, bob 1', 'or lives near');
select is(pg_temp.met(api.list_candidates(p_city => 'B%')), '', 'and a sign is a sign');
select is(pg_temp.met(api.list_candidates(p_cursor => 'carla')), 'bob 1', 'a page goes on behind a person');
select throws_ok($$ select api.list_candidates(p_cursor => 'eve') $$, 'PT400', 'cursor_unknown', 'who has an intent');

select test.act_as('carla');
select api.drop_interest(pg_temp.interest('history')), api.block_person('alice');
select test.act_as('bob');
select is(pg_temp.met(api.list_candidates()), 'alice 1', 'Carla shares nothing with Bob any more');
select test.act_as('alice');
select is(pg_temp.met(api.list_candidates()), 'bob 1', 'and nobody is met across a block');
select test.act_as_owner();
update app.users set banned_at = now() where id = test.id('alice');
update app.users set erased_at = now() where id = test.id('carla');
select is((select count(*) from private.intent_interests where user_id = test.id('carla'))::int
          + (select count(*) from app.connection_intents where user_id = test.id('carla'))::int, 0, 'an erasure leaves nothing');
select test.act_as('bob');
select is(pg_temp.met(api.list_candidates()), '', 'and the banned are not met either');
select api.set_intent('friends', p_is_active => false);
select test.act_as_owner();
create function pg_temp.stands(p_name text) returns text language sql stable as $$
  select (select count(*) from private.intent_interests where user_id = test.id(p_name))
         || ' ' || (select count(*) from app.connection_intents where user_id = test.id(p_name) and is_active and not hidden) $$;
select is(pg_temp.stands('alice'), '0 0', 'nor does anybody''s look pass over them');
update app.users set banned_at = null where id = test.id('alice');
select is(pg_temp.stands('alice'), '3 1', 'and the end of a ban puts them where they were');

select * from finish();
rollback;
