// Tests the explanation of access for staff, in random worlds. The explanation says what each person really gets, and
// its reasons agree with the model of the rule (oracle/model.ts). `npm run soak` uses more worlds.
import fc from 'fast-check'
import type { ReservedSql } from 'postgres'
import { expect, test } from 'vitest'
import { createDatabase } from '../support/database.ts'
import { runs } from '../support/runs.ts'
import { actAs, actAsOwner, ask, prepare } from './oracle/ask.ts'
import { build, postId, replyId, settle } from './oracle/build.ts'
import {
  at,
  blocked,
  deletedPost,
  deletedReply,
  gone,
  inFeed,
  isListed,
  names,
  places,
  sees,
  seesReply,
  type World,
} from './oracle/model.ts'
import { worlds } from './oracle/worlds.ts'

const { owner, superuser } = await createDatabase()
const ground = await settle(owner)
await prepare(superuser, ground)

type Reason = { code: string; effect: 'allows' | 'denies' | 'leaves_out'; text: string }
type Access = { canSee: boolean; shown: boolean | null; reasons: Reason[] }
type Tables = { posts: string[]; replies: string[] }

const numRuns = runs(30, 2000)
const met = new Set<string>()

/** What staff learns about one person and everything in the world, by two statements. */
async function told(sql: ReservedSql, viewer: number, type: string, ids: string[]) {
  const [row] = await sql<[{ all: Access[] | null }]>`
    select json_agg(private.explain_access(${at(ground.people, viewer)}::uuid, ${type}, w.id) order by w.place) as all
    from unnest(${sql.array(ids)}::text[]) with ordinality as w (id, place)`
  return row.all ?? []
}

/** The rows that the policies show to the person. Somebody who is banned has no token, and gets nothing. */
async function given(sql: ReservedSql, world: World, viewer: number): Promise<Tables> {
  if (gone(world, viewer)) return { posts: [], replies: [] }
  await actAs(sql, at(ground.people, viewer))
  const [reply] = await ask(sql, ['oracle.tables()'])
  await actAsOwner(sql)
  return (reply as unknown as { answer: Tables }).answer
}

const has = ({ reasons }: Access, code: string, effect?: string) =>
  reasons.some((reason) => reason.code === code && (effect === undefined || reason.effect === effect))

/** Which of these reasons are given, and which must be given. */
function compare(access: Access, wanted: Record<string, boolean>, where: string) {
  const found = Object.fromEntries(Object.keys(wanted).map((code) => [code, has(access, code)]))
  expect(found, where).toEqual(wanted)
}

function check(world: World, viewer: number, author: number, access: Access, isGiven: boolean, where: string) {
  for (const { code, effect } of access.reasons) met.add(`${code} ${effect}`)
  expect(access.canSee, where).toBe(isGiven)
  expect(
    access.reasons.some(({ effect }) => effect === 'denies'),
    where,
  ).toBe(!access.canSee)
  if (access.canSee)
    expect(
      access.reasons.some(({ effect }) => effect === 'allows'),
      where,
    ).toBe(true)
  expect(JSON.stringify(access), where).not.toMatch(/words of/)
  const away = [...world.banned, ...world.suspended]
  compare(
    access,
    {
      banned_person: away.includes(viewer),
      erased_author: world.erased.includes(author),
      banned_author: away.includes(author),
      // an erasure ends the blocks of the person
      blocked: blocked(world, viewer, author) && !world.erased.includes(author),
      author: viewer === author,
    },
    where,
  )
}

test('Staff learns what each person really gets, and the reasons agree with the rule', async () => {
  const sql = await owner.reserve()
  const property = fc.asyncProperty(worlds, async (world) => {
    await sql`begin`
    try {
      await build(sql, world, ground)
      for (const viewer of places(names).filter((person) => !world.erased.includes(person))) {
        const real = await given(sql, world, viewer)
        const living = !gone(world, viewer)
        const posts = await told(sql, viewer, 'post', places(world.posts).map(postId))
        for (const [place, access] of posts.entries()) {
          const where = `${names[viewer]}: post ${place}`
          const { author, format, of, space, hidden, scheduled, visibility } = at(world.posts, place)
          check(world, viewer, author, access, real.posts.includes(postId(place)), where)
          expect(access.canSee, where).toBe(living && sees(world, viewer, place))
          expect(access.shown, where).toBe(living && inFeed(world, viewer, place))
          const leftOut = access.reasons.some(({ effect }) => effect === 'leaves_out')
          if (access.canSee) expect(access.shown, where).toBe(!leftOut)
          compare(
            access,
            {
              deleted: deletedPost(world, place),
              hidden,
              scheduled,
              space_private: space && !world.space.includes(viewer),
              limited_author: access.canSee && !isListed(world, viewer, place),
              original_unseen: format === 'repost' && of !== null && !sees(world, viewer, of),
            },
            where,
          )
          if (visibility === 'public') expect(has(access, 'circle') || has(access, 'inner_circle'), where).toBe(false)
        }
        const replies = await told(sql, viewer, 'reply', places(world.replies).map(replyId))
        for (const [place, access] of replies.entries()) {
          const where = `${names[viewer]}: reply ${place}`
          const { author, post, hidden } = at(world.replies, place)
          check(world, viewer, author, access, real.replies.includes(replyId(place)), where)
          expect(access.canSee, where).toBe(living && seesReply(world, viewer, place))
          expect(access.shown, where).toBeNull()
          compare(
            access,
            {
              deleted: deletedReply(world, place),
              hidden: hidden && viewer !== author,
              post_unseen: !sees(world, viewer, post),
              post_seen: sees(world, viewer, post),
            },
            where,
          )
        }
      }
    } finally {
      await sql`rollback`
    }
  })
  await fc.assert(property, { numRuns, interruptAfterTimeLimit: 60_000 + numRuns * 500, markInterruptAsFailure: true })
  sql.release()
  for (const usual of ['author allows', 'public allows', 'circle denies', 'blocked denies', 'muted leaves_out'])
    expect([...met]).toContain(usual)
}, 400_000)
