// The functions that run are those in the files: a database that was only migrated and the database of a running
// instance have the same functions, and the text of each is in a file of the schema. Two of these files are generated
// from the others.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import { afterAll, expect, inject, test } from 'vitest'
import { readConfig } from '../api-facade/lib/config.ts'
import { createLog } from '../api-facade/lib/log.ts'
import { startServer } from '../api-facade/server.ts'
import { startWorker } from '../api-facade/worker/worker.ts'
import { migrate, preparePlatform } from '../supabase/embedded/migrate.ts'
import { derived, listenersSql } from '../supabase/tools/derived.ts'
import { root, schemaFiles } from '../supabase/tools/schema.ts'
import { createDatabase } from './support/database.ts'
import { environment } from './support/settings.ts'

const named = (url: string, name: string) => Object.assign(new URL(url), { pathname: name }).href
const { ownerUrl, superuserUrl } = inject('postgres')
const name = `files_${process.pid}`
const server = postgres(named(superuserUrl, 'postgres'), { max: 1 })
await server.unsafe(`create database ${name} owner postgres`)
await preparePlatform(named(superuserUrl, name))
const generated = await derived(named(ownerUrl, name))
await migrate(named(ownerUrl, name), { seed: false })
const migrated = postgres(named(ownerUrl, name), { max: 1 })
const { owner, url } = await createDatabase()

afterAll(async () => {
  await migrated.end()
  await server.unsafe(`drop database ${name}`)
  await server.end()
})

type Routine = { name: string; definition: string; text: string }
const functionsOf = (sql: postgres.Sql) => sql<Routine[]>`
  select p.oid::regprocedure::text as name, pg_get_functiondef(p.oid) as definition, p.prosrc as text
  from pg_proc p where p.pronamespace in (select oid from pg_namespace where nspname in ('app', 'private', 'api', 'pgboss'))
  order by 1`
const definitions = async (sql: postgres.Sql) =>
  Object.fromEntries((await functionsOf(sql)).map((one) => [one.name, one.definition]))

const read = (file: string) => readFileSync(join(root, file), 'utf8')
const texts = schemaFiles().map(read).join('\n')
const unwritten = (functions: readonly Routine[]) =>
  functions.filter(({ text }) => !texts.includes(text)).map(({ name }) => name)

test.each(Object.keys(generated))('%s is generated from the files before it', (file) => {
  expect(read(file) === generated[file], 'run npm run gen').toBe(true)
})

test('a running instance has the functions of the migration, whatever its settings and registries', async () => {
  const config = readConfig(environment(url, { RATE_LIMIT_SCALE: '3', MEDIA_QUOTA: '7' }))
  const facade = await startServer({ config, databaseUrl: url })
  const worker = await startWorker({ config, databaseUrl: url, log: createLog(config) })
  await owner`update app.settings set value = value || '7'`
  await owner`delete from private.event_listeners where timing = 'at once'`
  await owner`delete from app.settings`
  await Promise.all([facade.stop(), worker.stop()])

  const before = await definitions(migrated)
  expect(Object.keys(before).length).toBeGreaterThan(1000)
  expect(await definitions(owner)).toEqual(before)
})

test('the text of each function is in a file of the schema', async () => {
  expect(unwritten(await functionsOf(owner))).toEqual([])
  await owner.begin(async (sql) => {
    await sql.unsafe('create function private.at_run_time() returns text language sql as $$ select $q$made$q$ $$')
    const found = await sql<Routine[]>`
      select proname as name, '' as definition, prosrc as text from pg_proc where proname = 'at_run_time'`
    expect(unwritten(found)).toEqual(['at_run_time'])
    await sql.unsafe('rollback; begin')
  })
})

test('the listeners of an event are called in the order of their positions', () => {
  const text = listenersSql([
    { event: 'b.done', listener: 'private.second', position: 500 },
    { event: 'a.done', listener: 'private.other', position: 900 },
    { event: 'b.done', listener: 'private.first', position: 200 },
  ])
  expect(text.replace(/\s+/g, ' ')).toContain(
    "begin if p_event = 'a.done' then perform private.other(p_payload); " +
      "elsif p_event = 'b.done' then perform private.first(p_payload); perform private.second(p_payload); end if; end",
  )
})
