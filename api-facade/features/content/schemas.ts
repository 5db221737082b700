// The head that every content has, whatever its kind. Rules are in sql/content.
import { PersonCard, PersonParam, shared, Timestamp, Uuid, z } from '../../lib/schemas.ts'

const interest = z.object({ id: Uuid, slug: z.string(), name: z.string(), accentColor: z.string() })

/** A content of a kind: the head, and what the kind adds. */
export const contentOf = <K extends string, T extends z.ZodType, D extends z.ZodRawShape>(
  kind: K,
  title: T,
  detail: D,
) =>
  z.object({
    id: Uuid,
    kind: z.literal(kind),
    authorId: z.string(),
    author: PersonCard,
    interestId: Uuid.nullable(),
    interest: interest.nullable().openapi({ description: 'Null too where the catalog has no such interest.' }),
    title,
    groupId: Uuid.nullable(),
    guildId: Uuid.nullable(),
    createdAt: Timestamp,
    editedAt: Timestamp.nullable(),
    removedAt: Timestamp.nullable().openapi({
      description: 'When staff took it from all but its author, who alone sees it then.',
    }),
    ...detail,
  })

const spaceId = z.string().trim().min(1).max(100)

/** Where a new content may be published. */
export const space = {
  groupId: spaceId
    .nullish()
    .openapi({ description: 'A group that I am in, by its id or slug: for its members alone.' }),
  guildId: spaceId.nullish().openapi({ description: 'A guild that I am in; never beside `groupId`.' }),
}
export const title = z.string().openapi({ description: '1 to 200 characters, one line.' })
export const markdown = z
  .string()
  .openapi({ description: '1 to 20,000 characters of Markdown, kept as it is written.' })
export const interestId = Uuid.nullish().openapi({ description: 'An interest of the catalog.' })

/** What the list of every kind can be narrowed by, together. */
export const aboutContents = {
  interestId: Uuid.optional().openapi({
    description: 'Those about this interest and what is below it.',
    ...shared('interestId'),
  }),
  authorId: PersonParam.openapi(shared('authorId')).optional(),
  q: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .openapi({
      description: 'Words of title and text, whole and all of them; without case and accents.',
      ...shared('q.contents'),
    }),
  groupId: spaceId.optional().openapi({
    description: 'Those of this group, which are in no other list. Nothing for who is no member.',
    ...shared('groupId'),
  }),
  guildId: spaceId.optional().openapi({ description: 'As `groupId`; never beside it.', ...shared('guildId') }),
}

/** What every such list is, for the description of its route. */
export const listing =
  'Those that I may see, my own removed ones among them. Contents of a group or guild stand in its own list alone (`groupId`, `guildId`); a private one that I am not in is 404. A page looks at 400 and may be short. A cursor holds for a day when what it names was deleted.'
