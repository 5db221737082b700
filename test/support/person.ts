// A client of the HTTP API: one person with a token, or nobody without one.
import { type Answer, claimsOf, inspect, internalIds, parsed, wholePath } from './crawler.ts'
import { inward, outward } from './names.ts'

export type Headed = Record<string, string>

/** One item of a person's notifications, as far as tests read it. */
export type Notification = {
  id: string
  kind: string
  count: number
  path: string
  payload: Record<string, unknown>
}

export class Person {
  email = ''
  password = ''
  username = ''
  /** The public identifier, acct:<username>@<domain>. */
  actorId = ''
  /** The suffix of every name in requests, which is empty except against a target (./target.ts). */
  suffix = ''
  readonly base: string
  readonly token: string | undefined

  constructor(base: string, token?: string) {
    this.base = base
    this.token = token
    if (/^[0-9a-f-]{36}$/.test(this.id)) internalIds.add(this.id) // a forged token may contain anything
  }

  /** The internal id: the token's sub. Only for queries in the database. */
  get id(): string {
    return claimsOf(this.token)?.sub?.toLowerCase() ?? ''
  }

  /** The same person with another token, such as a forged or an old one. */
  withToken(token: string | undefined): Person {
    const { email, password, username, actorId, suffix } = this
    return Object.assign(new Person(this.base, token), { email, password, username, actorId, suffix })
  }

  /** Logs in again. @returns the person with the new token */
  async login(): Promise<Person> {
    const { email, password } = this
    const { status, body } = await this.withToken(undefined).post<{ accessToken: string }>('/auth/login', {
      email,
      password,
    })
    if (status !== 200) throw new Error(`${email} cannot log in: ${status} ${JSON.stringify(body)}`)
    return this.withToken(body.accessToken)
  }

  get<Body = unknown>(path: string, headers?: Headed) {
    return this.request<Body>('GET', path, undefined, headers)
  }

  post<Body = unknown>(path: string, body?: unknown, headers?: Headed) {
    return this.request<Body>('POST', path, body, headers)
  }

  put<Body = unknown>(path: string, body?: unknown, headers?: Headed) {
    return this.request<Body>('PUT', path, body, headers)
  }

  patch<Body = unknown>(path: string, body?: unknown, headers?: Headed) {
    return this.request<Body>('PATCH', path, body, headers)
  }

  delete<Body = unknown>(path: string, body?: unknown, headers?: Headed) {
    return this.request<Body>('DELETE', path, body, headers)
  }

  /**
   * Sends a request and checks the answer with the crawler. `path` is under /api/v1, or complete behind `//`.
   * A string body is sent unchanged, any other as JSON.
   */
  async request<Body = unknown>(
    method: string,
    path: string,
    body?: unknown,
    headers: Headed = {},
  ): Promise<Answer<Body>> {
    const sent = typeof body === 'string' ? body : JSON.stringify(body)
    const response = await fetch(this.base + outward(wholePath(path), this.suffix), {
      method,
      headers: {
        ...(this.token && { authorization: `Bearer ${this.token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: sent === undefined ? null : outward(sent, this.suffix),
      redirect: 'manual',
    })
    const { status } = response
    const text = inward(await response.text(), this.suffix)
    const answer = { status, headers: response.headers, text, body: parsed(status, response.headers, text) }
    inspect({ method, path, caller: claimsOf(this.token)?.sub, body }, answer)
    return answer as Answer<Body>
  }

  /** This person's notifications of a kind, newest first. */
  async inbox(kind: string): Promise<Notification[]> {
    const { body } = await this.get<{ items: Notification[] }>('/notifications?limit=50')
    return body.items.filter((item) => item.kind === kind)
  }
}
