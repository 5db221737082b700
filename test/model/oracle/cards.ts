// The contents of a card in the model, and the same fields of a card in an answer.
import { optionId, paymentId, postId, replyId, seriesId } from './build.ts'
import {
  at,
  deletedPost,
  deletedReply,
  followsSeries,
  gone,
  meant,
  meets,
  names,
  partsOf,
  places,
  sees,
  seesQuoted,
  seesReply,
  showsCoAuthor,
  type World,
} from './model.ts'

export const actorId = (person: number) => `acct:${at(names, person)}@localhost`

/** The fields of a card that are compared. */
type Looked = { id: string; [field: string]: unknown }

type Person = { id: string } | null
type PostCard = {
  id: string
  authorId: string
  quotedPostId: string | null
  quotedPost: PostCard | null
  counters: Record<string, number>
  viewer: unknown
  coAuthors: { userId: string; status: string }[]
  series: { id: string }[]
  poll: { options: { id: string; votes: number }[]; totalVotes: number; myOptionId: string | null } | null
  emojiBreakdown: Record<string, { count: number; total: number }>
  pinned: boolean
  hiddenAt: string | null
  publishedAt: string | null
}

export function postCard(card: PostCard, quotes = true): Looked {
  return {
    id: card.id,
    author: card.authorId,
    ...(quotes && { quoted: [card.quotedPostId, card.quotedPost && postCard(card.quotedPost, false)] }),
    counters: card.counters,
    viewer: card.viewer,
    coAuthors: card.coAuthors.map(({ userId, status }) => [userId, status]),
    series: card.series.map(({ id }) => id),
    poll: card.poll && {
      votes: card.poll.options.map(({ id, votes }) => [id, votes]),
      total: card.poll.totalVotes,
      mine: card.poll.myOptionId,
    },
    emojis: card.emojiBreakdown,
    pinned: card.pinned,
    hidden: card.hiddenAt !== null,
    out: card.publishedAt !== null,
  }
}

const isPair =
  (one: number, other: number) =>
  ([first, second]: [number, number]) =>
    first === one && second === other

export function emojisOf({ payments }: World, place: number) {
  const count = payments.filter(({ post }) => post === place).length
  return count === 0 ? {} : { love: { count, total: count } }
}

const countersOf = (world: World, place: number) => ({
  reactions: world.hearts.filter(([, post]) => post === place).length,
  // As many as there are for everyone: a block doesn't change the count
  replies: world.replies.filter(
    ({ post, author, hidden }, reply) =>
      post === place && !hidden && !deletedReply(world, reply) && !gone(world, author),
  ).length,
  shares: world.posts.filter(
    ({ format, of }, other) => format === 'repost' && of === place && !deletedPost(world, other),
  ).length,
  bookmarks: world.bookmarks.filter(([, post]) => post === place).length,
  views: 0,
})

const viewerOf = (world: World, viewer: number, place: number) => ({
  reactions: [
    ...(world.hearts.some(isPair(viewer, place)) ? ['heart'] : []),
    ...(world.sparks.some(isPair(viewer, place)) ? ['spark'] : []),
  ],
  bookmarked: world.bookmarks.some(isPair(viewer, place)),
  reposted: world.posts.some(
    ({ author, format, of }, other) =>
      author === viewer && format === 'repost' && of === place && !deletedPost(world, other),
  ),
  voted: world.votes.some(({ post, person }) => post === place && person === viewer),
})

function pollOf({ posts, votes }: World, viewer: number, place: number) {
  if (!at(posts, place).poll) return null
  const cast = votes.filter(({ post }) => post === place)
  const mine = cast.find(({ person }) => person === viewer)
  return {
    votes: [0, 1].map((option) => [optionId(place, option), cast.filter((vote) => vote.option === option).length]),
    total: cast.length,
    mine: mine ? optionId(place, mine.option) : null,
  }
}

/** A post's card for a person who sees it. */
export function postCardOf(world: World, viewer: number, place: number, quotes = true): Looked {
  const { author, pinned, hidden, scheduled } = at(world.posts, place)
  const quoted = seesQuoted(world, viewer, place)
  return {
    id: postId(place),
    author: actorId(author),
    ...(quotes && {
      quoted: quoted === null ? [null, null] : [postId(quoted), postCardOf(world, viewer, quoted, false)],
    }),
    counters: countersOf(world, place),
    viewer: viewerOf(world, viewer, place),
    coAuthors: world.coAuthors
      .filter((one) => one.post === place && showsCoAuthor(world, viewer, one))
      .map(({ person, accepted }) => [actorId(person), accepted ? 'accepted' : 'pending']),
    series: world.series.flatMap(({ parts }, series) => (parts.includes(place) ? [seriesId(series)] : [])),
    poll: pollOf(world, viewer, place),
    emojis: emojisOf(world, place),
    pinned,
    hidden,
    out: !scheduled,
  }
}

type ReplyCard = { id: string; postId: string; parentId: string | null; authorId: string; hiddenAt: string | null }
export const replyCard = (card: ReplyCard) => ({
  id: card.id,
  post: card.postId,
  parent: card.parentId,
  author: card.authorId,
  hidden: card.hiddenAt !== null,
})

export function replyCardOf(world: World, viewer: number, place: number) {
  const { post, parent, author, hidden } = at(world.replies, place)
  return {
    id: replyId(place),
    post: postId(post),
    parent: parent !== null && seesReply(world, viewer, parent) ? replyId(parent) : null,
    author: actorId(author),
    hidden,
  }
}

/** The replies to a post that a viewer sees, oldest first. */
export const repliesOf = (world: World, viewer: number, post: number) =>
  places(world.replies).filter(
    (place) => at(world.replies, place).post === meant(world.posts, post) && seesReply(world, viewer, place),
  )

type SeriesCard = { id: string; authorId: string; partCount: number; followed: boolean }
export const seriesCard = ({ id, authorId, partCount, followed }: SeriesCard) => ({ id, authorId, partCount, followed })

export const seriesCardOf = (world: World, viewer: number, place: number) => ({
  id: seriesId(place),
  authorId: actorId(at(world.series, place).owner),
  partCount: partsOf(world, viewer, place).length,
  followed: followsSeries(world, viewer, place),
})

type PaymentCard = { id: string; sender: Person; receiver: Person; postId: string | null; replyId: string | null }
export const paymentCard = ({ id, sender, receiver, postId, replyId }: PaymentCard) => ({
  id,
  sender: sender?.id ?? null,
  receiver: receiver?.id ?? null,
  postId,
  replyId,
})

export const receiverOf = ({ posts, replies }: World, { post, reply }: World['payments'][number]) =>
  post === null ? at(replies, reply ?? 0).author : at(posts, post).author

/**
 * A payment stays visible to sender and receiver, and names the other person and the post as long as they are visible.
 */
export function paymentCardOf(world: World, viewer: number, place: number) {
  const payment = at(world.payments, place)
  const named = (person: number) => (meets(world, viewer, person) ? actorId(person) : null)
  return {
    id: paymentId(place),
    sender: named(payment.from),
    receiver: named(receiverOf(world, payment)),
    postId: payment.post !== null && sees(world, viewer, payment.post) ? postId(payment.post) : null,
    replyId: payment.reply === null ? null : replyId(payment.reply),
  }
}

type Notice = { kind: string; target: { id: string }; actors: { id: string }[] }
/** A notification keeps its id and has no text. Actors who are hidden from its reader are left out. */
export const notice = ({ kind, target, actors }: Notice) =>
  [kind, target.id, ...actors.map(({ id }) => id).sort()].join(' ')

/** Notifications about one post are grouped, with at most three people, so that all of them are shown. */
export function noticesOf(world: World, viewer: number): string[] {
  const told = world.notices.filter(({ to, by, post }) => {
    const silent = world.mutes.some(isPair(to, by)) || world.postMutes.some(isPair(to, post))
    return to === viewer && to !== by && !silent && !world.erased.includes(by)
  })
  return [...new Set(told.map(({ post }) => post))].map((place) => {
    const actors = told
      .filter(({ by, post }) => post === place && meets(world, viewer, by))
      .map(({ by }) => actorId(by))
    return notice({
      kind: 'post.mentioned',
      target: { id: postId(place) },
      actors: [...new Set(actors)].map((id) => ({ id })),
    })
  })
}
