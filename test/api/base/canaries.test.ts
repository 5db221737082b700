// No log contains a secret. A person, programs and a device use everything that has secrets. Then the test sends each
// request again: unchanged, with errors in it, and while its tables are missing or refuse rows. It searches for the
// secrets, in every spelling, in the log of the facade, its worker and its gateway at the lowest level, and in the
// server's own log with every statement.
import { createHash, randomBytes } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readConfig } from '../../../api-facade/lib/config.ts'
import { createLog } from '../../../api-facade/lib/log.ts'
import { startServer } from '../../../api-facade/server.ts'
import { startWorker } from '../../../api-facade/worker/worker.ts'
import { startGateway } from '../../../supabase/embedded/realtime/gateway.ts'
import { mountRpc } from '../../../supabase/embedded/rpc.ts'
import { Authenticator } from '../../support/authenticator.ts'
import { mailbox } from '../../support/mailbox.ts'
import { CLIENT, startProvider } from '../../support/provider.ts'
import { Socket } from '../../support/realtime.ts'
import { environment, JWT_SECRET } from '../../support/settings.ts'
import { ownOnly } from '../../support/target.ts'
import { totp } from '../../support/totp.ts'
import { until } from '../../support/until.ts'
import { world } from '../../support/world.ts'

ownOnly('reads the log of its own facade')
const { alice, bob, carla, admin, database, stack } = await world()
const { owner, superuser } = database
await owner`update app.settings set value = 'everyone' where key = 'register_apps'`

// The server's log: each statement of a new connection, and each error with its statement.
await superuser.unsafe(`alter database ${database.name} set log_min_duration_statement = 0`)
await superuser.unsafe(`alter database ${database.name} set log_min_messages = 'debug1'`)
await superuser.unsafe(`alter database ${database.name} set log_min_error_statement = 'debug1'`)
const [place] = await superuser<{ folder: string }[]>`select current_setting('data_directory') as folder`
const serverLog = join(dirname(place?.folder ?? ''), 'postgres.log')
const before = statSync(serverLog).size
const readServerLog = () => readFileSync(serverLog).subarray(before).toString()

const port = await new Promise<number>((resolve) => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address() as { port: number }
    server.close(() => resolve(port))
  })
})
const ORIGIN = `http://localhost:${port}`
const provider = await startProvider(ORIGIN)
const box = await mailbox()
const lines: string[] = []
const settings = { LOG_LEVEL: 'trace', PORT: String(port), HOST: 'localhost', FACADE_URL: ORIGIN, PUBLIC_URL: ORIGIN }
const oidc = { OIDC_ISSUER: provider.issuer, OIDC_CLIENT_ID: CLIENT.id, OIDC_CLIENT_SECRET: CLIENT.secret }
const config = readConfig(
  environment(database.url, {
    ...settings,
    ...oidc,
    OIDC_NAME: 'Example',
    SMTP_URL: box.url,
    MAIL_FROM: 'kith@example.org',
  }),
)
const log = createLog(config, { write: (line: string) => lines.push(line) })
const worker = await startWorker({ config, databaseUrl: database.url, log, pollSeconds: 0.1 })
const server = await startServer({
  config,
  databaseUrl: database.url,
  log,
  beside: (app, site) => mountRpc(app, [JWT_SECRET], site),
  gateway: (site) => startGateway(site),
})
afterAll(async () => {
  await worker.stop()
  await server.stop()
})

/** Each secret, and where it was first seen. */
const secrets = new Map<string, string>()
const keep = (what: string, ...texts: (string | undefined)[]) => {
  for (const text of texts) if (text && !secrets.has(text)) secrets.set(text, what)
}
const SECRET =
  /password|token$|secret|code|verifier|challenge|signature|clientdata|attestation|authenticator|oidc|url$/i
/** Keeps each value whose field has the name of a secret, except short texts, which are words such as a type of token. */
function keepAll(where: string, value: unknown, isSecret = false): void {
  if (
    typeof value === 'string' &&
    isSecret &&
    value.length >= 16 &&
    !/^(access_token|refresh_token|authorization_code|urn:)/.test(value)
  )
    keep(where, value)
  if (typeof value !== 'object' || value === null) return
  for (const [name, inner] of Object.entries(value)) keepAll(`${where}: ${name}`, inner, isSecret || SECRET.test(name))
}

type Sent = {
  method: string
  path: string
  body?: object
  form?: Record<string, string>
  token?: string
  cookie?: string
}
/** Values in answers that later requests need. */
type Said = Record<
  | 'accessToken'
  | 'refreshToken'
  | 'secret'
  | 'recoveryCodes'
  | 'url'
  | 'id'
  | 'personId'
  | 'token'
  | 'next'
  | 'access_token'
  | 'refresh_token'
  | 'device_code'
  | 'user_code',
  string
>
type Got = { status: number; body: Said; to: URL | null; cookie: string }
const asked: Sent[] = []

async function send({ method, path, body, form, token, cookie }: Sent, text?: string): Promise<Response> {
  const json = text ?? (body && JSON.stringify(body))
  return fetch(ORIGIN + path, {
    method,
    redirect: 'manual',
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(cookie && { cookie }),
      ...(json && { 'content-type': 'application/json' }),
    },
    body: form ? new URLSearchParams(form) : (json ?? null),
  })
}

/**
 * Sends a request that must succeed, and keeps the request and the secrets in it and in its answer. `path` is relative
 * to /api/v1, or complete if it begins with `//`.
 */
async function say(method: string, path: string, more: Omit<Sent, 'method' | 'path'> = {}): Promise<Got> {
  const request = { method, path: path.startsWith('//') ? path.slice(1) : `/api/v1${path}`, ...more }
  asked.push(request)
  keepAll(`${method} ${path.split('?')[0]}`, {
    ...more.body,
    ...more.form,
    token: more.token,
    cookie_secret: more.cookie,
  })
  keepAll(path.split('?')[0] ?? '', Object.fromEntries(new URLSearchParams(path.split('?')[1])))
  const answer = await send(request)
  const said = await answer.text()
  expect([method, path, answer.status, answer.status >= 400 && said]).toEqual([method, path, expect.any(Number), false])
  const parsed = said.startsWith('{') ? JSON.parse(said) : {}
  keepAll(`the answer of ${method} ${path.split('?')[0]}`, parsed)
  const location = answer.headers.get('location')
  const to = location ? new URL(location, ORIGIN) : null
  if (to) {
    keepAll('an address', Object.fromEntries(to.searchParams))
    keepAll('an address', Object.fromEntries(new URLSearchParams(to.hash.slice(1))))
  }
  const set = answer.headers.getSetCookie().map((one) => one.split(';')[0] ?? '')
  keep('a cookie', ...set.map((one) => one.split('=')[1]))
  return { status: answer.status, body: parsed, to, cookie: set.join('; ') }
}
const post = (path: string, body?: object, token?: string) =>
  say('POST', path, { ...(body && { body }), ...(token && { token }) })
const sha = (text: string) => createHash('sha256').update(text).digest('base64url')
const newVerifier = () => randomBytes(32).toString('base64url')
const forgetSteps = () => owner`update private.totp set last_step = 0`

test('People, programs and devices can use everything that has secrets', async () => {
  // sessions, mailed links, recovery by mail
  const { email, password } = alice
  const rotating = await post('/auth/login', { email, password, session: 'rotating', deviceName: 'A lamp' })
  await post('/identity/refresh', { refreshToken: rotating.body.refreshToken })
  await post('/auth/forgot-password', { email: carla.email })
  await post('/me/email', { email: 'alice.moves@example.org', currentPassword: password }, alice.token)
  const tokenIn = (to: string, word: RegExp) =>
    until(
      () =>
        box.letters
          .find((letter) => letter.to.includes(to) && word.test(letter.text))
          ?.text.match(/token=([\w-]+)/)?.[1],
    )
  const reset = await tokenIn(carla.email, /new password/)
  const verification = await tokenIn('alice.moves@example.org', /./)
  keep('a mailed token', reset, verification)
  await post('/auth/verify-email', { token: verification })
  const newPassword = `the new password of Carla ${newVerifier()}`
  await post('/auth/reset-password', { token: reset, newPassword })
  const carlas = (await post('/auth/login', { email: carla.email, password: newPassword })).body.accessToken
  const changed = `another password of Carla ${newVerifier()}`
  const afterChange = await say('PATCH', '/identity/me/password', {
    token: carlas,
    body: { currentPassword: newPassword, newPassword: changed },
  })
  const carlaNow = afterChange.body.accessToken ?? carlas

  // an authenticator app and recovery codes
  await post('/auth/proof', { password }, alice.token)
  const begun = await post('/me/factors/totp', undefined, alice.token)
  const code = totp(begun.body.secret)
  const confirmed = await post('/me/factors/totp/confirm', { code }, alice.token)
  let token = confirmed.body.accessToken
  const codes = confirmed.body.recoveryCodes as unknown as string[]
  await forgetSteps()
  const address = 'alice.moves@example.org'
  const next = totp(begun.body.secret)
  keep('a code of the app', code, next)
  await post('/auth/login', { email: address, password, code: next })
  await post('/auth/login', { email: address, password, code: codes[0] })
  await post('/auth/proof', { code: codes[1] }, token)
  await post('/me/factors/recovery-codes', undefined, token)

  // a passkey
  const key = new Authenticator(ORIGIN)
  const adding = await post('/me/factors/passkeys/options', undefined, token)
  await post('/me/factors/passkeys', { name: 'Phone', passkey: key.make(adding.body as never) }, token)
  const login = await post('/auth/passkey/options')
  token = (await post('/auth/passkey', { passkey: key.sign(login.body as never) })).body.accessToken
  const proving = await post('/auth/proof/options', undefined, token)
  await post('/auth/proof', { passkey: key.sign(proving.body as never) }, token)

  // a login elsewhere
  provider.accounts.carla = { email: 'carla@elsewhere.example', email_verified: true }
  provider.account = 'carla'
  const visit = async () => {
    const verifier = newVerifier()
    const start = await say('GET', `/auth/oidc/start?challenge=${sha(verifier)}&returnTo=%2Faccount`)
    const back = await provider.visit(start.body.url)
    keepAll('the provider', Object.fromEntries(back.searchParams))
    const came = await say('GET', `/${back.pathname}${back.search}`)
    const oidcCode = new URLSearchParams(came.to?.hash.slice(1)).get('oidc') ?? ''
    expect(oidcCode).not.toBe('')
    return { oidcCode, verifier }
  }
  await post('/auth/proof', { password: changed }, carlaNow)
  await post('/me/identities', await visit(), carlaNow)
  await post('/auth/oidc/login', await visit())
  expect(provider.confided.length).toBeGreaterThan(5)
  keep('the messages between the provider and Kith', CLIENT.secret, ...provider.confided)

  // programs: of a person, of a bot, by .rpc() and over a socket
  const personal = await post('/me/tokens', { name: 'x', scopes: ['posts:read', 'profile:read'] }, token)
  const bot = await post('/me/bots', { username: 'weather', firstName: 'Weather' }, token)
  const ofBot = await post(`/me/bots/${bot.body.personId}/tokens`, { name: 'x', scopes: ['posts:read'] }, token)
  const jwts: string[] = []
  for (const made of [personal, ofBot]) {
    const opaque = made.body.token
    await say('GET', '/feed', { token: opaque })
    jwts.push((await post('/auth/token', undefined, opaque)).body.accessToken)
  }
  await say('POST', '//rest/v1/rpc/get_me', { token: personal.body.token, body: {} })

  // an app with a secret, by a browser and as a device
  const scope = 'posts:read'
  const redirect_uri = 'https://garden.example/done'
  const app = { name: 'Garden', redirectUris: [redirect_uri], scopes: [scope], isConfidential: true }
  const client_id = (await post('/apps', app, token)).body.id
  const client_secret = (await post(`/apps/${client_id}/secret`, undefined, token)).body.secret
  const code_verifier = newVerifier()
  const parameters = { client_id, redirect_uri, scope, response_type: 'code', state: newVerifier() }
  const challenge = { code_challenge: sha(code_verifier), code_challenge_method: 'S256' }
  const waiting = await say('GET', `//oauth/authorize?${new URLSearchParams({ ...parameters, ...challenge })}`)
  const request = waiting.to?.searchParams.get('request') ?? ''
  const { cookie } = waiting
  keep('the id of a request of an app', request)
  await say('GET', `/oauth/consent?request=${request}`, { cookie })
  const decided = await say('POST', '/oauth/consent', { cookie, token, body: { request, allow: true } })
  const { pathname } = new URL(decided.body.next)
  const back = await say('GET', `/${pathname}`, { cookie })
  const credentials = { client_id, client_secret }
  const codeForm = {
    grant_type: 'authorization_code',
    code: back.to?.searchParams.get('code') ?? '',
    redirect_uri,
    code_verifier,
  }
  const granted = await say('POST', '//oauth/token', { form: { ...codeForm, ...credentials } })
  const { access_token, refresh_token } = granted.body
  await say('GET', '/feed', { token: access_token })
  jwts.push((await post('/auth/token', undefined, access_token)).body.accessToken)
  await say('POST', '//oauth/token', { form: { grant_type: 'refresh_token', refresh_token, ...credentials } })
  await say('POST', '//oauth/introspect', { form: { token: access_token, ...credentials } })
  const device = await say('POST', '//oauth/device-code', { form: { ...credentials, scope } })
  const { device_code, user_code } = device.body
  keep('the code that a device shows', user_code)
  await post('/oauth/device', { userCode: user_code }, token)
  await post('/oauth/device/decision', { userCode: user_code, allow: true }, token)
  const grant_type = 'urn:ietf:params:oauth:grant-type:device_code'
  const ofDevice = await say('POST', '//oauth/token', { form: { grant_type, device_code, ...credentials } })
  await say('POST', '//oauth/revoke', { form: { token: ofDevice.body.refresh_token, ...credentials } })

  for (const jwt of jwts) {
    const socket = new Socket(
      `${ORIGIN.replace('http', 'ws')}/realtime/v1/websocket?apikey=${stack.anonKey}&vsn=2.0.0`,
      '2.0.0',
    )
    await socket.opened
    await socket.join('feed:public', jwt)
    await socket.join('feed:public', `${jwt}x`)
    await socket.join('feed:public', personal.body.token)
    socket.send(`{"${jwt}`)
    socket.ws.terminate()
  }

  // a banned person reads the statement and appeals with the password
  await post(`/admin/users/${bob.username}/ban`, { reason: 'test' }, admin.token)
  const [decision] = await owner<{ id: string }[]>`select id from app.decisions where target_id = ${bob.id}`
  const own = { email: bob.email, password: bob.password }
  await post('/auth/statement', { ...own, decisionId: decision?.id })
  await post('/auth/appeal', { ...own, decisionId: decision?.id, text: 'It was not me.' })
})

/** The spellings in which a secret could be in a log. */
function spellings(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const quoted = JSON.stringify(secret).slice(1, -1)
  return [secret, quoted, encodeURIComponent(secret), bytes.toString('hex'), bytes.toString('base64url').slice(0, -2)]
}

function expectSilence() {
  const [facade, postgres] = [lines.join('\n'), readServerLog()]
  const told: string[] = []
  for (const [secret, where] of secrets) {
    const isNumber = /^\d+$/.test(secret)
    for (const [name, text] of Object.entries({ facade, postgres })) {
      const isIn = isNumber
        ? new RegExp(`(?<!\\d)${secret}(?!\\d)`).test(text)
        : spellings(secret).some((spelling) => text.includes(spelling))
      if (isIn) told.push(`${where} in the log of ${name}`)
    }
  }
  expect(told).toEqual([])
}

/** Sends all requests again. @returns how many were answered with each status */
async function repeat(textOf: (sent: Sent) => string | undefined = () => undefined): Promise<Record<number, number>> {
  const counts: Record<number, number> = {}
  for (const sent of asked) {
    const answer = await send(sent, textOf(sent))
    await answer.arrayBuffer()
    counts[answer.status] = (counts[answer.status] ?? 0) + 1
  }
  return counts
}
const inLists = (value: unknown): unknown =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, inLists(inner)]))
    : [value]

test('No log contains a secret', () => {
  expect(secrets.size).toBeGreaterThan(60)
  expect(lines.length).toBeGreaterThanOrEqual(asked.length)
  expect(readServerLog()).toContain('select api.log_in(')
  expectSilence()
})

test('No log contains a secret if tables that the requests need are missing', async () => {
  const tables = ['credentials', 'totp', 'passkey_challenges', 'oauth_records', 'oidc_logins', 'revoked_tokens']
  for (const table of tables) await owner.unsafe(`alter table private.${table} rename to ${table}_gone`)
  const counts = await repeat()
  for (const table of tables) await owner.unsafe(`alter table private.${table}_gone rename to ${table}`)
  expect(counts[500]).toBeGreaterThan(asked.length / 2)
  expect(lines.join()).toContain('does not exist')
  expectSilence()
})

test('No log contains a secret if a constraint refuses rows, which the server would quote in its error', async () => {
  const tables = ['private.credentials', 'private.passkey_challenges', 'private.oauth_records', 'app.access_tokens']
  for (const table of tables) await owner.unsafe(`alter table ${table} add constraint nothing check (false) not valid`)
  const counts = await repeat()
  for (const table of tables) await owner.unsafe(`alter table ${table} drop constraint nothing`)
  expect(Object.keys(counts).length, JSON.stringify(counts)).toBeGreaterThan(3)
  expect(readServerLog()).toContain('violates check constraint "nothing"')
  expectSilence()
})

test('No log contains a secret if codes, tokens and challenges are sent again, or if requests are malformed', async () => {
  const again = await repeat()
  const inAnotherShape = await repeat(({ body }) => body && JSON.stringify(inLists(body)))
  const cut = await repeat(({ body }) => body && JSON.stringify(body).slice(0, -1))
  expect({ ...again, ...inAnotherShape, ...cut }).toMatchObject({
    400: expect.any(Number),
    401: expect.any(Number),
    403: expect.any(Number),
    422: expect.any(Number),
  })
  expectSilence()
})
