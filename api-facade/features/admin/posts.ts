// Posts and replies for staff. The rules: sql/admin/30_posts.sql.
import { routes } from '../../lib/routes.ts'
import { UuidId } from '../../lib/schemas.ts'
import { Hidden, Reason } from './schemas.ts'

const hiding =
  'Afterwards only the author sees the post or reply, with `hiddenAt`. The author gets a `moderation.actioned` ' +
  'notification that names nobody. Repeating it changes nothing. Writes an audit entry with the reason, if given.'
const showing =
  'Makes the post or reply visible again to everyone who could see it before. Only an admin can show again what ' +
  'they wrote themselves (403 `role_required`). The author gets a `moderation.actioned` notification. Repeating it ' +
  'changes nothing. Writes an audit entry with the reason, if given.'

export default routes('admin', {
  'POST /admin/posts/:id/hide': {
    summary: 'Hide a post',
    description: `${hiding} A scheduled post is still published at its time, and stays hidden.`,
    access: 'moderator',
    operation: 'hide_post',
    params: UuidId,
    body: Reason,
    answers: { 200: Hidden },
    outcome: 'When the post was hidden.',
  },
  'POST /admin/posts/:id/unhide': {
    summary: 'Unhide a post',
    description: showing,
    access: 'moderator',
    operation: 'unhide_post',
    params: UuidId,
    body: Reason,
    answers: { 200: Hidden },
    outcome: 'The post, with `hiddenAt` null.',
  },
  'DELETE /admin/posts/:id': {
    summary: 'Delete a post',
    description:
      'Deletes the post for everyone, including its author. The author gets a `moderation.actioned` notification. ' +
      'The row is kept. Repeating it changes nothing. Writes an audit entry with the reason, if given.',
    access: 'admin',
    operation: 'remove_post',
    params: UuidId,
    body: Reason,
    answers: { 204: null },
    outcome: 'The post is deleted.',
  },
  'POST /admin/replies/:id/hide': {
    summary: 'Hide a reply',
    description: hiding,
    access: 'moderator',
    operation: 'hide_reply',
    params: UuidId,
    body: Reason,
    answers: { 200: Hidden },
    outcome: 'When the reply was hidden.',
  },
  'POST /admin/replies/:id/unhide': {
    summary: 'Unhide a reply',
    description: showing,
    access: 'moderator',
    operation: 'unhide_reply',
    params: UuidId,
    body: Reason,
    answers: { 200: Hidden },
    outcome: 'The reply, with `hiddenAt` null.',
  },
})
