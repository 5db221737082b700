// Shapes of identity: specification, Auth (Registration fields) and Identity and profile. Rules are in sql/identity.
import countries from 'i18n-iso-countries'
import { Timestamp, Uuid, z } from '../../lib/schemas.ts'

// Kosovo's XK is in wide use and not in the standard that the specification names
const codes = new Set(Object.keys(countries.getAlpha2Codes()).filter((code) => code !== 'XK'))

const Email = z.email().max(254)
const Password = z.string().min(8, 'must have at least 8 characters').max(1024)
const Name = z.string().trim().min(1).max(80)
/** How long an access token lives: seven days, in seconds. */
export const TOKEN_SECONDS = 7 * 86_400

export const Reservation = z.object({ code: z.string().trim().max(40) })
export const ReservationAlias = Reservation.extend({ candidateSessionId: z.uuidv4() })
export const Reserved = z.object({ sessionId: Uuid, expiresAt: Timestamp }).openapi('Reservation')
export const ReservedAlias = z.object({ inviteCodeId: Uuid, reservedUntil: Timestamp }).openapi('ReservationAlias')

export const Registration = z.object({
  sessionId: Uuid,
  email: Email,
  password: Password,
  firstName: Name,
  lastName: Name,
  dateOfBirth: z.iso.date(),
  country: z
    .string()
    .refine((code) => codes.has(code), 'must be an ISO 3166-1 alpha-2 code')
    .openapi({ example: 'DE' }),
  city: z.string().trim().min(1).max(120),
})

export const Credentials = z.object({ email: z.string().max(254), password: z.string().max(1024) })
export const LogoutBody = z.object({ scope: z.enum(['local', 'global']).optional() }).optional()

export const Me = z
  .object({
    id: Uuid,
    actorId: z.string(),
    username: z.string(),
    email: z.string(),
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
  })
  .openapi('Me', { description: 'A person as they see themselves; `id` is internal and stands in no other answer.' })

export const Session = z.object({ accessToken: z.string(), user: Me }).openapi('Session')

/** What the database answers to a login or a registration: the payload of the token to sign, and the person. */
export const Issued = z.object({
  claims: z.object({
    sub: z.string(),
    email: z.string(),
    role: z.enum(['user', 'moderator', 'admin']),
    iat: z.number(),
    exp: z.number(),
  }),
  user: z.looseObject({}),
})
export const FoundLogin = z.object({ userId: z.string(), passwordHash: z.string() }).nullable()
