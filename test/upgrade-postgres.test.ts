// npm run upgrade-postgres: an instance with people and posts moves to the next PostgreSQL and loses nothing.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { afterAll, describe, expect, test } from 'vitest'
import { backUp } from '../supabase/embedded/backup/base.ts'
import { openPlace } from '../supabase/embedded/backup/place.ts'
import { restore } from '../supabase/embedded/backup/restore.ts'
import { CLUSTER, finishReplacement } from '../supabase/embedded/cluster.ts'
import { readInstance } from '../supabase/embedded/instance.ts'
import { serve } from '../supabase/embedded/postgres.ts'
import { verify } from '../supabase/embedded/verify.ts'
import { play } from './demo/story.ts'
import { Person } from './support/person.ts'
import { address, ended } from './support/process.ts'
import { ADMIN } from './support/settings.ts'
import { until } from './support/until.ts'

const base = mkdtempSync(join(tmpdir(), 'kith-upgrade-'))
chmodSync(base, 0o711) // the account of the server has to reach it
afterAll(() => rmSync(base, { recursive: true }))
const dataDir = join(base, 'data')

const major = (name: string) => Number(readFileSync(join(dataDir, name, 'PG_VERSION'), 'utf8'))
const { PATH, HOME, NODE_COMPILE_CACHE } = process.env
const env = { PATH, HOME, NODE_COMPILE_CACHE, DATA_DIR: dataDir }

/** Runs the command. `text` has what the command has printed. */
function upgrade() {
  const child = spawn(process.execPath, ['supabase/embedded/upgrade.ts'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const seen = { text: '' }
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      seen.text += text
    })
  return { child, seen, exit: once(child, 'close') }
}

/** Runs `work` while the instance of the folder runs. */
async function running<T>(work: (url: string, dbUrl: string) => Promise<T>): Promise<T> {
  const more = { PORT: '0', LOG_LEVEL: 'silent', RATE_LIMIT_SCALE: '1000', EMBEDDINGS: 'off', WORKER: 'off' }
  const admin = { ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password }
  const instance = spawn(process.execPath, ['api-facade/main.ts'], {
    env: { ...env, ...more, ...admin },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const url = await address(instance)
    return await work(url, readInstance(dataDir)?.stack?.dbUrl ?? '')
  } finally {
    await ended(instance)
  }
}

/** Changes the database of the instance, which does not run, as a DBA might. */
async function asSuperuser(statements: string): Promise<void> {
  const log = join(base, 'superuser.log')
  const server = await serve({ dataDir, cluster: CLUSTER, log, settings: {} })
  const sql = postgres(server.superuserUrl(), { max: 1, onnotice: () => {} })
  await sql.unsafe(statements).finally(() => sql.end())
  await server.stop()
}

/** The content of tables that a start does not change, and the positions of the sequences. */
async function content(dbUrl: string) {
  const sql = postgres(dbUrl, { max: 1, onnotice: () => {} })
  try {
    const [server] = await sql`select current_setting('server_version_num')::int / 10000 as major`
    const tables = await sql<{ name: string }[]>`
      select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname = 'app' and tablename not in ('settings', 'sessions', 'domain_events') order by 1`
    const texts: Record<string, string> = {}
    for (const { name } of tables) {
      const [row] = await sql.unsafe<
        { text: string }[]
      >(`select coalesce(string_agg(t::text, E'\\n' order by t::text), '')
        as text from ${name} t`)
      texts[name] = row?.text ?? ''
    }
    const sequences = await sql`
      select schemaname, sequencename, last_value from pg_sequences where schemaname = 'app' order by 1, 2`
    return { major: server?.major, texts, sequences: [...sequences] }
  } finally {
    await sql.end()
  }
}

test('An instance is upgraded with all its data, even after an attempt that was killed', async () => {
  const before = await running(async (url, dbUrl) => {
    await play({ url, admin: ADMIN, print: () => {} })
    const { seen, exit } = upgrade()
    expect(await exit).toEqual([1, null])
    expect(seen.text).toMatch(/^An instance is already running on .* End it with: npm run stop\n/)
    return content(dbUrl)
  })
  expect(before).toMatchObject({
    major: 17,
    texts: { 'app.posts': expect.stringContaining('What I owe to strangers') },
  })

  await asSuperuser(`
    create table public.accounts (id integer);
    create role dba login;
    create index mine on app.posts (body) where id is null;
    create table realtime.messages_2020_01_01 partition of realtime.messages for values from ('2020-01-01') to ('2020-01-02');
    alter table realtime.messages_2020_01_01 owner to supabase_realtime_admin;
    insert into realtime.messages (topic, extension, inserted_at) values ('a topic', 'broadcast', '2020-01-01')`)
  const refused = upgrade()
  expect(await refused.exit).toEqual([1, null])
  expect(refused.seen.text).toMatch(
    /migrations, and move or remove what is not Kith's\.\n {2}not in this release: table public\.accounts\n/,
  )
  await asSuperuser('drop table public.accounts')

  const killed = upgrade()
  await until(() => killed.seen.text.includes('Copying the rows.'), { timeout: 60_000 })
  killed.child.kill('SIGKILL')
  await killed.exit
  expect([major('postgres'), existsSync(join(dataDir, 'postgres-17'))]).toEqual([17, false])

  const { seen, exit } = upgrade()
  expect([await exit, seen.text]).toEqual([[0, null], expect.stringMatching(/\d+ tables and sequences are equal\.\n/)])
  expect(seen.text).toMatch(/ Make them again:\n {2}index app\.mine\n {2}role dba\n[^ ]/)
  expect([major('postgres'), major('postgres-17')]).toEqual([18, 17])
  expect(readdirSync(dataDir).filter((name) => /\.(new|complete|rows|unfinished)$/.test(name))).toEqual([])

  await running(async (url, dbUrl) => {
    expect(await content(dbUrl)).toEqual({ ...before, major: 18 })
    const admin = await Object.assign(new Person(url), ADMIN).login()
    expect(await admin.post('/posts', { body: 'Written after the upgrade.', visibility: 'public' })).toMatchObject({
      status: 201,
    })
    // its backups can be restored
    const place = openPlace(join(base, 'backups'))
    await backUp({ databaseUrl: dbUrl, dataDir, place, days: 1 })
    await restore({
      place,
      dataDir: join(base, 'restored'),
      work: async (restored) => {
        const { violations, rows } = await verify(restored)
        expect([violations, rows['app.posts']]).toEqual([[], Number(before.texts['app.posts']?.split('\n').length) + 1])
      },
    })
  })
  const again = upgrade()
  expect(await again.exit).toEqual([0, null])
  expect(again.seen.text).toBe('The database is already of PostgreSQL 18.\n')

  // goes back to the old cluster, as docs/operation.md says
  renameSync(join(dataDir, 'postgres'), join(dataDir, 'postgres-18'))
  renameSync(join(dataDir, 'postgres-17'), join(dataDir, 'postgres'))
  expect(await running((_url, dbUrl) => content(dbUrl))).toEqual(before)
}, 600_000)

describe('An interrupted replacement of the cluster', () => {
  const folder = mkdtempSync(join(base, 'clusters-'))
  const make = (name: string, file: string) => mkdirSync(join(folder, name, file), { recursive: true })
  const files = () => readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()

  test('is finished by the next start if the old cluster is already renamed, and otherwise changes nothing', () => {
    make('postgres', 'old')
    make('postgres.complete', 'new')
    finishReplacement(folder)
    expect(files()).toEqual(['postgres', 'postgres.complete', 'postgres.complete/new', 'postgres/old'])
    renameSync(join(folder, 'postgres'), join(folder, 'postgres-17'))
    finishReplacement(folder)
    expect(files()).toEqual(['postgres', 'postgres-17', 'postgres-17/old', 'postgres/new'])
  })
})
