// Object storage in the service's name: addresses for uploads, a look at what came, and deleting. The bytes themselves go
// past it. 401 for anyone but the service, 422, 503 where the storage did not answer.
// POST /media/presign {key, contentType, size} → 200 {url, headers, expiresAt}
// POST /media/commit {key, contentType, size} → 200 {outcome: committed, mimeType} or {outcome: missing | unfit}
// POST /media/delete {bucket, keys, uploads: up to 50 each} → 200 {left}; of uploads what was uploaded and not committed.
// left are those that the storage did not delete, or not in time. 503 when the bucket is another than the function's.
import type { Hono } from 'hono'
import { z } from 'zod'
import { openDoors } from '../shared/doors.ts'
import type { Announced, Found, Storage } from './storage.ts'
import { HEAD_BYTES, isThatType, typeOf } from './types.ts'

const key = z.uuid()
const Asset = z.object({ key, contentType: z.string().regex(/^[a-z]+\/[a-z0-9.+-]+$/), size: z.int().positive() })
const Doomed = z.object({ bucket: z.string(), keys: z.array(key).max(50), uploads: z.array(key).max(50) })

type Outcome = { outcome: 'committed'; mimeType: string } | { outcome: 'missing' | 'unfit' }
export type MediaEnvironment = {
  /** What may have signed the caller's token, HS256. */
  jwtSecrets: readonly string[]
  storage: Storage
}

/** How many assets' objects are deleted at once, and for how many milliseconds others are begun. */
const AT_ONCE = 10
const BEGINNING = 8000

/** Where an upload goes. It is copied to its key once it was looked at, so that nobody can write there afterwards. */
const uploadOf = (key: string): string => `${key}.upload`

export function createMedia({ jwtSecrets, storage }: MediaEnvironment): Hono {
  const { app, door } = openDoors('media', jwtSecrets)
  door('/presign', Asset, async (c, asset) => c.json(await storage.presign({ ...asset, key: uploadOf(asset.key) })))
  door('/commit', Asset, async (c, asset) => c.json(await commit(storage, asset)))
  door('/delete', Doomed, async (c, { bucket, keys, uploads }) => {
    // of a storage that was not meant, every object seems to be deleted
    if (bucket !== storage.bucket) throw Object.assign(new Error('another bucket is meant'), { code: 'OTHER_BUCKET' })
    const doomed = [...keys.map((key) => [key, key, uploadOf(key)]), ...uploads.map((key) => [key, uploadOf(key)])]
    return c.json({ left: await removeAll(storage, doomed) })
  })
  return app
}

/** @returns those of which one object or more are left: one that cannot be deleted holds up none of the others */
async function removeAll(storage: Storage, doomed: readonly string[][]): Promise<string[]> {
  const left: string[] = []
  const end = Date.now() + BEGINNING
  for (let at = 0; at < doomed.length; at += AT_ONCE) {
    const removing = doomed.slice(at, at + AT_ONCE).map(async ([, ...objects]) => {
      if (Date.now() > end) throw new Error('the storage is too slow')
      await Promise.all(objects.map((object) => storage.remove(object)))
    })
    const outcomes = await Promise.allSettled(removing)
    left.push(...outcomes.flatMap(({ status }, i) => (status === 'rejected' ? (doomed[at + i]?.[0] ?? []) : [])))
  }
  return left
}

async function commit(storage: Storage, asset: Announced): Promise<Outcome> {
  const upload = uploadOf(asset.key)
  const came = await storage.find(upload)
  if (!came) return kept(storage, asset)
  try {
    const fits = came.size === asset.size && came.contentType === asset.contentType
    const mimeType = fits ? await mimeTypeOf(storage, upload, came, asset) : undefined
    if (mimeType) await storage.copy(upload, asset.key, came.etag)
    await storage.remove(upload)
    return outcomeOf(mimeType)
  } catch (failure) {
    // another commit of it may have been faster
    if (await storage.find(upload)) throw failure
    return kept(storage, asset)
  }
}

/** Of what lies there already: by another commit, or by one that was cut off behind the copy. */
async function kept(storage: Storage, asset: Announced): Promise<Outcome> {
  const found = await storage.find(asset.key)
  return found ? outcomeOf(await mimeTypeOf(storage, asset.key, found, asset)) : { outcome: 'missing' }
}

const outcomeOf = (mimeType: string | undefined): Outcome =>
  mimeType ? { outcome: 'committed', mimeType } : { outcome: 'unfit' }

/** What its first bytes say; undefined where that is not what was announced. */
async function mimeTypeOf(storage: Storage, key: string, { etag }: Found, { contentType }: Announced) {
  const found = typeOf(await storage.head(key, HEAD_BYTES, etag))
  return isThatType(contentType, found) ? found : undefined
}
