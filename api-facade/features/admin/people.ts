// Who there is, bans, roles, and the rights of the banned. The rules: sql/admin/40_people.sql, 41_users.sql,
// 78_rights.sql.
import type { Context } from '../../lib/context.ts'
import { routes } from '../../lib/routes.ts'
import { Erased, Export } from '../identity/account-schemas.ts'
import { exportOf } from '../identity/export.ts'
import { StaffUserDetails, StaffUserPage, UsersQuery } from './list-schemas.ts'
import { AnyPersonId, Ban, Reason, RoleChange, StaffAccount } from './schemas.ts'

const exportUser = (c: Context, { id }: { id: string }) => exportOf(c, 'export_user', { p_id: id })

const same = 'Repeating it changes nothing and leaves no audit entry.'

export default routes('admin', {
  'GET /admin/users': {
    summary: 'People, those who joined last first',
    description:
      'The banned and the erased too; `status=banned` are those who are not erased. `q` is in username, name or email address; a whole address or actor id finds its person at once. A page looks at 400 and may be short.',
    access: 'moderator',
    operation: 'list_users',
    query: UsersQuery,
    page: true,
    answers: { 200: StaffUserPage },
  },
  'GET /admin/users/:id': {
    summary: 'A person',
    description: 'The balance is as it was last settled. Somebody who is erased is 404.',
    access: 'moderator',
    operation: 'get_user',
    params: AnyPersonId,
    answers: { 200: StaffUserDetails },
  },
  'POST /admin/users/:id/export': {
    summary: 'Export the data of a banned person',
    description:
      'On their behalf, since they cannot log in: what `GET /me/export` would give them. Somebody who is not banned is 409. Leaves an audit entry.',
    access: 'admin',
    params: AnyPersonId,
    handler: exportUser,
    calls: ['export_user'],
    never: ['section_unknown', 'cursor_unknown'], // the head names the sections
    answers: { 200: Export },
  },
  'POST /admin/users/:id/erase': {
    summary: 'Erase a banned person, for good',
    description:
      'On their behalf, since they cannot log in: what `POST /me/delete` does. Somebody who is not banned is 409. Leaves an audit entry.',
    access: 'admin',
    operation: 'erase_user',
    params: AnyPersonId,
    answers: { 200: Erased },
  },
  'POST /admin/users/:id/ban': {
    summary: 'Ban a person',
    description: `They are locked out at once: every token, session and Realtime channel of theirs ends, logging in answers 403, and their invite codes are good for nothing. What they published is gone for everyone at once, until the ban ends; of more than 500 posts or 500 replies the older ones leave counts, and places in lists that are then shorter, within seconds. The reason is for the audit log alone, and is required. Oneself is 400, an admin 409: the role is taken away first. ${same}`,
    access: 'admin',
    operation: 'ban_person',
    params: AnyPersonId,
    body: Ban,
    answers: { 200: StaffAccount },
  },
  'POST /admin/users/:id/unban': {
    summary: 'End a ban',
    description: `What the person published is there again, of more than 500 posts or 500 replies the older ones within seconds, and they can log in with the role that they had; tokens from before stay dead. ${same}`,
    access: 'admin',
    operation: 'unban_person',
    params: AnyPersonId,
    body: Reason,
    answers: { 200: StaffAccount },
  },
  'PATCH /admin/users/:id/role': {
    summary: 'Give a person another role',
    description: `A token names the role, so every token, session and Realtime channel of theirs ends, and they log in again. One’s own role is 400, and 409 for the last admin. Of two admins who take the role from each other at once the second gets 401. Leaves an audit entry with both roles. ${same}`,
    access: 'admin',
    operation: 'set_role',
    params: AnyPersonId,
    body: RoleChange,
    answers: { 200: StaffAccount },
  },
})
