// Schemas that groups and guilds share. Rules are in sql/spaces.
import { ActorId, SettledAt } from '../../lib/fields.ts'
import { PersonCard, shared, Timestamp, Uuid, z } from '../../lib/schemas.ts'

export const name = z.string().trim().min(1).max(80).describe('1 to 80 characters, one line.')
export const about = z.string().max(10_000).describe('A description, up to 2000 characters.')
export const accent = z
  .string()
  .regex(/^[a-z]{2,20}$/, 'must be a colour token such as "sage"')
  .nullable()
  .describe('A colour token such as `sage`; null for none.')
export const newSlug = (example: string) =>
  z.string().max(100).openapi({
    description:
      '3 to 60 lowercase letters, digits and hyphens, but not a UUID. Default: made from the name. Cannot be changed.',
    example,
  })
/** The id in a path, as a component of the description; `description` says that it can be a slug. */
export const spaceId = (component: string, description: string) =>
  z
    .string()
    .trim()
    .min(1)
    .max(60)
    .openapi({ description, example: '00000000-0000-4000-8000-000000000000', ...shared(component) })

export const isTrue = z.enum(['true', 'false']).transform((value) => value === 'true')
export const SpaceQuery = z.object({
  mine: isTrue
    .optional()
    .openapi({ type: 'boolean', description: 'With `true` only the groups or guilds that you are a member of.' }),
  q: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .describe('Words in slug, name or about. All must occur as whole words; case and accents are ignored.'),
  interestId: Uuid.optional().describe('Only groups or guilds about this interest or one below it.'),
})
export const MemberQuery = z.object({
  q: z.string().trim().min(1).max(100).optional().describe('Part of a name or username. Case and accents are ignored.'),
})
export const JoinMessage = z
  .object({ message: z.string().max(5000).nullish().describe('A message for those who decide, up to 500 characters.') })
  .optional()

export const memberCount = z
  .int()
  .min(0)
  .describe(
    'The number of members. Like the list of members, it leaves out banned people and people with a block between you.',
  )
/** @param userId in schemas for staff the internal id */
export const memberWith = <R extends z.ZodType>(role: R, userId: z.ZodString | z.ZodUUID = ActorId) =>
  z.object({ userId, user: PersonCard, role, joinedAt: Timestamp })
/** A request to join a group, or an application to a guild. */
export const requestWith = <S extends z.ZodRawShape>(space: S, userId: z.ZodString | z.ZodUUID = ActorId) =>
  z.object({
    id: Uuid,
    ...space,
    userId,
    user: PersonCard,
    message: z.string().describe('What the person wrote with the request; empty if nothing.'),
    status: z
      .enum(['pending', 'approved', 'rejected', 'withdrawn', 'ended'])
      .describe('`ended`: the person joined in another way, or was banned from the group or guild.'),
    createdAt: Timestamp,
    decidedAt: SettledAt,
  })
export const left = z.object({ status: z.literal('left').describe('You are not a member.') })
