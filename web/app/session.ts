// The session of a person. It is in memory alone, unless they stay signed in: then this browser keeps it.
import type { Session, SessionStore } from 'kith/client'
import { notifyError } from '../lib/errors.ts'
import { signal } from '../lib/html.ts'
import type { Enter } from '../lib/login.ts'
import { me, openKith } from '../lib/session.ts'

export { me } from '../lib/session.ts'

const KEY = 'kith.session'
let stays = localStorage.getItem(KEY) !== null

const store: SessionStore = {
  load: () => JSON.parse(localStorage.getItem(KEY) ?? 'null') as Session | null,
  save(session) {
    if (session && stays) localStorage.setItem(KEY, JSON.stringify(session))
    else localStorage.removeItem(KEY)
  },
  // browsers have locks in secure contexts only
  ...(navigator.locks && { lock: (run) => navigator.locks.request(KEY, run) }),
}

export const kith = openKith({ store })

/** Whether it is known if somebody is signed in. */
export const isRestored = signal(false)

/** Continues the session that this browser has kept. */
export async function restore(): Promise<void> {
  try {
    if (await kith.session()) me.value = await kith.get('/me')
  } catch (error) {
    // a session that has ended is no error; the client has forgotten it
    if (await kith.session()) notifyError(error)
  }
  isRestored.value = true
}

/** Logs in. With `stay`, the session outlasts the tab. */
export const enter: Enter = async (open, { stay }) => {
  stays = stay === 'true'
  me.value = (await open()).user
}
