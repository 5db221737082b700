-- How the facade uses a model: the tokens that a person may spend per day, the lease under which the facade asks for a
-- question, and the result. The output of a model is used as text, and never as an instruction.
-- docs/decisions.md, AI.

create table private.ai_usage (
  user_id uuid not null references app.users on delete cascade,
  day     date not null,
  tokens  bigint not null check (tokens >= 0),
  primary key (user_id, day)
);
create index ai_usage_day_idx on private.ai_usage (((day::timestamp at time zone 'UTC')));
comment on table private.ai_usage is
  'The number of the model''s tokens that a person has spent on a day (UTC), including tokens reserved for running '
  'calls.';
insert into private.retention (relation, counts_from, keep) values
  ('private.ai_usage', '((day)::timestamp without time zone AT TIME ZONE ''UTC''::text)', '2 days');

create function private.reserve_tokens(p_tokens integer, p_budget integer) returns date
language plpgsql volatile
set search_path = ''
as $$
declare
  v_day date := (now() at time zone 'UTC')::date;
begin
  insert into private.ai_usage as u (user_id, day, tokens)
  select private.require_caller(), v_day, p_tokens where p_tokens <= p_budget
  on conflict (user_id, day) do update set tokens = u.tokens + excluded.tokens
    where u.tokens + excluded.tokens <= p_budget;
  return case when found then v_day end;
end $$;
comment on function private.reserve_tokens is
  'Reserves this many tokens of the caller''s budget of the day before they are spent, and returns the day; null if '
  'fewer are left.';

create function private.settle_tokens(p_day date, p_reserved integer, p_used integer) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  update private.ai_usage set tokens = greatest(0, tokens - p_reserved + coalesce(p_used, p_reserved))
  where user_id = private.require_caller() and day = p_day;
end $$;
comment on function private.settle_tokens is
  'Replaces the reserved number of tokens by the number spent. If the number spent is unknown (null), the '
  'reservation stays.';

create function api.reserve_ai_tokens(p_tokens integer, p_budget integer) returns json
language plpgsql volatile security definer   -- only for gate: callers may not write budgets
set search_path = ''
as $$
begin
  return json_build_object('day', private.reserve_tokens(p_tokens, p_budget));
end $$;
comment on function api.reserve_ai_tokens is
  'For the facade alone, before it asks the model: reserves tokens and returns {day}, for api.settle_ai_tokens. day '
  'is null if the caller''s budget of the day has fewer tokens left.';

create function api.settle_ai_tokens(p_day date, p_reserved integer, p_used integer default null) returns json
language plpgsql volatile security definer   -- only for gate: callers may not write budgets
set search_path = ''
as $$
begin
  perform private.settle_tokens(p_day, p_reserved, p_used);
  return null;
end $$;
comment on function api.settle_ai_tokens is
  'For the facade alone, after a call of the model: replaces the reserved number of tokens by the number that the '
  'model used (p_used).';

create function api.begin_ai_answer(
  p_session_id uuid, p_answer text, p_budget integer, p_position integer default null
) returns json
language plpgsql volatile security definer   -- only for gate: asking the model costs tokens
set search_path = ''
as $$
declare
  v_session  app.ai_sessions := private.give_ai_answer(p_session_id, p_answer, p_position);
  v_turns    json;
  v_count    bigint;
  v_reserved integer;
  v_day      date;
begin
  select json_agg(json_build_object('question', question, 'answer', answer) order by position), count(*)
  into v_turns, v_count
  from app.ai_turns where session_id = p_session_id;
  -- A token has at least one byte. The 1200 tokens are for the topic, the instructions to the model, and the question
  -- that it returns.
  v_reserved := 1200 + octet_length(v_turns::text);
  if v_count < 5 then
    v_day := private.reserve_tokens(v_reserved, p_budget);
  end if;
  if v_day is null then
    perform private.put_ai_question(v_session, p_fallback => true);
  else
    update app.ai_sessions set asking_until = clock_timestamp() + interval '1 minute' where id = p_session_id
    returning * into v_session;
  end if;
  return json_build_object(
    'session', (select card from app.ai_session_card where id = p_session_id),
    'ask', case when v_day is not null then json_build_object('topic', v_session.topic, 'turns', v_turns) end,
    'lease', json_build_object('p_until', v_session.asking_until, 'p_day', v_day, 'p_reserved', v_reserved));
end $$;
comment on function api.begin_ai_answer is
  'For the facade alone: answers a question as api.answer_ai_session does, but leaves the next question to the '
  'model. Returns {session, ask: {topic, turns}, lease}. lease is for api.finish_ai_answer, which the facade should '
  'call within a minute. ask is null after the fifth answer, and if the budget is spent; then the next question is '
  'from the script.';

create function api.finish_ai_answer(
  p_session_id uuid, p_until timestamptz, p_day date, p_reserved integer,
  p_question text default null, p_used integer default null, p_gone boolean default false
) returns json
language plpgsql volatile security definer   -- only for gate: p_question counts as a question of the model
set search_path = ''
as $$
declare
  v_session app.ai_sessions := private.lock_open_ai_session(p_session_id);
begin
  perform private.settle_tokens(p_day, p_reserved, p_used);
  -- otherwise the person has answered again, and another call asks the model
  if v_session.asking_until = p_until then
    if p_gone then
      update app.ai_sessions set asking_until = null where id = p_session_id;
    else
      perform private.put_ai_question(v_session, p_question, p_question is null);
    end if;
  end if;
  return (select card from app.ai_session_card where id = p_session_id);
end $$;
comment on function api.finish_ai_answer is
  'For the facade alone, when the model has answered: records the tokens that the model used, and asks the model''s '
  'question, or one from the script if the model gave none. If p_gone is true, the client has disconnected: then no '
  'question is asked, and the person can answer again.';
