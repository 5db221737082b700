// The fields that every content has, whatever its kind. Rules are in sql/content.
import {
  AboutInterest,
  ActorId,
  EditedAt,
  GroupId,
  GuildId,
  InterestColor,
  InterestName,
  InterestSlug,
  RemovedAt,
} from '../../lib/fields.ts'
import { PersonCard, PersonParam, shared, Timestamp, Uuid, z } from '../../lib/schemas.ts'

const interest = z.object({ id: Uuid, slug: InterestSlug, name: InterestName, accentColor: InterestColor })

/** A content of a kind: the common fields and those of the kind. */
export const contentOf = <K extends string, T extends z.ZodType, D extends z.ZodRawShape>(
  kind: K,
  title: T,
  detail: D,
) =>
  z.object({
    id: Uuid,
    kind: z.literal(kind).describe('The kind of the content, which tells kinds apart in mixed lists.'),
    authorId: ActorId,
    author: PersonCard,
    interestId: AboutInterest,
    interest: interest.nullable().describe('The interest; null if none was named, or if the catalog does not have it.'),
    title: title.describe('One line of up to 200 characters; null for videos and audio.'),
    groupId: GroupId,
    guildId: GuildId,
    createdAt: Timestamp,
    editedAt: EditedAt,
    removedAt: RemovedAt,
    ...detail,
  })

const spaceId = z.string().trim().min(1).max(100)

/** Where a new content may be published. */
export const space = {
  groupId: spaceId
    .nullish()
    .describe('The id or slug of a group that you are a member of. Only its members can see the content.'),
  guildId: spaceId
    .nullish()
    .describe('The id or slug of a guild that you are a member of. Cannot be combined with `groupId`.'),
}
export const title = z.string().describe('1 to 200 characters, one line.')
export const markdown = z.string().describe('1 to 20,000 characters of Markdown, stored as written.')
export const interestId = Uuid.nullish().describe('An interest of the catalog.')

/** The filters that the list of every kind has. They can be combined. */
export const aboutContents = {
  interestId: Uuid.optional().openapi({
    description: 'Only content about this interest or one below it.',
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
      description: 'Words in the title or text. All must occur as whole words; case and accents are ignored.',
      ...shared('q.contents'),
    }),
  groupId: spaceId.optional().openapi({
    description:
      'Only the content of this group. Other lists leave this content out. If you are not a member, the list is ' +
      'empty; for a private group the answer is 404.',
    ...shared('groupId'),
  }),
  guildId: spaceId
    .optional()
    .openapi({ description: 'Like `groupId`, for a guild. Cannot be combined with `groupId`.', ...shared('guildId') }),
}

/** A text about the lists of contents, which the descriptions of all their routes include. */
export const listing =
  'Lists everything that you can see, including your own removed content. Content of a group or guild is only listed with its `groupId` or `guildId`; a private group that you are not in is 404. A page scans at most 400 rows, so it may be shorter than `limit` and still have a next page. A cursor stays valid for a day after its item was deleted.'
