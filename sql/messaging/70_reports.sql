-- Reports of messages. They say which messages a person can report, and which copy a report stores. Staff can read
-- messages only in such copies. Reports of all types are in sql/social/70_reports.sql. docs/decisions.md, Messaging.

create function private.find_received_message(p_id uuid) returns app.messages
language plpgsql stable security definer   -- people read messages only through operations
set search_path = ''
as $$
declare
  v_message app.messages;
begin
  select m.* into v_message from app.messages m
  where m.id = p_id and private.in_span(m.conversation_id, m.number)
    -- a block hides a message in a group from the caller only if the block existed when the message was sent
    and (private.is_direct(m.conversation_id)
         or not exists (select from app.blocks b
                        where (b.blocker_id, b.blocked_id) in ((app.uid(), m.sender_id), (m.sender_id, app.uid()))
                          and b.created_at < m.created_at));
  return v_message;
end $$;
comment on function private.find_received_message is
  'A message that was sent to the caller, otherwise null. The caller may have left the conversation since, one of '
  'the two people may have blocked the other, and the sender may be banned.';

create function private.require_reported_message(p_type text, p_target text) returns uuid
language plpgsql stable
set search_path = ''
as $$
declare
  v_message app.messages := private.find_received_message(private.require_uuid(p_target, 'message_unknown'));
begin
  if v_message.id is null then
    perform private.raise_error('message_unknown');
  elsif private.is_tombstone(v_message) then
    perform private.raise_error('message_deleted');
  end if;
  return v_message.id;
end $$;
comment on function private.require_reported_message is
  'Returns the id of the message that a report names. The caller must have received the message.';

create function private.copy_reported_message() returns trigger
language plpgsql security definer   -- people may not read messages or write copies
set search_path = ''
as $$
declare
  v_message app.messages;
begin
  select * into v_message from app.messages where id = new.target_id;
  new.copy := jsonb_build_object(
    'conversationId', v_message.conversation_id,
    'senderId', v_message.sender_id,
    'kind', v_message.kind,
    'body', v_message.body,
    'assetId', v_message.asset_id,
    'alt', v_message.alt,
    'createdAt', private.utc(v_message.created_at),
    'editedAt', private.utc(v_message.edited_at));
  return new;
end $$;
comment on function private.copy_reported_message is
  'Trigger: stores a copy of a reported message in its report: {conversationId, senderId, kind, body, assetId, alt, '
  'createdAt, editedAt}.';
create trigger _100_copy_message before insert on app.reports
  for each row when (new.target_type = 'message') execute function private.copy_reported_message();

insert into private.report_targets (type, finder, author) values
  ('message', 'private.require_reported_message', 'select sender_id from app.messages where id = $1');
