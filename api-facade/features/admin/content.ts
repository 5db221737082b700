// What staff does about contents of every kind, and sees of conversations. The rules: sql/admin/35_contents.sql,
// 36_conversations.sql.
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

const known = 'A kind is named as in the list; one that there is not is 422, and a content that its author deleted 404.'

export default routes('admin', {
  'GET /admin/content': {
    summary: 'Contents of every kind, newest first',
    description:
      'Or parts of one kind, such as `arguments`, whose `detail` names their content and has their `body`. Also removed ones and those of the banned, without those of the erased. `q` is an id, or words of title and text, which are compared without case and accents, whole and all of them; `from` and `to` are when it was published, `to` left out. A page looks at 400 and may be short.',
    access: 'moderator',
    operation: 'list_contents',
    query: ContentQuery,
    page: true,
    answers: { 200: StaffContentPage },
  },
  'POST /admin/content/:kind/:id/remove': {
    summary: 'Remove a content',
    description: `From all but its author, who gets a \`moderation.actioned\` notification. Repeating it changes nothing. Leaves an audit entry with the reason, if there is one. ${known}`,
    access: 'admin',
    operation: 'remove_content',
    params: ContentParams,
    body: Reason,
    answers: { 200: Removed },
  },
  'POST /admin/content/:kind/:id/restore': {
    summary: 'Restore a removed content',
    description: `To those who may see it otherwise. Its author gets a \`moderation.actioned\` notification. Repeating it changes nothing. Leaves an audit entry with the reason, if there is one. ${known}`,
    access: 'admin',
    operation: 'restore_content',
    params: ContentParams,
    body: Reason,
    answers: { 200: Removed },
  },
  'GET /admin/conversations': {
    summary: 'Conversations, the newest first, without what is said in them',
    description:
      'Nobody reads messages but those who take part; a report of one carries a copy. `messageCount` counts what the conversation itself says, and tombstones. Of both kinds, or of one. `q` is an id: no words are looked at, nor who takes part, so any other text finds nothing. A page looks at 400 and may be short.',
    access: 'moderator',
    operation: 'list_all_conversations',
    query: ConversationsQuery,
    page: true,
    answers: { 200: StaffConversationPage },
  },
})
