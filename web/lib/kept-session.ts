// Keeps the session of a login when its page is left: in this tab or, for people who stay signed in, in this browser for
// all its tabs. It is never in a cookie or in an address.
import type { Session, SessionStore } from 'kith/client'

const KEY = 'kith.session'
/** `login` identifies a login: a tab does not change the kept session of another login. */
type Kept = Session & { login?: string }

/** How long a page waits until the previous page in the same tab has released the login, in milliseconds. */
const HANDOVER = 1000

/**
 * Makes this page the only one that uses a login of a tab, until the page ends. A browser copies what a tab keeps when
 * somebody duplicates the tab, and the instance ends a session whose refresh token is used by both.
 * @returns false if another tab uses the login
 */
function claim(login: string): Promise<boolean> {
  // browsers have locks only in secure contexts
  if (!navigator.locks) return Promise.resolve(true)
  const until = AbortSignal.timeout(HANDOVER)
  return new Promise((settle) => {
    const hold = () => {
      settle(true)
      return new Promise<never>(() => {})
    }
    navigator.locks.request(`${KEY} ${login}`, { signal: until }, hold).catch(() => settle(false))
  })
}

type Keeper = {
  store: SessionStore
  /** A login begins. With `stays`, this browser keeps its session. */
  begin(stays: boolean): void
}

/**
 * @param inTab whether the tab keeps the session of somebody who does not stay signed in
 * @param isUsed whether the page continues a session that was kept. Default: true
 */
export function keeper({ inTab, isUsed = true }: { inTab: boolean; isUsed?: boolean }): Keeper {
  const fallback = inTab ? sessionStorage : undefined
  const newLogin = () => `${Date.now()} ${Math.random()}`
  let login: string | undefined
  let place: Storage | undefined
  let isNew = true
  const begin = (stays: boolean) => {
    login = newLogin()
    place = stays ? localStorage : fallback
    isNew = true
  }
  const read = (from: Storage | undefined) => JSON.parse(from?.getItem(KEY) ?? 'null') as Kept | null
  return {
    store: {
      async load() {
        if (!isNew) {
          const kept = read(place)
          return kept?.login === login ? kept : null
        }
        if (!isUsed) return null
        place = [localStorage, fallback].find((one) => read(one))
        const kept = read(place)
        isNew = !kept
        login = kept?.login
        if (place !== fallback || !kept?.login || (await claim(kept.login))) return kept
        // this tab is a duplicate; somebody may have logged in here meanwhile
        if (read(fallback)?.login === kept.login) fallback?.removeItem(KEY)
        if (login === kept.login) begin(false)
        return null
      },
      save(session) {
        if (isNew && session) {
          login ??= newLogin()
          place ??= fallback
          if (place && place === fallback) void claim(login)
        }
        const kept = read(place)
        const isMine = kept?.login === login
        if (!session) {
          if (isMine) place?.removeItem(KEY)
        } else if (isNew || !kept || isMine) {
          place?.setItem(KEY, JSON.stringify({ ...session, login }))
        }
        isNew = !session
        if (session) return
        login = undefined
        place = undefined
      },
      ...(navigator.locks && { lock: (run) => navigator.locks.request(KEY, run) }),
    },
    begin,
  }
}
