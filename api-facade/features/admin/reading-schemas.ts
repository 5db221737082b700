// Schemas of what staff reads: posts, ledgers, uploads, reflections, intents.
import {
  CommittedAt,
  DeletedAt,
  GroupId,
  GuildId,
  HiddenAt,
  InterestSlug,
  PostEditedAt,
  PrimaryInterest,
  ScheduledEmittedAt,
} from '../../lib/fields.ts'
import { Page, PersonCard, Timestamp, Uuid, z } from '../../lib/schemas.ts'
import { AltText, picture } from '../media/schemas.ts'
import { AnyPerson, Flag, InternalId, narrowing } from './list-schemas.ts'

const Format = z
  .enum(['note', 'essay', 'photo', 'video', 'quote', 'thread', 'repost'])
  .describe('What the post consists of. It never changes.')
const Visibility = z
  .enum(['public', 'circles', 'inner'])
  .describe('Who can see it: everybody, the circles of its author, or only the inner circle.')
export const PostsQuery = z.object({
  format: Format.optional().describe('Only posts of this format.'),
  interestId: Uuid.optional().describe('Only posts whose primary interest is this one.'),
  visibility: Visibility.optional().describe('Only posts for this audience.'),
  journalism: Flag.optional().describe('`true`: only journalism; `false`: only other posts.'),
  hidden: Flag.optional().describe('`true`: only posts that staff hid; `false`: only others.'),
  authorId: AnyPerson.optional(),
  ...narrowing,
})
export const StaffPost = z
  .object({
    id: Uuid,
    authorId: InternalId,
    author: PersonCard,
    format: Format,
    title: z
      .string()
      .nullable()
      .describe('The title of an essay; null for other formats, and if its author was erased.'),
    body: z
      .string()
      .describe('The words as their author wrote them; empty for a repost, and if the author was erased.'),
    media: z.array(z.record(z.string(), z.unknown())).describe('Pictures and other media, in order: `url` and `alt`.'),
    quotedPostId: Uuid.nullable().describe('The original of a quote or a repost; null for other formats.'),
    visibility: Visibility,
    depth: z.int().describe('0 (Surface) to 5 (Thesis).'),
    interestId: PrimaryInterest,
    isJournalism: z.boolean().describe('Whether its author published it as journalism.'),
    groupId: GroupId,
    guildId: GuildId,
    publishAt: Timestamp.nullable().describe('When a scheduled post is due; null if it was published at once.'),
    publishedAt: Timestamp.nullable().describe('When the post was published; null while it is scheduled.'),
    scheduledEmittedAt: ScheduledEmittedAt,
    editedAt: PostEditedAt,
    hiddenAt: HiddenAt,
    deletedAt: DeletedAt,
    createdAt: Timestamp,
  })
  .openapi('StaffPost')
export const StaffPostPage = Page(StaffPost)

const ReplyKind = z
  .enum(['reply', 'reaction', 'criticism', 'contribution'])
  .describe('How the reply relates to the post, as its author chose.')
export const RepliesQuery = z.object({
  kind: ReplyKind.optional().describe('Only replies of this kind.'),
  hidden: Flag.optional().describe('`true`: only replies that staff hid; `false`: only others.'),
  authorId: AnyPerson.optional(),
  ...narrowing,
})
export const StaffReply = z
  .object({
    id: Uuid,
    postId: Uuid,
    parentId: Uuid.nullable().describe('The reply that this one answers; null if it answers the post.'),
    authorId: InternalId,
    author: PersonCard,
    kind: ReplyKind,
    body: z.string().describe('The words as their author wrote them.'),
    hiddenAt: HiddenAt,
    deletedAt: DeletedAt,
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
      title: z.string().describe('The title, as its author wrote it.'),
      description: z.string().nullable().describe('What the series is about; null if its author did not say.'),
      partCount: z.int().describe('The number of its items, including hidden and scheduled posts.'),
      createdAt: Timestamp,
    })
    .openapi('StaffSeries'),
)

export const EntriesQuery = z.object({
  userId: AnyPerson.optional(),
  interestId: Uuid.optional().describe('Only entries in this interest.'),
  kind: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .optional()
    .openapi({ example: 'vote.received' })
    .describe('Only entries with this cause.'),
  rollUps: Flag.optional().describe(
    '`true`: only shares from interests below; `false`: only what was earned in the interest itself.',
  ),
  ...narrowing,
})
export const StaffEntryPage = Page(
  z
    .object({
      id: Uuid,
      userId: InternalId,
      user: PersonCard,
      interestId: Uuid,
      slug: InterestSlug,
      kind: z.string().describe('The cause, such as `vote.received`.'),
      delta: z.number().describe('Points with two decimals: positive when earned, negative when taken.'),
      rollUpLevel: z.int().describe('How many levels below this interest it was earned; 0 for this interest itself.'),
      originId: Uuid.nullable().describe(
        'The entry of which this one is a share, from an interest below; null for an entry that is no share.',
      ),
      undoesId: Uuid.nullable().describe('The entry that this one undoes; null for any other.'),
      sourceId: Uuid.nullable().describe(
        'The thing that caused the entry, by kind: the post, the reply, the invite code, the vote or the appeal. Null if there is none.',
      ),
      earnedFromId: InternalId.nullable().describe(
        'The internal id of the person from whom it was earned; null if nobody else is involved.',
      ),
      createdAt: Timestamp,
    })
    .openapi('StaffReputationEntry'),
)

export const VotesQuery = z.object({
  userId: AnyPerson.optional(),
  voterId: AnyPerson.optional(),
  interestId: Uuid.optional().describe('Only votes in this interest.'),
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
      value: z.int().min(-1).max(1).describe('1 for the person, -1 against, 0 taken back.'),
      comment: z.string().nullable().describe('What the voter wrote, up to 280 characters; null if nothing.'),
      impact: z.number().describe('Points that the vote gives or takes: the weight of the voter times `value`.'),
      createdAt: Timestamp,
      updatedAt: Timestamp,
    })
    .openapi('StaffVote'),
)

export const ContributorPage = Page(
  z
    .object({
      id: InternalId,
      user: PersonCard,
      score: z.number().describe('Points of contribution, with two decimals.'),
    })
    .openapi('Contributor'),
)

const MediaKind = z
  .enum(['avatar', 'image', 'video', 'audio'])
  .describe('The purpose of the upload, which decides its types and largest size.')
const MediaStatus = z
  .enum(['pending', 'committed'])
  .describe('`pending` until its owner commits it; then it can be used.')
export const MediaQuery = z.object({
  kind: MediaKind.optional().describe('Only uploads of this kind.'),
  status: MediaStatus.optional().describe('Only uploads with this status.'),
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
      contentType: z.string().describe('The announced media type.'),
      mimeType: z
        .string()
        .nullable()
        .describe('The media type according to the first bytes; null while the upload is pending.'),
      size: z.int().describe('Bytes.'),
      alt: AltText,
      ...picture,
      status: MediaStatus,
      url: z.string().nullable().describe('The public address; null while the upload is pending.'),
      committedAt: CommittedAt,
      createdAt: Timestamp,
    })
    .openapi('StaffMedia'),
)

const SessionStatus = z
  .enum(['in_progress', 'completed', 'abandoned'])
  .describe('A session without an answer for 24 hours is `abandoned`.')
export const AssistantSessionsQuery = z.object({
  status: SessionStatus.optional().describe('Only sessions with this status.'),
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
      questionCount: z.int().describe('Questions that were asked, up to 5.'),
      answerCount: z.int().describe('Questions that were answered.'),
      fallbackCount: z.int().describe('Questions that the script asked because the model gave none.'),
      answeredAt: Timestamp.describe('When the session got its latest answer, or began.'),
      completedAt: Timestamp.nullable().describe('When its owner completed it; null until then.'),
      createdAt: Timestamp,
    })
    .openapi('StaffAssistantSession'),
)

const Intent = z
  .enum(['networking', 'friends', 'romantic', 'mentor', 'mentee', 'collab'])
  .describe('What the person is looking for.')
export const IntentsQuery = z.object({
  intent: Intent.optional().describe('Only people who are looking for this.'),
  active: Flag.optional().describe('`true`: only active intents; `false`: only inactive ones.'),
  ...narrowing,
})
export const StaffIntentPage = Page(
  z
    .object({
      id: InternalId,
      user: PersonCard,
      intent: Intent,
      note: z.string().nullable().describe('What candidates read, up to 280 characters; null if nothing was written.'),
      isActive: z.boolean().describe('While false, nobody finds the person by the intent.'),
      createdAt: Timestamp,
      updatedAt: Timestamp,
    })
    .openapi('StaffIntent'),
)
