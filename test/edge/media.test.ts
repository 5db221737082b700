// Media in object storage, through the whole of it: the facade announces, the client uploads, the function `media` looks,
// everybody reads, and the worker deletes. Against a storage that others wrote, and a stricter one with the function in Deno.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { takeSetting } from '../../api-facade/boot.ts'
import { readConfig } from '../../api-facade/lib/config.ts'
import { createLog } from '../../api-facade/lib/log.ts'
import { startServer } from '../../api-facade/server.ts'
import { startWorker } from '../../api-facade/worker/worker.ts'
import { s3Storage } from '../../edge-functions/media/storage.ts'
import { files, png } from '../support/files.ts'
import { functionsInDeno, listen } from '../support/functions.ts'
import { Person } from '../support/person.ts'
import { environment, JWT_SECRET } from '../support/settings.ts'
import { s3rver, storageSettings, strictStorage } from '../support/storage.ts'
import { until } from '../support/until.ts'
import { world } from '../support/world.ts'

const { alice, bob, database } = await world({ people: ['alice', 'bob'] })
const { owner } = database
const strict = await strictStorage()
const others = await s3rver()

type Upload = { assetId: string; uploadUrl: string; publicUrl: string; headers: Record<string, string> }
const image = (size = png.length) => ({ kind: 'image', contentType: 'image/png', size })
const put = (
  url: string,
  body: Uint8Array<ArrayBuffer> | ReadableStream,
  headers: Record<string, string> = { 'content-type': 'image/png' },
) => fetch(url, { method: 'PUT', headers, body, duplex: 'half' } as RequestInit)

describe.each([
  ['that others wrote', others, false],
  ['as strict as S3, with the function in Deno', strict.url, true],
])('a storage %s', async (_what, storageUrl, inDeno) => {
  const settings = storageSettings(storageUrl)
  const env: Record<string, string> = settings
  const more = inDeno && { FUNCTIONS_URL: await functionsInDeno(['media'], { JWT_SECRET, ...settings }) }
  const config = readConfig(environment(database.url, { ...env, ...more }))
  const server = await startServer({ config, databaseUrl: database.url })
  afterAll(() => server.stop())
  const at = (person: Person) => new Person(server.url, person.token)
  const announce = async (person = alice) => (await at(person).post<Upload>('/media/presign', image())).body
  const commit = ({ assetId }: Upload, person = alice) => at(person).post(`/media/${assetId}/commit`)

  beforeAll(async () => {
    await takeSetting(owner, 'media_url', settings.STORAGE_PUBLIC_URL)
    await takeSetting(owner, 'media_bucket', 'kith')
  })

  test('takes what was announced, and everybody reads it once it is committed', async () => {
    const upload = await announce()
    const { searchParams } = new URL(upload.uploadUrl)
    expect(searchParams.get('X-Amz-SignedHeaders')).toBe('content-length;content-type;host')
    expect(searchParams.get('X-Amz-Expires')).toBe('600')
    expect(upload.publicUrl).toBe(`${storageUrl}/kith/${upload.assetId}`)
    expect(await commit(upload)).toFailWith(422, 'asset_missing')
    expect((await put(upload.uploadUrl, png)).status).toBe(200)
    expect((await fetch(upload.publicUrl)).status).toBe(404)
    expect(await commit(upload, bob)).toFailWith(404, 'asset_unknown')
    expect(await commit(upload)).toMatchObject({ status: 200, body: { status: 'committed' } })
    expect(await commit(upload)).toMatchObject({ status: 200, body: { status: 'committed' } })
    const served = await fetch(upload.publicUrl)
    expect([served.status, served.headers.get('content-type')]).toEqual([200, 'image/png'])
    expect(new Uint8Array(await served.arrayBuffer())).toEqual(png)
  })

  test('takes nothing else by that address', async () => {
    const { uploadUrl, assetId } = await announce()
    const other = await announce()
    const longer = Uint8Array.from([...png, 0])
    expect((await put(uploadUrl, png, { 'content-type': 'text/html' })).status).toBe(403)
    expect((await put(uploadUrl, longer)).status).toBe(403)
    expect((await put(uploadUrl, new Blob([png]).stream())).status).toBeGreaterThanOrEqual(403)
    expect((await put(uploadUrl.replace(assetId, other.assetId), png)).status).toBe(403)
    expect((await put(uploadUrl.replace('.upload', ''), png)).status).toBe(403)
    expect((await put(uploadUrl.replace('Expires=600', 'Expires=6000'), png)).status).toBe(403)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 601_000 })
    const old = await s3Storage({ ...config.storage, region: 'us-east-1' } as Parameters<typeof s3Storage>[0])
      .presign({ key: assetId, contentType: 'image/png', size: png.length })
      .finally(() => vi.useRealTimers())
    expect((await put(old.url, png)).status).toBe(403)
    if (inDeno) {
      expect((await put(uploadUrl.replace(/\?.*/, ''), png)).status).toBe(403)
      expect((await put(uploadUrl, png, { 'content-type': 'image/png', 'x-amz-acl': 'private' })).status).toBe(403)
    }
    expect((await put(uploadUrl, png)).status).toBe(200)
  })

  test('does not keep what is not what was announced', async () => {
    const upload = await announce()
    expect((await put(upload.uploadUrl, new TextEncoder().encode('<html>'.padEnd(png.length)))).status).toBe(200)
    expect(await commit(upload)).toFailWith(422, 'asset_unfit')
    expect(await commit(upload)).toFailWith(422, 'asset_missing')
    expect((await fetch(upload.publicUrl)).status).toBe(404)
  })

  test('takes nothing that changes what is committed, and the worker deletes what comes late, expires or is gone', async () => {
    const [kept, expired, removed] = [await announce(), await announce(), await announce()]
    for (const upload of [kept, expired, removed]) expect((await put(upload.uploadUrl, png)).status).toBe(200)
    // of several at once, as a client sends that repeats itself, none is told that there is nothing
    for (const upload of [kept, removed]) {
      const answers = await Promise.all(Array.from({ length: 5 }, () => commit(upload)))
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    }
    const other = Uint8Array.from(png).reverse()
    expect((await put(kept.uploadUrl, other)).status).toBe(200)
    expect(new Uint8Array(await (await fetch(kept.publicUrl)).arrayBuffer())).toEqual(png)

    await owner`update app.media_assets set expires_at = now() where id = ${expired.assetId}`
    await owner`delete from app.media_assets where id = ${removed.assetId}`
    await owner`select private.job_purge()`
    await owner`update private.doomed_objects set due_at = now()`
    // the storage does not answer the first time, and one object is never to be deleted
    if (inDeno) strict.refuse(9)
    const locked = crypto.randomUUID()
    strict.locked.add(locked)
    if (inDeno)
      await owner`insert into private.doomed_objects values ('kith', ${locked}, false, now() - interval '1 hour')`
    const worker = await startWorker({ config, databaseUrl: database.url, log: createLog(config), pollSeconds: 0.1 })
    await until(async () => {
      await worker.send('delete-objects')
      await owner`update private.doomed_objects set due_at = now()
                  where not exists (select from pgboss.job where name = 'objects' and state < 'completed')`
      return (await owner`select from private.doomed_objects where key <> ${locked}`).length === 0
    }).finally(() => worker.stop())
    strict.refuse(0)
    expect((await fetch(kept.publicUrl)).status).toBe(200)
    for (const { publicUrl } of [expired, removed]) expect((await fetch(publicUrl)).status).toBe(404)
    for (const { publicUrl } of [kept, expired, removed]) expect((await fetch(`${publicUrl}.upload`)).status).toBe(404)
  })
})

test('what was looked at is what is copied, and deleting twice is no fault', async () => {
  const storage = s3Storage({
    url: strict.url,
    bucket: 'kith',
    region: 'auto',
    accessKey: 'S3RVER',
    secretKey: 'S3RVER',
  })
  const body = Buffer.from(files['image/gif'] ?? [])
  strict.objects.set('one', { body, type: 'image/gif', etag: '"1"' })
  await expect(storage.copy('one', 'two', '"2"')).rejects.toThrow('412')
  await expect(storage.copy('none', 'two', '"2"')).rejects.toThrow('did not copy')
  await storage.copy('one', 'two', '"1"')
  expect(await storage.find('two')).toEqual({ size: body.length, contentType: 'image/gif', etag: '"1"' })
  expect(Buffer.from(await storage.head('two', 4, '"1"')).toString()).toBe('GIF8')
  await expect(storage.head('two', 4, '"2"')).rejects.toThrow('412')
  await expect(storage.head('none', 4, '"1"')).rejects.toThrow('gone')
  await storage.remove('two')
  await storage.remove('two')
  expect(await storage.find('two')).toBe(null)
})

test('a storage that does not answer is said to be unavailable, and the next commit makes good what was cut off', async () => {
  const config = readConfig(environment(database.url, storageSettings(strict.url)))
  const logged: object[] = []
  const log = Object.assign(createLog(config), { warn: (line: object) => logged.push(line) })
  const server = await startServer({ config, databaseUrl: database.url, log })
  afterAll(() => server.stop())
  const person = new Person(server.url, alice.token)
  const { assetId } = (await person.post<Upload>('/media/presign', image())).body
  strict.refuse(9)
  expect(await person.post(`/media/${assetId}/commit`)).toFailWith(503, 'storage_unavailable')
  const failure = expect.objectContaining({ message: 'media answered 503 (Error HEAD 503)' })
  expect(logged).toEqual([expect.objectContaining({ door: 'commit', failure })])
  strict.refuse(0)
  // a commit was cut off behind the copy
  strict.objects.set(assetId, { body: Buffer.from(png), type: 'image/png', etag: '"1"' })
  expect(await person.post(`/media/${assetId}/commit`)).toMatchObject({ status: 200 })
})

test('a worker that was not told of the storage forgets no object of it', async () => {
  const [key, config] = [crypto.randomUUID(), readConfig(environment(database.url))]
  await takeSetting(owner, 'media_bucket', 'kith')
  await owner`insert into private.doomed_objects values ('kith', ${key}, false, now())`
  const worker = await startWorker({ config, databaseUrl: database.url, log: createLog(config), pollSeconds: 0.1 })
  const job = await until(async () => {
    await worker.send('delete-objects')
    const [over] =
      await owner`select state from pgboss.job where name = 'objects' and completed_on is not null and data -> 'keys' ? ${key}`
    return over
  }).finally(() => worker.stop())
  expect(job).toEqual({ state: 'failed' })
  expect(await owner`select from private.doomed_objects where key = ${key}`).toHaveLength(1)
})

test('a storage that never answers is not waited for', async () => {
  const url = await listen(() => {})
  const storage = s3Storage({ url, bucket: 'kith', region: 'auto', accessKey: 'a', secretKey: 'b' })
  const timeout = AbortSignal.timeout.bind(AbortSignal)
  const patience = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout(ms / 1000))
  await expect(storage.find('one')).rejects.toThrow('timeout')
  expect(patience).toHaveBeenCalledWith(20_000)
  patience.mockRestore()
})

test('half of the settings of a storage stop the start', () => {
  const { STORAGE_SECRET_KEY: _, ...half } = storageSettings('https://storage.example.org')
  expect(() => readConfig(half)).toThrow('STORAGE_SECRET_KEY: must be set together with the other STORAGE_…')
})
