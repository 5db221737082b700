// Identity routes: joining by invite, logging in and out, one's own profile. Rules are in sql/identity.
import { routes } from '../../lib/routes.ts'
import { logIn, register } from './handlers.ts'
import {
  Credentials,
  LogoutBody,
  Me,
  Registration,
  Reservation,
  ReservationAlias,
  Reserved,
  ReservedAlias,
  Session,
} from './schemas.ts'

export default routes('identity', {
  'POST /auth/reserve-invite': {
    summary: 'Reserve an invite code for 30 minutes',
    description: 'A code that another has reserved is 409; a used, expired or revoked one 410.',
    access: 'public',
    pool: 'gate',
    limit: 'reserve_invite',
    operation: 'reserve_invite',
    body: Reservation,
    answers: { 200: Reserved },
    fails: ['invite_unknown', 'invite_reserved', 'invite_dead'],
  },
  'POST /identity/invite-codes/reserve': {
    summary: 'Reserve an invite code in the name of a candidate session',
    description:
      'Another spelling of /auth/reserve-invite. A candidate session holds one reservation: reserving again gives up the one before. `inviteCodeId` is the secret of the reservation and is taken as `sessionId` at registration.',
    access: 'public',
    pool: 'gate',
    limit: 'reserve_invite',
    operation: 'reserve_invite_code',
    body: ReservationAlias,
    answers: { 200: ReservedAlias },
    fails: ['invite_unknown', 'invite_reserved', 'invite_dead'],
  },
  'POST /auth/register': {
    summary: 'Join with a reservation',
    description:
      'The username is made from the name, with a number where it is taken. A registration that fails leaves the reservation usable.',
    access: 'public',
    pool: 'gate',
    limit: 'register',
    body: Registration,
    handler: register,
    answers: { 201: Session },
    fails: ['reservation_over', 'email_taken', 'under_age'],
  },
  'POST /auth/login': {
    summary: 'Log in with email address and password',
    access: 'public',
    pool: 'gate',
    limit: 'login',
    body: Credentials,
    handler: logIn,
    answers: { 200: Session },
    fails: ['credentials_wrong', 'person_banned'],
  },
  'POST /auth/logout': {
    summary: 'End this token, or with scope global every one',
    access: 'user',
    operation: 'log_out',
    body: LogoutBody,
    answers: { 204: null },
  },
  'GET /me': {
    summary: 'My profile',
    access: 'user',
    also: ['GET /identity/me'],
    operation: 'get_me',
    answers: { 200: Me },
  },
})
