// One's account: the profile and what others see of it, the export, erasure. Rules are in sql/identity.
import type { z } from 'zod'
import { call } from '../../lib/call.ts'
import type { Context } from '../../lib/context.ts'
import { routes } from '../../lib/routes.ts'
import { PersonParam, z as zod } from '../../lib/schemas.ts'
import { Erased, ErasureBody, Export, Profile, ProfileChanges } from './account-schemas.ts'
import { exportMe } from './export.ts'
import { confirmPassword } from './handlers.ts'
import { Me } from './schemas.ts'

const erase = async (c: Context, { password }: z.output<typeof ErasureBody>) =>
  call(c, 'erase_me', { p_password_hash: await confirmPassword(c, password) })

export default routes('identity', {
  'GET /me': {
    summary: 'My profile',
    description:
      '`emailVerifiedAt` is null until I have proved that the address is mine. `emailBouncedAt` is when a mail server said that there is no such mailbox: from then on no digest goes there, and of what is asked for one try, until I verify the address again, set a password by mail, or have another address. `lastSeenAt` is exact to five minutes, and nobody else sees it.',
    access: 'user',
    also: ['GET /identity/me'],
    operation: 'get_me',
    answers: { 200: Me },
  },
  'PATCH /me': {
    summary: 'Change my profile',
    description:
      'A field that is absent stays as it is; null clears `phone`, `about` and `profilePicUrl`, and is refused for the others. After a change of `username` the actor id before it goes on leading to me, and nobody else ever gets it; a person can change it 10 times, and go back to any name that they had.',
    access: 'user',
    also: ['PATCH /identity/me'],
    operation: 'update_me',
    body: ProfileChanges,
    bodyAs: 'p_changes',
    answers: { 200: Me },
  },
  'GET /users/:usernameOrId': {
    summary: 'A person’s public profile',
    description:
      'The person’s card with `about`, `country`, `city` and `createdAt`. Email address, phone, date of birth, role and presence are never public. A person across a block, banned or erased is 404, as one who does not exist.',
    access: 'user',
    also: [
      {
        route: 'GET /identity/users/by-handle/:handle',
        params: zod.object({ handle: PersonParam }),
        as: { handle: 'p_person' },
      },
    ],
    operation: 'get_profile',
    params: zod.object({ usernameOrId: PersonParam }),
    as: { usernameOrId: 'p_person' },
    answers: { 200: Profile },
  },
  'POST /me/delete': {
    summary: 'Erase my account, for good',
    description:
      'At once, in one transaction: what tells who I am is overwritten, nobody sees my posts and replies any more, invite codes are revoked, every token and session is dead. In it too, up to 500 of a kind, and of whoever has more within seconds: posts and replies are deleted with their words, circles, memberships, invitations, follows, blocks, choices, conversations and notifications end. Ledgers and the audit log keep ids and numbers; mana that I have left stays where it is; hearts and sparks stay as nameless counts. My address can register again; my usernames are never given to anyone. A wrong password is 403, and counts by person, as where the password is changed. The last admin cannot go: 409 `last_admin`.',
    access: 'user',
    also: ['POST /identity/me/delete', { route: 'DELETE /me', answers: { 204: null } }],
    pool: 'gate',
    body: ErasureBody,
    handler: erase,
    limits: ['password'],
    calls: ['find_password', 'erase_me'],
    answers: { 200: Erased },
    fails: ['password_wrong'],
  },
  'GET /me/export': {
    summary: 'Everything about me, as one JSON file',
    description:
      'Streamed, so it may be long; each page of 200 rows is as of the moment at which it is read, so a row that moves meanwhile, such as a conversation, may come twice. One export a person is written at once, and four by an instance: 429 `rate_limited`, and `Retry-After` says until when. Within 15 minutes it must be taken, or the connection ends. Other people stand in it by actor id, or as null where I cannot see them. Hashes of passwords and tokens are left out, and what others keep about me for themselves: who blocked or muted me, reports, how close I am in their circles.',
    access: 'user',
    handler: exportMe,
    calls: ['export_me'],
    never: ['section_unknown', 'cursor_unknown'], // the head names the sections
    answers: { 200: Export },
  },
})
