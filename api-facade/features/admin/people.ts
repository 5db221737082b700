// People, bans, limits, roles, and the rights of banned people. The rules: sql/admin/40_people.sql, 41_users.sql,
// 78_rights.sql.
import type { Context } from '../../lib/context.ts'
import { routes } from '../../lib/routes.ts'
import { Page } from '../../lib/schemas.ts'
import { Erased, Export } from '../identity/account-schemas.ts'
import { exportOf } from '../identity/export.ts'
import { LoginSession, SessionsEnded } from '../identity/schemas.ts'
import { StaffUserDetails, StaffUserPage, UsersQuery } from './list-schemas.ts'
import { AnyPersonId, Ban, Limit, Reason, RoleChange, StaffAccount } from './schemas.ts'

const exportUser = (c: Context, { id }: { id: string }) => exportOf(c, 'export_user', { p_id: id })

const same = 'Repeating it changes nothing and writes no audit entry.'

export default routes('admin', {
  'GET /admin/users': {
    summary: 'List people, newest first',
    description:
      'Includes banned and erased people; `status=banned` leaves out erased ones. `q` matches username, name or email address; a complete address or actor id finds its person directly. A page scans at most 400 rows, so it may be shorter than `limit` and still have a next page.',
    access: 'moderator',
    operation: 'list_users',
    query: UsersQuery,
    page: true,
    answers: { 200: StaffUserPage },
    outcome: 'A page of accounts with their roles and email addresses.',
  },
  'GET /admin/users/:id': {
    summary: 'Get a person',
    description: 'The balance is that of the last settlement. An erased person is 404.',
    access: 'moderator',
    operation: 'get_user',
    params: AnyPersonId,
    answers: { 200: StaffUserDetails },
    outcome: 'The account with reputation, balance and open reports.',
  },
  'GET /admin/users/:id/sessions': {
    summary: 'List the sessions of a person, newest first',
    description:
      'Has the same fields that the person sees at `GET /me/sessions`: no token, and only the network of the IP address. `isCurrent` is always false.',
    access: 'moderator',
    scope: 'none',
    operation: 'list_user_sessions',
    params: AnyPersonId,
    page: true,
    answers: { 200: Page(LoginSession) },
    outcome: 'A page of sessions.',
  },
  'POST /admin/users/:id/sessions/end': {
    summary: 'End all sessions of a person',
    description:
      'Every token and session of the person ends immediately, and their Realtime channels are closed. The person can log in again. Use this if, for example, somebody else has access to the account. Writes an audit entry.',
    access: 'admin',
    scope: 'none',
    operation: 'end_user_sessions',
    params: AnyPersonId,
    body: Reason,
    answers: { 200: SessionsEnded },
    outcome: 'How many sessions ended.',
  },
  'POST /admin/users/:id/export': {
    summary: 'Export the data of a banned person',
    description:
      'The same as `GET /me/export`, for a person who cannot log in. Needs a fresh proof if you have a second factor. 409 if the person is not banned. Writes an audit entry.',
    access: 'admin',
    scope: 'none',
    id: 'adminExportUser',
    params: AnyPersonId,
    unbounded: true,
    handler: exportUser,
    calls: ['export_user'],
    never: ['section_unknown', 'cursor_unknown'], // The handler takes the sections from the schema.
    answers: { 200: Export },
    outcome: 'The person’s data as one file, which is sent while it is read.',
  },
  'POST /admin/users/:id/erase': {
    summary: 'Erase a banned person permanently',
    description:
      'The same as `POST /me/delete`, for a person who cannot log in. Needs a fresh proof if you have a second factor. 409 if the person is not banned. Writes an audit entry.',
    access: 'admin',
    scope: 'none',
    operation: 'erase_user',
    params: AnyPersonId,
    answers: { 200: Erased },
    outcome: 'The account is erased.',
  },
  'POST /admin/users/:id/ban': {
    summary: 'Ban a person',
    description: `Takes effect immediately: the person's tokens and sessions are revoked, their Realtime channels are closed, login attempts return 403, and their invite codes cannot be used. Nobody sees what they published until the ban ends. With \`until\` it is a suspension: it ends by itself within a minute after that time, and until then a login says when it ends. If the person is banned already, \`until\` replaces the end of the ban, and without \`until\` the ban has no end. If they have more than 500 posts or 500 replies, the older ones are removed from counters and lists within seconds; until then, pages of lists may be shorter. A person’s bots are banned with them; with \`alsoOwner\` the owner of a bot is banned, too. The person reads the reason, which is required. 400 for yourself; 409 for an admin: remove the role first. ${same}`,
    access: 'admin',
    operation: 'ban_person',
    params: AnyPersonId,
    body: Ban,
    answers: { 200: StaffAccount },
    outcome: 'The account, now banned.',
  },
  'POST /admin/users/:id/unban': {
    summary: 'End a ban',
    description: `Ends a suspension too. What the person published is visible again: the newest 500 posts and 500 replies immediately, older ones within seconds. They can log in with their previous role; old tokens stay invalid. The bots that were banned with the person are unbanned, too. 409 \`owner_banned\` for a bot whose owner is banned. ${same}`,
    access: 'admin',
    operation: 'unban_person',
    params: AnyPersonId,
    body: Reason,
    answers: { 200: StaffAccount },
    outcome: 'The account, no longer banned.',
  },
  'POST /admin/users/:id/limit': {
    summary: 'Limit a person',
    description: `From now on only the person and their followers find the person, and what the person publishes, in feeds, searches and suggestions. Others still see the profile, and posts and replies to which they have a link; a reply stays in its thread. The person stays logged in and is notified. The person reads the reason, which is required. 400 for yourself; 409 for an admin: remove the role first. ${same}`,
    access: 'admin',
    operation: 'limit_person',
    params: AnyPersonId,
    body: Limit,
    answers: { 200: StaffAccount },
    outcome: 'The account, now limited.',
  },
  'POST /admin/users/:id/unlimit': {
    summary: 'End the limit of a person',
    description: `Everybody finds the person, and what they published, in feeds, searches and suggestions again. ${same}`,
    access: 'admin',
    operation: 'unlimit_person',
    params: AnyPersonId,
    body: Reason,
    answers: { 200: StaffAccount },
    outcome: 'The account, no longer limited.',
  },
  'PATCH /admin/users/:id/role': {
    summary: 'Give a person another role',
    description:
      `Ends every token, session and Realtime channel of the person, because tokens contain the role. ` +
      `The person must log in again. 400 for your own role; 409 for the last admin. If two admins remove the role ` +
      `from each other at the same time, the second request is 401. Writes an audit entry with both roles. ${same}`,
    access: 'admin',
    scope: 'none',
    operation: 'set_role',
    params: AnyPersonId,
    body: RoleChange,
    answers: { 200: StaffAccount },
    outcome: 'The account with its new role.',
  },
})
