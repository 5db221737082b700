-- Muting a person, and the lists of muted and blocked people.
begin;
select plan(42);
select test.people('alice', 'bob', 'carla', 'dave');

create function pg_temp.names(p_page json) returns text language sql as $$
  select coalesce(string_agg(i ->> 'username', ' ' order by place), '') from json_array_elements(p_page -> 'items') with ordinality l (i, place) $$;
create function pg_temp.rows(p_statement text) returns integer language plpgsql as $$
declare v_rows integer;
begin
  execute p_statement;
  get diagnostics v_rows = row_count;
  return v_rows;
end $$;
grant execute on all functions in schema pg_temp to public;

-- Acting as Alice
select test.act_as('alice');
select is(api.mute_person('acct:bob@localhost') ->> 'muted', 'true', 'A person can mute another');
select lives_ok($$ select api.mute_person('@bob') $$, 'Muting twice is not an error');
select is((select count(*)::int from app.mutes), 1, 'Muting twice leaves one mute');
select throws_ok($$ select api.mute_person('alice') $$, 'PT400', 'mute_oneself', 'People can''t mute themselves');
select throws_ok(format('select api.%s(''zoe'')', o), 'PT404', 'person_unknown', o || ' fails for an unknown person')
from unnest(array['mute_person', 'unmute_person']) o;
select throws_ok($$ insert into app.mutes (muter_id, muted_id) values (test.id('bob'), test.id('carla')) $$, '42501', null,
  'Nobody can mute in another person''s name');
select throws_ok($$ update app.mutes set muted_id = test.id('carla') $$, '42501', null, 'A mute can''t be changed');

-- Acting as Bob, who is muted and doesn't notice
select test.act_as('bob');
select is((select count(*)::int from app.mutes), 0, 'Nobody sees who muted them');
select is(pg_temp.rows('delete from app.mutes'), 0, 'Nobody can delete another person''s mute');
select is(pg_temp.names(api.list_mutes()), '', 'The muted person''s own list is empty');
select lives_ok($$ select api.follow_person('alice') $$, 'The muted person can follow the muter');
select is(private.muted_people(), '{}', 'The muted person has muted nobody');

-- The list
select test.act_as('alice');
select api.mute_person(n) from unnest(array['dave', 'carla']) n;
select is(cardinality(private.muted_people()), 3, 'All muted people are found');
select is(pg_temp.names(api.list_mutes()), 'bob carla dave', 'The list is ordered by name');
select is(pg_temp.names(api.list_mutes(2)), 'bob carla', 'A page has `limit` people');
select is(api.list_mutes(2) ->> 'nextCursor', 'acct:carla@localhost', 'The cursor is the page''s last person');
select is(pg_temp.names(api.list_mutes(2, 'acct:carla@localhost')), 'dave', 'The cursor leads to the next page');
select is(api.unmute_person('carla')::text, null, 'A mute can be lifted');
select lives_ok($$ select api.unmute_person('carla') $$, 'Lifting a mute twice is not an error');
select is(pg_temp.names(api.list_mutes(2, 'acct:carla@localhost')), 'dave', 'A cursor stays valid when its person has left the list');
select throws_ok(format('select api.list_%s(2, %L)', l, c), 'PT400', 'cursor_unknown', 'The cursor is refused in ' || l || ': ' || c)
from unnest(array['mutes', 'blocks']) l, unnest(array['acct:bob@elsewhere', '00000000-0000-4000-8000-000000000000', '']) c;
select throws_ok(format('select api.list_%s(%s)', l, n), 'PT422', 'limit_out_of_range', 'The limit is refused in ' || l || ': ' || n)
from unnest(array['mutes', 'blocks']) l, unnest(array['0', '51']) n;
select test.act_as_owner();
update app.users set banned_at = now() where username = 'dave';
select test.act_as('alice');
select is(pg_temp.names(api.list_mutes()), 'bob', 'A banned person isn''t listed');

-- A block: Bob is no longer listed among the mutes, but among the blocks by username
select is(pg_temp.names(api.list_blocks()), '', 'Nobody is blocked at first');
select api.block_person('bob');
select is(pg_temp.names(api.list_mutes()), '', 'A blocked person isn''t listed as muted');
select throws_ok($$ select api.mute_person('bob') $$, 'PT404', 'person_unknown', 'A blocked person can''t be muted');
select throws_ok($$ insert into app.mutes (muter_id, muted_id) values (test.id('alice'), test.id('bob')) $$, '42501', null, 'A blocked person can''t be muted in the table');
select is((api.list_blocks() #> '{items,0}')::jsonb - '{createdAt,personId}'::text[],
  '{"id": "acct:bob@localhost", "actorId": "acct:bob@localhost", "username": "bob"}'::jsonb, 'The list of blocks has only the blocked person''s names');
select test.act_as_owner();
insert into app.blocks (blocker_id, blocked_id) values (test.id('alice'), test.id('dave')), (test.id('carla'), test.id('alice'));
select test.act_as('alice');
select is(pg_temp.names(api.list_blocks()), 'bob dave', 'The list of blocks contains banned people, but nobody who blocked the caller');
select is(pg_temp.names(api.list_blocks(1, 'bob')), 'dave', 'The list of blocks has pages');
select api.unblock_person('bob');
select is(pg_temp.names(api.list_mutes()), 'bob', 'After the block the person is listed as muted again');

-- At most 5000
select test.act_as_owner();
select test.crowd('many_', 4999);
select test.people('yan', 'zed');
delete from app.mutes;
alter table app.mutes disable trigger limit_mutes;   -- otherwise the trigger would count all earlier rows for each row
insert into app.mutes (muter_id, muted_id) select test.id('alice'), id from app.users where username like 'many\_%';
alter table app.mutes enable trigger limit_mutes;
select test.act_as('alice');
select api.mute_person('yan');
select throws_ok($$ select api.mute_person('zed') $$, 'PT409', 'mutes_exhausted', 'A person can mute at most 5000 people');
select lives_ok($$ select api.mute_person('many_7') $$, 'At the limit, an existing mute can be repeated');

select * from finish();
rollback;
