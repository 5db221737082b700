// Random stories: the relations between people, what is published first, and what happens then.
import fc from 'fast-check'
import { type Act, kinds } from './happenings.ts'
import { at, gone, names, places, sees, type World } from './model.ts'

const person = fc.nat(names.length - 1)
const pairs = fc
  .uniqueArray(fc.tuple(person, person), { maxLength: 8, selector: String })
  .map((list) => list.filter(([one, other]) => one !== other))

const act = (kind: fc.Arbitrary<Act['kind']>): fc.Arbitrary<Act> =>
  fc.record({
    kind,
    by: person,
    other: person,
    post: fc.nat(20),
    visibility: fc.constantFrom('public' as const, 'public' as const, 'circles' as const, 'inner' as const),
    mentions: fc.uniqueArray(person, { maxLength: 2 }),
    fitting: fc.integer({ min: 0, max: 3 }).map((n) => n > 0),
  })

const often = kinds.filter((kind) => !['ban', 'suspend', 'limit', 'block', 'hide', 'delete', 'mute'].includes(kind))
const causes = [
  'reply',
  'reply',
  'react',
  'edit',
  'leave',
  'join',
  'invite',
  'accept',
  'repost',
  'hide',
  'due',
] as const
const first = fc.constantFrom('publish' as const, 'publish' as const, 'schedule' as const)

type Story = {
  members: [owner: number, member: number, close: boolean][]
  mutes: [number, number][]
  followers: [follower: number, author: number][]
  follows: [follower: number, followed: number][]
  opening: Act[]
  acts: Act[]
}

export const stories: fc.Arbitrary<Story> = fc.record({
  members: fc.uniqueArray(fc.tuple(person, person, fc.boolean()), {
    maxLength: 12,
    selector: ([owner, member]) => `${owner} ${member}`,
  }),
  mutes: pairs,
  followers: pairs,
  follows: pairs,
  opening: fc.array(act(first), { minLength: 1, maxLength: 5 }),
  acts: fc.array(act(fc.constantFrom(...kinds, ...often, ...often, ...causes, ...causes)), {
    maxLength: 40,
    size: 'max',
  }),
})

/** Everyone has one circle and one series. */
export const beginning = ({ members, mutes, followers, follows }: Story): World => ({
  circles: places(names).map((owner) => ({
    owner,
    members: members
      .filter(([one, member]) => one === owner && member !== owner)
      .map(([, person, close]) => ({ person, close, left: false })),
  })),
  follows,
  blocks: [],
  mutes,
  keywords: [],
  space: [],
  departed: [],
  barred: [],
  archived: false,
  banned: [],
  pardoned: [],
  suspended: [],
  released: [],
  limited: [],
  erased: [],
  posts: [],
  replies: [],
  series: places(names).map((owner) => ({ owner, parts: [] })),
  seriesFollows: followers,
  coAuthors: [],
  votes: [],
  hearts: [],
  sparks: [],
  bookmarks: [],
  postMutes: [],
  payments: [],
  notices: [],
  boundaries: [],
  limit: 50,
  call: 0,
})

const authors: Act['kind'][] = ['part', 'invite', 'edit', 'delete']
const readers: Act['kind'][] = ['quote', 'repost', 'reply', 'react', 'vote']

/** The act as it is carried out: on an existing post, mostly by a person who may do it, and on pending things. */
export function fitted(world: World, drawn: Act): Act {
  const { posts, coAuthors } = world
  if (posts.length === 0) return drawn
  const act = { ...drawn, post: drawn.post % posts.length }
  if (!act.fitting) return act
  const { author } = at(posts, act.post)
  const seeing = places(names).filter((one) => one !== author && !gone(world, one) && sees(world, one, act.post))
  const invited = coAuthors.findLast(({ accepted }) => !accepted)
  const waiting = posts.findLastIndex(({ scheduled }) => scheduled)
  if (authors.includes(act.kind)) return { ...act, by: author }
  if (readers.includes(act.kind) && seeing.length > 0) return { ...act, by: at(seeing, act.by % seeing.length) }
  if (act.kind === 'accept' && invited) return { ...act, post: invited.post, by: invited.person }
  if (['due', 'hide'].includes(act.kind) && waiting >= 0) return { ...act, post: waiting }
  return act
}

const postless: Act['kind'][] = ['publish', 'schedule', 'block', 'ban', 'suspend', 'limit', 'join', 'leave']
/** Whether it needs a post when there is none yet. */
export const tooEarly = ({ posts }: World, { kind }: Act) => posts.length === 0 && !postless.includes(kind)
