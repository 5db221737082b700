import { KithError } from './errors.ts'

/** What a client stores about a person who is logged in. */
export type Session = {
  accessToken: string
  refreshToken: string
  deviceToken?: string
}

/** Where the session is kept: localStorage, AsyncStorage of React Native, a file. Without one it is kept in memory. */
export type SessionStore = {
  load(): Promise<Session | null> | Session | null
  save(session: Session | null): Promise<void> | void
  /**
   * A lock: runs one function at a time among all programs that share the store, such as the tabs of a browser. One of
   * them then refreshes the tokens, and the others take over what it saved.
   */
  lock?<T>(run: () => Promise<T>): Promise<T>
}

/** The claims of an access token; none if they can't be read. */
function claimsOf(token: string): { exp?: number; sub?: string } {
  try {
    const [, payload = ''] = token.split('.')
    return JSON.parse(atob(payload.replace(/-/g, '+').replace(/_/g, '/')))
  } catch {
    return {}
  }
}

/** Whether an access token is valid for a while. */
const isFresh = (token: string): boolean => (claimsOf(token).exp ?? 0) - MARGIN > Date.now() / 1000

/** A token that expires sooner than this is refreshed before it is used. Seconds. */
const MARGIN = 20

type Refreshed = { accessToken: string; refreshToken: string }

/** Holds the tokens. However many requests find that the access token has expired, one request refreshes it. */
export class Sessions {
  readonly #store: SessionStore | undefined
  readonly #refresh: (refreshToken: string) => Promise<Refreshed>
  readonly #onChange: ((session: Session | null) => void) | undefined
  #session: Session | null = null
  #loaded: Promise<void> | undefined
  #refreshing: Promise<string | undefined> | undefined

  constructor(
    refresh: (refreshToken: string) => Promise<Refreshed>,
    store?: SessionStore,
    onChange?: (session: Session | null) => void,
  ) {
    this.#refresh = refresh
    this.#store = store
    this.#onChange = onChange
  }

  async get(): Promise<Session | null> {
    this.#loaded ??= Promise.resolve(this.#store?.load() ?? null).then((session) => {
      this.#session ??= session
    })
    await this.#loaded
    return this.#session
  }

  async set(session: Session | null): Promise<void> {
    this.#loaded = Promise.resolve()
    this.#session = session
    await this.#store?.save(session)
    this.#onChange?.(session)
  }

  /** The access token, refreshed if it is about to expire; undefined if nobody is logged in. */
  async token(): Promise<string | undefined> {
    const session = await this.get()
    if (!session) return undefined
    return isFresh(session.accessToken) ? session.accessToken : this.renew(session.accessToken)
  }

  /**
   * Returns another token than `used`, which was refused or is about to expire. If the session has ended, it returns
   * undefined, and nobody is logged in any more.
   */
  async renew(used: string): Promise<string | undefined> {
    const session = await this.get()
    if (session && session.accessToken !== used) return session.accessToken
    const lock = this.#store?.lock?.bind(this.#store)
    this.#refreshing ??= (lock ? lock(() => this.#exchange()) : this.#exchange()).finally(() => {
      this.#refreshing = undefined
    })
    return this.#refreshing
  }

  async #exchange(): Promise<string | undefined> {
    const session = await this.get()
    if (!session) return undefined
    const shared = await this.#refreshedByAnother(session)
    if (shared) return shared
    try {
      const { accessToken, refreshToken } = await this.#refresh(session.refreshToken)
      await this.set({ ...session, accessToken, refreshToken })
      return accessToken
    } catch (error) {
      if (!(error instanceof KithError) || error.status !== 401) throw error
      await this.set(null)
      return undefined
    }
  }

  /** The access token that another program with the same store got for the same person. */
  async #refreshedByAnother(session: Session): Promise<string | undefined> {
    if (!this.#store?.lock) return undefined
    const saved = await this.#store.load()
    if (!saved || saved.refreshToken === session.refreshToken || !isFresh(saved.accessToken)) return undefined
    if (claimsOf(saved.accessToken).sub !== claimsOf(session.accessToken).sub) return undefined
    this.#session = saved
    this.#onChange?.(saved)
    return saved.accessToken
  }
}
