-- Members and bond levels: who adds, changes, removes and leaves, the events, and the audience after each step.
begin;
select plan(69);
select test.people('alice', 'bob', 'carla', 'dave', 'erin');
select test.people(variadic array(select 'crowd' || n from generate_series(1, 10) n));

create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.keys(p_card json) returns text language sql
  as $$ select string_agg(k, ' ' order by k) from json_object_keys(p_card) k $$;
create function pg_temp.rows(p_statement text) returns integer language plpgsql as $$
declare v_rows integer;
begin
  execute p_statement;
  get diagnostics v_rows = row_count;
  return v_rows;
end $$;
create function pg_temp.level(p_viewer text, p_author text) returns smallint language sql stable security definer
  as $$ select level from app.audience where viewer_id = test.id(p_viewer) and author_id = test.id(p_author) $$;
create function pg_temp.faults() returns integer language sql stable security definer as $$
  select count(*)::int from (
    (table app.audience except select viewer_id, author_id, level from private.audience_rebuilt)
    union all (select viewer_id, author_id, level from private.audience_rebuilt except table app.audience)) f $$;
-- The last event of the feature
create function pg_temp.event() returns text language sql stable security definer
  as $$ select name || ' ' || payload from app.domain_events where name like 'social.%' order by id desc limit 1 $$;
create function pg_temp.events() returns integer language sql stable security definer
  as $$ select count(*)::int from app.domain_events where name like 'social.%' $$;
create function pg_temp.said(p_event text, p_circle text, p_member text) returns text language sql stable
  as $$ select p_event || ' ' || jsonb_build_object('circleId', pg_temp.id(p_circle), 'memberId', test.id(p_member)) $$;
grant execute on all functions in schema pg_temp to public;

-- Acting as Alice: adding
select test.act_as('alice');
insert into made select 'friends', (api.create_circle('Friends', 'inner') ->> 'id')::uuid;
insert into made select 'second', (api.create_circle('Second') ->> 'id')::uuid;
select is(pg_temp.level('alice', 'alice'), 3::smallint, 'People are in their own audience at level 3');
select is(pg_temp.level('bob', 'alice'), null, 'A stranger is not in the audience');
select is(pg_temp.keys(api.add_circle_member(pg_temp.id('friends'), 'acct:bob@localhost')),
  'bondLevel circleId createdAt member memberId', 'A membership has exactly these fields');
select is(pg_temp.event(), pg_temp.said('social.member.added', 'friends', 'bob'), 'Adding a member is an event');
select is(api.list_circle_members(pg_temp.id('friends')) #>> '{items,0,bondLevel}', 'acquaintance', 'A member is an acquaintance by default');
select is(pg_temp.level('bob', 'alice'), 1::smallint, 'An acquaintance has level 1, whatever the kind of circle');
select is(pg_temp.level('alice', 'bob'), null, 'The owner has no level in the other direction');
select is(pg_temp.faults(), 0, 'After adding, the audience equals what a rebuild gives');
select is(api.add_circle_member(pg_temp.id('friends'), '@carla', 'inner-circle') ->> 'bondLevel', 'inner-circle',
  'A member can be added to the inner circle');
select is(pg_temp.level('carla', 'alice'), 2::smallint, 'A member of the inner circle has level 2');
select is((select string_agg(i ->> 'memberId', ' ' order by i ->> 'memberId')
           from json_array_elements(api.list_circle_members(pg_temp.id('friends')) -> 'items') i),
  'acct:bob@localhost acct:carla@localhost', 'The owner sees both members by their actor ids');

select throws_ok($$ select api.add_circle_member(pg_temp.id('friends'), 'bob') $$, 'PT409', 'member_already', 'A member can''t be added twice');
select throws_ok($$ select api.add_circle_member(pg_temp.id('friends'), 'alice') $$, 'PT400', 'member_oneself', 'Owners can''t add themselves');
select throws_ok($$ select api.add_circle_member(pg_temp.id('friends'), 'zoe') $$, 'PT404', 'person_unknown', 'An unknown person can''t be added');
select throws_ok($$ select api.add_circle_member(gen_random_uuid(), 'bob') $$, 'PT404', 'circle_unknown', 'Nobody can be added to an unknown circle');
select throws_ok($$ select api.add_circle_member(pg_temp.id('friends'), 'dave', 'best') $$, 'PT422', 'value_invalid', 'An unknown bond level is refused');

-- Bond levels, over several circles
select is(api.set_bond_level(pg_temp.id('friends'), 'bob', 'inner-circle') ->> 'bondLevel', 'inner-circle', 'A bond level can be raised');
select is(pg_temp.level('bob', 'alice'), 2::smallint, 'Raising a bond level raises the audience level');
select is(pg_temp.events(), 2, 'Changing a bond level emits no event');
select api.add_circle_member(pg_temp.id('second'), 'bob');
select is(pg_temp.level('bob', 'alice'), 2::smallint, 'The highest level of several circles counts');
select api.set_bond_level(pg_temp.id('friends'), 'bob', 'acquaintance');
select is(pg_temp.level('bob', 'alice'), 1::smallint, 'A lower bond level lowers the audience level');
select throws_ok($$ select api.set_bond_level(pg_temp.id('second'), 'carla', 'inner-circle') $$, 'PT404', 'member_unknown',
  'A person who isn''t a member has no bond level to change');
select throws_ok($$ select api.set_bond_level(pg_temp.id('friends'), 'bob', null) $$, '23502', null, 'A null bond level is refused');
select is(pg_temp.faults(), 0, 'After the changes the audience equals what a rebuild gives');

-- Removing and leaving
select api.remove_circle_member(pg_temp.id('friends'), 'bob');
select is(pg_temp.event(), pg_temp.said('social.member.removed', 'friends', 'bob'), 'Removing a member is an event');
select is(pg_temp.level('bob', 'alice'), 1::smallint, 'A member of another circle stays in the audience');
select throws_ok($$ select api.remove_circle_member(pg_temp.id('friends'), 'bob') $$, 'PT404', 'member_unknown', 'A person who was removed can''t be removed again');
select is(pg_temp.events(), 4, 'A refused removal is no event');
select test.act_as('bob');
select throws_ok($$ select api.remove_circle_member(pg_temp.id('friends'), 'bob') $$, 'PT404', 'circle_unknown',
  'A removed person no longer sees the circle');
select api.remove_circle_member(pg_temp.id('second'), 'bob');
select is(pg_temp.event(), pg_temp.said('social.member.removed', 'second', 'bob'),
  'Leaving is the same event as a removal');
select is(pg_temp.level('bob', 'alice'), null, 'A person who left every circle is a stranger again');
select is((select count(*) from app.circles)::int, 0, 'A person who left sees no circle');
select is(pg_temp.faults(), 0, 'After leaving, the audience equals what a rebuild gives');

-- Acting as Carla, a member beside Bob
select test.act_as('alice');
select api.add_circle_member(pg_temp.id('friends'), 'bob');
select test.act_as('carla');
select throws_ok($$ select api.remove_circle_member(pg_temp.id('friends'), 'bob') $$, 'PT403', 'circle_not_yours',
  'A member can''t remove another member');
select is((select count(*) from app.circle_members)::int, 1, 'A member sees only their own membership');
select is(pg_temp.rows($$ update app.circle_members set bond_level = 'acquaintance' $$), 0, 'A member can''t change a bond level in the table');
select is(pg_temp.rows($$ delete from app.circle_members where member_id = test.id('bob') $$), 0, 'A member can''t delete another membership in the table');
select throws_ok(format($$ insert into app.circle_members (circle_id, owner_id, member_id)
  values (%L, test.id('alice'), test.id('dave')) $$, pg_temp.id('friends')), '42501', null, 'A member can''t insert a membership');
select throws_ok(format($$ insert into app.circle_members (circle_id, owner_id, member_id)
  values (%L, test.id('carla'), test.id('dave')) $$, pg_temp.id('friends')), '23503', null, 'A member can''t insert a membership as if they owned the circle');

-- Acting as Dave, a stranger
select test.act_as('dave');
select throws_ok(format($$ insert into app.circle_members (circle_id, owner_id, member_id, bond_level)
  values (%L, test.id('alice'), test.id('dave'), 'inner-circle') $$, pg_temp.id('friends')), '42501', null, 'A stranger can''t insert their own membership');
select throws_ok($$ update app.circle_members set member_id = test.id('dave') $$, '42501', null, 'A stranger can''t change a membership');
select throws_ok($$ insert into app.audience values (test.id('dave'), test.id('alice'), 2) $$, '42501', null, 'People can''t insert into the audience');
select throws_ok($$ update app.audience set level = 2 $$, '42501', null, 'People can''t change the audience');
select throws_ok($$ delete from app.audience $$, '42501', null, 'People can''t delete from the audience');
select is((select count(*) from app.circle_members)::int, 0, 'A stranger sees no membership');
select is((select count(*) from app.audience where viewer_id <> test.id('dave'))::int, 0, 'People see only their own audience levels');

-- At most 10 members, and existing members
select test.act_as('alice');
insert into made select 'crowd', (api.create_circle('Crowd') ->> 'id')::uuid;
select lives_ok(format($$ select api.add_circle_member(pg_temp.id('crowd'), %L) $$, 'crowd' || n), 'Member ' || n || ' can be added')
from generate_series(1, 10) n;
select throws_ok($$ select api.add_circle_member(pg_temp.id('crowd'), 'bob') $$, 'PT409', 'circle_full', 'An 11th '
  'member is refused, not counting the owner');
select throws_ok($$ select api.add_circle_member(pg_temp.id('crowd'), 'crowd1') $$, 'PT409', 'member_already',
  'An existing member of a full circle is refused as a member');
select throws_ok(format($$ insert into app.circle_members (circle_id, owner_id, member_id)
  values (%L, test.id('alice'), test.id('bob')) $$, pg_temp.id('crowd')), 'PT409', 'circle_full', 'An 11th member can''t be inserted directly either');
select is(json_array_length(api.list_circle_members(pg_temp.id('crowd')) -> 'items'), 10, 'All ten members are on one page');
select is(api.list_circle_members(pg_temp.id('crowd')) ->> 'hasMore', 'false', 'The page with all ten members is the last');
select api.remove_circle_member(pg_temp.id('crowd'), 'crowd1');
select lives_ok($$ select api.add_circle_member(pg_temp.id('crowd'), 'bob') $$, 'Removing a member makes room for another');

-- A banned member, and a deleted circle
select test.act_as_owner();
update app.users set banned_at = now() where username = 'crowd2';
select test.act_as('alice');
select is(json_array_length(api.list_circle_members(pg_temp.id('crowd')) -> 'items'), 9, 'A banned member isn''t listed');
select throws_ok($$ select api.add_circle_member(pg_temp.id('friends'), 'crowd2') $$, 'PT404', 'person_unknown', 'A banned person can''t be added');
select api.set_bond_level(pg_temp.id('crowd'), 'bob', 'inner-circle');
select is(api.delete_circle(pg_temp.id('crowd'))::text, null, 'A circle can be deleted with its members');
select is(pg_temp.level('bob', 'alice'), 1::smallint, 'A member of another circle keeps that level');
select is(pg_temp.level('crowd3', 'alice'), null, 'A person in no other circle becomes a stranger');
select test.act_as_owner();
select is((select count(*) from app.domain_events where name = 'social.member.removed'
           and payload ->> 'circleId' = pg_temp.id('crowd')::text)::int, 11, 'The deletion of a circle emits an event for each member');
select is(pg_temp.faults(), 0, 'After the deletion the audience equals what a rebuild gives');

select * from finish();
rollback;
