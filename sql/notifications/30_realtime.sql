-- The channel user:{userId} announces a notification that is new or has a new item.
-- docs/decisions.md, Realtime.

create function private.may_listen_to_person(p_rest text) returns boolean
language plpgsql stable
set search_path = ''
as $$ begin return p_rest = app.uid()::text; end $$;
comment on function private.may_listen_to_person is
  'Returns whether the caller may listen to user:{userId}, which only that person may.';
insert into private.realtime_topics (prefix, audience, events, scopes) values
  ('user', 'private.may_listen_to_person',
   '`user:{userId}`: `notification` {id, kind} of a notification that is new or has a new item',
   '{notifications:read}');

create function private.broadcast_notification() returns trigger
language plpgsql security definer   -- sends to people other than the caller
set search_path = ''
as $$
begin
  perform private.broadcast('user:' || new.user_id, 'notification',
                            jsonb_build_object('id', new.id, 'kind', new.kind));
  return null;
end $$;
comment on function private.broadcast_notification is
  'Trigger: sends {id, kind} to the person''s own channel. If only read_at or payload changes, it sends nothing.';
create trigger broadcast_notification after insert or update of count, created_at on app.notifications
  for each row when (new.in_app) execute function private.broadcast_notification();
