// Random worlds. The generator corrects states that the operations cannot produce (a repost of one's own post, a reply
// to another post's reply), so that every failure could happen in reality.
import fc from 'fast-check'
import { at, meant, names, type Post, type Reply, type World, words } from './model.ts'

const person = fc.nat(names.length - 1)
const rarely = fc.integer({ min: 0, max: 7 }).map((n) => n === 7)
const sometimes = fc.integer({ min: 0, max: 4 }).map((n) => n === 4)
const seldom = fc.integer({ min: 0, max: 2 }).map((n) => n === 2)
const two = fc.tuple(person, person)
const mostPosts = 9
const post = fc.nat(mostPosts - 1)
const some = <T>(arbitrary: fc.Arbitrary<T>, most: number) => fc.array(arbitrary, { maxLength: most })
const nobodyOften = fc.oneof(
  { weight: 4, arbitrary: fc.constant<number[]>([]) },
  { weight: 1, arbitrary: fc.tuple(person) },
)

const visibility = fc.constantFrom('public' as const, 'public' as const, 'circles' as const, 'inner' as const)
const posts: fc.Arbitrary<Post[]> = fc.array(
  fc
    .record({
      author: person,
      format: fc.constantFrom('note' as const, 'note' as const, 'quote' as const, 'repost' as const),
      of: fc.nat(mostPosts - 1),
      visibility,
      edited: fc.option(visibility),
      hidden: rarely,
      deleted: rarely,
      scheduled: rarely,
      space: sometimes,
      pinned: rarely,
      journalism: rarely,
      depth: fc.nat(5),
      interest: fc.constantFrom('none' as const, 'parent' as const, 'child' as const),
      words: fc.constantFrom<Post['words'][]>([], [], [], ['tea'], ['milk'], ['tea', 'milk']),
      poll: seldom,
    })
    .map(({ edited, ...post }) => ({ ...post, before: edited ?? post.visibility })),
  { minLength: 1, maxLength: mostPosts },
)

const raw: fc.Arbitrary<World> = fc.record({
  circles: some(
    fc.record({
      owner: person,
      members: fc.uniqueArray(fc.record({ person, close: fc.boolean(), left: seldom }), {
        maxLength: 4,
        selector: (member) => member.person,
      }),
    }),
    6,
  ),
  follows: some(two, 6),
  blocks: some(fc.record({ by: person, whom: person, lifted: seldom }), 4),
  mutes: some(two, 3),
  keywords: some(fc.tuple(person, fc.constantFrom(...words)), 3),
  space: fc.uniqueArray(person, { maxLength: 5 }),
  departed: fc.uniqueArray(person, { maxLength: 2 }),
  barred: fc.uniqueArray(person, { maxLength: 2 }),
  archived: seldom,
  banned: nobodyOften,
  pardoned: nobodyOften,
  suspended: nobodyOften,
  released: nobodyOften,
  limited: fc.uniqueArray(person, { maxLength: 2 }),
  erased: nobodyOften,
  posts,
  replies: some(
    fc.record({
      post,
      author: person,
      parent: fc.option(fc.nat(5)),
      kind: fc.constantFrom('reply' as const, 'reaction' as const),
      hidden: rarely,
      deleted: rarely,
    }),
    6,
  ),
  series: some(fc.record({ owner: person, parts: fc.uniqueArray(post, { maxLength: 5 }) }), 3),
  seriesFollows: some(fc.tuple(person, fc.nat(2)), 4),
  coAuthors: some(fc.record({ post, person, accepted: fc.boolean() }), 4),
  votes: some(fc.record({ post, person, option: fc.nat(1) }), 5),
  hearts: some(fc.tuple(person, post), 5),
  sparks: some(fc.tuple(person, post), 3),
  bookmarks: some(fc.tuple(person, post), 5),
  postMutes: some(fc.tuple(person, post), 3),
  payments: some(fc.record({ from: person, post: fc.option(post), reply: fc.option(fc.nat(5)) }), 3),
  notices: some(fc.record({ to: person, by: person, post }), 3),
  boundaries: fc.uniqueArray(post, { maxLength: 2 }),
  limit: fc.constantFrom(1, 2, 3, 5, 50),
  call: fc.nat(10_000),
})

/** The first item of each kind. */
function once<T>(list: readonly T[], key: (item: T) => unknown): T[] {
  const seen = new Set<string>()
  return list.filter((item) => {
    const name = JSON.stringify(key(item))
    return !seen.has(name) && seen.add(name)
  })
}

function straightPosts(list: readonly Post[]): Post[] {
  const posts: Post[] = []
  for (const [place, drawn] of list.entries()) {
    // A repost of a repost refers to the original. People repost only posts of others that they have seen.
    const first = place > 0 && drawn.of !== null ? drawn.of % place : null
    const of = first !== null && posts[first]?.format === 'repost' ? (posts[first]?.of ?? null) : first
    const original = of === null ? undefined : posts[of]
    const known = drawn.format !== 'note' && original && !original.scheduled && original.author !== drawn.author
    const again = posts.some((one) => one.format === 'repost' && one.author === drawn.author && one.of === of)
    const format = !known ? 'note' : drawn.format === 'repost' && again ? 'quote' : drawn.format
    const pins = posts.filter(({ author, pinned }) => pinned && author === drawn.author).length
    const bare = format === 'repost'
    const space = drawn.space && !bare
    posts.push({
      ...drawn,
      format,
      of: format === 'note' ? null : of,
      space,
      visibility: space ? 'public' : drawn.visibility,
      before: space ? 'public' : drawn.before,
      scheduled: drawn.scheduled && !bare,
      pinned: drawn.pinned && !drawn.scheduled && pins < 3,
      words: bare ? [] : drawn.words,
      poll: drawn.poll && !bare,
      interest: bare ? 'none' : drawn.interest,
      depth: bare ? 0 : drawn.depth,
    })
  }
  return posts
}

/** What staff decided about the people: at most one kind of ban or erasure each. */
function straightStates({ banned, suspended, erased, pardoned, released }: World) {
  const left = <T>(list: readonly T[], ...taken: readonly T[][]) => list.filter((one) => !taken.flat().includes(one))
  const away = left(suspended, banned)
  const deleted = left(erased, banned, away)
  const back = left(pardoned, banned, away, deleted)
  return { suspended: away, erased: deleted, pardoned: back, released: left(released, banned, away, deleted, back) }
}

function straight(drawn: World): World {
  const posts = straightPosts(drawn.posts)
  const many = posts.length
  const onPost = <T extends { post: number }>(list: readonly T[]) =>
    list.map((item) => ({ ...item, post: item.post % many }))
  const pairs = (list: readonly [number, number][]) =>
    once(
      list.map(([who, which]): [number, number] => [who, which % many]),
      (pair) => pair,
    )
  const others = (list: readonly [number, number][]) =>
    once(
      list.filter(([one, other]) => one !== other),
      (pair) => pair,
    )
  /** A post that only its author sees has no actions by others. */
  const isOut = (place: number) => !at(posts, place).scheduled
  const out = (list: readonly [number, number][]) => pairs(list).filter(([, place]) => isOut(place))
  const kept = (list: readonly [number, number][]) =>
    out(list.map(([who, which]): [number, number] => [who, meant(posts, which % many)]))

  const replies: Reply[] = []
  for (const reply of onPost(drawn.replies).map((one) => ({ ...one, post: meant(posts, one.post) }))) {
    const parent = reply.parent === null || replies.length === 0 ? null : reply.parent % replies.length
    // An answer belongs to the same post as its parent
    const post = parent === null ? reply.post : at(replies, parent).post
    if (isOut(post)) replies.push({ ...reply, parent, post })
  }
  const series = drawn.series.map(({ owner, parts }) => ({
    owner,
    parts: once(
      parts
        .map((place) => place % many)
        .filter((place) => at(posts, place).author === owner && at(posts, place).format !== 'repost'),
      (place) => place,
    ),
  }))
  return {
    ...drawn,
    posts,
    circles: drawn.circles.map(({ owner, members }) => ({
      owner,
      members: members.filter((one) => one.person !== owner),
    })),
    follows: others(drawn.follows),
    blocks: once(
      drawn.blocks.filter(({ by, whom }) => by !== whom),
      ({ by, whom }) => [by, whom],
    ),
    mutes: others(drawn.mutes),
    keywords: once(drawn.keywords, (mute) => mute),
    departed: drawn.departed.filter((one) => !drawn.space.includes(one)),
    barred: drawn.barred.filter((one) => !drawn.space.includes(one) && !drawn.departed.includes(one)),
    ...straightStates(drawn),
    replies,
    series,
    seriesFollows: once(
      drawn.seriesFollows
        .filter(() => series.length > 0)
        .map(([who, which]): [number, number] => [who, which % series.length])
        .filter(([who, which]) => at(series, which).owner !== who),
      (follow) => follow,
    ),
    coAuthors: once(
      onPost(drawn.coAuthors).filter(
        ({ post, person }) => isOut(post) && at(posts, post).format !== 'repost' && at(posts, post).author !== person,
      ),
      ({ post, person }) => [post, person],
    ),
    votes: once(
      onPost(drawn.votes).filter(({ post }) => isOut(post) && at(posts, post).poll),
      ({ post, person }) => [post, person],
    ),
    hearts: kept(drawn.hearts),
    sparks: kept(drawn.sparks),
    bookmarks: kept(drawn.bookmarks),
    postMutes: out(drawn.postMutes),
    payments: drawn.payments.flatMap(({ from, post, reply }) => {
      const paid =
        reply !== null && replies.length > 0
          ? { post: null, reply: reply % replies.length }
          : { post: meant(posts, (post ?? 0) % many), reply: null }
      const to = paid.reply === null ? at(posts, paid.post ?? 0) : at(replies, paid.reply)
      return to.author === from || (paid.post !== null && !isOut(paid.post)) ? [] : [{ from, ...paid }]
    }),
    notices: onPost(drawn.notices),
    boundaries: drawn.boundaries.filter((place) => place < many),
  }
}

export const worlds = raw.map(straight)
