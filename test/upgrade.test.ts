// An instance of each release is upgraded to the current schema. Its people log in, its ledger balances, and the code
// of that release gets the answers that it expects, because it still runs during an upgrade.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { boot } from '../api-facade/boot.ts'
import { readConfig } from '../api-facade/lib/config.ts'
import { startServer } from '../api-facade/server.ts'
import { migrate, preparePlatform } from '../supabase/embedded/migrate.ts'
import { verify } from '../supabase/embedded/verify.ts'
import { root } from '../supabase/tools/schema.ts'
import { createDatabase, type Database } from './support/database.ts'
import { Person } from './support/person.ts'
import { recordRelease } from './support/record-release.ts'
import {
  type Call,
  copyIn,
  createCaller,
  lackOf,
  moveArguments,
  moveTimes,
  type Release,
  readRelease,
  type Shape,
} from './support/release.ts'
import { environment } from './support/settings.ts'

const { RECORD_RELEASE } = process.env
if (RECORD_RELEASE) process.stdout.write(`${JSON.stringify(await recordRelease(RECORD_RELEASE), null, 1)}\n`)

const versions = readdirSync(join(root, 'test/releases')).map((file) => file.replace(/\.br$/, ''))

/** A database with the migrations of a release, and its rows. */
async function install(database: Database, release: Release): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'kith-release-'))
  mkdirSync(join(folder, 'migrations'))
  for (const file of readdirSync(join(root, 'supabase/migrations')))
    if (release.migrations.some((version) => file.startsWith(version)))
      cpSync(join(root, 'supabase/migrations', file), join(folder, 'migrations', file))
  const superuserUrl = Object.assign(new URL(inject('postgres').superuserUrl), { pathname: database.name }).href
  await preparePlatform(superuserUrl)
  await migrate(database.url, { folder })
  rmSync(folder, { recursive: true })
  await copyIn(database.superuser, release)
  // the logins are those of all databases of this server
  await database.owner`insert into private.login_secret values (${inject('postgres').loginSecret})`
}

describe.each(versions)('An instance of %s', (version) => {
  const release = readRelease(version)
  let database: Database
  beforeAll(async () => {
    database = await createDatabase('template1')
    await install(database, release)
    await migrate(database.url)
    await boot({ databaseUrl: database.url, config: readConfig(environment(database.url)) })
  })

  test('keeps its rows, and they verify', async () => {
    const { violations, rows } = await verify(database.owner)
    expect(violations).toEqual([])
    const count = (name: string) => release.tables[name]?.rows.split('\n').length ?? 0
    for (const name of ['app.users', 'app.posts', 'app.mana_entries', 'app.audit_log'])
      expect([name, rows[name]]).toEqual([name, count(name) - 1])
  })

  test('gets the settings of its queues, and indexes its texts again with retries', async () => {
    const queues = await database.owner`
      select distinct dead_letter as dead, retry_limit as retries, retry_backoff as backoff, heartbeat_seconds as beat
      from pgboss.queue where name in (select queue from private.batch_queues)`
    expect(queues).toEqual([{ dead: 'dead-letters', retries: 5, backoff: true, beat: 10 }])
    const jobs = await database.owner`
      select data ->> 'type' as type, dead_letter as dead, retry_limit as retries, retry_backoff as backoff,
             heartbeat_seconds as beat
      from pgboss.job where name = 'documents-again'`
    expect(jobs).toContainEqual({ type: 'post', ...queues[0] })
  })

  test('lets all people log in', async () => {
    const server = await startServer({
      config: readConfig(environment(database.url)),
      databaseUrl: database.url,
    })
    afterAll(() => server.stop())
    for (const person of release.people) await Object.assign(new Person(server.url), person).login()
  })

  test('answers the calls of its code as before', async () => {
    await moveTimes(database.superuser, release.at)
    const ask = createCaller(database)
    const lacks: string[] = []
    for (const { outcome: before, ...call } of release.calls) {
      const now = await ask({ ...call, given: moveArguments(call.given, release.at) })
      const lack = 'shape' in before && 'shape' in now ? lackOf(before.shape, now.shape) : JSON.stringify(now)
      if (lack) lacks.push(`${call.operation}: ${lack}`)
    }
    expect(lacks).toEqual([])
    expect(release.calls.length).toBeGreaterThan(300)
  })

  test('would not answer as before without a field or an operation', async () => {
    const { outcome } = release.calls.find(({ operation }) => operation === 'get_wallet') ?? {}
    expect(lackOf((outcome as { shape: Shape }).shape, {})).toMatch(/^\$\.\w+ was .* and is undefined$/)
    const ask = createCaller(database)
    const call = release.calls.find(({ operation }) => operation === 'get_feed' || operation === 'get_me')
    await database.owner.unsafe(`alter function api.${call?.operation} rename to gone`)
    expect(await ask(call as Call)).toEqual({ code: '42883' })
  })
})
