-- Reputation in detail for oneself, and as a summary for everyone.
begin;
select plan(26);
select test.people('alice', 'bob', 'carla');

create function pg_temp.interest(p_slug text) returns uuid language sql stable
  as $$ select id from app.interests where slug = p_slug $$;
create function pg_temp.give(p_name text, p_slug text, p_kind text, p_points numeric) returns void language sql volatile security definer
  as $$ select private.add_reputation(test.id(p_name), pg_temp.interest(p_slug), p_kind, p_points) $$;
create function pg_temp.events(p_limit integer default 50, p_cursor text default null) returns setof jsonb language sql stable
  as $$ select e::jsonb from json_array_elements(api.get_reputation_details(p_limit, p_cursor) #> '{events,items}') e $$;
create function pg_temp.interests() returns setof jsonb language sql stable
  as $$ select i::jsonb from json_array_elements(api.get_reputation_details() -> 'interests') i $$;
grant execute on all functions in schema pg_temp to public;

-- Acting as Alice
select test.act_as('alice');
select is(api.get_reputation_details()::jsonb,
  '{"total": 0, "contributionScore": 0, "interests": [], "events": {"items": [], "nextCursor": null, "hasMore": false}}',
  'At first the details are empty');
select is(api.get_reputation_summary('alice')::jsonb, '{"userId": "acct:alice@localhost", "total": 0, "topInterests": []}', 'At first the summary is empty');

select pg_temp.give('alice', 'applied-ethics', 'post.contributed', 3), pg_temp.give('alice', 'applied-ethics', 'post.contributed', 3),
       pg_temp.give('alice', 'applied-ethics', 'reaction.received', 1), pg_temp.give('alice', 'applied-ethics', 'reaction.received', -1),
       pg_temp.give('alice', 'ethics', 'reply.criticism', 2), pg_temp.give('alice', 'music', 'admin.adjusted', 90.5);
select set_eq($$ select json_object_keys(api.get_reputation_details()) $$, array['total', 'contributionScore', 'interests', 'events'], 'The details of one''s reputation have these fields');
select is((api.get_reputation_details() ->> 'total')::numeric, 98.50, 'The total excludes roll-ups');
select results_eq('select pg_temp.interests()', $$
  select jsonb_build_object('interestId', i.id, 'slug', i.slug, 'name', i.name, 'value', v.value, 'directValue', v.direct,
    'rolledUpValue', v.value - v.direct, 'level', v.level, 'nextLevel', v.next::jsonb, 'byKind', v.kinds::jsonb)
  from (values (1, 'music', 90.50, 90.50, 'Lifework', null, '{"admin.adjusted": 90.50}'),
               (2, 'applied-ethics', 6.00, 6.00, 'Curious', '{"level": "Reader", "minValue": 10}', '{"post.contributed": 6.00}'),
               (3, 'ethics', 5.00, 2.00, 'Curious', '{"level": "Reader", "minValue": 10}', '{"reply.criticism": 2.00}'),
               (4, 'philosophy', 2.50, 0.00, 'Curious', '{"level": "Reader", "minValue": 10}', '{}'))
       as v (place, slug, value, direct, level, next, kinds)
  join app.interests i on i.slug = v.slug order by v.place $$,
  'An interest has its values, level and kinds, and interests with a sum of 0 are left out');
select set_eq($$ select json_object_keys(api.get_reputation_details() #> '{events,items,0}') $$,
  array['id', 'interestId', 'kind', 'delta', 'createdAt', 'rolledUp'], 'An event has these fields, and doesn''t name the person who caused it');
select results_eq($$ select e ->> 'kind', (e ->> 'delta')::numeric, (e ->> 'rolledUp')::boolean from pg_temp.events(1) e $$,
  $$ values ('admin.adjusted', 90.50, false) $$, 'The newest event comes first');
select is((select count(*)::int from pg_temp.events()), 15, 'Roll-ups and reversals are events of their own');
select is((select count(*)::int from pg_temp.events() e where (e ->> 'rolledUp')::boolean), 9, 'Roll-ups are marked as such');
create function pg_temp.walk() returns text[] language plpgsql as $f$
declare
  v_ids  text[] := '{}';
  v_page json;
begin
  loop
    v_page := api.get_reputation_details(4, v_page ->> 'nextCursor') -> 'events';
    v_ids := v_ids || array(select e ->> 'id' from json_array_elements(v_page -> 'items') e);
    exit when not (v_page ->> 'hasMore')::boolean;
  end loop;
  return v_ids;
end $f$;
select is(pg_temp.walk(), array(select id::text from app.reputation_entries order by position desc), 'The pages together have each event once, in order');
select throws_ok($$ select api.get_reputation_details(4, gen_random_uuid()::text) $$, 'PT400', 'cursor_unknown', 'An invented cursor is refused');
select throws_ok($$ select api.get_reputation_details(4, 'x') $$, 'PT400', 'cursor_unknown', 'A malformed cursor is refused');
select throws_ok($$ select api.get_reputation_details(0) $$, 'PT422', 'limit_out_of_range', 'A limit of 0 is refused');

create temporary table kept as select id::text from app.reputation_entries limit 1;
grant all on kept to public;

-- Acting as Bob
select test.act_as('bob');
select is_empty('select pg_temp.events()', 'Other people''s events are hidden');
select throws_ok($$ select api.get_reputation_details(4, (select id from kept)) $$, 'PT400', 'cursor_unknown', 'Another person''s event is refused as a cursor');
select pg_temp.give('alice', s, 'admin.adjusted', n)
from unnest(array['history', 'arts', 'hiking', 'wine']) with ordinality as s (s, n);
select pg_temp.give('alice', 'tea', 'admin.adjusted', -4);
select is(api.get_reputation_summary('@alice@localhost') ->> 'userId', 'acct:alice@localhost', 'The summary names the person');
select is((api.get_reputation_summary('alice') ->> 'total')::numeric, 104.50, 'The summary has the total');
select results_eq($$ select c ->> 'slug', (c ->> 'value')::numeric, c ->> 'level' from json_array_elements(api.get_reputation_summary('alice') -> 'topInterests') c $$,
  $$ values ('music', 90.50, 'Lifework'), ('applied-ethics', 6.00, 'Curious'), ('ethics', 5.00, 'Curious'),
            ('wine', 4.00, 'Curious'), ('hiking', 3.00, 'Curious') $$, 'The summary has the five highest interests');
select set_eq($$ select json_object_keys(api.get_reputation_summary('alice') #> '{topInterests,0}') $$,
  array['interestId', 'slug', 'name', 'value', 'level'], 'An interest in the summary has these fields');
select pg_temp.give('bob', 'tea', 'admin.adjusted', -4);
select is(json_array_length(api.get_reputation_summary('bob') -> 'topInterests'), 0, 'A negative value isn''t in the summary');
select results_eq($$ select i ->> 'slug', i -> 'byKind' from pg_temp.interests() i where (i ->> 'directValue')::numeric <> 0 $$,
  $$ values ('tea', '{"admin.adjusted": -4.00}'::jsonb) $$, 'The person sees a negative value in their own details');
select throws_ok($$ select api.get_reputation_summary('zoe') $$, 'PT404', 'person_unknown', 'An unknown person fails with person_unknown');

-- Summaries across a block, and of a banned person
select api.block_person('carla');
select test.act_as('carla');
select throws_ok($$ select api.get_reputation_summary('bob') $$, 'PT404', 'person_unknown', 'The error for a '
  'person who blocked the caller is person_unknown');
select test.act_as_owner();
update app.users set banned_at = now() where username = 'alice';
select test.act_as('carla');
select throws_ok($$ select api.get_reputation_summary('alice') $$, 'PT404', 'person_unknown', 'The error for a '
  'banned person is person_unknown');

select test.act_as_anon();
select throws_ok($$ select api.get_reputation_details() $$, '42501', null, 'Details need a signed-in caller');
select throws_ok($$ select api.get_reputation_summary('alice') $$, '42501', null, 'Summaries need a signed-in caller');

select * from finish();
rollback;
