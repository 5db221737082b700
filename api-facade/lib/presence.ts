// Who is here: remembered in the process, and written down once in a while instead of with every request.
import { call } from './call.ts'
import type { Context } from './context.ts'

/** How long a person counts as seen without another write. Milliseconds; api.note_presence keeps to the same. */
const PERIOD = 5 * 60_000
const CAPACITY = 100_000

/** Makes what looks at every answered request. It never fails, and nobody waits for what it writes. */
export function createPresence(): (c: Context) => void {
  const seen = new Map<string, number>()

  return (c) => {
    const person = c.get('claims')?.sub
    if (!person || c.res.status === 401) return
    const now = Date.now()
    if (now - (seen.get(person) ?? 0) < PERIOD) return
    seen.delete(person) // to the end of the line
    const oldest = seen.size >= CAPACITY ? seen.keys().next().value : undefined
    if (oldest !== undefined) seen.delete(oldest)
    seen.set(person, now)
    // a token that ended with this very request is refused, and rightly
    call(c, 'note_presence', {}, 'user').catch(() => seen.delete(person))
  }
}
