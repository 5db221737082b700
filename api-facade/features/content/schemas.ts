// The head that every content has, whatever its kind. Rules are in sql/content.
import { notYet, PersonCard, Timestamp, Uuid, z } from '../../lib/schemas.ts'

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

/** Where a new content may be published, which needs spaces. */
export const space = { groupId: notYet(), guildId: notYet() }
