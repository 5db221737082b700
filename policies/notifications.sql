-- Who may see and touch notifications. Twin of sql/notifications/.

-- notification_kinds: a registry, for definer functions alone
alter table private.notification_kinds enable row level security;

-- notifications
alter table app.notifications enable row level security;
grant select on app.notifications to authenticated;
grant update (read_at) on app.notifications to authenticated;
grant select on app.notification_card to authenticated;
create policy select_own on app.notifications for select to authenticated using (user_id = (select app.uid()));
comment on policy select_own on app.notifications is 'People see their own notifications. private.tell writes them.';
create policy update_own on app.notifications for update to authenticated
  using (user_id = (select app.uid())) with check (user_id = (select app.uid()));
comment on policy update_own on app.notifications is 'People mark their own as read; no other column is granted.';

-- notification_actors
alter table app.notification_actors enable row level security;
grant select on app.notification_actors to authenticated;
create policy select_own on app.notification_actors for select to authenticated
  using ((select true from app.notifications n where n.id = notification_id));
comment on policy select_own on app.notification_actors is
  'Everybody who sees the notification sees its actors; who an actor is shows only through app.person_card.';

-- helpers
grant execute on function
  private.mark_own_read,
  private.notification_cards,
  private.unread_count
  to authenticated;

-- operations
grant execute on function
  api.count_unread,
  api.list_notifications,
  api.mark_read
  to authenticated;

-- batches that the worker does
grant execute on function
  private.mark_earlier_read,
  private.tell_poll_voters,
  private.tell_series_followers
  to worker;
