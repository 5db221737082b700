-- Who may run the operations of staff: the service role alone, and each checks the caller's stored role itself.
-- Twin of sql/admin/.

grant execute on function private.make_invite_code, private.random_code to service_role;
grant execute on function private.anybody, private.check_delta, private.trimmed, private.lock_ledger, private.add_reputation, private.roll_up_share
  to service_role;
grant execute on function api.generate_invite_codes, api.list_appeals, api.resolve_appeal, api.adjust_reputation to service_role;
grant execute on function private.moderated, private.set_post_hidden, private.set_reply_hidden, private.delete_post,
  private.lock_counters, private.lock_original,
  private.hot_at, private.visibility_level   -- columns of posts are made of these
  to service_role;
grant execute on function api.hide_post, api.unhide_post, api.remove_post, api.hide_reply, api.unhide_reply to service_role;
