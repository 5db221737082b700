-- Who may run the operations of staff: only the service role, and each checks the caller's stored role itself.
-- Twin of sql/admin/.

-- broadcasts: definer functions alone write and read them
alter table app.broadcasts enable row level security;

-- helpers
grant execute on function
  private.add_reputation,
  private.approve_wiki_proposal,
  private.begin_broadcast,
  private.change_account,
  private.close_sessions,
  private.delete_post,
  private.find_reason,
  private.find_staff_contents,
  private.find_staff_part,
  private.find_staff_parts,
  private.is_part,
  private.find_staff_conversations,
  private.find_staff_wiki_proposals,
  private.keep_an_admin,
  private.lock_account,
  private.lock_roles,
  private.lock_counters,
  private.lock_effects,
  private.lock_original,
  private.lock_wiki_proposal,
  private.make_invite_code,
  private.random_code,
  private.record_moderation,
  private.require_any_person,
  private.require_content_kind,
  private.require_delta,
  private.require_open_wiki_proposal,
  private.reverse_payment,
  private.roll_up_fraction,
  private.set_banned,
  private.set_content_removed,
  private.set_post_hidden,
  private.set_reply_hidden,
  private.settle_wiki_by_staff,
  private.settle_wiki_proposal,
  private.staff_account,
  private.set_part_removed,
  private.staff_contents,
  private.staff_parts,
  private.staff_conversation_place,
  private.staff_conversations,
  private.staff_wiki_proposals,
  private.suspicious_flows,
  private.trending_at,   -- a column of posts is computed with it
  private.visibility_level,   -- a column of posts is computed with it
  private.write_reputation
  to service_role;

-- operations
grant execute on function
  api.adjust_reputation,
  api.approve_wiki_proposal,
  api.ban_person,
  api.broadcast,
  api.generate_invite_codes,
  api.hide_post,
  api.hide_reply,
  api.list_all_conversations,
  api.list_all_payments,
  api.list_all_wiki_proposals,
  api.list_appeals,
  api.list_contents,
  api.list_wallets,
  api.reject_wiki_proposal,
  api.remove_content,
  api.remove_post,
  api.resolve_appeal,
  api.restore_content,
  api.reverse_payment,
  api.set_role,
  api.unban_person,
  api.unhide_post,
  api.unhide_reply
  to service_role;

-- batches that the worker does
grant execute on function
  private.erase_reasons,
  private.tell_everybody
  to worker;
