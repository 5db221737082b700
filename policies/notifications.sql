-- Who may see and change notifications. This file belongs to sql/notifications/.

-- notification_kinds: a registry, only for definer functions
alter table private.notification_kinds enable row level security;

-- notifications
alter table app.notifications enable row level security;
grant select on app.notifications to authenticated;
grant update (read_at) on app.notifications to authenticated;
grant select on app.notification_card to authenticated;
create policy select_own on app.notifications for select to authenticated using (user_id = (select app.uid()));
comment on policy select_own on app.notifications is 'People see their own notifications. private.notify writes them.';
create policy update_own on app.notifications for update to authenticated
  using (user_id = (select app.uid())) with check (user_id = (select app.uid()));
comment on policy update_own on app.notifications is
  'People mark their own notifications as read; they may update no other column.';

-- notification_actors
alter table app.notification_actors enable row level security;
grant select on app.notification_actors to authenticated;
create policy select_own on app.notification_actors for select to authenticated
  using ((select true from app.notifications n where n.id = notification_id));
comment on policy select_own on app.notification_actors is
  'Everybody who sees the notification sees its actors; app.person_card decides which of them are shown.';

-- notification_settings
alter table app.notification_settings enable row level security;
grant select (user_id, timezone, digest_hour) on app.notification_settings to authenticated;
grant update (timezone, digest_hour) on app.notification_settings to authenticated;
create policy select_own on app.notification_settings for select to authenticated
  using (user_id = (select app.uid()));
comment on policy select_own on app.notification_settings is 'People see their own settings.';
create policy update_own on app.notification_settings for update to authenticated
  using (user_id = (select app.uid())) with check (user_id = (select app.uid()));
comment on policy update_own on app.notification_settings is
  'People change their own settings; a trigger creates the row.';

-- notification_preferences
alter table app.notification_preferences enable row level security;
grant select on app.notification_preferences to authenticated;
grant insert (user_id, kind, in_app, push, email) on app.notification_preferences to authenticated;
grant update (in_app, push, email) on app.notification_preferences to authenticated;
create policy select_own on app.notification_preferences for select to authenticated
  using (user_id = (select app.uid()));
comment on policy select_own on app.notification_preferences is 'People see their own choices.';
create policy insert_own on app.notification_preferences for insert to authenticated
  with check (user_id = (select app.uid()));
comment on policy insert_own on app.notification_preferences is 'People insert their own choices.';
create policy update_own on app.notification_preferences for update to authenticated
  using (user_id = (select app.uid())) with check (user_id = (select app.uid()));
comment on policy update_own on app.notification_preferences is
  'People change their own choices, but not the kind of a choice.';

-- push_tokens
alter table app.push_tokens enable row level security;
grant select (user_id, token), delete on app.push_tokens to authenticated;
create policy select_own on app.push_tokens for select to authenticated using (user_id = (select app.uid()));
comment on policy select_own on app.push_tokens is
  'People see their own devices. private.take_push_token writes them.';
create policy delete_own on app.push_tokens for delete to authenticated using (user_id = (select app.uid()));
comment on policy delete_own on app.push_tokens is 'People remove their own devices.';

-- pushes: for the worker, through definer functions only
alter table private.pushes enable row level security;
alter table private.pushed_subjects enable row level security;

-- digests: for the worker, through definer functions only
alter table private.digests enable row level security;

-- notification_targets: only for definer functions
alter table private.notification_targets enable row level security;

-- helpers
grant execute on function
  private.beginning,
  private.find_words_query,
  private.count_unread_of,
  private.link_paths,
  private.list_changed,
  private.list_own_channels,
  private.mark_own_read,
  private.notification_cards,
  private.notification_path,
  private.known_timezone,
  private.post_words,
  private.require_timezone,
  private.take_push_token,
  private.unread_count,
  private.words_of_targets
  to authenticated;

-- operations
grant execute on function
  api.add_push_token,
  api.count_unread,
  api.get_preferences,
  api.list_links,
  api.list_notifications,
  api.mark_read,
  api.remove_push_token,
  api.update_preferences
  to authenticated;

-- a link in a mail calls it
grant execute on function api.unsubscribe to gate;

-- functions that the worker calls
grant execute on function
  private.claim_digest,
  private.claim_pushes,
  private.job_ask_push_receipts,
  private.job_queue_digests,
  private.mark_earlier_read,
  private.note_digest,
  private.note_push_receipts,
  private.note_pushes,
  private.fan_out_poll_end_batch,
  private.fan_out_series_item_batch
  to worker;
