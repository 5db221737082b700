// Keeps the session of a login when its page is left: in this tab or, for people who stay signed in, in this browser for
// all its tabs. It is never in a cookie or in an address.
import type { Session, SessionStore } from 'kith/client'

const KEY = 'kith.session'
/** `login` tells logins apart: a tab leaves the kept session of another login alone. */
type Kept = Session & { login?: string }

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
  const read = (from: Storage | undefined) => JSON.parse(from?.getItem(KEY) ?? 'null') as Kept | null
  return {
    store: {
      load() {
        if (!isNew) {
          const kept = read(place)
          return kept?.login === login ? kept : null
        }
        if (!isUsed) return null
        place = [localStorage, fallback].find((one) => read(one))
        const kept = read(place)
        isNew = !kept
        login = kept?.login
        return kept
      },
      save(session) {
        if (isNew && session) {
          login ??= newLogin()
          place ??= fallback
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
      // browsers have locks in secure contexts only
      ...(navigator.locks && { lock: (run) => navigator.locks.request(KEY, run) }),
    },
    begin(stays) {
      login = newLogin()
      place = stays ? localStorage : fallback
      isNew = true
    },
  }
}
