// How migrations are applied: one run at a time, each file in a transaction, without blocking others for long.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { afterAll, expect, inject, test } from 'vitest'
import { migrate } from '../supabase/embedded/migrate.ts'
import { until } from './support/until.ts'

const { ownerUrl, superuserUrl } = inject('postgres')
const name = `migrate_${process.pid}`
const at = (url: string, database: string) => Object.assign(new URL(url), { pathname: database }).href
const url = at(ownerUrl, name)
const server = postgres(at(superuserUrl, 'postgres'), { max: 1 })
await server.unsafe(`create database ${name} owner postgres`)
const owner = postgres(url, { max: 4, onnotice: () => {} })
const base = mkdtempSync(join(tmpdir(), 'kith-migrate-'))

afterAll(async () => {
  await owner.end()
  await server.unsafe(`drop database ${name} with (force)`)
  await server.end()
  rmSync(base, { recursive: true })
})

/** Writes migrations into a folder, which may exist. */
function folderWith(folder: string, files: Record<string, string>): string {
  mkdirSync(join(base, folder, 'migrations'), { recursive: true })
  for (const [file, text] of Object.entries(files)) writeFileSync(join(base, folder, 'migrations', file), text)
  return join(base, folder)
}

const recorded = async (prefix: string) =>
  (
    await owner`select version from supabase_migrations.schema_migrations where version like ${`${prefix}%`} order by 1`
  ).map(({ version }) => version)

/** Resolves when pg_stat_activity has a session of this database that meets the SQL condition. */
const waiting = (condition: string) =>
  until(
    async () =>
      (await owner.unsafe(`select from pg_stat_activity where datname = current_database() and ${condition}`)).length >
      0,
  )

test('A run that failed leaves the migrations before the failing one, and the next run continues there.', async () => {
  const folder = folderWith('stops', {
    '101_first.sql': 'create table first (id int);',
    '102_second.sql': 'create table second (id int);\nselect 1 / 0;',
    '103_third.sql': 'create table third (id int);',
  })
  await expect(migrate(url, { folder })).rejects.toThrow(/^supabase\/migrations\/102_second\.sql:\d: division by zero/)
  expect(await recorded('10')).toEqual(['101'])
  expect((await owner`select to_regclass('second') as found`)[0]?.found).toBeNull()

  folderWith('stops', { '102_second.sql': 'create table second (id int);' })
  const applied: [string, number][] = []
  await migrate(url, { folder, applied: (...file) => applied.push(file) })
  expect(applied).toEqual([
    ['102_second.sql', expect.any(Number)],
    ['103_third.sql', expect.any(Number)],
  ])
  expect(await migrate(url, { folder })).toEqual({ migrations: [], seeds: [] })
})

test('A run that is killed within a migration is completed by the next one.', async () => {
  const folder = folderWith('killed', {
    '201_first.sql': 'create table kept (id int);',
    '202_long.sql': 'create table lost (id int);\nselect pg_sleep(600);',
  })
  const module = JSON.stringify(join(import.meta.dirname, '../supabase/embedded/migrate.ts'))
  const program = `const { migrate } = await import(${module}); await migrate(${JSON.stringify(url)}, { folder: ${JSON.stringify(folder)} })`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'ignore' })
  await waiting(`application_name = 'kith-migrate' and wait_event = 'PgSleep'`)
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit

  folderWith('killed', { '202_long.sql': 'create table lost (id int);' })
  expect((await migrate(url, { folder })).migrations).toEqual(['202_long.sql'])
})

test('Two runs at once apply each migration once, and the one that waits says so.', async () => {
  const folder = folderWith('twice', { '301_only.sql': 'create table only_once (id int);' })
  const gate = postgres(url, { max: 1 })
  await gate`select pg_advisory_lock(hashtext('supabase_migrations'))`
  const said: string[] = []
  const runs = [1, 2].map(() => migrate(url, { folder, waits: (why) => said.push(why) }))
  await until(() => said.length === 2)
  await gate.end()
  expect((await Promise.all(runs)).flatMap(({ migrations }) => migrations)).toEqual(['301_only.sql'])
  expect(said).toEqual(Array(2).fill('Another process is migrating this database.'))
})

test('A migration that gets no lock lets others pass, and runs again until it gets it.', async () => {
  await owner`create table busy (id int)`
  const folder = folderWith('busy', {
    '401_busy.sql': 'create table beside (id int);\nalter table busy add column name text;',
  })
  const reader = await owner.reserve()
  await reader`begin`
  await reader`select from busy`
  const said: string[] = []
  const patience = { lock: 100, pauses: Array(1000).fill(10) }
  const run = migrate(url, { folder, waits: (why) => said.push(why), patience })
  await until(() => said.length > 1)
  await owner`select from busy` // without the limit the query waits for the migration, which waits for the reader
  expect(await recorded('401')).toEqual([])
  await reader`commit`
  reader.release()
  expect((await run).migrations).toEqual(['401_busy.sql'])
  expect(said[0]).toBe(
    'supabase/migrations/401_busy.sql runs again in 0.01 s: canceling statement due to lock timeout.',
  )
})

test('A migration that never gets its lock fails after its last attempt, and changes nothing.', async () => {
  await owner`create table locked (id int)`
  const folder = folderWith('locked', { '501_locked.sql': 'create table gone (id int);\ndrop table locked;' })
  const reader = await owner.reserve()
  await reader`begin`
  await reader`select from locked`
  const run = migrate(url, { folder, patience: { lock: 50, pauses: [10, 10] } })
  await expect(run).rejects.toThrow(/^supabase\/migrations\/501_locked\.sql:1: .*lock timeout \(55P03\)/)
  await reader`commit`
  reader.release()
  expect((await owner`select to_regclass('gone') as found`)[0]?.found).toBeNull()
  expect((await migrate(url, { folder })).migrations).toEqual(['501_locked.sql'])
})
