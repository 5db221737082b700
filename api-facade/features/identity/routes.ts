// Identity routes: joining by invite; sessions, passwords, addresses, accounts, personas and own codes have files of their own. Rules are in sql/identity.
import { routes, type Table } from '../../lib/routes.ts'
import account from './account.ts'
import email from './email.ts'
import { register, registerAlias } from './handlers.ts'
import invites from './invites.ts'
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
      'A code that another has reserved is 409; a used, expired or revoked one 410. Unknown codes also count over the whole instance, the first three of an address within an hour apart from all others. When that is spent any code is 429, without a look at it; who mistyped none comes in as before.',
    access: 'public',
    pool: 'gate',
    limit: 'reserve_invite',
    body: Reservation,
    handler: reserve,
    calls: ['reserve_invite'],
    answers: { 200: Reserved },
  },
  'POST /identity/invite-codes/reserve': {
    summary: 'Reserve an invite code in the name of a candidate session',
    description:
      'Another spelling of /auth/reserve-invite. A candidate session holds one reservation: reserving again gives up the one before. `inviteCodeId` is the secret of the reservation and is taken as `sessionId` at registration.',
    access: 'public',
    pool: 'gate',
    limit: 'reserve_invite',
    body: ReservationAlias,
    handler: reserveAlias,
    calls: ['reserve_invite_code'],
    answers: { 200: ReservedAlias },
  },
  'POST /auth/register': {
    summary: 'Join with a reservation',
    description:
      'The username is made from the name, with a number where it is taken. A registration that fails leaves the reservation usable. A link that verifies the address is mailed. `/identity/register` begins a rotating session: its access token lives 15 minutes.',
    access: 'public',
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
  },
})

const tables = [joining, sessions, passwords, email, account, personas, invites]
export default { feature: 'identity', rows: Object.assign({}, ...tables.map(({ rows }) => rows)) } satisfies Table
