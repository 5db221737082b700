// Backup and restore of an embedded instance: a drill with kill -9 during writes, backups that must be refused,
// retention, and an object storage.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres, { type Sql } from 'postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startArchive } from '../supabase/embedded/backup/archive.ts'
import { backUp, prune } from '../supabase/embedded/backup/base.ts'
import { listBases, piecesOf } from '../supabase/embedded/backup/manifest.ts'
import { openPlace } from '../supabase/embedded/backup/place.ts'
import { type RestoreOptions, restore } from '../supabase/embedded/backup/restore.ts'
import { lock, readInstance } from '../supabase/embedded/instance.ts'
import { startPostgres } from '../supabase/embedded/postgres.ts'
import { verify } from '../supabase/embedded/verify.ts'
import { letIn } from './support/joining.ts'
import { Person } from './support/person.ts'
import { address, ended } from './support/process.ts'
import { ADMIN } from './support/settings.ts'
import { s3rver, strictStorage } from './support/storage.ts'
import { until } from './support/until.ts'

const root = mkdtempSync(join(tmpdir(), 'kith-backup-'))
chmodSync(root, 0o711) // the server's account must be able to reach the data folders
const dataDir = join(root, 'data')
const folder = join(root, 'place')
const place = openPlace(folder)
const passphrase = 'a passphrase of the test'
const s3 = { region: 'us-east-1', accessKey: 'S3RVER', secretKey: 'S3RVER' }
const PICTURE = 'media/11111111-1111-4111-8111-111111111111'

let folders = 0
const newFolder = () => join(root, `folder${++folders}`)

const instances: ChildProcess[] = []
afterAll(async () => {
  await Promise.all(instances.map(ended))
  rmSync(root, { recursive: true, force: true })
})

async function launch(
  folder: string,
  more: Record<string, string> = {},
): Promise<{ url: string; instance: ChildProcess }> {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const instance = spawn(process.execPath, ['api-facade/main.ts'], {
    detached: true, // the instance gets its own process group, so that all its processes can be killed at once
    env: {
      ...{ PATH, NODE_COMPILE_CACHE, DATA_DIR: folder, PORT: '0', HOST: '127.0.0.1', EMBEDDINGS: 'off' },
      ...{ ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password, RATE_LIMIT_SCALE: '1000000', LOG_LEVEL: 'error' },
      ...more,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  instances.push(instance)
  return { url: await address(instance), instance }
}

/** The number of posts, and whether the rules hold, on a restored cluster. */
async function restored(options: Omit<RestoreOptions, 'dataDir' | 'passphrase'> & { dataDir?: string }) {
  let bodies: string[] = []
  const work = async (sql: Sql) => {
    bodies = (await sql<{ body: string }[]>`select body from app.posts`).map(({ body }) => body)
    expect((await verify(sql)).violations).toEqual([])
  }
  const to = options.dataDir ?? newFolder()
  return { ...(await restore({ passphrase, ...options, dataDir: to, work })), bodies, dataDir: to }
}

type Write = { body: string; sentAt: number; answeredAt: number }
let writes: Write[] = []
let person: Person
let moment: Date
let bucket: string
let verifiedAt: number

/** Runs the job that makes the second backup. @returns what /metrics then says about it */
async function nightly(databaseUrl: string, url: string): Promise<number> {
  const sql = postgres(databaseUrl, { max: 1 })
  await sql`select private.job_back_up()`
  await sql.end()
  return until(
    async () => {
      const text = await (await fetch(`${url}/metrics`)).text()
      return Number(/^kith_backup_verified_timestamp_seconds (\S+)$/m.exec(text)?.[1])
    },
    { timeout: 120_000, every: 500 },
  )
}

beforeAll(async () => {
  mkdirSync(join(root, 'place'))
  const { url, instance } = await launch(dataDir, {
    BACKUP_TO: folder,
    BACKUP_PASSPHRASE: passphrase,
    BACKUP_SECONDS: '1',
  })
  const admin = await Object.assign(new Person(url), ADMIN).login()
  const people = await letIn(admin, ['ann', 'ben'])
  person = people[0] as Person
  await until(async () => (await listBases(place, await place.list())).length === 1)
  // adds a file of the media, and makes a second backup, also into an object storage
  mkdirSync(join(dataDir, 'media'), { recursive: true })
  writeFileSync(join(dataDir, PICTURE), 'a picture')
  const databaseUrl = readInstance(dataDir)?.stack?.dbUrl ?? ''
  verifiedAt = await nightly(databaseUrl, url)
  const { url: storage } = await strictStorage()
  bucket = storage
  await backUp({
    databaseUrl,
    dataDir,
    place: openPlace('s3://kith-other/backups/one', { ...s3, url: storage }),
    passphrase,
    days: 7,
  })

  let running = true
  const traffic = people.map(async (author, at) => {
    for (let n = 0; running; n++) {
      const body = `${at} ${n}`
      const sentAt = Date.now()
      const answer = await author.post('/posts', { body }).catch(() => null)
      if (answer?.status === 201) writes.push({ body, sentAt, answeredAt: Date.now() })
    }
  })
  await until(() => writes.length > 20)
  moment = new Date()
  const before = writes.length
  await until(() => writes.length > before + 20)
  const reached = async () => piecesOf(await place.list(), (await newest()).folder).at(-1)?.until ?? 0
  await until(async () => (await reached()) > moment.getTime())
  const postmaster = Number(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n')[0])
  const exit = once(instance, 'exit')
  process.kill(-(instance.pid ?? 0), 'SIGKILL')
  process.kill(-postmaster, 'SIGKILL')
  running = false
  await Promise.all([exit, ...traffic])
  writes = writes.filter(({ answeredAt }) => answeredAt > 0)
}, 240_000)

const newest = async () => (await listBases(place, await place.list())).at(-1) as Awaited<ReturnType<typeof backUp>>

test('After kill -9 during writes, a moment can be restored, with all that was acknowledged before and nothing later', async () => {
  const { bodies, dataDir: copy, until: restoredAt, secrets } = await restored({ place, at: moment })
  const before = writes.filter(({ answeredAt }) => answeredAt <= moment.getTime()).map(({ body }) => body)
  const after = writes.filter(({ sentAt }) => sentAt > moment.getTime()).map(({ body }) => body)
  expect(before.length).toBeGreaterThan(20)
  expect(after.length).toBeGreaterThan(10)
  expect(before.filter((body) => !bodies.includes(body))).toEqual([])
  expect(after.filter((body) => bodies.includes(body))).toEqual([])
  expect({ restoredAt, secrets }).toEqual({ restoredAt: moment, secrets: true })
  expect(readFileSync(join(copy, PICTURE), 'utf8')).toBe('a picture')

  // the restored folder starts with the same secrets, so that an old token is valid
  const { url, instance } = await launch(copy)
  const me = await Object.assign(new Person(url), { token: person.token }).get<{ username: string }>('/me')
  expect({ status: me.status, username: me.body.username }).toEqual({ status: 200, username: 'ann' })
  await ended(instance)
}, 180_000)

test('The job takes a backup and verifies it, and /metrics says until when it can be restored', async () => {
  const { takenAt } = await newest()
  expect(verifiedAt).toBeGreaterThanOrEqual(Date.parse(takenAt) / 1000)
  expect(verifiedAt).toBeLessThan(moment.getTime() / 1000)
  expect((await listBases(place, await place.list())).length).toBe(2)
})

test('Without a given moment, everything in the log is restored', async () => {
  const { bodies, until: reached } = await restored({ place, withoutSecrets: true })
  const before = writes.filter(({ answeredAt }) => answeredAt <= reached.getTime()).map(({ body }) => body)
  expect(reached.getTime()).toBeGreaterThan(moment.getTime())
  expect(before.filter((body) => !bodies.includes(body))).toEqual([])
}, 120_000)

test('A base backup in an object storage can be restored, and checks its files', async () => {
  const there = openPlace('s3://kith-other/backups/one', { ...s3, url: bucket })
  expect((await there.list()).map((name) => name.replace(/^[\w-]+\//, '').replace(/^(\w+)\/.*\//, '$1/'))).toEqual(
    expect.arrayContaining(['base/base.tar.gz.000', 'base/manifest.json', 'base/secrets.json']),
  )
  const { until: reached, base } = await restored({ place: there })
  expect(reached.toISOString()).toBe(base.takenAt)
}, 120_000)

/** A copy of the backup folder in which something is changed. */
async function changed(change: (base: string, copy: string, history: string) => void) {
  const copy = newFolder()
  cpSync(folder, copy, { recursive: true })
  const { folder: history, id } = await newest()
  change(join(copy, history, 'base', id), copy, join(copy, history))
  return openPlace(copy)
}

const edit = (file: string, change: (bytes: Buffer) => Buffer) => writeFileSync(file, change(readFileSync(file)))
const flipped = (bytes: Buffer) => {
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1
  return bytes
}
const part = (base: string) => join(base, 'base.tar.gz.000')
const manifest = (base: string, pattern: RegExp, text: string) =>
  edit(join(base, 'manifest.json'), (bytes) => Buffer.from(bytes.toString().replace(pattern, text)))
/** A piece of the log, counted from the last one. */
const piece = (history: string, at: number) =>
  join(history, 'wal', readdirSync(join(history, 'wal')).sort().at(at) ?? '')

const refused: [string, (base: string, copy: string, history: string) => void, RegExp, Partial<RestoreOptions>?][] = [
  ['that is empty', (_, copy) => rmSync(copy, { recursive: true }), /^There is no complete backup of Kith in /],
  [
    'with a flipped bit in the cluster',
    (base) => edit(part(base), flipped),
    /damaged: the checksum of .*base\.tar\.gz\.000/,
  ],
  [
    'whose cluster ends too early',
    (base) => edit(part(base), (bytes) => bytes.subarray(0, -9)),
    /the checksum of .*000/,
  ],
  [
    'that lacks a part of the cluster',
    (base) => rmSync(part(base)),
    /not complete: .*base\.tar\.gz\.000 cannot be read/,
  ],
  [
    'that lacks a picture',
    (_, __, history) => rmSync(join(history, 'media'), { recursive: true }),
    /not complete: .*media/,
  ],
  [
    'of something else',
    (base) => writeFileSync(join(base, 'manifest.json'), '{"software":"other"}'),
    /is damaged, or not/,
  ],
  ['of another format', (base) => manifest(base, /kith backup 1/, 'kith backup 2'), /is damaged, or not the manifest/],
  [
    'of another PostgreSQL',
    (base) => manifest(base, /"postgres": 17/, '"postgres": 16'),
    /of PostgreSQL 16, and this release of Kith runs 17 and 18/,
  ],
  ['of several instances', (base) => manifest(base, /"system": "\d/, '"system": "x'), /backups of several instances/],
  ['with another passphrase', () => {}, /^BACKUP_PASSPHRASE is not the pass/, { passphrase: 'another passphrase' }],
  ['without the passphrase', () => {}, /^The backup has encrypted secrets/, { passphrase: undefined }],
  [
    'whose log has a gap',
    (_, __, history) => rmSync(piece(history, -2)),
    /^The log has a gap: the piece from .* is missing/,
  ],
  // damages the last piece, because an earlier piece may end before the base backup
  ['with a damaged log', (_, __, history) => edit(piece(history, -1), flipped), /^The backup is damaged: .*wal.*\.gz/],
  ['that begins later', () => {}, /does not reach back to 2020/, { at: new Date('2020-01-01') }],
  ['that ends earlier', () => {}, /does not reach 2100.*: it ends at 20/, { at: new Date('2100-01-01') }],
]

test.each(refused)('A backup %s is refused, and nothing is left behind', async (_what, change, reason, more = {}) => {
  const options = { place: await changed(change), passphrase, dataDir: newFolder(), ...more }
  await expect(restore(options)).rejects.toThrow(reason)
  const left = existsSync(options.dataDir) ? readdirSync(options.dataDir) : []
  expect(left.filter((name) => !name.startsWith('lock'))).toEqual([])
})

test('A restore requires an empty folder', async () => {
  const used = newFolder()
  mkdirSync(used)
  writeFileSync(join(used, 'taxes.ods'), '')
  await expect(restore({ place, passphrase, dataDir: used })).rejects.toThrow('is not empty (there is taxes.ods)')
  await expect(restore({ place, passphrase, dataDir })).rejects.toThrow('holds an instance')
})

test('Backups that are not needed for the last days are deleted, with their part of the log', async () => {
  const copy = await changed(() => {})
  const days = (count: number) => Date.now() + count * 86_400_000
  const [first, second] = await listBases(copy, await copy.list())
  if (!first || !second) throw new Error('there are not two backups')
  await prune(copy, 7, first.folder, days(6))
  expect((await listBases(copy, await copy.list())).map(({ id }) => id)).toEqual([first.id, second.id])
  const before = (await copy.list()).length
  await prune(copy, 7, first.folder, days(8)) // the newest backup stays, however old it is
  const names = await copy.list()
  expect((await listBases(copy, names)).map(({ id }) => id)).toEqual([second.id])
  expect(names.filter((name) => name.includes(first.id))).toEqual([])
  expect(names.length).toBeLessThan(before - 2)
  const { bodies } = await restored({ place: copy, withoutSecrets: true })
  expect(bodies.length).toBeGreaterThan(40)
}, 120_000)

test('A history without a complete base backup is deleted when all of it is too old, except the current one', async () => {
  const copy = await changed((_, copy, history) => {
    cpSync(history, join(copy, 'lost'), { recursive: true })
    for (const id of readdirSync(join(copy, 'lost', 'base'))) rmSync(join(copy, 'lost', 'base', id, 'manifest.json'))
    cpSync(join(history, 'media'), join(copy, 'other', 'media'), { recursive: true }) // no history
  })
  const days = (count: number) => Date.now() + count * 86_400_000
  const left = async () => (await copy.list()).filter((name) => /^(lost|other)\//.test(name))
  const before = await left()
  const { folder: current } = await newest()
  await prune(copy, 7, current, days(6))
  await prune(copy, 7, 'lost/', days(8))
  expect(await left()).toEqual(before)
  await prune(copy, 7, current, days(8))
  expect(await left()).toEqual(before.filter((name) => name.startsWith('other/')))
})

test('An archive that begins while another backup runs gets its base backup afterwards', async () => {
  const [own, there] = [newFolder(), openPlace(newFolder())]
  const server = await startPostgres({ dataDir: own, ephemeral: true })
  const held = lock(join(own, 'backup.lock'), 0)
  const failures: unknown[] = []
  const options = { dataDir: own, place: there, onError: (failure: unknown) => failures.push(failure) }
  const archive = startArchive({
    ...{ ...options, seconds: 1, primaryUrl: () => server.url() },
    onBegin: () => backUp({ ...options, databaseUrl: server.url(), days: 1 }),
  })
  try {
    await until(() => failures.length > 0)
    expect(await listBases(there, await there.list())).toEqual([])
    held?.close()
    await until(async () => (await listBases(there, await there.list())).length === 1)
    expect(new Set(failures)).toEqual(new Set([new Error(`Another backup of ${own} is running.`)]))
  } finally {
    await archive.stop()
    await server.stop()
  }
}, 60_000)

test('An object storage of third parties keeps, lists and deletes files', async () => {
  const { bare } = await s3rver()
  const there = openPlace('s3://kith-other/a/b', { ...s3, url: bare })
  const bytes = Buffer.alloc(100_000, 7)
  await there.put('wal/one', bytes)
  await there.put('wal/two', bytes)
  expect((await there.get('wal/one')).equals(bytes)).toBe(true)
  expect(await there.list()).toEqual(['wal/one', 'wal/two'])
  await there.remove('wal/one')
  expect(await there.list('wal/')).toEqual(['wal/two'])
  expect(await there.list('base/')).toEqual([])
  await expect(there.get('wal/one')).rejects.toThrow('answered GET with NoSuchKey')
})

test('All files of an object storage are listed, even those after the first thousand', async () => {
  const { url, objects } = await strictStorage()
  const there = openPlace('s3://kith-other/many', { ...s3, url })
  const names = Array.from({ length: 2001 }, (_, n) => `wal/${String(n).padStart(4, '0')}`)
  for (const name of names) objects.set(`kith-other/many/${name}`, { body: Buffer.from(name), headers: {} })
  expect(await there.list()).toEqual(names)
})
