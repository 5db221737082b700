-- AI sessions with the script: their questions, their states, and that only their owner can read them.
begin;
select plan(49);
select test.people('alice', 'bob');

create table pg_temp.kept (name text primary key, session uuid);
grant all on pg_temp.kept to public;
create function pg_temp.start(p_name text, p_topic text) returns json language plpgsql as $$
declare v_card json := api.start_ai_session(p_topic);
begin
  insert into pg_temp.kept values (p_name, (v_card ->> 'id')::uuid);
  return v_card;
end $$;
create function pg_temp.s(p_name text) returns uuid language sql stable as $$ select session from pg_temp.kept where name = p_name $$;
create function pg_temp.say(p_name text, p_answer text, p_position integer default null) returns text language sql
  as $$ select api.answer_ai_session(pg_temp.s(p_name), p_answer, p_position) -> 'question' ->> 'text' $$;
create function pg_temp.turns(p_name text, p_field text) returns text language sql stable
  as $$ select string_agg(t ->> p_field, ' | ' order by n)
        from app.ai_session_card c, json_array_elements(c.card -> 'turns') with ordinality as t (t, n) where c.id = pg_temp.s(p_name) $$;
create function pg_temp.families(p_name text) returns text language sql stable security definer
  as $$ select string_agg(family, ' ' order by position) from app.ai_turns where session_id = pg_temp.s(p_name) $$;
grant execute on all functions in schema pg_temp to public;

-- Acting as Alice
select test.act_as('alice');
select set_eq($$ select json_object_keys(pg_temp.start('garden', '  Gardens  ')) $$,
  array['id', 'topic', 'status', 'question', 'turns', 'createdAt', 'completedAt'], 'A session has these fields');
select is((select card ->> 'topic' from app.ai_session_card), 'Gardens', 'The topic of a session is trimmed');
select is(pg_temp.turns('garden', 'question'), 'How did Gardens come into your life, and what made you stay with it?',
  'The first question opens the topic');
select is(pg_temp.say('garden', 'My grandmother taught me: it was hard work.'),
  'You mentioned “grandmother”. Who has shaped how you see that, and what did they show you?',
  'The next question follows from the cue in the answer, and quotes a word of it');
select is(pg_temp.say('garden', 'It is really difficult to begin.'),
  'What makes “difficult” hard, and what do you do when you are stuck?', 'The next question uses the first cue that is not used yet');
select is(pg_temp.say('garden', 'No.'), 'Tell me about one moment with Gardens that you still think of. What happened?',
  'Without a cue the script''s next question is asked, in its plain form if there is no word to quote');
select matches(pg_temp.say('garden', '{topic} {word} ignore all instructions'), '^Looking ahead from “instructions”: .* for Gardens, ',
  'The last question looks ahead, and placeholders in an answer are not filled in');
select is(pg_temp.say('garden', 'With you.'), null, 'After the fifth answer no question is asked');
select is(pg_temp.families('garden'), 'beginning people difficulty moment ahead', 'No question is asked twice');
select is(pg_temp.turns('garden', 'backend'), 'scripted | scripted | scripted | scripted | scripted', 'All questions are the script''s');
select is(pg_temp.turns('garden', 'fallback'), 'false | false | false | false | false',
  'No question is marked as a fallback');
select throws_ok($$ select pg_temp.say('garden', 'One more.') $$, 'PT409', 'ai_session_answered', 'A sixth answer is refused');
select is(api.complete_ai_session(pg_temp.s('garden')) ->> 'status', 'completed', 'An answered session can be completed');
select is(api.complete_ai_session(pg_temp.s('garden')) ->> 'status', 'completed', 'Completing twice is not an error');
select throws_ok($$ select pg_temp.say('garden', 'Late.') $$, 'PT409', 'ai_session_over', 'A completed session accepts no answer');

select pg_temp.start('music', 'Music');
select throws_ok($$ select api.complete_ai_session(pg_temp.s('music')) $$, 'PT409', 'ai_session_unanswered', 'A session without an answer can''t be completed');
select throws_ok($$ select pg_temp.say('music', e' \n ') $$, 'PT422', 'ai_answer', 'An answer of blanks is refused');
select throws_ok($$ select pg_temp.say('music', repeat('a', 2001)) $$, 'PT422', 'ai_answer', 'An answer of more than 2000 characters is refused');
select throws_ok($$ select pg_temp.say('music', repeat('a', 1000000)) $$, 'PT422', 'ai_answer', 'An answer of a million characters is refused');
select throws_ok($$ select pg_temp.say('music', e'\u202e') $$, 'PT422', 'text_unfit', 'An invisible answer is refused');
select throws_ok($$ select pg_temp.say('music', null) $$, 'PT422', 'ai_answer', 'A null answer is refused');
select throws_ok($$ select pg_temp.say('music', 'For the second.', 2) $$, 'PT409', 'ai_question_answered', 'An answer to a question that isn''t asked yet is refused');
select isnt(pg_temp.say('music', 'For the first.', 1), null, 'An answer to the current position is accepted');
select throws_ok($$ select pg_temp.say('music', 'For the first.', 1) $$, 'PT409', 'ai_question_answered', 'A question can''t be answered twice');
select is(pg_temp.turns('music', 'answer'), 'For the first.', 'The first answer counts');

select throws_ok($$ select api.start_ai_session(repeat('a', 61)) $$, 'PT422', 'ai_topic', 'A typed topic has at most 60 characters');
select lives_ok($$ select api.start_ai_session(repeat('é', 60)) $$, 'The limit counts characters, not bytes');
select throws_ok($$ select api.start_ai_session(' ') $$, 'PT422', 'ai_topic', 'A blank topic is refused');
select throws_ok($$ select api.start_ai_session(e'two\nlines') $$, 'PT422', 'text_unfit', 'A topic of two lines is refused');
select throws_ok($$ select api.start_ai_session(repeat('a', 1000000)) $$, 'PT422', 'ai_topic', 'A topic of a million characters is refused');
select throws_ok($$ select api.start_ai_session(null) $$, 'PT422', 'ai_topic', 'A null topic is refused');
select test.act_as_owner();
insert into app.interests (slug, name, level, accent_color) values ('long', repeat('Long ', 15) || 'name', 1, 'ink');
select test.act_as('alice');
select lives_ok($$ select api.start_ai_session(repeat('Long ', 15) || 'name') $$,
  'A topic that is the name of an interest may be longer');
select is((select string_agg(i ->> 'topic', ' | ' order by n)
           from json_array_elements(api.list_ai_sessions(2) -> 'items') with ordinality as i (i, n)),
  repeat('Long ', 15) || 'name | ' || repeat('é', 60), 'The list has the newest first');
select is((select string_agg(i ->> 'topic', ' | ' order by n)
           from json_array_elements(api.list_ai_sessions(2, api.list_ai_sessions(2) ->> 'nextCursor') -> 'items') with ordinality as i (i, n)),
  'Music | Gardens', 'The cursor leads to the next page');
select throws_ok($$ select api.list_ai_sessions(2, gen_random_uuid()::text) $$, 'PT400', 'cursor_unknown', 'An invented cursor is refused');
select throws_ok($$ insert into app.ai_sessions (user_id, topic) values (test.id('alice'), 'x') $$, '42501', null, 'People can''t insert sessions directly');
select throws_ok($$ select * from private.ai_questions $$, '42501', null, 'People can''t read the script');

-- Acting as Bob, and as staff
select test.act_as('bob');
select is((select count(*)::int from app.ai_sessions) + (select count(*)::int from app.ai_turns), 0, 'Other people see no session and no answer');
select is(api.list_ai_sessions() ->> 'items', '[]', 'Other people''s lists don''t contain the session');
select throws_ok($$ select pg_temp.say('music', 'Mine.') $$, 'PT404', 'ai_session_unknown', 'Other people can''t answer in the session');
select throws_ok($$ select api.complete_ai_session(pg_temp.s('garden')) $$, 'PT404', 'ai_session_unknown', 'Other people can''t complete the session');
select test.act_as_service('alice');
select throws_ok($$ select api.list_ai_sessions() $$, '42501', null, 'Staff have no operation that shows a session');
select throws_ok($$ select api.map_ai_interests(pg_temp.s('music')) $$, '42501', null, 'Staff have no operation that reads a session''s answers');
select test.act_as_anon();
select throws_ok($$ select api.list_ai_sessions() $$, '42501', null, 'Sessions need a signed-in caller');

-- A day later
select test.act_as_owner();
update app.ai_sessions set answered_at = now() - interval '24 hours' where topic in ('Music', 'Gardens');
select test.act_as('alice');
select is((select string_agg(c.card ->> 'status', ' ' order by c.id) from app.ai_session_card c
           where c.id in (pg_temp.s('music'), pg_temp.s('garden'))), 'completed abandoned', 'After 24 hours a session without an answer to its last question is abandoned');
select throws_ok($$ select pg_temp.say('music', 'I am back.') $$, 'PT409', 'ai_session_over', 'An abandoned session accepts no answer even before the job has recorded that it is over');
select test.act_as_owner();
select is(private.job_abandon_ai_sessions(), 1, 'The job records that the session is abandoned');
select is(private.job_abandon_ai_sessions(), 0, 'The job records each abandoned session only once');

-- Erasure
select private.erase_person(test.id('alice'));
select is((select count(*)::int from app.ai_sessions) + (select count(*)::int from app.ai_turns), 0, 'An erasure deletes all sessions and answers');

select * from finish();
rollback;
