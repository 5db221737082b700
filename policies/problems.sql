-- Who may see problems and solutions. This file belongs to sql/problems/. The head's policies are in
-- policies/content.sql. Only definer functions write their tables.

-- problems
alter table app.problems enable row level security;
grant select on app.problems to authenticated;
create policy select_with_content on app.problems for select to authenticated
  using ((select true from app.contents c where c.id = problems.id));
comment on policy select_with_content on app.problems is 'Everybody who sees the head sees the problem.';

-- problem_solutions
alter table app.problem_solutions enable row level security;
grant select on app.problem_solutions to authenticated;
create policy select_with_content on app.problem_solutions for select to authenticated
  using ((select v.is_visible from private.visibility(author_id, required_level) v)
     and (select true from app.contents c where c.id = problem_id));
comment on policy select_with_content on app.problem_solutions is
  'Everybody who sees the problem sees its solutions. Exceptions are deleted solutions, solutions by banned or '
  'erased people, and solutions by people whom the viewer blocked or who blocked the viewer. Only its author sees a '
  'solution that staff removed.';

-- solution_votes
alter table app.solution_votes enable row level security;
grant select on app.solution_votes to authenticated;
create policy select_own on app.solution_votes for select to authenticated using (user_id = (select app.uid()));
comment on policy select_own on app.solution_votes is
  'People see only their own votes. The votes of others appear only as a sum.';

-- helpers
grant execute on function
  private.add_bounty,
  private.add_problem,
  private.add_solution,
  private.change_problem,
  private.change_solution,
  private.end_problem,
  private.find_solutions,
  private.set_solution_vote,
  private.problem_cards,
  private.remove_problem,
  private.remove_solution,
  private.remove_solution_vote,
  private.require_problem_card,
  private.require_reported_solution,
  private.require_solution,
  private.solution_cards,
  private.solution_cursors,
  private.take_solution
  to authenticated;

-- operations
grant execute on function
  api.accept_solution,
  api.add_bounty,
  api.close_problem,
  api.create_problem,
  api.create_solution,
  api.delete_problem,
  api.delete_solution,
  api.get_problem,
  api.list_problems,
  api.list_solutions,
  api.unvote_solution,
  api.update_problem,
  api.update_solution,
  api.vote_solution
  to authenticated;

-- batches that the worker runs
grant execute on function
  private.release_bounties
  to worker;
