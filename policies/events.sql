-- Who may see and change events. This file belongs to sql/events/. The head's policies are in policies/content.sql.

-- events
alter table app.events enable row level security;
grant select on app.events to authenticated;
create policy select_with_content on app.events for select to authenticated
  using ((select true from app.contents c where c.id = events.id));
comment on policy select_with_content on app.events is
  'Everybody who sees the head sees the event. Definer functions write it.';

-- event_seats
alter table app.event_seats enable row level security;
grant select on app.event_seats to authenticated;
create policy select_with_content on app.event_seats for select to authenticated
  using ((select true from app.contents c where c.id = event_id));
comment on policy select_with_content on app.event_seats is
  'Everybody who sees the event sees how many people replied. Definer functions count the replies.';

-- event_rsvps
alter table app.event_rsvps enable row level security;
grant select on app.event_rsvps to authenticated;
create policy select_own on app.event_rsvps for select to authenticated using (user_id = (select app.uid()));
comment on policy select_own on app.event_rsvps is
  'People see their own replies; definer functions show those of others to people who see the event.';

-- helpers
grant execute on function
  private.add_event,
  private.cancel_event,
  private.change_event,
  private.delete_event,
  private.drop_rsvp,
  private.event_cards,
  private.event_with,
  private.find_my_events,
  private.list_attendees,
  private.lock_events,
  private.require_event_card,
  private.rsvp
  to authenticated;

-- operations
grant execute on function
  api.cancel_event,
  api.create_event,
  api.delete_event,
  api.get_event,
  api.get_event_calendar,
  api.list_event_attendees,
  api.list_events,
  api.list_my_events,
  api.rsvp_event,
  api.unrsvp_event,
  api.update_event
  to authenticated;

-- jobs and batches that the worker runs
grant execute on function
  private.release_seats,
  private.job_remind_events,
  private.fan_out_event_batch
  to worker;
