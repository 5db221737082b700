-- Idempotency keys: what is stored, for whom, for how long.
begin;
select plan(33);
select test.people('alice', 'bob');

create function pg_temp.key(p_key text) returns void language sql as $$
  select set_config('request.headers', case when p_key is null then '' else json_build_object('idempotency-key', p_key)::text end, true),
         set_config('response.headers', '', true) $$;
create function pg_temp.kept() returns integer language sql stable security definer
  as $$ select count(*)::int from app.idempotency_keys $$;
create function pg_temp.age(p_age interval) returns void language sql volatile security definer
  as $$ update app.idempotency_keys set created_at = now() - p_age $$;
grant execute on all functions in schema pg_temp to public;

-- Acting as Alice
select test.act_as('alice');
select is(private.begin_idempotent('tap', '{"n": 1}')::text, null, 'Without a key nothing is replayed');
select is(private.finish_idempotent('tap', '{"ok": 1}')::text, '{"ok": 1}', 'Without a key the answer is returned unchanged');
select is(pg_temp.kept(), 0, 'Without a key nothing is stored');

select pg_temp.key('one');
select is(private.find_idempotency_key(), 'one', 'The key is read from the request''s headers');
select is(private.begin_idempotent('tap', '{"n": 1}')::text, null, 'The first request runs');
select is(private.begin_idempotent('tap', '{"n": 1}')::text, null, 'A repeat runs again if the first request has no answer yet');
select is(private.finish_idempotent('tap', '{"ok": 1}')::text, '{"ok": 1}', 'The answer of the first request is returned unchanged');
select is(current_setting('response.headers'), '', 'The first answer isn''t marked as replayed');
select is(private.begin_idempotent('tap', '{"n": 1}')::text, '{"ok": 1}', 'A repeat gets the stored answer');
select is(current_setting('response.headers')::jsonb, '[{"Idempotency-Replayed": "true"}]', 'A repeat is marked as replayed');
select throws_ok($$ select private.begin_idempotent('tap', '{"n": 2}') $$, 'PT422', 'idempotency_key_reused', 'A different request can''t reuse the key');
select is(private.begin_idempotent('tap_other', '{"n": 2}')::text, null, 'Another operation can use the same key');

select pg_temp.key('two');
select is(private.begin_idempotent('tap', '{"n": 1}')::text, null, 'Another key is a new request');
select pg_temp.key('');
select throws_ok($$ select private.begin_idempotent('tap', '{}') $$, 'PT422', 'idempotency_key_invalid', 'An empty key is invalid');
select pg_temp.key(repeat('k', 201));
select throws_ok($$ select private.begin_idempotent('tap', '{}') $$, 'PT422', 'idempotency_key_invalid', 'A key of 201 characters is invalid');
select pg_temp.key(repeat('é', 200));
select is(private.begin_idempotent('tap', '{}')::text, null, 'A key of 200 characters is valid');

-- Acting as Bob
select test.act_as('bob');
select pg_temp.key('one');
select is(private.begin_idempotent('tap', '{"n": 1}')::text, null, 'Keys of different people are independent');
select throws_ok('select * from app.idempotency_keys', '42501', null, 'Nobody can read the stored answers');

-- Acting as Alice, a day later
select pg_temp.age('23 hours 59 minutes');
select test.act_as('alice');
select pg_temp.key('one');
select is(private.begin_idempotent('tap', '{"n": 1}')::text, '{"ok": 1}', 'An answer is stored for 24 hours');
select pg_temp.age('24 hours 1 minute');
select is(private.begin_idempotent('tap', '{"n": 2}')::text, null,
  'After 24 hours the key is free, even for a different request');
select throws_ok($$ select private.begin_idempotent('tap', '{"n": 1}') $$, 'PT422', 'idempotency_key_reused', 'From then on the key belongs to the new request');
select private.finish_idempotent('tap', '{"ok": 2}');
select is(private.begin_idempotent('tap', '{"n": 2}')::text, '{"ok": 2}', 'The new request''s answer is replayed');

-- A failed request frees its key
create function pg_temp.fails() returns void language plpgsql as $$
begin
  perform private.begin_idempotent('tap', '{}');
  perform private.raise_error('append_only');
end $$;
grant execute on function pg_temp.fails to public;
select pg_temp.key('three');
select throws_ok('select pg_temp.fails()', 'PT409', 'append_only', 'A request with a key can fail');
select is(private.begin_idempotent('tap', '{"n": 3}')::text, null, 'A failed request leaves its key free');

-- Acting as somebody without a token
select test.act_as_anon();
select throws_ok($$ select private.begin_idempotent('tap', '{}') $$, '42501', null, 'An anonymous caller can''t use keys');
select test.act('authenticated', null);
select pg_temp.key('one');
select throws_ok($$ select private.begin_idempotent('tap', '{}') $$, 'PT401', 'token_missing', 'A key needs a signed-in caller');

-- The people whom a stored answer names
select test.act_as_owner();
select test.people('carla', 'dave');
create function pg_temp.answer(p_person text, p_key text, p_answer json) returns void language plpgsql as $$
begin
  perform test.act_as(p_person), pg_temp.key(p_key);
  perform private.begin_idempotent('tap', '{}'), private.finish_idempotent('tap', p_answer);
end $$;
create function pg_temp.named(p_key text) returns text language sql stable security definer as $$
  select string_agg(u.username, ' ' order by u.username)
  from app.idempotency_keys k join app.users u on u.id = any (k.named) where k.key = p_key and k.operation = 'tap' $$;
grant execute on all functions in schema pg_temp to public;
select pg_temp.answer('alice', 'plain', '{"by": "acct:alice@localhost", "body": "acct for all"}');
select is(pg_temp.named('plain'), null, 'An answer about only the caller names nobody');
select pg_temp.answer('alice', 'cards', json_build_object('author', json_build_object('id', 'acct:alice@localhost'),
  'of', jsonb_build_object('id', 'acct:carla@localhost'), 'list', array['acct:bob@localhost', 'acct:carla@localhost', 'acct:nobody_here@localhost']));
select is(pg_temp.named('cards'), 'bob carla', 'An answer names everyone whose actor id is in it, at any depth, once each');
select pg_temp.answer('alice', 'words', json_build_object('body', 'said "acct:dave@localhost" and \"acct:dave@localhost'));
select is(pg_temp.named('words'), null, 'An actor id inside a text isn''t counted');

-- An erasure finds the stored answers that name the person, and reads no others
select test.act_as_owner();
insert into app.idempotency_keys (user_id, operation, key, request, answer, named)
select test.id('bob'), 'tap', 'of bob ' || n, '', repeat('x', 900), array[test.id('alice')] from generate_series(1, 4000) n;
analyze app.idempotency_keys;
create function pg_temp.looked_at() returns bigint language sql volatile as $$
  select pg_stat_get_xact_tuples_returned(oid) + pg_stat_get_xact_tuples_fetched(oid)
  from pg_class where oid = 'app.idempotency_keys'::regclass $$;
create temp table before as select pg_temp.looked_at() as rows;
select private.erase_person(test.id('carla'));
select cmp_ok(pg_temp.looked_at() - (select rows from before), '<', 20::bigint, 'An erasure reads only the stored answers that name the person');
select test.act_as('alice');
select pg_temp.key('cards');
select throws_ok($$ select private.begin_idempotent('tap', '{}') $$, 'PT410', 'idempotency_answer_gone', 'A stored answer that names an erased person is emptied');
select pg_temp.key('plain');
select is(private.begin_idempotent('tap', '{}') ->> 'body', 'acct for all', 'Other stored answers are kept');
select is(pg_temp.named('cards'), null, 'An emptied answer names nobody');

select * from finish();
rollback;
