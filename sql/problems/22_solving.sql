-- Offering, changing and deleting solutions, and the list of solutions.
-- docs/decisions.md, Problems; Lists.

create function private.find_solutions(p_problem uuid, p_from app.rank_place) returns app.found
language plpgsql stable security definer   -- a policy could make the query scan any number of hidden solutions
set search_path = ''
as $$
declare
  v_me     uuid := private.require_caller();
  v_rank   integer := p_from.rank;   -- plain variables, so that the planner can use the index
  v_before uuid := p_from.id;
  v_found  app.found;
begin
  with looked as materialized (
    select w.rank, w.id from (
      (select rank, id from app.problem_solutions
       where problem_id = p_problem and required_level = 0 and (rank, id) < (v_rank, v_before)
       order by rank desc, id desc limit 400)
      union all
      (select rank, id from app.problem_solutions
       where problem_id = p_problem and author_id = v_me and required_level = 3 and (rank, id) < (v_rank, v_before)
       order by rank desc, id desc limit 400)) w
    order by w.rank desc, w.id desc limit 400
  ), seen as materialized (
    select array(
      select l.id from looked l
      cross join lateral (select * from private.visible_solutions v where v.id = l.id offset 0) s
      order by l.rank desc, l.id desc limit 51) as ids
  )
  select s.ids, case when cardinality(s.ids) < 51
                     then (select private.seal_cursor('solutions ' || p_problem, l.rank, l.id)
                           from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $$;
comment on function private.find_solutions is
  'The next solutions that the caller may see of a problem that they see, among the next 400 that everybody may see '
  'or that are the caller''s own.';
call private.force_index_scans('private.find_solutions');

create function private.solution_cursors(p_ids uuid[]) returns text[]
language plpgsql stable security definer   -- its callers have found these solutions
set search_path = ''
as $$
begin
  return array(select private.seal_cursor('solutions ' || s.problem_id, s.rank, s.id)
               from unnest(p_ids) with ordinality as i (id, place)
               join app.problem_solutions s on s.id = i.id order by i.place);
end $$;
comment on function private.solution_cursors is 'Cursors for the places of these solutions in private.find_solutions.';

create function api.list_solutions(p_id uuid, p_limit integer default 20, p_cursor text default null) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_problem uuid := (private.require_content('problem', p_id)).id;
  v_found   app.found := private.find_solutions(v_problem, private.rank_start('solutions ' || v_problem, p_cursor));
begin
  return private.page(private.solution_cards(v_found.ids[:p_limit]), private.solution_cursors(v_found.ids), p_limit,
                      v_found.next);
end $$;
comment on function api.list_solutions is
  'The solutions of a problem: the accepted one first, then by score; among equal scores, the newest first.';

create function private.add_solution(p_problem uuid, p_body text) returns uuid
language plpgsql volatile security definer   -- callers may not write solutions
set search_path = ''
as $$
declare
  v_id uuid;
begin
  perform private.require_open_problem(p_problem);
  insert into app.problem_solutions (problem_id, author_id, body)
  values (p_problem, private.require_caller(), coalesce(private.require_markdown(p_body), '')) returning id into v_id;
  return v_id;
end $$;
comment on function private.add_solution is 'Writes a solution of the caller. Fails: solution_body.';

insert into private.operations_of_people (operation) values ('create_solution');

create function api.create_solution(p_id uuid, p_body text) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_kept json := private.begin_idempotent('create_solution', json_build_array(p_id, p_body));
  v_id   uuid;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  perform private.count_writes('replies');
  perform private.lock_open_content('problem', p_id);
  v_id := private.add_solution(p_id, p_body);
  perform private.require_content('problem', p_id);   -- somebody may have made a block meanwhile
  return private.finish_idempotent('create_solution', private.solution_cards(array[v_id]) -> 0);
end $$;
comment on function api.create_solution is
  'Offers a solution. Fails: problem_unknown (also if the problem was removed).';

create function private.lock_own_solution(p_id uuid) returns app.problem_solutions
language plpgsql volatile security definer   -- works even if the caller can no longer see the problem
set search_path = ''
as $$
declare
  v_solution app.problem_solutions;
begin
  -- lock heads before solutions: ARCHITECTURE.md, Locks
  perform private.share_lock_content((select problem_id from app.problem_solutions
                                 where id = p_id and author_id = private.require_caller()));
  select * into v_solution from app.problem_solutions
  where id = p_id and author_id = private.require_caller() and deleted_at is null for no key update;
  return v_solution;
end $$;
comment on function private.lock_own_solution is
  'Locks the caller''s own solution and its problem until the transaction ends, and returns the solution; null if '
  'there is none.';

create function private.change_solution(p_id uuid, p_body text) returns void
language plpgsql volatile security definer   -- callers may not change solutions
set search_path = ''
as $$
declare
  v_solution app.problem_solutions := private.lock_own_solution(p_id);
begin
  if v_solution.id is null then
    perform private.raise_error('solution_not_yours');
  end if;
  perform private.require_open_problem(v_solution.problem_id);
  update app.problem_solutions set body = coalesce(private.require_markdown(p_body), ''), edited_at = now()
  where id = p_id;
end $$;
comment on function private.change_solution is
  'Changes the caller''s own solution of an open problem. Fails: solution_body.';

create function api.update_solution(p_id uuid, p_body text) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.count_writes('edits');
  perform private.require_solution(p_id);
  perform private.change_solution(p_id, p_body);
  return private.solution_cards(array[p_id]) -> 0;
end $$;
comment on function api.update_solution is 'Changes the caller''s own solution while the problem is open.';

create function private.remove_solution(p_id uuid) returns boolean
language plpgsql volatile security definer   -- callers may not change solutions
set search_path = ''
as $$
declare
  v_solution app.problem_solutions := private.lock_own_solution(p_id);
begin
  if v_solution.id is null then
    return false;
  elsif v_solution.accepted_at is not null then
    perform private.raise_error('solution_accepted');
  end if;
  update app.problem_solutions set deleted_at = now(), body = '' where id = p_id;
  return true;
end $$;
comment on function private.remove_solution is 'Deletes the caller''s own solution; returns false if there is none.';

create function api.delete_solution(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  if not private.remove_solution(p_id) then
    perform private.require_solution(p_id);
    perform private.raise_error('solution_not_yours');
  end if;
  return null;   -- null becomes a 204 response
end $$;
comment on function api.delete_solution is
  'Deletes the caller''s solution for everyone, even if the problem is no longer open or the caller can no longer '
  'see it.';
