// What rules cost a post: the same post without rules, with 20 in shadow, and with 20 live ones that hide and that it
// does not fit.
import type { Sql } from 'postgres'
import { claims } from './case.ts'

const ROUNDS = 20
const POSTS = 50

/** Milliseconds for one post, the median of the posts. */
export type RuleCost = { name: string; ms: number }

const words = (of: number) => Array.from({ length: 20 }, (_, n) => (n % 4 ? `word${of}x${n}` : `a phrase ${of} ${n}`))
const rules = Array.from({ length: 20 }, (_, n) => [
  [{ kind: 'words', words: words(n) }],
  [{ kind: 'link' }, { kind: 'words', words: words(n) }],
  [{ kind: 'new-account', hours: 24 }, { kind: 'link' }],
  [{ kind: 'rate', moreThan: 100 + n, minutes: 60 }],
  [{ kind: 'near-ban', steps: 1 + (n % 3) }],
]).map((kinds, n) => JSON.stringify(kinds[n % 5]))

const body = 'What I read today, and what I make of it. '.repeat(10)

/** @param sql a connection of the owner; leaves no rules */
export async function ruleCosts(sql: Sql): Promise<RuleCost[]> {
  const states = { 'no rules': null, '20 in shadow': 'shadow', '20 live': 'live' }
  const taken = Object.keys(states).map((name) => ({ name, times: [] as number[] }))
  let caller = 0
  // in turns, so that what slows down the machine slows down all of them
  for (let round = 0; round < ROUNDS; round++)
    for (const [at, mode] of Object.values(states).entries()) {
      if (mode)
        await sql`insert into app.moderation_rules (name, conditions, compiled, at_report, applies_to, action, mode)
          select 'x', c::jsonb, private.read_conditions(c::jsonb), false, '{post,reply}', 'hide', ${mode}
          from unnest(${rules}::text[]) c`
      for (let n = 0; n < POSTS; n++) {
        caller = (caller % 5000) + 1
        await sql`select set_config('request.jwt.claims', ${JSON.stringify(claims(caller + 10))}, false)`
        const begun = performance.now()
        await sql`select api.create_post(${body})`
        if (round > 0) taken[at]?.times.push(performance.now() - begun)
      }
      await sql`delete from app.moderation_rules`
    }
  return taken.map(({ name, times }) => ({ name, ms: times.sort((a, b) => a - b)[times.length >> 1] ?? 0 }))
}
