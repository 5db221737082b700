-- How a report finds the message that it is about, and the copy that it carries: the one way in which staff read one.
-- The reports are in sql/social/70_reports.sql.
-- docs/decisions.md, Messaging.

create function private.require_reported_message(p_target text) returns uuid
language plpgsql stable
set search_path = ''
as $$
declare
  v_message app.messages;
begin
  if not pg_input_is_valid(p_target, 'uuid') then
    perform private.fail('message_unknown');
  end if;
  v_message := private.require_message(p_target::uuid);
  if v_message.deleted_at is not null then
    perform private.fail('message_deleted');
  end if;
  return v_message.id;
end $$;
comment on function private.require_reported_message is
  'Answers the message that a report names, if the caller may see it. Fails: message_unknown, message_deleted.';

create function private.copy_message(p_id uuid) returns jsonb
language plpgsql stable security definer   -- nobody reads messages otherwise
set search_path = ''
as $$
declare
  v_message app.messages := private.find_message(p_id);   -- as the reporter sees it
begin
  return jsonb_build_object(
    'conversationId', v_message.conversation_id,
    'senderId', v_message.sender_id,
    'kind', v_message.kind,
    'body', v_message.body,
    'assetId', v_message.asset_id,
    'createdAt', private.utc(v_message.created_at),
    'editedAt', private.utc(v_message.edited_at));
end $$;
comment on function private.copy_message is
  'What a report keeps of a message: {conversationId, senderId, kind, body, assetId, createdAt, editedAt}.';

insert into private.report_targets (type, finder, copier) values
  ('message', 'private.require_reported_message', 'private.copy_message');
