// Shapes of profiles, personas, invites and the export. Rules are in sql/identity.

import { sections } from '../../generated/sections.ts'
import { Page, PersonCard, Timestamp, Uuid, z } from '../../lib/schemas.ts'
import { Registration } from './schemas.ts'

const PictureUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .max(2000)
  .nullable()
  .describe(
    'A URL at a host that this instance accepts. If it contains the id of an asset, that must be a committed asset of yours of kind avatar or image, and the URL becomes its `publicUrl`.',
  )
const { firstName, lastName, country, city } = Registration.shape

export const ProfileChanges = z.object({
  firstName: firstName.optional(),
  lastName: lastName.optional(),
  username: z
    .string()
    .trim()
    .toLowerCase()
    .regex(/^[a-z0-9_]{3,30}$/, 'must be 3 to 30 letters a-z, digits and underscores')
    .optional()
    .openapi({ description: 'Letter case does not matter.', example: 'ada_lovelace' }),
  city: city.optional(),
  country: country.optional(),
  phone: z
    .string()
    .trim()
    .regex(/^\+?[0-9][0-9 ()./-]{3,30}$/, 'must be a telephone number')
    .nullable()
    .optional()
    .openapi({ example: '+49 30 123456' }),
  about: z.string().trim().max(1000).nullable().optional(),
  profilePicUrl: PictureUrl.optional(),
})

const count = z.int().min(0).max(10_000).describe('Counted up to 10,000.')
export const People = z.object({ items: z.array(PersonCard) }).openapi('People')
export const Profile = PersonCard.extend({
  about: z.string().nullable(),
  country: z.string().nullable(),
  city: z.string().nullable(),
  createdAt: Timestamp,
  counters: z.object({ followers: count, following: count }),
  viewer: z
    .object({
      follows: z.boolean().describe('Whether you follow the person.'),
      followedBy: z.boolean().describe('Whether the person follows you.'),
      inMyCircle: z.boolean(),
      bondLevel: z
        .enum(['acquaintance', 'inner-circle'])
        .nullable()
        .describe('The highest that the person has in your circles; null if in none.'),
      inTheirCircle: z.boolean(),
      muted: z.boolean().describe('Whether you have muted the person.'),
    })
    .nullable()
    .describe('Null for yourself.'),
}).openapi('Profile', { description: 'A person’s public profile; `id` and `actorId` are both the actor id.' })

export const ErasureBody = z.object({ password: z.string().max(1024) })
export const Erased = z.object({ erased: z.literal(true) }).openapi('Erased')

const Accent = z.enum(['ink', 'gold', 'sage', 'azure'])
const PersonaName = z.string().trim().min(1).max(40)
const PersonaAbout = z.string().trim().max(280).nullable()

export const NewPersona = z.object({
  name: PersonaName,
  about: PersonaAbout.optional(),
  accent: Accent.default('ink').describe('Default: `ink`.'),
  profilePicUrl: PictureUrl.optional(),
})
export const PersonaChanges = z.object({
  name: PersonaName.optional(),
  about: PersonaAbout.optional(),
  accent: Accent.optional(),
  profilePicUrl: PictureUrl.optional(),
})
export const Persona = z
  .object({
    id: Uuid,
    name: z.string(),
    about: z.string().nullable(),
    accent: Accent,
    profilePicUrl: z.string().nullable(),
    isDefault: z.boolean(),
    createdAt: Timestamp,
  })
  .openapi('Persona')
export const PersonaPage = Page(Persona)

export const Invite = z
  .object({
    id: Uuid,
    code: z.string().openapi({ example: 'INV-7KQ2ZM' }),
    status: z.enum(['active', 'reserved', 'used', 'expired', 'revoked']),
    reservedUntil: Timestamp.nullable(),
    usedBy: PersonCard.nullable(),
    usedAt: Timestamp.nullable(),
    expiresAt: Timestamp,
    createdAt: Timestamp,
  })
  .openapi('Invite', { description: 'One of your invite codes. `usedBy` is also null if you cannot see that person.' })
export const Invites = z
  .object({ codes: z.array(Invite), allotment: z.int(), used: z.int(), remaining: z.int() })
  .openapi('Invites')
const Brought = z.object({ id: Uuid, person: PersonCard, joinedAt: Timestamp })
export const InviteTree = Page(Brought).extend({ invitedBy: PersonCard.nullable() }).openapi('InviteTree')

/** The head of the export, followed by its sections: a section of one row is an object, any other a list. */
export const ExportHead = z.object({
  format: z.literal('service-gdpr-export-v1'),
  exportedAt: Timestamp,
  actorId: z.string(),
  sections: z.array(z.object({ name: z.string(), single: z.boolean() })),
})
export const ExportRows = z.object({ items: z.array(z.unknown()), next: z.string().nullable() })

const jsonOf: Readonly<Record<string, z.ZodType>> = {
  boolean: z.boolean(),
  smallint: z.int(),
  integer: z.int(),
  bigint: z.int(),
  numeric: z.number(),
  json: z.unknown(),
  jsonb: z.unknown(),
  'timestamp with time zone': Timestamp,
}

/** The schema of a field by its Postgres type. Other people are actor ids, or null if the person cannot see them. */
function exported(type: string): z.ZodType {
  const name = type.replace(/\?$/, '')
  const plain = name.endsWith('[]') ? z.array(z.string()) : (jsonOf[name] ?? z.string())
  return name === type ? plain : plain.nullable()
}

function sectionOf(name: string, { single, fields }: (typeof sections)[keyof typeof sections]): z.ZodType {
  const shape = Object.fromEntries(Object.entries(fields).map(([field, type]) => [field, exported(type)]))
  const row = z.object(shape).openapi(`Exported${name.charAt(0).toUpperCase()}${name.slice(1)}`)
  return single ? row.nullable() : z.array(row)
}

export const Export = ExportHead.omit({ sections: true })
  .extend(Object.fromEntries(Object.entries(sections).map(([name, section]) => [name, sectionOf(name, section)])))
  .extend({
    signature: z.string().describe('The signature of the instance: `POST /me/import`.'),
  })
  .openapi('Export', { description: 'One section for each kind of data, with its rows as they are stored.' })
