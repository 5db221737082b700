// What happens in a world, act by act: who may do it, and who is then notified. Each act changes the world.
import { at, blocked, gone, isAnnounced, limitedFor, meets, names, type Post, sees, type World } from './model.ts'

export const kinds = [
  'publish',
  'schedule',
  'due',
  'quote',
  'repost',
  'reply',
  'react',
  'vote',
  'close',
  'part',
  'invite',
  'accept',
  'edit',
  'hide',
  'delete',
  'mute',
  'block',
  'ban',
  'suspend',
  'limit',
  'join',
  'leave',
] as const

/** Each kind of act uses the fields that it needs. */
export type Act = {
  kind: (typeof kinds)[number]
  by: number
  other: number
  post: number
  visibility: Post['visibility']
  mentions: number[]
  /** Whether to prefer a person who may do it. */
  fitting: boolean
}

/** A person's notification about a post. The notification is also announced on the person's own channel. */
export type Told = { to: number; kind: string; post: number }

type Ids = (place: number) => string
export type Step = {
  /** The person in whose name the call is made; null if the database makes it itself. */
  by: number | null
  call(postId: Ids, replyId: Ids): string
  /** Whether the act is allowed. If not, the call must fail. */
  may: boolean
  told: Told[]
  /** Posts that are broadcast to everyone. */
  feed: number[]
  makes?: 'posts' | 'replies' | undefined
}

/** Notifies nobody. */
export const nobody: Pick<Step, 'told' | 'feed'> = { told: [], feed: [] }

/** State outside the world: whom each post mentions, which polls are over, and what is notified only once. */
export type Memory = { mentions: number[][]; closed: Set<number>; once: Set<string> }

export type Performer = (world: World, act: Act, memory: Memory) => Step

/**
 * Whether a person gets a notification. It does not reach people about their own acts, about acts of people whom they
 * muted or with whom there is a block, or about posts that they muted.
 */
export function hears(world: World, { to, kind, post }: Told, by: number | null): boolean {
  if (to === by || gone(world, to)) return false
  if (by !== null && (blocked(world, to, by) || world.mutes.some(([muter, whom]) => muter === to && whom === by)))
    return false
  return kind.startsWith('co-author') || !world.postMutes.some(([muter, which]) => muter === to && which === post)
}

/** The people who are notified of a new item, each only once: they follow the author's series and see the item. */
export function followers(world: World, place: number, { once }: Memory): Told[] {
  const { author } = at(world.posts, place)
  if (!at(world.series, author).parts.includes(place)) return []
  return world.seriesFollows
    .filter(([, series]) => series === author)
    .map(([to]) => ({ to, kind: 'series.updated', post: place }))
    .filter((notice) => sees(world, notice.to, place) && hears(world, notice, author))
    .filter(({ to }) => !once.has(`part ${to} ${place}`) && once.add(`part ${to} ${place}`))
}

/**
 * Who is notified when a post is published: people whom it mentions, the author of its original, followers of its
 * series, and everyone by the public feed.
 */
export function goesOut(world: World, place: number, memory: Memory): Pick<Step, 'told' | 'feed'> {
  const { author, of, format } = at(world.posts, place)
  const told: Told[] = at(memory.mentions, place)
    .filter((to) => meets(world, to, author) && sees(world, to, place) && !limitedFor(world, to, author))
    .map((to) => ({ to, kind: 'post.mentioned', post: place }))
  if (of !== null) {
    const to = at(world.posts, of).author
    const kind = format === 'quote' ? 'post.quoted' : 'post.reposted'
    if (sees(world, to, place) && sees(world, to, of)) told.push({ to, kind, post: of })
  }
  return {
    told: [...told.filter((notice) => hears(world, notice, author)), ...followers(world, place, memory)],
    feed: isAnnounced(world, place) ? [place] : [],
  }
}

export const said = (mentions: readonly number[]) =>
  ['Said', ...mentions.map((person) => `@${at(names, person)}`)].join(' ')

const plain = {
  format: 'note',
  of: null,
  hidden: false,
  deleted: false,
  scheduled: false,
  space: false,
  pinned: false,
  journalism: false,
  depth: 0,
  interest: 'none',
  words: [],
} as const

/** Publishes a note with a poll, now or later. For a repost or quote, the caller passes `more` and replaces `call`. */
export function publish(world: World, act: Act, memory: Memory, more: Partial<Post> = {}): Step {
  const { by, visibility, mentions } = act
  const post: Post = {
    ...plain,
    words: [],
    author: by,
    visibility,
    before: visibility,
    poll: more.of === undefined,
    ...more,
  }
  memory.mentions.push(post.format === 'repost' ? [] : mentions)
  const place = world.posts.push(post) - 1
  const time = post.scheduled ? `, p_publish_at => now() + interval '1 day'` : ''
  return {
    by,
    call: () =>
      `api.create_post('${said(mentions)}', p_visibility => '${visibility}', p_poll => '{"options": ["a", "b"]}'${time})`,
    may: true,
    makes: 'posts',
    ...(post.scheduled ? nobody : goesOut(world, place, memory)),
  }
}
