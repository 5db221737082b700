-- Members and bonds: who adds, changes, removes and leaves; the events; and what the audience is after each step.
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
-- the last event of the feature
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
select is(pg_temp.level('alice', 'alice'), 3::smallint, 'one is one''s own audience');
select is(pg_temp.level('bob', 'alice'), null, 'a stranger is none');
select is(pg_temp.keys(api.add_circle_member(pg_temp.id('friends'), 'acct:bob@localhost')),
  'bondLevel circleId createdAt member memberId', 'a membership has its fields and no more');
select is(pg_temp.event(), pg_temp.said('social.member.added', 'friends', 'bob'), 'adding is an event');
select is(api.list_circle_members(pg_temp.id('friends')) #>> '{items,0,bondLevel}', 'acquaintance', 'a member is an acquaintance');
select is(pg_temp.level('bob', 'alice'), 1::smallint, 'at level 1, in a circle of whatever kind');
select is(pg_temp.level('alice', 'bob'), null, 'and not the other way round');
select is(pg_temp.faults(), 0, 'the audience is what it would be rebuilt');
select is(api.add_circle_member(pg_temp.id('friends'), '@carla', 'inner-circle') ->> 'bondLevel', 'inner-circle',
  'a member may come in close');
select is(pg_temp.level('carla', 'alice'), 2::smallint, 'at level 2');
select is((select string_agg(i ->> 'memberId', ' ' order by i ->> 'memberId')
           from json_array_elements(api.list_circle_members(pg_temp.id('friends')) -> 'items') i),
  'acct:bob@localhost acct:carla@localhost', 'the owner sees both, by their actor ids');

select throws_ok($$ select api.add_circle_member(pg_temp.id('friends'), 'bob') $$, 'PT409', 'member_already', 'nobody is a member twice');
select throws_ok($$ select api.add_circle_member(pg_temp.id('friends'), 'alice') $$, 'PT400', 'member_oneself', 'nor of one''s own circle');
select throws_ok($$ select api.add_circle_member(pg_temp.id('friends'), 'zoe') $$, 'PT404', 'person_unknown', 'nor somebody unknown');
select throws_ok($$ select api.add_circle_member(gen_random_uuid(), 'bob') $$, 'PT404', 'circle_unknown', 'nor of an unknown circle');
select throws_ok($$ select api.add_circle_member(pg_temp.id('friends'), 'dave', 'best') $$, 'PT422', 'value_invalid', 'there are two bonds');

-- bonds, over several circles
select is(api.set_bond_level(pg_temp.id('friends'), 'bob', 'inner-circle') ->> 'bondLevel', 'inner-circle', 'a bond gets closer');
select is(pg_temp.level('bob', 'alice'), 2::smallint, 'and so does the audience');
select is(pg_temp.events(), 2, 'which is no event');
select api.add_circle_member(pg_temp.id('second'), 'bob');
select is(pg_temp.level('bob', 'alice'), 2::smallint, 'the closest of several circles counts');
select api.set_bond_level(pg_temp.id('friends'), 'bob', 'acquaintance');
select is(pg_temp.level('bob', 'alice'), 1::smallint, 'and no more when it is looser');
select throws_ok($$ select api.set_bond_level(pg_temp.id('second'), 'carla', 'inner-circle') $$, 'PT404', 'member_unknown',
  'a bond needs a member');
select throws_ok($$ select api.set_bond_level(pg_temp.id('friends'), 'bob', null) $$, '23502', null, 'and is never nothing');
select is(pg_temp.faults(), 0, 'the audience is what it would be rebuilt');

-- removing and leaving
select api.remove_circle_member(pg_temp.id('friends'), 'bob');
select is(pg_temp.event(), pg_temp.said('social.member.removed', 'friends', 'bob'), 'removing is an event');
select is(pg_temp.level('bob', 'alice'), 1::smallint, 'while another circle has them, they stay audience');
select throws_ok($$ select api.remove_circle_member(pg_temp.id('friends'), 'bob') $$, 'PT404', 'member_unknown', 'there is nobody to remove again');
select is(pg_temp.events(), 4, 'and nothing happened');
select test.act_as('bob');
select throws_ok($$ select api.remove_circle_member(pg_temp.id('friends'), 'bob') $$, 'PT404', 'circle_unknown',
  'who was removed no longer knows the circle');
select api.remove_circle_member(pg_temp.id('second'), 'bob');
select is(pg_temp.event(), pg_temp.said('social.member.removed', 'second', 'bob'), 'a member leaves, the same event');
select is(pg_temp.level('bob', 'alice'), null, 'and is a stranger again');
select is((select count(*) from app.circles)::int, 0, 'who sees no circle');
select is(pg_temp.faults(), 0, 'the audience is what it would be rebuilt');

-- Acting as Carla, a member beside Bob
select test.act_as('alice');
select api.add_circle_member(pg_temp.id('friends'), 'bob');
select test.act_as('carla');
select throws_ok($$ select api.remove_circle_member(pg_temp.id('friends'), 'bob') $$, 'PT403', 'circle_not_yours',
  'a member removes nobody else');
select is((select count(*) from app.circle_members)::int, 1, 'and sees their own membership alone');
select is(pg_temp.rows($$ update app.circle_members set bond_level = 'acquaintance' $$), 0, 'a member changes no bond');
select is(pg_temp.rows($$ delete from app.circle_members where member_id = test.id('bob') $$), 0, 'and removes nobody by hand');
select throws_ok(format($$ insert into app.circle_members (circle_id, owner_id, member_id)
  values (%L, test.id('alice'), test.id('dave')) $$, pg_temp.id('friends')), '42501', null, 'nor adds anybody');
select throws_ok(format($$ insert into app.circle_members (circle_id, owner_id, member_id)
  values (%L, test.id('carla'), test.id('dave')) $$, pg_temp.id('friends')), '23503', null, 'nor as if the circle were theirs');

-- Acting as Dave, a stranger who helps themselves
select test.act_as('dave');
select throws_ok(format($$ insert into app.circle_members (circle_id, owner_id, member_id, bond_level)
  values (%L, test.id('alice'), test.id('dave'), 'inner-circle') $$, pg_temp.id('friends')), '42501', null, 'nobody lets themselves in');
select throws_ok($$ update app.circle_members set member_id = test.id('dave') $$, '42501', null, 'or takes a place');
select throws_ok($$ insert into app.audience values (test.id('dave'), test.id('alice'), 2) $$, '42501', null, 'the audience is not written');
select throws_ok($$ update app.audience set level = 2 $$, '42501', null, 'not changed');
select throws_ok($$ delete from app.audience $$, '42501', null, 'and not deleted');
select is((select count(*) from app.circle_members)::int, 0, 'a stranger sees no membership');
select is((select count(*) from app.audience where viewer_id <> test.id('dave'))::int, 0, 'and no audience but their own');

-- at most 10, and who was there already
select test.act_as('alice');
insert into made select 'crowd', (api.create_circle('Crowd') ->> 'id')::uuid;
select lives_ok(format($$ select api.add_circle_member(pg_temp.id('crowd'), %L) $$, 'crowd' || n), 'member ' || n)
from generate_series(1, 10) n;
select throws_ok($$ select api.add_circle_member(pg_temp.id('crowd'), 'bob') $$, 'PT409', 'circle_full', 'there is no 11th, the owner not counted');
select throws_ok($$ select api.add_circle_member(pg_temp.id('crowd'), 'crowd1') $$, 'PT409', 'member_already',
  'a member of a full circle is a member already');
select throws_ok(format($$ insert into app.circle_members (circle_id, owner_id, member_id)
  values (%L, test.id('alice'), test.id('bob')) $$, pg_temp.id('crowd')), 'PT409', 'circle_full', 'by hand neither');
select is(json_array_length(api.list_circle_members(pg_temp.id('crowd')) -> 'items'), 10, 'all ten are one page');
select is(api.list_circle_members(pg_temp.id('crowd')) ->> 'hasMore', 'false', 'the only one');
select api.remove_circle_member(pg_temp.id('crowd'), 'crowd1');
select lives_ok($$ select api.add_circle_member(pg_temp.id('crowd'), 'bob') $$, 'one goes and makes room');

-- a banned member, and a circle that goes
select test.act_as_owner();
update app.users set banned_at = now() where username = 'crowd2';
select test.act_as('alice');
select is(json_array_length(api.list_circle_members(pg_temp.id('crowd')) -> 'items'), 9, 'a banned member is not shown');
select throws_ok($$ select api.add_circle_member(pg_temp.id('friends'), 'crowd2') $$, 'PT404', 'person_unknown', 'and not added');
select api.set_bond_level(pg_temp.id('crowd'), 'bob', 'inner-circle');
select is(api.delete_circle(pg_temp.id('crowd'))::text, null, 'a circle is deleted with its members');
select is(pg_temp.level('bob', 'alice'), 1::smallint, 'another circle still holds');
select is(pg_temp.level('crowd3', 'alice'), null, 'and who has none is a stranger');
select test.act_as_owner();
select is((select count(*) from app.domain_events where name = 'social.member.removed'
           and payload ->> 'circleId' = pg_temp.id('crowd')::text)::int, 11, 'everyone who went is an event');
select is(pg_temp.faults(), 0, 'the audience is what it would be rebuilt');

select * from finish();
rollback;
