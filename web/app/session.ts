// The session of a person. It is in memory alone, unless they stay signed in: then this browser keeps it.
import type { Session, SessionStore } from 'kith/client'
import { notifyError } from '../lib/errors.ts'
import { signal } from '../lib/html.ts'
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

/** Goes on with the session that this browser has kept. */
export async function restore(): Promise<void> {
  try {
    if (await kith.session()) me.value = await kith.get('/me')
  } catch (error) {
    // a session that has ended is no error; the client has forgotten it
    if (await kith.session()) notifyError(error)
  }
  isRestored.value = true
}

/** @param isKept whether the person stays signed in in this browser */
export async function logIn(credentials: Parameters<typeof kith.logIn>[0], isKept: boolean): Promise<void> {
  stays = isKept
  const { user } = await kith.logIn(credentials)
  me.value = user
}

/** Logs in with a login at the OpenID provider, until the tab is closed. */
export async function logInWithOidc(login: Parameters<typeof kith.logInWithOidc>[0]): Promise<void> {
  stays = false
  const { user } = await kith.logInWithOidc(login)
  me.value = user
}
