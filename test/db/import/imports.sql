-- Imports: who may begin and see them, what a row must be, how often, and what the worker does with the rows.
begin;
select plan(30);
select test.people('alice', 'bob');

create function pg_temp.state(p_name text) returns text language sql security definer as $$
  select string_agg(state, ' ' order by created_at) from app.imports where user_id = test.id(p_name) $$;
create function pg_temp.codes(p_name text) returns text language sql security definer as $$
  select string_agg(p ->> 'path' || ' ' || (p ->> 'code'), ', ')
  from app.imports, jsonb_array_elements(problems) p where user_id = test.id(p_name) $$;
create function pg_temp.last(p_name text) returns uuid language sql security definer as $$
  select id from app.imports where user_id = test.id(p_name) order by created_at desc limit 1 $$;
create function pg_temp.staged() returns integer language sql security definer as $$
  select count(*)::int from private.import_rows $$;
grant execute on all functions in schema pg_temp to public;

-- What a field may be
select is(private.import_shape_error(v::jsonb, t), e, format('%s as %s', v, t)) from (values
  ('"x"', 'text', null), ('1', 'text', 'must be a text'), ('null', 'text', 'must be a text'), ('null', 'text?', null),
  ('true', 'boolean', null), ('"true"', 'boolean', 'must be true or false'),
  ('1', 'integer', null), ('1.5', 'integer', 'must be a whole number'), ('1e30', 'integer', 'must be a whole number'),
  ('[]', 'array', null), ('{}', 'array', 'must be a list'),
  ('"2020-01-31T12:00:00.000Z"', 'time', null),
  ('"2020-13-31T12:00:00.000Z"', 'time', 'must be a time such as 2099-01-31T12:00:00.000Z'),
  ('"infinity"', 'time', 'must be a time such as 2099-01-31T12:00:00.000Z')) f (v, t, e);

-- Acting as Alice
select test.act_as('alice');
select throws_ok('select api.get_import()', 'PT404', 'import_none', 'A person without an import gets none');
select lives_ok('select api.begin_import()', 'People can begin an import');
select throws_ok('select api.get_import()', 'PT404', 'import_none', 'An import that was not finished is not shown');
select lives_ok('select api.begin_import()', 'Beginning another import ends an unfinished one');
select is(pg_temp.state('alice'), 'receiving', 'A person has only one import at a time');
select throws_ok($$ select api.finish_import(pg_temp.last('alice'), 'x.example', 'valid', 'https://x.example') $$, '42501',
  null, 'Only the facade can finish an import, because it has checked the signature');
select throws_ok($$ select api.add_import_rows(pg_temp.last('alice'), 'posts', 0, '[]') $$, '42501', null,
  'Only the facade can add rows');
select throws_ok('select from app.imports', '42501', null, 'People can read imports only through the operation');

-- As the facade, for Bob and then for Alice
select test.act('gate', test.claims('bob'));
select throws_ok($$ select api.add_import_rows(pg_temp.last('alice'), 'circles', 0,
  '[{"id": "1", "kind": "general", "name": "x", "createdAt": "2020-01-31T12:00:00Z"}]') $$, 'PT409', 'import_running',
  'Nobody can add rows to the import of another person');
select test.act('gate', test.claims('alice'));
select is(api.add_import_rows(pg_temp.last('alice'), 'circles', 3, '[{"id": 1, "kind": "x", "name": "x", "createdAt": "x"}]')::jsonb,
  '{"problems": ["circles.3.createdAt: must be a time such as 2099-01-31T12:00:00.000Z", "circles.3.id: must be a text"]}',
  'The errors name the positions of invalid rows');
select is(pg_temp.staged(), 0, 'If one row is invalid, none of the rows is added');
select api.add_import_rows(pg_temp.last('alice'), 'circles', 0, jsonb_agg(jsonb_build_object(
  'id', n::text, 'kind', 'work', 'name', 'Circle ' || n, 'createdAt', '2020-01-31T12:00:00Z')))
from generate_series(1, 12) n;
select api.finish_import(pg_temp.last('alice'), 'X.example', 'none', null);
select test.act_as_owner();
select private.import_batch(jsonb_build_object('importId', pg_temp.last('alice')));
select is(pg_temp.codes('alice'), 'circles.10 circles_exhausted, circles.11 circles_exhausted',
  'Limits apply, and each row that exceeds one is listed as a problem');
select private.import_batch(jsonb_build_object('importId', pg_temp.last('alice')));
select is((select array[state, done::text, total::text, origin] from app.imports where user_id = test.id('alice')),
  '{done,12,12,x.example}', 'The import is done when no row is left');
select is(private.import_batch(jsonb_build_object('importId', pg_temp.last('alice')))::jsonb, '{"changed": 0, "next": null}',
  'Another batch finds no rows');

-- A ban
select test.act_as('bob');
select api.begin_import();
select test.act('gate', test.claims('bob'));
select api.add_import_rows(pg_temp.last('bob'), 'circles', 0,
  '[{"id": "1", "kind": "work", "name": "x", "createdAt": "2020-01-31T12:00:00Z"}]');
select api.finish_import(pg_temp.last('bob'), 'x.example', 'none', null);
select test.act_as_owner();
update app.users set banned_at = now() where id = test.id('bob');
select private.import_batch(jsonb_build_object('importId', pg_temp.last('bob')));
select is(pg_temp.state('bob'), 'stopped', 'A ban stops an import');
select is((select count(*)::int from app.circles where owner_id = test.id('bob')), 0, 'After a ban no further row is imported');

select * from finish();
rollback;
