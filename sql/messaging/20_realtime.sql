-- The channel conversation:{conversationId}: for its members.

create function private.hears_conversation(p_rest text) returns boolean
language plpgsql stable   -- called by a definer function: asks for the caller's own membership
set search_path = ''
as $$
begin
  return exists (select from app.conversation_members m
                 where m.user_id = app.uid() and m.conversation_id::text = p_rest);
end $$;
comment on function private.hears_conversation is 'Audience of conversation:{conversationId}: its members.';
insert into private.realtime_topics (prefix, audience, events) values
  ('conversation', 'private.hears_conversation', '`conversation:{conversationId}`: nothing is sent on it yet');
