-- What people want to be notified of, and by which channel.
begin;
select plan(32);
select test.people('alice', 'bob', 'carla');

create function pg_temp.tell(p_kind text, p_target text default 'x') returns void language sql as $$
  select test.notify(test.id('alice'), p_kind, test.id('bob'), 'payment', p_target) $$;
create function pg_temp.inbox(p_kind text) returns bigint language sql as $$
  select count(*) from json_array_elements(api.list_notifications(50) -> 'items') i where i ->> 'kind' = p_kind $$;
create function pg_temp.kept(p_kind text) returns bigint language sql security definer as $$
  select count(*) from app.notifications where user_id = test.id('alice') and kind = p_kind $$;
grant execute on all functions in schema pg_temp to public;

select test.act_as('alice');
select is((select count(*) from json_object_keys(api.get_preferences())), (select count(*) + 2 from private.list_own_channels()),
  'Every kind has preferences, besides time zone and hour');
select is(api.get_preferences()::jsonb -> 'post.replied', '{"inApp": true, "push": true, "email": true}', 'By default every kind goes to every channel');
select is(api.get_preferences() ->> 'timezone', 'UTC', 'The default time zone is UTC');
select is(api.get_preferences() ->> 'digestHour', '8', 'The default digest hour is eight');

select is(api.update_preferences('{"payment.received": {"email": false}}')::jsonb -> 'payment.received',
  '{"inApp": true, "push": true, "email": false}', 'A channel can be turned off');
select is(api.update_preferences('{"payment.received": {"inApp": false}}')::jsonb -> 'payment.received',
  '{"inApp": false, "push": true, "email": false}', 'Turning off another channel leaves the first one off');
select is(api.update_preferences('{"kite.flown": {"push": false}, "colour": "red"}')::jsonb, api.get_preferences()::jsonb,
  'Unknown keys are ignored');
select is(api.update_preferences('{"timezone": "America/Port-au-Prince", "digestHour": null}')::jsonb -> 'digestHour', 'null', 'The digest can be turned off');
select is(api.get_preferences() ->> 'timezone', 'America/Port-au-Prince', 'The time zone can be changed');
select lives_ok(format($$ select api.update_preferences('{"timezone": "%s", "digestHour": 0}') $$, z), z || ' is a valid time zone')
from unnest(array['Etc/GMT+3', 'Etc/GMT+12', 'Etc/GMT-14', 'America/Argentina/Buenos_Aires', 'UTC']) z;
select throws_ok(format($$ select api.update_preferences('{"timezone": "%s"}') $$, z), 'PT422', 'timezone_unknown', 'An invalid time zone is refused: ' || z)
from unnest(array['Mars/Olympus', 'X-25', 'Abc/Def+3', 'Etc/GMT+13', 'Etc/GMT-99', 'posixrules', '']) z;
select throws_ok($$ select api.update_preferences('{"timezone": null}') $$, 'PT422', 'timezone_unknown', 'A null time zone is refused');
select throws_ok($$ select api.update_preferences('{"digestHour": 24}') $$, 'PT422', 'digest_hour', 'A digest hour of 24 is refused');
select throws_ok($$ select api.update_preferences('{"moderation.actioned": {"inApp": false}}') $$, 'PT422', 'in_app_required',
  'Notifications of moderation can''t be turned off in the app');

-- What is sent, and where
select test.act_as_owner();
select pg_temp.tell('payment.received');
select test.act_as('alice');
select is(pg_temp.inbox('payment.received'), 0::bigint, 'A kind turned off in the app isn''t in the inbox');
select is(api.count_unread() ->> 'count', '0', 'A kind turned off in the app isn''t counted as unread');
select is(pg_temp.kept('payment.received'), 1::bigint, 'A kind turned off only in the app is stored for the push');
select api.update_preferences('{"payment.received": {"push": false}, "post.replied": {"inApp": false}}');
select test.act_as_owner();
select pg_temp.tell('payment.received', 'y');
select pg_temp.tell('post.replied');
select test.act_as('alice');
select is(pg_temp.kept('payment.received'), 1::bigint, 'A kind turned off everywhere isn''t stored');
select api.update_preferences('{"post.replied": {"inApp": true}}');
select is(pg_temp.inbox('post.replied'), 0::bigint, 'Turning a channel on doesn''t change earlier notifications');
select test.act_as_owner();
select pg_temp.tell('post.replied');
select test.act_as('alice');
select is(pg_temp.inbox('post.replied'), 1::bigint, 'A new item moves the group into the inbox');

-- Other people
select test.act_as('carla');
select is((select count(*) from app.notification_preferences), 0::bigint, 'Nobody sees other people''s preferences');
select test.act_as_anon();
select throws_ok('select api.get_preferences()', '42501', null, 'Preferences need a signed-in caller');

select * from finish();
rollback;
