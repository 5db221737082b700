// Shapes that staff read: posts, ledgers, uploads, reflections, intents.
import { Page, PersonCard, Timestamp, Uuid, z } from '../../lib/schemas.ts'
import { AnyPerson, Flag, InternalId, narrowing } from './list-schemas.ts'

const Format = z.enum(['note', 'essay', 'photo', 'video', 'quote', 'thread', 'repost'])
const Visibility = z.enum(['public', 'circles', 'inner'])
export const PostsQuery = z.object({
  format: Format.optional(),
  interestId: Uuid.optional(),
  visibility: Visibility.optional(),
  journalism: Flag.optional(),
  hidden: Flag.optional(),
  authorId: AnyPerson.optional(),
  ...narrowing,
})
export const StaffPost = z
  .object({
    id: Uuid,
    authorId: InternalId,
    author: PersonCard,
    format: Format,
    title: z.string().nullable(),
    body: z.string(),
    media: z.array(z.record(z.string(), z.unknown())),
    quotedPostId: Uuid.nullable(),
    visibility: Visibility,
    depth: z.int(),
    interestId: Uuid.nullable(),
    isJournalism: z.boolean(),
    groupId: Uuid.nullable(),
    guildId: Uuid.nullable(),
    publishAt: Timestamp.nullable(),
    publishedAt: Timestamp.nullable(),
    editedAt: Timestamp.nullable(),
    hiddenAt: Timestamp.nullable(),
    deletedAt: Timestamp.nullable(),
    createdAt: Timestamp,
  })
  .openapi('StaffPost')
export const StaffPostPage = Page(StaffPost)

const ReplyKind = z.enum(['reply', 'reaction', 'criticism', 'contribution'])
export const RepliesQuery = z.object({
  kind: ReplyKind.optional(),
  hidden: Flag.optional(),
  authorId: AnyPerson.optional(),
  ...narrowing,
})
export const StaffReply = z
  .object({
    id: Uuid,
    postId: Uuid,
    parentId: Uuid.nullable(),
    authorId: InternalId,
    author: PersonCard,
    kind: ReplyKind,
    body: z.string(),
    hiddenAt: Timestamp.nullable(),
    deletedAt: Timestamp.nullable(),
    createdAt: Timestamp,
  })
  .openapi('StaffReply')
export const StaffReplyPage = Page(StaffReply)

export const SeriesQuery = z.object({ authorId: AnyPerson.optional(), ...narrowing })
export const StaffSeriesPage = Page(
  z
    .object({
      id: Uuid,
      authorId: InternalId,
      author: PersonCard,
      title: z.string(),
      description: z.string().nullable(),
      partCount: z.int(),
      createdAt: Timestamp,
    })
    .openapi('StaffSeries'),
)

export const EntriesQuery = z.object({
  userId: AnyPerson.optional(),
  interestId: Uuid.optional(),
  kind: z.string().trim().min(1).max(100).optional().openapi({ example: 'vote.received' }),
  rollUps: Flag.optional(),
  ...narrowing,
})
export const StaffEntryPage = Page(
  z
    .object({
      id: Uuid,
      userId: InternalId,
      user: PersonCard,
      interestId: Uuid,
      slug: z.string(),
      kind: z.string(),
      delta: z.number(),
      rollUpLevel: z.int().openapi({ description: '0 if it was earned in this interest itself.' }),
      originId: Uuid.nullable().openapi({
        description: 'For a share from an interest below: the entry that it is a share of.',
      }),
      undoesId: Uuid.nullable(),
      sourceId: Uuid.nullable(),
      earnedFromId: InternalId.nullable(),
      createdAt: Timestamp,
    })
    .openapi('StaffReputationEntry'),
)

export const VotesQuery = z.object({
  userId: AnyPerson.optional(),
  voterId: AnyPerson.optional(),
  interestId: Uuid.optional(),
  ...narrowing,
})
export const StaffVotePage = Page(
  z
    .object({
      id: Uuid,
      voterId: InternalId,
      voter: PersonCard,
      userId: InternalId,
      user: PersonCard,
      interestId: Uuid,
      value: z.int().min(-1).max(1),
      comment: z.string().nullable(),
      impact: z.number(),
      createdAt: Timestamp,
      updatedAt: Timestamp,
    })
    .openapi('StaffVote'),
)

export const ContributorPage = Page(
  z.object({ id: InternalId, user: PersonCard, score: z.number() }).openapi('Contributor'),
)

const MediaKind = z.enum(['avatar', 'image', 'video', 'audio'])
const MediaStatus = z.enum(['pending', 'committed'])
export const MediaQuery = z.object({
  kind: MediaKind.optional(),
  status: MediaStatus.optional(),
  ownerId: AnyPerson.optional(),
  ...narrowing,
})
export const StaffMediaPage = Page(
  z
    .object({
      id: Uuid,
      ownerId: InternalId,
      owner: PersonCard,
      kind: MediaKind,
      contentType: z.string().openapi({ description: 'As announced.' }),
      mimeType: z.string().nullable().openapi({ description: 'As detected from its first bytes.' }),
      size: z.int(),
      alt: z.string().nullable(),
      width: z.int().nullable(),
      height: z.int().nullable(),
      blurhash: z.string().nullable(),
      status: MediaStatus,
      url: z.string().nullable(),
      committedAt: Timestamp.nullable(),
      createdAt: Timestamp,
    })
    .openapi('StaffMedia'),
)

const SessionStatus = z.enum(['in_progress', 'completed', 'abandoned'])
export const AssistantSessionsQuery = z.object({
  status: SessionStatus.optional(),
  userId: AnyPerson.optional(),
  ...narrowing,
})
export const AssistantSessionPage = Page(
  z
    .object({
      id: Uuid,
      userId: InternalId,
      user: PersonCard,
      status: SessionStatus,
      questionCount: z.int(),
      answerCount: z.int(),
      fallbackCount: z.int().openapi({ description: 'Questions for which the model gave no usable answer.' }),
      answeredAt: Timestamp,
      completedAt: Timestamp.nullable(),
      createdAt: Timestamp,
    })
    .openapi('StaffAssistantSession'),
)

const Intent = z.enum(['networking', 'friends', 'romantic', 'mentor', 'mentee', 'collab'])
export const IntentsQuery = z.object({ intent: Intent.optional(), active: Flag.optional(), ...narrowing })
export const StaffIntentPage = Page(
  z
    .object({
      id: InternalId,
      user: PersonCard,
      intent: Intent,
      note: z.string().nullable(),
      isActive: z.boolean(),
      createdAt: Timestamp,
      updatedAt: Timestamp,
    })
    .openapi('StaffIntent'),
)
