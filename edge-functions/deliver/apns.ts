// Pushes to Apple's devices by the Apple Push Notification service: HTTP/2, with a token that our key signs.
import { type ClientHttp2Session, connect } from 'node:http2'
import { importPKCS8, SignJWT } from 'jose'
import { z } from 'zod'
import { type ApnsPush, failed, gone, type Outcome, PATIENCE, refused, sent, TTL, waitAfter } from './messages.ts'

export type ApnsOptions = {
  /** The key as the file AuthKey_….p8 has it. */
  key: string
  keyId: string
  teamId: string
  /** The bundle id of the app. */
  topic: string
  /** The URL of the service, without a trailing slash. */
  url: string
}

/** A signed token is valid for an hour, and Apple refuses a new one within 20 minutes. Milliseconds. */
const TOKEN_AGE = 40 * 60_000
/** An unused connection is closed after this time. Milliseconds. */
const IDLE = 60_000

const Reason = z.object({ reason: z.string() })
type Answer = { status: number; reason: string | undefined; retryAfter: string | undefined }
type Send = (pushes: readonly ApnsPush[]) => Promise<Outcome[]>

export function apnsSender(options: ApnsOptions): Send {
  const tokens = tokensOf(options)
  let session: ClientHttp2Session | undefined

  function open(): ClientHttp2Session {
    if (session && !session.closed && !session.destroyed) return session
    const made = connect(options.url)
    made.on('error', () => {}) // The requests of the connection report the error.
    made.on('goaway', () => made.close())
    made.setTimeout(IDLE, () => made.close())
    made.unref()
    session = made
    return made
  }

  async function sendOne(push: ApnsPush): Promise<Outcome> {
    const token = await tokens.get()
    const { status, reason, retryAfter } = await ask(open(), headersOf(push, token, options), bodyOf(push))
    if (status === 200) return sent
    if (status === 410 || reason === 'BadDeviceToken' || reason === 'Unregistered') return gone
    // A signed token that is refused is replaced.
    if (reason === 'ExpiredProviderToken' || reason === 'InvalidProviderToken') {
      tokens.forget(token)
      return failed
    }
    return status === 429 || status >= 500 ? waitAfter(retryAfter) : refused
  }

  return (pushes) => Promise.all(pushes.map((push) => sendOne(push).catch(() => failed)))
}

const headersOf = ({ token, collapseId }: ApnsPush, signed: string, { topic }: ApnsOptions) => ({
  ':method': 'POST',
  ':path': `/3/device/${token}`,
  authorization: `bearer ${signed}`,
  'content-type': 'application/json',
  'apns-topic': topic,
  'apns-push-type': 'alert',
  'apns-priority': '10',
  'apns-expiration': String(Math.floor(Date.now() / 1000) + TTL),
  'apns-collapse-id': collapseId,
})

const bodyOf = ({ title, body, badge, collapseId, data }: ApnsPush): string =>
  JSON.stringify({ aps: { alert: { title, body }, badge, sound: 'default', 'thread-id': collapseId }, ...data })

/** @throws Error if there is no whole answer in time */
function ask(session: ClientHttp2Session, headers: Record<string, string>, body: string): Promise<Answer> {
  return new Promise((done, fail) => {
    const request = session.request(headers)
    const clock = setTimeout(() => {
      request.close()
      session.close() // The connection may be dead, so the next push opens another one.
      fail(new Error('no answer in time'))
    }, PATIENCE)
    const end = (work: () => void) => {
      clearTimeout(clock)
      work()
    }
    let head: Record<string, unknown> = {}
    let text = ''
    request.setEncoding('utf8')
    request.on('response', (given) => {
      head = given
    })
    request.on('data', (chunk: string) => {
      text += chunk
    })
    request.on('end', () => end(() => done(answerOf(head, text))))
    request.on('error', (error) => end(() => fail(error)))
    request.on('close', () => end(() => fail(new Error('the connection ended'))))
    request.end(body)
  })
}

/** An answer without a status, for example because the connection ended, counts as unavailable. */
function answerOf(head: Record<string, unknown>, text: string): Answer {
  const { ':status': status, 'retry-after': after } = head
  return {
    status: Number(status ?? 503),
    reason: reasonOf(text),
    retryAfter: typeof after === 'string' ? after : undefined,
  }
}

function reasonOf(text: string): string | undefined {
  try {
    return Reason.safeParse(JSON.parse(text)).data?.reason
  } catch {
    return undefined
  }
}

/** One signed token serves many pushes. */
function tokensOf({ key, keyId, teamId }: ApnsOptions) {
  let held: { token: Promise<string>; until: number } | undefined
  let last: string | undefined
  async function sign(): Promise<string> {
    last = await new SignJWT({})
      .setProtectedHeader({ alg: 'ES256', kid: keyId })
      .setIssuer(teamId)
      .setIssuedAt()
      .sign(await importPKCS8(key, 'ES256'))
    return last
  }
  return {
    get(): Promise<string> {
      if (!held || Date.now() >= held.until) held = { token: sign(), until: Date.now() + TOKEN_AGE }
      return held.token
    },
    forget(token: string): void {
      if (token === last) held = undefined
    },
  }
}
