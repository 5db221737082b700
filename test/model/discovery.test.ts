// Compares candidates and mentors in random worlds with a simple model of the rule. Each list is read to its end in
// pages of two. A failed test prints its seed and the smallest world that shows the fault.
import fc from 'fast-check'
import type { TransactionSql } from 'postgres'
import { expect, test } from 'vitest'
import { createDatabase } from '../support/database.ts'
import type { Page } from '../support/lists.ts'
import { runs } from '../support/runs.ts'

const { owner } = await createDatabase()

const PEOPLE = 9
const VIEWERS = [0, 1]
const intents = ['networking', 'friends', 'romantic', 'mentor', 'mentee', 'collab'] as const
const cities = ['Lisbon', 'Évora', 'Berlin']
const slugs = (
  await owner<{ slug: string }[]>`select slug from app.interests where level = 1 order by slug limit 5`
).map(({ slug }) => slug)

type Made = {
  intent: (typeof intents)[number] | null
  active: boolean
  /** When the intent was first set. Of two intents of the same time, the one with the lower id comes first. */
  since: number
  country: string
  city: string
  expertise: (number | null)[]
  hidden: 'no' | 'banned' | 'suspended' | 'erased'
  limited: boolean
}
type World = { people: Made[]; blocks: [number, number][]; follows: [number, number][] }
type Asked = { intent?: string; interest?: number; country?: string; city?: string; minShared?: number; gap?: number }

const mostly = <T>(usual: T, ...others: T[]) =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) })
const someone: fc.Arbitrary<Made> = fc.record({
  intent: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('mentor' as const, 'mentee' as const, 'friends' as const) },
    { weight: 1, arbitrary: fc.constantFrom(null, ...intents) },
  ),
  active: mostly(true, false),
  since: fc.nat(4),
  country: mostly('PT', 'DE'),
  city: fc.constantFrom(...cities),
  expertise: fc.array(fc.option(fc.integer({ min: 1, max: 5 }), { freq: 2 }), {
    minLength: slugs.length,
    maxLength: slugs.length,
  }),
  hidden: mostly<Made['hidden']>('no', 'banned', 'suspended', 'erased'),
  limited: mostly(false, true),
})
const worlds = fc.record({
  people: fc.array(someone, { minLength: PEOPLE, maxLength: PEOPLE }),
  blocks: fc.array(fc.tuple(fc.nat(PEOPLE - 1), fc.nat(PEOPLE - 1)), { maxLength: 3 }),
  follows: fc.uniqueArray(fc.tuple(fc.nat(PEOPLE - 1), fc.nat(PEOPLE - 1)), { maxLength: 8, selector: String }),
})
const questions = fc.record(
  {
    intent: fc.constantFrom('networking', 'friends', 'mentor', 'mentee'),
    interest: fc.nat(slugs.length - 1),
    country: fc.constantFrom('pt', 'DE'),
    city: fc.constantFrom('lisbon', 'EVORA', 'Porto'),
    minShared: fc.nat(3),
    gap: fc.integer({ min: -1, max: 6 }),
  },
  { requiredKeys: [] },
)

const at = ({ people }: World, n: number): Made => {
  const made = people[n]
  if (!made) throw new Error(`there is no person ${n}`)
  return made
}
const shared = (world: World, one: number, other: number) =>
  at(world, one).expertise.filter((level, n) => level !== null && at(world, other).expertise[n] !== null).length
const meets = (world: World, viewer: number, other: number) =>
  other !== viewer &&
  at(world, other).hidden === 'no' &&
  !world.blocks.some((pair) => pair.includes(viewer) && pair.includes(other)) &&
  (!at(world, other).limited || world.follows.some(([by, whom]) => by === viewer && whom === other))
const plain = (city: string) => city.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
const counterpart = (intent: string) => ({ mentor: 'mentee', mentee: 'mentor' })[intent] ?? intent
const everybody = Array.from({ length: PEOPLE }, (_, n) => n)
const byKeys = (keys: (n: number) => number[]) => (one: number, other: number) => {
  const [a, b] = [keys(one), keys(other)]
  return a.map((key, n) => key - (b[n] ?? 0)).find((difference) => difference !== 0) ?? 0
}

function candidates(world: World, viewer: number, asked: Asked): string[] | null {
  const intent = asked.intent ?? at(world, viewer).intent
  if (intent === null) return null
  const has = (n: number, interest: number) => at(world, n).expertise[interest] !== null
  return everybody
    .filter((n) => {
      const other = at(world, n)
      const { interest, country, city, minShared = 1 } = asked
      return (
        meets(world, viewer, n) &&
        other.intent === counterpart(intent) &&
        other.active &&
        shared(world, viewer, n) >= minShared &&
        (interest === undefined || (has(viewer, interest) && has(n, interest))) &&
        (country === undefined || other.country === country.toUpperCase()) &&
        (city === undefined || plain(other.city) === plain(city))
      )
    })
    .sort(byKeys((n) => [-shared(world, viewer, n), at(world, n).since, n]))
    .map((n) => `p${n}00 ${shared(world, viewer, n)}`)
}

function mentors(world: World, viewer: number, { interest, gap = 2 }: Asked): string[] {
  const least = Math.min(4, Math.max(1, gap))
  const widest = (n: number) =>
    Math.max(
      0,
      ...at(world, viewer).expertise.map((mine, place) => {
        const theirs = at(world, n).expertise[place]
        if (mine === null || theirs === null || theirs === undefined) return 0
        return interest === undefined || interest === place ? theirs - mine : 0
      }),
    )
  return everybody
    .filter((n) => {
      const { intent, active } = at(world, n)
      return meets(world, viewer, n) && intent === 'mentor' && active && widest(n) >= least
    })
    .sort(byKeys((n) => [-widest(n), at(world, n).since, n]))
    .map((n) => `p${n}00 ${widest(n)}`)
}

const id = (n: number) => `00000000-0000-4000-8000-00000000000${n}`

/** People with ids in the order of their numbers. The triggers write all other rows. */
async function build(sql: TransactionSql, world: World): Promise<void> {
  const { people, blocks, follows } = world
  await sql`
    insert into app.users (id, username, first_name, last_name, country, city)
    select * from unnest(${everybody.map(id)}::uuid[], ${everybody.map((n) => `p${n}00`)}::text[],
      ${everybody.map(() => 'P')}::text[], ${everybody.map(() => 'P')}::text[],
      ${people.map(({ country }) => country)}::text[], ${people.map(({ city }) => city)}::text[])`
  const chosen = everybody.flatMap((n) =>
    at(world, n).expertise.flatMap((level, place) =>
      level === null ? [] : [{ person: id(n), slug: slugs[place], level }],
    ),
  )
  const choose = sql`
    insert into app.user_interests (user_id, interest_id, depth, expertise)
    select c.person, i.id, 1, c.level
    from json_to_recordset(${JSON.stringify(chosen)}::text::json) as c (person uuid, slug text, level smallint)
    join app.interests i on i.slug = c.slug`
  const said = everybody.map((n) => ({ ...at(world, n), person: id(n) })).filter(({ intent }) => intent !== null)
  const say = sql`
    insert into app.connection_intents (user_id, intent, is_active, created_at)
    select s.person, s.intent, s.active, now() + s.since * interval '1 second'
    from json_to_recordset(${JSON.stringify(said)}::text::json)
      as s (person uuid, intent text, active boolean, since integer)`
  // Interests are chosen before or after the intent is set
  for (const step of blocks.length % 2 === 0 ? [choose, say] : [say, choose]) await step
  for (const [one, other] of follows)
    if (one !== other) await sql`insert into app.follows (follower_id, following_id) values (${id(one)}, ${id(other)})`
  for (const [one, other] of blocks)
    if (one !== other)
      await sql`insert into app.blocks (blocker_id, blocked_id) values (${id(one)}, ${id(other)}) on conflict do nothing`
  for (const n of everybody) {
    const { hidden, limited } = at(world, n)
    if (limited) await sql`update app.users set limited_at = now() where id = ${id(n)}`
    if (hidden === 'banned') await sql`update app.users set banned_at = now() where id = ${id(n)}`
    if (hidden === 'suspended')
      await sql`update app.users set banned_at = now(), banned_until = now() + interval '1 day' where id = ${id(n)}`
    if (hidden === 'erased') await sql`update app.users set erased_at = now() where id = ${id(n)}`
  }
}

type Item = { username: string; sharedInterests: number; expertiseGap?: number }
/** The whole list, page by page. Null if the list is refused because there is no intent. */
async function walk(sql: TransactionSql, operation: string, given: Record<string, unknown>): Promise<Item[] | null> {
  const items: Item[] = []
  const names = Object.keys(given).filter((name) => given[name] !== undefined)
  const values = names.map((name) => `p_${name} => '${given[name]}'`)
  let cursor: string | null = null
  do {
    const parameters: string = [...values, 'p_limit => 2', ...(cursor ? [`p_cursor => '${cursor}'`] : [])].join()
    const [row]: [{ page: Page<Item> }] = await sql.unsafe(`select api.${operation}(${parameters}) as page`)
    items.push(...row.page.items)
    cursor = row.page.nextCursor
  } while (cursor !== null)
  return items
}

class Undone extends Error {}

test('Candidates and mentors are exactly those of the rule, in its order, each once', {
  timeout: 60_000 + 3000 * runs(20, 300),
}, async () => {
  const met = { candidates: 0, mentors: 0 }
  await fc.assert(
    fc.asyncProperty(worlds, fc.array(questions, { minLength: 3, maxLength: 5 }), async (world, asked) => {
      const answers: unknown[] = []
      const expected: unknown[] = []
      await owner
        .begin(async (sql) => {
          await build(sql, world)
          await sql`select set_config('role', 'authenticated', true)`
          for (const viewer of VIEWERS) {
            await sql`select set_config('request.jwt.claims', ${JSON.stringify({ sub: id(viewer), role: 'user' })}, true)`
            for (const one of at(world, viewer).hidden === 'no' ? [{}, ...asked] : []) {
              const { intent, interest, country, city, minShared, gap }: Asked = one
              const interest_slug = interest === undefined ? undefined : slugs[interest]
              const wanted = candidates(world, viewer, one)
              if (wanted) {
                const given = { intent, interest_slug, country, city, min_shared: minShared }
                const found = await walk(sql, 'list_candidates', given)
                answers.push(found?.map(({ username, sharedInterests }) => `${username} ${sharedInterests}`))
                expected.push(wanted)
                met.candidates += wanted.length
              }
              const taught = mentors(world, viewer, one)
              const found = await walk(sql, 'list_mentors', { interest_slug, min_expertise_gap: gap })
              answers.push(found?.map(({ username, expertiseGap }) => `${username} ${expertiseGap}`))
              expected.push(taught)
              met.mentors += taught.length
            }
          }
          throw new Undone()
        })
        .catch((error: unknown) => {
          if (!(error instanceof Undone)) throw error
        })
      expect(answers).toEqual(expected)
    }),
    { numRuns: runs(20, 300), seed: 20_261_122 },
  )
  expect(Math.min(met.candidates, met.mentors)).toBeGreaterThan(20)
})
