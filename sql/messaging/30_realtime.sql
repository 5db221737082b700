-- The channel conversation:{conversationId}, for its members. The transaction of each change announces it with only an
-- id. The client then reads the message, and gets the changes that it missed from the list of messages (after,
-- changedSince). docs/decisions.md, Realtime.

create function private.may_listen_to_conversation(p_rest text) returns boolean
language plpgsql stable   -- a definer function calls this function, so it may read the memberships
set search_path = ''
as $$
begin
  return exists (select from app.conversation_members m
                 where m.user_id = app.uid() and m.conversation_id::text = p_rest);
end $$;
comment on function private.may_listen_to_conversation is
  'Returns whether the caller may listen to conversation:{conversationId}, which only its members may.';
insert into private.realtime_topics (prefix, audience, events, scopes) values
  ('conversation', 'private.may_listen_to_conversation',
   '`conversation:{conversationId}`: `message` {id} of a new message; `message.changed` {id} when it is edited or '
   'deleted; `reaction` {id} of the message when its reactions change',
   '{messaging:read}');
update private.realtime_topics
set events = events || '; `conversation` {id} when one of the person''s conversations has something new; `read` {id} '
                       'of a conversation that the person reads, for their other devices',
    scopes = scopes || '{messaging:read}'
where prefix = 'user';

create function private.send_conversation_access() returns trigger
language plpgsql security definer   -- people may not send to Realtime
set search_path = ''
as $$
begin
  if tg_op = 'DELETE' then
    perform private.broadcast('tokens', 'left', jsonb_build_object(
      'sub', old.user_id, 'topic', 'conversation:' || old.conversation_id, 'hears', false));
  elsif exists (select from app.conversation_spans s   -- only former members already have a span
                where s.conversation_id = new.conversation_id and s.user_id = new.user_id) then
    perform private.broadcast('tokens', 'came', jsonb_build_object(
      'sub', new.user_id, 'topic', 'conversation:' || new.conversation_id, 'hears', true));
  end if;
  return null;
end $$;
comment on function private.send_conversation_access is
  'Trigger: notifies Realtime when a person loses or regains access to a conversation, on the channel that also '
  'announces revoked tokens.';
create trigger send_conversation_access after insert or delete on app.conversation_members
  for each row execute function private.send_conversation_access();
