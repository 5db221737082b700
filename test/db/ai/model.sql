-- The model's part in a session: the lease under which a question is asked for, and the tokens that it takes.
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
select throws_ok($$ select pg_temp.begin('x') $$, '42501', null, 'people ask no model');
select throws_ok($$ select api.reserve_ai_tokens(1, 1000000) $$, '42501', null, 'and have no other budget');
select throws_ok($$ select api.settle_ai_tokens(current_date, 1000, 0) $$, '42501', null, 'nor give themselves a new one');

-- Acting as the facade, for Alice
select pg_temp.act_as_facade('alice');
select is(pg_temp.begin('They are many.') -> 'ask' ->> 'turns',
  '[{"question" : "How did Bees come into your life, and what made you stay with it?", "answer" : "They are many."}]',
  'the answer is stored, and the model is told what was said');
select is(pg_temp.turn(), '1 beginning false', 'the next question is not there yet');
select cmp_ok(pg_temp.spent(), '>', 1200::bigint, 'what it may take is reserved');
select throws_ok($$ select pg_temp.begin('Wait.') $$, 'PT409', 'ai_question_pending', 'meanwhile no other answer is taken');
select is(pg_temp.finish('What do they know?', 77), 'What do they know?', 'what the model asks is asked');
select is(pg_temp.turn(), '2 llm false', 'as its question');
select is(pg_temp.spent(), 77::bigint, 'and what it took is spent');
select is(pg_temp.finish('And again?', 0), 'What do they know?', 'a lease is good for one question');

select lives_ok($$ select pg_temp.begin('The weather.') $$, 'the next answer');
select isnt(pg_temp.finish(null), null, 'without a word of the model the script asks');
select matches(pg_temp.turn(), '^3 .* true$', 'and says that it stands in');
select cmp_ok(pg_temp.spent(), '>', 1200::bigint, 'where nobody knows what it took, what was reserved stays spent');

select lives_ok($$ select pg_temp.begin('Said to nobody.') $$, 'an answer whose client goes away');
select is(pg_temp.finish('Never seen?', 5, true), null, 'leaves no question');
select is(pg_temp.begin('Said again.') -> 'session' -> 'turns' -> 2 ->> 'answer', 'Said again.', 'it can be given again');
select pg_temp.wait('59 seconds');
select throws_ok($$ select pg_temp.begin('Hello?') $$, 'PT409', 'ai_question_pending', 'the facade has a minute');
select pg_temp.wait('2 seconds');
create temporary table late as select value from pg_temp.kept where name = 'begun';
select lives_ok($$ select pg_temp.begin('Said at last.') $$, 'and where it died, the answer can be given once more');
select is(api.finish_ai_answer(pg_temp.session(), (value -> 'lease' ->> 'p_until')::timestamptz, current_date, 0, 'Late?') -> 'turns' -> 3 ->> 'question',
  null, 'whoever comes late asks nothing') from late;
select is(pg_temp.finish('In time?', 0), 'In time?', 'whoever has the lease does');

select is(pg_temp.begin('Cheap.', 100) ->> 'ask', null, 'without a budget nothing is asked of the model');
select is(pg_temp.turn(), '5 ahead true', 'and the script stands in');
select is(pg_temp.begin('The end.') ->> 'ask', null, 'nor after the fifth answer');
select is(pg_temp.turn(), '5 ahead true', 'which asks nothing more');

select is(api.reserve_ai_tokens(10, 10000) ->> 'day', (now() at time zone 'UTC')::date::text, 'tokens are reserved for a day');
select is(api.reserve_ai_tokens(10, 20) ->> 'day', null, 'as long as there are some');
select is(api.reserve_ai_tokens(2147483647, 2147483647) ->> 'day', null, 'whatever the number');

-- Acting as the facade, for Bob
select pg_temp.act_as_facade('bob');
select throws_ok($$ select pg_temp.begin('Mine.') $$, 'PT404', 'ai_session_unknown', 'others answer nothing');
select throws_ok($$ select pg_temp.finish('Mine?') $$, 'PT404', 'ai_session_unknown', 'and ask nothing');
select is(api.reserve_ai_tokens(21, 20) ->> 'day', null, 'a budget is nobody else''s');

-- Erasure
select test.act_as_owner();
select private.erase_person(test.id('alice'));
select is(pg_temp.spent(), 0::bigint, 'an erasure leaves no count');

select * from finish();
rollback;
