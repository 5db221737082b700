// Revoked tokens and revoked channel memberships, and the channels that end with them. SQL publishes revocations on
// a topic that nobody can join (sql/base/62_realtime.sql), so they arrive like other messages: after the commit, from
// every process.
import { z } from 'zod'
import type { Claims } from './authorization.ts'

export const TOKENS = 'tokens'

/**
 * One token of a person is revoked; or all tokens, except those of this role that were issued since then; or the person
 * lost or regained access to a channel.
 */
const Word = z.union([
  z.object({ sub: z.string(), topic: z.string(), hears: z.boolean() }),
  z.object({ sub: z.string(), iat: z.int(), exp: z.int() }),
  z.object({ sub: z.string(), role: z.string().nullable(), from: z.int() }),
])
type Word = z.infer<typeof Word>

/** The time for which a message is kept for later joins, because it can arrive before the commit is visible to all. */
const KEPT = 10_000

/** A channel that depends on a token. */
export type Hold = {
  isDead(): boolean
  /** Called when the token ends. */
  onDeath(act: () => void): void
  release(): void
}
export type TokenWatch = {
  /** Call it before the database checks the token, because a revocation in between would otherwise be missed. */
  hold(claims: Claims, name: string): Hold
  /** A message from SQL. */
  hear(payload: string): void
}

type Holder = { claims: Claims; name: string; dead: boolean; act?: () => void }

export function watchTokens(): TokenWatch {
  const holders = new Map<string, Set<Holder>>()
  const said = new Map<string, Set<Word>>()

  function hold(claims: Claims, name: string): Hold {
    const { sub } = claims
    if (sub === undefined) return { isDead: () => false, onDeath: () => {}, release: () => {} }
    const holder: Holder = { claims, name, dead: false }
    holder.dead = [...(said.get(sub) ?? [])].some((word) => kills(word, holder))
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
    for (const before of [...(said.get(sub) ?? [])]) if (replaces(word, before)) remove(said, sub, before)
    add(said, sub, word)
    setTimeout(() => remove(said, sub, word), KEPT).unref()
    for (const holder of [...(holders.get(sub) ?? [])]) {
      if (!kills(word, holder)) continue
      holder.dead = true
      holder.act?.()
    }
  }

  return { hold, hear }
}

function kills(word: Word, { claims: { role, iat, exp }, name }: Holder): boolean {
  if ('topic' in word) return word.topic === name && !word.hears
  if ('exp' in word) return word.iat === iat && word.exp === exp
  return word.role !== role || iat === undefined || iat < word.from
}

/** Whether the later message about the same person replaces the earlier one. */
function replaces(later: Word, earlier: Word): boolean {
  if ('exp' in later || 'exp' in earlier) return false
  if ('topic' in later) return 'topic' in earlier && earlier.topic === later.topic
  return !('topic' in earlier)
}

function add<Value>(map: Map<string, Set<Value>>, key: string, value: Value): void {
  map.set(key, (map.get(key) ?? new Set()).add(value))
}

function remove<Value>(map: Map<string, Set<Value>>, key: string, value: Value): void {
  const values = map.get(key)
  values?.delete(value)
  if (values?.size === 0) map.delete(key)
}
