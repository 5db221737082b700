// Schemas of posts. Rules are in sql/posts.
import {
  ActorId,
  GroupId,
  GuildId,
  HiddenAt,
  InterestColor,
  InterestName,
  InterestSlug,
  Picture,
  PostEditedAt,
  PrimaryInterest,
  ScheduledEmittedAt,
} from '../../lib/fields.ts'
import { IdParam, Moment, Page, PersonCard, PersonParam, Timestamp, Uuid, z } from '../../lib/schemas.ts'
import { AltText, picture } from '../media/schemas.ts'

const ReplyKind = z
  .enum(['reply', 'reaction', 'criticism', 'contribution'])
  .describe('How the reply relates to the post, as its author chose.')
const ReactionKind = z.enum(['heart', 'spark']).describe('Hearts are counted, sparks are not.')
export const PostFormat = z
  .enum(['note', 'essay', 'photo', 'video', 'quote', 'thread', 'repost'])
  .describe('What the post consists of. It never changes.')
const Visibility = z
  .enum(['public', 'circles', 'inner'])
  .describe(
    'Who can see it: everybody, the circles of its author, or only the inner circle. In a group or guild it is `public`, for the members.',
  )

const words = {
  title: z
    .string()
    .nullish()
    .describe('The title of an essay, which must have one: 1 to 200 characters, one line. Other formats have none.'),
  body: z
    .string()
    .optional()
    .openapi({ example: 'What I learnt today.' })
    .describe(
      'Up to 5000 characters, 20,000 for a thread, 100,000 for an essay. It can be empty for a photo or a video.',
    ),
  media: z
    .array(
      z.object({
        url: z
          .string()
          .nullish()
          .describe(
            'An http(s) URL of up to 2000 characters at a host that this instance accepts. If it contains the id of an asset, that must be a suitable asset of yours, and the URL becomes its `publicUrl`.',
          ),
        assetId: Uuid.nullish().describe(
          'Instead of `url`: a committed asset of yours. A photo accepts assets of the kind image, and a video ' +
            'those of the kind video. Other formats accept both and audio.',
        ),
        alt: z
          .string()
          .nullish()
          .describe(
            'What the file shows, for people who cannot see it: up to 1000 characters. Default: the alt text of the asset; none if null or empty.',
          ),
      }),
    )
    .optional()
    .describe(
      'Pictures, a video or audio, in order: 1 to 10 for a photo, one for a video, up to 10 for other formats.',
    ),
}
const settings = {
  visibility: Visibility.optional().describe(
    'Who can see it: everybody, your circles, or only your inner circle. Default: everybody, which is required in a group or guild.',
  ),
  depth: z.int().min(0).max(5).optional().describe('0 (Surface) to 5 (Thesis). Default: 0.'),
  interestId: Uuid.nullish().describe('The primary interest.'),
  interestIds: z.array(Uuid).optional().describe('Up to 4 interests besides the primary one.'),
  personaId: Uuid.nullish().describe('One of your personas. Default: your default persona.'),
  isJournalism: z
    .boolean()
    .optional()
    .describe('Whether to publish the post as journalism, which requires the capability `canPostJournalism`.'),
  publishAt: Moment.nullish().describe('When to publish the post, in the future. Default: immediately.'),
}
/** The id or slug of a group or guild. */
const space = z.string().trim().min(1).max(60)
const within = {
  groupId: space.nullish().describe('The id or slug of the group whose members can see it.'),
  guildId: space.nullish().describe('The id or slug of the guild whose members can see it.'),
}
const NewPoll = z.object({
  options: z.array(z.string()).describe('2 to 6 options of 1 to 200 characters each; further ones are ignored.'),
  closesAt: Moment.nullish().describe('When the poll closes: in the future, and after `publishAt`. Default: never.'),
})
export const NewPost = z
  .object({
    format: PostFormat.optional().describe('What the post consists of. It never changes. Default: `note`.'),
    ...words,
    ...settings,
    ...within,
    poll: NewPoll.nullish().describe('A poll under the post, which cannot be changed later.'),
    quotedPostId: Uuid.nullish().describe('The original. A quote or a repost must have one; other formats cannot.'),
  })
  .openapi('NewPost')

export const NewGroupPost = NewPost.omit({ groupId: true }).openapi('NewGroupPost')
export const NewGuildPost = NewPost.omit({ guildId: true }).openapi('NewGuildPost')

const fixed = () => z.unknown().optional().describe('Cannot be changed.')
export const PostChanges = z
  .object({
    ...words,
    ...settings,
    visibility: Visibility.optional().describe(
      'Who can see it: everybody, your circles, or only your inner circle. In a group or guild only `public`.',
    ),
    depth: settings.depth.describe('0 (Surface) to 5 (Thesis).'),
    interestId: settings.interestId.describe('The primary interest; null for none.'),
    interestIds: settings.interestIds.describe(
      'Up to 4 interests besides the primary one, in place of the former ones.',
    ),
    personaId: settings.personaId.describe('One of your personas; null for your default persona.'),
    publishAt: settings.publishAt.describe('Moves a scheduled post to a time in the future; null publishes it now.'),
    format: fixed(),
    poll: fixed(),
    quotedPostId: fixed(),
    groupId: fixed(),
    guildId: fixed(),
  })
  .openapi('PostChanges')

const Breakdown = z
  .record(
    z.string(),
    z.object({ count: z.int().describe('The number of payments.'), total: z.int().describe('Whole mana.') }),
  )
  .openapi('EmojiBreakdown', { description: 'The number of payments and the mana, by emotion.' })

const Counters = z
  .object({
    reactions: z.int().describe('Hearts.'),
    replies: z.int().describe('Replies, without hidden and deleted ones and those of banned people.'),
    shares: z.int().describe('Reposts; quotes are not counted.'),
    bookmarks: z.int().describe('How many people bookmarked the post.'),
    views: z.int().describe('How often other people opened the post by itself, not in a list.'),
  })
  .openapi('PostCounters')
const Viewer = z
  .object({
    reactions: z.array(ReactionKind).describe('Your reactions.'),
    bookmarked: z.boolean().describe('Whether you bookmarked the post.'),
    reposted: z.boolean().describe('Whether you reposted the post.'),
    voted: z.boolean().describe('Whether you voted in the poll of the post.'),
  })
  .openapi('PostViewer')
export const ReactionAnswer = z
  .object({
    counters: Counters.describe('The counters after the change.'),
    viewer: Viewer.describe('What you have done with it.'),
  })
  .openapi('Reactions')

export const Media = z
  .object({ url: z.string().describe('The URL of the file.'), alt: AltText, ...picture })
  .openapi('PostMedia')
export const CoAuthor = z
  .object({
    id: Uuid.describe('The id of the invitation, for the response.'),
    userId: ActorId,
    user: PersonCard,
    splitShare: z
      .int()
      .describe('Percent of a payment for the post that the co-author gets, rounded down to whole mana.'),
    status: z.enum(['pending', 'accepted']).describe('`pending`: the invited person has not answered.'),
  })
  .openapi('CoAuthor', { description: 'Only the author and the invited person see pending ones.' })
export const Poll = z
  .object({
    id: Uuid,
    options: z
      .array(
        z.object({
          id: Uuid,
          text: z.string().describe('The option, as the author wrote it.'),
          votes: z.int().describe('The number of votes.'),
        }),
      )
      .describe('The options, in the order of the author.'),
    totalVotes: z.int().describe('The votes of all options.'),
    closesAt: Timestamp.nullable().describe('When the poll closes; null if it never does.'),
    closed: z.boolean().describe('Whether the poll is closed.'),
    myOptionId: Uuid.nullable().describe('The option that you voted for; null if you have not voted.'),
  })
  .openapi('Poll')

const Persona = z
  .object({
    id: Uuid,
    name: z.string().describe('The name under which the author shows the post.'),
    accent: z.string().describe('A colour token.'),
    profilePicUrl: Picture,
  })
  .openapi('PostPersona')
const Interest = z
  .object({
    id: Uuid,
    slug: InterestSlug,
    name: InterestName,
    accentColor: InterestColor,
    isPrimary: z.boolean().describe('Whether this is the primary interest, which `interestId` names.'),
  })
  .openapi('PostInterest')
const Series = z
  .object({ id: Uuid, title: z.string().describe('The title, as the author of the series wrote it.') })
  .openapi('PostSeries')

/** The fields of posts of every format. The formats extend it, so that the API description has these fields once. */
const AnyPost = z
  .object({
    id: Uuid,
    authorId: ActorId,
    author: PersonCard,
    personaId: Uuid,
    persona: Persona.describe('The persona under which the post is published.'),
    coAuthors: z
      .array(CoAuthor)
      .describe(
        'The co-authors who accepted, in the order of their invitation. The author and the invited person also see pending ones.',
      ),
    body: z
      .string()
      .describe('The text, as the author wrote it. Empty for a repost; can be empty for a photo or a video.'),
    media: z
      .array(Media)
      .describe('The pictures and other media, in the order of the author; empty if there are none.'),
    visibility: Visibility,
    depth: z.int().describe('0 (Surface) to 5 (Thesis).'),
    depthLabel: z.string().describe('The name of the depth, such as `Deep`.'),
    interestId: PrimaryInterest,
    groupId: GroupId,
    guildId: GuildId,
    spaceName: z.string().nullable().describe('The name of that group or guild; null if it is in none.'),
    interests: z.array(Interest).describe('The interests: the primary one first, the others by name.'),
    isJournalism: z.boolean().describe('Whether its author published it as journalism.'),
    counters: Counters.describe('What everybody has done with it.'),
    viewer: Viewer.describe('What you have done with it.'),
    poll: z.union([Poll, z.null()]).describe('The poll under the post; null if there is none.'),
    series: z.array(Series).describe('The series of its author that contain it, the oldest first.'),
    emojiBreakdown: Breakdown,
    boostScore: z.number().describe('The factor by which its score in the feed is multiplied; 0 if it is not boosted.'),
    boostExpiresAt: Timestamp.nullable().describe('When the boost ends; null if there is none.'),
    pinned: z.boolean().describe('Whether its author pinned it to the profile.'),
    publishAt: Timestamp.nullable().describe('When a scheduled post is due; null if it was published at once.'),
    publishedAt: Timestamp.nullable().describe('When the post was published; null while it is scheduled.'),
    scheduledEmittedAt: ScheduledEmittedAt,
    editedAt: PostEditedAt,
    hiddenAt: HiddenAt,
    createdAt: Timestamp,
    importedAt: Timestamp.nullable().describe(
      'When its author imported it from another account or instance; null if it was written here.',
    ),
  })
  .openapi('AnyPost')
type Shape = z.ZodRawShape

/** A post with further fields, by format. A field that a format never has is null or empty. */
function postWith<M extends Shape, Q extends Shape, N extends Shape>(name: string, more: M, quotes: Q, none: N) {
  const variant = <F extends z.output<typeof PostFormat>, O extends Shape, R extends Shape>(
    format: F,
    own: O,
    refers: R,
  ) =>
    AnyPost.extend({
      ...refers,
      ...more,
      format: z.literal(format).describe('The format, which decides what the other fields can have.'),
      ...own,
    }).openapi(`${name}${format.charAt(0).toUpperCase()}${format.slice(1)}`)
  const untitled = { title: z.null().describe('Only an essay has a title.') }
  return z
    .discriminatedUnion('format', [
      variant('note', untitled, none),
      variant('thread', untitled, none),
      variant('essay', { title: z.string().describe('1 to 200 characters, one line.') }, none),
      variant(
        'photo',
        { ...untitled, media: z.array(Media).min(1).describe('The pictures, in the order of the author.') },
        none,
      ),
      variant('video', { ...untitled, media: z.array(Media).length(1).describe('The video.') }, none),
      variant('quote', untitled, quotes),
      variant(
        'repost',
        {
          ...untitled,
          body: z.literal('').describe('A repost has no text.'),
          media: z.array(Media).max(0).describe('A repost has no media.'),
          poll: z.null().describe('A repost has no poll.'),
        },
        quotes,
      ),
    ])
    .openapi(name)
}

const QuotedPost = postWith('QuotedPost', {}, {}, {})
const quoting = {
  quotedPostId: Uuid.nullable().describe(
    'The original of a quote or a repost; null if you cannot see it or it was deleted.',
  ),
  quotedPost: z
    .union([QuotedPost, z.null()])
    .describe('The original of a quote or a repost. Null, like its id, if you cannot see it or it was deleted.'),
}
/** A post of any format with the post that it quotes, and further fields. */
export const postAnd = <M extends Shape>(name: string, more: M) =>
  postWith(name, more, quoting, {
    quotedPostId: z.null().describe('Always null: only a quote or a repost has an original.'),
    quotedPost: z.null().describe('Always null: only a quote or a repost has an original.'),
  })
export const Post = postAnd('Post', {})
export const PostPage = Page(Post)
export const Posts = z
  .object({
    items: z.array(Post).describe('The posts in the order of the ids, without those that you cannot see.'),
    remaining: z
      .array(Uuid)
      .describe('The ids that did not fit into half a megabyte: ask for them in another request.'),
  })
  .openapi('Posts')
export const Username = z.object({ username: PersonParam })
export const NewReply = z.object({
  body: z
    .string()
    .describe('Up to 5000 characters; a reaction up to 280, a criticism 50 to 300, a contribution at least 100.'),
  kind: ReplyKind.optional().describe('How the reply relates to the post. Default: `reply`.'),
  parentId: Uuid.nullish().describe(
    'The reply under the same post that this one answers. Default: it answers the post.',
  ),
})
export const RepliesQuery = z.object({
  kind: ReplyKind.optional().describe('Only replies of this kind.'),
  parentId: Uuid.optional().describe('Only the direct answers to this reply.'),
})
export const Reply = z
  .object({
    id: Uuid,
    postId: Uuid,
    parentId: Uuid.nullable().describe(
      'The reply that this one answers. Null if it answers the post, or a reply that you cannot see.',
    ),
    authorId: ActorId,
    author: PersonCard,
    kind: ReplyKind,
    body: z.string().describe('The text, as its author wrote it.'),
    hiddenAt: HiddenAt,
    createdAt: Timestamp,
  })
  .openapi('Reply')
export const ReplyPage = Page(Reply)
export const PostDetail = postAnd('PostDetail', {
  replies: ReplyPage.describe('The first page of its replies, oldest first; for a repost those of the original.'),
})

export const NewReaction = z.object({ kind: ReactionKind })
export const TakenReaction = z.object({ kind: ReactionKind.optional().describe('Default: both kinds.') })

const { visibility, depth, interestId, interestIds, personaId } = settings
export const NewRepost = z
  .object({
    body: z.string().nullish().describe('Your text about the original. With it the post is a quote.'),
    visibility,
    depth,
    interestId,
    interestIds,
    personaId,
    ...within,
  })
  .openapi('NewRepost', {
    description: 'With a `body` the post is a quote; without it a repost, which only has `visibility` and `personaId`.',
  })

export const Vote = z.object({ optionId: Uuid.describe('An option of the poll. A second vote replaces the first.') })

export const NewCoAuthor = z.object({
  userId: PersonParam,
  splitShare: z
    .int()
    .min(0)
    .max(100)
    .describe(
      'Percent of a payment for the post that the co-author gets. All co-authors of a post get at most 90 together.',
    ),
})
export const CoAuthorParams = z.object({ id: IdParam, inviteId: IdParam })
export const CoAuthorInvitation = z
  .object({
    id: Uuid,
    postId: Uuid,
    userId: ActorId,
    user: PersonCard,
    splitShare: z
      .int()
      .describe('Percent of a payment for the post that the co-author gets, rounded down to whole mana.'),
    status: z
      .enum(['pending', 'accepted', 'declined'])
      .describe('`declined` deletes the invitation; the author can invite again.'),
    createdAt: Timestamp,
  })
  .openapi('CoAuthorInvitation')

export const LinkQuery = z.object({
  url: z.string().min(1).max(2048).openapi({ description: 'The URL of a web page.', example: 'https://example.org/' }),
})
export const LinkPreview = z
  .object({
    url: z.string().describe('The address of the page after redirects.'),
    title: z.string().describe('The title that the page gives itself.'),
    description: z.string().nullable().describe('What the page says about itself; null if nothing.'),
    imageUrl: z.string().nullable().describe('The picture that the page gives for previews; null without one.'),
    siteName: z.string().nullable().describe('The name of the site; null if the page does not say.'),
  })
  .openapi('LinkPreview')
