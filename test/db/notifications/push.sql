-- Devices, and which notifications are pushed.
begin;
select plan(26);
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
select is(api.add_push_token(repeat('a1', 32), 'apns') ->> 'platform', 'apns', 'A device token of APNs is hex');
select throws_ok($$ select api.add_push_token(repeat('A1', 32), 'apns') $$, 'PT422', 'push_token',
  'Upper-case hex is refused, because it would be another token of the same device');
select throws_ok($$ select api.add_push_token('a1', 'apns') $$, 'PT422', 'push_token',
  'A short token is not a token of APNs');
select is(api.add_push_token('abc:' || repeat('A-_', 50), 'fcm') ->> 'platform', 'fcm', 'A registration token of FCM has a colon');
select throws_ok($$ select api.add_push_token('abc:' || repeat('A+/', 50), 'fcm') $$, 'PT422', 'push_token', 'A token of FCM is base64url');
select api.remove_push_token(repeat('a1', 32)), api.remove_push_token('abc:' || repeat('A-_', 50));
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
  'Another worker can''t claim the pushes meanwhile');
create function pg_temp.note(p_result jsonb) returns void language sql as $$
  select private.note_pushes((select jsonb_agg(jsonb_build_object(
           'notificationId', notification_id, 'round', round, 'tokenId', token_id) || p_result) from private.pushes)) $$;
select pg_temp.note('{"outcome": "failed", "retryAfter": 60}');
select is((private.claim_pushes((select json_agg(data)::jsonb from pgboss.job where name = 'push')))::jsonb #> '{messages}', '[]',
  'Nobody can claim the pushes while the provider asks to wait');
select pg_temp.note('{"outcome": "failed"}');
select is(json_array_length(private.claim_pushes((select json_agg(data)::jsonb from pgboss.job where name = 'push')) -> 'messages'), 2,
  'Pushes that failed can be claimed at once');
update private.pushes set claimed_until = now() - interval '1 second';
select is(json_array_length(private.claim_pushes((select json_agg(data)::jsonb from pgboss.job where name = 'push')) -> 'messages'), 2,
  'Pushes whose claim has expired can be claimed again');
update app.users set banned_at = now() where id = test.id('alice');
select is(pg_temp.devices('alice'), 0::bigint, 'A ban deletes the devices');

select is(private.notification_path('post.replied', 1, 'post', 'x', '{"replyId": "y"}'), '/replies/y',
  'A notification of one item has the path of its kind');
select is(private.notification_path('post.replied', 2, 'post', 'x', '{"replyId": "y"}'), '/posts/x',
  'A notification of several items has the path of their target');
select is(private.notification_path('post.mentioned', 1, 'post', 'x', '{"replyId": null}'), '/posts/x',
  'A notification of an item that lacks a field has the path of its target');

select * from finish();
rollback;
