-- The model in a session: the lease under which it is asked for a question, and the tokens that it uses.
begin;
select plan(33);
select test.people('alice', 'bob');

create table pg_temp.kept (name text primary key, value json);
grant all on pg_temp.kept to public;
create function pg_temp.session() returns uuid language sql stable as $$ select (value ->> 'id')::uuid from pg_temp.kept where name = 'session' $$;
create function pg_temp.begin(p_answer text, p_budget integer default 10000, p_position integer default null) returns json language plpgsql as $$
declare v_begun json := api.begin_ai_answer(pg_temp.session(), p_answer, p_budget, p_position);
begin
  insert into pg_temp.kept values ('begun', v_begun) on conflict (name) do update set value = excluded.value;
  return v_begun;
end $$;
create function pg_temp.finish(p_question text, p_used integer default null, p_gone boolean default false) returns text language sql
  as $$ select api.finish_ai_answer(pg_temp.session(), (b.lease ->> 'p_until')::timestamptz, (b.lease ->> 'p_day')::date,
                 (b.lease ->> 'p_reserved')::integer, p_question, p_used, p_gone) -> 'question' ->> 'text'
        from (select value -> 'lease' as lease from pg_temp.kept where name = 'begun') b $$;
create function pg_temp.spent() returns bigint language sql stable security definer
  as $$ select coalesce(sum(tokens), 0) from private.ai_usage where user_id = test.id('alice') $$;
create function pg_temp.turn() returns text language sql stable security definer
  as $$ select format('%s %s %s', position, coalesce(family, 'llm'), fallback::text) from app.ai_turns
        where session_id = pg_temp.session() order by position desc limit 1 $$;
create function pg_temp.wait(p_interval interval) returns void language sql security definer
  as $$ update app.ai_sessions set asking_until = asking_until - p_interval $$;
create function pg_temp.act_as_facade(p_name text) returns void language sql as $$ select test.act('gate', test.claims(p_name)) $$;
grant execute on all functions in schema pg_temp to public;

select test.act_as('alice');
insert into pg_temp.kept select 'session', api.start_ai_session('Bees');
select throws_ok($$ select pg_temp.begin('x') $$, '42501', null, 'People can''t begin a model''s answer themselves');
select throws_ok($$ select api.reserve_ai_tokens(1, 1000000) $$, '42501', null, 'People can''t reserve tokens');
select throws_ok($$ select api.settle_ai_tokens(current_date, 1000, 0) $$, '42501', null, 'People can''t reset their token count');

-- Acting as the facade, for Alice
select pg_temp.act_as_facade('alice');
select is(pg_temp.begin('They are many.') -> 'ask' ->> 'turns',
  '[{"question" : "How did Bees come into your life, and what made you stay with it?", "answer" : "They are many."}]',
  'The answer is stored, and the model gets the conversation so far');
select is(pg_temp.turn(), '1 beginning false', 'The next question doesn''t exist yet');
select cmp_ok(pg_temp.spent(), '>', 1200::bigint, 'The tokens that the model may use are reserved');
select throws_ok($$ select pg_temp.begin('Wait.') $$, 'PT409', 'ai_question_pending', 'Meanwhile no other answer is accepted');
select is(pg_temp.finish('What do they know?', 77), 'What do they know?', 'The model''s question is asked');
select is(pg_temp.turn(), '2 llm false', 'The question is recorded as the model''s');
select is(pg_temp.spent(), 77::bigint, 'The tokens that the model used are counted');
select is(pg_temp.finish('And again?', 0), 'What do they know?', 'A lease can store only one question');

select lives_ok($$ select pg_temp.begin('The weather.') $$, 'The next answer can be given');
select isnt(pg_temp.finish(null), null, 'If the model returns nothing, the script asks');
select matches(pg_temp.turn(), '^3 .* true$', 'The script''s question is marked as a fallback');
select cmp_ok(pg_temp.spent(), '>', 1200::bigint, 'If the usage is unknown, the reservation stays counted');

select lives_ok($$ select pg_temp.begin('Said to nobody.') $$, 'An answer whose client then disconnects is accepted');
select is(pg_temp.finish('Never seen?', 5, true), null, 'No question is stored for a disconnected client');
select is(pg_temp.begin('Said again.') -> 'session' -> 'turns' -> 2 ->> 'answer', 'Said again.', 'The answer can then be given again');
select pg_temp.wait('59 seconds');
select throws_ok($$ select pg_temp.begin('Hello?') $$, 'PT409', 'ai_question_pending', 'The lease lasts a minute');
select pg_temp.wait('2 seconds');
create temporary table late as select value from pg_temp.kept where name = 'begun';
select lives_ok($$ select pg_temp.begin('Said at last.') $$, 'After the lease has expired, the answer can be given again');
select is(api.finish_ai_answer(pg_temp.session(), (value -> 'lease' ->> 'p_until')::timestamptz, current_date, 0, 'Late?') -> 'turns' -> 3 ->> 'question',
  null, 'An expired lease stores no question') from late;
select is(pg_temp.finish('In time?', 0), 'In time?', 'The current lease stores its question');

select is(pg_temp.begin('Cheap.', 100) ->> 'ask', null, 'Without enough budget the model isn''t asked');
select is(pg_temp.turn(), '5 ahead true', 'The script asks as a fallback');
select is(pg_temp.begin('The end.') ->> 'ask', null, 'After the fifth answer the model isn''t asked');
select is(pg_temp.turn(), '5 ahead true', 'After the fifth answer the script asks nothing');

select is(api.reserve_ai_tokens(10, 10000) ->> 'day', (now() at time zone 'UTC')::date::text, 'Tokens are reserved for a day in UTC');
select is(api.reserve_ai_tokens(10, 20) ->> 'day', null, 'No tokens are reserved beyond the budget');
select is(api.reserve_ai_tokens(2147483647, 2147483647) ->> 'day', null, 'The largest integers don''t overflow the reservation');

-- Acting as the facade, for Bob
select pg_temp.act_as_facade('bob');
select throws_ok($$ select pg_temp.begin('Mine.') $$, 'PT404', 'ai_session_unknown', 'Another person can''t answer');
select throws_ok($$ select pg_temp.finish('Mine?') $$, 'PT404', 'ai_session_unknown', 'Another person can''t store a question');
select is(api.reserve_ai_tokens(21, 20) ->> 'day', null, 'A reservation above one''s budget fails whatever others used');

-- Erasure
select test.act_as_owner();
select private.erase_person(test.id('alice'));
select is(pg_temp.spent(), 0::bigint, 'An erasure deletes the token counts');

select * from finish();
rollback;
