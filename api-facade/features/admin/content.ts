// What staff does about contents of every kind. The rules: sql/admin/35_contents.sql.
import { routes } from '../../lib/routes.ts'
import { ContentParams, ContentQuery, Reason, Removed, StaffContentPage } from './schemas.ts'

const known = 'A kind is named as in the list; one that there is not is 422, and a content that its author deleted 404.'

export default routes('admin', {
  'GET /admin/content': {
    summary: 'Contents of every kind, newest first',
    description:
      'Also removed ones and those of the banned, without those of the erased. `q` is an id, or words of title and text, which are compared without case and accents, whole and all of them; `from` and `to` are when it was published, `to` left out. A page looks at 400 and may be short.',
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
})
