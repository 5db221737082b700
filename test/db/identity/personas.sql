-- Personas: at most five, one of them the default, and only their owner can change them.
begin;
select plan(17);
select test.people('alice', 'bob');
create function pg_temp.persona(p_name text) returns uuid language sql
  as $$ select id from app.personas where user_id = app.uid() and name = p_name $$;
grant execute on function pg_temp.persona to authenticated;

-- Acting as Alice
select test.act_as('alice');
select is(api.create_persona('Poet') ->> 'isDefault', 'false', 'A new persona isn''t the default');
select throws_ok($$ select api.create_persona(' Poet ') $$, 'PT409', 'persona_name_taken', 'Names are unique for a person');
select throws_ok($$ select api.create_persona('   ') $$, 'PT422', 'value_invalid', 'A blank name is refused');
select throws_ok($$ select api.create_persona('A', null, 'plum') $$, 'PT422', 'value_invalid', 'An unknown accent is refused');
select throws_ok(format('select api.create_persona(%L)', repeat('x', 41)), 'PT422', 'value_invalid', 'A name of 41 characters is refused');
select lives_ok($$ select api.create_persona('P' || n) from generate_series(3, 5) n $$, 'A person can have five personas');
select throws_ok($$ select api.create_persona('P6') $$, 'PT409', 'personas_exhausted', 'A sixth persona is refused');
select throws_ok($$ select api.delete_persona(pg_temp.persona('Main')) $$, 'PT409', 'persona_is_default', 'The default persona can''t be deleted');
select throws_ok($$ update app.personas set is_default = true $$, '42501', null, 'People can''t change the default in the table');
select is(api.set_default_persona(pg_temp.persona('Poet')) ->> 'isDefault', 'true', 'Another persona can be made the default');
select results_eq($$ select name::text from app.personas where user_id = app.uid() and is_default $$, array['Poet'], 'There is only one default');
select lives_ok($$ select api.delete_persona(pg_temp.persona('Main')) $$, 'The former default can be deleted');
select throws_ok($$ delete from app.personas where user_id = app.uid() $$, 'PT409', 'persona_is_default', 'A person can''t delete all their personas');

-- Acting as Bob
create temporary table hers as select pg_temp.persona('Poet') as id;
grant select on hers to authenticated;
select test.act_as('bob');
select throws_ok($$ select api.set_default_persona((select id from hers)) $$, 'PT404', 'persona_unknown', 'A person can''t make another person''s persona their default');
select throws_ok($$ select api.update_persona((select id from hers), '{"name": "Mine"}') $$, 'PT404', 'persona_unknown', 'Another person''s persona can''t be changed');
select throws_ok($$ select api.delete_persona((select id from hers)) $$, 'PT404', 'persona_unknown', 'Another person''s persona can''t be deleted');
select results_eq($$ select name::text from app.personas where user_id = app.uid() and is_default $$, array['Main'], 'The caller''s own default persona is unchanged');

select * from finish();
rollback;
