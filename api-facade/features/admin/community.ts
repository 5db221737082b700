// Invite codes, circles, apps and reports for staff. The rules: sql/admin/10_invites.sql, 25_reports.sql,
// 45_circles.sql, 47_apps.sql.
import { routes } from '../../lib/routes.ts'
import { UuidId } from '../../lib/schemas.ts'
import {
  AppsQuery,
  CirclesQuery,
  InviteCodesQuery,
  ReportsQuery,
  StaffAppPage,
  StaffCirclePage,
  StaffInviteCode,
  StaffInviteCodePage,
  StaffReport,
  StaffReportPage,
} from './list-schemas.ts'
import { StaffReportFile } from './report-schemas.ts'

const settling =
  'You can do this only once: a settled report is 409. The reporter gets a `moderation.actioned` notification that ' +
  'names nobody; the reported person is not notified. 409 `case_claimed` while somebody else has claimed its case, ' +
  'and 404 `report_unknown` for a report about yourself or what you wrote. Writes an audit entry.'

export default routes('admin', {
  'GET /admin/invite-codes': {
    summary: 'Invite codes, newest first',
    description:
      'Lists the codes of all people. `q` matches the code or the username of its owner. A page scans at most 400 rows, so it may be shorter than `limit` and still have a next page.',
    access: 'moderator',
    operation: 'list_invite_codes',
    secret: true,
    query: InviteCodesQuery,
    page: true,
    answers: { 200: StaffInviteCodePage },
    outcome: 'A page of codes with their owners and users.',
  },
  'POST /admin/invite-codes/:id/revoke': {
    summary: 'Revoke an invite code',
    description:
      'Also ends a reservation of the code. 409 if the code was used or has expired. The owner of the code gets a `moderation.actioned` notification. Repeating it changes nothing. Writes an audit entry.',
    access: 'admin',
    operation: 'revoke_invite_code',
    params: UuidId,
    answers: { 200: StaffInviteCode },
    outcome: 'The code, now revoked.',
  },
  'GET /admin/circles': {
    summary: 'List circles, newest first',
    description:
      'Lists the circles of all people, without their members. `q` matches the name or the username of the owner. A page scans at most 400 rows, so it may be shorter than `limit` and still have a next page.',
    access: 'moderator',
    operation: 'list_circles',
    query: CirclesQuery,
    page: true,
    answers: { 200: StaffCirclePage },
    outcome: 'A page of circles with the number of their members.',
  },
  'DELETE /admin/circles/:id': {
    summary: 'Delete a circle',
    description:
      'Also deletes the memberships and invitations of the circle, so its members may no longer see posts of the owner that are only for circles. The owner gets a `moderation.actioned` notification. Writes an audit entry.',
    access: 'admin',
    operation: 'remove_circle',
    params: UuidId,
    answers: { 204: null },
    outcome: 'The circle is deleted.',
  },
  'GET /admin/apps': {
    summary: 'List third-party apps, newest first',
    description:
      'Lists the apps that people registered, without their secrets. Leaves out deleted apps. `q` matches the name, the website or the username of the owner. A page scans at most 400 rows, so it may be shorter than `limit` and still have a next page.',
    access: 'moderator',
    operation: 'list_all_apps',
    query: AppsQuery,
    page: true,
    answers: { 200: StaffAppPage },
    outcome: 'A page of apps with their owners.',
  },
  'DELETE /admin/apps/:id': {
    summary: 'Delete an app',
    description:
      'The app gets no new token, and its consents and tokens end: the first 500 consents immediately, the others within minutes. The owner gets a `moderation.actioned` notification. Writes an audit entry.',
    access: 'admin',
    operation: 'remove_app',
    params: UuidId,
    answers: { 204: null },
    outcome: 'The app is deleted.',
  },
  'GET /admin/reports': {
    summary: 'List reports, newest first',
    description:
      '`copy` is a reported message as the reporter saw it; staff can see messages nowhere else. Reports of things in a group or guild go to its owner and moderators first. They appear in this list after three days, or immediately if their category or the author of the thing requires it. `waiting=true` lists the reports that do not appear here yet. `q` matches the reason or the id of what was reported. A page scans at most 400 rows, so it may be shorter than `limit` and still have a next page.',
    access: 'moderator',
    operation: 'list_reports',
    query: ReportsQuery,
    page: true,
    answers: { 200: StaffReportPage },
    outcome: 'A page of reports with their reporters.',
  },
  'GET /admin/reports/:id': {
    summary: 'Get a report with its target, its author and their history',
    description:
      '`target` is the reported thing as the lists for staff show it; null for a message, of which staff sees only `copy`, and for what no longer exists. `author` is the person who was responsible for it when it was reported: its author, or the owner of a group or guild. `reportsOfTarget` has the other reports of the same thing. `history` has the reports of other things of the author, and what staff decided against the author; only the audit log says who decided, and why. Each list has the newest 50, and the entries of `history` are chosen from the newest 400.',
    access: 'moderator',
    operation: 'get_report',
    params: UuidId,
    answers: { 200: StaffReportFile },
    outcome: 'The report, what it is about, and earlier decisions.',
  },
  'POST /admin/reports/:id/review': {
    summary: 'Mark a report as reviewed',
    description: settling,
    access: 'moderator',
    operation: 'review_report',
    params: UuidId,
    answers: { 200: StaffReport },
    outcome: 'The report, settled as reviewed.',
  },
  'POST /admin/reports/:id/dismiss': {
    summary: 'Dismiss a report',
    description: settling,
    access: 'moderator',
    operation: 'dismiss_report',
    params: UuidId,
    answers: { 200: StaffReport },
    outcome: 'The report, settled as dismissed.',
  },
})
