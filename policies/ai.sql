-- Who may read and write AI sessions. This file belongs to sql/ai/.

-- ai_sessions: only their owner may read them, not even staff; definer functions write them
alter table app.ai_sessions enable row level security;
grant select on app.ai_sessions to authenticated;
grant select on app.ai_session_card to authenticated;
create policy select_own on app.ai_sessions for select to authenticated using (user_id = (select app.uid()));
comment on policy select_own on app.ai_sessions is 'People see only their own sessions.';

-- ai_turns
alter table app.ai_turns enable row level security;
grant select on app.ai_turns to authenticated;
create policy select_own on app.ai_turns for select to authenticated
  using (session_id in (select s.id from app.ai_sessions s where s.user_id = (select app.uid())));
comment on policy select_own on app.ai_turns is 'People see the questions and answers of their own sessions.';

-- ai_questions, ai_usage: only for definer functions
alter table private.ai_questions enable row level security;
alter table private.ai_usage enable row level security;

-- helpers
grant execute on function
  private.ai_deadline,
  private.ai_status,
  private.answer_by_script,
  private.close_ai_session,
  private.match_interests,
  private.open_ai_session,
  private.require_ai_session
  to authenticated;

-- operations
grant execute on function
  api.answer_ai_session,
  api.apply_ai_suggestions,
  api.complete_ai_session,
  api.find_ai_mapping,
  api.list_ai_sessions,
  api.map_ai_interests,
  api.start_ai_session
  to authenticated;

-- gate: functions that ask a model, which costs money; no token can name this role
grant execute on function
  api.begin_ai_answer,
  api.finish_ai_answer,
  api.reserve_ai_tokens,
  api.settle_ai_tokens
  to gate;

-- jobs
grant execute on function private.job_abandon_ai_sessions to worker;
