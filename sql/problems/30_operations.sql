-- Operations that pose, change and end problems, and that pay their bounties or give them back. docs/decisions.md,
-- Problems.

create function private.raise_bounty(p_id uuid, p_amount integer) returns void
language plpgsql volatile security definer   -- moves mana
set search_path = ''
as $$
declare
  v_hold uuid := (select hold_id from app.problems where id = p_id);
begin
  if (p_amount between 1 and 1000000) is not true then
    perform private.raise_error('problem_bounty');
  end if;
  if v_hold is not null then
    update app.problems set bounty = bounty + p_amount where id = p_id;
    perform private.add_to_hold(v_hold, p_amount);
  else
    v_hold := gen_random_uuid();
    perform private.open_hold(v_hold, 'bounty', private.require_caller(), p_amount);
    update app.problems set bounty = p_amount, hold_id = v_hold where id = p_id;   -- already locked
  end if;
end $$;
comment on function private.raise_bounty is
  'Holds more of the caller''s mana, by this amount, for their problem, which must be new or locked.';

create function private.add_problem(p_id uuid, p_body text, p_depth integer, p_bounty integer) returns void
language plpgsql volatile security definer   -- callers may not write details
set search_path = ''
as $$
begin
  insert into app.problems (id, body, depth) values (p_id, p_body, coalesce(p_depth, 0));
  if p_bounty <> 0 then
    perform private.raise_bounty(p_id, p_bounty);
  end if;
end $$;
comment on function private.add_problem is 'Writes the detail of a new problem, and holds its bounty.';

create function api.list_problems(
  p_interest_id uuid default null, p_author_id text default null, p_q text default null, p_group_id text default null,
  p_guild_id text default null, p_status text default null, p_min_depth integer default null,
  p_has_bounty boolean default null, p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_found app.listing := private.search_contents(
    'problem', p_interest_id, p_author_id, p_q, p_group_id, p_guild_id, p_cursor,
    case when num_nonnulls(p_status, p_min_depth, p_has_bounty) > 0
         then jsonb_build_object('status', p_status, 'minDepth', p_min_depth, 'hasBounty', p_has_bounty) end);
begin
  return private.page(private.problem_cards(v_found.ids[:p_limit]), v_found.cursors, p_limit, v_found.next);
end $$;
comment on function api.list_problems is
  'Problems, newest first, filtered by status, minimum depth and bounty (private.search_contents).';

create function api.create_problem(
  p_title text, p_body text, p_depth integer default 0, p_bounty integer default null, p_interest_id uuid default null,
  p_group_id text default null, p_guild_id text default null
) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_kept json := private.begin_idempotent('create_problem', json_build_array(
    p_title, p_body, p_depth, p_bounty, p_interest_id, p_group_id, p_guild_id));
  v_body text;
  v_id   uuid;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  v_body := private.require_body(p_body);
  v_id := private.add_content('problem', p_interest_id, p_title, array[v_body], p_group_id, p_guild_id);
  perform private.add_problem(v_id, v_body, p_depth, p_bounty);
  return private.finish_idempotent('create_problem', private.problem_cards(array[v_id]) -> 0);
end $$;
comment on function api.create_problem is
  'Poses a problem, optionally with a bounty from the caller''s wallet. Takes an Idempotency-Key.';

create function api.get_problem(p_id uuid) returns json
language plpgsql stable
set search_path = ''
as $$ begin return private.require_problem_card(p_id); end $$;
comment on function api.get_problem is 'The card of a problem.';

create function private.change_problem(p_id uuid, p_changes jsonb) returns void
language plpgsql volatile security definer   -- callers may not change details
set search_path = ''
as $$
declare
  v_content app.contents := private.lock_own_content('problem', p_id);
  v_body    text;
begin
  perform private.require_open_problem(p_id);
  update app.problems
  set body = case when p_changes ? 'body' then private.require_body(p_changes ->> 'body') else body end,
      depth = case when p_changes ? 'depth' then coalesce((p_changes ->> 'depth')::integer, 0) else depth end
  where id = p_id returning body into v_body;
  perform private.edit_content(v_content, p_changes, array[v_body]);
end $$;
comment on function private.change_problem is 'Changes the caller''s own problem while it is open.';

create function api.update_problem(p_id uuid, p_changes jsonb) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.change_problem(p_id, p_changes);
  return private.require_problem_card(p_id);
end $$;
comment on function api.update_problem is 'Changes the caller''s own problem: {title?, body?, interestId?, depth?}.';

create function private.remove_problem(p_id uuid) returns void
language plpgsql volatile security definer   -- callers may not delete details
set search_path = ''
as $$
declare
  v_me   uuid := private.require_caller();
  v_hold uuid;
begin
  perform private.lock_own_content('problem', p_id, false);
  -- make two index lookups, which skip the caller's own solutions
  if exists (select from app.problem_solutions where problem_id = p_id and author_id < v_me and body <> '')
     or exists (select from app.problem_solutions where problem_id = p_id and author_id > v_me and body <> '') then
    perform private.raise_error('problem_answered');
  end if;
  select hold_id into v_hold from app.problems where id = p_id;
  perform private.delete_content('problem', p_id);
  if v_hold is not null then
    perform private.settle_hold(v_hold);   -- this must come last: ARCHITECTURE.md, Locks
  end if;
end $$;
comment on function private.remove_problem is
  'Deletes the caller''s own problem if nobody else has offered a solution, and gives its bounty back. Never: '
  'insufficient_mana, writes_exceeded (it is not an edit).';

create function api.delete_problem(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.remove_problem(p_id);
  return null;   -- null becomes a 204 response
end $$;
comment on function api.delete_problem is 'Deletes the caller''s problem permanently.';

create function private.add_bounty(p_id uuid, p_amount integer) returns void
language plpgsql volatile security definer   -- callers may not lock problems or move mana
set search_path = ''
as $$
begin
  perform private.count_writes('edits');
  -- A concurrent ban or erasure waits, and then gives back the mana that this call holds. After an earlier ban or
  -- erasure, this lock fails.
  perform private.share_lock_person(private.require_caller());
  -- look up the space only for the caller's own problem, so that others learn nothing about it
  perform private.write_in_space((select space_id from private.visible_contents
                                  where id = p_id and kind = 'problem' and author_id = private.require_caller()));
  perform private.require_shown(private.lock_own_content('problem', p_id, false));
  if not exists (select from private.visible_contents where id = p_id) then
    perform private.raise_error('problem_unknown');
  end if;
  perform private.require_open_problem(p_id);
  perform private.raise_bounty(p_id, p_amount);
end $$;
comment on function private.add_bounty is 'Adds to the bounty of the caller''s own problem.';

insert into private.operations_of_people (operation) values ('add_bounty');

create function api.add_bounty(p_id uuid, p_amount integer) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_kept json := private.begin_idempotent('add_bounty', json_build_array(p_id, p_amount));
begin
  if v_kept is not null then
    return v_kept;
  end if;
  perform private.add_bounty(p_id, p_amount);
  return private.finish_idempotent('add_bounty', private.require_problem_card(p_id));
end $$;
comment on function api.add_bounty is
  'Adds to the bounty of the caller''s own open problem from their wallet. Takes an Idempotency-Key.';

create function private.end_problem(p_id uuid) returns void
language plpgsql volatile security definer   -- moves mana
set search_path = ''
as $$
begin
  perform private.lock_own_content('problem', p_id, false);
  perform private.require_open_problem(p_id);
  update app.problems set closed_at = now() where id = p_id;
  perform private.release_bounty(p_id);
end $$;
comment on function private.end_problem is
  'Closes the caller''s own problem, even in a space that they left, and gives its bounty back. Never: '
  'writes_exceeded (it is not an edit).';

create function api.close_problem(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_kept json := private.begin_idempotent('close_problem', json_build_array(p_id));
  v_card json;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  perform private.end_problem(p_id);
  v_card := private.problem_cards(array[p_id]) -> 0;
  if v_card is null then   -- the caller has left the space of the problem: it has changed, but is not shown
    return private.error_response('problem_unknown');
  end if;
  return private.finish_idempotent('close_problem', v_card);
end $$;
comment on function api.close_problem is
  'Closes the caller''s own problem without a solution, and gives its bounty back. Takes an Idempotency-Key.';

create function private.take_solution(p_problem uuid, p_solution uuid) returns void
language plpgsql volatile security definer   -- moves mana
set search_path = ''
as $$
declare
  v_me     uuid := private.require_caller();
  v_solver uuid := (select author_id from app.problem_solutions where id = p_solution and problem_id = p_problem);
begin
  -- lock people before heads: ARCHITECTURE.md, Locks. A concurrent ban of the solution's author waits; after an
  -- earlier ban, the solution can't be accepted
  perform private.check_lock_order('person', v_me::text, v_solver::text);
  perform from app.users where id in (v_me, v_solver) order by id for share;
  perform private.share_lock_person(v_me);   -- fails for a caller who was banned meanwhile
  perform private.require_shown(private.lock_own_content('problem', p_problem, false));
  perform private.require_open_problem(p_problem);
  perform from private.visible_solutions
  where id = p_solution and problem_id = p_problem and required_level = 0;
  if not found then
    perform private.raise_error('solution_unknown');
  end if;
  update app.problem_solutions set accepted_at = now() where id = p_solution and required_level = 0;
  if not found then   -- the solution was hidden or deleted during the wait
    perform private.raise_error('solution_unknown');
  end if;
  update app.problems set solved_at = now(), accepted_solution_id = p_solution where id = p_problem;
  perform private.emit('problems.solution.accepted', json_build_object(
    'solutionId', p_solution, 'problemId', p_problem, 'authorId', v_solver), array[v_solver]);
  perform private.release_bounty(p_problem, case when v_solver <> v_me then v_solver end);
end $$;
comment on function private.take_solution is
  'Accepts a solution of the caller''s own problem, and pays its author the bounty. If the caller wrote the '
  'solution, the bounty goes back. Never: writes_exceeded (it is not an edit).';

create function api.accept_solution(p_id uuid, p_solution_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_kept json := private.begin_idempotent('accept_solution', json_build_array(p_id, p_solution_id));
  v_card json;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  perform private.take_solution(p_id, p_solution_id);
  v_card := private.problem_cards(array[p_id]) -> 0;
  if v_card is null then   -- the caller has left the space of the problem: it has changed, but is not shown
    return private.error_response('problem_unknown');
  end if;
  return private.finish_idempotent('accept_solution', v_card);
end $$;
comment on function api.accept_solution is
  'Accepts a solution of the caller''s own problem, which is then solved. Takes an Idempotency-Key.';

create function private.earn_reputation_from_solutions(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.earn_reputation(array(
    select (s.author_id, c.interest_id, 'reply.contribution', s.id, c.author_id, e.caused_at)::private.earning
    from unnest(p_effects) e
    join app.problem_solutions s on s.id = (e.payload ->> 'solutionId')::uuid and s.author_id = e.user_id
    join app.contents c on c.id = s.problem_id));
end $$;
comment on function private.earn_reputation_from_solutions is
  'Listener: an accepted solution of another person''s problem earns its author reply.contribution, in the '
  'problem''s interest.';
insert into private.event_listeners (event, listener, position, timing) values
  ('problems.solution.accepted', 'private.earn_reputation_from_solutions', 300, 'soon');
