// Which tokens are dead before their time, and what ends with them. SQL says so on a topic that nobody may join
// (sql/base/62_realtime.sql), and it comes as every message does: once it is committed, whoever committed it.
import { z } from 'zod'
import type { Claims } from './authorization.ts'

export const TOKENS = 'tokens'

/** One token of a person is dead; or all are, but those of this role that were issued since then. */
const Word = z.union([
  z.object({ sub: z.string(), iat: z.int(), exp: z.int() }),
  z.object({ sub: z.string(), role: z.string().nullable(), from: z.int() }),
])
type Word = z.infer<typeof Word>

/** How long a word counts for those who come after it: it can be here before the database shows the commit to all. */
const KEPT = 10_000

/** What a token opened. */
export type Hold = {
  isDead(): boolean
  /** Does this when the token dies. */
  onDeath(act: () => void): void
  release(): void
}
export type TokenWatch = {
  /** To be called before the database is asked about the token, or a death in between would be missed. */
  hold(claims: Claims): Hold
  /** What SQL said. */
  hear(payload: string): void
}

type Holder = { claims: Claims; dead: boolean; act?: () => void }

export function watchTokens(): TokenWatch {
  const holders = new Map<string, Set<Holder>>()
  const said = new Map<string, Set<Word>>()

  function hold(claims: Claims): Hold {
    const { sub } = claims
    if (sub === undefined) return { isDead: () => false, onDeath: () => {}, release: () => {} }
    const holder: Holder = { claims, dead: [...(said.get(sub) ?? [])].some((word) => kills(word, claims)) }
    add(holders, sub, holder)
    return {
      isDead: () => holder.dead,
      onDeath: (act) => {
        holder.act = act
      },
      release: () => remove(holders, sub, holder),
    }
  }

  function hear(payload: string): void {
    const { data: word } = Word.safeParse(JSON.parse(payload))
    if (!word) return
    const { sub } = word
    if (!('exp' in word)) for (const before of said.get(sub) ?? []) if (!('exp' in before)) remove(said, sub, before)
    add(said, sub, word)
    setTimeout(() => remove(said, sub, word), KEPT).unref()
    for (const holder of [...(holders.get(sub) ?? [])]) {
      if (!kills(word, holder.claims)) continue
      holder.dead = true
      holder.act?.()
    }
  }

  return { hold, hear }
}

function kills(word: Word, { role, iat, exp }: Claims): boolean {
  if ('exp' in word) return word.iat === iat && word.exp === exp
  return word.role !== role || iat === undefined || iat < word.from
}

function add<Value>(map: Map<string, Set<Value>>, key: string, value: Value): void {
  map.set(key, (map.get(key) ?? new Set()).add(value))
}

function remove<Value>(map: Map<string, Set<Value>>, key: string, value: Value): void {
  const values = map.get(key)
  values?.delete(value)
  if (values?.size === 0) map.delete(key)
}
