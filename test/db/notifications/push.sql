-- Devices, and which notifications ask for a push.
begin;
select plan(16);
select test.people('alice', 'bob', 'carla');
create function pg_temp.jobs() returns bigint language sql security definer as $$
  select count(*) from pgboss.job where name = 'push' $$;
create function pg_temp.devices(p_name text) returns bigint language sql security definer as $$
  select count(*) from app.push_tokens where user_id = test.id(p_name) $$;
grant execute on all functions in schema pg_temp to public;
select test.notify(test.id('alice'), 'post.replied', test.id('bob'), 'reply', 'x');
select is(pg_temp.jobs(), 0::bigint, 'who has no device is pushed nothing');

select test.act_as('alice');
select is(api.add_push_token('ExponentPushToken[a]', 'expo') ->> 'platform', 'expo', 'a device is registered');
select throws_ok($$ select api.add_push_token('ExponentPushToken[a]', 'web') $$, 'PT422', 'push_token', 'it is no browser');
select throws_ok($$ select p256dh from app.push_tokens $$, '42501', null, 'keys are for the worker');
select test.act_as('bob');
select is((select count(*) from app.push_tokens t where t.token is not null), 0::bigint, 'nobody finds the devices of others');
select lives_ok($$ select api.remove_push_token('ExponentPushToken[a]') $$, 'nor forgets them');
select is(pg_temp.devices('alice'), 1::bigint, 'it is there still');
select throws_ok($$ select private.claim_pushes('[]') $$, '42501', null, 'and sends nothing');
select test.act_as_anon();
select throws_ok($$ select api.add_push_token('ExponentPushToken[c]', 'expo') $$, '42501', null, 'nobody has no device');

select test.act_as_owner();
select test.notify(test.id('alice'), 'post.replied', test.id('bob'), 'reply', 'x');
select is(pg_temp.jobs(), 0::bigint, 'an item of an unread roll-up is pushed no second time');
update app.notifications set read_at = now() where user_id = test.id('alice');
select test.notify(test.id('alice'), 'post.replied', test.id('carla'), 'reply', 'x');
select is(pg_temp.jobs(), 1::bigint, 'what is unread again is');
select test.notify(test.id('alice'), 'payment.received', test.id('bob'), 'payment', 'x');
select is(pg_temp.jobs(), 2::bigint, 'as what is new');
select is(json_array_length(private.claim_pushes((select json_agg(data)::jsonb from pgboss.job where name = 'push')) -> 'messages'), 2,
  'the worker claims both');
select is((private.claim_pushes((select json_agg(data)::jsonb from pgboss.job where name = 'push')))::jsonb #> '{messages}', '[]',
  'and nobody else meanwhile');
update private.pushes set claimed_until = now() - interval '1 second';
select is(json_array_length(private.claim_pushes((select json_agg(data)::jsonb from pgboss.job where name = 'push')) -> 'messages'), 2,
  'until it must have died');
update app.users set banned_at = now() where id = test.id('alice');
select is(pg_temp.devices('alice'), 0::bigint, 'a ban forgets the devices');

select * from finish();
rollback;
