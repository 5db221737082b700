// Schemas of profiles, personas, invites and the export. Rules are in sql/identity.

import { sections } from '../../generated/sections.ts'
import { About, ActorId, City, Country, Picture } from '../../lib/fields.ts'
import { Page, PersonCard, Timestamp, Uuid, z } from '../../lib/schemas.ts'
import { exportedFields } from './export-fields.ts'
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
    .openapi({ example: '+49 30 123456' })
    .describe('The phone number, which is not part of your public profile.'),
  hasPublicPage: z
    .boolean()
    .optional()
    .describe(
      'Whether everybody who has the link can read your profile and your public posts, if the instance allows it.',
    ),
  about: z
    .string()
    .trim()
    .max(1000)
    .nullable()
    .optional()
    .describe('What others read on your profile, up to 1000 characters.'),
  profilePicUrl: PictureUrl.optional(),
})

const count = z.int().min(0).max(10_000).describe('Counted up to 10,000.')
export const People = z
  .object({ items: z.array(PersonCard).describe('The people in the order of the ids, each once.') })
  .openapi('People')
export const Profile = PersonCard.extend({
  about: About,
  country: Country,
  city: City,
  createdAt: Timestamp,
  owner: PersonCard.nullable().describe(
    'The person who runs the bot and answers for it; null for people, and if you cannot see the owner.',
  ),
  counters: z
    .object({ followers: count, following: count })
    .describe('Followers, and the people whom the person follows.'),
  viewer: z
    .object({
      follows: z.boolean().describe('Whether you follow the person.'),
      followedBy: z.boolean().describe('Whether the person follows you.'),
      inMyCircle: z.boolean().describe('Whether the person is in one of your circles.'),
      bondLevel: z
        .enum(['acquaintance', 'inner-circle'])
        .nullable()
        .describe('The person’s highest bond level in your circles; null if the person is in none.'),
      inTheirCircle: z.boolean().describe('Whether you are in one of the person’s circles.'),
      muted: z.boolean().describe('Whether you have muted the person.'),
    })
    .nullable()
    .describe('Null for yourself.'),
}).openapi('Profile', { description: 'A person’s public profile; `id` and `actorId` are both the actor id.' })

export const ErasureBody = z.object({ password: z.string().max(1024).describe('Your current password.') })
export const Erased = z
  .object({ erased: z.literal(true).describe('Always `true`: the erasure is final.') })
  .openapi('Erased')

const Accent = z.enum(['ink', 'gold', 'sage', 'azure']).describe('A colour token with which clients show the persona.')
const PersonaName = z
  .string()
  .trim()
  .min(1)
  .max(40)
  .describe('1 to 40 characters. Each of your personas has a different name.')
const PersonaAbout = z.string().trim().max(280).nullable().describe('Up to 280 characters.')

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
    name: z.string().describe('The name of the persona, which its posts show.'),
    about: z.string().nullable().describe('Up to 280 characters; null if none was given.'),
    accent: Accent,
    profilePicUrl: Picture,
    isDefault: z.boolean().describe('Whether posts without a `personaId` are published under this persona.'),
    createdAt: Timestamp,
  })
  .openapi('Persona')
export const PersonaPage = Page(Persona)

export const Invite = z
  .object({
    id: Uuid,
    code: z.string().openapi({ example: 'INV-7KQ2ZM' }).describe('The code that a candidate enters.'),
    status: z
      .enum(['active', 'reserved', 'used', 'expired', 'revoked'])
      .describe('`reserved`: somebody is registering with it. `used` and `revoked` are final.'),
    reservedUntil: Timestamp.nullable().describe('When the reservation ends; null unless it is reserved.'),
    usedBy: PersonCard.nullable().describe(
      'Who registered with it; null until then, and if you cannot see the person.',
    ),
    usedAt: Timestamp.nullable().describe('When somebody registered with it; null until then.'),
    expiresAt: Timestamp,
    createdAt: Timestamp,
  })
  .openapi('Invite', { description: 'One of your invite codes. `usedBy` is also null if you cannot see that person.' })
export const Invites = z
  .object({
    codes: z.array(Invite).describe('Your newest 200 codes, newest first.'),
    allotment: z.int().describe('How many codes you may create in all, from 5 to 30. Expired codes do not count.'),
    used: z.int().describe('How many people registered with your codes, counted up to 1000.'),
    remaining: z.int().describe('How many codes you can still create.'),
  })
  .openapi('Invites')
const Brought = z.object({
  id: Uuid.describe('The id of the code with which the person registered.'),
  person: PersonCard,
  joinedAt: Timestamp,
})
export const InviteTree = Page(Brought)
  .extend({
    invitedBy: PersonCard.nullable().describe(
      'The person who invited you; null for the first admin, and if you cannot see the person.',
    ),
  })
  .openapi('InviteTree')

/** The head of the export, followed by its sections: a section of one row is an object, any other a list. */
export const ExportHead = z.object({
  format: z.literal('service-gdpr-export-v1').describe('The format and its version. An import accepts only this one.'),
  exportedAt: Timestamp,
  actorId: ActorId,
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
function exported(field: string, [type, says]: readonly [string, string?]): z.ZodType {
  const name = type.replace(/\?$/, '')
  const plain = name.endsWith('[]') ? z.array(z.string()) : (jsonOf[name] ?? z.string())
  const text = says ?? exportedFields[field] ?? ''
  return (name === type ? plain : plain.nullable()).describe(
    name === type || /\bnull\b/.test(text) ? text : `${text} Null if there is none.`,
  )
}

function sectionOf(name: string, { single, about, fields }: (typeof sections)[keyof typeof sections]): z.ZodType {
  const shape = Object.fromEntries(Object.entries(fields).map(([field, column]) => [field, exported(field, column)]))
  const row = z.object(shape).openapi(`Exported${name.charAt(0).toUpperCase()}${name.slice(1)}`)
  return single ? row.nullable().describe(`${about} Null if there is none.`) : z.array(row).describe(about)
}

export const Export = ExportHead.omit({ sections: true })
  .extend(Object.fromEntries(Object.entries(sections).map(([name, section]) => [name, sectionOf(name, section)])))
  .extend({
    signature: z.string().describe('The signature of the instance: `POST /me/import`.'),
  })
  .openapi('Export', { description: 'One section for each kind of data, with its rows as they are stored.' })
