// Shapes of posts. Specification: Resources › Post, Reply. Rules are in sql/posts.
import { notYet, Page, PersonCard, Timestamp, Uuid, z } from '../../lib/schemas.ts'

const ReplyKind = z.enum(['reply', 'reaction', 'criticism', 'contribution'])
const ReactionKind = z.enum(['heart', 'spark'])

export const NewPost = z.object({
  body: z.string(),
  format: z.enum(['note', 'essay']).optional(),
  title: z.string().nullish(),
  visibility: z.enum(['public', 'circles', 'inner']).optional(),
  depth: z.int().min(0).max(5).optional(),
  interestId: Uuid.nullish(),
  interestIds: z.array(Uuid).optional().openapi({ description: 'Up to 4 more than the primary one.' }),
  personaId: notYet(),
  media: notYet(),
  poll: notYet(),
  quotedPostId: notYet(),
  publishAt: notYet(),
  isJournalism: notYet(),
})

export const Breakdown = z
  .record(z.string(), z.object({ count: z.int(), total: z.int() }))
  .openapi('EmojiBreakdown', { description: 'By emotion: how many payments, and how much mana.' })

const Reactions = z.object({
  counters: z.object({ reactions: z.int(), replies: z.int() }),
  viewer: z.object({ reactions: z.array(ReactionKind) }),
})
export const ReactionAnswer = Reactions.openapi('Reactions')

export const Post = z
  .object({
    id: Uuid,
    authorId: z.string(),
    author: PersonCard,
    format: z.string(),
    title: z.string().nullable(),
    body: z.string(),
    visibility: z.string(),
    depth: z.int(),
    depthLabel: z.string(),
    interestId: Uuid.nullable(),
    interests: z.array(
      z.object({ id: Uuid, slug: z.string(), name: z.string(), accentColor: z.string(), isPrimary: z.boolean() }),
    ),
    ...Reactions.shape,
    emojiBreakdown: Breakdown,
    hiddenAt: Timestamp.nullable(),
    createdAt: Timestamp,
  })
  .openapi('Post')
export const PostPage = Page(Post)
export const FeedQuery = z.object({
  tab: notYet(),
  journalism: notYet(),
  minDepth: notYet(),
  interestId: notYet(),
  format: notYet(),
})

export const NewReply = z.object({ body: z.string(), kind: ReplyKind.optional() })
export const RepliesQuery = z.object({ kind: ReplyKind.optional() })
export const Reply = z
  .object({
    id: Uuid,
    postId: Uuid,
    authorId: z.string(),
    author: PersonCard,
    kind: ReplyKind,
    body: z.string(),
    hiddenAt: Timestamp.nullable(),
    createdAt: Timestamp,
  })
  .openapi('Reply')
export const ReplyPage = Page(Reply)
export const PostDetail = z.object({ ...Post.shape, replies: ReplyPage }).openapi('PostDetail')

export const NewReaction = z.object({ kind: ReactionKind })
export const TakenReaction = z.object({ kind: ReactionKind.optional() })
