-- The event log and webhooks: which events are logged, with which ids, and how deliveries are queued, taken and
-- recorded.
begin;
select plan(23);
select test.people('alice', 'bob');
select test.settle();
delete from private.unlogged_events;
delete from private.event_log;

create function pg_temp.write(p_post integer, p_by text default 'alice') returns void language sql volatile as $$
  select private.emit('posts.post.published', json_build_object(
    'postId', lpad(p_post::text, 8, '0') || '-0000-4000-8000-000000000000', 'authorId', test.id(p_by))) $$;
create function pg_temp.work(p_outcomes json default '[]', p_at_once integer default 2) returns jsonb
language sql volatile as $$ select private.work_on_webhooks(p_outcomes, '{}', p_at_once)::jsonb $$;
create function pg_temp.outcomes(p_taken jsonb, p_status integer) returns json language sql as $$
  select json_agg((t - 'body') || jsonb_build_object('status', p_status, 'excerpt', repeat('x', 300)))
  from jsonb_array_elements(p_taken) t $$;

-- The log
select pg_temp.write(1);
select private.emit('posts.bookmark.added', json_build_object('postId', gen_random_uuid(), 'userId', test.id('bob')));
select private.emit('identity.user_registered', json_build_object(
  'userId', test.id('bob'), 'email', 'bob@example.org', 'inviterUserId', test.id('alice')));
select is((select count(*)::int from private.unlogged_events), 2, 'Only events that webhooks can get are recorded for the log');
select is(private.log_events(), 2, 'Recorded events are written into the log');
select is(private.log_events(), 0, 'A second run logs nothing');
select is((select json_agg(payload order by sequence)::jsonb from private.event_log), jsonb_build_array(
  jsonb_build_object('postId', '00000001-0000-4000-8000-000000000000', 'authorId', 'acct:alice@localhost'),
  jsonb_build_object('userId', 'acct:bob@localhost')), 'A logged event has only the fields that may be sent, and actor ids of people');
select is((select people from private.event_log order by sequence limit 1), array[test.id('alice')],
  'The log records which people an event names');
select is((select string_agg(subject ->> 'type', ' ' order by sequence) from private.event_log), 'post person',
  'The log records what an event is about');

-- Every event that webhooks can get. It is not emitted, because its listeners would look for what it is about.
delete from private.event_log;
with written as (
  insert into app.domain_events (name, payload)
  select o.event, (select json_object_agg(name, case when name = any (o.people) then test.id('alice')::text else 'no id' end)
                   from unnest(t.payload) name)
  from private.outbound_events o join private.event_types t on t.name = o.event returning id)
insert into private.unlogged_events (event_id) select id from written;
select private.log_events();
select is((select count(distinct event)::int from private.event_log), (select count(*)::int from private.outbound_events),
  'An event is logged whatever its fields that are no ids of people contain');

-- A person is erased before the event is logged
select pg_temp.write(9, 'bob');
update app.users set erased_at = now() where id = test.id('bob');
select private.log_events();
select is((select count(*)::int from private.event_log where people @> array[test.id('bob')]), 0,
  'No event about an erased person is logged, and an erasure removes the logged ones');

-- Deliveries
insert into private.webhooks (id, url, events, queued_to) values
  ('00000000-0000-4000-8000-00000000000a', 'https://a.example.org/', '{posts.post.published}',
   (select max(sequence) from private.event_log)),
  ('00000000-0000-4000-8000-00000000000b', 'https://b.example.org/', '{posts.reply.created}',
   (select max(sequence) from private.event_log));
select pg_temp.write(n) from unnest(array[1, 1, 2, 3]) n;
select private.log_events();
select is(private.queue_webhooks(), 2, 'The events are matched with both webhooks');
select is(private.queue_webhooks(), 0, 'A second run queues nothing');
select is((select string_agg(left(webhook_id::text, 2) || right(webhook_id::text, 1) || ' ' || substr(subject_key, 13, 1), ', '
                             order by id) from private.webhook_deliveries), '00a 1, 00a 1, 00a 2, 00a 3',
  'Each event is queued for the webhooks that have its type');

create table pg_temp.taken as select pg_temp.work() as t;
select is((select jsonb_array_length(t) from pg_temp.taken), 2, 'A worker takes as many deliveries as may run at once');
select ok((select bool_and(d ->> 'secrets' ~ '^\["whsec_[^"]{44}"\]$') from pg_temp.taken, jsonb_array_elements(t) d),
  'A taken delivery has the secret of the webhook');
select is((select count(distinct d ->> 'body')::int from pg_temp.taken, jsonb_array_elements(t) d), 2, 'Each taken delivery has a body');
create table pg_temp.others as select pg_temp.work('[]', 8) as t;
select is((select jsonb_array_length(t) from pg_temp.others), 1,
  'Another worker takes the other deliveries, but not the second one of a subject whose first one runs');
select is(jsonb_array_length(pg_temp.work('[]', 8)), 0, 'After that no delivery is left to take');

-- The lease
update private.webhook_turns set due_at = now() where subject_key like 'post:00000003%' or true;
create table pg_temp.again as select pg_temp.work('[]', 8) as t;
select is((select jsonb_array_length(t) from pg_temp.again), 3, 'When a lease has ended, another worker takes the delivery');
select pg_temp.work(pg_temp.outcomes((select t from pg_temp.taken), 200), 0);
select is((select count(*)::int from private.webhook_deliveries where status = 'delivered'), 0,
  'The outcome that the first worker then reports is not recorded');

-- The outcomes
select pg_temp.work(pg_temp.outcomes((select t from pg_temp.again), 500), 0);
select is((select string_agg(distinct concat_ws(' ', status, attempts, response_status, length(excerpt)), ', ')
           from private.webhook_deliveries where attempts > 0), 'pending 2 500 200', 'A failure is recorded, with an excerpt');
select is((select count(*)::int from private.webhook_turns where due_at > now() + interval '7 seconds'), 3,
  'After each failure the next attempt waits longer');
update private.webhook_turns set due_at = now();
select pg_temp.work(pg_temp.outcomes(pg_temp.work('[]', 8), 204), 0);
select is((select string_agg(status, ' ' order by id) from private.webhook_deliveries),
  'delivered pending delivered delivered', 'A successful delivery is recorded');
select is(jsonb_array_length(pg_temp.work('[]', 8)), 1, 'After a success the next delivery of the subject is due');

-- Deletion
update private.webhooks set deleted_at = now(), is_active = false;
select private.clear_webhook('{"webhookId": "00000000-0000-4000-8000-00000000000a"}');
select is((select count(*)::int from private.webhook_deliveries) + (select count(*)::int from private.webhook_turns)
          + (select count(*)::int from private.webhooks), 1, 'When a webhook is deleted, its deliveries are deleted too');

select * from finish();
rollback;
