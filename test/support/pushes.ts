// Push providers: a server like Expo's, and push services of browsers with their devices, which decrypt what they get
// (RFC 8291).
import { createDecipheriv, createECDH, createHash, hkdfSync, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { importJWK, jwtVerify } from 'jose'
import { afterAll } from 'vitest'

export type Shown = { title: string; body: string; tag?: string; data: { id: string; kind: string; target: unknown } }
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
  answer: (request: IncomingMessage, body: Buffer) => Promise<[number, unknown?]>,
): Promise<string> {
  const server = createServer(async (request, response) => {
    const [status, body] = await answer(request, Buffer.concat(await request.toArray()))
    response
      .writeHead(status, { 'content-type': 'application/json' })
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
  const state = { busy: 0 }
  const url = await listen(async ({ url: path }, text) => {
    const body = JSON.parse(text.toString())
    if (state.busy-- > 0) return [503]
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
    /** Tokens reported as gone, receipts that report it later, and tokens that make a whole batch fail. */
    gone,
    goneLater,
    bad,
    /** Rejects the next requests. */
    refuse(count: number) {
      state.busy = count
    },
    to: (token: string) => messages.filter(({ to }) => to === token),
  }
}

/** A push service. Call it at the top of a file. */
export async function pushService() {
  const devices = new Map<string, { browser: Browser; curve: ReturnType<typeof createECDH>; auth: Buffer }>()
  const state = { status: 201 }
  const url = await listen(async (request, body) => {
    const device = devices.get(request.url ?? '')
    if (!device) return [410]
    if (state.status !== 201) return [state.status]
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
    answer(status: number) {
      state.status = status
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
