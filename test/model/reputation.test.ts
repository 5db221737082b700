// Tests reputation and contribution under concurrency: after random histories on real connections, sums and ledgers are
// compared with a fresh count of the rows. A failed test prints its seed and the shortest history that shows the fault.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { applyEffects } from '../support/database.ts'
import type { Person } from '../support/person.ts'
import { runs } from '../support/runs.ts'
import { world } from '../support/world.ts'

const CROSSED = runs(400, 1000)

type Step =
  | { kind: 'post'; who: number; interest: number }
  | { kind: 'reply'; who: number; post: number; as: number }
  | { kind: 'react'; who: number; post: number; as: number }
  | { kind: 'unreact'; who: number; post: number; as: number }
  | { kind: 'delete'; post: number }
  | { kind: 'vote'; who: number; whom: number; interest: number; value: number }
  | { kind: 'pay'; who: number; whom: number }

const { admin, database, join } = await world({ people: [] })
const { owner } = database
// each person invited the next one, so everybody before them gets shares of their contributions
const people = (await join('ann', 'ben', 'cyd', 'dee')) as [Person, Person, Person, Person]
for (const [at, { id }] of people.entries()) {
  await owner`update app.invite_tree set inviter_id = ${people[at - 1]?.id ?? admin.id} where invitee_id = ${id}`
}
const interests = ['philosophy', 'ethics', 'applied-ethics', 'music']
const rows = await owner<{ id: string; slug: string; parent_id: string | null }[]>`
  select id, slug, parent_id from app.interests where slug = any (${interests})`
const interest = (at: number) => rows.find(({ slug }) => slug === interests[at])?.id ?? ''
const given = [3, 8, 33, 120] // voters with a weight of zero, a small one, a large one, and the maximum
for (const [at, { id }] of people.entries()) {
  await owner`select private.add_reputation(${id}, i.id, 'admin.adjusted', ${given[at] ?? 0})
    from app.interests i where i.slug in ('applied-ethics', 'music')`
  await owner`insert into app.user_interests (user_id, interest_id, depth, expertise)
    select ${id}, i.id, 1, 1 from app.interests i where i.slug = any (${interests})`
}

// Calls as the facade does, but without its retry after a deadlock, because none may happen
const pools = [database.connect('kith_user'), database.connect('kith_user')]
let turn = 0
async function call(who: number, text: string, ...values: (string | number)[]) {
  const sql = pools[turn++ % pools.length] as (typeof pools)[0]
  const now = Math.floor(Date.now() / 1000)
  const claims = JSON.stringify({ sub: people[who]?.id, role: 'user', iat: now, exp: now + 900 })
  await sql.unsafe(`select api.${text} from private.enter($1::text)`, [claims, ...values]).catch((error) => {
    if (error.message !== 'post_unknown') throw error // somebody deleted the post meanwhile
  })
}

const replies = [
  ['reply', 'Well said', 1],
  ['reaction', 'Oh!', 0],
  ['criticism', 'not so '.repeat(10), 2],
  ['contribution', 'moreover '.repeat(20), 5],
] as const
const worth = Object.fromEntries(replies.map(([kind, , points]) => [kind, points]))
const posts: string[] = []
/** Three posts of each person: two with an interest each, one without. */
async function publish(at: number) {
  const place = [interest(Math.floor(at / 3)), interest(2), null][at % 3] ?? null
  const author = people[Math.floor(at / 3)]?.id ?? ''
  const [row] = await owner`
    insert into app.posts (author_id, body, interest_id) values (${author}, 'Here', ${place}) returning id`
  posts[at] = row?.id
  const event = owner.json({ postId: row?.id, authorId: author })
  await owner`select private.emit('posts.post.published', ${event}::json, array[${author}::uuid])`
}
for (let at = 0; at < 12; at++) await publish(at)

function take(step: Step): Promise<void> {
  const post = 'post' in step ? (posts[step.post % posts.length] ?? '') : ''
  switch (step.kind) {
    case 'post':
      return call(step.who, `create_post($2, p_interest_id => $3)`, 'What I found', interest(step.interest))
    case 'reply': {
      const [kind, body] = replies[step.as % 4] as (typeof replies)[number]
      return call(step.who, `create_reply($2::uuid, $3, $4)`, post, body, kind)
    }
    case 'react':
      return call(step.who, `react($2::uuid, $3)`, post, step.as % 2 ? 'heart' : 'spark')
    case 'unreact':
      return step.as % 3
        ? call(step.who, `unreact($2::uuid, $3)`, post, step.as % 2 ? 'heart' : 'spark')
        : call(step.who, `unreact($2::uuid)`, post)
    case 'delete':
      return call(Math.floor(step.post / 3), `delete_post($2::uuid)`, post)
    case 'vote': {
      const whom = people[(step.who + 1 + (step.whom % 3)) % 4]?.username ?? ''
      return call(step.who, `vote_reputation($2, $3::uuid, $4::int)`, whom, interest(step.interest), step.value)
    }
    case 'pay': {
      const whom = people[(step.who + 1 + (step.whom % 3)) % 4]?.username ?? ''
      return call(step.who, `pay('love', 0, p_receiver_id => $2)`, whom)
    }
  }
}

const cents = (points: number) => Math.sign(points) * Math.round(Math.abs(points) * 100 + 1e-6)
const shares = [1, 0.5, 0.25, 0.12]

/** Sums in hundredths, by key. */
class Tally extends Map<string, number> {
  add(key: string, points: number) {
    const sum = (this.get(key) ?? 0) + points
    if (sum === 0) this.delete(key)
    else this.set(key, sum)
  }
  sorted() {
    return [...this].sort(([a], [b]) => (a < b ? -1 : 1))
  }
}

type Cause = { user: string; interest: string; points: number }
type Gain = { user: string; points: number }

/** A count made only from the tables of posts, replies, reactions, votes and payments. */
async function honestCount() {
  const causes = await owner<Cause[]>`
    select author_id as user, interest_id as interest, 3 as points
    from app.posts where interest_id is not null and deleted_at is null
    union all
    select p.author_id, p.interest_id, count(distinct r.user_id)::int from app.posts p join app.reactions r on r.post_id = p.id
    where p.interest_id is not null and p.deleted_at is null and r.user_id <> p.author_id group by p.id
    union all
    select r.author_id, p.interest_id, (${owner.json(worth)}::jsonb ->> r.kind)::int
    from app.replies r join app.posts p on p.id = r.post_id
    where p.interest_id is not null and r.author_id <> p.author_id
    union all select user_id, interest_id, impact::float8 from app.reputation_votes
    union all select user_id, interest_id, delta::float8 from app.reputation_entries where kind = 'admin.adjusted' and roll_up_level = 0`
  const gains = await owner<Gain[]>`
    select author_id as user, 10 as points from app.posts where deleted_at is null
    union all select r.author_id, 3 from app.replies r join app.posts p on p.id = r.post_id where r.author_id <> p.author_id
    union all
    select distinct on (r.user_id, r.post_id) r.user_id, 1
    from app.reactions r join app.posts p on p.id = r.post_id where r.user_id <> p.author_id
    union all select sender_id, 2 from app.payments`
  return { causes, gains }
}

type Row = { key: string; value: number; direct: number }
const sums = (rows: readonly Row[], which: 'value' | 'direct') =>
  rows
    .filter((row) => cents(row[which]) !== 0)
    .map((row) => [row.key, cents(row[which])])
    .sort(([a = ''], [b = '']) => (a < b ? -1 : 1))

const worker = database.connect('kith_worker')
const inherit = async () => (await worker`select private.job_inherit_contributions() as changed`)[0]?.changed > 0
/** One round of a worker. @returns whether there was anything to do */
async function work(): Promise<boolean> {
  const [row] = await worker<[{ round: { applied: number; failed: number } }]>`select private.apply_effects() as round`
  expect(row.round.failed).toBe(0)
  return (await inherit()) || row.round.applied > 0
}
/** Runs all of these at once, while two workers apply effects and give inviters their shares, and then checks. */
async function takeAll(steps: readonly Step[]) {
  let busy = true
  const workers = [1, 2].map(async () => {
    while ((await work()) || busy) {}
  })
  await Promise.all(steps.map(take)).finally(() => {
    busy = false
  })
  await Promise.all(workers)
  await check()
}

async function check() {
  await applyEffects(owner)
  while (await inherit()) {}
  const { causes, gains } = await honestCount()
  const [direct, value, score] = [new Tally(), new Tally(), new Tally()]
  for (const { user, interest, points } of causes) {
    direct.add(`${user} ${interest}`, cents(points))
    let at: string | null = interest
    for (let level = 0; at; level++) {
      value.add(`${user} ${at}`, cents(points * (shares[level] ?? 0)))
      at = rows.find(({ id }) => id === at)?.parent_id ?? null
    }
  }
  for (const { user, points } of gains) {
    const place = people.findIndex(({ id }) => id === user)
    const line = [...people.slice(0, place + 1).reverse(), admin]
    for (const [level, part] of [1, 0.5, 0.25, 0.1].entries()) {
      const { id } = line[level] ?? {}
      if (id) score.add(id, cents(points * part))
    }
  }

  const snapshot = await owner<Row[]>`
    select user_id || ' ' || interest_id as key, value::float8, direct_value::float8 as direct from app.reputation`
  const folded = await owner<Row[]>`
    select user_id || ' ' || interest_id as key, sum(delta)::float8 as value,
           coalesce(sum(delta) filter (where roll_up_level = 0), 0)::float8 as direct
    from app.reputation_entries group by user_id, interest_id`
  const scores = await owner<
    Row[]
  >`select user_id as key, score::float8 as value, 0 as direct from app.contribution_scores`
  const foldedScores = await owner<Row[]>`
    select user_id as key, sum(delta)::float8 as value, 0 as direct from app.contribution_entries group by user_id`

  expect(sums(snapshot, 'direct')).toEqual(direct.sorted())
  expect(sums(snapshot, 'value')).toEqual(value.sorted())
  expect(sums(folded, 'direct')).toEqual(direct.sorted())
  expect(sums(folded, 'value')).toEqual(value.sorted())
  expect(sums(scores, 'value')).toEqual(score.sorted())
  expect(sums(foldedScores, 'value')).toEqual(score.sorted())
  const [votes] = await owner`
    select count(*)::int as wrong from app.reputation_votes v
    where v.impact <> (select coalesce(sum(e.delta), 0) from app.reputation_entries e
                       where e.source_id = v.id and e.roll_up_level = 0)`
  expect(votes?.wrong).toBe(0)
}

const who = fc.nat(3)
const post = fc.nat(11)
const at = fc.nat(interests.length - 1)
const as = fc.nat(5)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('post' as const), who, interest: at }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('reply' as const), who, post, as }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('react' as const), who, post, as }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('unreact' as const), who, post, as }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('vote' as const),
      who,
      whom: as,
      interest: at,
      value: fc.integer({ min: -1, max: 1 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('pay' as const), who, whom: as }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), post }) },
)

test('After every history, done all at once, the sums equal a fresh count', { timeout: 90_000 }, async () => {
  const history = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), async (steps) => {
    // the test isn't about payments
    await owner`update app.wallets set balance = 50, lifetime_earned = lifetime_spent + 50`
    await takeAll(steps)
    const gone = await owner`select id from app.posts where id = any (${posts}) and deleted_at is not null`
    for (const { id } of gone) await publish(posts.indexOf(id))
  })
  await fc.assert(history, { numRuns: runs(6, 200) })
})

test(`None of ${CROSSED} crossed reactions, replies, votes and payments meets a deadlock`, {
  timeout: 90_000,
}, async () => {
  const crossed = Array.from({ length: CROSSED }, (_, n): Step => {
    const [who, post] = [n % 4, n * 7 + (n >> 3)]
    if (n % 10 === 0) return { kind: 'reply', who, post, as: n / 10 }
    if (n % 10 === 5) return { kind: 'pay', who, whom: n >> 2 }
    if (n % 10 === 1) return { kind: 'vote', who, whom: n >> 2, interest: n % 3, value: (n % 3) - 1 }
    return n % 3 ? { kind: 'react', who, post, as: n } : { kind: 'unreact', who, post, as: n >> 1 }
  })
  await takeAll(crossed)
})

test('A heart and a spark added and removed at once count once, even where they earn only contribution', {
  timeout: 90_000,
}, async () => {
  // on a post without an interest
  const rounds = ['+heart +spark', '-heart -spark', '+spark', '+heart -spark', '+spark -heart', '-spark']
  for (let round = 0; round < runs(24, 60); round++) {
    const changes = rounds[round % rounds.length]?.split(' ') ?? []
    await takeAll(
      [0, 1, 2, 3].flatMap((who) =>
        changes.map((change): Step => {
          const kind = change.startsWith('+') ? 'react' : 'unreact'
          return { kind, who, post: 2, as: change.endsWith('heart') ? 1 : 2 }
        }),
      ),
    )
  }
})
