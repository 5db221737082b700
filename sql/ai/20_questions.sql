-- The script of the questions. It needs no model, and it replaces a model that does not answer. The first question
-- introduces the topic, and the last question is about the future. In between, the last answer decides which family of
-- questions comes next. No family comes twice.

create table private.ai_questions (
  family  text primary key,
  place   smallint not null unique,
  cues    text,
  plain   text not null,
  quoting text
);
comment on table private.ai_questions is
  'The script. cues is a pattern of words; a family comes first if the last answer contains one of these words. '
  'plain is the question. quoting is the same question, for a last answer with a word that the question can quote. '
  '{topic} and {word} are placeholders.';

insert into private.ai_questions (family, place, cues, plain, quoting) values
  ('beginning', 1, null,
   'How did {topic} come into your life, and what made you stay with it?', null),
  ('moment', 2, '(once|first time|remember|yesterday|last year|years ago|moment|night|day when)',
   'Tell me about one moment with {topic} that you still think of. What happened?',
   'You spoke of “{word}”. Take me to one moment where it mattered: what happened?'),
  ('practice', 3, '(make|making|made|build|write|writing|cook|play|paint|draw|code|plant|train|practi[cs]e|doing)',
   'When you give {topic} an hour of your day, what do you do, and how can you tell that it goes well?',
   'You spoke of “{word}”. What do you do there yourself, and how can you tell that it goes well?'),
  ('people', 4, '(friend|family|father|mother|parent|grand|teacher|people|someone|together|community|colleague|child)',
   'Who has shaped how you see {topic}, and what did they show you?',
   'You mentioned “{word}”. Who has shaped how you see that, and what did they show you?'),
  ('difficulty', 5, '(hard|difficult|struggl|problem|fail|afraid|fear|stuck|lose|lost|frustrat|never|cannot|can''t)',
   'What is hard for you about {topic}, and what do you do when you are stuck?',
   'What makes “{word}” hard, and what do you do when you are stuck?'),
  ('learning', 6, '(learn|read|book|stud|course|school|universit|research|question|understand|know)',
   'What have you understood about {topic} that you did not see a few years ago?',
   'What have you understood about “{word}” that you did not see a few years ago?'),
  ('meaning', 7, '(why|mean|matter|believe|value|important|feel|love|hope|truth|beaut)',
   'What would be missing from your life if {topic} were not in it?',
   'Why does “{word}” matter to you, and what would be missing without it?'),
  ('neighbours', 8, '(also|besides|like|similar|connect|relat|between|both|other)',
   'Which other field does {topic} lead you into, and where do the two meet?',
   'Where does “{word}” lead you beyond {topic}, and where do the two meet?'),
  ('ahead', 9, null,
   'If you had a free month for {topic}, what would you explore, and whom would you like beside you?',
   'Looking ahead from “{word}”: if you had a free month for {topic}, what would you explore, and whom would you '
   'like beside you?');

create function private.distinctive_word(p_answer text, p_topic text) returns text
language plpgsql immutable
set search_path = ''
as $$
begin
  return (
    select w.word[1]
    from regexp_matches(p_answer collate pg_catalog.pg_c_utf8, '[[:alpha:]][[:alpha:]''’-]{3,22}[[:alpha:]]', 'g')
         with ordinality as w (word, place)
    where strpos(lower(p_topic), lower(w.word[1])) = 0
      -- neither a stop word nor a word that says little by itself
      and to_tsvector('pg_catalog.english', w.word[1]) <> ''
      and lower(w.word[1]) !~ ('^(some|any|every|no)(thing|times?|body|one|where)$|^(really|always|never|often|started'
            || '|actually|probably|maybe|perhaps|though|although|without|within|about|around|became|become|things'
            || '|still|other|others|another|would|could|should|might|think|thing|years|again|first|which|where)$')
    order by length(w.word[1]) desc, w.place limit 1);
end $$;
comment on function private.distinctive_word is
  'Returns the word of an answer that the next question can quote: the longest word that is neither common nor in the '
  'topic. Null if there is none.';

create function private.scripted_question(p_session app.ai_sessions) returns private.ai_questions
language plpgsql stable
set search_path = ''
as $$
declare
  v_asked  text[] := array(select family from app.ai_turns where session_id = p_session.id and family is not null);
  v_count  bigint;
  v_answer text;
  v_word   text;
  v_next   private.ai_questions;
begin
  select count(*), (array_agg(answer order by position desc))[1] into v_count, v_answer
  from app.ai_turns where session_id = p_session.id;
  v_word := private.distinctive_word(v_answer, p_session.topic);
  select * into strict v_next from private.ai_questions q
  where case v_count when 0 then q.family = 'beginning' when 4 then q.family = 'ahead'
        else q.family not in ('beginning', 'ahead') and q.family <> all (v_asked) end
  order by coalesce(lower(v_answer) ~ ('\m' || q.cues), false) desc, q.place limit 1;
  -- replace {word} before {topic}, because a word cannot contain a placeholder, but a topic can
  if v_word is not null and v_next.quoting is not null then
    v_next.plain := replace(v_next.quoting, '{word}', v_word);
  end if;
  v_next.plain := replace(v_next.plain, '{topic}', p_session.topic);
  return v_next;
end $$;
comment on function private.scripted_question is
  'Returns the next question of the script for a session whose last question is answered. Its text is in the field '
  'plain.';

create function private.put_ai_question(
  p_session app.ai_sessions, p_text text default null, p_fallback boolean default false
) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_last     smallint := (select max(position) from app.ai_turns where session_id = p_session.id);
  v_scripted private.ai_questions;
begin
  update app.ai_sessions set asking_until = null where id = p_session.id and asking_until is not null;
  if v_last = 5 then
    return;
  end if;
  if p_text is null then
    v_scripted := private.scripted_question(p_session);
  end if;
  insert into app.ai_turns (session_id, position, question, family, fallback)
  values (p_session.id, coalesce(v_last, 0) + 1, coalesce(p_text, v_scripted.plain), v_scripted.family, p_fallback);
end $$;
comment on function private.put_ai_question is
  'Asks the next question of a session that its caller has locked: p_text, which is from the model, or the next '
  'question of the script if p_text is null. After the fifth question it asks nothing.';

create function private.open_ai_session(p_topic text) returns uuid
language plpgsql volatile security definer   -- people may not write sessions
set search_path = ''
as $$
declare
  v_topic   text;
  v_session app.ai_sessions;
begin
  -- NFC combines up to four characters into one, so a topic of more than 400 characters is too long even in NFC.
  -- Reject it before normalizing.
  if (length(p_topic) <= 400) is not true then
    perform private.raise_error('ai_topic');
  end if;
  v_topic := private.require_name(p_topic);
  if length(v_topic) > 60 and not exists (select from app.interests where name = v_topic) then
    perform private.raise_error('ai_topic');
  end if;
  perform private.count_writes('reflections');
  insert into app.ai_sessions (user_id, topic) values (private.require_caller(), v_topic) returning * into v_session;
  perform private.put_ai_question(v_session);
  return v_session.id;
end $$;
comment on function private.open_ai_session is 'Begins a session with its first question.';

create function private.give_ai_answer(p_session uuid, p_answer text, p_position integer) returns app.ai_sessions
language plpgsql volatile security definer   -- people may not write sessions
set search_path = ''
as $$
declare
  v_caller  uuid := private.require_caller();
  v_seen    smallint := (select max(t.position) from app.ai_turns t join app.ai_sessions s on s.id = t.session_id
                         where s.id = p_session and s.user_id = v_caller);
  v_session app.ai_sessions;
  v_turn    app.ai_turns;
begin
  if (length(p_answer) <= 10000) is not true then
    perform private.raise_error('ai_answer');   -- the answer is too long even in NFC, as above for a topic
  end if;
  perform private.count_writes('reflections');
  v_session := private.lock_open_ai_session(p_session);
  if v_session.completed_at is not null then
    perform private.raise_error('ai_session_over');
  end if;

  select * into strict v_turn from app.ai_turns where session_id = p_session order by position desc limit 1;
  -- while this call waited for the lock, another answer may have been stored; then this answer is for an earlier
  -- question
  if v_turn.position is distinct from coalesce(p_position, v_seen) then
    perform private.raise_error('ai_question_answered');
  end if;
  if v_turn.answer is not null and v_turn.position = 5 then
    perform private.raise_error('ai_session_answered');
  end if;
  if v_session.asking_until > now() then
    perform private.raise_error('ai_question_pending');
  end if;

  -- if the last question has an answer but no question followed, the new answer replaces the old one
  update app.ai_turns set answer = private.require_text(p_answer), answered_at = now()
  where session_id = p_session and position = v_turn.position;
  update app.ai_sessions set answered_at = now() where id = p_session returning * into v_session;
  return v_session;
end $$;
comment on function private.give_ai_answer is
  'Stores the caller''s answer to the current question of their session, and locks the session. Of several '
  'concurrent answers, exactly one is accepted. If no question followed the last answer, the person can answer '
  'again.';

create function private.answer_by_script(p_session uuid, p_answer text, p_position integer) returns void
language plpgsql volatile security definer   -- people may not write sessions
set search_path = ''
as $$
begin
  perform private.put_ai_question(private.give_ai_answer(p_session, p_answer, p_position));
end $$;
comment on function private.answer_by_script is 'Answers a question and asks the next question of the script.';

create function private.close_ai_session(p_session uuid) returns void
language plpgsql volatile security definer   -- people may not write sessions
set search_path = ''
as $$
begin
  perform private.lock_open_ai_session(p_session);
  if not exists (select from app.ai_turns where session_id = p_session and position = 5 and answer is not null) then
    perform private.raise_error('ai_session_unanswered');
  end if;
  update app.ai_sessions set completed_at = now() where id = p_session and completed_at is null;
end $$;
comment on function private.close_ai_session is 'Completes a session of the caller. Repeating it changes nothing.';

insert into private.operations_of_people (operation) values ('start_ai_session');

create function api.start_ai_session(p_topic text) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_kept    json := private.begin_idempotent('start_ai_session', json_build_array(p_topic));
  v_session uuid;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  v_session := private.open_ai_session(p_topic);
  return private.finish_idempotent('start_ai_session', (select card from app.ai_session_card where id = v_session));
end $$;
comment on function api.start_ai_session is
  'Begins a session on a topic, and returns the session with its first question.';

create function api.answer_ai_session(p_session_id uuid, p_answer text, p_position integer default null) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.answer_by_script(p_session_id, p_answer, p_position);
  return (select card from app.ai_session_card where id = p_session_id);
end $$;
comment on function api.answer_ai_session is
  'Answers the current question of a session, and returns the session with the next question of the script; after '
  'the fifth answer there is no question. With p_position, the answer is accepted only if the question at this '
  'position is still the current one.';

create function api.complete_ai_session(p_session_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.close_ai_session(p_session_id);
  return (select card from app.ai_session_card where id = p_session_id);
end $$;
comment on function api.complete_ai_session is
  'Completes a session whose five questions are answered; repeating it changes nothing.';

create function api.list_ai_sessions(p_limit integer default 20, p_cursor text default null) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_from uuid := coalesce(private.require_cursor(p_cursor), 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  v_ids  uuid[];
begin
  if p_cursor is not null and substr(v_from::text, 15, 1) <> '7' then
    perform private.raise_error('cursor_unknown');   -- ids of sessions are UUIDs of version 7
  end if;
  v_ids := array(select id from app.ai_sessions
                 where user_id = private.require_caller() and id < v_from
                 order by id desc limit 51);
  return private.page(
    (select json_agg(card order by id desc) from app.ai_session_card where id = any (v_ids[:p_limit])),
    v_ids::text[], p_limit);
end $$;
comment on function api.list_ai_sessions is 'The caller''s sessions, newest first.';
