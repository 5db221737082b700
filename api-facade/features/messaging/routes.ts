// Conversations and messages. Rules are in sql/messaging; what is sent on channels: sql/EVENTS.md.
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

const hourly = 'unless an operator sets another number: 429 `writes_exceeded`, and `Retry-After` says until when.'
const people = `At most 500 people an hour and person are written to for the first time or added, ${hourly}`
const forGroups = 'A direct conversation is 400 `conversation_direct`, and whoever is not the owner 403.'

const conversations = routes('messaging', {
  'GET /conversations': {
    summary: 'My conversations, those with the latest message first',
    description:
      'A message across a block moves nothing up. A cursor is a place, which stays where it is when a conversation moves; an id is taken too. A page looks at 400 conversations, and with `unread` or `q` at up to 10,000 messages and members in them, and may be short.',
    access: 'user',
    operation: 'list_conversations',
    query: ConversationQuery,
    page: true,
    answers: { 200: ConversationPage },
  },
  'POST /conversations': {
    summary: 'Open a conversation',
    description: `Two people have one direct conversation: it is made, or answered with 200. A group is mine, with the people named. With whom I share no circle and have no direct conversation is 403 \`no_shared_circle\`. ${people}`,
    access: 'user',
    operation: 'create_conversation',
    body: NewConversation,
    example: { kind: 'group', memberIds: ['acct:ada@localhost'], title: 'The hikers' },
    exists: 'The direct conversation that there is.',
    answers: { 201: Conversation },
  },
  'GET /conversations/availability/:userId': {
    summary: 'Whether I may write to a person',
    description: 'Who shares a circle with me, or has a direct conversation with me, is available.',
    access: 'user',
    operation: 'check_availability',
    params: UserId,
    as: { userId: 'p_person' },
    never: ['conversation_full'],
    answers: { 200: Availability },
  },
  'GET /conversations/unread-count': {
    summary: 'How many of my conversations have something unread',
    description:
      'Without those that I muted. Among the first 1000 of my list, up to 99, and as long as no more than 20,000 messages are looked at.',
    access: 'user',
    operation: 'count_unread_conversations',
    answers: { 200: UnreadConversations },
  },
  'GET /conversations/:id': {
    summary: 'A conversation of mine',
    description: 'Who has left it is answered as if there were none, until they are added again.',
    access: 'user',
    operation: 'get_conversation',
    params: UuidId,
    answers: { 200: Conversation },
  },
  'PATCH /conversations/:id': {
    summary: 'Rename my group',
    description: `Its members read of it in a system message; the same title changes nothing. ${forGroups}`,
    access: 'user',
    operation: 'rename_conversation',
    params: UuidId,
    body: Title,
    answers: { 200: Conversation },
  },
  'POST /conversations/:id/leave': {
    summary: 'Leave a group',
    description:
      'An owner hands over to the longest-standing member. I neither read nor hear anything of it from then on; who is added again reads what was said while they were there. A direct conversation is 400 `conversation_direct`.',
    access: 'user',
    operation: 'leave_conversation',
    params: UuidId,
    answers: { 200: Left },
  },
  'PUT /conversations/:id/mute': {
    summary: 'Mute a conversation',
    description: 'No notification and no push of it; messages come all the same.',
    access: 'user',
    operation: 'mute_conversation',
    params: UuidId,
    body: MuteUntil.optional(),
    answers: { 200: Conversation },
  },
  'DELETE /conversations/:id/mute': {
    summary: 'Unmute a conversation',
    description: 'Repeating it changes nothing.',
    access: 'user',
    operation: 'unmute_conversation',
    params: UuidId,
    answers: { 204: null },
  },
  'POST /conversations/:id/read': {
    summary: 'Say up to where I have read',
    description:
      'An earlier message than before changes nothing. My other devices hear `read` on my own channel, and nobody else anything.',
    access: 'user',
    operation: 'read_conversation',
    params: UuidId,
    body: ReadUpTo,
    answers: { 200: Conversation },
  },
  'POST /conversations/:id/members': {
    summary: 'Add people to my group',
    description: `All of them or none; each reads what is said from then on. At most 50 members. ${forGroups} ${people}`,
    access: 'user',
    operation: 'add_conversation_members',
    params: UuidId,
    body: NewMembers,
    answers: { 201: Conversation },
  },
  'PATCH /conversations/:id/members/:userId': {
    summary: 'Hand my group over',
    description: `To another member. ${forGroups}`,
    access: 'user',
    operation: 'hand_over_conversation',
    params: MemberId,
    body: HandOver,
    as: { userId: 'p_person' },
    never: ['conversation_full'],
    answers: { 200: Conversation },
  },
  'DELETE /conversations/:id/members/:userId': {
    summary: 'Take somebody out of my group',
    description: `They neither read nor hear anything of it from then on. ${forGroups} Who does not take part is 404.`,
    access: 'user',
    operation: 'remove_conversation_member',
    params: MemberId,
    as: { userId: 'p_person' },
    never: ['conversation_full'],
    answers: { 204: null },
  },
})

const closed = 'In a direct conversation across a block, or with somebody banned or erased, 403 `conversation_closed`.'
const messages = routes('messaging', {
  'GET /conversations/:id/messages': {
    summary: 'Messages of a conversation',
    description:
      'Newest first; with `after` oldest first, so that a client that was away misses none: nobody ever meets a message before one that they have. `nextCursor` goes on in the same order, together with the same `after` or `changedSince`. Those that were sent while I was a member, without those of the banned and, in a group, of people across a block. What was said in a direct conversation stays readable for both after a block. A page looks at 400 and may be short. `changedSince` also gives what changed up to 3 seconds before, since a commit takes its time.',
    access: 'user',
    operation: 'list_messages',
    params: UuidId,
    query: MessageQuery,
    page: true,
    answers: { 200: MessagePage },
  },
  'POST /conversations/:id/messages': {
    summary: 'Send a message',
    description: `The same \`clientId\` again gives the same message with 200, whatever the body and the Idempotency-Key. Members hear of it on \`conversation:{id}\`, and soon after by a notification, unless they muted the conversation. ${closed} At most 3000 messages sent and edited an hour and person, ${hourly}`,
    access: 'user',
    operation: 'send_message',
    never: ['idempotency_answer_gone'],
    idempotent: true,
    params: UuidId,
    body: NewMessage,
    exists: 'The message that the client sent already.',
    answers: { 201: Message },
  },
  'GET /messages/:id': {
    summary: 'A message',
    access: 'user',
    operation: 'get_message',
    params: UuidId,
    answers: { 200: Message },
  },
  'PATCH /messages/:id': {
    summary: 'Edit my message',
    description: `Within 15 minutes, else 409 \`message_too_old\`. ${closed} Counts as sending does.`,
    access: 'user',
    operation: 'edit_message',
    params: UuidId,
    body: EditedMessage,
    answers: { 200: Message },
  },
  'DELETE /messages/:id': {
    summary: 'Delete my message',
    description:
      'For everyone: a tombstone stays, without words, attachment and reactions. Repeating it changes nothing.',
    access: 'user',
    operation: 'delete_message',
    params: UuidId,
    answers: { 204: null },
  },
  'PUT /messages/:id/reactions/:emoji': {
    summary: 'React to a message',
    description: `Repeating it changes nothing. At most 20 different reactions a message, counted as I see them. Nobody sees or counts a reaction of somebody banned or, in a group, across a block. ${closed} At most 2000 reactions an hour and person, ${hourly}`,
    access: 'user',
    operation: 'react_to_message',
    params: ReactionParams,
    answers: { 200: Message },
  },
  'DELETE /messages/:id/reactions/:emoji': {
    summary: 'Take my reaction back',
    description:
      'Repeating it changes nothing. It also works on a message that I no longer see, which is answered with 404 all the same.',
    access: 'user',
    operation: 'unreact_to_message',
    params: ReactionParams,
    answers: { 204: null },
  },
})

const table: Table = { feature: 'messaging', rows: { ...conversations.rows, ...messages.rows } }
export default table
