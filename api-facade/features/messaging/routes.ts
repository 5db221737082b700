// Conversations and messages. Rules are in sql/messaging; the channels are in sql/EVENTS.md.
import { routes, type Table } from '../../lib/routes.ts'
import { UserId, UuidId } from '../../lib/schemas.ts'
import {
  Availability,
  Conversation,
  ConversationPage,
  ConversationQuery,
  EditedMessage,
  HandOver,
  Left,
  MemberId,
  Message,
  MessagePage,
  MessageQuery,
  MuteUntil,
  NewConversation,
  NewMembers,
  NewMessage,
  ReactionParams,
  ReadUpTo,
  Title,
  UnreadConversations,
} from './schemas.ts'

const hourly = 'unless the operator sets another limit (429 `writes_exceeded`; `Retry-After` says when to try again).'
const people = `Limit: 500 people per person and hour to whom you write for the first time or whom you add, ${hourly}`
const forGroups = '400 `conversation_direct` for a direct conversation; 403 if you are not the owner.'

const conversations = routes('messaging', {
  'GET /conversations': {
    summary: 'List your conversations, the latest message first',
    description:
      'A message from somebody with a block between you does not move a conversation up. A cursor is a fixed position, even when conversations move; an id is also accepted. A page scans at most 400 conversations, and with `unread` or `q` at most 10,000 messages and members in them. So it may be shorter than `limit` and still have a next page.',
    access: 'user',
    fresh: 'announced',
    operation: 'list_conversations',
    query: ConversationQuery,
    page: true,
    answers: { 200: ConversationPage },
    outcome: 'A page of conversations, each with its last message.',
  },
  'POST /conversations': {
    summary: 'Open a conversation',
    description: `Two people have one direct conversation: it is created, or returned with 200. A group belongs to you and has the given members. 403 \`no_shared_circle\` for people with whom you share no circle and have no direct conversation. ${people}`,
    access: 'user',
    operation: 'create_conversation',
    body: NewConversation,
    example: { kind: 'group', memberIds: ['acct:ada@localhost'], title: 'The hikers' },
    exists: 'The direct conversation that already exists.',
    answers: { 201: Conversation },
    outcome: 'The conversation, with you as its owner if it is a group.',
  },
  'GET /conversations/availability/:userId': {
    summary: 'Check whether you can write to a person',
    description: 'A person is available if you share a circle or have a direct conversation.',
    access: 'user',
    operation: 'check_availability',
    params: UserId,
    as: { userId: 'p_person' },
    never: ['conversation_full'],
    answers: { 200: Availability },
    outcome: 'Whether you can write to the person, otherwise why not.',
  },
  'GET /conversations/unread-count': {
    summary: 'Count your conversations with unread messages',
    description:
      'Leaves out conversations that you muted. Counts among your first 1000 conversations, up to 99, and scans at most 20,000 messages.',
    access: 'user',
    fresh: 'announced',
    operation: 'count_unread_conversations',
    answers: { 200: UnreadConversations },
    outcome: 'The number of conversations with unread messages.',
  },
  'GET /conversations/:id': {
    summary: 'Get one of your conversations',
    description: '404 after you have left it, until you are added again.',
    access: 'user',
    fresh: 'announced',
    operation: 'get_conversation',
    params: UuidId,
    answers: { 200: Conversation },
    outcome: 'The conversation with its members and last message.',
  },
  'PATCH /conversations/:id': {
    summary: 'Rename a group',
    description: `A system message informs the members; the same title changes nothing. ${forGroups}`,
    access: 'user',
    operation: 'rename_conversation',
    params: UuidId,
    body: Title,
    answers: { 200: Conversation },
    outcome: 'The conversation with its new title.',
  },
  'POST /conversations/:id/leave': {
    summary: 'Leave a group',
    description:
      'If the owner leaves, the longest-standing member becomes the owner. Afterwards you get no messages or events of the group. If you are added again, you can read the messages from the time when you were a member. 400 `conversation_direct` for a direct conversation.',
    access: 'user',
    operation: 'leave_conversation',
    params: UuidId,
    answers: { 200: Left },
    outcome: 'You are no longer a member.',
  },
  'PUT /conversations/:id/mute': {
    summary: 'Mute a conversation',
    description: 'Turns off notifications and pushes of the conversation; messages still arrive.',
    access: 'user',
    operation: 'mute_conversation',
    params: UuidId,
    body: MuteUntil.optional(),
    answers: { 200: Conversation },
    outcome: 'The conversation, muted for you.',
  },
  'DELETE /conversations/:id/mute': {
    summary: 'Unmute a conversation',
    description: 'Repeating it changes nothing.',
    access: 'user',
    operation: 'unmute_conversation',
    params: UuidId,
    answers: { 204: null },
    outcome: 'The conversation is no longer muted for you.',
  },
  'POST /conversations/:id/read': {
    summary: 'Mark a conversation as read',
    description:
      'Sending an earlier message than the last one that you read changes nothing. Your other devices get `read` on your own channel; nobody else is informed.',
    access: 'user',
    operation: 'read_conversation',
    params: UuidId,
    body: ReadUpTo,
    answers: { 200: Conversation },
    outcome: 'The conversation with the number that is still unread.',
  },
  'POST /conversations/:id/members': {
    summary: 'Add people to a group',
    description: `Adds all of them or none. The new members can only read messages that are sent from then on. A group has at most 50 members. ${forGroups} ${people}`,
    access: 'user',
    operation: 'add_conversation_members',
    params: UuidId,
    body: NewMembers,
    answers: { 201: Conversation },
    outcome: 'The conversation with its new members.',
  },
  'PATCH /conversations/:id/members/:userId': {
    summary: 'Transfer the ownership of a group',
    description: `The new owner must be a member. ${forGroups}`,
    access: 'user',
    operation: 'hand_over_conversation',
    params: MemberId,
    body: HandOver,
    as: { userId: 'p_person' },
    never: ['conversation_full'],
    answers: { 200: Conversation },
    outcome: 'The conversation with its new owner.',
  },
  'DELETE /conversations/:id/members/:userId': {
    summary: 'Remove a member from a group',
    description: `Afterwards the person gets no messages or events of the group. ${forGroups} 404 if the person is not a member.`,
    access: 'user',
    operation: 'remove_conversation_member',
    params: MemberId,
    as: { userId: 'p_person' },
    never: ['conversation_full'],
    answers: { 204: null },
    outcome: 'The person is no longer a member.',
  },
})

const closed =
  '403 `conversation_closed` in a direct conversation if there is a block between you, or if the other person is banned or erased.'
const messages = routes('messaging', {
  'GET /conversations/:id/messages': {
    summary: 'List the messages of a conversation',
    description:
      'Lists the newest first, or with `after` the oldest first. With `after`, a client that was offline misses nothing, because no message ever appears before one that the client already has. `nextCursor` continues in the same order; send it with the same `after` or `changedSince`. Contains the messages that were sent while you were a member, without those of banned people and, in a group, without those of people with a block between you. A direct conversation stays readable for both after a block. A page scans at most 400 rows, so it may be shorter than `limit` and still have a next page. `changedSince` also returns what changed up to 3 seconds earlier, because a commit takes time.',
    access: 'user',
    fresh: 'announced',
    operation: 'list_messages',
    params: UuidId,
    query: MessageQuery,
    page: true,
    answers: { 200: MessagePage },
    outcome: 'A page of messages.',
  },
  'POST /conversations/:id/messages': {
    summary: 'Send a message',
    description: `Sending the same \`clientId\` again returns the same message with 200, whatever the body and the Idempotency-Key. Members get an event on \`conversation:{id}\` and shortly after it a notification, unless they muted the conversation. ${closed} Limit: 3000 messages sent and edited per person and hour, ${hourly}`,
    access: 'user',
    operation: 'send_message',
    never: ['idempotency_answer_gone'],
    params: UuidId,
    body: NewMessage,
    exists: 'The message that the client has already sent.',
    answers: { 201: Message },
    outcome: 'The message as everybody in the conversation sees it.',
  },
  'GET /messages/:id': {
    summary: 'Get a message',
    description: 'Only members of its conversation can read it; anyone else gets 404.',
    access: 'user',
    fresh: 'announced',
    operation: 'get_message',
    params: UuidId,
    answers: { 200: Message },
    outcome: 'The message with its reactions.',
  },
  'PATCH /messages/:id': {
    summary: 'Edit a message',
    description:
      `You can do this within 15 minutes after sending; later it is 409 \`message_too_old\`. ${closed} ` +
      `Counts towards the limit of sending.`,
    access: 'user',
    operation: 'edit_message',
    params: UuidId,
    body: EditedMessage,
    answers: { 200: Message },
    outcome: 'The message with its new text.',
  },
  'DELETE /messages/:id': {
    summary: 'Delete a message',
    description:
      'Deletes the message for everyone: an empty message remains, without text, attachment and reactions. ' +
      'Repeating it changes nothing.',
    access: 'user',
    operation: 'delete_message',
    params: UuidId,
    answers: { 204: null },
    outcome: 'The text and the attachment are deleted.',
  },
  'PUT /messages/:id/reactions/:emoji': {
    summary: 'React to a message',
    description: `Repeating it changes nothing. A message has at most 20 different reactions, counted as you see them. Nobody sees or counts reactions of banned people or, in a group, of people with a block between you. ${closed} Limit: 2000 reactions per person and hour, ${hourly}`,
    access: 'user',
    operation: 'react_to_message',
    params: ReactionParams,
    answers: { 200: Message },
    outcome: 'The message with your reaction.',
  },
  'DELETE /messages/:id/reactions/:emoji': {
    summary: 'Remove your reaction',
    description:
      'Repeating it changes nothing. If you can no longer see the message, the reaction is removed, but the answer is 404.',
    access: 'user',
    operation: 'unreact_to_message',
    params: ReactionParams,
    answers: { 204: null },
    outcome: 'The reaction is removed.',
  },
})

/** What the feature offers, for the API's description. */
export const about = 'Conversations and their messages.'

const table: Table = { feature: 'messaging', rows: { ...conversations.rows, ...messages.rows } }
export default table
