// The cost of rules for a post: the same post without rules, with 20 rules in shadow, and with 20 live ones that would
// hide it but don't hit it.
import type { Sql } from 'postgres'
import { claims } from './case.ts'
import { minus } from './cpu.ts'
import type { Measured } from './rounds.ts'

const ROUNDS = 8
const POSTS = 50

/** Medians: milliseconds of a core for one post, and how many of them are spent on judging the post. */
export type RuleCost = { name: string; post: number; judged: number }

const words = (of: number) => Array.from({ length: 20 }, (_, n) => (n % 4 ? `word${of}x${n}` : `a phrase ${of} ${n}`))
const rules = Array.from({ length: 20 }, (_, n) => [
  [{ kind: 'words', words: words(n) }],
  [{ kind: 'link' }, { kind: 'words', words: words(n) }],
  [{ kind: 'new-account', hours: 24 }, { kind: 'link' }],
  [{ kind: 'rate', moreThan: 100 + n, minutes: 60 }],
  [{ kind: 'near-ban', steps: 1 + (n % 3) }],
]).map((kinds, n) => JSON.stringify(kinds[n % 5]))

const body = 'What I read today, and what I make of it. '.repeat(10)

const median = (of: number[]) => of.sort((a, b) => a - b)[of.length >> 1] ?? 0

/** @param sql a connection of the owner; the meter counts the CPU of its backend. At the end there are no rules. */
export async function ruleCosts({ meter }: Measured, sql: Sql): Promise<RuleCost[]> {
  const states = { 'no rules': null, '20 in shadow': 'shadow', '20 live': 'live' }
  const taken = Object.keys(states).map((name) => ({ name, posts: [] as number[], judged: [] as number[] }))
  await sql.unsafe(`create function pg_temp.judged(p_post uuid) returns float8 language plpgsql as $$
    declare v_begun timestamptz := clock_timestamp();
    begin
      perform private.judge('post', p_post, '{at once}');
      return extract(epoch from clock_timestamp() - v_begun) * 1000;
    end $$`)
  let caller = 0
  // the states take turns, so that a slow machine slows down all states alike
  for (let round = 0; round < ROUNDS; round++)
    for (const [at, mode] of Object.values(states).entries()) {
      if (mode)
        await sql`insert into app.moderation_rules (name, conditions, compiled, at_report, applies_to, action, mode)
          select 'x', c::jsonb, private.read_conditions(c::jsonb), false, '{post,reply}', 'hide', ${mode}
          from unnest(${rules}::text[]) c`
      const before = await meter.read()
      for (let n = 0; n < POSTS; n++) {
        caller = (caller % 5000) + 1
        await sql`select set_config('request.jwt.claims', ${JSON.stringify(claims(caller + 10))}, false)`
        await sql`select api.create_post(${body})`
      }
      if (round > 0) taken[at]?.posts.push(minus(await meter.read(), before).backend / POSTS)
      const judged = await sql<{ ms: number }[]>`
        select pg_temp.judged(bench.post(1)) as ms from generate_series(1, 200)`
      taken[at]?.judged.push(...judged.map(({ ms }) => ms))

      await sql`truncate app.moderation_rules` // deleted rows would be scanned
    }
  return taken.map(({ name, posts, judged }) => ({ name, post: median(posts), judged: median(judged) }))
}
