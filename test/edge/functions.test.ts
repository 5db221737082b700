// Where functions run: in this process, or on the stack that FUNCTIONS_URL names.
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { jwtVerify } from 'jose'
import { afterAll, expect, test } from 'vitest'
import { readConfig } from '../../api-facade/lib/config.ts'
import { openFunctions } from '../../api-facade/lib/functions.ts'
import { createLog } from '../../api-facade/lib/log.ts'
import { mailbox } from '../support/mailbox.ts'

const SECRET = 'the secret that signs, of the tests of functions'
const mail = { id: 'one-mail', to: 'ada@example.org', subject: 'Hello', text: 'A line.\n' }

function functions(env: Record<string, string>) {
  const config = readConfig({ LOG_LEVEL: 'silent', ...env })
  return openFunctions({ config, jwtSecret: SECRET, dataDir: '/nowhere', log: createLog(config) })
}

test('in this process where nothing else is said', async () => {
  const { url, letters, refuse } = await mailbox()
  const { invoke } = functions({ SMTP_URL: url })
  expect((await invoke('deliver/mail', mail)).status).toBe(204)
  expect(letters).toMatchObject([{ from: 'no-reply@localhost', to: ['ada@example.org'], text: 'A line.\r\n' }])
  refuse(1)
  expect((await invoke('deliver/mail', mail)).status).toBe(503)
  expect((await invoke('nothing', mail)).status).toBe(404)
})

test('on the stack otherwise, with a token of the service that lives a minute', async () => {
  const asked: { request: IncomingMessage; body: string }[] = []
  const server = createServer(async (request, answer) => {
    asked.push({ request, body: Buffer.concat(await request.toArray()).toString() })
    answer.writeHead(204).end()
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  afterAll(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/functions/v1/`
  expect((await functions({ FUNCTIONS_URL: url }).invoke('deliver/mail', mail)).status).toBe(204)
  const [{ request, body } = { request: undefined, body: '' }] = asked
  expect([request?.method, request?.url, JSON.parse(body)]).toEqual(['POST', '/functions/v1/deliver/mail', mail])
  const [, token = ''] = /^Bearer (.+)$/.exec(request?.headers.authorization ?? '') ?? []
  const { payload } = await jwtVerify(token, new TextEncoder().encode(SECRET), { algorithms: ['HS256'] })
  expect(payload).toEqual({ role: 'service_role', iat: expect.any(Number), exp: Number(payload.iat) + 60 })
})
