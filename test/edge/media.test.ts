// Media in object storage, end to end: the facade announces, the client uploads, the function `media` checks, everybody
// reads, and the worker deletes. The tests run against a third-party storage, and against a stricter one with the
// function in Deno.
import { createHash } from 'node:crypto'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { takeSetting } from '../../api-facade/boot.ts'
import { readConfig } from '../../api-facade/lib/config.ts'
import { createLog } from '../../api-facade/lib/log.ts'
import { startServer } from '../../api-facade/server.ts'
import { startWorker } from '../../api-facade/worker/worker.ts'
import { presign } from '../../edge-functions/media/presign.ts'
import { s3Storage } from '../../edge-functions/media/storage.ts'
import { files, png } from '../support/files.ts'
import { functionsInDeno, listen } from '../support/functions.ts'
import { mediaLife, put, type Upload } from '../support/media-life.ts'
import { Person } from '../support/person.ts'
import { environment, JWT_SECRET } from '../support/settings.ts'
import { s3rver, storageSettings, strictStorage } from '../support/storage.ts'
import { until } from '../support/until.ts'
import { world } from '../support/world.ts'

const { alice, bob, database } = await world({ people: ['alice', 'bob'] })
const { owner } = database
const strict = await strictStorage()
const others = await s3rver()
const settings = storageSettings(strict.url)
const storage = s3Storage({ url: strict.url, bucket: 'kith', region: 'auto', accessKey: 'S3RVER', secretKey: 'S3RVER' })
const image = { kind: 'image', contentType: 'image/png', size: png.length }

/** How often a commit is raced: less often than by npm run verify:storage, because each race keeps the CPU busy. */
const races = 12

describe('With a third-party storage', async () => {
  await mediaLife({ settings: storageSettings(others.url), database, alice, bob, races })
})

describe('With a storage as strict as S3 and the function in Deno', async () => {
  const functionsUrl = await functionsInDeno(['media'], { JWT_SECRET, ...settings })
  await mediaLife({ settings, database, alice, bob, functionsUrl, races })
})

/** A facade with the strict storage, and the warnings that it logs. */
async function facade() {
  const config = readConfig(environment(database.url, settings))
  const logged: unknown[] = []
  const log = Object.assign(createLog(config), {
    // skips the lines of /ready, because on a busy machine its first check may be too late
    warn: (line: unknown) => JSON.stringify(line).includes('faults') || logged.push(line),
  })
  const server = await startServer({ config, databaseUrl: database.url, log })
  afterAll(() => server.stop())
  await takeSetting(owner, 'media_url', settings.STORAGE_PUBLIC_URL)
  await takeSetting(owner, 'media_bucket', 'kith')
  const person = new Person(server.url, alice.token)
  const announce = async () => (await person.post<Upload>('/media/presign', image)).body
  const commit = ({ assetId }: { assetId: string }) => person.post(`/media/${assetId}/commit`)
  const warnings = async () => ((await (await fetch(`${server.url}/ready`)).json()) as { warnings?: string[] }).warnings
  return { server: server.url, logged, announce, commit, warnings }
}
type Parted = {
  assetId: string
  publicUrl: string
  partSize: number
  parts: { number: number; size: number; arrived: boolean; uploadUrl: string | null }[]
}
const ascii = (text: string) => [...text].map((sign) => sign.charCodeAt(0))
/** Another file of the same size and type. */
const twin = Buffer.from(png).fill(7, png.length - 4)
const stored = (body = Buffer.from(png)) => ({ body, headers: { 'content-type': 'image/png' } })

test('An upload address expires after ten minutes, and a strict storage accepts only what was signed', async () => {
  const key = `${crypto.randomUUID()}.upload`
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 601_000 })
  const old = await storage
    .presign({ key, contentType: 'image/png', size: png.length })
    .finally(() => vi.useRealTimers())
  expect((await put(old.url, png)).status).toBe(403)
  const { url } = await storage.presign({ key, contentType: 'image/png', size: png.length })
  expect((await put(url.replace(/\?.*/, ''), png)).status).toBe(403)
  expect((await put(url, png, { 'content-type': 'image/png', 'x-amz-acl': 'private' })).status).toBe(403)
  expect((await put(url, png)).status).toBe(200)
  await storage.uploads.remove(key)
})

test('The signature of an upload address for Supabase says that there is no source to copy', async () => {
  const keys = { accessKeyId: 'a', secretAccessKey: 'b', region: 'us-east-1', service: 's3' }
  const asset = { key: 'one', contentType: 'image/png', size: 7 }
  const url = 'https://ref.storage.supabase.co/storage/v1/s3/kith-uploads'
  const signed = await presign({ url, keys }, asset)
  expect(new URL(signed.url).searchParams.get('X-Amz-SignedHeaders')).toBe(
    'content-length;content-type;host;x-amz-copy-source',
  )
  expect(signed.headers).toEqual({ 'Content-Type': 'image/png', 'Content-Length': '7' })
})

test('An upload of the wrong size, type or content is not published', async () => {
  const { announce, commit } = await facade()
  const upload = await announce()
  const place = `kith-uploads/${upload.assetId}.upload`
  for (const one of [
    stored(Buffer.from('<html>'.padEnd(png.length))),
    stored(Buffer.concat([png, png])),
    { ...stored(), headers: { 'content-type': 'image/svg+xml' } },
  ]) {
    strict.objects.set(place, one)
    expect(await commit(upload)).toFailWith(422, 'asset_unfit')
    strict.objects.set(`kith/${upload.assetId}`, one) // a commit was interrupted after it copied
    expect(await commit(upload)).toFailWith(422, 'asset_unfit')
    expect([...strict.objects.keys()].filter((key) => key.startsWith('kith-uploads/'))).toEqual([
      'kith-uploads/kith-check',
    ])
  }
  strict.sizes.most = 5
  strict.objects.set(place, stored())
  expect(await commit(upload)).toFailWith(413, 'asset_large')
  strict.sizes.most = Number.POSITIVE_INFINITY
  strict.objects.delete(`kith/${upload.assetId}`)
  expect(await commit(upload)).toFailWith(422, 'asset_missing')
})

describe('An upload in parts', () => {
  const film = new Uint8Array(17 * 1024 * 1024).map((_, i) => i % 251)
  film.set(files['video/mp4'] as Uint8Array)
  const clip = { kind: 'video', contentType: 'video/mp4', size: film.length }
  const parted = async () => {
    const { server, ...site } = await facade()
    const at = (person: Person) => new Person(server, person.token)
    const begin = async () => {
      const { status, body } = await at(alice).post<Parted>('/media/multipart', clip)
      expect(status).toBe(201)
      return body
    }
    const parts = async ({ assetId }: { assetId: string }, person = alice) =>
      at(person).get<Parted>(`/media/${assetId}/parts`)
    const missing = async (upload: Parted) =>
      (await parts(upload)).body.parts.filter(({ arrived }) => !arrived).map(({ number }) => number)
    const send = async ({ partSize, parts }: Parted, ...numbers: number[]) => {
      for (const { number, size, uploadUrl } of parts.filter((part) => numbers.includes(part.number))) {
        const from = (number - 1) * partSize
        expect((await put(uploadUrl ?? '', film.slice(from, from + size), {})).status).toBe(200)
      }
    }
    const abort = ({ assetId }: { assetId: string }, person = alice) => at(person).delete(`/media/${assetId}`)
    return { ...site, begin, parts, missing, send, abort }
  }
  const idOf = async ({ assetId }: { assetId: string }) =>
    (await owner<{ id: string }[]>`select upload_id as id from app.media_assets where id = ${assetId}`)[0]?.id ?? ''

  test('continues after an interruption, and becomes one file', async () => {
    const { begin, parts, missing, send, commit } = await parted()
    const upload = await begin()
    expect(upload).toEqual({
      assetId: expect.any(String),
      publicUrl: `${settings.STORAGE_PUBLIC_URL}/${upload.assetId}`,
      partSize: 8 * 1024 * 1024,
      parts: [8, 8, 1].map((size, i) => ({
        number: i + 1,
        size: size * 1024 * 1024,
        arrived: false,
        uploadUrl: expect.stringContaining('X-Amz-SignedHeaders=content-length%3Bhost'),
        headers: { 'Content-Length': String(size * 1024 * 1024) },
        expiresAt: expect.any(String),
      })),
    })
    await send(upload, 3, 1)
    expect(await commit(upload)).toFailWith(422, 'asset_missing')
    const again = await parts(upload)
    expect(again.body.parts).toMatchObject([
      { number: 1, arrived: true, uploadUrl: null, headers: null, expiresAt: null },
      { number: 2, arrived: false, uploadUrl: expect.any(String) },
      { number: 3, arrived: true },
    ])
    await send(again.body, 2)
    expect(await missing(upload)).toEqual([])
    expect(await commit(upload)).toMatchObject({
      status: 200,
      body: { status: 'committed', partSize: upload.partSize },
    })
    expect(await commit(upload)).toMatchObject({ status: 200 })
    expect(Buffer.compare(new Uint8Array(await (await fetch(upload.publicUrl)).arrayBuffer()), film)).toBe(0)
    expect(await parts(upload)).toFailWith(409, 'asset_committed')
    expect(strict.begun.size).toBe(0)
  })

  test('can be seen, sent to and aborted by its owner only', async () => {
    const { begin, parts, abort, commit, announce } = await parted()
    const upload = await begin()
    expect(await parts(upload, bob)).toFailWith(404, 'asset_unknown')
    expect(await abort(upload, bob)).toFailWith(404, 'asset_unknown')
    const { size = 0, uploadUrl = '' } = upload.parts[2] ?? {}
    for (const [url, bytes] of [
      [uploadUrl, film.slice(0, size - 1)],
      [uploadUrl, film.slice(0, size + 1)],
      [uploadUrl?.replace('partNumber=3', 'partNumber=1'), film.slice(0, size)],
      [uploadUrl?.replace(upload.assetId, crypto.randomUUID()), film.slice(0, size)],
      [uploadUrl?.replace(/&X-Amz-Signature=.*/, ''), film.slice(0, size)],
    ] as const)
      expect((await put(url ?? '', bytes, {})).status).toBe(403)
    expect(await parts(await announce())).toFailWith(409, 'asset_in_one_piece')
    expect((await abort(upload)).status).toBe(204)
    for (const gone of [await abort(upload), await parts(upload), await commit(upload)])
      expect(gone).toFailWith(404, 'asset_unknown')
    const whole = await announce()
    strict.objects.set(`kith-uploads/${whole.assetId}.upload`, stored())
    expect(await commit(whole)).toMatchObject({ status: 200 })
    expect(await abort(whole)).toFailWith(409, 'asset_committed')
  })

  test('that is not what was announced begins again', async () => {
    const { begin, parts, missing, send, commit } = await parted()
    const upload = await begin()
    film.set(ascii('<html>'))
    await send(upload, 1, 2, 3)
    film.set(files['video/mp4'] as Uint8Array)
    const first = await idOf(upload)
    expect(await commit(upload)).toFailWith(422, 'asset_unfit')
    expect(await commit(upload)).toFailWith(422, 'asset_missing')
    expect(await missing(upload)).toEqual([1, 2, 3])
    expect(await idOf(upload)).not.toBe(first)
    await send((await parts(upload)).body, 1, 2, 3)
    expect(await commit(upload)).toMatchObject({ status: 200 })
  })

  test('need not be sent again if its commit was interrupted after the parts were joined', async () => {
    const { begin, missing, commit } = await parted()
    const upload = await begin()
    strict.begun.delete(await idOf(upload))
    strict.objects.set(`kith-uploads/${upload.assetId}.upload`, {
      body: Buffer.from(film),
      headers: { 'content-type': 'video/mp4' },
    })
    expect(await missing(upload)).toEqual([])
    expect(await commit(upload)).toMatchObject({ status: 200 })
  })

  test('is one upload, however many requests begin it at once', async () => {
    const { begin, parts, send, missing } = await parted()
    const upload = await begin()
    strict.begun.delete(await idOf(upload)) // the storage has dropped the upload
    const answers = await Promise.all(Array.from({ length: 5 }, () => parts(upload)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    for (const [i, { body }] of answers.slice(0, 3).entries()) await send(body, i + 1)
    expect(await missing(upload)).toEqual([])
    strict.begun.clear()
  })

  test('is aborted in the storage when its asset is deleted', async () => {
    const { begin, send, abort } = await parted()
    const [given, old] = [await begin(), await begin()]
    await send(given, 1)
    await send(old, 2)
    expect(strict.begun.size).toBe(2)
    expect((await abort(given)).status).toBe(204)
    await owner`update app.media_assets set expires_at = now() where id = ${old.assetId}`
    const config = readConfig(environment(database.url, settings))
    const worker = await startWorker({ config, databaseUrl: database.url, log: createLog(config), pollSeconds: 0.1 })
    await until(async () => {
      await worker.send('purge')
      await worker.send('delete-objects')
      await owner`update private.pending_object_deletions set due_at = now()
                  where not exists (select from pgboss.job where name = 'objects' and state < 'completed')`
      return strict.begun.size === 0
    }).finally(() => worker.stop())
    expect([...strict.objects.keys()].filter((key) => key.includes(given.assetId))).toEqual([])
  })
})

test('A file other than a picture, video or sound is served as a download', async () => {
  const { announce, commit } = await facade()
  const upload = await announce()
  await owner`update app.media_assets set kind = 'attachment', content_type = 'application/pdf', size = 9
              where id = ${upload.assetId}`
  strict.objects.set(`kith-uploads/${upload.assetId}.upload`, {
    body: Buffer.from('%PDF-1.7\n'),
    headers: { 'content-type': 'application/pdf' },
  })
  expect(await commit(upload)).toMatchObject({ status: 200 })
  expect(strict.objects.get(`kith/${upload.assetId}`)?.headers).toEqual({
    'content-type': 'application/pdf',
    'cache-control': 'public, max-age=31536000, immutable',
    'content-disposition': 'attachment',
  })
})

const hashOf = async ({ assetId }: { assetId: string }) =>
  (await owner`select encode(sha256, 'hex') as hash from app.media_assets where id = ${assetId}`)[0]?.hash

test('A commit keeps the hash of the published file, up to 25 MiB', async () => {
  const { announce, commit } = await facade()
  for (const [size, isHashed] of [
    [png.length, true],
    [25 * 1024 * 1024, true],
    [25 * 1024 * 1024 + 1, false],
  ] as const) {
    const upload = await announce()
    const body = Buffer.concat([png], size)
    await owner`update app.media_assets set kind = 'video', size = ${size} where id = ${upload.assetId}`
    strict.objects.set(`kith-uploads/${upload.assetId}.upload`, stored(body))
    expect(await commit(upload)).toMatchObject({ status: 200 })
    expect(await hashOf(upload)).toBe(isHashed ? createHash('sha256').update(body).digest('hex') : null)
  }
})

test('An asset is deleted if two commits publish two files, because nobody knows which of them has the hash', async () => {
  const [one, two] = [await facade(), await facade()] // two processes: each inspects an asset by itself
  const upload = await one.announce()
  const waiting = async () =>
    (
      await owner`select from pg_stat_activity
                  where datname = current_database() and wait_event_type = 'Lock' and query like '%commit_asset%'`
    ).length
  const publish = async (site: typeof one, body: Buffer<ArrayBuffer>, number: number) => {
    strict.objects.set(`kith-uploads/${upload.assetId}.upload`, stored(body))
    const answer = site.commit(upload)
    await until(async () => (await waiting()) === number)
    expect(strict.objects.get(`kith/${upload.assetId}`)?.body.equals(body)).toBe(true)
    return { answer }
  }
  const answers = await owner.begin(async (sql) => {
    await sql`select from app.media_assets where id = ${upload.assetId} for update` // both wait here
    const first = await publish(one, Buffer.from(png), 1)
    const second = await publish(two, twin, 2)
    return [first.answer, second.answer]
  })
  const statuses = (await Promise.all(answers)).map(({ status }) => status)
  expect(statuses.toSorted()).toEqual([200, 422])
  expect(await owner`select from app.media_assets where id = ${upload.assetId}`).toEqual([])
})

test('A storage that does not answer gives 503, and the next commit repairs what was interrupted', async () => {
  const { announce, commit, logged } = await facade()
  const upload = await announce()
  strict.refuse(Number.POSITIVE_INFINITY)
  expect(await commit(upload)).toFailWith(503, 'storage_unavailable')
  const failure = expect.objectContaining({ message: 'media answered 503 (Error HEAD 503)' })
  expect(logged).toContainEqual(expect.objectContaining({ door: 'commit', failure }))
  strict.refuse(0)
  strict.objects.set(`kith/${upload.assetId}`, stored()) // a commit was interrupted after the copy
  expect(await commit(upload)).toMatchObject({ status: 200 })
})

describe('A missing bucket', () => {
  test.each(['kith', 'kith-uploads'])('%s is not mistaken for an empty bucket', async (name) => {
    const { announce, commit } = await facade()
    const upload = await announce()
    const key = crypto.randomUUID()
    await owner`insert into private.pending_object_deletions values ('kith', ${key}, false, now())`
    strict.there.delete(name)
    expect(await commit(upload)).toFailWith(503, 'storage_unavailable')
    const config = readConfig(environment(database.url, settings))
    const worker = await startWorker({ config, databaseUrl: database.url, log: createLog(config), pollSeconds: 0.1 })
    await until(async () => {
      await worker.send('delete-objects')
      return (
        await owner`select from pgboss.job where name = 'objects' and state = 'failed' and data -> 'keys' ? ${key}`
      ).length
    }).finally(() => worker.stop())
    strict.there.add(name)
    expect(await owner`delete from private.pending_object_deletions where key = ${key} returning key`).toHaveLength(1)
  })

  test('is reported at the start and by /ready', async () => {
    strict.there.delete('kith-uploads')
    const { warnings, logged } = await facade()
    const missing = 'The storage has no bucket kith-uploads.'
    expect(await until(warnings)).toEqual([missing])
    expect(logged).toEqual([missing])
    strict.there.add('kith-uploads')
  })
})

test('Buckets with the wrong read permissions are reported at the start and by /ready', async () => {
  const { open } = strict
  open.delete('kith')
  open.add('kith-uploads')
  const { warnings } = await facade()
  expect(await until(warnings)).toEqual([
    `Not everybody can read the bucket kith at ${settings.STORAGE_PUBLIC_URL}.`,
    'Everybody can read the bucket kith-uploads, which must be private.',
  ])
  open.add('kith')
  open.delete('kith-uploads')
})

test('A storage that accepts unsigned headers, or does not answer, is reported too', async () => {
  const bare = s3Storage({
    url: others.bare,
    bucket: 'kith',
    region: 'us-east-1',
    accessKey: 'S3RVER',
    secretKey: 'S3RVER',
  })
  expect(await bare.look(`${others.bare}/kith`)).toContain(
    'The storage takes x-amz-copy-source unsigned: docs/operation.md, Media, says what to do about it.',
  )
  strict.refuse(Number.POSITIVE_INFINITY)
  const { warnings } = await facade()
  expect(await until(warnings)).toEqual(['The media storage does not work correctly. The log says more.'])
  strict.refuse(0)
})

test('An object that cannot be deleted does not prevent other deletions, and is retried', async () => {
  await facade()
  const [locked, free] = [crypto.randomUUID(), crypto.randomUUID()]
  for (const key of [locked, free]) {
    strict.objects.set(`kith/${key}`, stored())
    await owner`insert into private.pending_object_deletions values ('kith', ${key}, false, now() - interval '1 hour')`
  }
  strict.locked.add(`kith/${locked}`)
  strict.refuse(9)
  const config = readConfig(environment(database.url, settings))
  const worker = await startWorker({ config, databaseUrl: database.url, log: createLog(config), pollSeconds: 0.1 })
  await until(async () => {
    await worker.send('delete-objects')
    await owner`update private.pending_object_deletions set due_at = now()
                where not exists (select from pgboss.job where name = 'objects' and state < 'completed')`
    return !strict.objects.has(`kith/${free}`)
  }).finally(() => worker.stop())
  strict.refuse(0)
  expect(strict.objects.has(`kith/${locked}`)).toBe(true)
  expect(await owner`delete from private.pending_object_deletions where key = ${locked} returning key`).toHaveLength(1)
})

test('A worker without storage settings does not drop an object’s deletion', async () => {
  const [key, config] = [crypto.randomUUID(), readConfig(environment(database.url))]
  await takeSetting(owner, 'media_bucket', 'kith')
  await owner`insert into private.pending_object_deletions values ('kith', ${key}, false, now())`
  const worker = await startWorker({ config, databaseUrl: database.url, log: createLog(config), pollSeconds: 0.1 })
  const job = await until(async () => {
    await worker.send('delete-objects')
    const [over] =
      await owner`select state from pgboss.job where name = 'objects' and completed_on is not null and data -> 'keys' ? ${key}`
    return over
  }).finally(() => worker.stop())
  expect(job).toEqual({ state: 'failed' })
  expect(await owner`select from private.pending_object_deletions where key = ${key}`).toHaveLength(1)
})

test('A storage that never answers runs into a timeout', async () => {
  const url = await listen(() => {})
  const storage = s3Storage({ url, bucket: 'kith', region: 'auto', accessKey: 'a', secretKey: 'b' })
  const timeout = AbortSignal.timeout.bind(AbortSignal)
  const patience = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout(ms / 1000))
  await expect(storage.uploads.find('one')).rejects.toThrow('timeout')
  expect(patience).toHaveBeenCalledWith(20_000)
  patience.mockRestore()
})

test('The bucket for uploads must differ from the public one', () => {
  const { storage } = readConfig(storageSettings('https://storage.example.org'))
  expect(storage?.uploadBucket).toBe(undefined)
  expect(() => readConfig({ ...settings, STORAGE_UPLOAD_BUCKET: 'kith' })).toThrow(
    'STORAGE_UPLOAD_BUCKET: must be another',
  )
  expect(readConfig({ ...settings, STORAGE_UPLOAD_BUCKET: 'new' }).storage?.uploadBucket).toBe('new')
})

test('Incomplete storage settings prevent the start', () => {
  const { STORAGE_SECRET_KEY: _, ...half } = storageSettings('https://storage.example.org')
  expect(() => readConfig(half)).toThrow('STORAGE_SECRET_KEY: must be set together with the other STORAGE_…')
})
