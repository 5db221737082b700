-- Circles: their fields, how many there can be, and what owner, member and stranger can do with one.
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

-- Acting as Alice: fields
select test.act_as('alice');
insert into made select 'friends', (api.create_circle('  Friends  ') ->> 'id')::uuid;
select is(pg_temp.keys(api.list_my_circles() #> '{items,0}'), 'accent createdAt id isOwner kind name owner ownerId',
  'A circle has exactly these fields');
select is(api.list_my_circles() #>> '{items,0,name}', 'Friends', 'The name of a circle is trimmed');
select is(api.list_my_circles() #>> '{items,0,kind}', 'general', 'A circle is of kind general by default');
select is(api.list_my_circles() #>> '{items,0,accent}', null, 'A circle has no accent by default');
select is(api.list_my_circles() #>> '{items,0,ownerId}', 'acct:alice@localhost', 'The owner of a circle is named by actor id');
select is(api.list_my_circles() #>> '{items,0,isOwner}', 'true', 'The creator of a circle is its owner');
select is((select count(*) from app.circle_members)::int, 0, 'The owner is not a member');
select is(api.create_circle('Kin', k) ->> 'kind', k, k || ' is a valid kind')
from unnest(array['general', 'family', 'work', 'inner', 'custom']) k;
select throws_ok($$ select api.create_circle('Kin', 'secret') $$, 'PT422', 'value_invalid', 'An unknown kind is refused');
select lives_ok(format('select api.create_circle(%L)', repeat('é', 60)), 'A name of 60 characters is accepted');
select throws_ok(format('select api.create_circle(%L)', repeat('é', 61)), 'PT422', 'value_invalid', 'A name of 61 characters is refused');
select throws_ok($$ select api.create_circle('   ') $$, 'PT422', 'value_invalid', 'A blank name is refused');
select throws_ok($$ select api.create_circle(null) $$, '23502', null, 'A null name is refused');
select is(api.create_circle('Work', 'work', 'sage') ->> 'accent', 'sage', 'An accent is a colour token');
select throws_ok(format('select api.create_circle(%L, %L, %L)', 'Work', 'work', a), 'PT422', 'value_invalid', 'An invalid accent is refused: ' || a)
from unnest(array['Sage', 's', 'sage green', '#88aa88', repeat('a', 21)]) a;

-- Changes
select is(api.update_circle(pg_temp.id('friends'), '{"name": " Old friends ", "accent": "gold"}') ->> 'name', 'Old friends',
  'A circle can be renamed');
select is(api.update_circle(pg_temp.id('friends'), '{}') ->> 'accent', 'gold', 'A missing field is unchanged');
select is(api.update_circle(pg_temp.id('friends'), '{"accent": null}') ->> 'accent', null,
  'A null accent clears the accent');
select is(api.update_circle(pg_temp.id('friends'), '{"kind": "inner"}') ->> 'kind', 'general', 'The kind can''t be changed');
select throws_ok($$ select api.update_circle(pg_temp.id('friends'), '{"name": null}') $$, '23502', null, 'A null name is refused in a change');
select throws_ok($$ select api.update_circle(pg_temp.id('friends'), '{"name": " "}') $$, 'PT422', 'value_invalid', 'A blank name is refused in a change');
select throws_ok($$ select api.update_circle(gen_random_uuid(), '{}') $$, 'PT404', 'circle_unknown', 'An unknown circle can''t be changed');

-- At most 10 of a kind
select test.act_as('dave');
select lives_ok(format($$ select api.create_circle('Kin', %L) from generate_series(1, 10) $$, k), 'A person can have 10 circles of kind ' || k)
from unnest(array['general', 'family', 'work', 'inner', 'custom']) k;
select throws_ok(format($$ select api.create_circle('Kin', %L) $$, k), 'PT409', 'circles_exhausted', 'A person can''t have 11 circles of kind ' || k)
from unnest(array['general', 'family', 'work', 'inner', 'custom']) k;
select lives_ok($$ select api.delete_circle((select id from app.circles where kind = 'work' limit 1)) $$, 'A circle can be deleted');
select lives_ok($$ select api.create_circle('Kin', 'work') $$, 'Deleting a circle makes room for another');
select is((select count(*) from app.circles)::int, 50, 'The person has fifty circles in total');

-- Acting as Bob, a stranger to the circle
select test.act_as('bob');
select is(pg_temp.names(api.list_my_circles()), null, 'A stranger doesn''t have the circle in their list');
select is((select count(*) from app.circles)::int, 0, 'A stranger sees no rows of circles');
select throws_ok(format('select api.%s', c), 'PT404', 'circle_unknown', 'A stranger gets circle_unknown from ' || c)
from unnest(array[
  $$update_circle(pg_temp.id('friends'), '{"name": "Mine"}')$$, $$delete_circle(pg_temp.id('friends'))$$,
  $$list_circle_members(pg_temp.id('friends'))$$, $$add_circle_member(pg_temp.id('friends'), 'carla')$$,
  $$set_bond_level(pg_temp.id('friends'), 'carla', 'inner-circle')$$, $$remove_circle_member(pg_temp.id('friends'), 'bob')$$,
  $$invite_to_circle(pg_temp.id('friends'), 'carla')$$, $$list_circle_invitations(pg_temp.id('friends'))$$,
  $$revoke_invitation(pg_temp.id('friends'), gen_random_uuid())$$]) c;

-- Acting as Bob, a member of the circle
select test.act_as('alice');
select api.add_circle_member(pg_temp.id('friends'), 'bob');
select test.act_as('bob');
select is(pg_temp.names(api.list_my_circles()), 'Old friends', 'A member has the circle in their list');
select is(api.list_my_circles() #>> '{items,0,isOwner}', 'false', 'A member isn''t shown as its owner');
select throws_ok(format('select api.%s', c), 'PT403', 'circle_not_yours', 'A member who isn''t the owner can''t ' || c)
from unnest(array[
  $$update_circle(pg_temp.id('friends'), '{"name": "Mine"}')$$, $$delete_circle(pg_temp.id('friends'))$$,
  $$list_circle_members(pg_temp.id('friends'))$$, $$add_circle_member(pg_temp.id('friends'), 'carla')$$,
  $$set_bond_level(pg_temp.id('friends'), 'bob', 'inner-circle')$$, $$remove_circle_member(pg_temp.id('friends'), 'carla')$$,
  $$invite_to_circle(pg_temp.id('friends'), 'carla')$$, $$list_circle_invitations(pg_temp.id('friends'))$$,
  $$revoke_invitation(pg_temp.id('friends'), gen_random_uuid())$$]) c;
select is(pg_temp.rows(format('update app.circles set name = %L', 'Mine')), 0, 'A member can''t update rows of circles');
select is(pg_temp.rows('delete from app.circles'), 0, 'A member can''t delete rows of circles');
select throws_ok($$ insert into app.circles (owner_id, name) values (test.id('alice'), 'Hers') $$, '42501', null,
  'Nobody can insert a circle in another person''s name');
select throws_ok($$ update app.circles set owner_id = test.id('bob') $$, '42501', null, 'Nobody can take over a circle');

-- Acting as an anonymous caller
select test.act_as_anon();
select throws_ok($$ select api.create_circle('Kin') $$, '42501', null, 'Circles need a signed-in caller');

select * from finish();
rollback;
