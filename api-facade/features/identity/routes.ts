// Identity routes: joining by invite. Sessions, passwords, addresses, accounts, personas and the caller's own codes
// have separate files. Rules are in sql/identity.
import { routes, type Table } from '../../lib/routes.ts'
import accessTokens from './access-tokens.ts'
import account from './account.ts'
import bots from './bots.ts'
import email from './email.ts'
import factors from './factors.ts'
import { register, registerAlias } from './handlers.ts'
import invites from './invites.ts'
import oidc from './oidc.ts'
import passkeys from './passkeys.ts'
import passwords from './passwords.ts'
import personas from './personas.ts'
import { reserve, reserveAlias } from './reserving.ts'
import {
  Registration,
  RegistrationAlias,
  Reservation,
  ReservationAlias,
  Reserved,
  ReservedAlias,
  Session,
  SessionAlias,
} from './schemas.ts'
import sessions from './sessions.ts'

const joining = routes('identity', {
  'POST /auth/reserve-invite': {
    summary: 'Reserve an invite code for 30 minutes',
    description:
      '409 if the code is already reserved; 410 if it was used, was revoked or has expired, or if its owner is banned or erased. Attempts with unknown codes are also limited for the whole instance; the first three of an IP address within an hour are counted separately. When the limit of the instance is reached, every code is 429 without being checked, except from IP addresses that have sent no unknown code.',
    access: 'public',
    id: 'reserveInvite',
    pool: 'gate',
    limit: 'reserve_invite',
    body: Reservation,
    handler: reserve,
    calls: ['reserve_invite'],
    answers: { 200: Reserved },
    outcome: 'The secret of the reservation, and when it ends.',
  },
  'POST /identity/invite-codes/reserve': {
    summary: 'Reserve an invite code for a candidate session',
    description:
      'Another path for `POST /auth/reserve-invite`. A candidate session holds one reservation. A new reservation releases the previous one, and reserving the same code again is not 409. `inviteCodeId` is the secret of the reservation; send it as `sessionId` when you register.',
    access: 'public',
    id: 'reserveInviteCode',
    pool: 'gate',
    limit: 'reserve_invite',
    body: ReservationAlias,
    handler: reserveAlias,
    calls: ['reserve_invite_code'],
    answers: { 200: ReservedAlias },
    outcome: 'The secret of the reservation, and when it ends.',
  },
  'POST /auth/register': {
    summary: 'Register with a reservation',
    description:
      'The username is derived from the name, with a number if it is taken. After a failed registration the reservation can still be used. A link that verifies the email address is mailed. `/identity/register` starts a rotating session, whose access token is valid for 15 minutes.',
    access: 'public',
    id: 'register',
    also: [
      {
        route: 'POST /identity/register',
        body: RegistrationAlias,
        handler: registerAlias,
        answers: { 201: SessionAlias },
      },
    ],
    pool: 'gate',
    limit: 'register',
    body: Registration,
    handler: register,
    calls: ['register'],
    answers: { 201: Session },
    outcome: 'The new account with its first tokens.',
    fails: ['password_guessable'],
  },
})

const tables = [
  joining,
  sessions,
  accessTokens,
  oidc,
  passwords,
  email,
  factors,
  passkeys,
  account,
  personas,
  invites,
  bots,
]
/** What the feature offers, for the API's description. */
export const about =
  'Accounts: registration, login, second factors, sessions, the profile, personas, invites, bots, and the export of one’s data.'

export default { feature: 'identity', rows: Object.assign({}, ...tables.map(({ rows }) => rows)) } satisfies Table
