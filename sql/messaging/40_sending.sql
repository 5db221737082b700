-- Adds messages to a conversation, both messages that people send and system messages. docs/decisions.md, Messaging;
-- Idempotency.

create function private.add_message(p_message app.messages) returns app.messages
language plpgsql volatile security definer   -- only this function assigns numbers
set search_path = ''
as $$
declare
  v_message app.messages := p_message;
  v_people  uuid[];
begin
  -- this update locks the row of the conversation, so that its messages have one order
  update app.conversations set last_number = last_number + 1, last_message_at = clock_timestamp()
  where id = p_message.conversation_id
  returning last_number, last_message_at into v_message.number, v_message.created_at;
  insert into app.messages (conversation_id, number, sender_id, kind, body, client_id, reply_to_id, asset_id,
                            alt, created_at)
  values (v_message.conversation_id, v_message.number, v_message.sender_id, v_message.kind, v_message.body,
          v_message.client_id, v_message.reply_to_id, v_message.asset_id, v_message.alt,
          v_message.created_at)
  returning * into v_message;
  perform from app.conversation_members where conversation_id = v_message.conversation_id
  order by user_id for no key update;   -- sort, to prevent deadlocks
  update app.conversation_members set latest_at = v_message.created_at
  where conversation_id = v_message.conversation_id and private.receives_from(user_id, v_message.sender_id);
  v_people := array(select user_id from app.conversation_members where conversation_id = v_message.conversation_id);
  perform private.emit('messaging.message.sent',
    json_build_object('messageId', v_message.id, 'conversationId', v_message.conversation_id), v_people);
  perform private.broadcast('conversation:' || v_message.conversation_id, 'message',
                            jsonb_build_object('id', v_message.id));
  return v_message;
end $$;
comment on function private.add_message is
  'Appends a message to its conversation, moves the conversation up in the lists of the members who receive from '
  'the sender, announces the message on the conversation''s channel, and emits an event.';

create function private.add_system_message(p_conversation uuid, p_person uuid, p_what text) returns app.messages
language plpgsql volatile
set search_path = ''
as $$
declare
  v_message app.messages;
begin
  v_message.conversation_id := p_conversation;
  v_message.sender_id := p_person;
  v_message.kind := 'system';
  v_message.body := p_what;
  return private.add_message(v_message);
end $$;
comment on function private.add_system_message is
  'Adds a system message about a person to a conversation: see app.messages.';

create function private.find_sent(p_conversation uuid, p_client_id uuid) returns json
language plpgsql stable security definer   -- people read messages only through operations
set search_path = ''
as $$
declare
  v_id uuid := (select id from app.messages
                where sender_id = app.uid() and conversation_id = p_conversation and client_id = p_client_id);
begin
  if v_id is null then
    return null;
  end if;
  perform set_config('response.status', '200', true);
  return private.message_cards(array[v_id]) -> 0;
end $$;
comment on function private.find_sent is
  'The card of the caller''s message with this client id, and status 200; null if there is none.';

create function private.send_message(
  p_conversation uuid, p_body text, p_client_id uuid, p_reply_to uuid, p_asset uuid, p_alt text
) returns json
language plpgsql volatile security definer   -- callers may not write messages
set search_path = ''
as $$
declare
  v_conversation app.conversations;
  v_message      app.messages;
  v_card         json;
begin
  -- lock for share, as private.check_author does, to wait for a running ban or erasure before this function takes a
  -- lock that it needs
  perform private.check_lock_order('person', private.require_caller()::text);
  perform from app.users u
  where u.id = private.require_caller() and u.banned_at is null and u.erased_at is null for share;
  if not found then
    perform private.raise_error('token_revoked');
  end if;
  v_conversation := private.lock_conversation(p_conversation);
  -- check again, because a concurrent call may have sent it
  v_card := private.find_sent(p_conversation, p_client_id);
  if v_card is not null then
    return v_card;
  end if;
  perform private.check_open(v_conversation);
  if p_reply_to is not null
     and (private.require_message(p_reply_to)).conversation_id <> p_conversation then
    perform private.raise_error('message_unknown');
  end if;
  v_message.conversation_id := p_conversation;
  v_message.sender_id := app.uid();
  v_message.kind := 'text';
  v_message.body := p_body;
  v_message.client_id := p_client_id;
  v_message.reply_to_id := p_reply_to;
  v_message.asset_id := p_asset;
  v_message.alt := nullif(coalesce(p_alt, (select a.alt from app.media_assets a where a.id = p_asset)), '');
  v_message := private.add_message(v_message);
  return private.message_cards(array[v_message.id]) -> 0;
end $$;
comment on function private.send_message is
  'Sends the caller''s message, unless their client has sent it before. The calling function must have checked the '
  'fields.';

create function api.send_message(
  p_id uuid, p_body text default '', p_client_id uuid default null, p_reply_to_id uuid default null,
  p_asset_id uuid default null, p_alt text default null
) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_body text := private.require_text(p_body);
  v_alt  text := private.require_text(p_alt);
  v_card json;
begin
  if p_client_id is null then
    perform private.raise_error('value_invalid');   -- without an id a retry would send the message twice
  end if;
  perform private.require_member(p_id);
  v_card := private.find_sent(p_id, p_client_id);
  if v_card is not null then
    return v_card;
  end if;
  -- a retry returns the current message, so there is no need to store a response
  if private.begin_idempotent('send_message', json_build_array(p_id, p_client_id)) is not null then
    return private.find_sent(p_id, p_client_id);
  end if;
  perform private.count_writes('messages');
  if p_asset_id is not null then
    perform private.use_asset(p_asset_id, array['image', 'video', 'audio', 'attachment']);
  elsif v_alt <> '' then
    perform private.raise_error('alt_text');
  elsif v_body = '' then
    perform private.raise_error('message_body');
  end if;
  v_card := private.send_message(p_id, v_body, p_client_id, p_reply_to_id, p_asset_id, v_alt);
  perform private.finish_idempotent('send_message', json_build_object('sent', true));
  return v_card;
end $$;
comment on function api.send_message is
  'Sends a message in a conversation of the caller, once per p_client_id: a retry returns the same message. Without '
  'p_alt the message has the alt text of the asset. Fails: value_invalid (no p_client_id), message_unknown (of '
  'p_reply_to_id), message_body (longer than 4000).';

create function private.edit_message(p_id uuid, p_body text) returns void
language plpgsql volatile security definer   -- callers may not write messages
set search_path = ''
as $$
declare
  v_message app.messages := private.lock_message(p_id);
begin
  if v_message.sender_id <> app.uid() or v_message.kind = 'system' then
    perform private.raise_error('message_not_yours');
  end if;
  perform private.check_open(private.require_member(v_message.conversation_id));
  if v_message.deleted_at is not null then
    perform private.raise_error('message_deleted');
  elsif v_message.created_at < now() - interval '15 minutes' then
    perform private.raise_error('message_too_old');
  end if;
  if p_body = '' and v_message.asset_id is null then
    perform private.raise_error('message_body');
  elsif v_message.body = p_body then
    return;
  end if;
  update app.messages set body = p_body, edited_at = now(), changed_at = clock_timestamp() where id = p_id;
  perform private.broadcast('conversation:' || v_message.conversation_id, 'message.changed',
                            jsonb_build_object('id', p_id));
end $$;
comment on function private.edit_message is 'Changes the words of the caller''s message.';

create function api.edit_message(p_id uuid, p_body text) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.count_writes('messages');
  perform private.edit_message(p_id, private.require_text(p_body));
  return private.require_message_card(p_id);
end $$;
comment on function api.edit_message is
  'Edits the caller''s message, within 15 minutes. Returns the card. Fails: message_body (longer than 4000).';

create function private.delete_message(p_id uuid) returns void
language plpgsql volatile security definer   -- callers may not write messages
set search_path = ''
as $$
declare
  v_message app.messages := private.lock_message(p_id);
begin
  if v_message.sender_id <> app.uid() or v_message.kind = 'system' then
    perform private.raise_error('message_not_yours');
  elsif v_message.deleted_at is not null then
    return;
  end if;
  delete from app.message_reactions where message_id = p_id;
  update app.messages
  set deleted_at = now(), changed_at = clock_timestamp(), body = null, asset_id = null, alt = null, reply_to_id = null
  where id = p_id;
  perform private.broadcast('conversation:' || v_message.conversation_id, 'message.changed',
                            jsonb_build_object('id', p_id));
end $$;
comment on function private.delete_message is 'Makes the caller''s message a tombstone. Repeating it changes nothing.';

create function api.delete_message(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.delete_message(p_id);
  return null;   -- the response is 204
end $$;
comment on function api.delete_message is
  'Deletes the caller''s message for everyone. A tombstone without words remains. Repeating it changes nothing.';
