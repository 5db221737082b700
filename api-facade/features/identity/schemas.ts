// Shapes of identity. Rules are in sql/identity.
import countries from 'i18n-iso-countries'
import { personId, Timestamp, Uuid, z } from '../../lib/schemas.ts'

// XK (Kosovo) is widely used, but not in ISO 3166-1
const codes = new Set(Object.keys(countries.getAlpha2Codes()).filter((code) => code !== 'XK'))

const Email = z
  .email()
  .max(254)
  .refine((email) => !/@deleted\.invalid$/i.test(email), 'is reserved for erased accounts')
const Password = z.string().min(8).max(1024)
const Name = z.string().trim().min(1).max(80)
/** How long an access token is valid: seven days, in seconds. */
export const TOKEN_SECONDS = 7 * 86_400
/** The same for a token with a refresh token: 15 minutes. */
export const ROTATING_SECONDS = 15 * 60

export const Reservation = z.object({ code: z.string().trim().max(40) })
export const ReservationAlias = Reservation.extend({ candidateSessionId: z.uuidv4() })
export const Reserved = z.object({ sessionId: Uuid, expiresAt: Timestamp }).openapi('Reservation')
export const ReservedAlias = z.object({ inviteCodeId: Uuid, reservedUntil: Timestamp }).openapi('ReservationAlias')

const Joining = z.object({
  firstName: Name,
  lastName: Name,
  dateOfBirth: z.iso.date(),
  country: z
    .string()
    .refine((code) => codes.has(code), 'must be an ISO 3166-1 alpha-2 code')
    .openapi({ example: 'DE' }),
  city: z.string().trim().min(1).max(120),
})
export const Registration = z.object({ sessionId: Uuid, email: Email, password: Password, ...Joining.shape })
export const RegistrationAlias = z.object({ inviteCodeId: Uuid, email: Email, password: Password, input: Joining })

const Kind = z
  .literal('rotating')
  .optional()
  .describe(
    'With `rotating` the access token is valid for 15 minutes and comes with a refresh token; otherwise it is valid for seven days.',
  )
// normalised here, once: attempts are counted by the address as the database compares it
export const Credentials = z.object({
  email: z.string().max(254).trim().toLowerCase(),
  password: z.string().max(1024),
  session: Kind,
  deviceToken: z
    .string()
    .max(1024)
    .optional()
    .describe(
      'The `deviceToken` of an earlier answer. With it, wrong passwords of other people do not affect this login.',
    ),
})

// anything that is not one of our tokens is 401, not 422: its length does not matter
const RefreshToken = z.string().max(1024)
export const LogoutBody = z
  .object({
    scope: z.enum(['local', 'global']).optional(),
    refreshToken: RefreshToken.optional(),
    pushToken: z.string().max(2100).optional(),
  })
  .optional()
export const RefreshBody = z.object({ refreshToken: RefreshToken })
export const PasswordChange = z.object({ currentPassword: z.string().max(1024), newPassword: Password, session: Kind })
/** Also allows a host without a dot: the default address of the first admin is admin@localhost. */
export const ResetRequest = z.object({ email: z.email({ pattern: z.regexes.html5Email }).max(254) })
export const ResetBody = z.object({ token: z.string().max(1024), newPassword: Password })
export const VerificationBody = z.object({ token: z.string().max(1024) })
export const EmailChange = z.object({ email: Email, currentPassword: z.string().max(1024) })
export const Done = z.object({ ok: z.literal(true) }).openapi('Done')

export const Me = z
  .object({
    id: Uuid,
    actorId: z.string(),
    personId,
    username: z.string(),
    email: z.string(),
    emailVerifiedAt: Timestamp.nullable(),
    emailBouncedAt: Timestamp.nullable(),
    role: z.enum(['user', 'moderator', 'admin']),
    firstName: z.string(),
    lastName: z.string(),
    dateOfBirth: z.iso.date().nullable(),
    country: z.string().nullable(),
    city: z.string().nullable(),
    phone: z.string().nullable(),
    about: z.string().nullable(),
    profilePicUrl: z.string().nullable(),
    createdAt: Timestamp,
    lastSeenAt: Timestamp.nullable(),
  })
  .openapi('Me', { description: 'A person’s own view of themselves. `id` is internal and is in no other answer.' })

const DeviceToken = z.string().describe('Opaque. Store it on this device and send it with its next login.')
export const PasswordSet = z.object({ ok: z.literal(true), deviceToken: DeviceToken }).openapi('PasswordSet')

const ExpiresIn = z
  .int()
  .openapi({ description: 'Seconds for which the access token is valid.', example: ROTATING_SECONDS })

export const Session = z
  .object({
    accessToken: z.string(),
    user: Me,
    deviceToken: DeviceToken,
    refreshToken: z.string().optional(),
    expiresIn: ExpiresIn.optional(),
  })
  .openapi('Session', { description: '`refreshToken` and `expiresIn` are only present for rotating sessions.' })
export const SessionAlias = z
  .object({ userId: Uuid, accessToken: z.string(), refreshToken: z.string(), deviceToken: DeviceToken })
  .openapi('SessionAlias')
export const Pair = z
  .object({ accessToken: z.string(), refreshToken: z.string(), expiresIn: ExpiresIn })
  .openapi('TokenPair')
export const RotatingSession = z
  .object({
    id: Uuid,
    userAgent: z.string().nullable(),
    createdAt: Timestamp,
    lastUsedAt: Timestamp,
    expiresAt: Timestamp,
  })
  .openapi('RotatingSession')

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
})
export const Reissued = Issued.pick({ claims: true })
export const Reset = z.object({ userId: z.string(), credentialsVersion: z.number() })
export const FoundLogin = Reset.extend({ passwordHash: z.string() }).nullable()
