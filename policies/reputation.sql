-- Who may see and change reputation. This file belongs to sql/reputation/.

-- reputation_entries
alter table app.reputation_entries enable row level security;
grant select (id, position, user_id, interest_id, kind, delta, origin_id, roll_up_level, undoes_id, created_at)
  on app.reputation_entries to authenticated;
create policy select_own on app.reputation_entries for select to authenticated using (user_id = (select app.uid()));
comment on policy select_own on app.reputation_entries is
  'People see their own entries, but not from whom they earned them. Only triggers and definer functions add entries, '
  'and nobody changes them.';

-- reputation
alter table app.reputation enable row level security;
grant select (user_id, interest_id, value, direct_value) on app.reputation to authenticated;
grant select on app.reputation_card to authenticated;
create policy select_reachable on app.reputation for select to authenticated
  using ((select true from app.users u where u.id = user_id));
comment on policy select_reachable on app.reputation is
  'Everybody who sees the person sees their reputation, but not the highest level that it ever reached. A trigger on '
  'the ledger writes it.';

-- reputation_kinds
alter table app.reputation_kinds enable row level security;
grant select on app.reputation_kinds to authenticated;
create policy select_own on app.reputation_kinds for select to authenticated using (user_id = (select app.uid()));
comment on policy select_own on app.reputation_kinds is
  'People see how much reputation each kind of entry gave them. A trigger on the ledger writes it.';

-- reputation_votes
alter table app.reputation_votes enable row level security;
grant select on app.reputation_votes to authenticated;
grant select on app.reputation_vote_card to authenticated;
create policy select_received on app.reputation_votes for select to authenticated
  using (user_id = (select app.uid()) and value <> 0 and (select true from app.users u where u.id = voter_id));
comment on policy select_received on app.reputation_votes is
  'People see the votes about them that were not taken back, if they can see the voter. private.cast_vote writes '
  'votes.';

-- reputation_appeals
alter table app.reputation_appeals enable row level security;
grant select on app.reputation_appeals to authenticated;
grant insert (user_id, interest_id, entry_id, text) on app.reputation_appeals to authenticated;
grant select on app.reputation_appeal_card to authenticated;
create policy select_own on app.reputation_appeals for select to authenticated using (user_id = (select app.uid()));
comment on policy select_own on app.reputation_appeals is
  'People see their own appeals. Staff have separate operations that read and resolve appeals.';
create policy insert_own on app.reputation_appeals for insert to authenticated
  with check (user_id = (select app.uid())
          and (entry_id is null
            or entry_id in (select e.id from app.reputation_entries e where e.user_id = (select app.uid()))));
comment on policy insert_own on app.reputation_appeals is 'People appeal in their own name, about their own entries.';

-- contribution_entries: only for definer functions
alter table app.contribution_entries enable row level security;

-- contribution_inheritance: only for definer functions
alter table private.contribution_inheritance enable row level security;

-- contribution_scores
alter table app.contribution_scores enable row level security;
grant select on app.contribution_scores to authenticated;
create policy select_own on app.contribution_scores for select to authenticated using (user_id = (select app.uid()));
comment on policy select_own on app.contribution_scores is
  'People see their own score. A trigger on the ledger writes it.';

-- helpers
grant execute on function
  private.level_minimums,
  private.level_name,
  private.level_rank,
  private.next_level,
  private.reputation_level,
  private.reputation_of,
  private.may_propose_guild,
  private.reputation_value,
  private.total_reputation
  to authenticated, service_role;
grant execute on function
  private.cast_vote,
  private.detailed_interests,
  private.find_vote_time,
  private.find_votes,
  private.has_journalism_reputation,
  private.lock_effects,
  private.reputation_events,
  private.require_reputation
  to authenticated;

-- operations
grant execute on function
  api.create_appeal,
  api.get_my_capabilities,
  api.get_my_reputation,
  api.get_reputation,
  api.get_reputation_details,
  api.get_reputation_summary,
  api.list_my_appeals,
  api.list_received_votes,
  api.vote_reputation
  to authenticated;

-- the job, and batches that the worker runs
grant execute on function
  private.forfeit_earnings,
  private.job_inherit_contributions
  to worker;
