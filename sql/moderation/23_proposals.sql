-- Actions that a moderator proposes in a case because only an admin may take them. docs/decisions.md, Staff.

create table app.case_proposals (
  id          uuid primary key default gen_random_uuid(),
  case_id     uuid not null references app.cases on delete cascade,
  actions     text[] not null check (cardinality(actions) between 1 and 5),
  reason      text not null check (length(reason) <= 1000),
  until       timestamptz,
  proposed_by uuid references app.users on delete set null,
  proposed_at timestamptz not null default now(),
  status      text not null default 'open' check (status in ('open', 'accepted', 'declined')),
  settled_by  uuid references app.users on delete set null,
  settled_at  timestamptz,
  check ((status = 'open') = (settled_at is null))
);
create unique index case_proposals_open_idx on app.case_proposals (case_id) where status = 'open';
create index case_proposals_case_id_idx on app.case_proposals (case_id, proposed_at);
create index case_proposals_proposed_by_idx on app.case_proposals (proposed_by, proposed_at);
create index case_proposals_settled_by_idx on app.case_proposals (settled_by);
comment on table app.case_proposals is
  'Actions that a moderator proposes in a case because only an admin may take them, at most one open proposal in '
  'each case. The person concerned will read the reason; their erasure empties it.';
comment on column app.case_proposals.until is 'When a proposed suspension ends; null for other actions.';
comment on column app.case_proposals.proposed_at is 'When the moderator proposed the action.';
comment on column app.case_proposals.settled_at is
  'When the proposal was accepted or declined; null while it is open.';
comment on column app.case_proposals.status is
  'open, then accepted or declined by an admin. Closing the case also declines the proposal.';

insert into private.errors (code, status, text) values
  ('proposal_actions', 422, 'Propose only actions that need an admin, and take the others yourself.'),
  ('case_proposal_open', 409, 'This case already has an open proposal.'),
  ('case_proposal_unknown', 404, 'This case has no such open proposal.');

create function private.add_case_proposal(
  p_case uuid, p_actions text[], p_reason text, p_until timestamptz
) returns uuid
language plpgsql volatile security definer   -- staff may not write proposals directly
set search_path = ''
as $$
declare
  v_id uuid;
begin
  if exists (select from private.case_transitions t
             where t.status = 'open' and t.action = any (p_actions) and 'moderator' = any (t.roles)) then
    perform private.raise_error('proposal_actions');
  end if;
  insert into app.case_proposals (case_id, actions, reason, until, proposed_by)
  values (p_case, p_actions, p_reason, p_until, app.uid())
  on conflict (case_id) where status = 'open' do nothing
  returning id into v_id;
  if v_id is null then
    perform private.raise_error('case_proposal_open');
  end if;
  return v_id;
end $$;
comment on function private.add_case_proposal is 'Adds a proposal of the caller to a case.';

create function api.propose_in_case(
  p_id uuid, p_actions text[], p_reason text, p_until timestamptz default null
) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_reason text;
  v_case   app.cases;
begin
  perform private.require_role('moderator', 'admin');
  v_reason := private.find_reason(p_reason);
  if v_reason is null then
    perform private.raise_error('case_reason');
  end if;
  v_case := private.begin_case_work(p_id, 'propose');
  perform private.check_actions(v_case, coalesce(p_actions, '{}'), p_until);
  return private.end_case_work(p_id, 'proposed', null, json_build_object(
    'proposalId', private.add_case_proposal(p_id, p_actions, v_reason, p_until), 'actions', p_actions));
end $$;
comment on function api.propose_in_case is
  'Proposes an action in a case that only an admin may take. Returns the case. Leaves an audit entry.';

create function private.settle_case_proposal(p_case uuid, p_id uuid, p_status text) returns app.case_proposals
language plpgsql volatile security definer   -- staff may not write proposals directly
set search_path = ''
as $$
declare
  v_proposal app.case_proposals;
begin
  update app.case_proposals set status = p_status, settled_by = app.uid(), settled_at = now()
  where case_id = p_case and (p_id is null or id = p_id) and status = 'open'
  returning * into v_proposal;
  if p_id is not null and v_proposal.id is null then
    perform private.raise_error('case_proposal_unknown');
  end if;
  return v_proposal;
end $$;
comment on function private.settle_case_proposal is
  'Accepts or declines an open proposal of a case: the one with this id or, without an id, the open one, if any.';

create function api.accept_case_proposal(p_id uuid, p_proposal_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_case     app.cases := private.begin_case_work(p_id, 'accept');
  v_proposal app.case_proposals := private.settle_case_proposal(p_id, p_proposal_id, 'accepted');
  v_next     text;
begin
  perform private.begin_case_work(p_id, variadic v_proposal.actions);
  perform private.check_actions(v_case, v_proposal.actions, v_proposal.until);
  v_next := private.act_in_case(v_case, v_proposal.actions, v_proposal.reason, null, null, v_proposal.until);
  perform private.restart_lock_order();
  return private.end_case_work(p_id, 'accepted', null, json_build_object(
    'proposalId', p_proposal_id, 'actions', v_proposal.actions), v_next);
end $$;
comment on function api.accept_case_proposal is
  'Accepts a proposal in a case: takes the action, with the reason of the proposal. Returns the case. Leaves an '
  'audit entry for each action.';

create function api.decline_case_proposal(p_id uuid, p_proposal_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.begin_case_work(p_id, 'decline');
  perform private.settle_case_proposal(p_id, p_proposal_id, 'declined');
  return private.end_case_work(p_id, 'declined', null, json_build_object('proposalId', p_proposal_id));
end $$;
comment on function api.decline_case_proposal is
  'Declines a proposal in a case. Returns the case. Leaves an audit entry.';
