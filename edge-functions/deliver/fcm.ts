// Pushes to Android by Firebase Cloud Messaging, HTTP v1. A service account gets an access token (OAuth 2, RFC 7523).
import { importPKCS8, SignJWT } from 'jose'
import { z } from 'zod'
import { type FcmPush, failed, gone, type Outcome, PATIENCE, refused, sent, TTL, waitOf } from './messages.ts'

const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging'
/** How many requests run at once. */
const AT_ONCE = 20
/** An access token is replaced this long before it expires. Milliseconds. */
const MARGIN = 5 * 60_000

const Account = z.object({
  project_id: z.string().regex(/^[\w.:-]+$/),
  client_email: z.string().min(1),
  private_key: z.string().min(1),
  token_uri: z.url(),
})
export type FcmAccount = z.infer<typeof Account>

/** @returns the account, or undefined if this is not the JSON file of a service account */
export function fcmAccountOf(text: string): FcmAccount | undefined {
  try {
    return Account.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

const Granted = z.object({ access_token: z.string().min(1), expires_in: z.number() })
const Rejection = z.object({
  error: z.object({
    details: z
      .array(
        z.object({
          errorCode: z.string().optional(),
          fieldViolations: z.array(z.object({ field: z.string().optional() })).optional(),
        }),
      )
      .optional(),
  }),
})

type Send = (pushes: readonly FcmPush[]) => Promise<Outcome[]>

/** @param url the URL of the API, without a trailing slash */
export function fcmSender(account: FcmAccount, url: string): Send {
  const access = accessOf(account)
  const place = `${url}/v1/projects/${account.project_id}/messages:send`

  async function sendOne(push: FcmPush): Promise<Outcome> {
    const token = await access.token()
    const answer = await post(place, JSON.stringify({ message: messageOf(push) }), {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
    })
    const told = Rejection.safeParse(await answer.json().catch(() => undefined)).data?.error.details ?? []
    if (answer.ok) return sent
    if (answer.status === 401) access.forget(token)
    if (answer.status === 401 || answer.status === 429 || answer.status >= 500) return waitOf(answer.headers)
    const isUnknown = told.some(({ errorCode }) => errorCode === 'UNREGISTERED')
    const isInvalid = told.some((one) => one.fieldViolations?.some(({ field }) => field === 'message.token'))
    return isUnknown || isInvalid ? gone : refused
  }

  return async (pushes) => {
    const outcomes: Outcome[] = []
    for (let at = 0; at < pushes.length; at += AT_ONCE) {
      const some = pushes.slice(at, at + AT_ONCE).map((push) => sendOne(push).catch(() => failed))
      outcomes.push(...(await Promise.all(some)))
      // If no request got an answer, the others would only time out as well.
      if (outcomes.every((one) => one === failed)) break
    }
    return pushes.map((_, at) => outcomes[at] ?? failed)
  }
}

const post = (url: string, body: string, headers: Record<string, string>): Promise<Response> =>
  fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal: AbortSignal.timeout(PATIENCE) })

/** FCM takes only strings as data. */
function messageOf({ token, title, body, badge, collapseId, data }: FcmPush) {
  const strings = Object.entries(data).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  return {
    token,
    notification: { title, body },
    data: Object.fromEntries(strings),
    android: {
      collapse_key: collapseId,
      ttl: `${TTL}s`,
      notification: { tag: collapseId, notification_count: badge },
    },
  }
}

/** The access token is requested once for many pushes. */
function accessOf({ client_email, private_key, token_uri }: FcmAccount) {
  let held: { token: Promise<string>; until: number } | undefined
  let last: string | undefined
  async function request(): Promise<string> {
    const assertion = await new SignJWT({ scope: SCOPE })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
      .setIssuer(client_email)
      .setAudience(token_uri)
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(await importPKCS8(private_key, 'RS256'))
    const form = new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion })
    const answer = await post(token_uri, form.toString(), { 'Content-Type': 'application/x-www-form-urlencoded' })
    if (!answer.ok) throw new Error(`the token endpoint answered ${answer.status}`)
    const { access_token, expires_in } = Granted.parse(await answer.json())
    if (held) held.until = Date.now() + expires_in * 1000 - MARGIN
    last = access_token
    return access_token
  }
  return {
    token(): Promise<string> {
      if (held && Date.now() < held.until) return held.token
      // Until there is an answer, all wait for the same request.
      const token = request()
      const mine = { token, until: Number.POSITIVE_INFINITY }
      held = mine
      token.catch(() => {
        if (held === mine) held = undefined
      })
      return token
    },
    /** Call it if the API has refused this token. */
    forget(token: string): void {
      if (token === last) held = undefined
    },
  }
}
