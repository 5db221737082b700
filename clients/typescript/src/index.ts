import createFetchClient, { type MaybeOptionalInit } from 'openapi-fetch'
import type { PathsWithMethod, ResponseObjectMap, SuccessResponse } from 'openapi-typescript-helpers'
import { Batches } from './batch.ts'
import { type CatchUp, type KithEvent, listen, type RealtimeClient } from './channels.ts'
import { KithError } from './errors.ts'
import type { components, operations, paths } from './generated/api.ts'
import { Positions } from './positions.ts'
import { type Session, type SessionStore, Sessions } from './session.ts'
import { jsonOf, type Sent, transport } from './transport.ts'
import { type Parts, type Progress, put, putParts } from './upload.ts'

export type { KithEvent, RealtimeClient } from './channels.ts'
export { type InvalidField, KithError } from './errors.ts'
export type { components, operations, paths } from './generated/api.ts'
export type { Session, SessionStore } from './session.ts'
export type { Progress } from './upload.ts'

/** A schema of the API by its name: `Schema<'Post'>`. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name]

export type KithOptions = {
  /** The address of the instance, such as `https://kith.example`. */
  url: string
  /** Where the session is kept. Default: in memory. */
  store?: SessionStore
  /** Called after a login, a refresh and a logout, and with null if the instance has ended the session. */
  onSession?: (session: Session | null) => void
  /** Whether the reads of one tick are sent as one request. Default: true. */
  batch?: boolean
  /** How often a request is sent again if that is safe. Default: 3. */
  retries?: number
  /** The longest time to wait before a retry, in seconds. Default: 60. */
  patience?: number
  /** Returns the address to which a file is sent, given the one that the instance named. Default: the same address. */
  uploadTo?: (url: string) => string
  fetch?: typeof fetch
}

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'
type PathsOf<M extends Method> = PathsWithMethod<paths, M>
type Operation<P extends keyof paths, M extends Method> = paths[P] extends { [K in M]: infer O } ? O : never
/** What an operation answers; undefined for 204. */
export type Answer<P extends keyof paths, M extends Method> = SuccessResponse<
  ResponseObjectMap<Operation<P, M>>,
  `${string}/${string}`
>
type Init<P extends keyof paths, M extends Method> = MaybeOptionalInit<paths[P], M>
type Arguments<T> = undefined extends T ? [init?: T] : [init: T]
type Call<M extends Method> = <P extends PathsOf<M>>(path: P, ...init: Arguments<Init<P, M>>) => Promise<Answer<P, M>>
type ItemOf<T> = T extends { items: (infer Item)[]; nextCursor: string | null } ? Item : never
type ListPath = { [P in PathsOf<'get'>]: [ItemOf<Answer<P, 'get'>>] extends [never] ? never : P }[PathsOf<'get'>]

/** `code` only after the error `factor_required`. */
type Login = { email: string; password: string; code?: string }
type Registration = Omit<operations['register']['requestBody']['content']['application/json'], 'session'>
type OidcLogin = Omit<operations['logInWithOidc']['requestBody']['content']['application/json'], 'session'>
type PasskeyLogin = Omit<operations['logInWithPasskey']['requestBody']['content']['application/json'], 'session'>
type NewPasskey = Omit<operations['addPasskey']['requestBody']['content']['application/json'], 'session'>
type OidcRegistration = Omit<operations['registerWithOidc']['requestBody']['content']['application/json'], 'session'>
type Change = Answer<'/sync', 'get'>['items'][number]
/** The size from which files are uploaded in parts, in bytes. */
const LARGE = 10_000_000
type UploadKind = Schema<'NewAsset'>['kind']
/** What a file shows, and how much room it takes. */
export type AboutUpload = Omit<Schema<'NewAsset'>, 'kind' | 'contentType' | 'size'>

export type Kith = ReturnType<typeof createKith>

/** Makes a client of an instance. Every method returns the body of the answer, or throws a KithError. */
export function createKith(options: KithOptions) {
  const url = options.url.replace(/\/$/, '')
  const sessions: Sessions = new Sessions(refresh, options.store, options.onSession)
  const shared = {
    url,
    fetch: options.fetch ?? globalThis.fetch.bind(globalThis),
    sessions,
    positions: new Positions(),
    retries: options.retries ?? 3,
    patience: options.patience ?? 60,
    uploadTo: (address: string) => (options.uploadTo ?? String)(new URL(address, url).href),
  }
  const direct = (request: Sent) => transport(shared, request)
  const batches = options.batch === false ? undefined : new Batches(direct)

  async function refresh(refreshToken: string): Promise<Session> {
    const body = JSON.stringify({ refreshToken })
    const headers = new Headers({ 'content-type': 'application/json', authorization: '' })
    return (await jsonOf(await direct({ method: 'POST', path: '/identity/refresh', headers, body }))) as Session
  }

  async function send(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url)
    const text = request.method === 'GET' ? '' : await request.text()
    const headers = new Headers(request.headers)
    if (text === '') headers.delete('content-type')
    const sent = { method: request.method, path: pathname + search, headers, body: text === '' ? undefined : text }
    const isAlone = request.method !== 'GET' || headers.get('accept') || !(await sessions.get())
    return batches && !isAlone ? batches.read(sent) : direct(sent)
  }

  const raw = createFetchClient<paths>({ baseUrl: 'http://kith', fetch: send })
  const method =
    <M extends Method>(name: Uppercase<M>): Call<M> =>
    async (path, ...init) => {
      const run = raw[name] as (
        path: string,
        init?: unknown,
      ) => Promise<{ data?: unknown; error?: unknown; response: Response }>
      const { data, error, response } = await run(path as string, ...init)
      if (!response.ok) throw new KithError(response.status, response.headers, error)
      return data as never
    }
  const get = method<'get'>('GET')

  async function keep(session: { accessToken: string; refreshToken?: string; deviceToken?: string }): Promise<void> {
    const { accessToken, refreshToken = '', deviceToken } = session
    await sessions.set({ accessToken, refreshToken, ...(deviceToken && { deviceToken }) })
  }

  async function open<T extends { accessToken: string }>(
    path: '/auth/login' | '/auth/register' | '/auth/oidc/login' | '/auth/oidc/register' | '/auth/passkey',
    body: object,
  ): Promise<T> {
    const text = JSON.stringify({ ...body, session: 'rotating' })
    const headers = new Headers({ 'content-type': 'application/json', authorization: '' })
    const answer = (await jsonOf(await direct({ method: 'POST', path, headers, body: text }))) as T
    await keep(answer)
    return answer
  }

  /** Every item of a list, page after page. */
  async function* pages<P extends ListPath>(
    path: P,
    ...[init]: Arguments<Init<P, 'get'>>
  ): AsyncGenerator<ItemOf<Answer<P, 'get'>>> {
    let cursor: string | null | undefined
    do {
      const { params = {}, ...rest } = (init ?? {}) as { params?: { query?: object } }
      const query = { ...params.query, ...(cursor ? { cursor } : {}) }
      const page = (await get(path, { ...rest, params: { ...params, query } } as never)) as {
        items: ItemOf<Answer<P, 'get'>>[]
        nextCursor: string | null
      }
      yield* page.items
      cursor = page.nextCursor
    } while (cursor)
  }

  /**
   * Everything that changed since a cursor: what was edited, hidden or deleted. Yields one page after the other, so that
   * the caller can apply its items and then store its cursor. Without a cursor it yields the cursor to begin with.
   */
  async function* changes(after?: string): AsyncGenerator<{ items: Change[]; cursor: string }> {
    for (let isMore = true; isMore; ) {
      const page = await get('/sync', { params: { query: after === undefined ? {} : { after } } })
      after = page.nextCursor
      isMore = page.hasMore
      yield { items: page.items, cursor: after }
    }
  }

  const commit = (assetId: string) =>
    method<'post'>('POST')('/media/{assetId}/commit', { params: { path: { assetId } } })
  const partsOf = (assetId: string) => get('/media/{assetId}/parts', { params: { path: { assetId } } })
  async function inParts(parts: Parts, file: Blob, progress?: Progress): Promise<Schema<'Asset'>> {
    const { assetId } = parts
    await putParts({ parts, again: () => partsOf(assetId), file, progress, ...shared })
    return commit(assetId)
  }

  const missedNotifications: CatchUp = async function* (since) {
    for await (const { id, kind } of pages('/notifications', { params: { query: { since } } })) {
      yield { event: 'notification', payload: { id, kind } }
    }
  }
  const missedMessages = (id: string): CatchUp =>
    async function* (changedSince) {
      const list = pages('/conversations/{id}/messages', { params: { path: { id }, query: { changedSince } } })
      for await (const message of list) yield { event: 'message.changed', payload: { id: message.id } }
    }

  return {
    get,
    post: method<'post'>('POST'),
    put: method<'put'>('PUT'),
    patch: method<'patch'>('PATCH'),
    delete: method<'delete'>('DELETE'),
    pages,
    changes,

    /** Logs in. The client then sends the token, refreshes it, and keeps the session in the store. */
    async logIn(credentials: Login) {
      const deviceToken = (await sessions.get())?.deviceToken
      return open<Schema<'Session'>>('/auth/login', { ...credentials, ...(deviceToken && { deviceToken }) })
    },
    /** Changes the password. Every session of the person ends, and the client continues with a new one. */
    async changePassword(passwords: { currentPassword: string; newPassword: string }): Promise<void> {
      const body = { ...passwords, session: 'rotating' as const }
      await keep(await method<'patch'>('PATCH')('/identity/me/password', { body }))
    },
    register: (form: Registration) => open<Schema<'Session'>>('/auth/register', form),
    /** Logs in with a one-time code of the OpenID provider: `GET /auth/oidc/start`. */
    async logInWithOidc(login: OidcLogin) {
      const deviceToken = (await sessions.get())?.deviceToken
      return open<Schema<'Session'>>('/auth/oidc/login', { ...login, ...(deviceToken && { deviceToken }) })
    },
    /** Logs in with what a passkey signed. The challenge comes from `POST /auth/passkey/options`. */
    async logInWithPasskey(login: PasskeyLogin) {
      const deviceToken = (await sessions.get())?.deviceToken
      return open<Schema<'Session'>>('/auth/passkey', { ...login, ...(deviceToken && { deviceToken }) })
    },
    /** Adds the authenticator app. Every session of the person ends, and the client continues with a new one. */
    async confirmTotp(code: string) {
      const answer = await method<'post'>('POST')('/me/factors/totp/confirm', { body: { code, session: 'rotating' } })
      await keep(answer)
      return answer
    },
    /** Adds a passkey. If it is the first factor, every session ends, and the client continues with a new one. */
    async addPasskey(made: NewPasskey) {
      const answer = await method<'post'>('POST')('/me/factors/passkeys', { body: { ...made, session: 'rotating' } })
      if (answer.session) await keep(answer.session)
      return answer
    },
    registerWithOidc: (form: OidcRegistration) => open<Schema<'Session'>>('/auth/oidc/register', form),
    async logOut(): Promise<void> {
      const session = await sessions.get()
      if (!session) return
      const headers = new Headers({ 'content-type': 'application/json' })
      const body = JSON.stringify({ refreshToken: session.refreshToken })
      await direct({ method: 'POST', path: '/auth/logout', headers, body }).then(jsonOf).catch(ended)
      await sessions.set(null)
    },
    session: () => sessions.get(),
    /** A valid access token, for supabase-js: `createClient(url, key, { accessToken: kith.accessToken })`. */
    accessToken: async (): Promise<string | null> => (await sessions.token()) ?? null,

    /**
     * Uploads a file and commits it. A file of more than 10 MB is sent in parts: after a failure, only missing parts are sent again. `progress` gets the id with which `resume` continues later.
     * @returns the asset, whose id posts and messages take
     */
    async upload(file: Blob, kind: UploadKind, progress?: Progress, about: AboutUpload = {}): Promise<Schema<'Asset'>> {
      const asset = { ...about, kind, contentType: file.type, size: file.size }
      if (file.size > LARGE)
        return inParts(await method<'post'>('POST')('/media/multipart', { body: asset }), file, progress)
      const { assetId, uploadUrl, headers } = await method<'post'>('POST')('/media/presign', { body: asset })
      const counted = progress && ((sent: number, total: number) => progress(sent, total, assetId))
      await put({ url: shared.uploadTo(uploadUrl), headers, file, progress: counted }, shared.fetch)
      return commit(assetId)
    },
    /** Sends what is missing of a file that was uploaded in parts, and commits it. @returns the asset */
    async resume(assetId: string, file: Blob, progress?: Progress): Promise<Schema<'Asset'>> {
      return inParts(await partsOf(assetId), file, progress)
    },

    /**
     * Listens to the caller's own channel by supabase-js. After a reconnect it reads the notifications that were
     * missed.
     * @returns a function that stops listening
     */
    async onUser(realtime: RealtimeClient, handle: (event: KithEvent) => void, onError = report): Promise<() => void> {
      const { id } = await get('/me')
      return listen(realtime, `user:${id}`, handle, missedNotifications, onError)
    },
    /** Listens to a conversation. After a reconnect it reads the messages that are new or were changed. */
    onConversation: (
      realtime: RealtimeClient,
      id: string,
      handle: (event: KithEvent) => void,
      onError = report,
    ): (() => void) => listen(realtime, `conversation:${id}`, handle, missedMessages(id), onError),
    /** Listens to new public posts. */
    onPublicPosts: (realtime: RealtimeClient, handle: (event: KithEvent) => void): (() => void) =>
      listen(realtime, 'feed:public', handle, undefined, report),
  }
}

/** Ignores that a logout failed because the token is no longer valid: then there is nothing to log out. */
function ended(error: unknown): void {
  if (!(error instanceof KithError) || error.status !== 401) throw error
}

function report(error: unknown): void {
  console.error(error)
}
