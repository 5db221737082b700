// node test/attacks/revoked-sockets.ts measures how long a socket keeps receiving messages after its token has ended,
// for each way to end a token. It starts its own instance. The tokens here are valid for SECONDS, and tokens of the API
// for up to seven days.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import WebSocket from 'ws'
import { type Claims, createTokens } from '../../api-facade/lib/tokens.ts'
import { apiKeys } from '../../supabase/embedded/instance.ts'
import { address, ended } from '../support/process.ts'

const SECONDS = 12
const PAUSE = 20
const admin = { email: 'admin@example.org', password: 'the admin keeps a secret' }
const secret = 'the secret of an attack, and of nothing else'

type Answer = { status: number; body: Record<string, never> }
type Someone = { email: string; password: string; id: string; claims: Claims; token: string }

async function attack(url: string): Promise<void> {
  const { anonKey } = await apiKeys(secret)
  const { sign } = await createTokens([secret])

  async function ask(method: string, path: string, body: unknown, token?: string): Promise<Answer> {
    const authorization = token && { Authorization: `Bearer ${token}` }
    const headers = { 'Content-Type': 'application/json', ...authorization }
    const response = await fetch(`${url}/api/v1${path}`, { method, headers, body: JSON.stringify(body) })
    const text = await response.text()
    return { status: response.status, body: text ? JSON.parse(text) : {} }
  }

  async function logIn(email: string, password: string): Promise<string> {
    const { body } = await ask('POST', '/auth/login', { email, password })
    return body.accessToken ?? ''
  }

  const staff = await logIn(admin.email, admin.password)
  let people = 0
  async function join(): Promise<Someone> {
    const name = `person${++people}`
    const made = await ask('POST', '/admin/invite-codes/generate', { count: 1 }, staff)
    const [{ code }] = made.body.items as unknown as [{ code: string }]
    const { body } = await ask('POST', '/auth/reserve-invite', { code })
    const form = { email: `${name}@example.org`, password: `${name} has a password` }
    const rest = { firstName: name, lastName: 'Doe', dateOfBirth: '1990-01-31', country: 'DE', city: 'Berlin' }
    const registered = await ask('POST', '/auth/register', { sessionId: body.sessionId, ...form, ...rest })
    const [, payload = ''] = String(registered.body.accessToken).split('.')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
    const token = await sign({ ...claims, exp: Math.floor(Date.now() / 1000) + SECONDS })
    return { ...form, id: claims.sub, claims, token }
  }

  /** Joins the channel of public posts. */
  async function listen(token: string) {
    const ws = new WebSocket(`${url.replace('http', 'ws')}/realtime/v1/websocket?apikey=${anonKey}&vsn=1.0.0`)
    const said = { messages: 0, last: 0, over: 0 }
    const joined = new Promise<void>((settle, fail) => {
      ws.on('message', (data) => {
        const { event, payload } = JSON.parse(String(data))
        if (event === 'broadcast') Object.assign(said, { messages: said.messages + 1, last: performance.now() })
        if (event === 'phx_close') said.over = performance.now()
        if (event === 'phx_reply') payload.status === 'ok' ? settle() : fail(new Error(JSON.stringify(payload)))
      })
      ws.on('error', fail)
    })
    ws.on('open', () => {
      const payload = { config: { private: true }, access_token: token }
      ws.send(JSON.stringify({ topic: 'realtime:feed:public', event: 'phx_join', payload, ref: '1', join_ref: '1' }))
    })
    await joined
    return Object.assign(said, { ws })
  }

  const ways: Record<string, (one: Someone) => Promise<Answer>> = {
    logout: ({ token }) => ask('POST', '/auth/logout', {}, token),
    'logout everywhere': ({ token }) => ask('POST', '/auth/logout', { scope: 'global' }, token),
    'a new password': ({ token, password }) =>
      ask('PATCH', '/identity/me/password', { currentPassword: password, newPassword: 'another password' }, token),
    erasure: ({ token, password }) => ask('POST', '/me/delete', { password }, token),
    'a ban': ({ id }) => ask('POST', `/admin/users/${id}/ban`, { reason: 'an attack' }, staff),
    'another role': ({ id }) => ask('PATCH', `/admin/users/${id}/role`, { role: 'moderator' }, staff),
  }

  for (const [way, end] of Object.entries(ways)) {
    const [victim, speaker] = [await join(), await join()]
    const said = await listen(victim.token)
    let speaking = true
    const speaks = (async () => {
      const token = await sign(speaker.claims)
      for (; speaking; await sleep(PAUSE)) await ask('POST', '/posts', { body: 'Do you hear me?' }, token)
    })()
    await sleep(1000)
    const { status } = await end(victim)
    const at = performance.now()
    const before = said.messages
    const until = at + (SECONDS + 1) * 1000
    while (!said.over && performance.now() < until) await sleep(10)
    await sleep(500) // a message might arrive after the close
    speaking = false
    await speaks
    said.ws.terminate()
    const heard = `${said.messages - before} more messages, the last after ${Math.max(0, Math.round(said.last - at))} ms`
    process.stdout.write(`${way} (${status}): ${heard}; closed after ${Math.round(said.over - at)} ms\n`)
  }
}

const dataDir = mkdtempSync(join(tmpdir(), 'kith-attack-'))
const instance = spawn(process.execPath, [join(import.meta.dirname, '../../api-facade/main.ts')], {
  env: {
    ...process.env,
    DATA_DIR: dataDir,
    JWT_SECRET: secret,
    PORT: '0',
    ADMIN_EMAIL: admin.email,
    ADMIN_PASSWORD: admin.password,
    LOG_LEVEL: 'warn',
    RATE_LIMIT_SCALE: '1000',
  },
  stdio: ['ignore', 'pipe', 'inherit'],
})
try {
  await attack(await address(instance))
} finally {
  await ended(instance)
  rmSync(dataDir, { recursive: true, force: true })
}
