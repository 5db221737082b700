/** An invalid field of a request: its path, as in `media.0.alt`, and what is wrong with it. */
export type InvalidField = { path: string; code: string }

/** An answer of Kith that is an error. `code` is stable; the messages are for people. */
export class KithError extends Error {
  override readonly name = 'KithError'
  readonly status: number
  readonly code: string
  readonly messages: readonly string[]
  /** Only for the code `validation_failed`. */
  readonly fields: readonly InvalidField[]
  /** For support: the logs of the instance have it. Undefined for a read that was sent in a batch. */
  readonly requestId: string | undefined
  /** After how many seconds the request can succeed, if the instance says so. */
  readonly retryAfter: number | undefined

  constructor(status: number, headers: Headers, body: unknown) {
    const { message, fields } = (body ?? {}) as { message?: string[]; fields?: InvalidField[] }
    const messages = message ?? [`The answer has the status ${status}.`]
    super(messages.join(' '))
    this.status = status
    this.code = headers.get('x-error-code') ?? 'unknown'
    this.messages = messages
    this.fields = fields ?? []
    this.requestId = headers.get('x-request-id') ?? undefined
    this.retryAfter = secondsOf(headers)
  }
}

/** Retry-After in seconds; undefined if the answer has none. */
export function secondsOf(headers: Headers): number | undefined {
  const text = headers.get('retry-after')
  return text === null || !/^\d+$/.test(text) ? undefined : Number(text)
}
