// npm run prepare-database, on servers from an empty one to one with a facade and people.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { createClient } from '@supabase/supabase-js'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { preparePlatform } from '../supabase/embedded/migrate.ts'
import { faultsOf, type Server } from '../supabase/embedded/server.ts'
import { bareServer } from './support/bare.ts'
import { letIn } from './support/joining.ts'
import { Person } from './support/person.ts'
import { address, ended } from './support/process.ts'
import { listen } from './support/realtime.ts'
import { ADMIN, environment } from './support/settings.ts'
import { until } from './support/until.ts'

const root = resolve(import.meta.dirname, '..')
const dataDir = mkdtempSync(join(tmpdir(), 'kith-prepare-'))
afterAll(() => rmSync(dataDir, { recursive: true }))

/** The connections that a facade of the default size needs, and those that the server reserves for superusers. */
const ENOUGH = { max_connections: '36', wal_level: 'logical' }

/** Runs the command as an operator does, without npm. */
async function prepare(...args: string[]) {
  const child = spawn(process.execPath, ['api-facade/prepare.ts', ...args], {
    cwd: root,
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exit = once(child, 'exit')
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), exit])
  return { code, out, err }
}

async function query(url: string, statement: string) {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  return sql.unsafe(statement).finally(() => sql.end())
}

/** A value that changes with every write to the cluster. */
const written = async (url: string) =>
  (await query(url, 'select pg_snapshot_xmax(pg_current_snapshot())::text as x'))[0]?.x

describe.each(['postgres', 'dba'])('On a bare server whose superuser is %s', async (superuser) => {
  /** Whether the first run creates the owner, postgres, so that it is not a superuser. */
  const made = superuser !== 'postgres'
  const server = await bareServer(superuser)
  const url = server.url('kith')
  let ownerUrl = url

  beforeAll(async () => {
    await server.start({ ...ENOUGH, timezone: 'America/New_York' })
    await query(server.url(), 'create database kith')
  })

  test('a first run creates everything, and says with which settings to start Kith', async () => {
    const { code, out, err } = await prepare(url, '--migrate')
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toContain('The roles and schemas of a Supabase platform have been created.')
    expect(out).toMatch(
      /Applied \d+_baseline\.sql in [\d.]+ s\.\n(Applied \d+_\w+\.sql in [\d.]+ s\.\n)*Applied 10_interests\.sql in /,
    )
    expect(out.includes('The role postgres is a superuser here')).toBe(!made)
    const [, given] = /DATABASE_URL=(\S+) JWT_SECRET=… REALTIME=embedded npm start/.exec(out) ?? []
    if (made) ownerUrl = given ?? ''
    else expect(given).toBe(`postgresql://postgres:…@${new URL(url).host}/kith`)
    const [session] = await query(
      ownerUrl,
      `select rolname as who, rolsuper, current_setting('timezone') as zone from pg_roles where rolname = current_user`,
    )
    expect(session).toEqual({ who: 'postgres', rolsuper: !made, zone: 'UTC' })
    const owners = await query(
      url,
      `select distinct nspowner::regrole::text as owner from pg_namespace where nspname in ('app', 'api', 'private')`,
    )
    expect(owners).toEqual([{ owner: 'postgres' }])
  })

  test('a second run says that everything exists, and writes nothing', async () => {
    const before = await written(url)
    const { code, out } = await prepare(url)
    expect(code).toBe(0)
    expect(out).toContain('The platform already exists. Nothing was changed.')
    expect(await written(url)).toBe(before)
    expect((await prepare(url, '--migrate')).out).toContain('Migrations and seed have already been applied.')
  })

  test('a run by the owner finds everything too, without a superuser', async () => {
    expect(await prepare(ownerUrl, '--migrate')).toMatchObject({
      code: 0,
      out: expect.stringContaining('The platform already exists. Nothing was changed.'),
    })
  })

  test('what was deleted since then is created again', async () => {
    await query(url, 'drop function realtime.send(jsonb, text, text, boolean)')
    expect((await prepare(url)).out).toContain('incomplete, or that of an older release')
    expect((await prepare(url)).out).toContain('Nothing was changed.')
  })

  test('a facade runs: people register, post and read, and supabase-js clients subscribe and call', async () => {
    const facade = spawn(process.execPath, ['api-facade/main.ts'], {
      cwd: root,
      env: { PATH: process.env.PATH, ...environment(ownerUrl), DATA_DIR: dataDir, REALTIME: 'embedded' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let printed = ''
    facade.stdout.on('data', (chunk) => {
      printed += chunk
    })
    try {
      const site = await address(facade)
      const admin = await Object.assign(new Person(site), ADMIN).login()
      const [alice, bob] = await letIn(admin, ['alice', 'bob'])
      if (!alice || !bob) throw new Error('nobody came in')
      const [, anonKey = ''] = await until(() => /The anonymous key for supabase-js: (\S+)/.exec(printed))
      const client = createClient(site, anonKey, { accessToken: async () => bob.token ?? '' })
      const { heard } = await listen(client, 'feed:public')
      const { status, body } = await alice.post<{ id: string }>('/posts', {
        body: 'Any server will do.',
        format: 'note',
      })
      expect(status).toBe(201)
      expect(await bob.get(`/posts/${body.id}`)).toMatchObject({ status: 200, body: { body: 'Any server will do.' } })
      await until(() => heard.length > 0)
      expect(heard).toEqual([{ event: 'post', payload: { id: body.id } }])
      const { data } = await client.schema('api').rpc('get_post', { p_id: body.id })
      expect(data).toMatchObject({ id: body.id, createdAt: expect.stringMatching(/Z$/) })
      await client.realtime.disconnect()
    } finally {
      await ended(facade)
    }
  })
})

describe('On a Supabase stack', async () => {
  const server = await bareServer('supabase_admin')
  const asOwner = (database: string) => server.url(database, 'postgres', 'x')

  beforeAll(async () => {
    await server.start(ENOUGH)
    for (const name of ['whole', 'half']) {
      await query(server.url(), `create database ${name}`)
      await preparePlatform(server.url(name))
      // afterwards nothing shows that Kith created the stack
      await query(server.url(name), 'comment on schema realtime is null; drop function realtime.create_partitions()')
    }
    await query(server.url('half'), 'drop table realtime.messages cascade; drop function realtime.topic')
    await query(server.url(), `alter role postgres password 'x'`)
  })

  test('everything is found without a superuser, and nothing is changed', async () => {
    const before = await written(server.url())
    const { code, out } = await prepare(asOwner('whole'))
    expect(code).toBe(0)
    expect(out).toContain('This is a Supabase stack, and it has everything that Kith needs. Nothing was changed.')
    expect(out).not.toContain('REALTIME')
    expect(await written(server.url())).toBe(before)
  })

  test('an incomplete stack is rejected and not changed, even with a superuser', async () => {
    const before = await written(server.url())
    const { code, err } = await prepare(server.url('half'), '--migrate')
    expect(code).toBe(1)
    expect(err).toContain('lacks the table realtime.messages, the function realtime.topic.')
    expect(await written(server.url())).toBe(before)
  })
})

describe('A server that does not fit', async () => {
  const server = await bareServer('postgres')

  beforeAll(async () => {
    await server.start({ max_connections: '35' })
    await query(server.url(), `create role somebody login password 'x'`)
    await query(server.url(), `create database latin encoding 'LATIN1' template template0`)
  })

  test('is rejected with all faults, and nothing is created', async () => {
    const before = await written(server.url())
    const { code, out, err } = await prepare(server.url('latin', 'somebody', 'x'))
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err.split('\n')).toEqual([
      `Kith cannot run on ${new URL(server.url()).host}/latin.`,
      expect.stringMatching(/^ {2}wal_level is replica, and Realtime needs logical: run "alter system /),
      expect.stringMatching(/^ {2}The server has 32 connections .* needs 33: raise max_connections by 1 /),
      expect.stringMatching(/^ {2}The database has the encoding LATIN1, and Kith needs UTF8/),
      expect.stringMatching(/^ {2}The role somebody is not a superuser, .*: give the connection string of one\.$/),
      '',
    ])
    expect(await written(server.url())).toBe(before)
  })

  test('is rejected in one sentence if it cannot be reached or the address is missing', async () => {
    expect((await prepare(server.url('gone'))).err).toMatch(
      /refuses the connection: database "gone" does not exist\.\n$/,
    )
    expect((await prepare('postgresql://127.0.0.1:1/none')).err).toMatch(/cannot be reached \(ECONNREFUSED\)\.\n$/)
    expect((await prepare()).err).toMatch(/^npm run prepare-database -- /)
  })

  const fits: Server = {
    version: 170000,
    release: '17.0',
    walLevel: 'logical',
    feeds: 1,
    connections: 33,
    encoding: 'UTF8',
    role: 'postgres',
    superuser: true,
    ownerIsSuperuser: true,
    withoutExtensions: [],
    platform: false,
    fingerprint: null,
    missing: [],
  }

  test.each<[Partial<Server>, RegExp]>([
    [{ version: 160009, release: '16.9' }, /^The server is PostgreSQL 16\.9, and Kith needs 17: /],
    [{ feeds: 0 }, /^The server allows no replication connection, .* max_replication_slots and max_wal_senders /],
    [{ withoutExtensions: ['pg_trgm', 'unaccent'] }, /^The server lacks the extensions pg_trgm, unaccent: install /],
  ])('has a fault for %j', (differs, sentence) => {
    expect(faultsOf(fits, 33)).toEqual([])
    expect(faultsOf({ ...fits, ...differs }, 33)).toEqual([expect.stringMatching(sentence)])
  })
})
