-- The suggestions of a session: only interests of the catalog are suggested, found by words and by a model. Also how
-- suggestions are chosen.
begin;
select plan(18);
select test.people('alice', 'bob');

create table pg_temp.kept (session uuid);
grant all on pg_temp.kept to public;
create function pg_temp.interest(p_slug text) returns uuid language sql stable as $$ select id from app.interests where slug = p_slug $$;
create function pg_temp.found(p_found jsonb default null) returns text language sql stable
  as $$ select string_agg(format('%s %s', s ->> 'slug', s ->> 'confidence'), ', ' order by n)
        from pg_temp.kept k, json_array_elements(api.map_ai_interests(k.session, p_found) -> 'suggestions') with ordinality as s (s, n) $$;
create function pg_temp.mine() returns text language sql stable
  as $$ select string_agg(format('%s %s', i ->> 'slug', i ->> 'depth'), ', ' order by n)
        from json_array_elements(api.list_my_interests() -> 'items') with ordinality as i (i, n) $$;
grant execute on all functions in schema pg_temp to public;
update app.interests set name = 'Wanderings ' || left(id::text, 8);   -- whatever the seed contains
insert into app.interests (slug, name, level, accent_color) values
  ('bees', 'Beekeeping', 1, 'ink'), ('ethics-of-care', 'Ethics & Care', 1, 'ink'), ('sea', 'The Sea', 1, 'ink');

select test.act_as('alice');
insert into pg_temp.kept select (api.start_ai_session('Beekeeping') ->> 'id')::uuid;
select is(pg_temp.found(), 'bees 0.75', 'A match in the topic counts twice');
select api.answer_ai_session(session, 'I care for bees. The “ETHICAL” side of the—seas…') from pg_temp.kept;
select is(pg_temp.found(), 'bees 0.75, ethics-of-care 0.50, sea 0.50', 'Words are found in other inflections, and beside typographic punctuation');
select is(pg_temp.found('[{"slug": "sea", "confidence": 0.9}, {"slug": "no-such-thing", "confidence": 1},
                         {"slug": "bees", "confidence": 0.1}, {"slug": "ethics-of-care", "confidence": 7}]'),
  'ethics-of-care 1.00, sea 0.90, bees 0.75', 'Only interests of the catalog are kept, with the higher confidence '
    'of the model (at most 1) and of the words');
select is(pg_temp.found('[{"slug": null}, {}, {"confidence": 1}]'), 'bees 0.75, ethics-of-care 0.50, sea 0.50', 'Incomplete entries from the model are ignored');
select set_eq($$ select json_object_keys(api.map_ai_interests(session) -> 'suggestions' -> 0) from pg_temp.kept $$,
  array['id', 'slug', 'name', 'confidence'], 'A suggestion has these fields');
select results_eq($$ select m ->> 'topic', m -> 'answers' ->> 0, json_array_length(m -> 'interests'), m -> 'interests' -> 0 ->> 'slug'
  from pg_temp.kept, api.find_ai_mapping(session) m $$,
  $$ values ('Beekeeping', 'I care for bees. The “ETHICAL” side of the—seas…',
             (select least(150, count(*))::int from app.interests), 'bees') $$, 'The model gets the topic, the answers and the closest interests first');

select api.select_interest(pg_temp.interest('sea'), 4, 4);
select lives_ok($$ select api.apply_ai_suggestions(session, array[pg_temp.interest('sea'), pg_temp.interest('bees'), pg_temp.interest('bees')])
  from pg_temp.kept $$, 'Suggestions can be chosen');
select is(pg_temp.mine(), 'sea 4, bees 1', 'An interest chosen before keeps its depth');
select lives_ok($$ select api.apply_ai_suggestions(session, array[pg_temp.interest('bees')]) from pg_temp.kept $$, 'Choosing a suggestion twice is not an error');
select is(pg_temp.mine(), 'sea 4, bees 1', 'Choosing a suggestion twice changes nothing');
select throws_ok($$ select api.apply_ai_suggestions(session, array[pg_temp.interest('ethics-of-care'), gen_random_uuid()]) from pg_temp.kept $$,
  'PT404', 'interest_unknown', 'A choice with one unknown interest is refused as a whole');
select throws_ok($$ select api.apply_ai_suggestions(session, array_fill(gen_random_uuid(), array[51])) from pg_temp.kept $$,
  'PT422', 'value_invalid', 'More than 50 suggestions can''t be chosen at once');
select test.act_as_owner();
insert into app.interests (slug, name, level, accent_color) values ('womens-history', 'Women’s history', 1, 'ink');
select test.act_as('alice');
update pg_temp.kept set session = (api.start_ai_session('women''s history') ->> 'id')::uuid;
select is(pg_temp.found(), 'womens-history 0.75', 'A name is found by its words beside typographic punctuation');
select test.act_as_owner();
select is((select jsonb_agg(payload -> 'interestIds') from app.domain_events where name = 'interests.user_selected'),
  jsonb_build_array(jsonb_build_array(pg_temp.interest('bees'))), 'A choice emits one event, with the new interests only');

-- Acting as Bob
select test.act_as('bob');
select throws_ok($$ select api.map_ai_interests(session) from pg_temp.kept $$, 'PT404', 'ai_session_unknown', 'Other people can''t get suggestions from the session');
select throws_ok($$ select api.find_ai_mapping(session) from pg_temp.kept $$, 'PT404', 'ai_session_unknown', 'Other people can''t read the session''s answers');
select throws_ok($$ select api.apply_ai_suggestions(session, '{}') from pg_temp.kept $$, 'PT404', 'ai_session_unknown', 'Other people can''t choose the session''s suggestions');
select test.act_as_anon();
select throws_ok($$ select api.map_ai_interests(session) from pg_temp.kept $$, '42501', null, 'Suggestions need a signed-in caller');

select * from finish();
rollback;
