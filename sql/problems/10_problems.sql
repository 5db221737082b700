-- Problems that their author cannot solve alone, optionally with a bounty. The bounty is taken from the author's
-- wallet and held until the author accepts a solution. The columns that all kinds have are in app.contents, and holds
-- are in sql/economy/37_holds.sql. docs/decisions.md, Contents; Problems.

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
comment on table app.problems is 'The columns of a problem that its head in app.contents does not have.';
comment on column app.problems.bounty is
  'Mana for the person who solves the problem: held while the problem is open, paid once it is solved; 0 if the mana '
  'was given back.';
comment on column app.problems.hold_id is
  'The hold of the bounty; null without one. It changes only under the lock of the head.';
comment on column app.problems.solved_at is 'When the author accepted a solution; null otherwise.';
comment on column app.problems.closed_at is 'When the author closed the problem without a solution; null otherwise.';
comment on column app.problems.solution_count is
  'The number of solutions that everyone can see. A trigger maintains it.';

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
  'The part of a problem''s card that other contents do not have: {body, depth, bounty, status, solvedAt, closedAt, '
  'solutionCount}.';

create function private.erase_problems(p_ids uuid[]) returns void
language plpgsql volatile security definer   -- an erasure changes rows that callers may not change
set search_path = ''
as $$
begin
  -- lock heads before details: ARCHITECTURE.md, Locks. A hold stores its holder, so the worker can still give the mana
  -- back
  perform from app.contents where id = any (p_ids) and kind = 'problem' order by id for no key update;
  -- sort the ids, because private.count_children also locks these rows
  perform from app.problems where id = any (p_ids) order by id for update;
  delete from app.problems where id = any (p_ids);
end $$;
comment on function private.erase_problems is 'Deletes the details of these problems when their author is erased.';

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
  'Returns whether a problem matches {status, minDepth, hasBounty}; missing filters match every problem.';

insert into private.content_kinds (kind, plural, relation, details, eraser, filter) values
  ('problem', 'problems', 'app.problems', 'private.problem_details', 'private.erase_problems',
   'private.matches_problem_filter');
insert into private.personal_data (relation, person_column, section, within) values
  ('app.problems', 'id', 'problems', '{contents}');

insert into private.report_targets (type, finder, author, place) values
  ('problem', 'private.require_reported_content', 'select author_id from app.contents where id = $1',
   'select c.space_id, c.title, d.body, c.removed_at is not null from app.contents c join app.problems d on d.id = c.id
    where c.id = $1');
insert into private.notification_targets (type, words) values
  ('problem', 'select c.id, c.title, d.body from app.contents c join app.problems d on d.id = c.id
             where c.id = any ($1)');

create function private.require_open_problem(p_id uuid) returns app.problems
language plpgsql stable security definer   -- works also for people who left the problem's space
set search_path = ''
as $$
declare
  v_problem app.problems;
begin
  select * into v_problem from app.problems where id = p_id;
  if not found then   -- the author was erased meanwhile
    perform private.raise_error('problem_unknown');
  elsif v_problem.solved_at is not null then
    perform private.raise_error('problem_solved');
  elsif v_problem.closed_at is not null then
    perform private.raise_error('problem_closed');
  end if;
  return v_problem;
end $$;
comment on function private.require_open_problem is 'Returns a problem, which must be neither solved nor closed.';

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
  'Pays the bounty of a problem to the person who solved it, or gives it back. The caller must lock the head first, '
  'so that this happens once. It must be the last step, because it locks wallets (ARCHITECTURE.md, Locks). Never: '
  'insufficient_mana (the hold has the mana).';

create function private.release_removed() returns trigger
language plpgsql security definer   -- moves mana
set search_path = ''
as $$
begin
  perform private.release_bounty(new.id);
  return null;
end $$;
comment on function private.release_removed is 'Trigger: gives the bounty back when staff remove a problem.';
create trigger _300_release_removed after update of removed_at on app.contents
  for each row when (new.kind = 'problem' and old.removed_at is null and new.removed_at is not null)
  execute function private.release_removed();

create function private.release_bounties(p_job jsonb, p_after uuid default null) returns json
language plpgsql volatile security definer   -- the worker has no access to Kith's tables
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
  -- lock heads, then details, then wallets. Problems of erased people are deleted, and nothing else settles their
  -- holds
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
  'For the worker alone: gives back the next 100 bounties of a person {userId} who is banned or erased. Returns '
  '{changed, next}; next is null at the end.';
call private.make_batch_queue('released-bounties', 'private.release_bounties');

create function private.release_bounties_later(p_user app.users) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  -- the worker gives the bounties back, because wallets are locked last, and a ban still locks other rows after this
  -- step
  if exists (select from app.mana_holds where holder_id = p_user.id and purpose = 'bounty' and settled_at is null) then
    perform private.enqueue('released-bounties', json_build_object('userId', p_user.id));
  end if;
end $$;
comment on function private.release_bounties_later is
  'Step: queues the refund of the bounties of a banned or erased person.';
insert into private.account_steps (step, events, position) values
  ('private.release_bounties_later', '{ban,erasure}', 171);

insert into private.links (type, path) values ('problem', '/problems/{id}');
