-- Circles: what makes one, how many there may be, and what owner, member and stranger may do with it.
begin;
select plan(70);
select test.people('alice', 'bob', 'carla', 'dave');

create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.keys(p_card json) returns text language sql
  as $$ select string_agg(k, ' ' order by k) from json_object_keys(p_card) k $$;
create function pg_temp.names(p_page json) returns text language sql
  as $$ select string_agg(i ->> 'name', ' ' order by i ->> 'name') from json_array_elements(p_page -> 'items') i $$;
create function pg_temp.rows(p_statement text) returns integer language plpgsql as $$
declare v_rows integer;
begin
  execute p_statement;
  get diagnostics v_rows = row_count;
  return v_rows;
end $$;
grant execute on all functions in schema pg_temp to public;

-- Acting as Alice: what makes a circle
select test.act_as('alice');
insert into made select 'friends', (api.create_circle('  Friends  ') ->> 'id')::uuid;
select is(pg_temp.keys(api.list_my_circles() #> '{items,0}'), 'accent createdAt id isOwner kind name owner ownerId',
  'a circle has its fields and no more');
select is(api.list_my_circles() #>> '{items,0,name}', 'Friends', 'its name is trimmed');
select is(api.list_my_circles() #>> '{items,0,kind}', 'general', 'it is general by default');
select is(api.list_my_circles() #>> '{items,0,accent}', null, 'without an accent');
select is(api.list_my_circles() #>> '{items,0,ownerId}', 'acct:alice@localhost', 'its owner is named by the actor id');
select is(api.list_my_circles() #>> '{items,0,isOwner}', 'true', 'who made it is its owner');
select is((select count(*) from app.circle_members)::int, 0, 'and no member');
select is(api.create_circle('Kin', k) ->> 'kind', k, k || ' is a kind')
from unnest(array['general', 'family', 'work', 'inner', 'custom']) k;
select throws_ok($$ select api.create_circle('Kin', 'secret') $$, 'PT422', 'value_invalid', 'other kinds there are none');
select lives_ok(format('select api.create_circle(%L)', repeat('é', 60)), 'a name has up to 60 characters');
select throws_ok(format('select api.create_circle(%L)', repeat('é', 61)), 'PT422', 'value_invalid', 'and not 61');
select throws_ok($$ select api.create_circle('   ') $$, 'PT422', 'value_invalid', 'blanks are no name');
select throws_ok($$ select api.create_circle(null) $$, '23502', null, 'and a circle has one');
select is(api.create_circle('Work', 'work', 'sage') ->> 'accent', 'sage', 'an accent is a colour token');
select throws_ok(format('select api.create_circle(%L, %L, %L)', 'Work', 'work', a), 'PT422', 'value_invalid', a || ' is none')
from unnest(array['Sage', 's', 'sage green', '#88aa88', repeat('a', 21)]) a;

-- changing it
select is(api.update_circle(pg_temp.id('friends'), '{"name": " Old friends ", "accent": "gold"}') ->> 'name', 'Old friends',
  'a circle is renamed');
select is(api.update_circle(pg_temp.id('friends'), '{}') ->> 'accent', 'gold', 'what is absent stays');
select is(api.update_circle(pg_temp.id('friends'), '{"accent": null}') ->> 'accent', null, 'null clears the accent');
select is(api.update_circle(pg_temp.id('friends'), '{"kind": "inner"}') ->> 'kind', 'general', 'the kind stays what it was');
select throws_ok($$ select api.update_circle(pg_temp.id('friends'), '{"name": null}') $$, '23502', null, 'the name is never cleared');
select throws_ok($$ select api.update_circle(pg_temp.id('friends'), '{"name": " "}') $$, 'PT422', 'value_invalid', 'nor emptied');
select throws_ok($$ select api.update_circle(gen_random_uuid(), '{}') $$, 'PT404', 'circle_unknown', 'an unknown circle is unknown');

-- at most 10 of a kind
select test.act_as('dave');
select lives_ok(format($$ select api.create_circle('Kin', %L) from generate_series(1, 10) $$, k), '10 of kind ' || k)
from unnest(array['general', 'family', 'work', 'inner', 'custom']) k;
select throws_ok(format($$ select api.create_circle('Kin', %L) $$, k), 'PT409', 'circles_exhausted', 'and no 11th of kind ' || k)
from unnest(array['general', 'family', 'work', 'inner', 'custom']) k;
select lives_ok($$ select api.delete_circle((select id from app.circles where kind = 'work' limit 1)) $$, 'one goes');
select lives_ok($$ select api.create_circle('Kin', 'work') $$, 'and makes room for one');
select is((select count(*) from app.circles)::int, 50, 'fifty in all');

-- Acting as Bob, a stranger to it
select test.act_as('bob');
select is(pg_temp.names(api.list_my_circles()), null, 'a stranger has no circles');
select is((select count(*) from app.circles)::int, 0, 'and sees no row of them');
select throws_ok(format('select api.%s', c), 'PT404', 'circle_unknown', 'for a stranger there is none: ' || c)
from unnest(array[
  $$update_circle(pg_temp.id('friends'), '{"name": "Mine"}')$$, $$delete_circle(pg_temp.id('friends'))$$,
  $$list_circle_members(pg_temp.id('friends'))$$, $$add_circle_member(pg_temp.id('friends'), 'carla')$$,
  $$set_bond_level(pg_temp.id('friends'), 'carla', 'inner-circle')$$, $$remove_circle_member(pg_temp.id('friends'), 'bob')$$,
  $$invite_to_circle(pg_temp.id('friends'), 'carla')$$, $$list_circle_invitations(pg_temp.id('friends'))$$,
  $$revoke_invitation(pg_temp.id('friends'), gen_random_uuid())$$]) c;

-- Acting as Bob, a member of it
select test.act_as('alice');
select api.add_circle_member(pg_temp.id('friends'), 'bob');
select test.act_as('bob');
select is(pg_temp.names(api.list_my_circles()), 'Old friends', 'a member has the circle among their own');
select is(api.list_my_circles() #>> '{items,0,isOwner}', 'false', 'without owning it');
select throws_ok(format('select api.%s', c), 'PT403', 'circle_not_yours', 'for the owner alone: ' || c)
from unnest(array[
  $$update_circle(pg_temp.id('friends'), '{"name": "Mine"}')$$, $$delete_circle(pg_temp.id('friends'))$$,
  $$list_circle_members(pg_temp.id('friends'))$$, $$add_circle_member(pg_temp.id('friends'), 'carla')$$,
  $$set_bond_level(pg_temp.id('friends'), 'bob', 'inner-circle')$$, $$remove_circle_member(pg_temp.id('friends'), 'carla')$$,
  $$invite_to_circle(pg_temp.id('friends'), 'carla')$$, $$list_circle_invitations(pg_temp.id('friends'))$$,
  $$revoke_invitation(pg_temp.id('friends'), gen_random_uuid())$$]) c;
select is(pg_temp.rows(format('update app.circles set name = %L', 'Mine')), 0, 'a member renames no row');
select is(pg_temp.rows('delete from app.circles'), 0, 'and deletes none');
select throws_ok($$ insert into app.circles (owner_id, name) values (test.id('alice'), 'Hers') $$, '42501', null,
  'nobody makes a circle in another''s name');
select throws_ok($$ update app.circles set owner_id = test.id('bob') $$, '42501', null, 'or takes one over');

-- Acting as nobody
select test.act_as_anon();
select throws_ok($$ select api.create_circle('Kin') $$, '42501', null, 'without a token there are no circles');

select * from finish();
rollback;
