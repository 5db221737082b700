-- Strikes of suspensions: a suspension without a case counts once, however often staff moves its end.
begin;
select plan(6);
select test.people('alice', 'bob');
update app.users set role = 'admin' where username = 'alice';
update private.case_categories set strikes = 2 where category = 'other';
create function pg_temp.suspend(p_days integer) returns void language sql as $$
  select api.ban_person('bob', 'Because', now() + p_days * interval '1 day') $$;
create function pg_temp.strikes() returns integer language sql security definer as $$ select private.count_strikes(test.id('bob')) $$;
create function pg_temp.continued() returns bigint language sql security definer as $$
  select count(*) from app.decisions where person_id = test.id('bob') and continues is not null $$;
grant execute on all functions in schema pg_temp to public;

select test.act_as_service('alice');
select pg_temp.suspend(1);
select pg_temp.suspend(2);
select is(pg_temp.strikes(), 2, 'A suspension whose end was moved counts once');
select pg_temp.suspend(3);
select is(pg_temp.strikes(), 2, 'A suspension whose end was moved twice counts once');
select is(pg_temp.continued(), 2::bigint, 'Each later suspension continues the first');
select api.unban_person('bob');
select pg_temp.suspend(1);
select is(pg_temp.strikes(), 4, 'A suspension after the end of another counts again');
select api.act_on_case((api.create_case('user', 'bob', 'other') ->> 'id')::uuid, '{suspend}', 'Again', p_until => now() + interval '5 days');
select is(pg_temp.strikes(), 6, 'A suspension in a case counts for its case');
select pg_temp.suspend(6);
select is(pg_temp.strikes(), 6, 'Moving the end of a suspension of a case counts nothing more');
select * from finish();
rollback;
