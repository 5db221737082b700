-- Who may run the operations of guilds. Twin of sql/guilds/; who sees which space is in policies/spaces.sql.
-- Definer functions alone read and write these tables.

-- guilds
alter table app.guilds enable row level security;

-- guild_charters
alter table app.guild_charters enable row level security;

-- helpers
grant execute on function
  private.apply_to_guild,
  private.change_guild,
  private.found_guild,
  private.guild_cards,
  private.list_charters,
  private.list_own_applications,
  private.require_reported_guild
  to authenticated;

-- operations
grant execute on function
  api.apply_to_guild,
  api.approve_guild_application,
  api.create_guild,
  api.get_guild,
  api.hand_over_guild,
  api.leave_guild,
  api.list_guild_applications,
  api.list_guild_charters,
  api.list_guild_members,
  api.list_guilds,
  api.list_my_guild_applications,
  api.reject_guild_application,
  api.update_guild,
  api.withdraw_guild_application
  to authenticated;
