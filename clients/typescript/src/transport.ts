import { KithError, secondsOf } from './errors.ts'
import { keyed } from './generated/api.ts'
import type { Positions } from './positions.ts'
import type { Sessions } from './session.ts'

/** A request whose body is text, so that it can be sent again. `path` is below /api/v1, with its query. */
export type Sent = { method: string; path: string; headers: Headers; body: string | undefined }

export type TransportOptions = {
  url: string
  fetch: typeof fetch
  sessions: Sessions
  positions: Positions
  /** How often a request is sent again after a failure that may be temporary. */
  retries: number
  /** The longest time to wait before a retry, in seconds: if Retry-After is longer, the request fails. */
  patience: number
}

export const sleep = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1000))

/** Whether `path` is that of an operation such as `POST /posts/{id}/replies`. */
const patterns = [...keyed].map((operation) => {
  const [method, path = ''] = operation.split(' ')
  return { method, pattern: new RegExp(`^${path.replace(/\{[^}]+\}/g, '[^/]+')}$`) }
})
const takesKey = ({ method, path }: Sent): boolean => {
  const [bare = ''] = path.split('?')
  return patterns.some((one) => one.method === method && one.pattern.test(bare))
}

/** Sends a request with the token. Sends it again after a refused token, and after a failure if that is safe. */
export async function transport(options: TransportOptions, request: Sent): Promise<Response> {
  const { method } = request
  const headers = new Headers(request.headers)
  if (takesKey(request) && !headers.has('idempotency-key')) headers.set('idempotency-key', crypto.randomUUID())
  const isSafe = method !== 'POST' && method !== 'PATCH' ? true : headers.has('idempotency-key')
  const token = headers.has('authorization') ? undefined : await options.sessions.token()
  if (token) headers.set('authorization', `Bearer ${token}`)

  let isRenewed = false
  for (let attempt = 0; ; attempt++) {
    const isLast = attempt >= options.retries
    let response: Response
    const take = options.positions.send(headers)
    try {
      response = await options.fetch(`${options.url}/api/v1${request.path}`, {
        method,
        headers,
        ...(request.body !== undefined && { body: request.body }),
      })
    } catch (error) {
      if (!isSafe || isLast) throw error
      await sleep(2 ** attempt * 0.5)
      continue
    }
    take(response)
    const { status } = response
    if (status === 401 && token && !isRenewed) {
      isRenewed = true
      const fresh = await options.sessions.renew(token)
      if (!fresh) return response
      headers.set('authorization', `Bearer ${fresh}`)
      continue
    }
    // after a 429 nothing was done; after a 503 the request may have been done, if the facade lost its connection
    if (isLast || (status !== 429 && !(status === 503 && isSafe))) return response
    const wait = secondsOf(response.headers) ?? 2 ** attempt
    if (wait > options.patience) return response
    await sleep(wait)
  }
}

/** The JSON body of a success. @throws KithError */
export async function jsonOf(response: Response): Promise<unknown> {
  if (!response.ok) throw new KithError(response.status, response.headers, await response.json().catch(() => null))
  return response.status === 204 ? undefined : response.json()
}
