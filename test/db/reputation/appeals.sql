-- Appeals, as the people who make them see them. What staff can do with them is in test/db/admin/reputation.sql.
begin;
select plan(27);
select test.people('alice', 'bob');

create function pg_temp.interest(p_slug text) returns uuid language sql stable
  as $$ select id from app.interests where slug = p_slug $$;
create function pg_temp.give(p_name text, p_slug text) returns uuid language sql volatile security definer
  as $$ select private.add_reputation(test.id(p_name), pg_temp.interest(p_slug), 'admin.adjusted', 4) $$;
create function pg_temp.settle(p_text text, p_status text) returns void language sql volatile security definer
  as $$ update app.reputation_appeals set status = p_status, resolved_at = now() where text = p_text $$;
create temporary table made (what text, id uuid);
grant all on made to public;
create function pg_temp.made(p_what text) returns uuid language sql stable as $$ select id from made where what = p_what $$;
create function pg_temp.mine() returns setof jsonb language sql stable
  as $$ select i::jsonb from json_array_elements(api.list_my_appeals(50) -> 'items') i $$;
grant execute on all functions in schema pg_temp to public;

insert into made select 'alice', pg_temp.give('alice', 'ethics') union all select 'bob', pg_temp.give('bob', 'ethics');
insert into made select 'rolled up', id from app.reputation_entries where origin_id = pg_temp.made('alice');

-- Acting as Alice
select test.act_as('alice');
select is_empty($$ select pg_temp.mine() $$, 'At first a person has no appeals');
insert into made select 'first', (api.create_appeal(pg_temp.interest('ethics'), e'  Far too little.\n', pg_temp.made('alice')) ->> 'id')::uuid;
select results_eq($$ select v - 'createdAt' from pg_temp.mine() v $$, $$ select jsonb_build_object(
    'id', pg_temp.made('first'), 'interestId', i.id, 'slug', 'ethics', 'eventId', pg_temp.made('alice'), 'text', 'Far too little.',
    'status', 'pending', 'restoreDelta', null, 'note', null, 'resolvedAt', null) from app.interests i where i.slug = 'ethics' $$,
  'An appeal has these fields');
select throws_ok($$ select api.create_appeal(pg_temp.interest('ethics'), 'Once more') $$, 'PT409', 'appeal_open', 'A person can have one open appeal in an interest');
select lives_ok($$ select api.create_appeal(pg_temp.interest('philosophy'), 'The share', pg_temp.made('rolled up')) $$,
  'An appeal in another interest is accepted, even about a roll-up');
select lives_ok($$ select api.create_appeal(pg_temp.interest('music'), 'Where nothing is yet') $$, 'An appeal in an interest without reputation is accepted');
select pg_temp.settle('Far too little.', 'rejected');
select lives_ok($$ select api.create_appeal(pg_temp.interest('ethics'), 'Once more') $$, 'After the first appeal is resolved, another one in the interest is accepted');
select throws_ok($$ select api.create_appeal(pg_temp.interest('ethics'), 'And more') $$, 'PT409', 'appeal_open', 'While that appeal is open, another one in the interest is refused');
select is((select count(*)::int from pg_temp.mine()), 4, 'All appeals are listed');

-- Refused appeals
select throws_ok(format('select api.create_appeal(pg_temp.interest(''arts''), %L)', t), 'PT422', 'appeal_text', format('A text with length %s is refused', coalesce(length(t)::text, 'null')))
from unnest(array['', e' \n', repeat('x', 2001), null]) t;
select lives_ok($$ select api.create_appeal(pg_temp.interest('arts'), repeat('x', 2000)) $$, 'A text of 2000 characters is accepted');
select throws_ok($$ select api.create_appeal(gen_random_uuid(), 'Hm') $$, 'PT404', 'interest_unknown', 'An unknown interest is refused');
select throws_ok($$ select api.create_appeal(pg_temp.interest('history'), 'Hm', gen_random_uuid()) $$, 'PT404', 'reputation_event_unknown', 'An unknown ledger entry is refused');
select throws_ok($$ select api.create_appeal(pg_temp.interest('history'), 'Hm', pg_temp.made('alice')) $$, 'PT404', 'reputation_event_unknown',
  'A ledger entry in another interest is refused');
select throws_ok($$ update app.reputation_appeals set status = 'accepted' $$, '42501', null, 'People can''t resolve their own appeal');
select throws_ok($$ insert into app.reputation_appeals (user_id, interest_id, text, status, resolved_at)
  values (test.id('alice'), pg_temp.interest('history'), 'Hm', 'accepted', now()) $$, '42501', null, 'People can''t insert a resolved appeal');
select throws_ok($$ insert into app.reputation_appeals (user_id, interest_id, text)
  values (test.id('bob'), pg_temp.interest('history'), 'Hm') $$, '42501', null, 'People can''t insert an appeal for somebody else');

-- Pages
select is((api.list_my_appeals(2) ->> 'hasMore')::boolean, true, 'The first of two pages says that there is a next page');
select is((select count(distinct i ->> 'id')::int from json_array_elements(json_build_array(
             api.list_my_appeals(2) -> 'items' -> 0, api.list_my_appeals(2) -> 'items' -> 1,
             api.list_my_appeals(2, api.list_my_appeals(2) ->> 'nextCursor') -> 'items' -> 0)) i), 3, 'The cursor leads to the next page');
select throws_ok($$ select api.list_my_appeals(2, gen_random_uuid()::text) $$, 'PT400', 'cursor_unknown', 'An invented cursor is refused');

-- Acting as Bob
select test.act_as('bob');
select throws_ok($$ select api.create_appeal(pg_temp.interest('ethics'), 'Hm', pg_temp.made('alice')) $$, 'PT404', 'reputation_event_unknown',
  'Another person''s ledger entry is refused');
select is_empty($$ select pg_temp.mine() $$, 'Other people''s appeals are not listed');
select is_empty($$ select from app.reputation_appeals $$, 'Other people''s rows of appeals are hidden');
select throws_ok($$ select api.list_my_appeals(2, (select id from made where what = 'first')::text) $$, 'PT400', 'cursor_unknown', 'Another person''s appeal is refused as a cursor');

select test.act_as_anon();
select throws_ok($$ select api.create_appeal(gen_random_uuid(), 'Hm') $$, '42501', null, 'Appeals need a signed-in caller');

select * from finish();
rollback;
