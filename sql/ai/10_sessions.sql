-- In an AI session, a person reflects on a topic by answering five questions. The questions come from a script
-- (20_questions.sql) or from a model that the facade asks (30_model.sql). Only the owner can read the questions and
-- answers, because no operation shows them to anybody else. docs/decisions.md, AI.

create table app.ai_sessions (
  id           uuid primary key default private.timed_id(),
  user_id      uuid not null references app.users on delete cascade,
  topic        text not null,
  created_at   timestamptz not null default now(),
  answered_at  timestamptz not null default now(),
  asking_until timestamptz,
  completed_at timestamptz,
  abandoned_at timestamptz,
  constraint ai_topic check (length(topic) between 1 and 80),
  check (num_nonnulls(completed_at, abandoned_at) < 2)
);
create index ai_sessions_user_id_idx on app.ai_sessions (user_id, id desc);
create index ai_sessions_open_idx on app.ai_sessions (answered_at) where completed_at is null and abandoned_at is null;
create index ai_sessions_abandoned_at_idx on app.ai_sessions (abandoned_at);
comment on table app.ai_sessions is
  'Reflections of people. The id contains the creation time, so it is also the session''s place in the list. '
  'private.ai_status returns the state.';
comment on column app.ai_sessions.answered_at is
  'When the session began or got its latest answer. An open session is abandoned 24 hours later.';
comment on column app.ai_sessions.asking_until is
  'The time by which the facade that asks the model for the next question must be done. After this time its attempt '
  'counts as failed. Null while no facade asks.';
comment on column app.ai_sessions.completed_at is 'When its owner completed the session; null until then.';
comment on column app.ai_sessions.abandoned_at is
  'When the job found that the session had got no answer for 24 hours; null until then.';
insert into private.retention (relation, counts_from, keep) values ('app.ai_sessions', 'abandoned_at', '30 days');

create table app.ai_turns (
  session_id  uuid not null references app.ai_sessions on delete cascade,
  position    smallint not null check (position between 1 and 5),
  question    text not null check (length(question) between 1 and 500),
  family      text,
  fallback    boolean not null default false,
  answer      text,
  answered_at timestamptz,
  primary key (session_id, position),
  constraint ai_answer check (length(answer) between 1 and 2000),
  check ((answer is null) = (answered_at is null)),
  check (family is not null or not fallback)
);
comment on table app.ai_turns is
  'The questions of a session in order, each with its answer (null until it is given). family is the question''s '
  'family in the script; it is null for a question from the model. fallback says whether a question of the script '
  'replaced one from the model.';
comment on column app.ai_turns.answered_at is 'When the question was answered; null until then.';

insert into private.write_limits (kind, per_hour) values ('reflections', 300);
insert into private.errors (code, status, text) values
  ('ai_topic', 422, 'A topic must have 1 to 60 characters, or be the name of an interest.'),
  ('ai_answer', 422, 'An answer must have 1 to 2000 characters.'),
  ('ai_session_unknown', 404, 'There is no such session.'),
  ('ai_session_over', 409, 'This session is over: it was completed, or had no answer for 24 hours. Start '
   'another one.'),
  ('ai_session_answered', 409, 'All five questions have been answered. Complete the session.'),
  ('ai_session_unanswered', 409, 'A session can only be completed after all five questions have been answered.'),
  ('ai_question_answered', 409, 'This question has been answered already. GET /ai/sessions shows the next one.'),
  ('ai_question_pending', 409, 'The next question is being prepared. If it does not appear, send the answer again '
   'after a minute.');

create function private.ai_deadline() returns timestamptz
language plpgsql stable
set search_path = ''
as $$ begin return now() - interval '24 hours'; end $$;
comment on function private.ai_deadline is
  '24 hours ago. A session whose latest answer is older than this time is abandoned.';

create function private.ai_status(p_session app.ai_sessions) returns text
language plpgsql stable
set search_path = ''
as $$
begin
  return case when p_session.completed_at is not null then 'completed'
              when p_session.abandoned_at is not null or p_session.answered_at <= private.ai_deadline()
              then 'abandoned'
              else 'in_progress' end;
end $$;
comment on function private.ai_status is
  'The status of a session: in_progress, completed or abandoned. This function computes the status; the job only '
  'records it.';

create view app.ai_session_card with (security_invoker) as
select s.id, s.user_id,
       json_build_object(
         'id', s.id,
         'topic', s.topic,
         'status', private.ai_status(s),
         'question', (select json_build_object('position', t.position, 'text', t.question)
                      from app.ai_turns t where t.session_id = s.id and t.answer is null),
         'turns', (select json_agg(json_build_object(
                            'position', t.position,
                            'question', t.question,
                            'backend', case when t.family is null then 'llm' else 'scripted' end,
                            'fallback', t.fallback,
                            'answer', t.answer,
                            'answeredAt', private.utc(t.answered_at)) order by t.position)
                   from app.ai_turns t where t.session_id = s.id),
         'createdAt', private.utc(s.created_at),
         'completedAt', private.utc(s.completed_at)) as card
from app.ai_sessions s;
comment on view app.ai_session_card is
  'A session as its owner sees it: {id, topic, status, question {position, text}, turns [{position, question, '
  'backend, fallback, answer, answeredAt}], createdAt, completedAt}. question is the next one to answer, or null.';

create function private.require_ai_session(p_session uuid) returns uuid
language plpgsql stable
set search_path = ''
as $$
begin
  if not exists (select from app.ai_sessions where id = p_session and user_id = private.require_caller()) then
    perform private.raise_error('ai_session_unknown');
  end if;
  return p_session;
end $$;
comment on function private.require_ai_session is 'Returns the id of a session of the caller.';

create function private.lock_open_ai_session(p_session uuid) returns app.ai_sessions
language plpgsql volatile security definer   -- people may not write sessions
set search_path = ''
as $$
declare
  v_session app.ai_sessions;
begin
  select * into v_session from app.ai_sessions
  where id = p_session and user_id = private.require_caller() for no key update;
  if not found then
    perform private.raise_error('ai_session_unknown');
  end if;
  if private.ai_status(v_session) = 'abandoned' then
    perform private.raise_error('ai_session_over');
  end if;
  return v_session;
end $$;
comment on function private.lock_open_ai_session is
  'Locks a session of the caller that is not abandoned, and returns it.';

create function private.job_abandon_ai_sessions() returns integer
language plpgsql volatile security definer   -- the worker has no access to Kith's tables
set search_path = ''
as $$
declare
  v_changed integer;
begin
  update app.ai_sessions set abandoned_at = now() where ctid = any (array(
    select ctid from app.ai_sessions
    where completed_at is null and abandoned_at is null and answered_at <= private.ai_deadline()
    limit 500 for no key update skip locked));
  get diagnostics v_changed = row_count;
  return v_changed;
end $$;
comment on function private.job_abandon_ai_sessions is
  'Job: abandons up to 500 sessions that had no answer for 24 hours. May run twice: it takes only open sessions and '
  'skips locked ones. The worker repeats it until no such session remains.';
insert into private.jobs (name, cron, expires, repeats) values ('abandon-ai-sessions', '*/10 * * * *', 60, true);
