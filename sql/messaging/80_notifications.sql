-- The effects of a message for each member: a notification, and an announcement on the member's own channel.
-- docs/decisions.md, Effects; Messaging.

insert into private.notification_kinds (kind, rolls_up, counts_each) values ('message.received', true, true);

create function private.conversation_words(p_ids uuid[]) returns table (id uuid, title text, body text)
language plpgsql stable security definer   -- people read conversations only through operations
set search_path = ''
as $$
begin
  return query
  select c.id, c.title, case when m.kind = 'text' and not private.is_tombstone(m) then m.body end
  from app.conversation_members me
  join app.conversations c on c.id = me.conversation_id
  left join app.messages m on m.id = private.find_last_message(c.id)
  where me.conversation_id = any (p_ids) and me.user_id = app.uid();
end $$;
comment on function private.conversation_words is
  'The titles of the conversations in which the caller takes part, each with the latest message that the caller sees.';
call private.force_index_scans('private.conversation_words');
insert into private.notification_targets (type, words) values
  ('conversation', 'select * from private.conversation_words($1)');

create function private.notify_message(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.notify(array(
    select (e.user_id, 'message.received', m.sender_id, 'conversation', m.conversation_id::text,
            jsonb_build_object('conversationId', m.conversation_id, 'messageId', m.id), null, null,
            e.caused_at)::private.notice
    from unnest(p_effects) e
    join app.messages m on m.id = (e.payload ->> 'messageId')::uuid and m.kind = 'text' and m.deleted_at is null
    join app.conversation_members c on c.conversation_id = m.conversation_id and c.user_id = e.user_id
    where c.last_read_number < m.number and (c.muted_until > now()) is not true
    order by e.id));
end $$;
comment on function private.notify_message is
  'Listener: notifies members of a message that still exists, unless they have muted or left the conversation, or '
  'have already read the message.';

create function private.broadcast_messages(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.broadcast('user:' || e.user_id, 'conversation',
                            jsonb_build_object('id', e.payload -> 'conversationId'))
  from unnest(p_effects) e
  join app.messages m on m.id = (e.payload ->> 'messageId')::uuid
  join app.conversation_members c on c.conversation_id = m.conversation_id and c.user_id = e.user_id
  where private.receives_from(e.user_id, m.sender_id);
end $$;
comment on function private.broadcast_messages is
  'Listener: announces on each member''s own channel that a conversation has a new message, once per message, but '
  'only if the member receives messages from the sender.';

insert into private.event_listeners (event, listener, position, timing) values
  ('messaging.message.sent', 'private.notify_message', 600, 'soon'),
  ('messaging.message.sent', 'private.broadcast_messages', 700, 'soon');
