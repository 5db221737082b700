// The caller's own invite codes. Rules are in sql/identity/35_allotment.sql; reserving and redeeming: routes.ts.
import { routes } from '../../lib/routes.ts'
import { UuidId } from '../../lib/schemas.ts'
import { Invite, Invites, InviteTree } from './account-schemas.ts'

export default routes('identity', {
  'GET /me/invites': {
    summary: 'List your invite codes, and how many more you can create',
    description:
      'The allotment is 5, plus one for every 50 of total reputation and one for every 14 days since registration, at most 30. Codes that are active, reserved, used or revoked count towards it; codes that expired unused do not. `used` is the number of redeemed codes, up to 1000. `codes` has the newest 200.',
    access: 'user',
    operation: 'list_my_invites',
    secret: true,
    answers: { 200: Invites },
    outcome: 'Your codes, and how many more you can create.',
  },
  'POST /me/invites': {
    summary: 'Create an invite code',
    description: 'The code is valid for 30 days and one registration. 409 when your allotment is used up.',
    access: 'user',
    operation: 'create_invite',
    answers: { 201: Invite },
    outcome: 'The new code, ready to be given away.',
  },
  'DELETE /me/invites/:id': {
    summary: 'Revoke an unused invite code',
    description:
      'Also ends a reservation of the code. The code still counts towards the allotment. Repeating it changes nothing. 409 if the code was used or has expired.',
    access: 'user',
    operation: 'revoke_invite',
    params: UuidId,
    answers: { 204: null },
    outcome: 'The code can no longer be used.',
  },
  'GET /me/invite-tree': {
    summary: 'List the people whom you invited, newest first, and the person who invited you',
    description:
      'The `id` of an item is that of the invite code. People whom you cannot see (blocked, banned or erased) are left out. `invitedBy` is null if you cannot see that person, and for the first admin.',
    access: 'user',
    operation: 'get_invite_tree',
    page: true,
    answers: { 200: InviteTree },
    outcome: 'A page of people who registered with your codes, and the person who invited you.',
  },
})
