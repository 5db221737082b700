-- Devices, and which notifications are pushed.
begin;
select plan(16);
select test.people('alice', 'bob', 'carla');
create function pg_temp.jobs() returns bigint language sql security definer as $$
  select count(*) from pgboss.job where name = 'push' $$;
create function pg_temp.devices(p_name text) returns bigint language sql security definer as $$
  select count(*) from app.push_tokens where user_id = test.id(p_name) $$;
grant execute on all functions in schema pg_temp to public;
select test.notify(test.id('alice'), 'post.replied', test.id('bob'), 'reply', 'x');
select is(pg_temp.jobs(), 0::bigint, 'Without a device nothing is pushed');

select test.act_as('alice');
select is(api.add_push_token('ExponentPushToken[a]', 'expo') ->> 'platform', 'expo', 'A device can be registered');
select throws_ok($$ select api.add_push_token('ExponentPushToken[a]', 'web') $$, 'PT422', 'push_token', 'An Expo token is refused as a browser');
select throws_ok($$ select p256dh from app.push_tokens $$, '42501', null, 'Nobody can read the keys of a device');
select test.act_as('bob');
select is((select count(*) from app.push_tokens t where t.token is not null), 0::bigint, 'Nobody can see other people''s devices');
select lives_ok($$ select api.remove_push_token('ExponentPushToken[a]') $$, 'Removing another person''s device is not an error');
select is(pg_temp.devices('alice'), 1::bigint, 'The other person''s device is still registered');
select throws_ok($$ select private.claim_pushes('[]') $$, '42501', null, 'People can''t claim pushes');
select test.act_as_anon();
select throws_ok($$ select api.add_push_token('ExponentPushToken[c]', 'expo') $$, '42501', null, 'An anonymous caller can''t register a device');

select test.act_as_owner();
select test.notify(test.id('alice'), 'post.replied', test.id('bob'), 'reply', 'x');
select is(pg_temp.jobs(), 0::bigint, 'A further item of an unread group isn''t pushed');
update app.notifications set read_at = now() where user_id = test.id('alice');
select test.notify(test.id('alice'), 'post.replied', test.id('carla'), 'reply', 'x');
select is(pg_temp.jobs(), 1::bigint, 'An item that makes a group unread again is pushed');
select test.notify(test.id('alice'), 'payment.received', test.id('bob'), 'payment', 'x');
select is(pg_temp.jobs(), 2::bigint, 'A new notification is pushed');
select is(json_array_length(private.claim_pushes((select json_agg(data)::jsonb from pgboss.job where name = 'push')) -> 'messages'), 2,
  'The worker claims both pushes');
select is((private.claim_pushes((select json_agg(data)::jsonb from pgboss.job where name = 'push')))::jsonb #> '{messages}', '[]',
  'Another worker can''t claim them meanwhile');
update private.pushes set claimed_until = now() - interval '1 second';
select is(json_array_length(private.claim_pushes((select json_agg(data)::jsonb from pgboss.job where name = 'push')) -> 'messages'), 2,
  'After the claim has expired, they can be claimed again');
update app.users set banned_at = now() where id = test.id('alice');
select is(pg_temp.devices('alice'), 0::bigint, 'A ban deletes the devices');

select * from finish();
rollback;
