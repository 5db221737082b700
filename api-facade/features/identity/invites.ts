// One's own invite codes. Rules are in sql/identity/35_allotment.sql; reserving and redeeming: routes.ts.
import { routes } from '../../lib/routes.ts'
import { UuidId } from '../../lib/schemas.ts'
import { Invite, Invites, InviteTree } from './account-schemas.ts'

export default routes('identity', {
  'GET /me/invites': {
    summary: 'My invite codes, and how many more I can make',
    description:
      'The allotment is 5, and one more for every 50 of total reputation and every 14 days since registration, at most 30. It counts codes that are active, reserved, used or revoked; those that expired unused are given back. `used` counts redeemed ones, up to 1000. `codes` are the newest 200.',
    access: 'user',
    operation: 'list_my_invites',
    answers: { 200: Invites },
  },
  'POST /me/invites': {
    summary: 'Make an invite code',
    description: 'It is good for 30 days and one registration. 409 when my allotment is used up.',
    access: 'user',
    operation: 'create_invite',
    answers: { 201: Invite },
  },
  'DELETE /me/invites/:id': {
    summary: 'Revoke an unused invite code',
    description:
      'A reservation on it ends, and the allotment goes on counting it. Repeating it changes nothing; a code that was used or has expired is 409.',
    access: 'user',
    operation: 'revoke_invite',
    params: UuidId,
    answers: { 204: null },
  },
  'GET /me/invite-tree': {
    summary: 'By whom I came, and whom I brought in, the newest first',
    description:
      'The `id` of an item is that of the code. People whom I cannot see (a block, a ban, an erasure) are left out, and `invitedBy` is then null, as it is for the first admin.',
    access: 'user',
    operation: 'get_invite_tree',
    page: true,
    answers: { 200: InviteTree },
  },
})
