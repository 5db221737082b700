// Logging in and out, and rotating sessions. Rules are in sql/identity/20_sessions.sql and 50_refresh.sql.
import { routes } from '../../lib/routes.ts'
import { Page, UuidId } from '../../lib/schemas.ts'
import { familyOf, logIn, logOut, refresh } from './handlers.ts'
import { Credentials, LogoutBody, Pair, RefreshBody, RotatingSession, Session } from './schemas.ts'

export default routes('identity', {
  'POST /auth/login': {
    summary: 'Log in with email address and password',
    description:
      'The access token lives seven days. With `{"session": "rotating"}` it lives 15 minutes, and the answer has `refreshToken` and `expiresIn` too. A person has at most 100 rotating sessions: a further one ends the one that was not used for longest. Wrong passwords count by address; and by device where `deviceToken` is one of the account, else by account over all devices that it does not know, whether there is such an account or not. So who tries the passwords of others does not lock them out. A device token that is no good is passed over; the answer has one for the next login, good for a year. It outlives a logout, and ends with the password.',
    access: 'public',
    pool: 'gate',
    limit: 'login',
    body: Credentials,
    handler: logIn,
    limits: ['login_account', 'login_device'],
    calls: ['find_login', 'log_in'],
    answers: { 200: Session },
  },
  'POST /auth/logout': {
    summary: 'End this token, or with scope global every one',
    description:
      'With `refreshToken` that rotating session ends too, with all of its access tokens; one that is no good is ignored. Scope `global` ends every rotating session, and forgets every device that is pushed to; with `pushToken` that one is forgotten.',
    access: 'user',
    body: LogoutBody,
    handler: logOut,
    calls: ['remove_push_token', 'log_out'],
    answers: { 204: null },
  },
  'POST /identity/refresh': {
    summary: 'Exchange a refresh token for a new pair',
    description:
      'A refresh token is good for one use and 60 days; each use begins the 60 days anew. Presenting a spent one ends its session and its access tokens for good, except the last one within 10 seconds of its first use: then the same successor comes back. Whatever ends all tokens of a person (a new password, a logout everywhere, a ban, another role, erasure) ends their sessions. Refreshing counts by session, and what is no refresh token of ours by address.',
    access: 'public',
    pool: 'gate',
    limit: 'refresh',
    limitBy: familyOf,
    body: RefreshBody,
    handler: refresh,
    calls: ['refresh_session'],
    answers: { 200: Pair },
  },
  'GET /me/sessions': {
    summary: 'My rotating sessions, the newest first',
    description:
      'Those that can still be refreshed. `lastUsedAt` is the last refresh. Tokens of seven days belong to no session.',
    access: 'user',
    operation: 'list_sessions',
    page: true,
    answers: { 200: Page(RotatingSession) },
  },
  'DELETE /me/sessions/:id': {
    summary: 'End one of my rotating sessions',
    description:
      'Its refresh token is dead at once, and so are the access tokens that it gave out. Repeating it changes nothing.',
    access: 'user',
    operation: 'end_session',
    params: UuidId,
    answers: { 204: null },
  },
})
