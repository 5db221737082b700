-- Who may see and change circles, invitations, blocks, follows, mutes, keywords and reports. This file belongs to
-- sql/social/.

-- circles
alter table app.circles enable row level security;
grant select, delete on app.circles to authenticated;
grant insert (owner_id, kind, name, accent), update (name, accent) on app.circles to authenticated;
grant select on app.circle_card to authenticated;
create policy select_member on app.circles for select to authenticated
  using (owner_id = (select app.uid())
      or (select true from app.circle_members m
          where m.circle_id = circles.id and m.member_id = (select app.uid())));
comment on policy select_member on app.circles is 'The owner and the members see a circle.';
create policy insert_own on app.circles for insert to authenticated with check (owner_id = (select app.uid()));
comment on policy insert_own on app.circles is 'People create their own circles.';
create policy update_own on app.circles for update to authenticated
  using (owner_id = (select app.uid())) with check (owner_id = (select app.uid()));
comment on policy update_own on app.circles is 'Only the owner changes the name and the accent of a circle.';
create policy delete_own on app.circles for delete to authenticated using (owner_id = (select app.uid()));
comment on policy delete_own on app.circles is 'Only the owner deletes a circle.';

-- circle_members
alter table app.circle_members enable row level security;
grant select, delete on app.circle_members to authenticated;
grant insert (circle_id, owner_id, member_id, bond_level), update (bond_level) on app.circle_members to authenticated;
grant select on app.circle_member_card to authenticated;
create policy select_concerned on app.circle_members for select to authenticated
  using (owner_id = (select app.uid()) or member_id = (select app.uid()));
comment on policy select_concerned on app.circle_members is
  'The owner sees all members. A member sees only their own membership, because only the owner may know the bond '
  'levels.';
create policy insert_owner on app.circle_members for insert to authenticated
  with check (owner_id = (select app.uid()) and (select true from app.users u where u.id = member_id));
comment on policy insert_owner on app.circle_members is
  'The owner adds members, but nobody who blocked them or whom they blocked. A definer function adds people '
  'who accept an invitation.';
create policy update_owner on app.circle_members for update to authenticated
  using (owner_id = (select app.uid())) with check (owner_id = (select app.uid()));
comment on policy update_owner on app.circle_members is 'Only the owner sets bond levels.';
create policy delete_concerned on app.circle_members for delete to authenticated
  using (owner_id = (select app.uid()) or member_id = (select app.uid()));
comment on policy delete_concerned on app.circle_members is 'The owner may remove any member, and a member may leave.';

-- circle_invitations
alter table app.circle_invitations enable row level security;
grant select on app.circle_invitations to authenticated;
grant insert (circle_id, inviter_id, invitee_id, bond_level) on app.circle_invitations to authenticated;
grant select on app.circle_invitation_card to authenticated;
create policy select_concerned on app.circle_invitations for select to authenticated
  using (inviter_id = (select app.uid()) or invitee_id = (select app.uid()));
comment on policy select_concerned on app.circle_invitations is 'The inviter and the invitee see an invitation.';
create policy insert_owner on app.circle_invitations for insert to authenticated
  with check (inviter_id = (select app.uid())
          and circle_id in (select c.id from app.circles c where c.owner_id = (select app.uid()))
          and (select true from app.users u where u.id = invitee_id));
comment on policy insert_owner on app.circle_invitations is
  'The owner of a circle invites people to it, but nobody who blocked them or whom they blocked. Updates are not '
  'allowed: private.settle_invitation changes the status.';

-- blocks
alter table app.blocks enable row level security;
grant select, delete on app.blocks to authenticated;
grant insert (blocker_id, blocked_id) on app.blocks to authenticated;
create policy select_own on app.blocks for select to authenticated using (blocker_id = (select app.uid()));
comment on policy select_own on app.blocks is 'People see whom they have blocked; nobody sees who blocks them.';
create policy insert_own on app.blocks for insert to authenticated with check (blocker_id = (select app.uid()));
comment on policy insert_own on app.blocks is 'People block in their own name.';
create policy delete_own on app.blocks for delete to authenticated using (blocker_id = (select app.uid()));
comment on policy delete_own on app.blocks is 'Only the blocker lifts a block.';

-- follows
alter table app.follows enable row level security;
grant select, delete on app.follows to authenticated;
grant insert (follower_id, following_id) on app.follows to authenticated;
create policy select_reachable on app.follows for select to authenticated
  using ((select true from app.users u where u.id = follower_id)
     and (select true from app.users u where u.id = following_id));
comment on policy select_reachable on app.follows is
  'Everyone who sees both people can see that one follows the other.';
create policy insert_own on app.follows for insert to authenticated
  with check (follower_id = (select app.uid()) and (select true from app.users u where u.id = following_id));
comment on policy insert_own on app.follows is
  'People follow others in their own name, but nobody who blocked them or whom they blocked.';
create policy delete_own on app.follows for delete to authenticated using (follower_id = (select app.uid()));
comment on policy delete_own on app.follows is
  'Only the follower ends a follow, except that a trigger ends it after a block.';

-- removed_follows: only for definer functions
alter table private.removed_follows enable row level security;

-- mutes
alter table app.mutes enable row level security;
grant select, delete on app.mutes to authenticated;
grant insert (muter_id, muted_id) on app.mutes to authenticated;
create policy select_own on app.mutes for select to authenticated using (muter_id = (select app.uid()));
comment on policy select_own on app.mutes is 'People see whom they have muted; nobody sees who mutes them.';
create policy insert_own on app.mutes for insert to authenticated
  with check (muter_id = (select app.uid()) and (select true from app.users u where u.id = muted_id));
comment on policy insert_own on app.mutes is 'People mute in their own name, and only people whom they see.';
create policy delete_own on app.mutes for delete to authenticated using (muter_id = (select app.uid()));
comment on policy delete_own on app.mutes is 'Only the muter lifts a mute.';

-- muted_keywords
alter table app.muted_keywords enable row level security;
grant select, delete on app.muted_keywords to authenticated;
grant insert (id, user_id, keyword, folded, until), update (keyword, until) on app.muted_keywords to authenticated;
grant select on app.muted_keyword_card to authenticated;
create policy select_own on app.muted_keywords for select to authenticated using (user_id = (select app.uid()));
comment on policy select_own on app.muted_keywords is 'People see their own keywords.';
create policy insert_own on app.muted_keywords for insert to authenticated with check (user_id = (select app.uid()));
comment on policy insert_own on app.muted_keywords is 'People mute keywords for themselves.';
create policy update_own on app.muted_keywords for update to authenticated
  using (user_id = (select app.uid())) with check (user_id = (select app.uid()));
comment on policy update_own on app.muted_keywords is 'People mute a keyword again to change the end of the mute.';
create policy delete_own on app.muted_keywords for delete to authenticated using (user_id = (select app.uid()));
comment on policy delete_own on app.muted_keywords is 'People unmute their own keywords.';

-- reports
alter table app.reports enable row level security;
grant select on app.reports to authenticated;
grant insert (reporter_id, target_type, target_id, reason, category) on app.reports to authenticated;
create policy select_own on app.reports for select to authenticated using (reporter_id = (select app.uid()));
comment on policy select_own on app.reports is
  'People see their own reports; reported people see none. Staff have separate operations that read and settle '
  'reports.';
create policy insert_own on app.reports for insert to authenticated with check (reporter_id = (select app.uid()));
comment on policy insert_own on app.reports is
  'People report in their own name; for each type, api.report checks that the caller sees the target.';

-- report_targets, case_categories: only for definer functions
alter table private.report_targets enable row level security;
alter table private.case_categories enable row level security;

-- helpers
grant execute on function
  private.circle_cards,
  private.circle_name,
  private.find_blocked_person,
  private.drop_circle,
  private.find_circles,
  private.find_follows,
  private.find_invitations,
  private.find_muted_words,
  private.fold,
  private.fold_keyword,
  private.follow_counts,
  private.follow_numbers,
  private.have_common_circle,
  private.invitation_cards,
  private.keyword_edge,
  private.keyword_pattern,
  private.keyword_words,
  private.lock_pairs,
  private.lock_person,
  private.muted_people,
  private.muted_words,
  private.own_blocks,
  private.person_page,
  private.require_circle_place,
  private.require_follow_place,
  private.require_name_cursor,
  private.require_own_circle,
  private.category_cards,
  private.require_category,
  private.require_report_finder,
  private.require_reported_person,
  private.settle_invitation,
  private.ties_to,
  private.fold_query,
  private.timed_id
  to authenticated;

-- operations
grant execute on function
  api.accept_invitation,
  api.add_circle_member,
  api.block_person,
  api.check_circles,
  api.create_circle,
  api.decline_invitation,
  api.delete_circle,
  api.follow_person,
  api.follow_stats,
  api.get_people,
  api.get_profile,
  api.invite_to_circle,
  api.list_blocks,
  api.list_circle_invitations,
  api.list_circle_members,
  api.list_followers,
  api.list_following,
  api.list_memberships,
  api.list_muted_keywords,
  api.list_mutes,
  api.list_my_circles,
  api.list_my_invitations,
  api.list_pending_invitations,
  api.mute_keyword,
  api.mute_person,
  api.remove_circle_member,
  api.list_report_categories,
  api.report,
  api.respond_invitation,
  api.revoke_invitation,
  api.set_bond_level,
  api.unblock_person,
  api.unfollow_person,
  api.unmute_keyword,
  api.unmute_person,
  api.update_circle
  to authenticated;

-- jobs
grant execute on function
  private.job_check_audience
  to worker;

-- reports, for staff
grant execute on function private.is_own_thing to service_role;
