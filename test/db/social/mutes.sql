-- Muting a person, and the lists of whom one has muted and blocked.
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
select is(api.mute_person('acct:bob@localhost') ->> 'muted', 'true', 'a person mutes another');
select lives_ok($$ select api.mute_person('@bob') $$, 'muting twice is no error');
select is((select count(*)::int from app.mutes), 1, 'and one mute');
select throws_ok($$ select api.mute_person('alice') $$, 'PT400', 'mute_oneself', 'nobody mutes themselves');
select throws_ok(format('select api.%s(''zoe'')', o), 'PT404', 'person_unknown', o || ' of nobody')
from unnest(array['mute_person', 'unmute_person']) o;
select throws_ok($$ insert into app.mutes (muter_id, muted_id) values (test.id('bob'), test.id('carla')) $$, '42501', null,
  'nobody mutes in another''s name');
select throws_ok($$ update app.mutes set muted_id = test.id('carla') $$, '42501', null, 'a mute is never changed');

-- Acting as Bob, who notices nothing
select test.act_as('bob');
select is((select count(*)::int from app.mutes), 0, 'nobody sees by whom they are muted');
select is(pg_temp.rows('delete from app.mutes'), 0, 'or lifts it');
select is(pg_temp.names(api.list_mutes()), '', 'his list is his own');
select lives_ok($$ select api.follow_person('alice') $$, 'and he follows her all the same');
select is(private.muted_people(), '{}', 'nobody is muted for him');

-- the list
select test.act_as('alice');
select api.mute_person(n) from unnest(array['dave', 'carla']) n;
select is(cardinality(private.muted_people()), 3, 'all whom she has muted');
select is(pg_temp.names(api.list_mutes()), 'bob carla dave', 'the list is by name');
select is(pg_temp.names(api.list_mutes(2)), 'bob carla', 'a page');
select is(api.list_mutes(2) ->> 'nextCursor', 'acct:carla@localhost', 'whose cursor is the last person');
select is(pg_temp.names(api.list_mutes(2, 'acct:carla@localhost')), 'dave', 'the next one');
select is(api.unmute_person('carla')::text, null, 'a mute is lifted');
select lives_ok($$ select api.unmute_person('carla') $$, 'twice is no error');
select is(pg_temp.names(api.list_mutes(2, 'acct:carla@localhost')), 'dave', 'the cursor of one who has left the list still holds');
select throws_ok(format('select api.list_%s(2, %L)', l, c), 'PT400', 'cursor_unknown', l || ', no cursor: ' || c)
from unnest(array['mutes', 'blocks']) l, unnest(array['acct:bob@elsewhere', '00000000-0000-4000-8000-000000000000', '']) c;
select throws_ok(format('select api.list_%s(%s)', l, n), 'PT422', 'limit_out_of_range', l || ', no limit: ' || n)
from unnest(array['mutes', 'blocks']) l, unnest(array['0', '51']) n;
select test.act_as_owner();
update app.users set banned_at = now() where username = 'dave';
select test.act_as('alice');
select is(pg_temp.names(api.list_mutes()), 'bob', 'the banned are not listed');

-- a block: Bob is gone from the mutes, and listed by name among the blocks
select is(pg_temp.names(api.list_blocks()), '', 'nobody is blocked');
select api.block_person('bob');
select is(pg_temp.names(api.list_mutes()), '', 'across a block nobody is listed as muted');
select throws_ok($$ select api.mute_person('bob') $$, 'PT404', 'person_unknown', 'or muted');
select throws_ok($$ insert into app.mutes (muter_id, muted_id) values (test.id('alice'), test.id('bob')) $$, '42501', null, 'by hand neither');
select is((api.list_blocks() #> '{items,0}')::jsonb - 'createdAt',
  '{"id": "acct:bob@localhost", "actorId": "acct:bob@localhost", "username": "bob"}'::jsonb, 'the block list names him, and no more');
select test.act_as_owner();
insert into app.blocks (blocker_id, blocked_id) values (test.id('alice'), test.id('dave')), (test.id('carla'), test.id('alice'));
select test.act_as('alice');
select is(pg_temp.names(api.list_blocks()), 'bob dave', 'also a banned one; never by whom she is blocked');
select is(pg_temp.names(api.list_blocks(1, 'bob')), 'dave', 'page by page');
select api.unblock_person('bob');
select is(pg_temp.names(api.list_mutes()), 'bob', 'when it is lifted he is muted as before');

-- at most 5000
select test.act_as_owner();
select test.crowd('many_', 4999);
select test.people('yan', 'zed');
delete from app.mutes;
alter table app.mutes disable trigger limit_mutes;   -- each would count those before it
insert into app.mutes (muter_id, muted_id) select test.id('alice'), id from app.users where username like 'many\_%';
alter table app.mutes enable trigger limit_mutes;
select test.act_as('alice');
select api.mute_person('yan');
select throws_ok($$ select api.mute_person('zed') $$, 'PT409', 'mutes_exhausted', 'at most 5000');
select lives_ok($$ select api.mute_person('many_7') $$, 'one that is there changes nothing');

select * from finish();
rollback;
