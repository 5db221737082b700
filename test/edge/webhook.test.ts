// Webhooks of the function `deliver`, in this process and in Deno: what is sent, what is returned of the answer, and
// where nothing is sent. The tests with TLS use a receiver that has a certificate for its name.
import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { SignJWT } from 'jose'
import { afterAll, describe, expect, test } from 'vitest'
import { webhookSender } from '../../edge-functions/deliver/webhooks.ts'
import { outside } from '../../edge-functions/shared/outside.ts'
import { certificate } from '../support/certificate.ts'
import { listen, runFunction, runtimes } from '../support/functions.ts'
import { resolverOf } from '../support/resolver.ts'

const JWT_SECRET = 'the secret that signs, of the tests of webhooks'
const service = await new SignJWT({ role: 'service_role' })
  .setProtectedHeader({ alg: 'HS256' })
  .setIssuedAt()
  .setExpirationTime('5m')
  .sign(new TextEncoder().encode(JWT_SECRET))

const got: { path: string; headers: IncomingMessage['headers']; body: string }[] = []
const answers: Record<string, { status: number; text?: string; location?: string }> = {
  '/gone': { status: 410, text: 'Gone\u0000\n  for \u202egood\u001b[31m' },
  '/long': { status: 500, text: 'y'.repeat(5000) },
  '/away': { status: 307, location: '/ok' },
}
async function answer(request: IncomingMessage, response: ServerResponse) {
  const body = Buffer.concat(await request.toArray()).toString()
  got.push({ path: request.url ?? '', headers: request.headers, body })
  const { status, text = '', location } = answers[request.url ?? ''] ?? { status: 204 }
  response.writeHead(status, location ? { location } : {}).end(text)
}

const plain = await listen((request, response) => void answer(request, response))
const never = await listen(() => {})
const secure = createServer(certificate, (request, response) => void answer(request, response))
await new Promise<void>((listening) => secure.listen(0, '127.0.0.3', listening))
const { port } = secure.address() as AddressInfo
const trusted = getCACertificates('default')
setDefaultCACertificates([...trusted, readFileSync('test/support/ca.pem', 'utf8')])
afterAll(() => {
  setDefaultCACertificates(trusted)
  secure.closeAllConnections()
  secure.close()
})

const headers = { 'webhook-id': 'one', 'webhook-timestamp': '1', 'webhook-signature': 'v1,x v1,y' }
const body = '{"type":"posts.post.published"}'

describe.each(runtimes)('A webhook %s', async (runtime) => {
  const ask = await runFunction(runtime, 'deliver', {
    JWT_SECRET,
    SMTP_URL: 'smtp://127.0.0.1:1',
    MAIL_FROM: 'Kith <no-reply@kith.example>',
    WEBHOOK_EXEMPT: new URL(plain).host,
  })
  const send = async (url: string, authorization = `Bearer ${service}`) => {
    const response = await ask('deliver/webhook', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization },
      body: JSON.stringify({ url, headers, body }),
    })
    return [response.status, await response.json()]
  }

  test('is sent as it was given, with the headers of its signature', async () => {
    got.length = 0
    expect(await send(`${plain}/ok?from=kith`)).toEqual([200, { status: 204, excerpt: '' }])
    expect(got).toHaveLength(1)
    expect(got[0]).toMatchObject({
      path: '/ok?from=kith',
      headers: { ...headers, 'content-type': 'application/json', 'user-agent': 'Kith (webhook)' },
      body,
    })
  })

  test('returns the status and the beginning of the answer, and follows no redirect', async () => {
    expect(await send(`${plain}/gone`)).toEqual([200, { status: 410, excerpt: 'Gone for good [31m' }])
    expect(await send(`${plain}/long`)).toEqual([200, { status: 500, excerpt: 'y'.repeat(200) }])
    got.length = 0
    expect(await send(`${plain}/away`)).toEqual([200, { status: 307, excerpt: '' }])
    expect(got).toHaveLength(1)
  })

  test('is sent to no private address except an exempt one', async () => {
    const refused = [never, 'https://10.0.0.1/', 'https://localhost/', 'http://8.8.8.8/', 'https://8.8.8.8:8443/']
    for (const url of refused) {
      const [status, outcome] = await send(url)
      expect([url, status, outcome]).toEqual([url, 200, { failure: 'not_public' }])
    }
  })

  test('is sent only with the key of the service', async () => {
    expect((await send(`${plain}/ok`, 'Bearer x'))[0]).toBe(401)
  })
})

describe('With TLS', () => {
  const names = {
    'site.test': [['127.0.0.3']],
    'other.test': [['127.0.0.3']],
    'moving.test': [['127.0.0.3'], ['127.0.0.9']],
    'both.test': [['127.0.0.3', '127.0.0.2']],
  }
  const open = () =>
    outside({ resolve: resolverOf(names), ports: [443], withoutTls: false, exempt: [`127.0.0.3:${port}`] })
  const send = webhookSender(open())

  test('the receiver must have a certificate for its name', async () => {
    expect(await send({ url: `https://site.test:${port}/ok`, headers, body })).toEqual({ status: 204, excerpt: '' })
    expect(await send({ url: `https://other.test:${port}/ok`, headers, body })).toEqual({ failure: 'unreachable' })
  })

  test('a name is resolved once for each request, and every one of its addresses must be allowed', async () => {
    expect(await send({ url: `https://both.test:${port}/ok`, headers, body })).toEqual({ failure: 'not_public' })
    // The first look-up returns the receiver, whose certificate is for another name. The second look-up returns a
    // private address.
    expect(await send({ url: `https://moving.test:${port}/ok`, headers, body })).toEqual({ failure: 'unreachable' })
    expect(await send({ url: `https://moving.test:${port}/ok`, headers, body })).toEqual({ failure: 'not_public' })
  })

  test('a request that is not answered in time ends with a timeout', async () => {
    const { host } = new URL(never)
    const patient = webhookSender(outside({ exempt: [host] }), 200)
    expect(await patient({ url: `http://${host}/`, headers, body })).toEqual({ failure: 'timeout' })
  })
})
