// Bans and roles. The rules: sql/admin/40_people.sql.
import { routes } from '../../lib/routes.ts'
import { AnyPersonId, Ban, Reason, RoleChange, StaffAccount } from './schemas.ts'

const same = 'Repeating it changes nothing and leaves no audit entry.'

export default routes('admin', {
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
