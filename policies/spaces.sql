-- Who may see spaces. This file belongs to sql/spaces/. Only definer functions write their tables.

-- space_kinds: for definer functions
alter table private.space_kinds enable row level security;

-- spaces
alter table app.spaces enable row level security;
grant select on app.spaces to authenticated;
create policy select_visible on app.spaces for select to authenticated
  using (visibility = 'public' or private.is_let_in(id, (select app.uid())));
comment on policy select_visible on app.spaces is
  'Everybody sees public spaces; members and invited people see private ones.';

-- space_members
alter table app.space_members enable row level security;
grant select on app.space_members to authenticated;
create policy select_own on app.space_members for select to authenticated using (user_id = (select app.uid()));
comment on policy select_own on app.space_members is
  'People see their own memberships, because other policies read them.';

-- space_bans: only for definer functions
alter table app.space_bans enable row level security;

-- space_requests
alter table app.space_requests enable row level security;
grant select on app.space_requests to authenticated;
create policy select_own on app.space_requests for select to authenticated using (user_id = (select app.uid()));
comment on policy select_own on app.space_requests is 'People see their own requests.';

-- space_invitations
alter table app.space_invitations enable row level security;
grant select on app.space_invitations to authenticated;
create policy select_own on app.space_invitations for select to authenticated
  using ((select app.uid()) in (inviter_id, invitee_id)
     and (select true from app.users u where u.id = inviter_id)
     and (select true from app.users u where u.id = invitee_id));
comment on policy select_own on app.space_invitations is
  'The inviter and the invitee see an invitation as long as they can see each other.';

-- helpers
grant execute on function
  private.answer_space_invitation,
  private.archive_space,
  private.change_role,
  private.change_space,
  private.find_named_space,
  private.find_pending,
  private.find_space,
  private.invite_to_space,
  private.is_let_in,
  private.join_space,
  private.leave_space,
  private.lift_space_ban,
  private.list_pending,
  private.list_space_bans,
  private.list_space_members,
  private.list_spaces,
  private.make_space,
  private.remove_space_member,
  private.require_reported_space,
  private.require_space,
  private.require_space_kind,
  private.revoke_space_invitation,
  private.settle_request,
  private.space_cards,
  private.space_invitation_cards,
  private.withdraw_request,
  private.write_in_space
  to authenticated;

-- operations
grant execute on function
  api.get_space,
  api.leave_space,
  api.list_space_members,
  api.list_space_requests,
  api.list_spaces,
  api.settle_space_request,
  api.withdraw_space_request
  to authenticated;

-- batches that the worker runs
grant execute on function
  private.end_invitations
  to worker;
