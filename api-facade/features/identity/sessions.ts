// Logging in and out, and sessions. Rules are in sql/identity/20_sessions.sql, 50_refresh.sql and 55_devices.sql.
import { routesOfLogins } from '../../lib/routes.ts'
import { Page, UuidId } from '../../lib/schemas.ts'
import { endAlerted, familyOf, logIn, logOut, refresh } from './handlers.ts'
import {
  AlertBody,
  Credentials,
  Done,
  LoginSession,
  LogoutBody,
  Pair,
  RefreshBody,
  Session,
  SessionsEnded,
} from './schemas.ts'

export default routesOfLogins('identity', {
  'POST /auth/login': {
    summary: 'Log in with email address and password',
    description:
      'The access token is valid for seven days. With `{"session": "rotating"}` it is valid for 15 minutes, and the answer also has `refreshToken` and `expiresIn`. A person has at most 100 rotating and 1000 fixed sessions: a new one ends the least recently used one. Attempts are counted per IP address. Wrong passwords are also counted per device if `deviceToken` belongs to the account, otherwise together for all unknown devices of the account, whether the account exists or not. So somebody who tries passwords cannot lock a known device out. An invalid device token is ignored. If the account has a second factor, a right password without `code` is 403 `factor_required`; send the same body again with `code`. Wrong codes are 403 `code_wrong`, and are counted in the same way as wrong passwords. The answer has a `deviceToken` for the next login. It is valid for a year, even after a logout, and ends when the password changes. A login on a new device is mailed to the person, with a link that ends the login. A device is new if neither its token nor its name and network belong to an earlier login. The first login is not mailed, and at most five such mails an hour are sent.',
    access: 'public',
    id: 'logIn',
    pool: 'gate',
    limit: 'login',
    body: Credentials,
    handler: logIn,
    limits: ['login_account', 'login_device', 'login_factor'],
    calls: ['find_login', 'log_in'],
    answers: { 200: Session },
    outcome: 'Tokens for this device, and your profile.',
  },
  'POST /auth/logout': {
    summary: 'Log out: end this token, or with scope global all tokens',
    description:
      'With `refreshToken`, the rotating session of that token also ends, with all of its access tokens; an invalid refresh token is ignored. Scope `global` ends every session and unregisters every push device. With `pushToken` the device of that token is unregistered.',
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
      'A refresh token can be used once within 60 days; each use starts another 60 days. Reusing a token ends its session and its access tokens permanently. An exception is the latest used token: within 10 seconds of its first use, it returns the same successor again. Everything that ends all tokens of a person (a new password, a global logout, a ban, a new role, an erasure) ends their sessions. Refreshing is limited per session, or per IP address for invalid tokens.',
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
    summary: 'List your sessions, newest first',
    description:
      'Lists every session whose tokens are still valid, with the device and the network of its login. Tokens that were issued before Kith 1.1 and are valid for seven days are not listed.',
    access: 'user',
    fresh: 'access',
    id: 'listMySessions',
    operation: 'list_sessions',
    page: true,
    answers: { 200: Page(LoginSession) },
    outcome: 'A page of sessions.',
  },
  'DELETE /me/sessions': {
    summary: 'End all your sessions except this one',
    description:
      'Ends every session of `GET /me/sessions` except the one whose `isCurrent` is true, and the tokens of these sessions. `POST /auth/logout` with scope `global` also ends this one.',
    access: 'user',
    id: 'endMyOtherSessions',
    operation: 'end_other_sessions',
    answers: { 200: SessionsEnded },
    outcome: 'How many sessions ended.',
  },
  'DELETE /me/sessions/:id': {
    summary: 'End one of your sessions',
    description: 'Its refresh token and all of its access tokens end immediately. Repeating it changes nothing.',
    access: 'user',
    id: 'endMySession',
    operation: 'end_session',
    params: UuidId,
    answers: { 204: null },
    outcome: 'The session and its tokens no longer work.',
  },
  'POST /auth/end-session': {
    summary: 'End a login with the token from the mail that reported it',
    description:
      'The tokens of that login end immediately. At its next login, every device of the person then counts as ' +
      'new, even one with a device token. The password does not change. The person who logged in may know the ' +
      'password, so choose a new password afterwards. 410 if that login has already ended, or if the token is ' +
      'unknown.',
    access: 'public',
    id: 'endAlertedSession',
    pool: 'gate',
    body: AlertBody,
    handler: endAlerted,
    calls: ['end_alerted_session'],
    answers: { 200: Done },
    outcome: 'The login has ended.',
  },
})
