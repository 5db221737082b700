// kill -9 in mid-traffic, again and again: what was acknowledged is there, once; what was not is there whole or not at
// all; the books balance; Realtime clients come back by themselves and find in the inbox what they missed.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@supabase/supabase-js'
import postgres from 'postgres'
import { afterAll, expect, test } from 'vitest'
import { apiKeys, readInstance } from '../../supabase/embedded/instance.ts'
import { Person } from '../support/person.ts'
import { address, ended } from '../support/process.ts'
import { ADMIN, JWT_SECRET } from '../support/settings.ts'
import { until } from '../support/until.ts'
import { applicant } from '../support/world.ts'

const KILLS = Number(process.env.CRASH_KILLS ?? 4)
const WRITES_BEFORE_KILL = 25
const names = ['ada', 'ben', 'cleo', 'dina']

const dataDir = mkdtempSync(join(tmpdir(), 'kith-crash-'))
const port = await freePort()
let instance = launch()
afterAll(async () => {
  await ended(instance)
  rmSync(dataDir, { recursive: true, force: true })
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

function launch(): ChildProcess {
  return spawn(process.execPath, ['api-facade/main.ts'], {
    detached: true, // a process group of its own, to be killed as one
    env: {
      ...process.env,
      DATA_DIR: dataDir,
      PORT: String(port),
      HOST: '127.0.0.1',
      JWT_SECRET,
      ADMIN_EMAIL: ADMIN.email,
      ADMIN_PASSWORD: ADMIN.password,
      RATE_LIMIT_SCALE: '1000000',
      LOG_LEVEL: 'fatal',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

/** The whole of it: the facade's group, and on every other turn the database server with all its processes. */
async function kill(withDatabase: boolean): Promise<void> {
  const postmaster = Number(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n')[0])
  const exit = once(instance, 'exit')
  process.kill(-(instance.pid ?? 0), 'SIGKILL')
  if (withDatabase) process.kill(-postmaster, 'SIGKILL')
  await exit
  instance = launch()
  await address(instance)
}

type Write = { person: Person; path: string; body: object; key: string }

const acknowledged = { posts: 0, payments: 0 }
const unanswered: Write[] = []

/** Sends a write; without an answer it is kept, to be sent again with the same key. */
async function send(write: Write): Promise<void> {
  const { person, path, body, key } = write
  const answer = await person.post<{ id: string }>(path, body, { 'idempotency-key': key }).catch(() => null)
  if (answer === null || answer.status === 503) unanswered.push(write)
  else if (answer.status === 201) acknowledged[path === '/posts' ? 'posts' : 'payments']++
  else expect(answer).toFailWith(409, 'insufficient_mana')
}

async function people(url: string): Promise<Person[]> {
  const nobody = new Person(url)
  const admin = await Object.assign(nobody.withToken(undefined), ADMIN).login()
  const codes = await admin.post<{ items: { code: string }[] }>('/admin/invite-codes/generate', { count: names.length })
  return Promise.all(
    names.map(async (name, at) => {
      const code = codes.body.items[at]?.code
      const { body } = await nobody.post<{ sessionId: string }>('/auth/reserve-invite', { code })
      const form = { sessionId: body.sessionId, ...applicant(name) }
      const { body: session } = await nobody.post<{ accessToken: string }>('/auth/register', form)
      return Object.assign(nobody.withToken(session.accessToken), { username: name })
    }),
  )
}

test(`${KILLS} kills in mid-traffic`, { timeout: 60_000 + KILLS * 20_000 }, async () => {
  const url = await address(instance)
  const everyone = await people(url)
  const [reader] = everyone
  if (!reader) throw new Error('nobody came')

  const { anonKey } = await apiKeys(JWT_SECRET)
  const client = createClient(url, anonKey, { accessToken: async () => reader.token ?? null })
  let joined = 0
  let heard = 0
  await client.realtime.setAuth()
  client
    .channel(`user:${reader.id}`, { config: { private: true } })
    .on('broadcast', { event: 'notification' }, () => heard++)
    .subscribe((status) => {
      if (status === 'SUBSCRIBED') joined++
    })

  let sent = 0
  let interrupted = 0
  for (let turn = 0; turn < KILLS; turn++) {
    await until(() => joined > turn)
    const heardBefore = heard
    let running = true
    const goal = sent + WRITES_BEFORE_KILL
    const traffic = everyone.map(async (person, at) => {
      const next = names[(at + 1) % names.length]
      while (running) {
        const key = `${turn}-${at}-${sent++}`
        await send({ person, path: '/posts', body: { body: key }, key })
        const body = { receiverId: next, emotion: 'joy', tier: 0 }
        await send({ person, path: '/economy/pay', body, key })
      }
    })
    await until(() => sent >= goal && heard > heardBefore)
    const killed = kill(turn % 2 === 0)
    running = false
    await Promise.all([killed, ...traffic])
    interrupted += unanswered.length
    for (const write of unanswered.splice(0)) await send(write)
    expect(unanswered).toEqual([])
  }
  expect(interrupted, 'no kill met a write').toBeGreaterThan(0)
  await until(() => joined > KILLS)
  await client.removeAllChannels()

  const stack = readInstance(dataDir)?.stack
  const sql = postgres(stack?.dbUrl ?? '', { max: 1 })
  await until(async () => (await sql`select from private.effects limit 1`).length === 0) // the worker is at it
  const [books] = await sql`
    select (select count(*)::int from app.posts) as posts,
           (select count(*)::int from app.payments) as payments,
           (select count(*)::int from app.posts p where not exists
             (select from app.post_counters c where c.post_id = p.id)) as posts_without_counters,
           (select count(*)::int from app.payments p where not exists
             (select from app.payment_splits s where s.payment_id = p.id)) as payments_without_splits,
           (select count(*)::int from app.notifications where kind = 'payment.received') as told,
           (select coalesce(sum(amount), 0)::int from app.mana_entries) as sum,
           (select count(*)::int from app.wallets w where balance <>
             (select sum(amount) from app.mana_entries e where e.account_id = w.user_id)) as wrong_wallets`
  await sql.end()
  expect(books).toEqual({
    ...acknowledged,
    posts_without_counters: 0,
    payments_without_splits: 0,
    told: acknowledged.payments,
    sum: 0,
    wrong_wallets: 0,
  })
  const { body } = await reader.get<{ items: { kind: string }[] }>('/notifications?limit=1')
  expect(body.items[0]?.kind).toBe('payment.received')
})
