// Routes with which staff lists, removes and restores content of every kind, and lists conversations. The rules:
// sql/admin/35_contents.sql, 36_conversations.sql.
import { routes } from '../../lib/routes.ts'
import {
  ContentParams,
  ContentQuery,
  ConversationsQuery,
  Reason,
  Removed,
  StaffContentPage,
  StaffConversationPage,
} from './schemas.ts'

const known =
  '`kind` accepts the same names as the list; an unknown kind is 422. Content that its author deleted is 404.'

export default routes('admin', {
  'GET /admin/content': {
    summary: 'List content of every kind, newest first',
    description:
      'With `kind`, lists only content of that kind, or children of one kind, such as `arguments`. For a child, `detail` has the `body` and the id of the content. Includes removed content and content of banned people, but not content of erased people. `q` is an id, or words in title and text: all must occur as whole words; case and accents are ignored. `from` (inclusive) and `to` (exclusive) refer to the time of publication. A page scans at most 400 rows, so it may be shorter than `limit` and still have a next page.',
    access: 'moderator',
    operation: 'list_contents',
    query: ContentQuery,
    page: true,
    answers: { 200: StaffContentPage },
    outcome: 'A page of contents of all kinds, or of their children.',
  },
  'POST /admin/content/:kind/:id/remove': {
    summary: 'Remove content',
    description: `Afterwards only the author sees the content. The author gets a \`moderation.actioned\` notification. Repeating it changes nothing. Writes an audit entry with the reason, if given. ${known}`,
    access: 'admin',
    operation: 'remove_content',
    params: ContentParams,
    body: Reason,
    answers: { 200: Removed },
    outcome: 'When the content was removed.',
  },
  'POST /admin/content/:kind/:id/restore': {
    summary: 'Restore removed content',
    description: `Makes the content visible again to everyone who could see it before. The author gets a \`moderation.actioned\` notification. Repeating it changes nothing. Writes an audit entry with the reason, if given. ${known}`,
    access: 'admin',
    operation: 'restore_content',
    params: ContentParams,
    body: Reason,
    answers: { 200: Removed },
    outcome: 'The content, with `removedAt` null.',
  },
  'GET /admin/conversations': {
    summary: 'List conversations without their messages, newest first',
    description:
      'Only members can read messages. A report of a message contains a copy of it. `messageCount` includes ' +
      'system messages and deleted ones. Lists both kinds, or with `kind` only one. `q` is an id: texts and ' +
      'members are not searched, so any other text finds nothing. A page scans at most 400 rows, so it may be ' +
      'shorter than `limit` and still have a next page.',
    access: 'moderator',
    operation: 'list_all_conversations',
    query: ConversationsQuery,
    page: true,
    answers: { 200: StaffConversationPage },
    outcome: 'A page of conversations with their numbers of members and messages.',
  },
})
