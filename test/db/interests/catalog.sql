-- The catalog: its shape, what keeps its tree consistent, and that only staff can change it.
begin;
select plan(24);
select test.people('alice');

create function pg_temp.interest(p_slug text) returns uuid language sql stable
  as $$ select id from app.interests where slug = p_slug $$;
create function pg_temp.items(p_level integer, p_parent text) returns text language sql stable
  as $$ select coalesce(string_agg(i ->> 'slug', ' ' order by n), '')
        from json_array_elements(api.get_catalog(p_level, pg_temp.interest(p_parent)) -> 'items') with ordinality as i (i, n) $$;
create function pg_temp.tag(p_change text default 'select') returns text language plpgsql
  as $$ begin
    execute p_change;
    perform api.get_catalog();
    return current_setting('response.headers')::json -> 0 ->> 'ETag';
  end $$;
grant execute on all functions in schema pg_temp to public;

-- Acting as the owner
select throws_ok($$ insert into app.interests (slug, name, level, accent_color) values ('ethics', 'Again', 1, 'ink') $$,
  '23505', null, 'A slug is unique');
select throws_ok($$ insert into app.interests (slug, name, level, accent_color) values ('orphan', 'Orphan', 2, 'ink') $$,
  'PT422', 'interest_parent_misplaced', 'A sub-interest needs a parent');
select throws_ok($$ insert into app.interests (slug, name, level, parent_id, accent_color)
  values ('odd', 'Odd', 1, pg_temp.interest('philosophy'), 'ink') $$, 'PT422', 'interest_parent_misplaced', 'A category has no parent');
select throws_ok($$ insert into app.interests (slug, name, level, parent_id, accent_color)
  values ('odd', 'Odd', 3, pg_temp.interest('philosophy'), 'ink') $$, '23503', null, 'A parent is exactly one level up');
select throws_ok($$ update app.interests set level = 1, parent_id = null where slug = 'ethics' $$,
  '23503', null, 'An interest keeps its level while it has children');
select throws_ok($$ insert into app.interests (slug, name, level, parent_id, accent_color)
  values ('odd', 'Odd', 4, pg_temp.interest('philosophy'), 'ink') $$,
  'PT422', 'value_invalid', 'There are three levels');
select throws_ok($$ insert into app.interests (slug, name, level, accent_color) values ('odd', 'Odd', 1, 'azure') $$,
  'PT422', 'value_invalid', 'An accent color must be one of the known ones');
select throws_ok($$ delete from app.interests where slug = 'philosophy' $$, '23503', null, 'An interest with children can''t be deleted');

-- Still the owner: the ETag, whatever changes
select isnt(pg_temp.tag(), pg_temp.tag(change), 'The ETag changes with' || change)
from unnest(array[
  $$ update app.interests set name = 'Wisdom' where slug = 'philosophy' $$,
  $$ update app.interests set user_count = user_count + 1 where slug = 'philosophy' $$,
  $$ update app.interests set user_count = 1 - user_count where slug in ('philosophy', 'music') $$,
  $$ insert into app.interests (slug, name, level, accent_color) values ('odd', 'Odd', 1, 'ink') $$,
  $$ delete from app.interests where slug = 'odd' $$]) change;
select is(pg_temp.tag(), pg_temp.tag('update app.interests set name = name'), 'An update that changes nothing leaves the ETag unchanged');

-- Acting as Alice
select test.act_as('alice');
select results_eq(
  $$ select level, count(*) from app.interests group by level order by level $$,
  $$ select (i).* from (values (1, (select count(*) from json_array_elements(api.get_catalog() -> 'items'))),
       (2, (select count(*) from json_array_elements(api.get_catalog() -> 'items') a, json_array_elements(a -> 'children'))),
       (3, (select count(*) from json_array_elements(api.get_catalog() -> 'items') a, json_array_elements(a -> 'children') b,
            json_array_elements(b -> 'children')))) i $$, 'The tree has every interest, each on its level');
select set_eq(
  $$ select json_object_keys(api.get_catalog() -> 'items' -> 0) $$,
  array['id', 'slug', 'name', 'level', 'parentId', 'accentColor', 'userCount', 'children'], 'An interest in the tree has these fields');
select set_eq(
  $$ select json_object_keys(api.get_catalog(1) -> 'items' -> 0) $$,
  array['id', 'slug', 'name', 'level', 'parentId', 'accentColor', 'userCount'], 'An interest in a filtered list has these fields');
select results_eq(
  $$ select i ->> 'parentId' from json_array_elements(api.get_catalog(p_parent_id => pg_temp.interest('philosophy')) -> 'items') i
     group by 1 $$, $$ select pg_temp.interest('philosophy')::text $$, 'Filtering by parent returns its children');
select is(pg_temp.items(2, 'philosophy'), pg_temp.items(null, 'philosophy'), 'The filters by parent and level can be combined');
select is(pg_temp.items(3, 'philosophy'), '', 'The filters find nothing if the parent has no children on the level');
select throws_ok($$ select api.get_catalog(p_parent_id => gen_random_uuid()) $$, 'PT404', 'interest_unknown', 'An unknown parent fails with interest_unknown');
select throws_ok($$ insert into app.interests (slug, name, level, accent_color) values ('mine', 'Mine', 1, 'ink') $$,
  '42501', null, 'People can''t add interests');
select throws_ok($$ update app.interests set user_count = 1000 $$, '42501', null, 'People can''t change interests');

-- Acting as somebody without a token
select test.act_as_anon();
select throws_ok($$ select api.get_catalog() $$, '42501', null, 'The catalog needs a signed-in caller');

select * from finish();
rollback;
