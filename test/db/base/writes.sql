-- The hourly limit of a person's writes: what counts, for whom, and when the hour restarts.
begin;
select plan(17);
select test.people('alice', 'bob');
update app.settings set value = '1' where key = 'rate_limit_scale';
insert into private.write_limits (kind, per_hour) values ('taps', 3);

create function pg_temp.as_owner(p_statement text) returns void language plpgsql security definer as $$ begin execute p_statement; end $$;
create function pg_temp.refused(p_many integer default 1) returns jsonb language plpgsql as $$
declare
  v_message text;
  v_detail  text;
begin
  perform private.count_writes('taps', p_many);
  return null;
exception when sqlstate 'PGRST' then
  get stacked diagnostics v_message = message_text, v_detail = pg_exception_detail;
  return jsonb_build_object('body', v_message::jsonb, 'answer', v_detail::jsonb);
end $$;
grant execute on all functions in schema pg_temp to public;

-- Acting as Alice
select test.act_as('alice');
select is(array(select private.count_writes('taps') from generate_series(1, 3)), '{1,1,1}', 'Writes are allowed up to the limit');
create temp table response as select pg_temp.refused() as it;
select is(it #>> '{body,message}', 'writes_exceeded', 'The write beyond the limit is refused') from response;
select is(it #>> '{body,code}', 'PT429', 'The response has status 429') from response;
select is(it #> '{answer,headers}', '{"Retry-After": "3600", "RateLimit-Limit": "3", "RateLimit-Remaining": "0",
  "RateLimit-Reset": "3600", "RateLimit-Policy": "3;w=3600"}', 'The headers say when writes are allowed again') from response;
select throws_ok('select * from private.write_counts', '42501', null, 'Nobody can read the counts');

-- Acting as Bob
select test.act_as('bob');
select is(pg_temp.refused(4) #>> '{body,message}', 'writes_exceeded', 'A batch that exceeds what is left is refused');
select is(pg_temp.refused(3), null, 'A refused batch counts nothing, and each person has a count of their own');

-- An hour later
select pg_temp.as_owner($$ update private.write_counts set ends_at = now() + interval '10 seconds' $$);
select is(pg_temp.refused() #>> '{answer,headers,Retry-After}', '10', 'The hour starts with the first write');
select pg_temp.as_owner($$ update private.write_counts set ends_at = now() $$);
select is(pg_temp.refused(), null, 'After the hour, writes are allowed again');
select is(pg_temp.refused(3) #>> '{answer,headers,Retry-After}', '3600', 'The new hour has its full length');
select is(pg_temp.refused(2), null, 'The new hour has the full limit');

-- Writes on behalf of somebody who is not the caller
select test.act_as_owner();
select is(private.count_writes('taps', 2, test.id('alice')), 2, 'All writes are granted while they fit into the limit');
select is(private.count_writes('taps', 2, test.id('alice')), 1, 'Only as many writes are granted as are left');
select is(private.count_writes('taps', 2, test.id('alice')), 0, 'No write is granted when none is left');

-- The scale
update app.settings set value = '2.5' where key = 'rate_limit_scale';
select is(private.count_writes('taps', 9, gen_random_uuid()), 7, 'The scale multiplies every limit');
delete from app.settings where key = 'rate_limit_scale';
select is(private.count_writes('taps', 9, gen_random_uuid()), 3, 'Without the setting the scale is 1');
select throws_ok($$ select private.count_writes('knocks', 1, gen_random_uuid()) $$, 'P0002', null, 'An unregistered kind is an error');

select * from finish();
rollback;
