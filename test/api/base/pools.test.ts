// Each answer of the database reaches the request that asked for it, in time or not at all, with and without a pooler
// in between.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { boot } from '../../../api-facade/boot.ts'
import { readConfig } from '../../../api-facade/lib/config.ts'
import { openPools } from '../../../api-facade/lib/database.ts'
import { createLog } from '../../../api-facade/lib/log.ts'
import { DEADLINE, NoAnswer, Pool } from '../../../api-facade/lib/pool.ts'
import { startServer } from '../../../api-facade/server.ts'
import { startWorker } from '../../../api-facade/worker/worker.ts'
import { layCable } from '../../support/cable.ts'
import { Person } from '../../support/person.ts'
import { startPooler } from '../../support/pooler.ts'
import { environment } from '../../support/settings.ts'
import { until } from '../../support/until.ts'
import { world } from '../../support/world.ts'

const { alice, bob, carla, database } = await world()
const people = [alice, bob, carla]

const quiet = { onnotice: () => {}, fetch_types: false }
const poolOf = (url: string, size: number, deadline?: number) => {
  const pool = new Pool(url, { ...quiet, connect_timeout: 1, backoff: () => 0.01 }, size, deadline)
  onTestFinished(() => pool.end())
  return pool
}

/** Asks `count` times from many clients. @returns the ids with another request's answer, and the errors */
async function mixedUp(ask: (id: string, n: number) => PromiseLike<readonly { id?: string }[]>, count: number) {
  const [wrong, failed]: [string[], unknown[]] = [[], []]
  let asked = 0
  const client = async () => {
    while (asked < count) {
      const id = String(asked++)
      await ask(id, asked).then(
        ([row]) => row?.id === id || wrong.push(id),
        (error: unknown) => failed.push(error),
      )
    }
  }
  await Promise.all(Array.from({ length: 32 }, client))
  return { wrong, failed }
}

describe('An answer reaches only the request that asked for it', () => {
  test('even if statements must be prepared again while others run', async () => {
    await database.owner`create table app.changing (a integer)`
    await database.owner`insert into app.changing values (1)`
    onTestFinished(async () => {
      await database.owner`drop table app.changing`
    })
    const pool = poolOf(database.url, 4)
    let running = true
    const change = async () => {
      for (let n = 0; running; n++)
        await database.owner.unsafe(`alter table app.changing ${n % 2 ? 'drop column b' : 'add column b integer'}`)
    }
    const changing = change()
    const texts = ['select $1::text as id, c.* from app.changing c', 'select $1::text as id, 1 as one']
    const outcome = await mixedUp(
      (id, n) => pool.run((sql) => sql.unsafe(texts[n % 20 ? 1 : 0] ?? '', [id], { prepare: true })),
      3000,
    )
    running = false
    await changing
    expect(outcome).toEqual({ wrong: [], failed: [] })
  })

  test('or the request gets 503 if a pooler mixes up two connections', async () => {
    const pooler = await startPooler(database.url)
    const config = readConfig(environment(pooler.url, { DATABASE_PREPARE: 'off', RATE_LIMIT_STORE: 'memory' }))
    const server = await startServer({ config, databaseUrl: pooler.url })
    onTestFinished(async () => {
      await server.stop()
      await pooler.close()
    })
    const [one, other] = [new Person(server.url, alice.token), new Person(server.url, bob.token)]
    pooler.mixUp()
    expect(await one.get('/me')).toMatchObject({ status: 200, body: { id: alice.id } })
    expect(await other.get('/me')).toFailWith(503, 'service_unavailable')
    expect(await other.get('/me')).toMatchObject({ status: 200, body: { id: bob.id } })
  })
})

describe('A pool', () => {
  test('waits one second longer than the statement timeout of its role', async () => {
    const rows = await database.owner<{ ms: number }[]>`
      select (extract(epoch from substr(c.line, 19)::interval) * 1000)::int as ms
      from pg_roles r cross join lateral unnest(r.rolconfig) c (line)
      where r.rolname in ('kith_anon', 'kith_gate', 'kith_user', 'kith_service') and c.line like 'statement_timeout=%'`
    expect(rows.map(({ ms }) => ms + 1000)).toEqual([DEADLINE, DEADLINE, DEADLINE, DEADLINE])
  })

  test('gives up a statement without an answer, drops the connection, and continues with a new one', async () => {
    const cable = await layCable(database.url)
    onTestFinished(() => cable.close())
    const pool = poolOf(cable.url, 1, 3000) // a busy machine needs this long to open a connection
    await pool.run((sql) => sql`select 1`)
    cable.hold()
    await expect(pool.run((sql) => sql`select 1`)).rejects.toBeInstanceOf(NoAnswer)
    expect(await pool.run((sql) => sql`select 2 as two`)).toEqual([{ two: 2 }])
  })

  test('gives up a request that waited too long in the queue, without affecting the statement before it', async () => {
    const pool = poolOf(database.url, 1)
    const { promise: end, resolve } = Promise.withResolvers<void>()
    const before = pool.run(async (sql) => {
      await end
      return sql`select 1 as one`
    })
    await expect(pool.run((sql) => sql`select 2`, { patience: 50 })).rejects.toBeInstanceOf(NoAnswer)
    resolve()
    expect(await before).toEqual([{ one: 1 }])
    expect(await pool.run((sql) => sql`select 3 as three`)).toEqual([{ three: 3 }])
  })

  test('serves the waiting people in turn, however many requests one of them has', async () => {
    const pool = poolOf(database.url, 1)
    const { promise: end, resolve } = Promise.withResolvers<void>()
    const order: string[] = []
    const ask = (who: string, patience?: number) =>
      pool.run((sql) => sql`select 1`.then(() => order.push(who)), { who, patience })
    const before = pool.run((sql) => end.then(() => sql`select 1`))
    const asked = ['alice', 'alice', 'alice', 'bob', 'carla', 'bob'].map((who) => ask(who))
    await expect(ask('dora', 50)).rejects.toBeInstanceOf(NoAnswer)
    resolve()
    await Promise.all([before, ...asked])
    expect(order).toEqual(['alice', 'bob', 'carla', 'alice', 'bob', 'alice'])
    expect(pool.inFlight).toBe(0)
  })

  test('uses as few connections as it needs', async () => {
    const pool = poolOf(database.url, 4)
    const processOf = async () => (await pool.run((sql) => sql`select pg_backend_pid() as pid`))[0]?.pid
    const first = await processOf()
    expect([await processOf(), await processOf()]).toEqual([first, first])
  })
})

test('The pool reports a refused login, although its open connections work, until the login is accepted again', async () => {
  const address = new URL(database.url)
  let password = decodeURIComponent(address.password)
  address.password = ''
  const pool = new Pool(address.href, { ...quiet, password: () => password, backoff: () => 0.01 }, 2)
  onTestFinished(() => pool.end())
  const twice = () => Promise.allSettled([1, 2].map(() => pool.run((sql) => sql`select pg_sleep(0.01)`)))
  await pool.run((sql) => sql`select`)
  expect(await pool.admits()).toBe(true)
  password = 'another'
  expect((await twice()).map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect(await pool.admits()).toBe(false)
  await pool.run((sql) => sql`select`)
  expect(await pool.admits()).toBe(false)
  password = decodeURIComponent(new URL(database.url).password)
  expect(await pool.admits()).toBe(true)
  expect((await twice()).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
})

test('An idle connection is closed after a minute, and the next statement opens a new one', async () => {
  const config = readConfig(environment(database.url))
  const pools = openPools({ config, url: database.url, log: createLog(config) })
  onTestFinished(() => pools.close())
  await pools.settle()
  const processOf = async () => (await pools.user.run((sql) => sql`select pg_backend_pid() as pid`))[0]?.pid as number
  const lives = async (pid: number) =>
    (await database.owner`select from pg_stat_activity where pid = ${pid}`).length > 0
  await processOf() // the setup of a connection needs real timers
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => {
    vi.useRealTimers()
  })
  const first = await processOf()
  vi.advanceTimersByTime(59_000)
  expect(await processOf()).toBe(first)
  vi.advanceTimersByTime(60_000)
  vi.useRealTimers()
  await until(async () => !(await lives(first)))
  const next = await processOf()
  expect(next).not.toBe(first)
  expect(await lives(next)).toBe(true)
})

describe('Through a transaction pooler', () => {
  const logged: string[] = []
  async function behind({ size = 3, env = {} }: { size?: number; env?: Record<string, string> } = {}) {
    const pooler = await startPooler(database.url, { size })
    const config = readConfig(environment(pooler.url, { DATABASE_PREPARE: 'auto', LOG_LEVEL: 'info', ...env }))
    const log = createLog(config, { write: (line: string) => logged.push(line) })
    const prepare = async () => {
      await boot({ config, databaseUrl: pooler.url })
    }
    const server = await startServer({ config, databaseUrl: pooler.url, log, prepare })
    onTestFinished(async () => {
      await server.stop()
      await pooler.close()
    })
    const callers = people.map((person) => new Person(server.url, person.token))
    /** Reads one's own profile concurrently. @returns the number of answers by status, and with another's profile */
    const ask = async (count: number) => {
      const statuses: Record<string, number> = {}
      let asked = 0
      const client = async () => {
        while (asked < count) {
          const at = asked++ % people.length
          const { status, body } = await (callers[at] as Person).get<{ id: string }>('/me')
          const kind = status === 200 && body.id !== people[at]?.id ? 'foreign' : status
          statuses[kind] = (statuses[kind] ?? 0) + 1
        }
      }
      await Promise.all(Array.from({ length: 16 }, client))
      return statuses
    }
    return { pooler, ask, callers, config, log }
  }

  test.each([1, 3])('with %i server connections every request gets its own answer', async (size) => {
    const { ask, callers } = await behind({ size })
    expect(await ask(600)).toEqual({ 200: 600 })
    const posts = await Promise.all(callers.map((one) => one.post('/posts', { body: 'Through a pooler.' })))
    expect(posts.map(({ status }) => status)).toEqual([201, 201, 201])
    expect(logged.join()).toContain('statements are not prepared by name')
  })

  test('a worker applies effects', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'kith-pools-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const { pooler, callers, config, log } = await behind({ env: { DATA_DIR: folder } })
    const worker = await startWorker({ config, databaseUrl: pooler.url, pollSeconds: 0.2, log })
    onTestFinished(() => worker.stop())
    const [author, reader] = callers as [Person, Person]
    const { body: post } = await author.post<{ id: string }>('/posts', { body: 'With a worker.' })
    await reader.post(`/posts/${post.id}/react`, { kind: 'heart' })
    await until(async () => {
      const { body } = await author.get<{ items: { kind: string; target: { id: string } }[] }>('/notifications')
      return body.items.some(({ kind, target }) => kind === 'post.reacted' && target.id === post.id)
    })
  })

  test('killing and restarting the pooler under load fails only the requests during the outage', async () => {
    const { pooler, ask } = await behind()
    expect(await ask(50)).toEqual({ 200: 50 })
    const asked = ask(400)
    await pooler.kill()
    await pooler.restart()
    const { 200: right = 0, 503: lost = 0, ...others } = await asked
    expect([right + lost, others]).toEqual([400, {}])
    await until(async () => (await ask(3))[200] === 3)
    expect(await ask(50)).toEqual({ 200: 50 })
  })

  test('a pooler that hangs causes only 503, and requests succeed again when it recovers', async () => {
    const { pooler, ask } = await behind()
    expect(await ask(50)).toEqual({ 200: 50 })
    pooler.freeze()
    expect(await ask(16)).toEqual({ 503: 16 })
    pooler.thaw()
    await until(async () => (await ask(3))[200] === 3)
    expect(await ask(50)).toEqual({ 200: 50 })
  })
})

test('Without a pooler statements are prepared', async () => {
  const lines: string[] = []
  const config = readConfig(environment(database.url, { DATABASE_PREPARE: 'auto', LOG_LEVEL: 'info' }))
  const log = createLog(config, { write: (line: string) => lines.push(line) })
  const server = await startServer({ config, databaseUrl: database.url, log })
  await new Person(server.url, alice.token).get('/me')
  await server.stop()
  expect(lines.join()).not.toContain('statements are not prepared')
})
