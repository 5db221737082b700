// Tests a post's counters, and what its reactions, bookmarks and reposts earn, under concurrency: these are added and
// removed on real connections while posts are deleted and written again. Then the counters and ledgers are compared
// with a fresh count. A failed test prints its seed. A history can't be shortened, because earlier histories leave
// their rows.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { applyEffects } from '../support/database.ts'
import type { Person } from '../support/person.ts'
import { world } from '../support/world.ts'

const { database, join } = await world({ people: [], env: { POOL_USER: '4' } })
const { owner } = database
const people = (await join('ann', 'ben', 'cyd', 'dee', 'eli')) as Person[]
const [ann = '', ben = ''] = people.map(({ id }) => id)
const [{ id: fay }] = (await join('fay')) as [Person]
const [ethics, music] =
  await owner`select id from app.interests where slug in ('applied-ethics', 'music') order by slug`

// Calls as the facade does, but without its retry after a deadlock, because none may happen
const pools = [database.connect('kith_user'), database.connect('kith_user')]
let turn = 0
async function call(caller: string, text: string, ...values: (string | null)[]): Promise<string> {
  const sql = pools[turn++ % pools.length] as (typeof pools)[0]
  const now = Math.floor(Date.now() / 1000)
  const claims = JSON.stringify({ sub: caller, role: 'user', iat: now, exp: now + 900 })
  const statement = `select api.${text}::text as answer from private.enter($1::text)`
  const [row] = await sql.unsafe<{ answer: string }[]>(statement, [claims, ...values])
  return row?.answer ?? ''
}

type Place = { author: string; interest: string | null; post: string; repost: string }
const places: Place[] = [
  { author: ann, interest: ethics?.id, post: '', repost: '' },
  { author: ben, interest: music?.id, post: '', repost: '' },
  { author: ann, interest: null, post: '', repost: '' },
]
async function write(place: Place) {
  const id = (answer: string) => (JSON.parse(answer) as { id: string }).id
  const post = id(await call(place.author, `create_post('Here', p_interest_id => $2::uuid)`, place.interest))
  const repost = id(await call(fay, given.repost, post))
  Object.assign(place, { post, repost })
}
/** Deletes the post at an index and writes another one. Runs one at a time, because a post can't be deleted twice. */
const rewriting = new Set<Place>()
async function rewrite(place: Place) {
  if (rewriting.has(place)) return
  rewriting.add(place)
  await call(place.author, 'delete_post($2::uuid)', place.post)
  await write(place)
  rewriting.delete(place)
}

const given = {
  heart: `react($2::uuid, 'heart')`,
  spark: `react($2::uuid, 'spark')`,
  bookmark: 'bookmark($2::uuid)',
  repost: 'repost($2::uuid)',
}
const taken = {
  heart: `unreact($2::uuid, 'heart')`,
  spark: `unreact($2::uuid, 'spark')`,
  bookmark: 'unbookmark($2::uuid)',
  repost: 'unrepost($2::uuid)',
}
for (const place of places) await write(place)

type Engagement = keyof typeof given
/** The id of the post, or of Fay's repost of it: an operation must treat both as the same post. */
type Step = { who: number; place: number; engagement: Engagement | 'rewrite'; give: boolean; by: 'post' | 'repost' }

/** Expected errors: reposting one's own post, and a post deleted a moment ago. */
const errors = new Map<string, number>()
async function take({ who, place, engagement, give, by }: Step): Promise<void> {
  const there = places[place] as Place
  const done =
    engagement === 'rewrite'
      ? rewrite(there)
      : call(people[who]?.id ?? '', (give ? given : taken)[engagement], there[by])
  await done.catch(({ message }: Error) => {
    if (message !== 'repost_own' && message !== 'post_unknown') throw new Error(`${engagement}: ${message}`)
    errors.set(message, (errors.get(message) ?? 0) + 1)
  })
}

/** The rows that differ between two queries: none when they are equal. */
const difference = (one: string, other: string) =>
  owner.unsafe(`(${one} except ${other}) union all (${other} except ${one})`)

const engagement = `
  select post_id, user_id, 'reaction' as kind from app.reactions
  union select post_id, user_id, 'bookmark' from app.bookmarks
  union select quoted_post_id, author_id, 'repost' from app.posts where format = 'repost' and deleted_at is null`

/** Applies pending effects and runs the job by which inviters get their shares, as the worker does. */
async function inherit() {
  await applyEffects(owner)
  while ((await owner`select private.job_inherit_contributions() as changed`)[0]?.changed) {}
}

async function expectHonest() {
  await inherit()
  expect(
    await difference(
      'select post_id, reactions, bookmarks, shares from app.post_counters',
      `select p.id, (select count(*)::int from app.reactions r where r.post_id = p.id and r.kind = 'heart'),
              (select count(*)::int from app.bookmarks b where b.post_id = p.id),
              (select count(*)::int from app.posts q where q.quoted_post_id = p.id and q.format = 'repost' and q.deleted_at is null)
       from app.posts p`,
    ),
    'counters',
  ).toEqual([])
  expect(
    await difference(
      'select user_id, interest_id, direct_value from app.reputation where direct_value <> 0',
      `select author, interest, sum(points)::numeric(12, 2)
       from (select author_id as author, interest_id as interest, 3 as points from app.posts
             where deleted_at is null and format <> 'repost'
             union all
             select p.author_id, p.interest_id, 1 from app.posts p join (${engagement}) m on m.post_id = p.id
             where p.deleted_at is null and m.user_id <> p.author_id) e
       where interest is not null group by 1, 2`,
    ),
    'reputation',
  ).toEqual([])
  expect(
    await difference(
      `select user_id, sum(delta) from app.contribution_entries where level = 0 and kind <> 'reply_created' group by 1 having sum(delta) <> 0`,
      `select who, sum(points)::numeric
       from (select author_id as who, 10 as points from app.posts where deleted_at is null and format <> 'repost'
             union all
             select m.user_id, 1 from (${engagement}) m join app.posts p on p.id = m.post_id
             where m.kind <> 'repost' and m.user_id <> p.author_id) e
       group by 1`,
    ),
    'contribution',
  ).toEqual([])
  expect(
    await difference(
      'select user_id, score from app.contribution_scores',
      'select user_id, sum(delta)::numeric(14, 2) from app.contribution_entries group by 1',
    ),
    'the sums of the contribution ledger',
  ).toEqual([])
  expect(
    await owner`
      select s.user_id from app.contribution_entries s join app.contribution_entries o on o.id = s.origin_id
      group by s.user_id, s.level, o.user_id
      having sum(s.delta) <> sum(o.delta) * (array[0.50, 0.25, 0.10])[s.level]`,
    'the shares of the inviters',
  ).toEqual([])
  expect(
    await difference(
      'select user_id, interest_id, value from app.reputation',
      'select user_id, interest_id, sum(delta)::numeric(12, 2) from app.reputation_entries group by 1, 2',
    ),
    'the sums of the ledger',
  ).toEqual([])
}

const step = (...kinds: (Engagement | 'rewrite')[]): fc.Arbitrary<Step> =>
  fc.record({
    who: fc.nat(people.length - 1),
    place: fc.nat(places.length - 1),
    engagement: fc.constantFrom(...kinds),
    give: fc.boolean(),
    by: fc.constantFrom('post', 'repost'),
  })
const hundred = (one: fc.Arbitrary<Step>) => fc.array(one, { minLength: 100, maxLength: 100 })

test.each<[string, Engagement[]]>([
  ['hearts and sparks', ['heart', 'spark']],
  ['bookmarks', ['bookmark']],
  ['reposts', ['repost']],
])(
  'A hundred %s added and removed at once leave the right counts',
  async (_what, kinds) => {
    const history = fc.asyncProperty(hundred(step(...kinds)), async (steps) => {
      await Promise.all([...steps.map(take), inherit(), inherit()])
      await expectHonest()
    })
    await fc.assert(history, { numRuns: 2, endOnFailure: true })
  },
  60_000,
)

test('All operations at once, while posts are deleted and written again, leave the right counts', async () => {
  const every = step('heart', 'spark', 'bookmark', 'bookmark', 'repost', 'repost', 'rewrite')
  const history = fc.asyncProperty(hundred(every), async (steps) => {
    await Promise.all(steps.map(take))
    await expectHonest()
  })
  await fc.assert(history, { numRuns: 5, endOnFailure: true })
  expect(errors.get('post_unknown') ?? 0).toBeGreaterThan(0) // some operations did meet a deleted post
}, 60_000)

test('When hearts arrive at once, each milestone is emitted once', async () => {
  const fans = (await join(...Array.from({ length: 16 }, (_, n) => `fan${n}`))).map(({ id }) => id)
  const place = places[1] as Place
  await write(place)
  for (const text of [given.heart, taken.heart, given.heart])
    await Promise.all(fans.map((fan) => call(fan, text, place.post)))
  await applyEffects(owner)
  const told = await owner`
    select (payload ->> 'reactions')::int as reactions from app.notifications
    where user_id = ${ben} and kind = 'post.milestone' and target_id = ${place.post} order by 1`
  expect(told.map(({ reactions }) => reactions)).toEqual([5, 15])
})
