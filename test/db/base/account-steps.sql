-- Steps of bans and erasures: which steps run when, in which order, and that one trigger on app.users runs them.
begin;
select plan(16);
select test.people('alice', 'bob');

select is_empty($$ select s.step from private.account_steps s
                   left join pg_proc p on p.oid = to_regprocedure(s.step || '(app.users)')
                   where (p.prorettype = 'void'::regtype and p.provolatile = 'v' and not p.proretset) is not true $$,
  'Every step is a function (app.users) that returns void');
select is_empty($$ select p.proname from pg_proc p
                   where p.pronamespace = 'private'::regnamespace and p.prorettype = 'void'::regtype
                     and p.pronargs = 1 and p.proargtypes[0] = 'app.users'::regtype
                     and 'private.' || p.proname not in (select step from private.account_steps) $$,
  'Every such function in private is a step');
select is_empty($$ select p.proname from pg_proc p join private.account_steps s on s.step = 'private.' || p.proname
                   where p.pronamespace = 'private'::regnamespace and (p.prosecdef or p.pronargs <> 1) $$,
  'A step''s function has no overload, and runs with the rights of the trigger');
select is((select string_agg(t.tgname, ', ' order by t.tgname) from pg_trigger t
           where t.tgrelid = 'app.users'::regclass and not t.tgisinternal and exists (
             select from pg_attribute a where a.attrelid = t.tgrelid and a.attnum = any (t.tgattr)
               and a.attname in ('banned_at', 'erased_at'))),
  '_060_change_account_state, _195_send_live_tokens, _900_note_changed_person',
  'Only the triggers that run the steps, inform Realtime and note the change depend on banned_at or erased_at');
select is_empty($$ select t.tgname from pg_trigger t
                   where t.tgrelid = 'app.users'::regclass and not t.tgisinternal
                     and t.tgtype & 16 > 0 and cardinality(t.tgattr::int2[]) = 0 $$,
  'Every trigger on updates of app.users names its columns');

create table pg_temp.ran (place serial, step text, username text);
create function private.first_of_test(p_user app.users) returns void language sql
  as $$ insert into pg_temp.ran (step, username) values ('first', p_user.username) $$;
create function private.second_of_test(p_user app.users) returns void language sql
  as $$ insert into pg_temp.ran (step, username) values ('second', p_user.username) $$;
create function pg_temp.ran() returns text language sql as $$
  with gone as (delete from pg_temp.ran returning *)
  select string_agg(step || ' ' || username, ', ' order by place) from gone
$$;
insert into private.account_steps (step, events, position) values
  ('private.second_of_test', '{ban,erasure}', 999), ('private.first_of_test', '{ban,unban}', 998);

update app.users set banned_at = now() where username = 'alice';
select is(pg_temp.ran(), 'first alice, second alice', 'A ban runs its steps by position');
update app.users set banned_at = now() - interval '1 hour' where username = 'alice';
select is(pg_temp.ran(), null, 'Changing the time of a ban runs no step');
update app.users set banned_at = null where username = 'alice';
select is(pg_temp.ran(), 'first alice', 'The end of a ban runs its own steps');
update app.users set banned_at = now(), erased_at = now() where username = 'alice';
select is(pg_temp.ran(), 'first alice, second alice', 'A step of two events runs once if both events happen at once');
select is(private.job_finish_erasures(), 1, 'The hourly job repeats an erasure');
select is(pg_temp.ran(), 'second alice', 'The repeated erasure runs only the steps of an erasure');
select is(private.erase_more(jsonb_build_object('userId', test.id('bob'))) ->> 'next', null, 'A person who isn''t erased is not erased by a repeat');
select is(pg_temp.ran(), null, 'No step runs for a person who isn''t erased');

select throws_ok($$ insert into private.account_steps (step, events, position) values ('private.third_of_test', '{ban}', 998) $$,
  '23505', null, 'Two steps can''t have the same position');
select throws_ok($$ insert into private.account_steps (step, events, position) values ('private.third_of_test', '{joy}', 997) $$,
  '23514', null, 'A step can''t have an unknown event');
select throws_ok($$ insert into private.account_steps (step, events, position) values ('x(); drop', '{ban}', 997) $$,
  '23514', null, 'A step must be the name of a function in private');

select * from finish();
rollback;
