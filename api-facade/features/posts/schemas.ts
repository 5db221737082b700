// Shapes of posts. Rules are in sql/posts.
import { Moment, Page, PersonCard, PersonParam, Timestamp, Uuid, z } from '../../lib/schemas.ts'
import { picture } from '../media/schemas.ts'

const ReplyKind = z.enum(['reply', 'reaction', 'criticism', 'contribution'])
const ReactionKind = z.enum(['heart', 'spark'])
export const PostFormat = z.enum(['note', 'essay', 'photo', 'video', 'quote', 'thread', 'repost'])
const Visibility = z.enum(['public', 'circles', 'inner'])

const words = {
  title: z.string().nullish().openapi({ description: 'Only for an essay.' }),
  body: z.string().optional().openapi({ example: 'What I learnt today.' }),
  media: z
    .array(
      z.object({
        url: z.string().nullish().openapi({
          description:
            'An http(s) URL of up to 2000 characters at a host that this instance accepts. If it contains the id of an asset, that must be a suitable asset of yours, and the URL becomes its `publicUrl`.',
        }),
        assetId: Uuid.nullish().openapi({
          description:
            'Instead of `url`: a committed asset of yours. Kind image for a photo, video for a video; other formats also accept audio.',
        }),
        alt: z.string().nullish().openapi({
          description:
            'A description of the content, up to 1000 characters. Default: the alt text of the asset; none if null or empty.',
        }),
      }),
    )
    .optional(),
}
const settings = {
  visibility: Visibility.optional(),
  depth: z.int().min(0).max(5).optional(),
  interestId: Uuid.nullish().openapi({ description: 'The primary interest.' }),
  interestIds: z.array(Uuid).optional().openapi({ description: 'Up to 4 interests besides the primary one.' }),
  personaId: Uuid.nullish(),
  isJournalism: z.boolean().optional(),
  publishAt: Moment.nullish().openapi({ description: 'A time in the future.' }),
}
/** The id or slug of a group or guild. */
const space = z.string().trim().min(1).max(60)
const within = {
  groupId: space.nullish().openapi({ description: 'The id or slug of the group whose members can see it.' }),
  guildId: space.nullish().openapi({ description: 'The id or slug of the guild whose members can see it.' }),
}
const NewPoll = z.object({
  options: z.array(z.string()).openapi({ description: '2 to 6 options; further ones are ignored.' }),
  closesAt: Moment.nullish(),
})
export const NewPost = z
  .object({
    format: PostFormat.optional(),
    ...words,
    ...settings,
    ...within,
    poll: NewPoll.nullish(),
    quotedPostId: Uuid.nullish().openapi({ description: 'The original of a quote or a repost.' }),
  })
  .openapi('NewPost')

export const NewGroupPost = NewPost.omit({ groupId: true }).openapi('NewGroupPost')
export const NewGuildPost = NewPost.omit({ guildId: true }).openapi('NewGuildPost')

const fixed = () => z.unknown().optional().openapi({ description: 'Cannot be changed.' })
export const PostChanges = z
  .object({
    ...words,
    ...settings,
    format: fixed(),
    poll: fixed(),
    quotedPostId: fixed(),
    groupId: fixed(),
    guildId: fixed(),
  })
  .openapi('PostChanges')

const Breakdown = z
  .record(z.string(), z.object({ count: z.int(), total: z.int() }))
  .openapi('EmojiBreakdown', { description: 'By emotion: the number of payments and the mana.' })

const Counters = z
  .object({
    reactions: z.int().openapi({ description: 'Hearts.' }),
    replies: z.int(),
    shares: z.int().openapi({ description: 'Reposts.' }),
    bookmarks: z.int(),
    views: z.int(),
  })
  .openapi('PostCounters')
const Viewer = z
  .object({
    reactions: z.array(ReactionKind),
    bookmarked: z.boolean(),
    reposted: z.boolean(),
    voted: z.boolean(),
  })
  .openapi('PostViewer')
export const ReactionAnswer = z.object({ counters: Counters, viewer: Viewer }).openapi('Reactions')

export const Media = z.object({ url: z.string(), alt: z.string().nullable(), ...picture }).openapi('PostMedia')
export const CoAuthor = z
  .object({
    id: Uuid.openapi({ description: 'The id of the invitation, for the response.' }),
    userId: z.string(),
    user: PersonCard,
    splitShare: z.int(),
    status: z.enum(['pending', 'accepted']),
  })
  .openapi('CoAuthor', { description: 'Only the author and the invited person see pending ones.' })
export const Poll = z
  .object({
    id: Uuid,
    options: z.array(z.object({ id: Uuid, text: z.string(), votes: z.int() })),
    totalVotes: z.int(),
    closesAt: Timestamp.nullable(),
    closed: z.boolean(),
    myOptionId: Uuid.nullable(),
  })
  .openapi('Poll')

const Persona = z
  .object({ id: Uuid, name: z.string(), accent: z.string(), profilePicUrl: z.string().nullable() })
  .openapi('PostPersona')
const Interest = z
  .object({ id: Uuid, slug: z.string(), name: z.string(), accentColor: z.string(), isPrimary: z.boolean() })
  .openapi('PostInterest')
const Series = z.object({ id: Uuid, title: z.string() }).openapi('PostSeries')

const post = {
  id: Uuid,
  authorId: z.string(),
  author: PersonCard,
  personaId: Uuid,
  persona: Persona,
  coAuthors: z.array(CoAuthor),
  body: z.string(),
  media: z.array(Media),
  visibility: Visibility,
  depth: z.int(),
  depthLabel: z.string(),
  interestId: Uuid.nullable(),
  groupId: Uuid.nullable().openapi({ description: 'The group whose members can see it.' }),
  guildId: Uuid.nullable().openapi({ description: 'The guild whose members can see it.' }),
  spaceName: z.string().nullable().openapi({ description: 'The name of that group or guild.' }),
  interests: z.array(Interest),
  isJournalism: z.boolean(),
  counters: Counters,
  viewer: Viewer,
  poll: z.union([Poll, z.null()]),
  series: z.array(Series),
  emojiBreakdown: Breakdown,
  boostScore: z
    .number()
    .openapi({ description: 'The factor by which its score in the feed is multiplied; 0 if it is not boosted.' }),
  boostExpiresAt: Timestamp.nullable(),
  pinned: z.boolean(),
  publishAt: Timestamp.nullable(),
  publishedAt: Timestamp.nullable().openapi({ description: 'Null while the post is scheduled.' }),
  editedAt: Timestamp.nullable(),
  hiddenAt: Timestamp.nullable(),
  createdAt: Timestamp,
  importedAt: Timestamp.nullable().openapi({
    description: 'When its author imported it from another account or instance; null if it was written here.',
  }),
}
type Shape = z.ZodRawShape

/** A post with further fields, by format. A field that a format never has is null or empty. */
function postWith<M extends Shape, Q extends Shape, N extends Shape>(name: string, more: M, quotes: Q, none: N) {
  const variant = <F extends z.output<typeof PostFormat>, O extends Shape, R extends Shape>(
    format: F,
    own: O,
    refers: R,
  ) =>
    z
      .object({ ...post, ...refers, ...more, format: z.literal(format), ...own })
      .openapi(`${name}${format.charAt(0).toUpperCase()}${format.slice(1)}`)
  const untitled = { title: z.null() }
  return z
    .discriminatedUnion('format', [
      variant('note', untitled, none),
      variant('thread', untitled, none),
      variant('essay', { title: z.string() }, none),
      variant('photo', { ...untitled, media: z.array(Media).min(1) }, none),
      variant('video', { ...untitled, media: z.array(Media).length(1) }, none),
      variant('quote', untitled, quotes),
      variant('repost', { ...untitled, body: z.literal(''), media: z.array(Media).max(0), poll: z.null() }, quotes),
    ])
    .openapi(name)
}

const QuotedPost = postWith('QuotedPost', {}, {}, {})
const quoting = {
  quotedPostId: Uuid.nullable(),
  quotedPost: z.union([QuotedPost, z.null()]).openapi({
    description: 'The original of a quote or a repost. Null, like its id, if you cannot see it or it was deleted.',
  }),
}
/** A post of any format with the post that it quotes, and further fields. */
export const postAnd = <M extends Shape>(name: string, more: M) =>
  postWith(name, more, quoting, { quotedPostId: z.null(), quotedPost: z.null() })
export const Post = postAnd('Post', {})
export const PostPage = Page(Post)
export const Posts = z.object({ items: z.array(Post), remaining: z.array(Uuid) }).openapi('Posts')
export const Username = z.object({ username: PersonParam })
export const NewReply = z.object({ body: z.string(), kind: ReplyKind.optional(), parentId: Uuid.nullish() })
export const RepliesQuery = z.object({ kind: ReplyKind.optional(), parentId: Uuid.optional() })
export const Reply = z
  .object({
    id: Uuid,
    postId: Uuid,
    parentId: Uuid.nullable().openapi({
      description: 'The reply that this one answers. Null if it answers the post, or a reply that you cannot see.',
    }),
    authorId: z.string(),
    author: PersonCard,
    kind: ReplyKind,
    body: z.string(),
    hiddenAt: Timestamp.nullable(),
    createdAt: Timestamp,
  })
  .openapi('Reply')
export const ReplyPage = Page(Reply)
export const PostDetail = postAnd('PostDetail', { replies: ReplyPage })

export const NewReaction = z.object({ kind: ReactionKind })
export const TakenReaction = z.object({ kind: ReactionKind.optional() })

const { visibility, depth, interestId, interestIds, personaId } = settings
export const NewRepost = z
  .object({ body: z.string().nullish(), visibility, depth, interestId, interestIds, personaId, ...within })
  .openapi('NewRepost', {
    description: 'With a body it is a quote, without one a repost, which only has visibility and personaId.',
  })

export const Vote = z.object({ optionId: Uuid })

export const NewCoAuthor = z.object({ userId: PersonParam, splitShare: z.int().min(0).max(100) })
export const CoAuthorParams = z.object({ id: Uuid, inviteId: Uuid })
export const CoAuthorInvitation = z
  .object({
    id: Uuid,
    postId: Uuid,
    userId: z.string(),
    user: PersonCard,
    splitShare: z.int(),
    status: z.enum(['pending', 'accepted', 'declined']),
    createdAt: Timestamp,
  })
  .openapi('CoAuthorInvitation')

export const LinkQuery = z.object({
  url: z.string().min(1).max(2048).openapi({ description: 'The URL of a web page.', example: 'https://example.org/' }),
})
export const LinkPreview = z
  .object({
    url: z.string(),
    title: z.string(),
    description: z.string().nullable(),
    imageUrl: z.string().nullable(),
    siteName: z.string().nullable(),
  })
  .openapi('LinkPreview')
