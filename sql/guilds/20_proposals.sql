-- The members of a guild decide proposals by votes, and the worker then executes them. Voting, joining, leaving,
-- archiving the guild and executing a proposal lock the row of the guild. A proposal is therefore decided once, by the
-- votes at that time. docs/decisions.md, Guilds.

create table private.proposal_kinds (
  kind       text primary key,
  person_key text,
  checker    text not null check (checker ~ '^private\.[a-z_]+$'),
  executor   text not null check (executor ~ '^private\.[a-z_]+$')
);
comment on table private.proposal_kinds is
  'Registry: the kinds of proposals. checker(space, person, payload) returns the payload to store, and '
  'executor(space, proposal) executes the proposal. Both may fail with a code.';
comment on column private.proposal_kinds.person_key is
  'The field of the payload that names a person; subject_id stores that person. Null if the payload names nobody.';

create table app.guild_proposals (
  id          uuid primary key default gen_random_uuid(),
  guild_id    uuid not null references app.guilds on delete cascade,
  proposer_id uuid not null references app.users on delete restrict,
  kind        text not null references private.proposal_kinds on delete restrict,
  title       text not null,
  body        text not null,
  subject_id  uuid references app.users on delete restrict,
  payload     jsonb not null,
  status      text not null default 'open' check (status in
                ('open', 'passed', 'failed', 'expired', 'withdrawn', 'force_closed', 'executed', 'execution_failed')),
  reason      text,
  yes         integer,
  no          integer,
  abstain     integer,
  eligible    integer,
  created_at  timestamptz not null default clock_timestamp(),
  closes_at   timestamptz not null,
  due_at      timestamptz,
  decided_at  timestamptz,
  executed_at timestamptz,
  constraint proposal_title check (length(title) <= 200),
  constraint proposal_body check (length(body) <= 20000),
  check ((status = 'open') = (decided_at is null)),
  check ((status = 'open') = (eligible is null))
);
create index guild_proposals_guild_id_idx on app.guild_proposals (guild_id, created_at desc, id desc);
create index guild_proposals_status_idx on app.guild_proposals (guild_id, status, created_at desc, id desc);
create index guild_proposals_proposer_id_idx on app.guild_proposals (proposer_id, id);
create index guild_proposals_subject_id_idx on app.guild_proposals (subject_id);
create index guild_proposals_kind_idx on app.guild_proposals (kind);
create index guild_proposals_due_at_idx on app.guild_proposals (due_at) where due_at is not null;
alter table app.guild_charters
  add constraint guild_charters_proposal_id_fkey foreign key (proposal_id) references app.guild_proposals
    on delete set null;
create index guild_charters_proposal_id_idx on app.guild_charters (proposal_id);
comment on table app.guild_proposals is 'Proposals of members to their guild, and their outcomes.';
comment on column app.guild_proposals.status is
  'open, then passed or failed by votes, expired without a quorum, withdrawn by its proposer, or force_closed by '
  'staff or when the guild is archived. A passed proposal then becomes executed or execution_failed.';
comment on column app.guild_proposals.reason is 'The code with which the execution failed; null otherwise.';
comment on column app.guild_proposals.created_at is
  'When the proposal opened, by the clock, under the lock of the guild. Members who joined before this time may vote.';
comment on column app.guild_proposals.due_at is
  'When the worker next closes the proposal, or executes it and notifies its proposer; null when nothing remains to '
  'do.';
comment on column app.guild_proposals.decided_at is 'When the proposal was decided; null while it is open.';
comment on column app.guild_proposals.executed_at is
  'When the proposal was executed, or its execution failed; null otherwise.';
comment on column app.guild_proposals.eligible is
  'The number of members who could vote when the proposal was decided; yes, no and abstain are the votes at that '
  'time. All are null while it is open.';
comment on column app.guild_proposals.closes_at is 'When voting ends, unless the proposal is decided earlier.';

create table app.guild_votes (
  proposal_id uuid not null references app.guild_proposals on delete cascade,
  user_id     uuid not null references app.users on delete cascade,
  value       text not null check (value in ('yes', 'no', 'abstain')),
  created_at  timestamptz not null default now(),
  primary key (proposal_id, user_id)
);
create index guild_votes_user_id_idx on app.guild_votes (user_id, proposal_id);
comment on column app.guild_votes.value is 'yes, no or abstain; an abstention counts only towards the quorum.';
comment on table app.guild_votes is
  'Votes on proposals. Members who leave a guild lose their votes on open proposals. The counts of decided '
  'proposals are stored in app.guild_proposals.';

insert into private.personal_data (relation, person_column, section, omits) values
  ('app.guild_proposals', 'proposer_id', 'guildProposals', '{due_at}'),
  ('app.guild_votes', 'user_id', 'guildVotes', '{}');
insert into private.personal_data (relation, person_column, reason) values
  ('app.guild_proposals', 'subject_id', 'The proposal belongs to somebody else.'),
  ('app.guild_charters', 'proposal_id', 'A charter belongs to the guild; its text is also in the proposal.');

insert into private.write_limits (kind, per_hour) values ('proposals', 60);

insert into private.errors (code, status, text) values
  ('proposal_unknown', 404, 'There is no such proposal.'),
  ('proposal_kind', 422, 'There is no such kind of proposal.'),
  ('proposal_title', 422, 'A title must have 1 to 200 characters.'),
  ('proposal_body', 422, 'body can have up to 20000 characters.'),
  ('proposal_payload', 422, 'The payload must have the fields that its kind of proposal needs.'),
  ('proposal_closes_at', 422, 'closesAt must be between 1 hour and 30 days from now.'),
  ('proposal_closed', 409, 'This proposal is no longer open.'),
  ('proposal_voted', 409, 'Somebody else has already voted, so this proposal cannot be withdrawn.'),
  ('proposal_not_yours', 403, 'Only the proposer can withdraw a proposal.'),
  ('proposal_ineligible', 403, 'You are not eligible to vote on this proposal.'),
  ('proposal_vote', 422, 'value must be yes, no or abstain.'),
  ('proposals_exhausted', 409, 'A guild can have at most 50 open proposals.');

-- the kinds of proposals that need no other feature

create function private.check_general_proposal(p_space app.spaces, p_subject uuid, p_payload jsonb) returns jsonb
language plpgsql stable
set search_path = ''
as $$ begin return '{}'; end $$;
comment on function private.check_general_proposal is 'Checks nothing, and returns the empty payload of a general '
  'proposal.';

create function private.execute_general_proposal(p_space app.spaces, p_proposal app.guild_proposals) returns void
language plpgsql volatile
set search_path = ''
as $$ begin null; end $$;
comment on function private.execute_general_proposal is
  'Does nothing: people carry out a general proposal themselves.';

create function private.check_charter_proposal(p_space app.spaces, p_subject uuid, p_payload jsonb) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_charter text;
begin
  if jsonb_typeof(p_payload -> 'charter') is distinct from 'string' then
    perform private.raise_error('proposal_payload');
  end if;
  v_charter := coalesce(private.require_markdown(p_payload ->> 'charter'), '');
  if length(v_charter) > 20000 then
    perform private.raise_error('guild_charter');
  end if;
  return jsonb_build_object('charter', v_charter);
end $$;
comment on function private.check_charter_proposal is 'Checks a proposal for a new charter: {charter}.';

create function private.execute_charter_proposal(p_space app.spaces, p_proposal app.guild_proposals) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  insert into app.guild_charters (guild_id, version, charter, proposal_id)
  select p_space.id, max(c.version) + 1, p_proposal.payload ->> 'charter', p_proposal.id
  from app.guild_charters c where c.guild_id = p_space.id;
end $$;
comment on function private.execute_charter_proposal is 'Gives the guild its next charter.';

create function private.require_lower(p_space uuid, p_user uuid) returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_role text := private.find_role(p_space, p_user);
begin
  if v_role is null then
    perform private.raise_error('space_member_unknown');
  elsif v_role = 'owner' then
    perform private.raise_error('last_owner');
  end if;
end $$;
comment on function private.require_lower is 'Passes if the person is a member and not the founder.';

create function private.check_steward_proposal(p_space app.spaces, p_subject uuid, p_payload jsonb) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  if jsonb_typeof(p_payload -> 'grant') is distinct from 'boolean' then
    perform private.raise_error('proposal_payload');
  end if;
  perform private.require_lower(p_space.id, p_subject);
  return jsonb_build_object('grant', p_payload -> 'grant');
end $$;
comment on function private.check_steward_proposal is
  'Checks a proposal to make a member a steward, or a steward an ordinary member: {userId, grant}.';

create function private.execute_steward_proposal(p_space app.spaces, p_proposal app.guild_proposals) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.require_lower(p_space.id, p_proposal.subject_id);
  perform private.set_space_role(
    p_space, p_proposal.subject_id,
    case when (p_proposal.payload ->> 'grant')::boolean then 'moderator' else 'member' end);
end $$;
comment on function private.execute_steward_proposal is
  'Makes a member a steward, or a steward an ordinary member, and notifies them.';

create function private.check_expel_proposal(p_space app.spaces, p_subject uuid, p_payload jsonb) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.require_lower(p_space.id, p_subject);
  return '{}';
end $$;
comment on function private.check_expel_proposal is 'Checks a proposal to expel a member: {userId}.';

create function private.execute_expel_proposal(p_space app.spaces, p_proposal app.guild_proposals) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.require_lower(p_space.id, p_proposal.subject_id);
  perform private.drop_member(p_space.id, p_proposal.subject_id);
  perform private.emit_membership_decision(p_space, 'removed', p_proposal.subject_id);
end $$;
comment on function private.execute_expel_proposal is 'Removes a member from the guild and notifies them.';

insert into private.proposal_kinds (kind, person_key, checker, executor) values
  ('general', null, 'private.check_general_proposal', 'private.execute_general_proposal'),
  ('charter', null, 'private.check_charter_proposal', 'private.execute_charter_proposal'),
  ('steward', 'userId', 'private.check_steward_proposal', 'private.execute_steward_proposal'),
  ('expel', 'userId', 'private.check_expel_proposal', 'private.execute_expel_proposal');

-- tallies and decisions

create type app.tally as (yes integer, no integer, abstain integer, eligible integer, quorum integer);
comment on type app.tally is
  'The votes on a proposal, the number of eligible members, and the number of votes that make a quorum.';

create view private.proposal_voters with (security_invoker) as
select p.id as proposal_id, m.user_id
from app.guild_proposals p
join app.space_members m on m.space_id = p.guild_id and m.created_at <= p.created_at and not m.hidden
                            and (p.kind <> 'expel' or m.user_id is distinct from p.subject_id);
comment on view private.proposal_voters is
  'Who may vote on an open proposal: members who joined before it opened, except hidden people and the person whom '
  'the proposal would expel. It is a view, because each vote counts all members, and there may be thousands.';

create function private.tally(p_proposal app.guild_proposals) returns app.tally
language plpgsql stable security definer   -- callers may not read votes
set search_path = ''
as $$
declare
  v_tally  app.tally;
  v_hidden uuid[];
begin
  if p_proposal.eligible is not null then
    v_tally := (p_proposal.yes, p_proposal.no, p_proposal.abstain, p_proposal.eligible, null)::app.tally;
  else
    v_hidden := array(select m.user_id from app.space_members m where m.space_id = p_proposal.guild_id and m.hidden);
    v_tally.eligible := (select count(*) from private.proposal_voters v where v.proposal_id = p_proposal.id);
    -- the votes of members who left are deleted, so only those of hidden members must be excluded. A join with the
    -- members would look up the vote of each member separately
    select count(*) filter (where v.value = 'yes'), count(*) filter (where v.value = 'no'),
           count(*) filter (where v.value = 'abstain')
    into v_tally.yes, v_tally.no, v_tally.abstain
    from app.guild_votes v
    where v.proposal_id = p_proposal.id and v.user_id <> all (v_hidden);
  end if;
  v_tally.quorum := (v_tally.eligible + 3) / 4;
  return v_tally;
end $$;
comment on function private.tally is
  'The votes on a proposal that count now or, if it is decided, that counted when it was decided. A quorum is a '
  'quarter of the eligible members, rounded up.';
call private.force_index_scans('private.tally');

create function private.decide_proposal(p_proposal app.guild_proposals, p_status text) returns void
language plpgsql volatile security definer   -- callers may not write proposals
set search_path = ''
as $$
declare
  v_tally app.tally := private.tally(p_proposal);
begin
  update app.guild_proposals set
    status = p_status, decided_at = clock_timestamp(), yes = v_tally.yes, no = v_tally.no, abstain = v_tally.abstain,
    eligible = v_tally.eligible, due_at = case when p_status <> 'withdrawn' then clock_timestamp() end
  where id = p_proposal.id;
end $$;
comment on function private.decide_proposal is
  'Decides an open proposal with the votes that count now. The calling function has locked its guild. The worker then '
  'executes it and notifies its proposer.';

create function private.pass_early(p_proposal app.guild_proposals, p_tally app.tally) returns boolean
language plpgsql volatile security definer   -- callers may not write proposals
set search_path = ''
as $$
begin
  if p_tally.yes * 2 > p_tally.eligible then
    perform private.decide_proposal(p_proposal, 'passed');
    return true;
  end if;
  return false;
end $$;
comment on function private.pass_early is
  'Passes an open proposal and returns true if, by this tally, more than half of the eligible members voted yes. '
  'Returns false otherwise.';

create function private.drop_votes() returns trigger
language plpgsql security definer   -- people may not delete votes
set search_path = ''
as $$
begin
  delete from app.guild_votes v using app.guild_proposals p
  where p.guild_id = old.space_id and p.status = 'open' and v.proposal_id = p.id and v.user_id = old.user_id;
  update app.guild_proposals set due_at = least(due_at, clock_timestamp())
  where guild_id = old.space_id and status = 'open';
  return null;
end $$;
comment on function private.drop_votes is
  'Trigger: when a member leaves a guild, deletes their votes on its open proposals, and makes the worker count '
  'these again.';
create trigger _200_drop_votes after delete on app.space_members
  for each row execute function private.drop_votes();

create function private.close_proposals() returns trigger
language plpgsql security definer   -- people may not write proposals
set search_path = ''
as $$
begin
  perform private.decide_proposal(p, 'force_closed')
  from app.guild_proposals p where p.guild_id = new.id and p.status = 'open';
  return null;
end $$;
comment on function private.close_proposals is 'Trigger: closes the open proposals of a guild that is archived.';
create trigger _200_close_proposals after update of archived_at on app.spaces
  for each row when (old.archived_at is null and new.archived_at is not null)
  execute function private.close_proposals();

create function private.settle_proposal(p_id uuid) returns void
language plpgsql volatile security definer   -- the worker has no access to Kith's tables
set search_path = ''
as $$
declare
  v_proposal app.guild_proposals;
  v_space    app.spaces;
  v_tally    app.tally;
  v_executor text;
  v_erased   boolean;
begin
  select * into v_proposal from app.guild_proposals where id = p_id;
  v_space := private.lock_space(v_proposal.guild_id, array[v_proposal.proposer_id, v_proposal.subject_id]);
  select * into v_proposal from app.guild_proposals where id = p_id and due_at <= clock_timestamp();
  if not found then
    return;   -- another worker has settled the proposal
  end if;
  if v_proposal.status = 'open' then
    v_tally := private.tally(v_proposal);
    if v_proposal.closes_at > clock_timestamp() then
      if not private.pass_early(v_proposal, v_tally) then
        update app.guild_proposals set due_at = closes_at where id = p_id;
        return;
      end if;
    else
      perform private.decide_proposal(v_proposal, case
        when v_tally.yes + v_tally.no + v_tally.abstain < greatest(v_tally.quorum, 1) then 'expired'
        when v_tally.yes > v_tally.no then 'passed'
        else 'failed' end);
    end if;
    select * into v_proposal from app.guild_proposals where id = p_id;
  end if;
  if v_proposal.status = 'passed' then
    begin
      perform private.require_open(v_space);
      select executor into v_executor from private.proposal_kinds where kind = v_proposal.kind;
      execute format('select %s($1, $2)', v_executor) using v_space, v_proposal;
      v_proposal.status := 'executed';
    exception when others then
      if sqlstate !~ '^PT' then
        raise;
      end if;
      v_proposal.status := 'execution_failed';
      v_proposal.reason := sqlerrm;
    end;
    v_proposal.executed_at := clock_timestamp();
  end if;
  v_erased := exists (select from app.users where id = v_proposal.proposer_id and erased_at is not null);
  update app.guild_proposals set
    status = v_proposal.status, reason = v_proposal.reason, executed_at = v_proposal.executed_at, due_at = null,
    payload = case when v_erased and v_proposal.status <> 'executed' then payload - 'charter' else payload end
  where id = p_id;
  if not v_erased then
    perform private.emit_membership_decision(v_space, 'proposal_decided', v_proposal.proposer_id, p_proposal => p_id);
  end if;
end $$;
comment on function private.settle_proposal is
  'Takes the due step of a proposal: closes it by the votes that count, executes it if it passed, and notifies its '
  'proposer. All this is one transaction, so each step happens once. If the execution fails with a code, the '
  'proposal becomes execution_failed with that code as its reason.';

create function private.job_settle_proposals() returns integer
language plpgsql volatile security definer   -- the worker has no access to Kith's tables
set search_path = ''
as $$
declare
  v_id uuid;
begin
  -- don't lock the proposal here, because people and the guild are locked first (ARCHITECTURE.md, Locks)
  select id into v_id from app.guild_proposals where due_at <= clock_timestamp() order by due_at limit 1;
  if not found then
    return 0;
  end if;
  begin
    perform private.settle_proposal(v_id);
  exception when others or query_canceled then   -- "others" does not include a timeout
    raise warning 'the proposal % was not settled: % %', v_id, sqlstate, sqlerrm;
    update app.guild_proposals set due_at = clock_timestamp() + interval '5 seconds' where id = v_id;
    return -1;
  end;
  return 1;
end $$;
comment on function private.job_settle_proposals is
  'Job: closes or executes the proposal that has been due the longest, notifies its proposer, and returns 1. If that '
  'fails, it returns -1 and tries again after 5 seconds at the earliest. May run twice: the second run waits for the '
  'first, and then the proposal is no longer due. The worker repeats it until it returns 0.';
insert into private.jobs (name, cron, expires, repeats) values ('settle-proposals', '* * * * *', 60, true);

create function private.erase_proposals(p_user app.users) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_erased integer;
begin
  update app.guild_proposals set
    title = '', body = '',
    payload = case when status in ('open', 'passed', 'executed') then payload else payload - 'charter' end
  where ctid = any (array(select ctid from app.guild_proposals
                          where proposer_id = p_user.id and title <> '' limit 500 for update skip locked));
  get diagnostics v_erased = row_count;
  if v_erased = 500 then
    perform private.erase_rest(p_user.id);
  end if;
end $$;
comment on function private.erase_proposals is
  'Step: deletes the texts of an erased person''s proposals, but not a charter that is being voted on or has passed. '
  'Skips proposals that the worker is settling; the hourly job erases them later.';
insert into private.account_steps (step, events, position) values
  ('private.erase_proposals', '{erasure}', 184);
