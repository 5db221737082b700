-- Who may run the operations of guilds. This file belongs to sql/guilds/. The policies that decide who sees which
-- space are in policies/spaces.sql. Only definer functions read and write the tables of guilds.

-- guilds
alter table app.guilds enable row level security;

-- guild_charters
alter table app.guild_charters enable row level security;

-- proposal_kinds: for definer functions
alter table private.proposal_kinds enable row level security;

-- guild_proposals
alter table app.guild_proposals enable row level security;

-- guild_votes
alter table app.guild_votes enable row level security;

-- helpers
grant execute on function
  private.apply_to_guild,
  private.change_guild,
  private.create_guild,
  private.guild_cards,
  private.list_charters,
  private.list_own_applications,
  private.list_proposals,
  private.propose,
  private.read_proposal,
  private.require_guild_applicant,
  private.require_guild_founder,
  private.vote_on_proposal,
  private.withdraw_proposal
  to authenticated;
grant execute on function private.settle_by_staff to service_role;

-- operations
grant execute on function
  api.apply_to_guild,
  api.create_guild,
  api.create_proposal,
  api.get_proposal,
  api.hand_over_guild,
  api.list_guild_charters,
  api.list_my_guild_applications,
  api.list_proposals,
  api.update_guild,
  api.vote_on_proposal,
  api.withdraw_proposal
  to authenticated;
grant execute on function
  api.approve_proposal,
  api.force_close_proposal,
  api.reject_proposal
  to service_role;

-- jobs and batches
grant execute on function
  private.job_settle_proposals,
  private.recount_proposals
  to worker;
