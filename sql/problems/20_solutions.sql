-- Solutions of problems, and what people think of them.
-- docs/decisions.md, Problems.

create table app.problem_solutions (
  id             uuid primary key default private.timed_id(),
  problem_id     uuid not null references app.contents on delete cascade,
  author_id      uuid not null references app.users on delete restrict,
  body           text not null,
  score          integer not null default 0,
  accepted_at    timestamptz,
  edited_at      timestamptz,
  removed_at     timestamptz,
  deleted_at     timestamptz,
  author_silent  boolean not null default false,
  created_at     timestamptz not null default now(),
  rank           integer not null generated always as (
    score + case when accepted_at is not null then 1000000000 else 0 end) stored,
  required_level smallint not null generated always as (
    case when author_silent or deleted_at is not null then 4 when removed_at is not null then 3 else 0 end) stored,
  -- what is deleted or of the erased has lost its words
  constraint solution_body check (deleted_at is not null or author_silent or length(body) between 50 and 20000)
);
-- without those that nobody sees: readers then need not walk over thousands of solutions of the banned
create index problem_solutions_rank_idx on app.problem_solutions (problem_id, rank desc, id desc)
  where required_level <= 3;
create index problem_solutions_problem_id_idx on app.problem_solutions (problem_id, author_id, id);
create index problem_solutions_author_id_idx on app.problem_solutions (author_id, id);
create index problem_solutions_created_at_idx on app.problem_solutions (created_at desc, id desc)
  where deleted_at is null;
create unique index problem_solutions_accepted_key on app.problem_solutions (problem_id) where accepted_at is not null;
comment on table app.problem_solutions is 'Solutions. A deleted one keeps its row. Ids go by time.';
comment on column app.problem_solutions.score is 'The sum of the votes, whoever gave them. A trigger keeps it.';
comment on column app.problem_solutions.accepted_at is
  'When the author of the problem accepted it; null unless they did.';
comment on column app.problem_solutions.edited_at is 'When its words last changed; null if never.';
comment on column app.problem_solutions.removed_at is
  'When staff took it from all but its author; null unless it is removed.';
comment on column app.problem_solutions.deleted_at is 'When its author deleted it, for good; null unless they did.';
comment on column app.problem_solutions.author_silent is
  'Whether the author is banned or erased: private.silence_parts. Until then app.silenced_people hides it.';
comment on column app.problem_solutions.rank is 'The order of solutions: the accepted one, then by score.';
comment on column app.problem_solutions.required_level is
  'As app.contents.required_level; the problem''s own applies too.';

create table app.solution_votes (
  solution_id uuid not null references app.problem_solutions on delete cascade,
  user_id     uuid not null references app.users on delete cascade,
  value       smallint not null check (value in (-1, 1)),
  created_at  timestamptz not null default now(),
  primary key (solution_id, user_id)
);
create index solution_votes_user_id_idx on app.solution_votes (user_id, created_at desc);
comment on table app.solution_votes is 'What people think of solutions. Others see only the sum.';
comment on column app.solution_votes.value is '1 for a good one, -1 for a bad one.';

-- of the next 500 first the votes
insert into private.content_leftovers (relation, kind, position, whose) values
  ('app.solution_votes', 'problem', 1, 'solution_id = any (array(
     select s.id from app.problem_solutions s where s.problem_id = $1 order by s.author_id, s.id limit 500))'),
  ('app.problem_solutions', 'problem', 2, 'id = any (array(
     select s.id from app.problem_solutions s where s.problem_id = $1 order by s.author_id, s.id limit 500))
   and not exists (select from app.solution_votes v where v.solution_id = id)');
insert into private.errors (code, status, text) values
  ('solution_unknown', 404, 'There is no such solution.'),
  ('solution_not_yours', 403, 'Only its author can do this.'),
  ('solution_body', 422, 'A solution must have 50 to 20000 characters.'),
  ('solution_own', 400, 'You cannot vote on your own solution.'),
  ('solution_accepted', 409, 'An accepted solution cannot be deleted.');
insert into private.events (name, payload, happens) values
  ('problems.solution.accepted', '{solutionId,problemId,authorId}', 'the author of a problem accepts a solution');

insert into private.silenced_parts (relation, person, key, words) values
  ('app.problem_solutions', 'author_id', 'id', 'body');
insert into private.personal_data (relation, person_column, section, omits) values
  ('app.problem_solutions', 'author_id', 'problemSolutions', '{author_silent,required_level,rank}'),
  ('app.solution_votes', 'user_id', 'solutionVotes', '{}');

create trigger _100_check_author before insert on app.problem_solutions
  for each row execute function private.check_author();

create function private.count_solutions() returns trigger
language plpgsql security definer   -- only triggers write counts
set search_path = ''
as $$
declare
  v_there   uuid[] := array(select w.problem_id from written w where w.required_level = 0);
  v_were    uuid[];
  v_problem uuid;
  v_more    integer;
begin
  if tg_op = 'UPDATE' then
    v_were := array(select o.problem_id from overwritten o where o.required_level = 0);
  end if;
  for v_problem, v_more in
    select c.problem_id, sum(c.one)
    from (select unnest(v_there), 1 union all select unnest(v_were), -1) c (problem_id, one)
    group by c.problem_id having sum(c.one) <> 0
    order by c.problem_id
  loop
    update app.problems set solution_count = solution_count + v_more where id = v_problem;
  end loop;
  return null;
end $$;
comment on function private.count_solutions is
  'Trigger: counts the solutions that are there for everyone, as replies to posts are counted.';
create trigger _200_count_solutions after insert on app.problem_solutions
  referencing new table as written for each statement execute function private.count_solutions();
create trigger _200_count_changed after update on app.problem_solutions
  referencing old table as overwritten new table as written
  for each statement execute function private.count_solutions();

create function private.count_solution_votes() returns trigger
language plpgsql security definer   -- only triggers write scores
set search_path = ''
as $$
begin
  update app.problem_solutions s
  set score = s.score + case when tg_op <> 'DELETE' then new.value else 0 end
                      - case when tg_op <> 'INSERT' then old.value else 0 end
  where s.id = case when tg_op <> 'DELETE' then new.solution_id else old.solution_id end;
  return null;
end $$;
comment on function private.count_solution_votes is
  'Trigger: sums votes up, also those of people whom the viewer does not see, as hearts of posts are.';
create trigger _200_count_votes after insert or update or delete on app.solution_votes
  for each row execute function private.count_solution_votes();

create view private.visible_solutions with (security_invoker) as
select s.*
from app.problem_solutions s
-- as private.visible_contents
where coalesce((select m.level from app.audience m
                where m.viewer_id = (select app.uid()) and m.author_id = s.author_id), 0) >= s.required_level
  and (select true from app.silenced_people q where q.user_id = s.author_id) is null;
comment on view private.visible_solutions is
  'The solutions that the caller may see, of problems that they see, by the rule of the policy of '
  'app.problem_solutions. It is for definer functions, to which no policy applies.';

create view private.solution_details with (security_invoker) as
select s.id, s.problem_id as content_id, s.author_id, s.created_at, s.removed_at,
       json_build_object('problemId', s.problem_id, 'body', s.body, 'accepted', s.accepted_at is not null) as detail
from app.problem_solutions s where s.deleted_at is null;
comment on view private.solution_details is 'What staff sees of a solution: {problemId, body, accepted}.';
insert into private.content_parts (kind, plural, relation, details) values
  ('solution', 'solutions', 'app.problem_solutions', 'private.solution_details');

create function private.require_solution(p_id uuid) returns app.problem_solutions
language plpgsql stable   -- invoker: what row-level security hides is unknown
set search_path = ''
as $$
declare
  v_solution app.problem_solutions;
begin
  select * into v_solution from app.problem_solutions where id = p_id;
  if not found then
    perform private.fail('solution_unknown');
  end if;
  return v_solution;
end $$;
comment on function private.require_solution is
  'Answers a solution if the caller may see it and its problem. Fails: solution_unknown.';

create function private.require_reported_solution(p_target text) returns uuid
language plpgsql stable   -- invoker: what row-level security hides is unknown
set search_path = ''
as $$
begin
  if pg_input_is_valid(p_target, 'uuid') then
    return (private.require_solution(p_target::uuid)).id;
  end if;
  perform private.fail('solution_unknown');
  return null;
end $$;
comment on function private.require_reported_solution is
  'Answers the solution that a report names, if the caller may see it. Fails: solution_unknown.';
insert into private.report_targets (type, finder) values ('solution', 'private.require_reported_solution');

create function private.solution_cards(p_ids uuid[]) returns json
language plpgsql stable security definer   -- a problem is looked at once, by who asks for its solutions
set search_path = ''
set plan_cache_mode = force_generic_plan   -- planning such a view takes longer than running it
as $$
begin
  return (
    select json_agg(json_build_object(
             'id', s.id,
             'problemId', s.problem_id,
             'body', s.body,
             'authorId', author.actor_id,
             'author', author.card,
             'score', s.score,
             'accepted', s.accepted_at is not null,
             'viewer', json_build_object('vote', (select v.value from app.solution_votes v
                                                  where v.solution_id = s.id and v.user_id = (select app.uid()))),
             'removedAt', private.utc(s.removed_at),
             'createdAt', private.utc(s.created_at),
             'editedAt', private.utc(s.edited_at)) order by i.place)
    from unnest(p_ids) with ordinality as i (id, place)
    join private.visible_solutions s on s.id = i.id
    join app.person_card author on author.id = s.author_id);
end $$;
comment on function private.solution_cards is
  'These solutions of problems that the caller sees, in order, as far as they see them: {id, problemId, body, '
  'authorId, author, score, accepted, viewer: {vote}, removedAt, createdAt, editedAt}.';
call private.make_walk('private.solution_cards');

create function private.problem_cards(p_ids uuid[]) returns json
language plpgsql stable security definer   -- checks once whether a problem is visible, as private.video_cards
set search_path = ''
set plan_cache_mode = force_generic_plan   -- planning such a view takes longer than running it
as $$
begin
  return (
    select json_agg(
             private.merged(private.merged(h.head, d.detail), json_build_object(
               'acceptedSolutionId', (select s.id from app.problems p
                                      join private.visible_solutions s on s.id = p.accepted_solution_id
                                      where p.id = h.id)))
             order by i.place)
    from unnest(p_ids) with ordinality as i (id, place)
    join private.content_heads h on h.id = i.id
    join private.problem_details d on d.id = h.id);
end $$;
comment on function private.problem_cards is
  'The cards of these problems, in order, as far as the caller sees them: the head, the detail, {acceptedSolutionId}.';
call private.make_walk('private.problem_cards');

create function private.require_problem_card(p_id uuid) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_card json := private.problem_cards(array[p_id]) -> 0;
begin
  if v_card is null then
    perform private.fail('problem_unknown');
  end if;
  return v_card;
end $$;
comment on function private.require_problem_card is 'Answers the card of a problem that the caller may see. Fails: '
  'problem_unknown.';

create function private.find_solutions(p_problem uuid, p_from app.rank_place) returns app.found
language plpgsql stable security definer   -- under the policy it would pass over hidden solutions without end
set search_path = ''
as $$
declare
  v_rank   integer := p_from.rank;   -- plain variables: an expression makes no index condition
  v_before uuid := p_from.id;
  v_found  app.found;
begin
  with looked as materialized (
    select rank, id from app.problem_solutions
    where problem_id = p_problem and required_level <= 3 and (rank, id) < (v_rank, v_before)
    order by rank desc, id desc limit 400
  ), seen as materialized (
    select array(
      select l.id from looked l
      cross join lateral (select * from private.visible_solutions v where v.id = l.id offset 0) s
      order by l.rank desc, l.id desc limit 51) as ids
  )
  select s.ids, case when cardinality(s.ids) < 51
                     then (select private.rank_cursor(l.rank, l.id)
                           from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $$;
comment on function private.find_solutions is
  'The next solutions that the caller may see of a problem that they see, among the next 400.';
call private.make_walk('private.find_solutions');

create function private.solution_cursors(p_ids uuid[]) returns text[]
language plpgsql stable security definer   -- reads the rank of what was found
set search_path = ''
as $$
begin
  return array(select private.rank_cursor(s.rank, s.id)::text
               from unnest(p_ids) with ordinality as i (id, place)
               join app.problem_solutions s on s.id = i.id order by i.place);
end $$;
comment on function private.solution_cursors is 'The places of these solutions in private.find_solutions.';

create function api.list_solutions(p_id uuid, p_limit integer default 20, p_cursor text default null) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_cursor  uuid := private.require_cursor(p_cursor);
  v_problem uuid := (private.require_content('problem', p_id)).id;
  v_from    app.rank_place := (2147483647, 'ffffffff-ffff-ffff-ffff-ffffffffffff')::app.rank_place;
  v_found   app.found;
begin
  if v_cursor is not null then
    v_from := private.cursor_rank(v_cursor);
    if v_from.id is null then
      perform private.fail('cursor_unknown');
    end if;
  end if;
  v_found := private.find_solutions(v_problem, v_from);
  return private.page(private.solution_cards(v_found.ids[:p_limit]), private.solution_cursors(v_found.ids), p_limit,
                      v_found.next);
end $$;
comment on function api.list_solutions is
  'The solutions of a problem: the accepted one, then by score, the newest among equals. Fails: problem_unknown, '
  'cursor_unknown, limit_out_of_range.';

create function private.add_solution(p_problem uuid, p_body text) returns uuid
language plpgsql volatile security definer   -- nobody may write a solution
set search_path = ''
as $$
declare
  v_id uuid;
begin
  perform private.require_open_problem(p_problem);
  insert into app.problem_solutions (problem_id, author_id, body)
  values (p_problem, private.require_caller(), coalesce(private.require_text(p_body), '')) returning id into v_id;
  return v_id;
end $$;
comment on function private.add_solution is
  'Writes a solution of the caller. Fails: problem_solved, problem_closed, text_unfit, solution_body.';

create function api.create_solution(p_id uuid, p_body text) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_id uuid;
begin
  perform private.count_writes('replies');
  perform private.enter_content('problem', p_id);
  v_id := private.add_solution(p_id, p_body);
  perform private.require_content('problem', p_id);   -- a block may have come meanwhile
  return private.solution_cards(array[v_id]) -> 0;
end $$;
comment on function api.create_solution is
  'Offers a solution. Fails: writes_exceeded, problem_unknown (also of a removed one), private.enter_content, '
  'private.add_solution.';

create function private.enter_own_solution(p_id uuid) returns app.problem_solutions
language plpgsql volatile security definer   -- also of a problem that its author does not see any more
set search_path = ''
as $$
declare
  v_solution app.problem_solutions;
begin
  -- heads before solutions: ARCHITECTURE.md, Locks
  perform private.share_content((select problem_id from app.problem_solutions
                                 where id = p_id and author_id = private.require_caller()));
  select * into v_solution from app.problem_solutions
  where id = p_id and author_id = private.require_caller() and deleted_at is null for no key update;
  return v_solution;
end $$;
comment on function private.enter_own_solution is
  'The caller''s own solution, locked with its problem until the transaction ends; null when there is none.';

create function private.change_solution(p_id uuid, p_body text) returns void
language plpgsql volatile security definer   -- nobody may change a solution
set search_path = ''
as $$
declare
  v_solution app.problem_solutions := private.enter_own_solution(p_id);
begin
  if v_solution.id is null then
    perform private.fail('solution_not_yours');
  end if;
  perform private.require_open_problem(v_solution.problem_id);
  update app.problem_solutions set body = coalesce(private.require_text(p_body), ''), edited_at = now()
  where id = p_id;
end $$;
comment on function private.change_solution is
  'Changes the caller''s own solution of an open problem. Fails: solution_not_yours, problem_unknown, problem_solved, '
  'problem_closed, text_unfit, solution_body.';

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
comment on function api.update_solution is
  'Changes the caller''s own solution while the problem is open. Fails: writes_exceeded, solution_unknown, '
  'private.change_solution.';

create function private.remove_solution(p_id uuid) returns boolean
language plpgsql volatile security definer   -- nobody may change a solution
set search_path = ''
as $$
declare
  v_solution app.problem_solutions := private.enter_own_solution(p_id);
begin
  if v_solution.id is null then
    return false;
  elsif v_solution.accepted_at is not null then
    perform private.fail('solution_accepted');
  end if;
  update app.problem_solutions set deleted_at = now(), body = '' where id = p_id;
  return true;
end $$;
comment on function private.remove_solution is
  'Deletes the caller''s own solution; false when there is none. Fails: solution_accepted.';

create function api.delete_solution(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  if not private.remove_solution(p_id) then
    perform private.require_solution(p_id);
    perform private.fail('solution_not_yours');
  end if;
  return null;   -- answered as 204
end $$;
comment on function api.delete_solution is
  'Deletes the caller''s solution for everyone, also of a problem that is over or not seen any more. Fails: '
  'solution_accepted, solution_unknown, solution_not_yours.';

create function private.place_solution_vote(p_solution uuid, p_problem uuid, p_value integer) returns void
language plpgsql volatile security definer   -- nobody may write a vote
set search_path = ''
as $$
begin
  perform private.require_open_problem(p_problem);
  insert into app.solution_votes as v (solution_id, user_id, value)
  select s.id, private.require_caller(), p_value from private.visible_solutions s
  where s.id = p_solution and s.required_level = 0
  on conflict (solution_id, user_id) do update set value = excluded.value where v.value <> excluded.value;
end $$;
comment on function private.place_solution_vote is
  'What the caller thinks of a solution that they see. Fails: problem_solved, problem_closed.';

create function api.vote_solution(p_id uuid, p_value integer) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_solution app.problem_solutions := private.require_solution(p_id);
begin
  perform private.count_writes('likes');
  perform private.enter_content('problem', v_solution.problem_id);
  v_solution := private.require_solution(p_id);
  if v_solution.author_id = private.require_caller() then
    perform private.fail('solution_own');
  end if;
  perform private.place_solution_vote(p_id, v_solution.problem_id, p_value);
  perform private.require_solution(p_id);
  return private.solution_cards(array[p_id]) -> 0;
end $$;
comment on function api.vote_solution is
  'Votes a solution of an open problem up or down. Answers it. Fails: solution_unknown, writes_exceeded, '
  'problem_unknown, private.enter_content, solution_own, problem_solved, problem_closed.';

create function private.remove_solution_vote(p_solution uuid, p_seen boolean) returns void
language plpgsql volatile security definer   -- nobody may delete a vote
set search_path = ''
as $$
declare
  v_problem uuid := (select problem_id from app.problem_solutions where id = p_solution);
begin
  perform private.share_content(v_problem);
  if p_seen then
    perform private.require_open_problem(v_problem);
  end if;
  delete from app.solution_votes v
  where v.solution_id = p_solution and v.user_id = private.require_caller()
    and exists (select from app.problems p where p.id = v_problem and p.solved_at is null and p.closed_at is null);
end $$;
comment on function private.remove_solution_vote is
  'Takes the caller''s vote of an open problem back, also where they do not see the solution any more (and hear '
  'nothing of it). Fails: problem_solved, problem_closed.';

create function api.unvote_solution(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_seen boolean := exists (select from app.problem_solutions where id = p_id);
begin
  perform private.remove_solution_vote(p_id, v_seen);
  if not v_seen then
    return private.refusal('solution_unknown');   -- it is taken back, and nothing of the solution is shown
  end if;
  return null;   -- answered as 204
end $$;
comment on function api.unvote_solution is
  'Takes the caller''s vote back; repeating it changes nothing. It also works on a solution that they no longer see, '
  'which is answered as unknown all the same. Fails: solution_unknown, problem_unknown, problem_solved, '
  'problem_closed.';
