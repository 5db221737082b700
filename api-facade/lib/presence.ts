// Records when people and their sessions were last seen. The times are kept in memory and written from time to time,
// not with every request.
import { call } from './call.ts'
import type { Context } from './context.ts'

/** How long a token counts as seen without another write. Milliseconds; the same as in api.note_presence. */
const PERIOD = 5 * 60_000
const CAPACITY = 100_000

/** Makes a function for every answered request. It never fails, and its write is not awaited. */
export function createPresence(): (c: Context) => void {
  const seen = new Map<string, number>()

  return (c) => {
    const claims = c.get('claims')
    if (!claims || c.res.status === 401) return
    const token = `${claims.sub} ${claims.iat} ${claims.exp}`
    const now = Date.now()
    if (now - (seen.get(token) ?? 0) < PERIOD) return
    seen.delete(token) // Deleting the token moves it to the end of the map.
    const oldest = seen.size >= CAPACITY ? seen.keys().next().value : undefined
    if (oldest !== undefined) seen.delete(oldest)
    seen.set(token, now)
    // A token that ended with this request is refused, which is correct.
    call(c, 'note_presence', {}, 'user').catch(() => seen.delete(token))
  }
}
