// Who may see what, as a pure function of a small world. See docs/decisions.md, Visibility. It uses no SQL: the
// answers of the database are compared with it, operation by operation (registry.ts).

export const names = ['ann', 'ben', 'cyd', 'dan', 'eve'] as const
export const words = ['tea', 'milk'] as const

export type Visibility = 'public' | 'circles' | 'inner'
type Format = 'note' | 'quote' | 'repost'

/** A member with `left` is a former member. */
export type Circle = { owner: number; members: { person: number; close: boolean; left: boolean }[] }
export type Post = {
  author: number
  format: Format
  /** The earlier post that a quote or a repost refers to, otherwise null. */
  of: number | null
  visibility: Visibility
  /** Its visibility before an edit, when it was reposted. */
  before: Visibility
  hidden: boolean
  deleted: boolean
  scheduled: boolean
  /** Whether it is in the one space. */
  space: boolean
  pinned: boolean
  journalism: boolean
  depth: number
  interest: 'none' | 'parent' | 'child'
  words: (typeof words)[number][]
  poll: boolean
}
export type Reply = {
  post: number
  author: number
  parent: number | null
  kind: 'reply' | 'reaction'
  hidden: boolean
  deleted: boolean
}
/** Its items were posts of its owner when they were added, in this order. */
type Series = { owner: number; parts: number[] }
/** Lifted blocks existed for a while, and ended what a block ends. */
type Block = { by: number; whom: number; lifted: boolean }

/**
 * Numbers are indexes into the lists of people, posts, replies and series. The operations could have produced
 * everything in a world. Blocks came last, and have ended what a block ends.
 */
export type World = {
  circles: Circle[]
  follows: [follower: number, followed: number][]
  blocks: Block[]
  mutes: [muter: number, muted: number][]
  keywords: [muter: number, keyword: (typeof words)[number]][]
  /** Who is in the space, who left it, and who was removed permanently. Also whether the space is archived. */
  space: number[]
  departed: number[]
  barred: number[]
  archived: boolean
  banned: number[]
  /** People whose ban was lifted. */
  pardoned: number[]
  /** People whose ban ends at a time that is still to come, and people whose suspension a job has ended. */
  suspended: number[]
  released: number[]
  /** People whom only their followers find. */
  limited: number[]
  erased: number[]
  posts: Post[]
  replies: Reply[]
  series: Series[]
  seriesFollows: [person: number, series: number][]
  coAuthors: { post: number; person: number; accepted: boolean }[]
  votes: { post: number; person: number; option: number }[]
  hearts: [person: number, post: number][]
  sparks: [person: number, post: number][]
  bookmarks: [person: number, post: number][]
  postMutes: [person: number, post: number][]
  payments: { from: number; post: number | null; reply: number | null }[]
  /** Who was notified by whom about which post. */
  notices: { to: number; by: number; post: number }[]
  /** The posts after which a block of the ranked feed begins. */
  boundaries: number[]
  /** The page length with which lists are read, and which calls are made on what. */
  limit: number
  call: number
}

export const at = <T>(list: readonly T[], place: number): T => {
  const item = list[place]
  if (item === undefined) throw new Error(`nothing stands at ${place}`)
  return item
}

/** Whether one person follows another: a block ends a follow, even if the block is lifted later. */
export const follows = (world: World, one: number, other: number) =>
  world.follows.some(([by, whom]) => by === one && whom === other) && !quarrelled(world, one, other)

export const followsSeries = (world: World, person: number, series: number) =>
  world.seriesFollows.some(([by, which]) => by === person && which === series) &&
  !quarrelled(world, person, at(world.series, series).owner)

/** Whether an invitation as a co-author is pending or was accepted. */
export const isCoAuthor = (world: World, { post, person, accepted }: World['coAuthors'][number]) =>
  !world.erased.includes(person) && (accepted || !quarrelled(world, person, at(world.posts, post).author))

/**
 * Whether a post shows its co-author to a viewer who sees the post. A pending co-author is shown only to that person
 * and the author.
 */
export const showsCoAuthor = (world: World, viewer: number, one: World['coAuthors'][number]) =>
  isCoAuthor(world, one) &&
  meets(world, viewer, one.person) &&
  (one.accepted || viewer === one.person || viewer === at(world.posts, one.post).author)

/** Whether there ever was a block between two people, including a lifted block. */
export const quarrelled = ({ blocks }: World, one: number, other: number) =>
  blocks.some(({ by, whom }) => (by === one && whom === other) || (by === other && whom === one))

export const blocked = ({ blocks }: World, one: number, other: number) =>
  blocks.some(({ by, whom, lifted }) => !lifted && ((by === one && whom === other) || (by === other && whom === one)))

/** Whether a person is hidden from everyone. */
export const gone = ({ banned, suspended, erased }: World, person: number) =>
  [...banned, ...suspended, ...erased].includes(person)

/** Whether a person is visible to a viewer at all. */
export const meets = (world: World, viewer: number, person: number) =>
  !gone(world, person) && !blocked(world, viewer, person)

/** Whether a person is limited, and the viewer is neither a follower nor that person. */
export const limitedFor = (world: World, viewer: number, person: number) =>
  world.limited.includes(person) && viewer !== person && !follows(world, viewer, person)

/** 0 a stranger, 1 in a circle of the author, 2 in the inner circle. */
function closeness({ circles }: World, viewer: number, author: number): number {
  const bonds = circles
    .filter(({ owner }) => owner === author)
    .flatMap(({ members }) => members.filter(({ person, left }) => person === viewer && !left))
  return Math.max(0, ...bonds.map(({ close }) => (close ? 2 : 1)))
}

/** Deleted for everyone: by its author, by staff, or by the erasure of its author. */
export const deletedPost = (world: World, place: number) => {
  const { deleted, author } = at(world.posts, place)
  return deleted || world.erased.includes(author)
}

export const deletedReply = (world: World, place: number) => {
  const { deleted, author } = at(world.replies, place)
  return deleted || world.erased.includes(author)
}

export function sees(world: World, viewer: number, place: number): boolean {
  const { author, visibility, hidden, scheduled, space, format, of } = at(world.posts, place)
  if (deletedPost(world, place) || !meets(world, viewer, author)) return false
  if (space && !world.space.includes(viewer)) return false
  if (format === 'repost' && of !== null && !sees(world, viewer, of)) return false
  if (viewer === author) return true
  if (hidden || scheduled) return false
  return closeness(world, viewer, author) >= ['public', 'circles', 'inner'].indexOf(visibility)
}

export function seesReply(world: World, viewer: number, place: number): boolean {
  const { post, author, hidden } = at(world.replies, place)
  if (deletedReply(world, place) || !meets(world, viewer, author) || !sees(world, viewer, post)) return false
  return !hidden || viewer === author
}

/** The post to which an action on a post applies: for a repost, its original. */
export function meant(posts: readonly Post[], place: number): number {
  const { format, of } = at(posts, place)
  return format === 'repost' && of !== null ? of : place
}

/** The quoted or reposted post, if the viewer sees it. */
export function seesQuoted(world: World, viewer: number, place: number): number | null {
  const { of } = at(world.posts, place)
  return of !== null && sees(world, viewer, of) ? of : null
}

/** A published post that isn't hidden: these are in other people's lists. */
export const isOut = (world: World, place: number) => {
  const { hidden, scheduled } = at(world.posts, place)
  return !hidden && !scheduled && !deletedPost(world, place)
}

/** The items of a series that a viewer sees, in order. */
export const partsOf = (world: World, viewer: number, series: number) =>
  at(world.series, series).parts.filter((post) => sees(world, viewer, post))

/** The author also sees a series without items. An erased author's series are deleted. */
export function seesSeries(world: World, viewer: number, series: number): boolean {
  const { owner } = at(world.series, series)
  return !world.erased.includes(owner) && (viewer === owner || partsOf(world, viewer, series).length > 0)
}

/** Whether a viewer's mutes keep a post out of their feed. */
export function muted(world: World, viewer: number, place: number): boolean {
  const { author, format, words } = at(world.posts, place)
  const person = (whom: number) => world.mutes.some(([by, other]) => by === viewer && other === whom)
  const post = (which: number) => world.postMutes.some(([by, other]) => by === viewer && other === which)
  const quoted = seesQuoted(world, viewer, place)
  const said = [...words, ...(quoted === null ? [] : at(world.posts, quoted).words)]
  if (person(author) || post(place)) return true
  if (format === 'repost' && quoted !== null && (person(at(world.posts, quoted).author) || post(quoted))) return true
  return world.keywords.some(([by, keyword]) => by === viewer && said.includes(keyword))
}

/** The authors of a post: its author and, for a repost, also the author of the original. */
function writers(world: World, place: number): number[] {
  const { author, format, of } = at(world.posts, place)
  return format === 'repost' && of !== null ? [author, at(world.posts, of).author] : [author]
}

/** Whether none of the authors of a post is limited for the viewer: feeds and the search leave out all other posts. */
export const isListed = (world: World, viewer: number, place: number) =>
  writers(world, place).every((person) => !limitedFor(world, viewer, person))

/** What is in a person's feed, before tabs and filters. */
export const inFeed = (world: World, viewer: number, place: number) =>
  sees(world, viewer, place) && isOut(world, place) && isListed(world, viewer, place) && !muted(world, viewer, place)

/** Whether a post is only for people closer than strangers: written for circles, or a repost of such a post. */
export function isCloser(world: World, place: number): boolean {
  const { visibility, format, of } = at(world.posts, place)
  return visibility !== 'public' || (format === 'repost' && of !== null && isCloser(world, of))
}

/** Whether only members of the space may see a post: written there, or a repost of such a post. */
export function isWithin(world: World, place: number): boolean {
  const { space, format, of } = at(world.posts, place)
  return space || (format === 'repost' && of !== null && at(world.posts, of).space)
}

/** Whether a post is for everyone. */
export const isPublic = (world: World, place: number): boolean =>
  !isCloser(world, place) && !isWithin(world, place) && !at(world.posts, place).hidden

/** Whether its publication is broadcast to everyone. */
export const isAnnounced = (world: World, place: number): boolean =>
  isPublic(world, place) && !writers(world, place).some((person) => world.limited.includes(person))

/** The relation of a viewer to the space. */
export function standing({ space, departed, barred }: World, viewer: number): string {
  if (space.includes(viewer)) return 'inside'
  if (departed.includes(viewer)) return 'departed'
  return barred.includes(viewer) ? 'barred' : 'outside'
}

export const places = (list: readonly unknown[]) => list.map((_item, place) => place)

/** The relation of a viewer to an author. The test counts these relations, so that none is left out. */
export function relation(world: World, viewer: number, author: number): string {
  if (viewer === author) return 'oneself'
  if (world.erased.includes(author)) return 'erased'
  if (world.banned.includes(author)) return 'banned'
  if (world.suspended.includes(author)) return 'suspended'
  const block = world.blocks.find(
    ({ by, whom, lifted }) => !lifted && [by, whom].includes(viewer) && [by, whom].includes(author),
  )
  if (block) return block.by === viewer ? 'blocker' : 'blocked'
  if (limitedFor(world, viewer, author)) return 'limited'
  const close = closeness(world, viewer, author)
  if (close > 0) return close === 2 ? 'inner circle' : 'member'
  const was = world.circles.some(
    ({ owner, members }) => owner === author && members.some(({ person, left }) => person === viewer && left),
  )
  if (was) return 'ex-member'
  if (world.mutes.some(([by, whom]) => by === viewer && whom === author)) return 'muter'
  if (follows(world, viewer, author)) return 'follower'
  return 'stranger'
}
