// Failovers under load: an instance with standbys, people who post and pay over HTTP, a primary that is killed or frozen,
// and a count of what was lost or done twice.
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Sql } from 'postgres'
import { openOwner } from '../../api-facade/lib/database.ts'
import { CLUSTER, isStandby, passwordOf, processesOf, standbysIn } from '../../supabase/embedded/cluster.ts'
import { keptSecret, readInstance, type Stack } from '../../supabase/embedded/instance.ts'
import type { Served } from '../../supabase/embedded/postgres.ts'
import { onServer } from '../../supabase/embedded/standby.ts'
import { letIn } from '../support/joining.ts'
import { Person } from '../support/person.ts'
import { address, ended } from '../support/process.ts'
import { ADMIN } from '../support/settings.ts'
import { until } from '../support/until.ts'

const names = ['ada', 'ben', 'cleo', 'dina', 'ella', 'finn']

export type Instance = {
  dataDir: string
  process: ChildProcess
  stack: Stack
  people: Person[]
  /** The owner's connection, to the primary. */
  sql: Sql
  stop(): Promise<void>
}

/** Starts an instance with two standbys in its own folder, which `stop` removes, and registers people. */
export async function startInstance(env: Record<string, string> = {}): Promise<Instance> {
  const dataDir = mkdtempSync(join(tmpdir(), 'kith-failover-'))
  chmodSync(dataDir, 0o711) // the account of the server has to reach it
  const first = launch(dataDir, env)
  const remove = async (last: ChildProcess) => {
    await ended(last)
    rmSync(dataDir, { recursive: true, force: true })
  }
  try {
    const url = await address(first)
    const admin = await Object.assign(new Person(url), ADMIN).login()
    const people = await letIn(admin, names)
    const stack = readInstance(dataDir)?.stack
    if (!stack) throw new Error('The instance is not there.')
    const sql = openOwner(stack.dbUrl)
    const stop = async () => {
      await sql.end({ timeout: 1 })
      await remove(instance.process)
    }
    const instance: Instance = { dataDir, process: first, stack, people, sql, stop }
    return instance
  } catch (error) {
    await remove(first)
    throw error
  }
}

export function launch(dataDir: string, env: Record<string, string> = {}): ChildProcess {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env
  return spawn(process.execPath, [join(import.meta.dirname, '../../api-facade/main.ts')], {
    env: {
      ...{ PATH, HOME, NODE_COMPILE_CACHE, DATA_DIR: dataDir, REPLICAS: '2', PORT: '0', HOST: '127.0.0.1' },
      ...{ ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password, RATE_LIMIT_SCALE: '1000000', EMBEDDINGS: 'off' },
      ...{ LOG_LEVEL: 'silent', ...env },
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

/** The name of the primary's cluster in the data folder. */
export const primaryIn = (dataDir: string): string | undefined =>
  [CLUSTER, ...standbysIn(dataDir)].find((name) => existsSync(join(dataDir, name)) && !isStandby(join(dataDir, name)))

export const standbysOf = (dataDir: string): string[] =>
  standbysIn(dataDir).filter((name) => isStandby(join(dataDir, name)))

/** The lines of the file in which a running server writes its process id (the first) and its port (the fourth). */
const pidFile = (dataDir: string, name: string): number[] =>
  readFileSync(join(dataDir, name, 'postmaster.pid'), 'utf8')
    .split('\n')
    .map(Number)

/** A server of the data folder, as its superuser knows it. */
export function serverOf(dataDir: string, name: string): Pick<Served, 'superuserUrl'> {
  const password = passwordOf(keptSecret(dataDir, 'cluster-secret'), 'supabase_admin')
  const port = pidFile(dataDir, name)[3]
  return { superuserUrl: () => `postgresql://supabase_admin:${password}@127.0.0.1:${port}/postgres` }
}

/** Kills the server of a cluster, or freezes it with all its processes. */
export function strike(dataDir: string, name: string, signal: 'SIGKILL' | 'SIGSTOP'): void {
  const pids = signal === 'SIGKILL' ? pidFile(dataDir, name).slice(0, 1) : processesOf(dataDir, name)
  for (const pid of pids) process.kill(pid, signal)
}

/** How a standby is set that was cut off. */
export const NOWHERE = 'host=127.0.0.1 port=1'

/** Lets the standby miss everything from now on. */
export const cutOff = (dataDir: string, name: string): Promise<void> =>
  onServer(serverOf(dataDir, name), async (sql) => {
    await sql.unsafe(`alter system set primary_conninfo = '${NOWHERE}'`)
    await sql`select pg_reload_conf()`
    await until(async () => (await sql`select from pg_stat_wal_receiver where status = 'streaming'`).length === 0)
  })

type Kind = 'post' | 'payment'
type Body = { id: string; payment: { id: string } }
type Write = { person: Person; kind: Kind; key: string; id: string }

export type Load = {
  acknowledged: Write[]
  /** The number of requests that got 503 or no answer. Each was sent again with its key until it was acknowledged. */
  refused: number
  /** Resolves with the milliseconds from now until a write that is sent from now on is acknowledged. */
  next(): Promise<number>
  stop(): Promise<void>
}

/** Everybody posts and pays the next person, repeatedly. */
export function startLoad({ people }: Instance): Load {
  let running = true
  let refused = 0
  let sent = 0
  const acknowledged: Write[] = []
  const waiting = new Set<{ from: number; served: (ms: number) => void }>()

  async function write(person: Person, kind: Kind, path: string, body: object, key: string): Promise<void> {
    for (;;) {
      const at = performance.now()
      const answer = await fetch(`${person.base}/api/v1${path}`, {
        method: 'POST',
        headers: {
          ...{ 'Content-Type': 'application/json', Authorization: `Bearer ${person.token}` },
          'Idempotency-Key': key,
        },
        body: JSON.stringify(body),
      }).catch(() => null)
      const text = await answer?.text().catch(() => null)
      if (answer?.status === 201 && text) {
        const { id, payment } = JSON.parse(text) as Body
        acknowledged.push({ person, kind, key, id: kind === 'post' ? id : payment.id })
        for (const one of waiting) if (at >= one.from && waiting.delete(one)) one.served(performance.now() - one.from)
        return
      }
      // the others pay sooner or later who has nothing left
      if (answer?.headers.get('x-error-code') === 'insufficient_mana') return
      if (answer && answer.status !== 503) throw new Error(`${path} was answered ${answer.status}: ${text}`)
      refused++
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  const traffic = people.map(async (person, at) => {
    const receiverId = people[(at + 1) % people.length]?.username
    while (running) {
      const key = `write-${++sent}`
      await write(person, 'post', '/posts', { body: key }, key)
      await write(person, 'payment', '/economy/pay', { receiverId, emotion: 'joy', tier: 0 }, `pay-${key}`)
    }
  })
  const stop = async () => {
    running = false
    await Promise.all(traffic)
  }
  const next = () => new Promise<number>((served) => waiting.add({ from: performance.now(), served }))
  return {
    acknowledged,
    get refused() {
      return refused
    },
    next,
    stop,
  }
}

/** What the database has of the acknowledged writes, when every effect is applied. */
export type Found = { lost: number; twice: number; balanced: boolean; told: number }

export async function compare(sql: Sql, { acknowledged }: Load): Promise<Found> {
  await until(async () => (await sql`select from private.effects limit 1`).length === 0)
  const ids = async (table: string) =>
    (await sql.unsafe<{ id: string }[]>(`select id from ${table}`)).map(({ id }) => id)
  const stored = { post: await ids('app.posts'), payment: await ids('app.payments') }
  const [books] = await sql<[{ balanced: boolean; told: number }]>`
    select (select coalesce(sum(amount), 0) = 0 from app.mana_entries)
           and (select coalesce(sum(balance), 0) from app.wallets)
             = (select coalesce(sum(-amount), 0) from app.mana_entries where account_id = private.mint())
           and not exists (select from private.audit_mana()) and not exists (select from private.audit_treasuries())
             as balanced,
           (select count(*)::int from app.notifications where kind = 'payment.received') as told`
  let [lost, twice] = [0, 0]
  for (const kind of ['post', 'payment'] as const) {
    const wanted = new Set(acknowledged.filter((one) => one.kind === kind).map(({ id }) => id))
    const present = new Set(stored[kind])
    lost += wanted.difference(present).size
    twice += present.difference(wanted).size // every request was repeated until it was acknowledged
  }
  return { lost, twice, ...books }
}

/** How many standbys stream from the primary. */
export async function streaming(sql: Sql): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*)::int from pg_replication_slots where slot_name like 'standby%' and active`
  return row.count
}

/** Waits until both standbys stream and, unless they are asynchronous, commits wait for one of them. */
export const complete = ({ sql }: Pick<Instance, 'sql'>, synchronous = true): Promise<unknown> =>
  until(
    async () => {
      const [row] = await sql<[{ names: string }]>`select current_setting('synchronous_standby_names') as names`
      return (await streaming(sql)) === 2 && (!synchronous || row.names.includes(', '))
    },
    { timeout: 60_000, every: 100 },
  )
