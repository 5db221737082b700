-- Votes on solutions.
-- docs/decisions.md, Problems.

create function private.set_solution_vote(p_solution uuid, p_problem uuid, p_value integer) returns void
language plpgsql volatile security definer   -- callers may not write votes
set search_path = ''
as $$
begin
  perform private.require_open_problem(p_problem);
  insert into app.solution_votes as v (solution_id, user_id, value)
  select s.id, private.require_caller(), p_value from private.visible_solutions s
  where s.id = p_solution and s.required_level = 0
  on conflict (solution_id, user_id) do update set value = excluded.value where v.value <> excluded.value;
end $$;
comment on function private.set_solution_vote is 'Sets the caller''s vote on a solution that they see.';

insert into private.operations_of_people (operation) values ('vote_solution');

create function api.vote_solution(p_id uuid, p_value integer) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_solution app.problem_solutions := private.require_solution(p_id);
begin
  perform private.begin_vote('problem', v_solution.problem_id, 'solution', v_solution.author_id);
  perform private.require_solution(p_id);
  perform private.set_solution_vote(p_id, v_solution.problem_id, p_value);
  perform private.require_solution(p_id);
  return private.solution_cards(array[p_id]) -> 0;
end $$;
comment on function api.vote_solution is 'Votes a solution of an open problem up or down. Returns the card.';

create function private.remove_solution_vote(p_solution uuid, p_seen boolean) returns void
language plpgsql volatile security definer   -- callers may not delete votes
set search_path = ''
as $$
declare
  v_problem uuid := (select problem_id from app.problem_solutions where id = p_solution);
begin
  perform private.share_lock_content(v_problem);
  if p_seen then
    perform private.require_open_problem(v_problem);
  end if;
  delete from app.solution_votes v
  where v.solution_id = p_solution and v.user_id = private.require_caller()
    and exists (select from app.problems p where p.id = v_problem and p.solved_at is null and p.closed_at is null);
end $$;
comment on function private.remove_solution_vote is
  'Takes the caller''s vote on a solution of an open problem back, even if they can no longer see the solution; '
  'then the caller does not learn whether the problem is open.';

create function api.unvote_solution(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_seen boolean := exists (select from app.problem_solutions where id = p_id);
begin
  perform private.remove_solution_vote(p_id, v_seen);
  if not v_seen then
    return private.error_response('solution_unknown');   -- the vote is taken back, but the solution is not shown
  end if;
  return null;   -- null becomes a 204 response
end $$;
comment on function api.unvote_solution is
  'Takes the caller''s vote back; repeating it changes nothing. It also works on a solution that the caller can no '
  'longer see, but then the response is the same as for a solution that does not exist.';
