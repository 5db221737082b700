// Invite codes, circles and reports in the hands of staff. The rules: sql/admin/10_invites.sql, 25_reports.sql,
// 45_circles.sql.
import { routes } from '../../lib/routes.ts'
import { UuidId } from '../../lib/schemas.ts'
import {
  CirclesQuery,
  InviteCodesQuery,
  ReportsQuery,
  StaffCirclePage,
  StaffInviteCode,
  StaffInviteCodePage,
  StaffReport,
  StaffReportPage,
} from './list-schemas.ts'

const settling =
  'Once: one that is settled is 409. Who reported it gets a `moderation.actioned` notification that names no one; whom it is about hears nothing. Leaves an audit entry.'

export default routes('admin', {
  'GET /admin/invite-codes': {
    summary: 'Invite codes, newest first',
    description: 'Everybody’s. `q` is in the code or the username of its owner. A page looks at 400 and may be short.',
    access: 'moderator',
    operation: 'list_invite_codes',
    query: InviteCodesQuery,
    page: true,
    answers: { 200: StaffInviteCodePage },
  },
  'POST /admin/invite-codes/:id/revoke': {
    summary: 'Revoke an invite code',
    description:
      'A reservation on it ends with it. One that was used or has expired is 409. Its owner gets a `moderation.actioned` notification. Repeating it changes nothing. Leaves an audit entry.',
    access: 'admin',
    operation: 'revoke_invite_code',
    params: UuidId,
    answers: { 200: StaffInviteCode },
  },
  'GET /admin/circles': {
    summary: 'Circles, newest first',
    description:
      'Everybody’s, without who is in them. `q` is in the name or the username of the owner. A page looks at 400 and may be short.',
    access: 'moderator',
    operation: 'list_circles',
    query: CirclesQuery,
    page: true,
    answers: { 200: StaffCirclePage },
  },
  'DELETE /admin/circles/:id': {
    summary: 'Delete a circle',
    description:
      'With its memberships and invitations, so what was for it alone is seen by fewer. Its owner gets a `moderation.actioned` notification. Leaves an audit entry.',
    access: 'admin',
    operation: 'remove_circle',
    params: UuidId,
    answers: { 204: null },
  },
  'GET /admin/reports': {
    summary: 'Reports, newest first',
    description:
      '`copy` is a reported message as its reporter saw it; nothing else shows staff a message. `q` is in the reason, or the id of what was reported. A page looks at 400 and may be short.',
    access: 'moderator',
    operation: 'list_reports',
    query: ReportsQuery,
    page: true,
    answers: { 200: StaffReportPage },
  },
  'POST /admin/reports/:id/review': {
    summary: 'Mark a report as reviewed',
    description: settling,
    access: 'moderator',
    operation: 'review_report',
    params: UuidId,
    answers: { 200: StaffReport },
  },
  'POST /admin/reports/:id/dismiss': {
    summary: 'Dismiss a report',
    description: settling,
    access: 'moderator',
    operation: 'dismiss_report',
    params: UuidId,
    answers: { 200: StaffReport },
  },
})
