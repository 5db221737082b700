-- The limit of a person's writes within an hour: what counts, whose it is, when it begins anew.
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
select is(array(select private.count_writes('taps') from generate_series(1, 3)), '{1,1,1}', 'as many as the limit says');
create temp table response as select pg_temp.refused() as it;
select is(it #>> '{body,message}', 'writes_exceeded', 'and no more') from response;
select is(it #>> '{body,code}', 'PT429', 'which is a 429') from response;
select is(it #> '{answer,headers}', '{"Retry-After": "3600", "RateLimit-Limit": "3", "RateLimit-Remaining": "0",
  "RateLimit-Reset": "3600", "RateLimit-Policy": "3;w=3600"}', 'that says until when') from response;
select throws_ok('select * from private.write_counts', '42501', null, 'nobody reads the counts');

-- Acting as Bob
select test.act_as('bob');
select is(pg_temp.refused(4) #>> '{body,message}', 'writes_exceeded', 'more at once than there is room for');
select is(pg_temp.refused(3), null, 'counts nothing, and another person''s writes are not one''s own');

-- an hour later
select pg_temp.as_owner($$ update private.write_counts set ends_at = now() + interval '10 seconds' $$);
select is(pg_temp.refused() #>> '{answer,headers,Retry-After}', '10', 'the hour began with the first write');
select pg_temp.as_owner($$ update private.write_counts set ends_at = now() $$);
select is(pg_temp.refused(), null, 'when it is over another begins');
select is(pg_temp.refused(3) #>> '{answer,headers,Retry-After}', '3600', 'of an hour again');
select is(pg_temp.refused(2), null, 'with all its room');

-- what is done for somebody who is not there
select test.act_as_owner();
select is(private.count_writes('taps', 2, test.id('alice')), 2, 'there is room for all');
select is(private.count_writes('taps', 2, test.id('alice')), 1, 'for some');
select is(private.count_writes('taps', 2, test.id('alice')), 0, 'for none');

-- the scale
update app.settings set value = '2.5' where key = 'rate_limit_scale';
select is(private.count_writes('taps', 9, gen_random_uuid()), 7, 'the scale multiplies every limit');
delete from app.settings where key = 'rate_limit_scale';
select is(private.count_writes('taps', 9, gen_random_uuid()), 3, 'and is 1 before the first start');
select throws_ok($$ select private.count_writes('knocks', 1, gen_random_uuid()) $$, 'P0002', null, 'a kind is registered');

select * from finish();
rollback;
