// Logging in and out, and rotating sessions. Rules are in sql/identity/20_sessions.sql and 50_refresh.sql.
import { routes } from '../../lib/routes.ts'
import { Page, UuidId } from '../../lib/schemas.ts'
import { familyOf, logIn, logOut, refresh } from './handlers.ts'
import { Credentials, LogoutBody, Pair, RefreshBody, RotatingSession, Session } from './schemas.ts'

export default routes('identity', {
  'POST /auth/login': {
    summary: 'Log in with email address and password',
    description:
      'The access token is valid for seven days. With `{"session": "rotating"}` it is valid for 15 minutes, and the answer also has `refreshToken` and `expiresIn`. A person has at most 100 rotating sessions: a new one ends the least recently used one. Attempts are counted per IP address. Wrong passwords are also counted per device if `deviceToken` belongs to the account, otherwise together for all unknown devices of the account, whether the account exists or not. So somebody who tries passwords cannot lock a known device out. An invalid device token is ignored. The answer has a `deviceToken` for the next login. It is valid for a year, even after a logout, and ends when the password changes.',
    access: 'public',
    id: 'logIn',
    pool: 'gate',
    limit: 'login',
    body: Credentials,
    handler: logIn,
    limits: ['login_account', 'login_device'],
    calls: ['find_login', 'log_in'],
    answers: { 200: Session },
    outcome: 'Tokens for this device, and your profile.',
  },
  'POST /auth/logout': {
    summary: 'Log out: end this token, or with scope global all tokens',
    description:
      'With `refreshToken` that rotating session ends, too, with all of its access tokens; an invalid refresh token is ignored. Scope `global` ends every rotating session and unregisters every push device. With `pushToken` that device is unregistered.',
    access: 'user',
    id: 'logOut',
    body: LogoutBody,
    handler: logOut,
    calls: ['remove_push_token', 'log_out'],
    answers: { 204: null },
    outcome: 'The tokens are no longer accepted.',
  },
  'POST /identity/refresh': {
    summary: 'Exchange a refresh token for a new pair',
    description:
      'A refresh token can be used once within 60 days; each use starts another 60 days. Reusing a token ends its session and its access tokens permanently. Exception: within 10 seconds of its first use the latest used token returns the same successor again. Everything that ends all tokens of a person (a new password, a global logout, a ban, a new role, an erasure) ends their sessions. Refreshing is limited per session, or per IP address for invalid tokens.',
    access: 'public',
    id: 'refreshSession',
    pool: 'gate',
    limit: 'refresh',
    limitBy: familyOf,
    body: RefreshBody,
    handler: refresh,
    calls: ['refresh_session'],
    answers: { 200: Pair },
    outcome: 'The next pair of tokens; the sent one is used up.',
  },
  'GET /me/sessions': {
    summary: 'List your rotating sessions, newest first',
    description:
      'The sessions that can still be refreshed. `lastUsedAt` is the last refresh. Tokens that are valid for seven days belong to no session.',
    access: 'user',
    id: 'listMySessions',
    operation: 'list_sessions',
    page: true,
    answers: { 200: Page(RotatingSession) },
    outcome: 'A page of sessions.',
  },
  'DELETE /me/sessions/:id': {
    summary: 'End one of your rotating sessions',
    description: 'Its refresh token and all of its access tokens end immediately. Repeating it changes nothing.',
    access: 'user',
    id: 'endMySession',
    operation: 'end_session',
    params: UuidId,
    answers: { 204: null },
    outcome: 'The session and its tokens no longer work.',
  },
})
