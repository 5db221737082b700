// Sends kill -9 repeatedly during traffic. Then each acknowledged write exists exactly once, and any other write exists
// completely or not at all. The mana ledger balances. Realtime clients reconnect by themselves and find what they
// missed in the inbox.
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
import { applicant } from '../support/joining.ts'
import { Person } from '../support/person.ts'
import { address, ended } from '../support/process.ts'
import { runs } from '../support/runs.ts'
import { ADMIN, JWT_SECRET } from '../support/settings.ts'
import { until } from '../support/until.ts'

const KILLS = runs(2, 60)
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
    detached: true, // the facade gets its own process group, so that all its processes can be killed at once
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

/** Kills the facade's process group, and with `withDatabase` also the database server. Then starts the facade again. */
async function kill(withDatabase: boolean): Promise<void> {
  const postmaster = Number(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n')[0])
  const exit = once(instance, 'exit')
  process.kill(-(instance.pid ?? 0), 'SIGKILL')
  if (withDatabase) process.kill(-postmaster, 'SIGKILL')
  await exit
  instance = launch()
  await address(instance)
}

type Kind = 'posts' | 'payments' | 'boosts' | 'reversals'
type Write = { person: Person; kind: Kind; path: string; body: object; key: string }
type Done = { id: string; payment: { id: string }; minted: number }

const acknowledged = { posts: 0, payments: 0, boosts: 0, reversals: 0, minted: 0 }
const unanswered: Write[] = []

/** Sends a write and returns its result. A write without an answer is kept, to be sent again with the same key. */
async function send(write: Write): Promise<Done | undefined> {
  const { person, kind, path, body, key } = write
  const answer = await person.post<Done>(path, body, { 'idempotency-key': key }).catch(() => null)
  if (answer === null || answer.status === 503) unanswered.push(write)
  else if (answer.status !== 201) expect(answer).toFailWith(409, 'insufficient_mana')
  else {
    acknowledged[kind]++
    if (kind === 'reversals') acknowledged.minted += answer.body.minted
    return answer.body
  }
}

async function people(nobody: Person, admin: Person): Promise<Person[]> {
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

test(`${KILLS} kills during traffic lose no acknowledged write and repeat none`, {
  timeout: 90_000 + KILLS * 20_000,
}, async () => {
  const url = await address(instance)
  const nobody = new Person(url)
  const admin = await Object.assign(nobody.withToken(undefined), ADMIN).login()
  const everyone = await people(nobody, admin)
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
        const n = sent++
        const key = `${turn}-${at}-${n}`
        const post = await send({ person, kind: 'posts', path: '/posts', body: { body: key }, key })
        const gift = { receiverId: next, emotion: 'joy', tier: 0 }
        const gave = await send({ person, kind: 'payments', path: '/economy/pay', body: gift, key })
        // One post in eight is boosted, and one payment in four is reversed, even if the receiver has spent the mana
        if (post && n % 8 === 0)
          await send({ person, kind: 'boosts', path: `/posts/${post.id}/boost`, body: { tier: 1 }, key })
        const path = `/admin/economy/payments/${gave?.payment.id}/reverse`
        const back = { reason: 'Because.', force: true }
        if (gave && n % 4 === 1) await send({ person: admin, kind: 'reversals', path, body: back, key })
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
  expect(interrupted, 'no kill interrupted a write').toBeGreaterThan(0)
  await until(() => joined > KILLS)
  await client.removeAllChannels()

  const stack = readInstance(dataDir)?.stack
  const sql = postgres(stack?.dbUrl ?? '', { max: 1 })
  await until(async () => (await sql`select from private.effects limit 1`).length === 0) // the worker applies effects
  const [books] = await sql`
    select (select count(*)::int from app.posts) as posts,
           (select count(*)::int from app.payments where not reversed) as payments,
           (select count(*)::int from app.payments b join app.payments p on p.id = b.reversal_of
            where b.reversed and not p.reversed and b.amount = p.amount) as reversals,
           (select count(*)::int from app.post_boosts b join app.post_counters c on c.post_id = b.post_id
            where c.boost = b.multiplier and c.boost_expires_at = b.expires_at) as boosts,
           (select coalesce(sum(amount), 0)::int from app.mana_entries where account_id = private.burn()) as burnt,
           (select coalesce(sum(balance), 0)::int from app.wallets)
             - (select sum(-e.amount)::int from app.mana_entries e join app.mana_transactions t on t.id = e.transaction_id
                where e.account_id = private.mint() and t.kind not in ('reversal', 'recredit')) as gained,
           (select count(*)::int from app.audit_log where action = 'payment.reversed') as audited,
           (select count(*)::int from app.posts p where not exists
             (select from app.post_counters c where c.post_id = p.id)) as posts_without_counters,
           (select count(*)::int from app.payments p where not exists
             (select from app.payment_splits s where s.payment_id = p.id)) as payments_without_splits,
           (select count(*)::int from app.notifications where kind = 'payment.received') as told,
           (select coalesce(sum(amount), 0)::int from app.mana_entries) as sum,
           (select count(*)::int from private.audit_mana()) + (select count(*)::int from private.audit_treasuries()) as wrong`
  await sql.end()
  const { minted, ...done } = acknowledged
  expect(books).toEqual({
    ...done,
    burnt: 10 * done.boosts,
    gained: minted - 10 * done.boosts,
    audited: done.reversals,
    posts_without_counters: 0,
    payments_without_splits: 0,
    told: done.payments,
    sum: 0,
    wrong: 0,
  })
  expect([done.boosts > 0, done.reversals > 0], 'there were boosts and reversals').toEqual([true, true])
  const { body } = await reader.get<{ items: { kind: string }[] }>('/notifications?limit=1')
  expect(body.items[0]?.kind).toBe('payment.received')
})
