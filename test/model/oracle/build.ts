// Writes a world into the tables of the database, so that every trigger runs, in the order in which things happened.
import type { ReservedSql, Sql } from 'postgres'
import { at, names, type World } from './model.ts'

/** An id that shows its kind and its place in the list. */
const id = (kind: number) => (place: number) => `00000000-0000-4000-8000-${kind}${String(place).padStart(11, '0')}`
export const postId = id(1)
export const replyId = id(2)
export const seriesId = id(3)
export const inviteId = id(4)
export const paymentId = id(5)
const circleId = id(6)
const pollId = id(7)
const spaceId = id(8)(0)
const keywordId = id(9)
export const optionId = (post: number, option: number) => id(7)(1000 + post * 10 + option)
/** An id that nothing has. */
export const unknownId = id(0)(404)

/** A text that is recognized in any answer. */
const wordsOf = (what: 'post' | 'reply' | 'series', place: number) => `words of ${what} ${place}.`

/** The ids of the people, in the order of `names`, and of two interests of the catalog. */
export type Ground = { people: string[]; parent: string; child: string }

export const minute = (place: number) => new Date(Date.UTC(2026, 0, 1, 0, Math.floor(place / 2)))
const past = new Date(Date.UTC(2026, 0, 2))
const future = (place: number) => new Date(Date.UTC(2099, 0, 1, 0, place))

/** Creates the people once, for all worlds. They may all write journalism. */
export async function settle(owner: Sql): Promise<Ground> {
  const people: string[] = []
  for (const name of names) {
    const [row] = await owner<[{ id: string }]>`
      select private.create_person(${`${name}@example.org`}, 'no hash', ${name}, '例', '1990-01-31', 'DE', 'Berlin') as id`
    people.push(row.id)
  }
  const [interest] = await owner<[{ parent: string; child: string }]>`
    select parent_id as parent, id as child from app.interests where level = 2 order by slug limit 1`
  await owner`
    insert into app.reputation (user_id, interest_id, value, direct_value)
    select p::uuid, ${interest.parent}::uuid, 25, 25 from unnest(${people}::text[]) p`
  return { people, ...interest }
}

async function insertPosts(sql: ReservedSql, { posts }: World, { people, parent, child }: Ground) {
  const interests = { none: null, parent, child }
  await sql`insert into app.posts ${sql(
    posts.map((post, place) => ({
      id: postId(place),
      author_id: at(people, post.author),
      format: post.format,
      body: post.format === 'repost' ? '' : [wordsOf('post', place), ...post.words].join(' '),
      quoted_post_id: post.of === null ? null : postId(post.of),
      visibility: post.before,
      space_id: post.space ? spaceId : null,
      depth: post.depth,
      interest_id: interests[post.interest],
      is_journalism: post.journalism,
      publish_at: post.scheduled ? future(place) : null,
      published_at: post.scheduled ? null : minute(place),
      pinned_at: post.pinned ? minute(place) : null,
      created_at: minute(place),
    })),
  )}`
  await sql`select private.index_for_search('post', ${posts.map((_, place) => postId(place))}::uuid[])`
}

export async function build(sql: ReservedSql, world: World, ground: Ground): Promise<void> {
  const rows = async (table: string, list: Record<string, unknown>[]) => {
    if (list.length > 0) await sql`insert into ${sql(`app.${table}`)} ${sql(list)}`
  }
  const stamp = async (table: string, column: string, ids: string[]) => {
    if (ids.length > 0) await sql`update ${sql(`app.${table}`)} set ${sql({ [column]: past })} where id in ${sql(ids)}`
  }
  const who = (person: number) => at(ground.people, person)
  const { posts, replies, series } = world
  const members = world.circles.flatMap(({ owner, members }, circle) =>
    members.map((member) => ({ ...member, owner, circle })),
  )

  await rows('spaces', [{ id: spaceId, kind: 'group', slug: 'the-space', name: 'The space', member_count: 5 }])
  await rows(
    'space_members',
    [...world.space, ...world.departed, ...world.barred].map((person) => ({ space_id: spaceId, user_id: who(person) })),
  )
  await rows(
    'circles',
    world.circles.map(({ owner }, place) => ({ id: circleId(place), owner_id: who(owner), name: 'Circle' })),
  )
  await rows(
    'circle_members',
    members.map(({ circle, owner, person, close }) => ({
      circle_id: circleId(circle),
      owner_id: who(owner),
      member_id: who(person),
      bond_level: close ? 'inner-circle' : 'acquaintance',
    })),
  )
  for (const { circle, person } of members.filter(({ left }) => left))
    await sql`delete from app.circle_members where circle_id = ${circleId(circle)} and member_id = ${who(person)}`
  await rows(
    'follows',
    world.follows.map(([one, other]) => ({ follower_id: who(one), following_id: who(other) })),
  )
  await rows(
    'mutes',
    world.mutes.map(([one, other]) => ({ muter_id: who(one), muted_id: who(other) })),
  )
  await rows(
    'muted_keywords',
    world.keywords.map(([one, keyword], place) => ({
      id: keywordId(place),
      user_id: who(one),
      keyword,
      folded: keyword,
    })),
  )

  if (posts.length > 0) await insertPosts(sql, world, ground)
  await rows(
    'feed_blocks',
    [...new Set(world.boundaries.map((place) => minute(place).getTime()))].map((time) => ({
      starts_at: new Date(time),
    })),
  )
  await rows(
    'replies',
    replies.map((reply, place) => ({
      id: replyId(place),
      post_id: postId(reply.post),
      author_id: who(reply.author),
      parent_id: reply.parent === null ? null : replyId(reply.parent),
      kind: reply.kind,
      body: wordsOf('reply', place),
      created_at: minute(place),
    })),
  )
  await rows(
    'series',
    series.map(({ owner }, place) => ({ id: seriesId(place), author_id: who(owner), title: wordsOf('series', place) })),
  )
  await rows(
    'series_items',
    series.flatMap(({ parts }, place) =>
      parts.map((part, before) => ({ series_id: seriesId(place), post_id: postId(part), position: before + 1 })),
    ),
  )
  const asked = posts.flatMap((post, place) => (post.poll ? [{ place, author: post.author }] : []))
  await rows(
    'polls',
    asked.map(({ place, author }) => ({ id: pollId(place), post_id: postId(place), author_id: who(author) })),
  )
  await rows(
    'poll_options',
    asked.flatMap(({ place }) =>
      [0, 1].map((option) => ({
        id: optionId(place, option),
        poll_id: pollId(place),
        position: option + 1,
        text: wordsOf('post', place),
      })),
    ),
  )
  await rows(
    'poll_votes',
    world.votes.map(({ post, person, option }) => ({
      poll_id: pollId(post),
      user_id: who(person),
      option_id: optionId(post, option),
    })),
  )
  await rows(
    'post_co_authors',
    world.coAuthors.map(({ post, person, accepted }, place) => ({
      id: inviteId(place),
      post_id: postId(post),
      user_id: who(person),
      split_share: 10,
      status: accepted ? 'accepted' : 'pending',
    })),
  )
  const given = (list: World['hearts'], kind: string) =>
    list.map(([person, post]) => ({ post_id: postId(post), user_id: who(person), kind }))
  await rows('reactions', [...given(world.hearts, 'heart'), ...given(world.sparks, 'spark')])
  const kept = (list: World['bookmarks']) =>
    list.map(([person, post]) => ({ post_id: postId(post), user_id: who(person) }))
  await rows('bookmarks', kept(world.bookmarks))
  await rows('post_mutes', kept(world.postMutes))
  await rows(
    'series_follows',
    world.seriesFollows.map(([person, place]) => ({ series_id: seriesId(place), user_id: who(person) })),
  )
  const payments = world.payments.map(({ from, post, reply }, place) => ({
    id: paymentId(place),
    sender_id: who(from),
    receiver_id: who(reply === null ? at(posts, post ?? 0).author : at(replies, reply).author),
    emotion: 'love',
    tier: 0,
    amount: 1,
    post_id: post === null ? null : postId(post),
    reply_id: reply === null ? null : replyId(reply),
    created_at: past,
  }))
  await rows('payments', payments)
  await rows(
    'payment_splits',
    payments.map(({ id, sender_id, receiver_id, amount }) => ({
      payment_id: id,
      sender_id,
      receiver_id,
      amount,
      created_at: past,
    })),
  )
  for (const { to, by, post } of world.notices)
    await sql`select private.notify(array[(${who(to)}, 'post.mentioned', ${who(by)}, 'post', ${postId(post)},
      ${sql.json({ postId: postId(post) })}, null, null, now())::private.notice])`

  // these changes come after everything has been written
  for (const [place, { visibility, before }] of posts.entries())
    if (visibility !== before) await sql`update app.posts set visibility = ${visibility} where id = ${postId(place)}`
  const ids = <T>(list: T[], is: (item: T) => boolean, name: (place: number) => string) =>
    list.flatMap((item, place) => (is(item) ? [name(place)] : []))
  await stamp(
    'posts',
    'hidden_at',
    ids(posts, ({ hidden }) => hidden, postId),
  )
  await stamp(
    'replies',
    'hidden_at',
    ids(replies, ({ hidden }) => hidden, replyId),
  )
  for (const person of [...world.departed, ...world.barred])
    await sql`select private.drop_member(${spaceId}, ${who(person)})`
  await rows(
    'space_bans',
    world.barred.map((person) => ({ space_id: spaceId, user_id: who(person) })),
  )
  if (world.archived) await stamp('spaces', 'archived_at', [spaceId])
  const deleted = ids(posts, ({ deleted }) => deleted, postId)
  if (deleted.length > 0) await sql`update app.posts set deleted_at = now() where id in ${sql(deleted)}`
  await stamp(
    'replies',
    'deleted_at',
    ids(replies, ({ deleted }) => deleted, replyId),
  )
  await rows(
    'blocks',
    world.blocks.map(({ by, whom }) => ({ blocker_id: who(by), blocked_id: who(whom) })),
  )
  for (const { by, whom } of world.blocks.filter(({ lifted }) => lifted))
    await sql`delete from app.blocks where blocker_id = ${who(by)} and blocked_id = ${who(whom)}`
  await stamp('users', 'banned_at', [...world.banned, ...world.pardoned].map(who))
  for (const person of world.pardoned) await sql`update app.users set banned_at = null where id = ${who(person)}`
  await stamp('users', 'limited_at', world.limited.map(who))
  for (const [people, until] of [
    [world.suspended, future(0)],
    [world.released, past],
  ] as const)
    for (const person of people)
      await sql`update app.users set banned_at = ${past}, banned_until = ${until} where id = ${who(person)}`
  for (const person of world.released) {
    await sql`select private.job_end_suspensions()`
    // otherwise the person would wait a second for a valid token
    await sql`update app.users set tokens_valid_from = 0 where id = ${who(person)}`
  }
  for (const person of world.erased) await sql`select private.erase_person(${who(person)})`
}
