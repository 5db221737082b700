-- Appeals as those see them who make them. What staff does with them: test/db/admin/reputation.sql.
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
select is_empty($$ select pg_temp.mine() $$, 'at first there are none');
insert into made select 'first', (api.create_appeal(pg_temp.interest('ethics'), e'  Far too little.\n', pg_temp.made('alice')) ->> 'id')::uuid;
select results_eq($$ select v - 'createdAt' from pg_temp.mine() v $$, $$ select jsonb_build_object(
    'id', pg_temp.made('first'), 'interestId', i.id, 'slug', 'ethics', 'eventId', pg_temp.made('alice'), 'text', 'Far too little.',
    'status', 'pending', 'restoreDelta', null, 'note', null, 'resolvedAt', null) from app.interests i where i.slug = 'ethics' $$,
  'an appeal in all its fields');
select throws_ok($$ select api.create_appeal(pg_temp.interest('ethics'), 'Once more') $$, 'PT409', 'appeal_open', 'one at a time in an interest');
select lives_ok($$ select api.create_appeal(pg_temp.interest('philosophy'), 'The share', pg_temp.made('rolled up')) $$,
  'another in another, about a roll-up too');
select lives_ok($$ select api.create_appeal(pg_temp.interest('music'), 'Where nothing is yet') $$, 'where one has no reputation too');
select pg_temp.settle('Far too little.', 'rejected');
select lives_ok($$ select api.create_appeal(pg_temp.interest('ethics'), 'Once more') $$, 'after the first is resolved there may be another');
select throws_ok($$ select api.create_appeal(pg_temp.interest('ethics'), 'And more') $$, 'PT409', 'appeal_open', 'one');
select is((select count(*)::int from pg_temp.mine()), 4, 'all of them are listed');

-- What is refused
select throws_ok(format('select api.create_appeal(pg_temp.interest(''arts''), %L)', t), 'PT422', 'appeal_text', format('a text of %s', coalesce(length(t)::text, 'nothing')))
from unnest(array['', e' \n', repeat('x', 2001), null]) t;
select lives_ok($$ select api.create_appeal(pg_temp.interest('arts'), repeat('x', 2000)) $$, '2000 characters are fine');
select throws_ok($$ select api.create_appeal(gen_random_uuid(), 'Hm') $$, 'PT404', 'interest_unknown', 'an unknown interest');
select throws_ok($$ select api.create_appeal(pg_temp.interest('history'), 'Hm', gen_random_uuid()) $$, 'PT404', 'reputation_event_unknown', 'an unknown event');
select throws_ok($$ select api.create_appeal(pg_temp.interest('history'), 'Hm', pg_temp.made('alice')) $$, 'PT404', 'reputation_event_unknown',
  'an event of another interest');
select throws_ok($$ update app.reputation_appeals set status = 'accepted' $$, '42501', null, 'nobody resolves their own');
select throws_ok($$ insert into app.reputation_appeals (user_id, interest_id, text, status, resolved_at)
  values (test.id('alice'), pg_temp.interest('history'), 'Hm', 'accepted', now()) $$, '42501', null, 'nor makes a resolved one');
select throws_ok($$ insert into app.reputation_appeals (user_id, interest_id, text)
  values (test.id('bob'), pg_temp.interest('history'), 'Hm') $$, '42501', null, 'nor one for another');

-- Pages
select is((api.list_my_appeals(2) ->> 'hasMore')::boolean, true, 'they come in pages');
select is((select count(distinct i ->> 'id')::int from json_array_elements(json_build_array(
             api.list_my_appeals(2) -> 'items' -> 0, api.list_my_appeals(2) -> 'items' -> 1,
             api.list_my_appeals(2, api.list_my_appeals(2) ->> 'nextCursor') -> 'items' -> 0)) i), 3, 'the next after the last');
select throws_ok($$ select api.list_my_appeals(2, gen_random_uuid()::text) $$, 'PT400', 'cursor_unknown', 'an unknown cursor');

-- Acting as Bob
select test.act_as('bob');
select throws_ok($$ select api.create_appeal(pg_temp.interest('ethics'), 'Hm', pg_temp.made('alice')) $$, 'PT404', 'reputation_event_unknown',
  'an event of another person');
select is_empty($$ select pg_temp.mine() $$, 'the appeals of others are not shown');
select is_empty($$ select from app.reputation_appeals $$, 'in no way');
select throws_ok($$ select api.list_my_appeals(2, (select id from made where what = 'first')::text) $$, 'PT400', 'cursor_unknown', 'nor taken as a cursor');

select test.act_as_anon();
select throws_ok($$ select api.create_appeal(gen_random_uuid(), 'Hm') $$, '42501', null, 'appeals are for members');

select * from finish();
rollback;
