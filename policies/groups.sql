-- Who may run the operations of groups. This file belongs to sql/groups/. The policies that decide who sees which
-- space are in policies/spaces.sql.

-- helpers
grant execute on function private.group_cards to authenticated;

-- operations
grant execute on function
  api.accept_group_invitation,
  api.archive_group,
  api.create_group,
  api.decline_group_invitation,
  api.invite_to_group,
  api.join_group,
  api.lift_group_ban,
  api.list_group_bans,
  api.list_group_invitations,
  api.list_my_group_invitations,
  api.remove_group_member,
  api.restore_group,
  api.revoke_group_invitation,
  api.set_group_role,
  api.update_group
  to authenticated;
