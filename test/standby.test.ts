// Standbys: they stream, wait if they have a delay, are promoted, follow another primary, and start again.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ephemeral, type Postgres, startPostgres } from '../supabase/embedded/postgres.ts'
import { onServer, type Standby, startStandby } from '../supabase/embedded/standby.ts'
import { standbysOf } from './support/standbys.ts'
import { until } from './support/until.ts'

const folder = mkdtempSync(join(tmpdir(), 'kith-standby-'))
chmodSync(folder, 0o711)
afterAll(() => rmSync(folder, { recursive: true }))

type Server = Pick<Postgres, 'superuserUrl'>
let primary: Postgres
let one: Standby
let other: Standby

beforeAll(async () => {
  primary = await startPostgres({ dataDir: join(folder, 'data'), ephemeral: true })
  await onServer(primary, (sql) => sql`create table numbers (n integer)`)
  const standbys = await standbysOf(primary, 2)
  if (!standbys[0] || !standbys[1]) throw new Error('two standbys were asked for')
  ;[one, other] = standbys
})
afterAll(() => primary.stop())

const insert = (server: Server, n: number) => onServer(server, (sql) => sql`insert into numbers values (${n})`)
const numbers = (server: Server) =>
  onServer(server, async (sql) => (await sql<{ n: number }[]>`select n from numbers order by n`).map(({ n }) => n))

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
  const [{ at }] = await onServer(
    primary,
    (sql) => sql<[{ at: string }]>`select pg_current_wal_flush_lsn()::text as at`,
  )
  await until(() =>
    onServer(late, async (sql) => (await sql`select where pg_last_wal_receive_lsn() >= ${at}::pg_lsn`).length > 0),
  )
  expect(await numbers(late)).toEqual([1])
  await onServer(late, async (sql) => {
    await sql`alter system set recovery_min_apply_delay = 0`
    await sql`select pg_reload_conf()`
  })
  await until(async () => (await numbers(late)).length === 2)
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

test('a standby is promoted without a loss, and the other one follows it', async () => {
  await until(async () => (await one.received()) === (await other.received()))
  await primary.stop()
  await one.promote()
  await other.follow(one)
  await insert(one, 5)
  expect(await numbers(one)).toEqual([1, 3, 4, 5])
  await until(async () => (await numbers(other)).includes(5))
})
