// The caller's account: the profile and what others see of it, the export, and the erasure. Rules are in sql/identity.
import type { z } from 'zod'
import { call } from '../../lib/call.ts'
import type { Context } from '../../lib/context.ts'
import { routes } from '../../lib/routes.ts'
import { idsQuery, PersonParam, z as zod } from '../../lib/schemas.ts'
import { Erased, ErasureBody, Export, People, Profile, ProfileChanges } from './account-schemas.ts'
import { exportMe } from './export.ts'
import { confirmPassword } from './handlers.ts'
import { Me } from './schemas.ts'

const erase = async (c: Context, { password }: z.output<typeof ErasureBody>) =>
  call(c, 'erase_me', { p_password_hash: await confirmPassword(c, password) })

export default routes('identity', {
  'GET /me': {
    summary: 'Get your profile',
    description:
      '`emailVerifiedAt` is null until you prove that the address is yours. `emailBouncedAt` is set when a mail server reports that the mailbox does not exist. From then on the address gets no digest, and every other mail is tried only once, until you verify the address again, set a password by mail, or change the address. `lastSeenAt` is accurate to five minutes and is shown to nobody else.',
    access: 'user',
    also: ['GET /identity/me'],
    operation: 'get_me',
    answers: { 200: Me },
    outcome: 'Your profile, with what only you see.',
  },
  'PATCH /me': {
    summary: 'Change your profile',
    description:
      'Absent fields do not change. Null clears `phone`, `about` and `profilePicUrl`, and is not allowed for other fields. After a change of `username` the previous actor id still leads to you, and nobody else ever gets it. You can change it 10 times, and return to any name that you had.',
    access: 'user',
    also: ['PATCH /identity/me'],
    operation: 'update_me',
    body: ProfileChanges,
    bodyAs: 'p_changes',
    answers: { 200: Me },
    outcome: 'Your profile after the change.',
  },
  'GET /users': {
    summary: 'Get several people by their ids',
    description:
      'Returns their cards in the order of the ids, each once. People whom you cannot see and people who do not exist are left out.',
    access: 'user',
    operation: 'get_people',
    query: idsQuery(PersonParam, 'acct:ada@localhost,acct:bo@localhost'),
    answers: { 200: People },
    outcome: 'The cards of the people whom you can see.',
  },
  'GET /users/:usernameOrId': {
    summary: 'Get a person’s public profile',
    description:
      'Returns the person’s card with `about`, `country`, `city` and `createdAt`, and with `counters` as in `GET /circles/users/:id/follow-stats`. `viewer` says how you are connected to the person. Email address, phone, date of birth, role and presence are never public. 404 if the person is banned or erased or if there is a block between you, as if the person did not exist.',
    access: 'user',
    also: [
      {
        route: 'GET /identity/users/by-handle/:handle',
        params: zod.object({ handle: PersonParam }),
        as: { handle: 'p_person' },
      },
    ],
    operation: 'get_profile',
    etag: true,
    params: zod.object({ usernameOrId: PersonParam }),
    as: { usernameOrId: 'p_person' },
    answers: { 200: Profile },
    outcome: 'The person’s profile, and how you are connected.',
  },
  'POST /me/delete': {
    summary: 'Erase your account permanently',
    description:
      'Takes effect immediately, in one transaction: personal data is overwritten, nobody sees your posts and replies any more, invite codes are revoked, and every token and session ends. The texts of posts and replies are deleted. Circles, memberships, invitations, follows, blocks, chosen interests, conversations and notifications end. This affects up to 500 rows of each kind in the same transaction, and further ones within seconds. Ledgers and the audit log keep ids and numbers. Mana that is left stays in the wallet; hearts and sparks stay without a name. The email address can be registered again; your usernames are never given to anyone else. A wrong password is 403, and attempts are limited per person, as for a change of the password. The last admin cannot be erased: 409 `last_admin`.',
    access: 'user',
    scope: 'none',
    id: 'eraseMe',
    also: ['POST /identity/me/delete', { route: 'DELETE /me', answers: { 204: null } }],
    pool: 'gate',
    body: ErasureBody,
    handler: erase,
    limits: ['password'],
    calls: ['find_password', 'erase_me'],
    answers: { 200: Erased },
    outcome: 'The account is erased, and its tokens no longer work.',
    fails: ['password_wrong'],
  },
  'GET /me/export': {
    summary: 'Export all your data as one JSON file',
    description:
      'The file is streamed and can be long. Each page of 200 rows is read at its own moment, so a row that moves meanwhile, such as a conversation, may occur twice. One export per person and four per instance can run at once: otherwise 429 `rate_limited`, and `Retry-After` says when to try again. The connection ends after 15 minutes. Other people are given by actor id, or null if you cannot see them. Leaves out hashes of passwords and tokens, and what others store about you for themselves: who blocked or muted you, reports, and your bond level in their circles.',
    access: 'user',
    scope: 'none',
    id: 'exportMe',
    unbounded: true,
    handler: exportMe,
    calls: ['export_me'],
    never: ['section_unknown', 'cursor_unknown'], // The handler takes the sections from the schema.
    answers: { 200: Export },
    outcome: 'Your data as one file, which is sent while it is read.',
  },
})
