// Schemas of identity. Rules are in sql/identity.

import { About, ActorId, City, Country, countryCodes, Picture } from '../../lib/fields.ts'
import { personId, Timestamp, Uuid, z } from '../../lib/schemas.ts'

const codes = new Set(countryCodes)

const Email = z
  .email()
  .max(254)
  .refine((email) => !/@deleted\.invalid$/i.test(email), 'is reserved for erased accounts')
  .describe('The email address, up to 254 characters. A mail with a link verifies it.')
const Password = z
  .string()
  .min(8)
  .max(1024)
  .describe(
    '8 to 1024 characters of any kind. Instances in production answer 422 `password_guessable` if it is one of the most common passwords, or consists of the person’s names or address.',
  )
const Name = z.string().trim().min(1).max(80)
/** How long an access token is valid: seven days, in seconds. */
export const TOKEN_SECONDS = 7 * 86_400
/** How long an access token with a refresh token is valid: 15 minutes, in seconds. */
export const ROTATING_SECONDS = 15 * 60

export const Reservation = z.object({
  code: z.string().trim().max(40).describe('The code as it was given, in any letter case.'),
})
export const ReservationAlias = Reservation.extend({
  candidateSessionId: z.uuidv4().describe('A random UUID (version 4) that the client chooses and keeps secret.'),
})
const ReservationId = Uuid.describe('The secret of the reservation, with which only its holder can register.')
export const Reserved = z.object({ sessionId: ReservationId, expiresAt: Timestamp }).openapi('Reservation')
export const ReservedAlias = z
  .object({ inviteCodeId: ReservationId, reservedUntil: Timestamp })
  .openapi('ReservationAlias')

const Joining = z.object({
  firstName: Name.describe('1 to 80 characters.'),
  lastName: Name.describe('1 to 80 characters.'),
  dateOfBirth: z.iso.date().describe('The date of birth, at least 18 years ago. It is not part of the public profile.'),
  country: z
    .string()
    .refine((code) => codes.has(code), 'must be an ISO 3166-1 alpha-2 code')
    .openapi({ example: 'DE' })
    .describe('The country where the person lives: an ISO 3166-1 alpha-2 code.'),
  city: z.string().trim().min(1).max(120).describe('The city where the person lives, 1 to 120 characters.'),
})
export const DeviceName = z
  .string()
  .trim()
  .min(1)
  .max(80)
  .refine((name) => /^[\p{L}\p{N} '’()+,_-]*$/u.test(name), "must have only letters, digits, spaces and '’()+,_-")
  .optional()
  .openapi({ example: 'Ada’s phone' })
  .describe(
    "The name of this device in the person’s list of sessions: 1 to 80 letters, digits, spaces and `'’()+,_-`. Default: what the header `User-Agent` says, such as “Firefox on Windows”.",
  )
export const Registration = z.object({
  sessionId: ReservationId,
  email: Email,
  password: Password,
  deviceName: DeviceName,
  ...Joining.shape,
})
export const RegistrationAlias = z.object({
  inviteCodeId: ReservationId,
  email: Email,
  password: Password,
  deviceName: DeviceName,
  input: Joining.describe('Who registers.'),
})

export const Kind = z
  .literal('rotating')
  .optional()
  .describe(
    'With `rotating` the access token is valid for 15 minutes and comes with a refresh token; otherwise it is valid for seven days.',
  )
/** A code of an authenticator app, or a recovery code. */
export const Code = z.string().trim().min(6).max(40)

/** The device token, as a login sends it. */
export const DeviceTokenSent = z
  .string()
  .max(1024)
  .optional()
  .describe(
    'The `deviceToken` of an earlier answer. With it, wrong passwords of other people do not affect this login, and the login is not mailed as one on a new device.',
  )

// Only this schema normalises the address. Attempts are counted by the address as the database compares it.
export const Credentials = z.object({
  email: z.string().max(254).trim().toLowerCase().describe('The address of the account, in any letter case.'),
  password: z.string().max(1024).describe('The password of the account.'),
  session: Kind,
  code: Code.optional().describe(
    'Only for an account with a second factor: the code that the app shows, or a recovery code. Each can be used once.',
  ),
  deviceToken: DeviceTokenSent,
  deviceName: DeviceName,
})
export const AlertBody = z.object({
  token: z.string().max(1024).describe('The token from the link in the mail.'),
})

// A text that is not one of our tokens is 401, not 422, whatever its length.
const RefreshToken = z.string().max(1024).describe('The refresh token of the latest answer. It works once.')
export const LogoutBody = z
  .object({
    scope: z
      .enum(['local', 'global'])
      .optional()
      .describe('`global` ends every token of yours. Default: `local`, only this one.'),
    refreshToken: RefreshToken.optional().describe('A refresh token of a rotating session, which then ends, too.'),
    pushToken: z
      .string()
      .max(2100)
      .optional()
      .describe('The push token of this device, which then gets no more pushes.'),
  })
  .optional()
export const RefreshBody = z.object({ refreshToken: RefreshToken })
export const PasswordChange = z.object({
  currentPassword: z.string().max(1024).describe('Wrong passwords are counted, as for a login.'),
  newPassword: Password,
  session: Kind,
  deviceName: DeviceName,
})
/** Also allows a host without a dot: the default address of the first admin is admin@localhost. */
export const ResetRequest = z.object({
  email: z
    .email({ pattern: z.regexes.html5Email })
    .max(254)
    .describe('The address of the account. The answer is the same if there is none.'),
})
export const ResetBody = z.object({
  token: z.string().max(1024).describe('The token from the link in the mail.'),
  newPassword: Password,
})
export const VerificationBody = z.object({
  token: z.string().max(1024).describe('The token from the link in the mail.'),
})
export const EmailChange = z.object({
  email: Email,
  currentPassword: z.string().max(1024).describe('Wrong passwords are counted, as for a login.'),
})
export const Done = z.object({ ok: z.literal(true).describe('Always `true`: a failure is an error.') }).openapi('Done')

export const Me = z
  .object({
    id: Uuid,
    actorId: ActorId,
    personId,
    username: z.string().describe('3 to 30 letters a-z, digits and underscores. You can change it.'),
    email: z.string().describe('The address with which you log in. Staff sees it, and no other member.'),
    emailVerifiedAt: Timestamp.nullable().describe('When you proved that the address is yours; null until then.'),
    emailBouncedAt: Timestamp.nullable().describe(
      'When a mail server reported that the mailbox does not exist. Null if no server did, and after you open a link that was mailed to the address.',
    ),
    role: z.enum(['user', 'moderator', 'admin']).describe('`user` for members; `moderator` and `admin` are staff.'),
    isBot: z.boolean().describe('Whether the account is a bot.'),
    firstName: z.string().describe('The first name, which everybody who can see you can read.'),
    lastName: z.string().describe('The last name, which everybody who can see you can read.'),
    dateOfBirth: z.iso
      .date()
      .nullable()
      .describe('Your date of birth, which is not part of your public profile. Null for the first admin and for bots.'),
    country: Country,
    city: City,
    phone: z
      .string()
      .nullable()
      .describe('Your phone number, which is not part of your public profile; null if you gave none.'),
    hasPublicPage: z
      .boolean()
      .describe(
        'Whether everybody who has the link can read your profile and your public posts, if the instance allows it.',
      ),
    about: About,
    profilePicUrl: Picture,
    createdAt: Timestamp,
    lastSeenAt: Timestamp.nullable().describe(
      'When you last used Kith, accurate to five minutes; null if never. Only you and staff see it.',
    ),
  })
  .openapi('Me', { description: 'A person’s own view of themselves. `id` is internal: only you and staff see it.' })

const DeviceToken = z.string().describe('An opaque token. Store it on this device and send it with its next login.')
export const PasswordSet = z
  .object({ ok: z.literal(true).describe('Always `true`: a failure is an error.'), deviceToken: DeviceToken })
  .openapi('PasswordSet')

const ExpiresIn = z
  .int()
  .openapi({ description: 'Seconds for which the access token is valid.', example: ROTATING_SECONDS })

export const Session = z
  .object({
    accessToken: z.string().describe('The token for the header `Authorization: Bearer …`.'),
    user: Me,
    deviceToken: DeviceToken,
    refreshToken: z.string().optional().describe('The token that you exchange for the next pair, once.'),
    expiresIn: ExpiresIn.optional(),
  })
  .openapi('Session', { description: '`refreshToken` and `expiresIn` are only present for rotating sessions.' })
export const SessionAlias = z
  .object({
    userId: Uuid,
    accessToken: z.string().describe('The token for the header `Authorization: Bearer …`, valid for 15 minutes.'),
    refreshToken: z.string().describe('The token that you exchange for the next pair, once.'),
    deviceToken: DeviceToken,
  })
  .openapi('SessionAlias')
export const Pair = z
  .object({
    accessToken: z.string().describe('The token for the header `Authorization: Bearer …`.'),
    refreshToken: z.string().describe('The token that you exchange for the next pair, once.'),
    expiresIn: ExpiresIn,
  })
  .openapi('TokenPair')
export const LoginSession = z
  .object({
    id: Uuid,
    userAgent: z.string().nullable().describe('What the program called itself at the login; null if it said nothing.'),
    createdAt: Timestamp.describe('When the login or the registration began the session.'),
    lastUsedAt: Timestamp.describe('When the session was last refreshed; the time when it began if it never was.'),
    expiresAt: Timestamp.describe(
      'When the session expires: 60 days after the last refresh, or after the login. A fixed session expires with its token.',
    ),
    kind: z
      .enum(['rotating', 'fixed'])
      .describe('`rotating`: a session with a refresh token. `fixed`: one access token that is valid for seven days.'),
    device: z
      .string()
      .nullable()
      .openapi({ example: 'Firefox on Windows' })
      .describe(
        'The name that the client gave the device, otherwise a name from its User-Agent; null if the client sent neither.',
      ),
    network: z
      .string()
      .nullable()
      .openapi({ example: '203.0.113.0/24' })
      .describe(
        'The network from which the login came: the /24 of an IPv4 address, or the /48 of an IPv6 address. Null if unknown.',
      ),
    lastSeenAt: Timestamp.describe('When a token of the session was last used, accurate to five minutes.'),
    isCurrent: z.boolean().describe('Whether this is the session of the request.'),
  })
  .openapi('Login', { description: 'A session, which a login or a registration began.' })
export const SessionsEnded = z.object({ ended: z.int().describe('How many sessions ended.') }).openapi('SessionsEnded')

/** What the database returns for a login or a registration: the payload of the token to sign, and the person. */
export const Issued = z.object({
  claims: z.object({
    sub: z.string(),
    email: z.string(),
    role: z.enum(['user', 'moderator', 'admin']),
    iat: z.number(),
    exp: z.number(),
  }),
  user: z.looseObject({}),
  credentialsVersion: z.number(),
  recoveryCodes: z.array(z.string()).nullish(),
})
/** What the database returns for a new passkey. Only a person's first factor issues a token. */
export const AddedPasskey = Issued.partial().extend({ passkey: z.looseObject({}) })
export const Reissued = Issued.pick({ claims: true })
export const Reset = z.object({ userId: ActorId, credentialsVersion: z.number() })
export const FoundLogin = Reset.extend({ passwordHash: z.string().nullable() }).nullable()
/** `words` are the person's names and address. A new password may not consist of them. */
export const Holder = FoundLogin.unwrap().extend({ words: z.array(z.string()) })
export const Resettable = Holder.pick({ words: true })
