// Who sees what, in random worlds, against a small model of the rule. decisions: Visibility.
// A failure prints the seed and the smallest world that shows it.
import fc from 'fast-check'
import type { ReservedSql } from 'postgres'
import { expect, test } from 'vitest'
import { createDatabase } from '../support/database.ts'

type Circle = { owner: number; members: number[]; close: boolean }
type Post = {
  author: number
  visibility: 'public' | 'circles' | 'inner'
  hidden: boolean
  deleted: boolean
  space: boolean
}
type Reply = { post: number; author: number; hidden: boolean; deleted: boolean }
type World = {
  circles: Circle[]
  blocks: [number, number][]
  banned: number[]
  /** Who is in the one space. */
  space: number[]
  posts: Post[]
  replies: Reply[]
  /** The page length with which the feed is walked, and which of the calls below is made on each post. */
  limit: number
  call: number
}

const names = ['ann', 'ben', 'cyd', 'dan']
const person = fc.nat(names.length - 1)
const rarely = fc.integer({ min: 0, max: 5 }).map((n) => n === 5)
const some = (most: number) => fc.uniqueArray(person, { maxLength: most })
const worlds: fc.Arbitrary<World> = fc.record({
  circles: fc.array(fc.record({ owner: person, members: some(3), close: fc.boolean() }), { maxLength: 6 }),
  blocks: fc.array(fc.tuple(person, person), { maxLength: 2 }),
  banned: fc.oneof({ weight: 3, arbitrary: fc.constant<number[]>([]) }, { weight: 1, arbitrary: some(1) }),
  space: some(4),
  posts: fc.array(
    fc.record({
      author: person,
      visibility: fc.constantFrom('public' as const, 'circles' as const, 'inner' as const),
      hidden: rarely,
      deleted: rarely,
      space: rarely,
    }),
    { minLength: 1, maxLength: 6 },
  ),
  replies: fc.array(fc.record({ post: fc.nat(5), author: person, hidden: rarely, deleted: rarely }), { maxLength: 6 }),
  limit: fc.integer({ min: 1, max: 7 }),
  call: fc.nat(),
})

// --- the model

const blocked = ({ blocks }: World, one: number, other: number) =>
  blocks.some(([a, b]) => a !== b && ((a === one && b === other) || (a === other && b === one)))

/** 0 a stranger, 1 in a circle of the author, 2 in it as inner circle. */
function closeness({ circles }: World, viewer: number, author: number): number {
  const mine = circles.filter(({ owner, members }) => owner === author && members.includes(viewer) && owner !== viewer)
  return Math.max(0, ...mine.map(({ close }) => (close ? 2 : 1)))
}

function sees(world: World, viewer: number, { author, visibility, hidden, deleted, space }: Post): boolean {
  if (deleted || world.banned.includes(author) || blocked(world, viewer, author)) return false
  if (space && !world.space.includes(viewer)) return false
  if (viewer === author) return true
  if (hidden) return false
  return space || closeness(world, viewer, author) >= ['public', 'circles', 'inner'].indexOf(visibility)
}

function seesReply(world: World, viewer: number, { author, hidden, deleted }: Reply): boolean {
  if (deleted || world.banned.includes(author) || blocked(world, viewer, author)) return false
  return !hidden || viewer === author
}

// --- the database

const { owner, superuser } = await createDatabase()
const people: string[] = []
for (const name of names) {
  const [row] = await owner`
    select private.create_person(${`${name}@example.org`}, 'no hash', ${name}, '例', '1990-01-31', 'DE', 'Berlin') as id`
  people.push(row?.id)
}

/** Everything that a post can be asked for, beside the feed and its replies; what it changes is undone. */
const calls = [
  `api.get_post($1)`,
  `api.react($1, 'heart')`,
  `api.unreact($1)`,
  `api.create_reply($1, 'Indeed')`,
  `api.get_breakdown($1)`,
  `api.pay('love', 0, p_post_id => $1)`,
]

await superuser.unsafe(`
  create function public.reached(p_call text, p_post uuid) returns boolean language plpgsql as $$
  begin
    execute 'select ' || p_call using p_post;
    raise exception using errcode = 'UNDO1';
  exception
    when sqlstate 'UNDO1' or sqlstate 'PT400' then return true;   -- one's own post is seen and not paid for
    when sqlstate 'PT404' then
      if sqlerrm <> 'post_unknown' then raise; end if;
      return false;
  end $$;

  create function public.feed(p_limit integer) returns uuid[] language plpgsql as $$
  declare
    v_page json := api.list_feed(p_limit);
    v_ids  uuid[] := '{}';
  begin
    loop
      v_ids := v_ids || array(select (i ->> 'id')::uuid from json_array_elements(v_page -> 'items') i);
      exit when v_page ->> 'nextCursor' is null;
      v_page := api.list_feed(p_limit, v_page ->> 'nextCursor');
    end loop;
    return v_ids;
  end $$;

  create function public.replies(p_post uuid) returns uuid[] language plpgsql as $$
  begin
    return array(select (i ->> 'id')::uuid from json_array_elements(api.list_replies(p_post, p_limit => 50) -> 'items') i);
  exception when sqlstate 'PT404' then
    return null;
  end $$;
  grant usage on schema public to authenticated;
  grant execute on all functions in schema public to authenticated;`)

/** An id that says what it is and where it stands. */
const id = (kind: number, at: number) => `00000000-0000-4000-8000-${kind}${String(at).padStart(11, '0')}`
const [CIRCLE, POST, REPLY, SPACE] = [1, 2, 3, 4]

async function build(sql: ReservedSql, world: World) {
  const rows = async (table: string, list: Record<string, unknown>[]) => {
    if (list.length > 0) await sql`insert into ${sql(`app.${table}`)} ${sql(list)}`
  }
  const { circles, blocks, banned, posts, replies } = world
  const owned = circles.map(({ owner, members, close }, at) => ({ id: id(CIRCLE, at), owner, members, close }))
  await rows('spaces', [{ id: id(SPACE, 0), kind: 'group' }])
  await rows(
    'space_members',
    world.space.map((at) => ({ space_id: id(SPACE, 0), user_id: people[at] })),
  )
  await rows(
    'circles',
    owned.map(({ id, owner }) => ({ id, owner_id: people[owner], name: 'Circle' })),
  )
  await rows(
    'circle_members',
    owned.flatMap(({ id, owner, members, close }) =>
      members
        .filter((member) => member !== owner)
        .map((member) => ({
          circle_id: id,
          owner_id: people[owner],
          member_id: people[member],
          bond_level: close ? 'inner-circle' : 'acquaintance',
        })),
    ),
  )
  const pairs = new Set(blocks.filter(([a, b]) => a !== b).map(([a, b]) => `${a} ${b}`))
  await rows(
    'blocks',
    [...pairs]
      .map((pair) => pair.split(' ').map(Number))
      .map(([a = 0, b = 0]) => ({ blocker_id: people[a], blocked_id: people[b] })),
  )
  const stamp = (at: number) => new Date(Date.UTC(2026, 0, 1, 0, Math.floor(at / 2)))
  const mark = (is: boolean) => (is ? new Date(0) : null)
  await rows(
    'posts',
    posts.map(({ author, visibility, hidden, deleted, space }, at) => ({
      id: id(POST, at),
      author_id: people[author],
      body: 'Post',
      visibility,
      hidden_at: mark(hidden),
      deleted_at: mark(deleted),
      space_id: space ? id(SPACE, 0) : null,
      created_at: stamp(at),
    })),
  )
  await rows(
    'replies',
    replies.map(({ post, author, hidden, deleted }, at) => ({
      id: id(REPLY, at),
      post_id: id(POST, post % posts.length),
      author_id: people[author],
      body: 'Reply',
      hidden_at: mark(hidden),
      deleted_at: mark(deleted),
      created_at: stamp(at),
    })),
  )
  if (banned.length > 0)
    await sql`update app.users set banned_at = now() where id in ${sql(banned.map((at) => people[at] ?? ''))}`
}

type Seen = { feed: string[]; replies: (string[] | null)[]; reached: boolean[] }

async function look(sql: ReservedSql, viewer: number, { posts, limit, call }: World): Promise<Seen> {
  const now = Math.floor(Date.now() / 1000)
  const claims = JSON.stringify({ sub: people[viewer], role: 'user', iat: now, exp: now + 900 })
  await sql`select set_config('role', 'authenticated', true)`
  await sql`select private.enter(${claims}::text)`
  const asked = JSON.stringify(
    posts.map((_post, at) => ({ id: id(POST, at), call: calls[(call + at + viewer) % calls.length] })),
  )
  const [row] = await sql<[{ seen: Seen }]>`
    select json_build_object(
      'feed', public.feed(${limit}::int),
      'replies', (select json_agg(public.replies(a.id) order by a.id) from json_to_recordset(${asked}::text::json) a (id uuid)),
      'reached', (select json_agg(public.reached(a.call, a.id) order by a.id)
                  from json_to_recordset(${asked}::text::json) a (id uuid, call text))) as seen`
  await sql`select set_config('role', 'none', true)`
  return row.seen
}

function expected(world: World, viewer: number): Seen {
  const { posts, replies } = world
  const seen = posts.map((post) => sees(world, viewer, post))
  const newest = posts.map((post, at) => ({ at, shown: seen[at] && !post.hidden })).filter(({ shown }) => shown)
  const under = (at: number) =>
    replies.flatMap((reply, place) =>
      reply.post % posts.length === at && seesReply(world, viewer, reply) ? [id(REPLY, place)] : [],
    )
  return {
    feed: newest.reverse().map(({ at }) => id(POST, at)),
    replies: posts.map((_post, at) => (seen[at] ? under(at) : null)),
    reached: seen,
  }
}

test('everyone sees exactly what the rule says', { timeout: 60_000 }, async () => {
  const sql = await owner.reserve()
  let shown = 0
  let kept = 0
  const property = fc.asyncProperty(worlds, async (world) => {
    await sql`begin`
    try {
      await build(sql, world)
      for (const viewer of names.keys()) {
        if (world.banned.includes(viewer)) continue // has no valid token
        const seen = await look(sql, viewer, world)
        expect(seen, names[viewer]).toEqual(expected(world, viewer))
        shown += seen.reached.filter(Boolean).length
        kept += seen.reached.filter((reached) => !reached).length
      }
    } finally {
      await sql`rollback`
    }
  })
  await fc.assert(property, { numRuns: 250 })
  sql.release()
  expect(Math.min(shown, kept)).toBeGreaterThan(500) // the worlds were neither all open nor all closed
})
