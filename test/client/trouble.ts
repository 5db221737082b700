// What kith/client does when something goes wrong: tokens that expire, answers that are lost, connections that break.
// Like life.ts it is compiled and run in a project with the packed client.
import {
  createKith,
  type Kith,
  KithError,
  type KithEvent,
  type RealtimeClient,
  type Session,
  type SessionStore,
} from 'kith/client'

type Site = { url: string; fetch: typeof fetch }
type Login = { email: string; password: string }

/**
 * Two clients that share a store, as two tabs of a browser do. The store has a session whose access token expired long
 * ago.
 */
export async function expired(
  site: Site,
  login: Login,
): Promise<{ kith: Kith; other: Kith; saved: (Session | null)[] }> {
  const first = createKith(site)
  const { accessToken, refreshToken = '' } = await first.logIn(login)
  const [head, payload = '', signature] = accessToken.split('.')
  const claims = { ...JSON.parse(atob(payload)), exp: 1 }
  const old = [head, btoa(JSON.stringify(claims)).replace(/=+$/, ''), signature].join('.')
  const saved: (Session | null)[] = []
  let last: Promise<unknown> = Promise.resolve()
  const store: SessionStore = {
    load: () => (saved.length > 0 ? (saved.at(-1) ?? null) : { accessToken: old, refreshToken }),
    save: (session) => void saved.push(session),
    lock: (run) => {
      const turn = last.then(run)
      last = turn.catch(() => undefined)
      return turn
    },
  }
  const open = () => createKith({ ...site, store, batch: false })
  return { kith: open(), other: open(), saved }
}

/** Sends five requests at once. @returns the outcome of each */
export const five = (kith: Kith): Promise<string[]> =>
  Promise.all([1, 2, 3, 4, 5].map(() => kith.get('/me').then(({ username }) => username, codeOf)))

/** Creates a post. */
export const post = (kith: Kith, body: string): Promise<string> =>
  kith.post('/posts', { body: { body } }).then(({ id }) => id)

export async function loggedIn(site: Site, login: Login, patience = 60): Promise<Kith> {
  const kith = createKith({ ...site, patience })
  await kith.logIn(login)
  return kith
}

/** Uploads a film. @returns the stored size (0 after a failure), the number of bytes sent, and the asset's id */
export async function film(
  kith: Kith,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<{ size: number; sent: number; id: string }> {
  const counts: number[] = []
  const file = new Blob([bytes], { type: 'video/mp4' })
  let id = ''
  const progress = (sent: number, _total: number, assetId: string) => {
    counts.push(sent)
    id = assetId
  }
  const { size } = await kith.upload(file, 'video', progress).catch(() => ({ size: 0 }))
  return { size, sent: Math.max(...counts), id }
}

/** Continues an upload. @returns its status */
export const resume = (kith: Kith, id: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> =>
  kith.resume(id, new Blob([bytes], { type: 'video/mp4' })).then(({ status }) => status)

export const codeOf = (error: unknown): string => (error instanceof KithError ? error.code : String(error))
export const retryAfterOf = (error: unknown) => (error instanceof KithError ? error.retryAfter : undefined)

/** Listens to the caller's channel, and collects the ids of the events. */
export async function hear(kith: Kith, realtime: unknown, events: KithEvent[]): Promise<() => void> {
  return kith.onUser(realtime as RealtimeClient, (event) => events.push(event))
}
