-- Problems: what somebody cannot solve alone, perhaps with a bounty, which is held from their wallet until they accept
-- a solution. The head: sql/content; holds: sql/economy/37_holds.sql.
-- docs/decisions.md, Contents; Problems.

create table app.problems (
  id                   uuid primary key references app.contents on delete cascade,
  body                 app.markdown not null,
  depth                smallint not null default 0 check (depth between 0 and 5),
  bounty               integer not null default 0 check (bounty >= 0),
  hold_id              uuid references app.mana_holds on delete restrict,
  accepted_solution_id uuid,
  solved_at            timestamptz,
  closed_at            timestamptz,
  solution_count       integer not null default 0 check (solution_count >= 0),
  check ((solved_at is null) = (accepted_solution_id is null)),
  check (solved_at is null or closed_at is null)
);
create unique index problems_hold_id_key on app.problems (hold_id) where hold_id is not null;
comment on table app.problems is 'What a problem has beside its head in app.contents.';
comment on column app.problems.bounty is
  'Mana for who solves it: held while it is open, paid once it is solved; 0 when it went back.';
comment on column app.problems.hold_id is
  'The hold where the bounty is; null without any. Who holds the head alone changes it.';
comment on column app.problems.solved_at is 'When its author accepted a solution; null unless they did.';
comment on column app.problems.closed_at is 'When its author closed it without one; null unless they did.';
comment on column app.problems.solution_count is 'How many solutions are there for everyone. A trigger keeps it.';

insert into private.errors (code, status, text) values
  ('problem_unknown', 404, 'There is no such problem.'),
  ('problem_solved', 409, 'This problem is solved.'),
  ('problem_closed', 409, 'This problem is closed.'),
  ('problem_answered', 409, 'Others have offered solutions, so this problem cannot be deleted. Close it instead.'),
  ('problem_bounty', 422, 'A bounty must be a whole number from 1 to 1000000.');

create view private.problem_details with (security_invoker) as
select p.id,
       json_build_object(
         'body', p.body,
         'depth', p.depth,
         'bounty', p.bounty,
         'status', case when p.solved_at is not null then 'solved' when p.closed_at is not null then 'closed'
                        else 'open' end,
         'solvedAt', private.utc(p.solved_at),
         'closedAt', private.utc(p.closed_at),
         'solutionCount', p.solution_count) as detail
from app.problems p;
comment on view private.problem_details is
  'What the card of a problem has of its own kind: {body, depth, bounty, status, solvedAt, closedAt, solutionCount}.';

create function private.erase_problems(p_ids uuid[]) returns void
language plpgsql volatile security definer   -- an erasure changes rows that nobody may change
set search_path = ''
as $$
begin
  -- heads before details: ARCHITECTURE.md, Locks. A hold knows whose it is, and goes back all the same
  perform from app.contents where id = any (p_ids) and kind = 'problem' order by id for no key update;
  -- sorted, as private.count_parts locks them
  perform from app.problems where id = any (p_ids) order by id for update;
  delete from app.problems where id = any (p_ids);
end $$;
comment on function private.erase_problems is 'Deletes what these problems say; their author is erased.';

create function private.matches_problem_filter(p_id uuid, p_filters jsonb) returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  return exists (
    select from app.problems p
    where p.id = p_id
      and coalesce(p_filters ->> 'status', '') in ('', case when p.solved_at is not null then 'solved'
                                                            when p.closed_at is not null then 'closed'
                                                            else 'open' end)
      and p.depth >= coalesce((p_filters ->> 'minDepth')::integer, 0)
      and (p.bounty > 0) = coalesce((p_filters ->> 'hasBounty')::boolean, p.bounty > 0));
end $$;
comment on function private.matches_problem_filter is
  'Whether a problem is wanted by {status, minDepth, hasBounty}, as far as each is asked for.';

insert into private.content_kinds (kind, plural, relation, details, eraser, filter) values
  ('problem', 'problems', 'app.problems', 'private.problem_details', 'private.erase_problems',
   'private.matches_problem_filter');
insert into private.personal_data (relation, person_column, section, within) values
  ('app.problems', 'id', 'problems', '{contents}');

insert into private.report_targets (type, finder) values ('problem', 'private.require_reported_content');

create function private.require_open_problem(p_id uuid) returns app.problems
language plpgsql stable security definer   -- also for who left its space
set search_path = ''
as $$
declare
  v_problem app.problems;
begin
  select * into v_problem from app.problems where id = p_id;
  if not found then   -- its author was erased meanwhile
    perform private.raise_error('problem_unknown');
  elsif v_problem.solved_at is not null then
    perform private.raise_error('problem_solved');
  elsif v_problem.closed_at is not null then
    perform private.raise_error('problem_closed');
  end if;
  return v_problem;
end $$;
comment on function private.require_open_problem is 'A problem that is neither solved nor closed.';

create function private.release_bounty(p_id uuid, p_solver uuid default null) returns void
language plpgsql volatile security definer   -- moves mana
set search_path = ''
as $$
declare
  v_problem app.problems;
begin
  select * into v_problem from app.problems where id = p_id and hold_id is not null;
  if not found then
    return;
  end if;
  update app.problems set hold_id = null, bounty = case when p_solver is null then 0 else bounty end where id = p_id;
  if p_solver is null then
    perform private.settle_hold(v_problem.hold_id);
  else
    perform private.settle_hold(v_problem.hold_id, array[p_solver], array[v_problem.bounty]);
  end if;
end $$;
comment on function private.release_bounty is
  'What is held for a problem goes to who solved it, or back. The head is locked, so it happens once; the last step '
  'of what causes it (ARCHITECTURE.md, Locks). Never: insufficient_mana (the hold has it).';

create function private.release_removed() returns trigger
language plpgsql security definer   -- moves mana
set search_path = ''
as $$
begin
  perform private.release_bounty(new.id);
  return null;
end $$;
comment on function private.release_removed is 'Trigger: what is held for a problem that staff removes goes back.';
create trigger _300_release_removed after update of removed_at on app.contents
  for each row when (new.kind = 'problem' and old.removed_at is null and new.removed_at is not null)
  execute function private.release_removed();

create function private.release_bounties(p_job jsonb, p_after uuid default null) returns json
language plpgsql volatile security definer   -- the worker may touch no table of ours
set search_path = ''
as $$
declare
  v_user uuid := (p_job ->> 'userId')::uuid;
  v_ids  uuid[];
  v_id   uuid;
begin
  perform from app.users where id = v_user and (banned_at is not null or erased_at is not null) for share;
  if not found then
    return json_build_object('changed', 0, 'next', null);
  end if;
  v_ids := array(select id from app.mana_holds
                 where holder_id = v_user and purpose = 'bounty' and settled_at is null
                   and id > coalesce(p_after, '00000000-0000-0000-0000-000000000000')
                 order by id limit 100);
  -- heads, then details, then wallets. The problems of the erased are gone, and nobody else settles those holds
  perform from app.contents
  where id in (select p.id from app.problems p where p.hold_id = any (v_ids)) order by id for no key update;
  perform from app.problems where hold_id = any (v_ids) order by id for no key update;
  update app.problems set hold_id = null, bounty = 0 where hold_id = any (v_ids);
  perform private.lock_wallets(v_ids || v_user);
  foreach v_id in array v_ids loop
    if exists (select from app.mana_holds where id = v_id and settled_at is null) then
      perform private.settle_hold(v_id);
    end if;
  end loop;
  return json_build_object('changed', cardinality(v_ids), 'next', v_ids[100]);
end $$;
comment on function private.release_bounties is
  'For the worker alone: what is held for the next 100 problems of a person {userId} who is banned or erased goes '
  'back. Answers {changed, next}; next is null at the end.';
call private.make_batch_queue('released-bounties', 'private.release_bounties');

create function private.release_bounties_later(p_user app.users) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  -- soon, and not here: wallets come last, and a ban has more to lock
  if exists (select from app.mana_holds where holder_id = p_user.id and purpose = 'bounty' and settled_at is null) then
    perform private.enqueue('released-bounties', json_build_object('userId', p_user.id));
  end if;
end $$;
comment on function private.release_bounties_later is
  'Step: what is held for the problems of who is banned or erased goes back, soon after.';
insert into private.account_steps (step, events, position) values
  ('private.release_bounties_later', '{ban,erasure}', 171);
