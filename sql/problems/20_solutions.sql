-- Solutions of problems, who sees them, and the cards of problems, which name the accepted solution.
-- docs/decisions.md, Problems.

create table app.problem_solutions (
  id             uuid primary key default private.timed_id(),
  problem_id     uuid not null references app.contents on delete cascade,
  author_id      uuid not null references app.users on delete restrict,
  body           text not null,
  score          integer not null default 0,
  words          tsvector not null default '',
  accepted_at    timestamptz,
  edited_at      timestamptz,
  removed_at     timestamptz,
  deleted_at     timestamptz,
  author_hidden  boolean not null default false,
  created_at     timestamptz not null default now(),
  rank           integer not null generated always as (
    score + case when accepted_at is not null then 1000000000 else 0 end) stored,
  required_level smallint not null generated always as (
    case when author_hidden or deleted_at is not null then 4 when removed_at is not null then 3 else 0 end) stored,
  -- deleted solutions and those of erased people have no words
  constraint solution_body check (deleted_at is not null or author_hidden
    or (length(private.trimmed(body)) >= 50 and length(body) <= 20000))
);
-- this index has what everybody sees, so that readers don't scan hundreds of solutions that were removed or are by
-- banned people
create index problem_solutions_rank_idx on app.problem_solutions (problem_id, rank desc, id desc)
  where required_level = 0;
create index problem_solutions_own_idx on app.problem_solutions (problem_id, author_id, rank desc, id desc)
  where required_level = 3;
create index problem_solutions_problem_id_idx on app.problem_solutions (problem_id, author_id, id);
create index problem_solutions_author_id_idx on app.problem_solutions (author_id, id);
create index problem_solutions_created_at_idx on app.problem_solutions (created_at desc, id desc)
  where deleted_at is null;
create unique index problem_solutions_accepted_key on app.problem_solutions (problem_id) where accepted_at is not null;
comment on table app.problem_solutions is 'Solutions. A deleted solution keeps its row. Ids follow the order of time.';
comment on column app.problem_solutions.words is
  'The words of the body, for the search by staff. A trigger maintains them.';
comment on column app.problem_solutions.score is
  'The sum of the votes, including those of people whom the viewer cannot see. A trigger maintains it.';
comment on column app.problem_solutions.accepted_at is
  'When the author of the problem accepted the solution; null otherwise.';
comment on column app.problem_solutions.edited_at is 'When the words of the solution last changed; null if never.';
comment on column app.problem_solutions.removed_at is
  'When staff hid the solution from everybody but its author; null otherwise.';
comment on column app.problem_solutions.deleted_at is
  'When its author deleted the solution, which is final; null otherwise.';
comment on column app.problem_solutions.author_hidden is
  'Whether the author is banned or erased, as set by private.hide_children. Until then app.hidden_people hides the '
  'solution.';
comment on column app.problem_solutions.rank is 'The order of solutions: the accepted one first, then by score.';
comment on column app.problem_solutions.required_level is
  'The same as app.contents.required_level. The required level of the problem applies, too.';

create table app.solution_votes (
  solution_id uuid not null references app.problem_solutions on delete cascade,
  user_id     uuid not null references app.users on delete cascade,
  value       smallint not null check (value in (-1, 1)),
  created_at  timestamptz not null default now(),
  primary key (solution_id, user_id)
);
create index solution_votes_user_id_idx on app.solution_votes (user_id, created_at desc);
comment on table app.solution_votes is 'People''s votes on solutions. Others see only the sum.';
call private.make_nulls_raise_codes('app.solution_votes');
comment on column app.solution_votes.value is '1 for a good solution, -1 for a bad one.';

-- delete the votes on the next 500 solutions before these solutions
insert into private.content_cascades (relation, kind, position, whose) values
  ('app.solution_votes', 'problem', 1, 'solution_id = any (array(
     select s.id from app.problem_solutions s where s.problem_id = $1 order by s.author_id, s.id limit 500))'),
  ('app.problem_solutions', 'problem', 2, 'id = any (array(
     select s.id from app.problem_solutions s where s.problem_id = $1 order by s.author_id, s.id limit 500))
   and not exists (select from app.solution_votes v where v.solution_id = id)');
insert into private.errors (code, status, text) values
  ('solution_unknown', 404, 'There is no such solution.'),
  ('solution_not_yours', 403, 'Only the author can do this.'),
  ('solution_body', 422, 'A solution must have 50 to 20000 characters.'),
  ('solution_own', 400, 'You cannot vote on your own solution.'),
  ('solution_accepted', 409, 'An accepted solution cannot be deleted.');
insert into private.event_types (name, payload, happens) values
  ('problems.solution.accepted', '{solutionId,problemId,authorId}', 'the author of a problem accepts a solution');
insert into private.outbound_events (event, subject_type, subject_field, fields, people) values
  ('problems.solution.accepted', 'problem', 'problemId', '{problemId,solutionId}', '{authorId}');

insert into private.content_child_tables (relation, person, key, words) values
  ('app.problem_solutions', 'author_id', 'id', 'body');
insert into private.personal_data (relation, person_column, section, omits) values
  ('app.problem_solutions', 'author_id', 'problemSolutions', '{author_hidden,required_level,rank,words}'),
  ('app.solution_votes', 'user_id', 'solutionVotes', '{}');

create trigger _100_check_author before insert on app.problem_solutions
  for each row execute function private.check_author();
create trigger _120_prepare_child before insert or update of body on app.problem_solutions
  for each row execute function private.prepare_child();

create trigger _200_count_solutions after insert on app.problem_solutions
  referencing new table as written for each statement execute function private.count_children(
    'problem_id', 'app.problems', 'solution_count', 'required_level = 0');
create trigger _200_count_changed after update on app.problem_solutions
  referencing old table as overwritten new table as written for each statement execute function private.count_children(
    'problem_id', 'app.problems', 'solution_count', 'required_level = 0');

create trigger _200_count_votes after insert or update or delete on app.solution_votes
  for each row execute function private.sum_votes('solution_id', 'app.problem_solutions', 'score');

create view private.visible_solutions with (security_invoker) as
select s.*
from app.problem_solutions s
cross join lateral private.visibility(s.author_id, s.required_level) v
where v.is_visible;
comment on view private.visible_solutions is
  'The solutions that the caller may see, of problems that they see. The view is for definer functions, to which '
  'policies do not apply.';

create view private.solution_details with (security_invoker) as
select s.id, s.problem_id as content_id, s.author_id, s.created_at, s.removed_at, s.words,
       json_build_object('problemId', s.problem_id, 'body', s.body, 'accepted', s.accepted_at is not null) as detail
from app.problem_solutions s where s.deleted_at is null;
comment on view private.solution_details is 'The details of a solution that staff see: {problemId, body, accepted}.';
insert into private.content_child_kinds (kind, plural, relation, details) values
  ('solution', 'solutions', 'app.problem_solutions', 'private.solution_details');

create function private.require_solution(p_id uuid) returns app.problem_solutions
language plpgsql stable   -- runs as the invoker: rows that policies hide count as unknown
set search_path = ''
as $$
declare
  v_solution app.problem_solutions;
begin
  select * into v_solution from app.problem_solutions where id = p_id;
  if not found then
    perform private.raise_error('solution_unknown');
  end if;
  return v_solution;
end $$;
comment on function private.require_solution is 'Returns a solution if the caller may see it and its problem.';

create function private.require_reported_solution(p_type text, p_target text) returns uuid
language plpgsql stable   -- runs as the invoker: rows that policies hide count as unknown
set search_path = ''
as $$ begin return (private.require_solution(private.require_uuid(p_target, 'solution_unknown'))).id; end $$;
comment on function private.require_reported_solution is
  'Returns the solution that a report names, if the caller may see it.';
insert into private.report_targets (type, finder, author, place) values
  ('solution', 'private.require_reported_solution', 'select author_id from app.problem_solutions where id = $1',
   'select c.space_id, null::text, s.body, s.removed_at is not null
    from app.problem_solutions s join app.contents c on c.id = s.problem_id where s.id = $1');
insert into private.notification_targets (type, words) values
  ('solution', 'select id, null::text, body from app.problem_solutions where id = any ($1)');

create function private.solution_cards(p_ids uuid[]) returns json
language plpgsql stable security definer   -- its callers check only once who sees the problem
set search_path = ''
set plan_cache_mode = force_generic_plan   -- planning a card view takes longer than running it
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
  'The cards of the given solutions that the caller sees, in order: {id, problemId, body, authorId, author, score, '
  'accepted, viewer: {vote}, removedAt, createdAt, editedAt}. Calling functions check whether the caller sees the '
  'problem.';
call private.force_index_scans('private.solution_cards');

create function private.problem_cards(p_ids uuid[]) returns json
language plpgsql stable security definer   -- checks the visibility of each problem only once, like private.video_cards
set search_path = ''
set plan_cache_mode = force_generic_plan   -- planning a card view takes longer than running it
as $$
begin
  return (
    select json_agg(
             private.merge_objects(private.merge_objects(h.head, d.detail), json_build_object(
               'acceptedSolutionId', (select s.id from app.problems p
                                      join private.visible_solutions s on s.id = p.accepted_solution_id
                                      where p.id = h.id)))
             order by i.place)
    from unnest(p_ids) with ordinality as i (id, place)
    join private.content_heads h on h.id = i.id
    join private.problem_details d on d.id = h.id);
end $$;
comment on function private.problem_cards is
  'The cards of the given problems that the caller sees, in order: the head, the detail, {acceptedSolutionId}.';
call private.force_index_scans('private.problem_cards');

create function private.require_problem_card(p_id uuid) returns json
language plpgsql stable
set search_path = ''
as $$ begin return private.require_card('problem_unknown', private.problem_cards(array[p_id]) -> 0); end $$;
comment on function private.require_problem_card is 'Returns the card of a problem that the caller may see.';

insert into private.links (type, path) values ('solution', '/solutions/{id}');
