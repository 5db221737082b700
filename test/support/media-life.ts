// Tests of media in object storage, from the announcement to the upload, the commit, reading and deletion, and tests of
// attacks. test/edge/media.test.ts runs them against its own storages, and npm run verify:storage against any other
// storage.
import { AwsClient } from 'aws4fetch'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { takeSetting } from '../../api-facade/boot.ts'
import { readConfig } from '../../api-facade/lib/config.ts'
import { openFunctions } from '../../api-facade/lib/functions.ts'
import { createLog, openTracing } from '../../api-facade/lib/log.ts'
import { startServer } from '../../api-facade/server.ts'
import { startWorker } from '../../api-facade/worker/worker.ts'
import type { Database } from './database.ts'
import { files, png } from './files.ts'
import { Person } from './person.ts'
import { environment, JWT_SECRET } from './settings.ts'
import { OTHER, type StorageSettings } from './storage-settings.ts'
import { until } from './until.ts'

export type Upload = { assetId: string; uploadUrl: string; publicUrl: string; headers: Record<string, string> }
type Site = {
  settings: StorageSettings
  database: Database
  alice: Person
  bob: Person
  functionsUrl?: string
  /** How often a commit is raced. */
  races?: number
}

const html = new TextEncoder().encode('<html>'.padEnd(png.length)) as Uint8Array<ArrayBuffer>
const announced = { kind: 'image', contentType: 'image/png', size: png.length }

export const put = (
  url: string,
  body: Uint8Array<ArrayBuffer> | ReadableStream,
  headers: Record<string, string> = { 'content-type': 'image/png' },
) => fetch(url, { method: 'PUT', headers, body, duplex: 'half' } as RequestInit)

/** Uses the storage's key directly, without Kith. */
function storageOf(settings: StorageSettings) {
  const { STORAGE_ACCESS_KEY: accessKeyId, STORAGE_SECRET_KEY: secretAccessKey } = settings
  const client = new AwsClient({ accessKeyId, secretAccessKey, region: settings.STORAGE_REGION, service: 's3' })
  const ask = (path: string, init?: RequestInit) => client.fetch(`${settings.STORAGE_URL}/${path}`, init)
  const list = async (bucket: string) => {
    const text = await (await ask(`${bucket}?list-type=2`)).text()
    return [...text.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => key)
  }
  return { ask, list }
}

/** Declares tests in the describe where it is called. */
export async function mediaLife({ settings, database, alice, bob, functionsUrl, races = 40 }: Site) {
  const { owner, url: databaseUrl } = database
  const storage = storageOf(settings)
  const bucket = settings.STORAGE_BUCKET
  const uploads = `${bucket}-uploads`
  const more = functionsUrl && { FUNCTIONS_URL: functionsUrl }
  const config = readConfig(environment(databaseUrl, { ...settings, ...more }))
  const log = createLog(config)
  const functions = openFunctions({ config, jwtSecret: JWT_SECRET, log, tracing: openTracing(config, log) })
  const server = await startServer({ config, databaseUrl })
  afterAll(() => server.stop())
  const at = (person: Person) => new Person(server.url, person.token)
  const announce = async (asset = announced) => (await at(alice).post<Upload>('/media/presign', asset)).body
  const commit = ({ assetId }: Upload, person = alice) => at(person).post(`/media/${assetId}/commit`)
  const bytesAt = async (url: string) => {
    const answer = await fetch(`${url}?${crypto.randomUUID()}`)
    return answer.ok ? new Uint8Array(await answer.arrayBuffer()) : null
  }
  const placesOf = (upload: Upload) => [
    `${upload.publicUrl}.upload`,
    `${upload.publicUrl.replace(`/${bucket}/`, `/${uploads}/`)}.upload`,
    `${settings.STORAGE_URL}/${uploads}/${upload.assetId}.upload`,
  ]

  let before: string[]
  beforeAll(async () => {
    await takeSetting(owner, 'media_url', settings.STORAGE_PUBLIC_URL)
    await takeSetting(owner, 'media_bucket', bucket)
    before = [...(await storage.list(bucket)), ...(await storage.list(uploads))]
  })

  test('an upload is accepted as announced, and everybody can read it once it is committed', async () => {
    const upload = await announce()
    expect(new URL(upload.uploadUrl).searchParams.get('X-Amz-SignedHeaders')).toContain(
      'content-length;content-type;host',
    )
    expect(new URL(upload.uploadUrl).searchParams.get('X-Amz-Expires')).toBe('600')
    expect(upload.publicUrl).toBe(`${settings.STORAGE_PUBLIC_URL}/${upload.assetId}`)
    expect(await commit(upload)).toFailWith(422, 'asset_missing')
    expect((await put(upload.uploadUrl, png)).status).toBe(200)
    for (const place of [upload.publicUrl, ...placesOf(upload)]) expect(await bytesAt(place)).toBe(null)
    expect(await commit(upload, bob)).toFailWith(404, 'asset_unknown')
    expect(await commit(upload)).toMatchObject({ status: 200, body: { status: 'committed' } })
    expect(await commit(upload)).toMatchObject({ status: 200, body: { status: 'committed' } })
    const served = await fetch(upload.publicUrl)
    expect(Object.fromEntries(served.headers)).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'public, max-age=31536000, immutable',
    })
    expect(new Uint8Array(await served.arrayBuffer())).toEqual(png)
    const part = await fetch(upload.publicUrl, { headers: { range: 'bytes=1-3' } })
    expect([part.status, await part.text()]).toEqual([206, 'PNG'])
    const named = await fetch(`${upload.publicUrl}?download=${encodeURIComponent('a"\r\nb: c')}`)
    expect([named.headers.get('content-type'), named.headers.get('b')]).toEqual(['image/png', null])
  })

  test('an upload address accepts nothing else', async () => {
    const { uploadUrl, assetId } = await announce()
    const other = await announce()
    const refused = async (answer: Promise<Response>) => expect((await answer).status).toBeGreaterThanOrEqual(400)
    await refused(put(uploadUrl, png, { 'content-type': 'text/html' }))
    await refused(put(uploadUrl, Uint8Array.from([...png, 0])))
    await refused(put(uploadUrl, new Blob([png]).stream()))
    await refused(put(uploadUrl.replace(assetId, other.assetId), png))
    await refused(put(uploadUrl.replace('.upload', ''), png))
    await refused(put(uploadUrl.replace(`/${uploads}/`, `/${bucket}/`), png))
    await refused(put(uploadUrl.replace('Expires=600', 'Expires=6000'), png))
    expect((await put(uploadUrl, png)).status).toBe(200)
  })

  test('a file that differs from what was announced is not stored', async () => {
    const upload = await announce()
    expect((await put(upload.uploadUrl, html)).status).toBe(200)
    expect(await commit(upload)).toFailWith(422, 'asset_unfit')
    expect(await commit(upload)).toFailWith(422, 'asset_missing')
    expect(await bytesAt(upload.publicUrl)).toBe(null)
  })

  test('an upload cannot copy another object, whatever headers it has', async () => {
    const script = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
    const [key, page] = [crypto.randomUUID(), crypto.randomUUID()]
    // this object has the size and type that the attacker announces, so a commit would accept it
    await storage.ask(`${OTHER}/${key}`, {
      method: 'PUT',
      headers: { 'content-type': 'image/gif' },
      body: files['image/gif'],
    })
    await storage.ask(`${OTHER}/${page}`, { method: 'PUT', headers: { 'content-type': 'image/svg+xml' }, body: script })
    const gif = { kind: 'image', contentType: 'image/gif', size: files['image/gif']?.length ?? 0 }
    const mine = new Uint8Array(gif.size)
    for (const [source, directive] of [key, page].flatMap(
      (one) =>
        [
          [one, 'COPY'],
          [one, 'REPLACE'],
        ] as const,
    )) {
      const upload = await announce(gif)
      await put(upload.uploadUrl, mine, {
        'content-type': 'image/gif',
        'x-amz-copy-source': `/${OTHER}/${source}`,
        'x-amz-metadata-directive': directive,
      })
      for (const place of [upload.publicUrl, ...placesOf(upload)]) expect(await bytesAt(place)).toBe(null)
      expect((await commit(upload)).status).toBe(422)
      expect(await bytesAt(upload.publicUrl)).toBe(null)
    }
    for (const one of [key, page]) await storage.ask(`${OTHER}/${one}`, { method: 'DELETE' })
  })

  test('nothing unchecked is published, however commits and uploads race', async () => {
    const { contentType, size } = announced
    const counts = { committed: 0, foreign: 0 }
    for (let n = 0; n < races; n++) {
      const upload = await announce()
      expect((await put(upload.uploadUrl, png)).status).toBe(200)
      let isOver = false
      const write = async () => {
        for (let at = n; !isOver; at++) await put(upload.uploadUrl, at % 2 ? png : html)
      }
      // calls the function directly too, because the facade calls it only once for concurrent commits of an asset
      const ask = () => functions.invoke('media/commit', { key: upload.assetId, contentType, size })
      const commits = Promise.all([commit(upload), ask(), ask()]).finally(() => {
        isOver = true
      })
      const [[answer]] = await Promise.all([commits, write()])
      expect([200, 422, 503]).toContain(answer.status)
      const served = await bytesAt(upload.publicUrl)
      if (answer.status === 200) expect(served).not.toBe(null)
      counts.committed += Number(answer.status === 200)
      counts.foreign += Number(served !== null && !Buffer.from(served).equals(png))
    }
    console.info(`${settings.STORAGE_URL}: ${races} commits were raced, ${JSON.stringify(counts)}`)
    expect(counts.foreign).toBe(0)
    expect(counts.committed).toBeGreaterThan(0)
  })

  test('concurrent commits, as from a client that retries, all succeed', async () => {
    const upload = await announce()
    expect((await put(upload.uploadUrl, png)).status).toBe(200)
    const answers = await Promise.all(Array.from({ length: 5 }, () => commit(upload)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    expect((await put(upload.uploadUrl, Uint8Array.from(png).reverse())).status).toBe(200)
    expect(await bytesAt(upload.publicUrl)).toEqual(png)
  })

  test('the storage has no configuration faults', async () => {
    const answer = await functions.invoke('media/look', { publicUrl: settings.STORAGE_PUBLIC_URL })
    expect(await answer.json()).toEqual({ warnings: [] })
  })

  test('the storage keeps committed objects until their asset is deleted, and nothing else', async () => {
    const [kept, removed, late] = [await announce(), await announce(), await announce()]
    for (const upload of [kept, removed, late]) expect((await put(upload.uploadUrl, png)).status).toBe(200)
    for (const upload of [kept, removed]) expect((await commit(upload)).status).toBe(200)
    for (const upload of [kept, removed]) expect((await put(upload.uploadUrl, html)).status).toBe(200)
    // what an interrupted commit leaves
    const half = `${uploads}/${late.assetId}.${crypto.randomUUID()}`
    await storage.ask(half, { method: 'PUT', headers: { 'content-type': 'image/png' }, body: png })

    const worker = await startWorker({ config, databaseUrl, log, pollSeconds: 0.1 })
    const deleteAll = () =>
      until(async () => {
        await worker.send('delete-objects')
        await owner`update private.pending_object_deletions set due_at = now()
                    where not exists (select from pgboss.job where name = 'objects' and state < 'completed')`
        return (await owner`select from private.pending_object_deletions`).length === 0
      })
    try {
      await owner`delete from app.media_assets where id = ${removed.assetId} or status = 'pending'`
      await deleteAll()
      expect(await bytesAt(kept.publicUrl)).toEqual(png)
      expect(await bytesAt(removed.publicUrl)).toBe(null)
      const assets = await owner<{ id: string }[]>`select id from app.media_assets where bucket = ${bucket}`
      const known = new Set([...before, 'kith-check', ...assets.map(({ id }) => id)])
      expect((await storage.list(bucket)).filter((key) => !known.has(key))).toEqual([])
      expect((await storage.list(uploads)).filter((key) => !known.has(key))).toEqual([])

      await owner`delete from app.media_assets`
      await deleteAll()
      expect(await bytesAt(kept.publicUrl)).toBe(null)
      const left = [...(await storage.list(bucket)), ...(await storage.list(uploads))]
      expect(left.filter((key) => key !== 'kith-check' && !before.includes(key))).toEqual([])
    } finally {
      await worker.stop()
    }
  })

  return { server, announce, commit, config }
}
