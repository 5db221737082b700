-- What an erasure does to AI sessions, and which of their columns hold personal data. See sql/base/90_erasure.sql for
-- how an erasure runs.

insert into private.personal_data (relation, person_column, section, within, omits) values
  ('app.ai_sessions', 'user_id', 'aiSessions', null, '{asking_until}'),
  ('app.ai_turns', 'session_id', 'aiTurns', '{aiSessions}', '{family}');
insert into private.personal_data (relation, person_column, reason) values
  ('private.ai_usage', 'user_id', 'The part of a day''s budget that the person used, kept for 2 days.');

create function private.erase_ai_sessions(p_user app.users) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.erase_rows(p_user.id, 'app.ai_sessions', 'user_id = $1');
  delete from private.ai_usage where user_id = p_user.id;
end $$;
comment on function private.erase_ai_sessions is
  'Step: deletes an erased person''s AI sessions with all questions and answers.';
call private.force_index_scans('private.erase_ai_sessions');
insert into private.account_steps (step, events, position) values
  ('private.erase_ai_sessions', '{erasure}', 182);
