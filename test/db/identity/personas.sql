-- Personas: five, one of them the default, and their owner's alone to change.
begin;
select plan(17);
select test.people('alice', 'bob');
create function pg_temp.persona(p_name text) returns uuid language sql
  as $$ select id from app.personas where user_id = app.uid() and name = p_name $$;
grant execute on function pg_temp.persona to authenticated;

-- Acting as Alice
select test.act_as('alice');
select is(api.create_persona('Poet') ->> 'isDefault', 'false', 'a new one is not the default');
select throws_ok($$ select api.create_persona(' Poet ') $$, 'PT409', 'persona_name_taken', 'names are once a person');
select throws_ok($$ select api.create_persona('   ') $$, 'PT422', 'value_invalid', 'and are something');
select throws_ok($$ select api.create_persona('A', null, 'plum') $$, 'PT422', 'value_invalid', 'an accent is one of four');
select throws_ok(format('select api.create_persona(%L)', repeat('x', 41)), 'PT422', 'value_invalid', 'a name has 40 characters at most');
select lives_ok($$ select api.create_persona('P' || n) from generate_series(3, 5) n $$, 'there may be five');
select throws_ok($$ select api.create_persona('P6') $$, 'PT409', 'personas_exhausted', 'and no sixth');
select throws_ok($$ select api.delete_persona(pg_temp.persona('Main')) $$, 'PT409', 'persona_is_default', 'the default stays');
select throws_ok($$ update app.personas set is_default = true $$, '42501', null, 'it changes by one way only');
select is(api.set_default_persona(pg_temp.persona('Poet')) ->> 'isDefault', 'true', 'which makes another one the default');
select results_eq($$ select name::text from app.personas where user_id = app.uid() and is_default $$, array['Poet'], 'in place of the first');
select lives_ok($$ select api.delete_persona(pg_temp.persona('Main')) $$, 'and the first can go');
select throws_ok($$ delete from app.personas where user_id = app.uid() $$, 'PT409', 'persona_is_default', 'never all of them');

-- Acting as Bob
create temporary table hers as select pg_temp.persona('Poet') as id;
grant select on hers to authenticated;
select test.act_as('bob');
select throws_ok($$ select api.set_default_persona((select id from hers)) $$, 'PT404', 'persona_unknown', 'another''s is no default of one''s own');
select throws_ok($$ select api.update_persona((select id from hers), '{"name": "Mine"}') $$, 'PT404', 'persona_unknown', 'nor can it be changed');
select throws_ok($$ select api.delete_persona((select id from hers)) $$, 'PT404', 'persona_unknown', 'or deleted');
select results_eq($$ select name::text from app.personas where user_id = app.uid() and is_default $$, array['Main'], 'and one''s own is as it was');

select * from finish();
rollback;
