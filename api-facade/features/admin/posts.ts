// Posts and replies in the hands of staff. The rules: sql/admin/30_posts.sql.
import { routes } from '../../lib/routes.ts'
import { UuidId } from '../../lib/schemas.ts'
import { Hidden, Reason } from './schemas.ts'

const hiding =
  'Its author still sees it, with `hiddenAt`, and gets a `moderation.actioned` notification that names no one. Repeating it changes nothing. Leaves an audit entry with the reason, if there is one.'
const showing =
  'To those who may see it otherwise. Its author gets a `moderation.actioned` notification. Repeating it changes nothing. Leaves an audit entry with the reason, if there is one.'

export default routes('admin', {
  'POST /admin/posts/:id/hide': {
    summary: 'Hide a post',
    description: `${hiding} A scheduled one still goes out at its time, and stays hidden.`,
    access: 'moderator',
    operation: 'hide_post',
    params: UuidId,
    body: Reason,
    answers: { 200: Hidden },
  },
  'POST /admin/posts/:id/unhide': {
    summary: 'Show a hidden post again',
    description: showing,
    access: 'moderator',
    operation: 'unhide_post',
    params: UuidId,
    body: Reason,
    answers: { 200: Hidden },
  },
  'DELETE /admin/posts/:id': {
    summary: 'Delete a post',
    description:
      'For everyone, its author too, who gets a `moderation.actioned` notification; its row stays. Repeating it changes nothing. Leaves an audit entry with the reason, if there is one.',
    access: 'admin',
    operation: 'remove_post',
    params: UuidId,
    body: Reason,
    answers: { 204: null },
  },
  'POST /admin/replies/:id/hide': {
    summary: 'Hide a reply',
    description: hiding,
    access: 'moderator',
    operation: 'hide_reply',
    params: UuidId,
    body: Reason,
    answers: { 200: Hidden },
  },
  'POST /admin/replies/:id/unhide': {
    summary: 'Show a hidden reply again',
    description: showing,
    access: 'moderator',
    operation: 'unhide_reply',
    params: UuidId,
    body: Reason,
    answers: { 200: Hidden },
  },
})
