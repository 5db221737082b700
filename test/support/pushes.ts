// Push providers: servers like those of Expo, FCM and APNs, and push services of browsers with their devices, which
// decrypt what they get (RFC 8291).
import { createDecipheriv, createECDH, createHash, generateKeyPairSync, hkdfSync, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http'
import { createSecureServer, type IncomingHttpHeaders, type ServerHttp2Session } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { decodeProtectedHeader, importJWK, jwtVerify } from 'jose'
import { afterAll } from 'vitest'
import { LOOPBACK, loopback } from './certificate.ts'

export type Shown = {
  title: string
  body: string
  badge: number
  collapseId?: string
  data: { id: string; kind: string; target: unknown; path: string; collapseId?: string }
}
type ExpoMessage = Shown & { to: string }
/** A browser's subscription, and what it displayed. */
type Browser = {
  token: string
  platform: 'web'
  keys: { p256dh: string; auth: string }
  shown: Shown[]
  topics: string[]
}

async function listen(
  answer: (request: IncomingMessage, body: Buffer) => Promise<[number, unknown?, OutgoingHttpHeaders?]>,
): Promise<string> {
  const server = createServer(async (request, response) => {
    const [status, body, headers] = await answer(request, Buffer.concat(await request.toArray()))
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(body === undefined ? '' : JSON.stringify(body))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Call it at the top of a file. */
export async function expo() {
  const messages: ExpoMessage[] = []
  const batches: number[] = []
  const gone = new Set<string>()
  const goneLater = new Set<string>()
  const bad = new Set<string>()
  const state = { busy: 0, headers: {} as OutgoingHttpHeaders }
  const url = await listen(async ({ url: path }, text) => {
    const body = JSON.parse(text.toString())
    if (state.busy-- > 0) return [503, undefined, state.headers]
    if (path === '/--/api/v2/push/getReceipts') {
      const ids: string[] = body.ids
      const receipt = (id: string) =>
        goneLater.has(id) ? { status: 'error', details: { error: 'DeviceNotRegistered' } } : { status: 'ok' }
      return [200, { data: Object.fromEntries(ids.map((id) => [id, receipt(id)])) }]
    }
    const sent: ExpoMessage[] = body
    if (sent.length > 100 || sent.some(({ to }) => bad.has(to)))
      return [400, { errors: [{ code: 'VALIDATION_ERROR' }] }]
    batches.push(sent.length)
    const tickets = sent.map((message) => {
      if (gone.has(message.to)) return { status: 'error', details: { error: 'DeviceNotRegistered' } }
      messages.push(message)
      return { status: 'ok', id: `receipt of ${message.to}` }
    })
    return [200, { data: tickets }]
  })
  return {
    /** The value for EXPO_URL. */
    url,
    messages,
    /** The number of messages in each request. */
    batches,
    /**
     * Tokens that the server reports as gone, tokens whose receipts report it later, and tokens that make a batch fail.
     */
    gone,
    goneLater,
    bad,
    /** Rejects the next requests. */
    refuse(count: number, headers: OutgoingHttpHeaders = {}) {
      Object.assign(state, { busy: count, headers })
    },
    to: (token: string) => messages.filter(({ to }) => to === token),
  }
}

/** A push service. Call it at the top of a file. */
export async function pushService() {
  const devices = new Map<string, { browser: Browser; curve: ReturnType<typeof createECDH>; auth: Buffer }>()
  const state = { status: 201, headers: {} as OutgoingHttpHeaders }
  const url = await listen(async (request, body) => {
    const device = devices.get(request.url ?? '')
    if (!device) return [410]
    if (state.status !== 201) return [state.status, undefined, state.headers]
    await checkVapid(request, url)
    device.browser.topics.push(String(request.headers.topic))
    device.browser.shown.push(JSON.parse(decrypted(body, device.curve, device.auth)))
    return [201]
  })
  return {
    /** The value for PUSH_ORIGINS. */
    url,
    subscribe(): Browser {
      const path = `/push/${randomBytes(12).toString('hex')}`
      const curve = createECDH('prime256v1')
      const auth = randomBytes(16)
      const keys = { p256dh: curve.generateKeys('base64url'), auth: auth.toString('base64url') }
      const browser: Browser = { token: url + path, platform: 'web', keys, shown: [], topics: [] }
      devices.set(path, { browser, curve, auth })
      return browser
    },
    unsubscribe({ token }: Browser) {
      devices.delete(new URL(token).pathname)
    },
    /** The status of every following answer. */
    answer(status: number, headers: OutgoingHttpHeaders = {}) {
      Object.assign(state, { status, headers })
    },
  }
}

/** @throws if the request is not signed by the key that it names, for this service */
async function checkVapid({ headers }: IncomingMessage, audience: string): Promise<void> {
  const [, token = '', key = ''] = /^vapid t=([^,]+), k=(.+)$/.exec(headers.authorization ?? '') ?? []
  const point = Buffer.from(key, 'base64url')
  const [x, y] = [point.subarray(1, 33).toString('base64url'), point.subarray(33).toString('base64url')]
  const { payload } = await jwtVerify(token, await importJWK({ kty: 'EC', crv: 'P-256', x, y }, 'ES256'), { audience })
  if (!payload.sub?.startsWith('mailto:')) throw new Error('nobody to write to')
}

function decrypted(body: Buffer, curve: ReturnType<typeof createECDH>, auth: Buffer): string {
  const [salt, size, length] = [body.subarray(0, 16), body.readUInt32BE(16), body.readUInt8(20)]
  const sender = body.subarray(21, 21 + length)
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), curve.getPublicKey(), sender])
  const secret = Buffer.from(hkdfSync('sha256', curve.computeSecret(sender), auth, info, 32))
  const derived = (name: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', secret, salt, Buffer.from(`Content-Encoding: ${name}\0`), bytes))
  const record = body.subarray(21 + length)
  if (record.length > size) throw new Error('more than one record')
  const cipher = createDecipheriv('aes-128-gcm', derived('aes128gcm', 16), derived('nonce', 12))
  cipher.setAuthTag(record.subarray(-16))
  const plain = Buffer.concat([cipher.update(record.subarray(0, -16)), cipher.final()])
  return plain.subarray(0, plain.lastIndexOf(2)).toString()
}

/** A unique Expo token. */
export const expoToken = (name: string): string =>
  `ExponentPushToken[${createHash('sha256').update(name).digest('base64url').slice(0, 22)}]`

/** An answer that a server gives instead of accepting: status, body, headers. */
type Rejection = [number, unknown?, OutgoingHttpHeaders?]

type FcmMessage = {
  token: string
  notification: { title: string; body: string }
  data: Record<string, string>
  android: { collapse_key: string; ttl: string; notification: { tag: string; notification_count: number } }
}

/** The servers of FCM: one gives access tokens to the service account, one takes messages. */
export async function fcm() {
  const keys = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const messages: FcmMessage[] = []
  const answers = new Map<string, Rejection>()
  const state = { tokens: 0, refused: [] as Rejection[] }
  const url = await listen(async ({ url: path, headers }, body) => {
    if (path === '/token') {
      const form = new URLSearchParams(body.toString())
      const { payload } = await jwtVerify(form.get('assertion') ?? '', keys.publicKey, { audience: `${url}/token` })
      const isRight = payload.iss === 'push@kith.example' && String(payload.scope).endsWith('/firebase.messaging')
      if (!isRight || form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer') return [400]
      state.tokens++
      return [200, { access_token: `access ${state.tokens}`, expires_in: 3600, token_type: 'Bearer' }]
    }
    if (path !== '/v1/projects/kith-test/messages:send') return [404]
    const refused = state.refused.shift()
    if (refused) return refused
    if (headers.authorization !== `Bearer access ${state.tokens}`)
      return [401, { error: { status: 'UNAUTHENTICATED' } }]
    const { message } = JSON.parse(body.toString()) as { message: FcmMessage }
    if (Object.values(message.data).some((value) => typeof value !== 'string')) return [400]
    const answer = answers.get(message.token)
    if (answer) return answer
    messages.push(message)
    return [200, { name: 'projects/kith-test/messages/1' }]
  })
  const account = {
    type: 'service_account',
    project_id: 'kith-test',
    client_email: 'push@kith.example',
    private_key: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }),
    token_uri: `${url}/token`,
  }
  return {
    env: { FCM_URL: url, FCM_SERVICE_ACCOUNT: JSON.stringify(account) },
    messages,
    /** What the server answers to messages for a token. */
    answers,
    state,
    /** Makes the server reject the access token that it issued last, as if it had expired. */
    expire: () => void state.tokens++,
    refuse: (...answers: Rejection[]) => void state.refused.push(...answers),
    to: (token: string) => messages.filter((message) => message.token === token),
  }
}
/** FCM's answer for a device that has uninstalled the app. */
export const UNREGISTERED: Rejection = [
  404,
  {
    error: {
      code: 404,
      status: 'NOT_FOUND',
      details: [{ '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode: 'UNREGISTERED' }],
    },
  },
]

type ApnsMessage = {
  token: string
  headers: IncomingHttpHeaders
  body: { aps: { alert: { title: string; body: string }; badge: number }; id: string; kind: string; path: string }
}

/** The server of APNs: HTTP/2 over TLS. This process then trusts its authority, and another process needs DENO_CERT. */
export async function apns() {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const messages: ApnsMessage[] = []
  const answers = new Map<string, Rejection>()
  const signed = new Set<string>()
  const sessions = new Set<ServerHttp2Session>()
  const state = { refused: [] as Rejection[], sessions: 0 }

  async function answerTo(headers: IncomingHttpHeaders, text: string): Promise<Rejection> {
    const refused = state.refused.shift()
    if (refused) return refused
    const [, jwt = ''] = /^bearer (.+)$/.exec(headers.authorization ?? '') ?? []
    const { payload } = await jwtVerify(jwt, keys.publicKey, { issuer: 'TEAM567890', algorithms: ['ES256'] })
    if (decodeProtectedHeader(jwt).kid !== 'KEY4567890' || !payload.iat)
      return [403, { reason: 'InvalidProviderToken' }]
    signed.add(jwt)
    if (headers['apns-topic'] !== 'org.example.kith') return [400, { reason: 'BadTopic' }]
    if (String(headers['apns-collapse-id']).length > 64) return [400, { reason: 'BadCollapseId' }]
    const token = String(headers[':path']).replace('/3/device/', '')
    const answer = answers.get(token)
    if (answer) return answer
    messages.push({ token, headers, body: JSON.parse(text) })
    return [200]
  }

  const trusted = getCACertificates('default')
  setDefaultCACertificates([...trusted, readFileSync(LOOPBACK, 'utf8')])
  const server = createSecureServer(loopback)
  server.on('session', (session) => {
    state.sessions++
    sessions.add(session)
    session.on('close', () => sessions.delete(session))
  })
  server.on('stream', async (stream, headers) => {
    let text = ''
    for await (const chunk of stream) text += chunk
    const [status, body, more] = await answerTo(headers, text).catch(
      (): Rejection => [403, { reason: 'InvalidProviderToken' }],
    )
    if (stream.destroyed) return
    stream.respond({ ':status': status, ...more })
    stream.end(body === undefined ? '' : JSON.stringify(body))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const end = () => {
    for (const session of sessions) session.destroy()
  }
  afterAll(() => {
    setDefaultCACertificates(trusted)
    end()
    server.close()
  })
  return {
    env: {
      APNS_URL: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
      APNS_KEY: String(keys.privateKey.export({ type: 'pkcs8', format: 'pem' })),
      APNS_KEY_ID: 'KEY4567890',
      APNS_TEAM_ID: 'TEAM567890',
      APNS_TOPIC: 'org.example.kith',
    },
    messages,
    answers,
    state,
    /** The different tokens by which requests were signed. */
    signed,
    /** Ends all connections. */
    end,
    refuse: (...answers: Rejection[]) => void state.refused.push(...answers),
    to: (token: string) => messages.filter((message) => message.token === token),
  }
}

/** A unique registration token of FCM, and device token of APNs. */
export const fcmToken = (name: string): string => `fcm:${createHash('sha512').update(name).digest('base64url')}`
export const apnsToken = (name: string): string => createHash('sha256').update(name).digest('hex')
