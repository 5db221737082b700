-- Who may see conversations and listen to them. This file belongs to sql/messaging/. People read and write messages
-- only through operations, because a policy could not check cheaply whether a person took part in the conversation
-- when a message was sent.

-- conversations: only for definer functions
alter table app.conversations enable row level security;

-- conversation_members
alter table app.conversation_members enable row level security;
grant select on app.conversation_members to authenticated;
create policy select_own on app.conversation_members for select to authenticated using (user_id = (select app.uid()));
comment on policy select_own on app.conversation_members is
  'People see their own memberships; these allow them to listen to conversations.';

-- conversation_spans: only for definer functions
alter table app.conversation_spans enable row level security;

-- messages: only for definer functions
alter table app.messages enable row level security;

-- message_reactions: only for definer functions
alter table app.message_reactions enable row level security;

-- emoji: only for definer functions
alter table private.emoji enable row level security;

-- helpers
grant execute on function
  private.add_members,
  private.add_message_reaction,
  private.changed_cursor,
  private.conversation_cards,
  private.conversation_place,
  private.conversation_words,
  private.count_unread_conversations,
  private.delete_message,
  private.edit_message,
  private.find_changed_messages,
  private.find_conversations,
  private.find_direct,
  private.find_message,
  private.find_messages,
  private.find_received_message,
  private.find_sent,
  private.is_available,
  private.is_tombstone,
  private.leave_group,
  private.lock_available,
  private.make_owner,
  private.message_cards,
  private.mute_conversation,
  private.open_direct,
  private.open_group,
  private.read_up_to,
  private.remove_member,
  private.remove_message_reaction,
  private.rename_conversation,
  private.require_conversation_card,
  private.require_emoji,
  private.require_member,
  private.require_message,
  private.require_message_card,
  private.require_number,
  private.require_own_group,
  private.require_others,
  private.require_reported_message,
  private.send_message
  to authenticated;

-- operations
grant execute on function
  api.add_conversation_members,
  api.check_availability,
  api.count_unread_conversations,
  api.create_conversation,
  api.delete_message,
  api.edit_message,
  api.get_conversation,
  api.get_message,
  api.hand_over_conversation,
  api.leave_conversation,
  api.list_conversations,
  api.list_messages,
  api.mute_conversation,
  api.react_to_message,
  api.read_conversation,
  api.remove_conversation_member,
  api.rename_conversation,
  api.send_message,
  api.unmute_conversation,
  api.unreact_to_message
  to authenticated;
