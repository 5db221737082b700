-- The daily digest: when it is due, who gets one, what it contains when it is sent, and who can unsubscribe.
begin;
select plan(70);

-- The hour in the person's time zone, including the days on which clocks change
select is(private.next_digest(zone, hour, after::timestamptz), next::timestamptz, format('The next digest for hour %s in %s after %s is right', hour, zone, after))
from (values
  ('UTC', 8, '2026-06-01 07:59:59Z', '2026-06-01 08:00Z'), ('UTC', 8, '2026-06-01 08:00Z', '2026-06-02 08:00Z'),
  ('Europe/Berlin', 8, '2026-06-01 00:00Z', '2026-06-01 06:00Z'), ('Europe/Berlin', 8, '2026-12-01 00:00Z', '2026-12-01 07:00Z'),
  ('Europe/Berlin', 0, '2026-06-01 21:59Z', '2026-06-01 22:00Z'), ('Asia/Kathmandu', 8, '2026-06-01 00:00Z', '2026-06-01 02:15Z'),
  -- Two o'clock doesn't exist that day: the digest is due at three, and at two on the next day
  ('Europe/Berlin', 2, '2026-03-28 12:00Z', '2026-03-29 01:00Z'), ('Europe/Berlin', 2, '2026-03-29 01:00Z', '2026-03-30 00:00Z'),
  ('Europe/Berlin', 3, '2026-03-28 12:00Z', '2026-03-29 01:00Z'), ('Europe/Berlin', 1, '2026-03-28 12:00Z', '2026-03-29 00:00Z'),
  ('America/Havana', 0, '2026-03-07 12:00Z', '2026-03-08 05:00Z'), ('Australia/Lord_Howe', 2, '2026-10-03 12:00Z', '2026-10-03 15:30Z'),
  ('Antarctica/Troll', 1, '2026-03-28 12:00Z', '2026-03-29 01:00Z'), ('Pacific/Apia', 8, '2011-12-29 20:00Z', '2011-12-30 18:00Z'),
  -- Two o'clock occurs twice that day, but there is one digest
  ('Europe/Berlin', 2, '2026-10-24 12:00Z', '2026-10-25 01:00Z'), ('Europe/Berlin', 2, '2026-10-25 00:30Z', '2026-10-25 01:00Z'),
  ('Europe/Berlin', 2, '2026-10-25 01:00Z', '2026-10-26 01:00Z'), ('America/New_York', 1, '2026-10-31 12:00Z', '2026-11-01 06:00Z'),
  ('Mars/Olympus', 8, '2026-06-01 00:00Z', '2026-06-01 08:00Z'), ('UTC', null, '2026-06-01 00:00Z', null))
  as t (zone, hour, after, next);
with recursive days as (
  select zone, hour, private.next_digest(zone, hour, '2026-01-01 12:00Z') as at
  from unnest(array['Europe/Berlin', 'America/Havana', 'Australia/Lord_Howe', 'Africa/Casablanca', 'Pacific/Kiritimati']) zone,
       unnest(array[0, 1, 2, 23]) hour
  union all
  select zone, hour, private.next_digest(zone, hour, at) from days where at < '2027-01-01 12:00Z')
select is(string_agg(format('%s at %s: %s in %s days', zone, hour, many, days), '; '), null, 'Every day of a year has one digest, in every zone')
from (select zone, hour, count(*) as many, count(distinct (at at time zone zone)::date) as days,
             max((at at time zone zone)::date) - min((at at time zone zone)::date) + 1 as span
      from days group by zone, hour) d
where many <> days or days <> span;

select test.people('alice', 'bob', 'carla', 'dave', 'erin', 'frank', 'gina', 'hugo');
create function pg_temp.due(variadic p_names text[]) returns void language sql security definer as $$
  update app.notification_settings set next_digest_at = '2026-06-01 08:00Z' where user_id in (select test.id(n) from unnest(p_names) n) $$;
create function pg_temp.made() returns text[] language sql security definer as $$
  select array(select u.username from private.digests d join app.users u on u.id = d.user_id order by 1) $$;
-- Makes all notifications an hour old
create function pg_temp.age() returns void language sql security definer as $$
  update app.notifications set updated_at = now() - interval '1 hour' $$;
create function pg_temp.says(p_name text, p_from timestamptz default '-infinity') returns jsonb language sql security definer as $$
  select jsonb_object_agg(i ->> 'kind', i -> 'count')
  from jsonb_array_elements(private.digest_mail(jsonb_populate_record(null::private.digests, jsonb_build_object(
         'user_id', test.id(p_name), 'told_from', p_from, 'told_to', 'infinity')))::jsonb -> 'items') i $$;
grant execute on all functions in schema pg_temp to public;
alter table app.notifications disable trigger note_change;

-- When it is due
select test.act_as('alice');
select api.update_preferences('{"timezone": "Asia/Tokyo", "digestHour": 20}');
select test.act_as_owner();
select is((next_digest_at at time zone 'Asia/Tokyo')::time, '20:00', 'A new hour applies from the next digest on')
from app.notification_settings where user_id = test.id('alice');
select ok(next_digest_at between now() and now() + interval '1 day', 'The next digest is due within a day')
from app.notification_settings where user_id = test.id('alice');
select test.act_as('alice');
select api.update_preferences('{"digestHour": null}');
select test.act_as_owner();
select is(next_digest_at, null, 'Without a digest hour no digest is due') from app.notification_settings where user_id = test.id('alice');
select test.act_as('alice');
select api.update_preferences('{"digestHour": 8, "timezone": "Europe/Berlin"}');

-- Who gets a digest
select test.act_as_owner();
select test.notify(test.id(n), 'payment.received', test.id('gina'), 'payment', 'x')
from unnest(array['alice', 'carla', 'dave', 'erin', 'frank']) n;
select pg_temp.age();
update app.users set banned_at = now() where username = 'carla';
update app.users set created_at = now() - interval '25 hours' where username = 'dave';
select test.act_as('erin');
select api.update_preferences('{"payment.received": {"email": false}}');
select test.act_as('frank');
select api.mark_read(p_before => now() + interval '1 day');
select test.act_as_owner();
select pg_temp.age();
select pg_temp.due('alice', 'bob', 'carla', 'dave', 'erin', 'frank');
select is(private.job_queue_digests(), 6, 'Everybody whose digest is due gets a new due time');
select is(pg_temp.made(), '{alice}', 'Only people with unread mailable notifications and a verified address who '
  'are not banned get a digest');
select is(private.job_queue_digests(), 0, 'A second run queues no digest');
select is(count(*), 0::bigint, 'No digest is due after the runs') from app.notification_settings where next_digest_at <= now();
select is((select data ->> 'digestId' from pgboss.job where name = 'digests'), (select id::text from private.digests), 'The job for the worker has the id of the digest');
select is((select day from private.digests), '2026-06-01', 'The digest has the date in the person''s time zone');
select pg_temp.due('alice', 'dave');
update app.accounts set email_verified_at = now() where user_id = test.id('dave');
select private.job_queue_digests();
select is(pg_temp.made(), '{alice,dave}', 'A person who verifies their address gets the next digest that is due');
select is((select count(*) from private.digests), 2::bigint, 'A person gets one digest a day');

-- Who sends it
create function pg_temp.mine() returns uuid language sql as $$ select id from private.digests where user_id = test.id('alice') $$;
select is((private.claim_digest(pg_temp.mine())::jsonb) - 'unsubscribeId',
  '{"to": "alice@example.org", "hour": 8, "timezone": "Europe/Berlin", "items": [{"kind": "payment.received", "count": 1}], "more": false}',
  'A worker claims a digest and gets its contents');
select is(private.claim_digest(pg_temp.mine())::text, '{"busy" : true}', 'Another worker can''t claim the digest meanwhile');
update private.digests set claimed_until = now() - interval '1 second' where id = pg_temp.mine();
select ok(private.claim_digest(pg_temp.mine())::jsonb ? 'to', 'A digest whose claim has expired can be claimed again');
select private.note_digest(pg_temp.mine(), false);
select ok(private.claim_digest(pg_temp.mine())::jsonb ? 'to', 'A digest that could not be sent can be claimed again');
select private.note_digest(pg_temp.mine(), true);
select is(private.claim_digest(pg_temp.mine())::text, null, 'A sent digest can''t be claimed');
select is(private.claim_digest(gen_random_uuid())::text, null, 'An unknown digest can''t be claimed');
update private.digests set day = day - 1;
select pg_temp.due('alice');
select private.job_queue_digests();
select is((select count(*) from private.digests where user_id = test.id('alice')), 1::bigint, 'Notifications in a sent digest cause no other digest');
select test.notify(test.id('alice'), 'appeal.resolved', null, 'appeal', 'x');
update app.notifications set updated_at = (select told_to from private.digests where id = pg_temp.mine()) where kind = 'appeal.resolved';
update private.digests set told_to = told_to - interval '1 second';
select pg_temp.due('alice', 'dave');
select private.job_queue_digests();
select is(pg_temp.says('alice', (select told_from from private.digests where user_id = test.id('alice') and sent_at is null)),
  '{"appeal.resolved": 1}', 'The next digest has only what is new since then');
select is((select array_agg(day) from private.digests where user_id = test.id('dave')), '{2026-06-01}', 'An unsent digest is replaced by the next one');
update private.digests set sent_at = null;

-- What a digest contains when it is sent
delete from app.notifications;
select test.act_as('gina');
create temp table posts as
select (api.create_post('One') ->> 'id')::uuid as one, (api.create_post('Two') ->> 'id')::uuid as two;
grant select on posts to public;
select test.act_as('hugo');
select api.create_reply((select one from posts), 'Read');
select api.react((select two from posts), 'heart');
select api.follow_person('gina');
select test.act_as('frank');
select api.pay('joy', 0, p_receiver_id => 'gina');
select test.act_as_owner();
select test.notify(test.id('gina'), 'moderation.actioned', null, 'post', (select one from posts)::text);
select is(pg_temp.says('gina'), '{"moderation.actioned": 1, "payment.received": 1, "post.reacted": 1, "post.replied": 1, "user.followed": 1}',
  'Everything unread is counted by kind');
select is(pg_temp.says('gina', now() + interval '1 day'), null, 'Older notifications are not counted');
create function pg_temp.without(p_change text) returns text[] language plpgsql as $$
declare v_before jsonb := pg_temp.says('gina'); v_gone text[];
begin
  begin
    execute p_change;
    select coalesce(array_agg(k order by k), '{}') into v_gone
    from jsonb_object_keys(v_before) k where not coalesce(pg_temp.says('gina'), '{}') ? k;
    raise exception using errcode = 'UNDO1';
  exception when sqlstate 'UNDO1' then return v_gone; end;
end $$;
create function pg_temp.as_gina(p_call text) returns void language plpgsql as $$
begin perform test.act_as('gina'); execute 'select ' || p_call; perform test.act_as_owner(); end $$;
select is(pg_temp.without(change), gone, what) from (values
  ($$ select pg_temp.as_gina('api.mark_read(p_group_key => ''user.followed'')') $$, '{user.followed}'::text[], 'Read notifications are left out'),
  ($$ select pg_temp.as_gina('api.mute_person(''hugo'')') $$, '{post.reacted,post.replied,user.followed}', 'Notifications from muted people are left out'),
  ($$ select pg_temp.as_gina('api.block_person(''hugo'')') $$, '{post.reacted,post.replied,user.followed}', 'Notifications from blocked people are left out'),
  ($$ insert into app.blocks (blocker_id, blocked_id) select test.id('hugo'), test.id('gina') $$, '{post.reacted,post.replied,user.followed}', 'Notifications from people who blocked the recipient are left out'),
  ($$ update app.users set banned_at = now() where username = 'hugo' $$, '{post.reacted,post.replied,user.followed}', 'Notifications from banned people are left out'),
  ($$ update app.users set erased_at = now() where username = 'hugo' $$, '{post.reacted,post.replied,user.followed}', 'Notifications from erased people are left out'),
  ($$ select pg_temp.as_gina('api.mute_post((select two from posts))') $$, '{post.reacted}', 'Notifications about a muted post are left out'),
  ($$ select pg_temp.as_gina('api.delete_post((select one from posts))') $$, '{post.replied}', 'Notifications about a deleted post are left out, except staff''s decision'),
  ($$ update app.replies set hidden_at = now() $$, '{post.replied}', 'Notifications about a hidden reply are left out'),
  ($$ select pg_temp.as_gina('api.update_preferences(''{"payment.received": {"email": false}}'')') $$, '{payment.received}', 'Kinds without the channel email are left out'),
  ($$ select pg_temp.as_gina('api.update_preferences(''{"digestHour": null}'')') $$,
   '{moderation.actioned,payment.received,post.reacted,post.replied,user.followed}', 'Everything is left out without a digest hour'),
  ($$ update app.users set banned_at = now() where username = 'gina' $$,
   '{moderation.actioned,payment.received,post.reacted,post.replied,user.followed}', 'Everything is left out for a banned recipient'),
  ($$ select private.erase_person(test.id('gina')) $$,
   '{moderation.actioned,payment.received,post.reacted,post.replied,user.followed}', 'Everything is left out for an erased recipient'),
  ($$ update app.users set created_at = now() - interval '25 hours' where username = 'gina' $$,
   '{moderation.actioned,payment.received,post.reacted,post.replied,user.followed}',
  'Everything is left out if the address was not verified in time'))
  as t (change, gone, what);
insert into app.notifications (user_id, kind, group_key) select test.id('gina'), 'admin.broadcast', 'b' || n from generate_series(1, 600) n;
select ok((private.digest_mail(jsonb_populate_record(null::private.digests, jsonb_build_object('user_id', test.id('gina'),
  'told_from', '-infinity', 'told_to', 'infinity'))) ->> 'more')::boolean, 'More than 500 notifications are not counted exactly');

-- Who can unsubscribe
create function pg_temp.secret(p_name text) returns uuid language sql security definer as $$
  select unsubscribe_id from app.notification_settings where user_id = test.id(p_name) $$;
grant execute on all functions in schema pg_temp to public;
select test.act_as('bob');
select throws_ok('select unsubscribe_id from app.notification_settings', '42501', null, 'Nobody can read the unsubscribe id');
select throws_ok('update app.notification_settings set next_digest_at = now()', '42501', null, 'Nobody can change when a digest is due');
select throws_ok($$ select api.unsubscribe(pg_temp.secret('bob')) $$, '42501', null, 'People can''t unsubscribe by id without the mail''s token');
select throws_ok('select from private.digests', '42501', null, 'Nobody can read the table of digests');
select test.act_as_anon();
select throws_ok('select api.unsubscribe(gen_random_uuid())', '42501', null, 'An anonymous caller can''t unsubscribe');
select test.act_as_service();
select throws_ok('select api.unsubscribe(gen_random_uuid())', '42501', null, 'The service role can''t unsubscribe');
select test.act_as_gate();
select is(api.unsubscribe(pg_temp.secret('alice')) ->> 'ok', 'true', 'The gate can unsubscribe with the id');
select is(api.unsubscribe(pg_temp.secret('alice')) ->> 'ok', 'true', 'Unsubscribing twice is not an error');
select throws_ok('select api.unsubscribe(gen_random_uuid())', 'PT404', 'unsubscribe_unknown', 'An unknown id fails with unsubscribe_unknown');
select test.act_as_owner();
create temp table before as select pg_temp.secret('erin') as id;
update app.accounts set email = 'new.' || email where user_id = test.id('erin');
select isnt(pg_temp.secret('erin'), (select id from before), 'A new address gets a new unsubscribe id');
select test.act_as('alice');
select is(api.get_preferences() ->> 'digestHour', null, 'After unsubscribing there is no digest hour');
select is(api.get_preferences()::jsonb #> '{post.replied,email}', 'true', 'The other preferences are unchanged');

select * from finish();
rollback;
