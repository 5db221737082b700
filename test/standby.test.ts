// Standbys: they stream, wait if they have a delay, are started again, are promoted, and follow another primary.
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { hostsOf, placeOf, primaryOf, reach } from '../api-facade/lib/hosts.ts'
import { Pool } from '../api-facade/lib/pool.ts'
import { CLUSTER, FENCED, fence, HISTORY, PASSFILE } from '../supabase/embedded/cluster.ts'
import { ephemeral, type Postgres, startPostgres } from '../supabase/embedded/postgres.ts'
import { startReplicas } from '../supabase/embedded/replicas.ts'
import { onServer, type Standby, startStandby } from '../supabase/embedded/standby.ts'
import { cutOff, strike } from './failover/drill.ts'
import { standbysOf } from './support/standbys.ts'
import { until } from './support/until.ts'

const folder = mkdtempSync(join(tmpdir(), 'kith-standby-'))
chmodSync(folder, 0o711)
afterAll(() => rmSync(folder, { recursive: true }))

type Server = Pick<Postgres, 'superuserUrl'>
let primary: Postgres = await startPostgres({ dataDir: join(folder, 'data'), ephemeral: true })
afterAll(() => primary.stop())
await onServer(primary, (sql) => sql`create table numbers (n integer)`)
const [one, other] = (await standbysOf(primary, 2)) as [Standby, Standby]

const insert = (server: Server, n: number) => onServer(server, (sql) => sql`insert into numbers values (${n})`)
const numbers = (server: Server) =>
  onServer(server, async (sql) => (await sql<{ n: number }[]>`select n from numbers order by n`).map(({ n }) => n))

/** Waits until the standby has received what the primary has written until now. */
async function received(standby: Server): Promise<void> {
  const [{ at }] = await onServer(
    primary,
    (sql) => sql<[{ at: string }]>`select pg_current_wal_flush_lsn()::text as at`,
  )
  await until(() =>
    onServer(standby, async (sql) => (await sql`select where pg_last_wal_receive_lsn() >= ${at}::pg_lsn`).length > 0),
  )
}

test('both standbys show what the primary has committed, and refuse writes', async () => {
  await insert(primary, 1)
  for (const standby of [one, other]) {
    await until(async () => (await numbers(standby)).length === 1)
    await expect(insert(standby, 2)).rejects.toMatchObject({ code: '25006' })
  }
})

test('a standby with a delay receives a commit at once and shows it later', async () => {
  const late = await startStandby({
    ...{ primary, dataDir: folder, name: 'late', settings: ephemeral, delay: 3_600_000 },
  })
  await insert(primary, 3)
  await received(late)
  expect(await numbers(late)).toEqual([1])
  await onServer(late, async (sql) => {
    await sql`alter system set recovery_min_apply_delay = 0`
    await sql`select pg_reload_conf()`
  })
  await until(async () => (await numbers(late)).length === 2)
  await late.stop()
})

test('a standby is promoted at once, also if it still has to apply that rows were removed', async () => {
  const late = await startStandby({
    ...{ primary, dataDir: folder, name: 'removed', settings: ephemeral, delay: 3_600_000 },
  })
  await onServer(primary, async (sql) => {
    await sql`create table removed as select generate_series(1, 100) as n`
    await sql`delete from removed`
    await sql`vacuum removed`
  })
  await received(late)
  const begun = performance.now()
  await late.promote()
  expect(performance.now() - begun).toBeLessThan(20_000) // applying the log would wait 30 s for a statement
  expect([...(await onServer(late, (sql) => sql`select from removed`))]).toEqual([])
  await late.stop()
})

test('a standby that was stopped starts again and gets what it has missed', async () => {
  const options = { primary, dataDir: folder, name: 'again', settings: ephemeral }
  await (await startStandby(options)).stop()
  await insert(primary, 4)
  const again = await startStandby(options)
  await until(async () => (await numbers(again)).includes(4))
  await again.stop()
})

test('a standby that runs but does not stream is started again', async () => {
  const dataDir = join(folder, 'kept')
  const settings = { ...ephemeral, synchronous_commit: 'on' }
  const lines: object[] = []
  const log = { info: () => {}, error: (fields: object) => lines.push(fields) }
  const first = await startPostgres({ dataDir, ephemeral: true, settings })
  const kept = await startReplicas({
    ...{ primary: first, dataDir, count: 1, synchronous: true, settings, patience: 2000, log },
  })
  try {
    await onServer(first, (sql) => sql`create table numbers (n integer)`)
    await cutOff(dataDir, 'standby1')
    await insert(first, 1) // the commit waits for the standby
    expect(lines).toEqual([{ standby: 'standby1', why: 'it does not stream' }])
  } finally {
    await kept.stop()
  }
})

test('a standby that does not stream is not stopped while the primary does not answer', async () => {
  const dataDir = join(folder, 'frozen')
  const lines: object[] = []
  const log = { info: (fields: object) => lines.push(fields), error: (fields: object) => lines.push(fields) }
  const first = await startPostgres({ dataDir, ephemeral: true })
  const kept = await startReplicas({
    ...{ primary: first, dataDir, count: 2, synchronous: true, settings: ephemeral, patience: 4000, log },
  })
  try {
    await cutOff(dataDir, 'standby1')
    await onServer(first, async (sql) => {
      const connected = () => sql`select from pg_stat_replication where application_name = 'standby1'`
      await until(async () => (await connected()).length === 0)
      // the primary is asked again, and answers that the standby is not connected
      const [{ at }] = await sql<[{ at: string }]>`select clock_timestamp()::text as at`
      const asked = () => sql`
        select from pg_stat_activity
        where application_name = 'kith_standbys' and query like '%from pg_stat_replication'
          and pid <> pg_backend_pid() and query_start > ${at}::timestamptz and state = 'idle'`
      await until(async () => (await asked()).length > 0)
    })
    strike(dataDir, CLUSTER, 'SIGSTOP') // noticed after six seconds, which is longer than the patience
    await until(() => lines.some((line) => 'former' in line))
    expect(lines).toEqual([
      { primary: CLUSTER, why: 'the primary does not answer' },
      { former: CLUSTER, primary: expect.stringMatching(/^standby/) },
    ])
  } finally {
    await kept.stop()
  }
})

describe('a start after a failover that was interrupted', () => {
  const dataDir = join(folder, 'interrupted')

  /** Runs a primary with a standby in one data folder until the primary was fenced, and then `rest`. */
  async function interrupted(rest: (standby: Standby) => Promise<void>): Promise<number[]> {
    const first = await startPostgres({ dataDir, ephemeral: true })
    if (first.fresh) await onServer(first, (sql) => sql`create table numbers (n integer)`)
    const standby = await startStandby({ primary: first, dataDir, name: 'standby1', settings: ephemeral })
    const n = (await numbers(first)).length
    await insert(first, n)
    await until(async () => (await numbers(standby)).length === n + 1)
    await fence(dataDir, CLUSTER)
    await rest(standby)
    await standby.stop()
    await first.stop()
    const again = await startPostgres({ dataDir, ephemeral: true })
    const found = await numbers(again)
    await again.stop()
    expect(readdirSync(dataDir)).not.toContain(FENCED)
    return found
  }

  test('takes the fenced cluster if nothing was promoted', async () => {
    expect(await interrupted(async () => {})).toEqual([0])
    rmSync(join(dataDir, 'standby1'), { recursive: true })
  })

  test('takes the promoted cluster, and deletes the fenced one', async () => {
    const found = await interrupted(async (standby) => {
      await standby.promote()
      await insert(standby, 7)
    })
    expect(found).toEqual([0, 1, 7])
  })

  test('refuses to choose between two primaries, and to begin anew beside a standby', async () => {
    const first = await startPostgres({ dataDir, ephemeral: true })
    const standby = await startStandby({ primary: first, dataDir, name: 'standby1', settings: ephemeral })
    await standby.promote() // a program other than Kith promotes the standby
    await Promise.all([standby.stop(), first.stop()])
    const again = () => startPostgres({ dataDir, ephemeral: true })
    await expect(again()).rejects.toThrow(/are clusters of a primary/)
    renameSync(join(dataDir, CLUSTER), join(dataDir, 'aside'))
    writeFileSync(join(dataDir, 'standby1', 'standby.signal'), '')
    await expect(again()).rejects.toThrow(/has a standby but no primary/)
    expect(readdirSync(dataDir)).toEqual(expect.arrayContaining(['aside', 'standby1']))
  })

  test('takes a standby that was promoted by hand, and archives its log in a new folder', async () => {
    writeFileSync(join(dataDir, HISTORY), 'former')
    rmSync(join(dataDir, 'standby1', 'standby.signal'))
    const promoted = await startPostgres({ dataDir, ephemeral: true })
    expect(await numbers(promoted)).toEqual([0, 1, 7])
    await promoted.stop()
    expect(readdirSync(dataDir)).not.toContain(HISTORY)
  })
})

test('a standby is promoted without a loss, and the other one follows it', async () => {
  await primary.stop()
  expect(await one.received()).toBe(await other.received())
  await one.promote()
  await other.follow(one)
  await insert(one, 5)
  expect(await numbers(one)).toEqual([1, 3, 4, 5])
  await until(async () => (await numbers(other)).includes(5))
  // the log has each change of a setting
  const { password } = new URL(primary.superuserUrl())
  const folderOf = (server: Server) =>
    onServer(server, async (sql) => (await sql`select current_setting('data_directory') as at`)[0]?.at as string)
  const log = readFileSync(`${await folderOf(other)}.log`, 'utf8')
  expect(log).toContain('parameter "primary_conninfo" changed')
  expect(log).not.toContain(password)
  expect(readdirSync(await folderOf(one))).not.toContain(PASSFILE)
})

test('a connection with several hosts goes to the primary, and never back to a former one', async () => {
  const servers = [other, primary, one]
  const hosts = servers.map(({ port }) => `127.0.0.1:${port}`).join(',')
  const url = `${primary.superuserUrl().replace(`127.0.0.1:${primary.port}`, hosts)}?target_session_attrs=read-write`
  expect(hostsOf(url)).toEqual(servers.map((server) => server.superuserUrl()))
  expect(placeOf(url)).toBe(`${hosts}/postgres`)
  const { socket } = reach(url)
  const portOf = async () => {
    const opened = await socket({ host: [], port: [] })
    await once(opened, 'connect')
    const { remotePort } = opened
    opened.destroy()
    return remotePort
  }
  expect(await portOf()).toBe(one.port)
  await one.stop()
  primary = await startPostgres({ dataDir: join(folder, 'data'), port: primary.port, ephemeral: true })
  const refused = { code: 'ECONNREFUSED' }
  await Promise.all([primaryOf(url), portOf()].map((asked) => expect(asked).rejects.toMatchObject(refused)))
})

test('a pool opens another connection when the server rejects writes', async () => {
  const pool = new Pool(other.superuserUrl(), { fetch_types: false }, 1)
  const pid = () => pool.run((sql) => sql`select pg_backend_pid() as pid`)
  const before = await pid()
  expect(await pid()).toEqual(before)
  await expect(pool.run((sql) => sql`insert into numbers values (6)`)).rejects.toMatchObject({ code: '25006' })
  expect(await pid()).not.toEqual(before)
  await pool.end()
})
