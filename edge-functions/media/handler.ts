// Object storage in the service's name: addresses for uploads, a look at what came, and deleting. The bytes themselves go
// past it. 401 for anyone but the service, 422, 503 where the storage did not answer.
// POST /media/presign {key, contentType, size} → 200 {url, headers, expiresAt}
// POST /media/commit {key, contentType, size} → 200 {outcome: committed, mimeType} or {outcome: missing | unfit}
// POST /media/delete {keys, uploads: up to 50 each} → 204; of uploads what was uploaded and not committed
import type { Hono } from 'hono'
import { z } from 'zod'
import { openDoors } from '../shared/doors.ts'
import type { Announced, Storage } from './storage.ts'
import { HEAD_BYTES, isThatType, typeOf } from './types.ts'

const key = z.uuid()
const Asset = z.object({ key, contentType: z.string().regex(/^[a-z]+\/[a-z0-9.+-]+$/), size: z.int().positive() })
const Doomed = z.object({ keys: z.array(key).max(50), uploads: z.array(key).max(50) })

type Outcome = { outcome: 'committed'; mimeType: string } | { outcome: 'missing' | 'unfit' }
export type MediaEnvironment = {
  /** What may have signed the caller's token, HS256. */
  jwtSecrets: readonly string[]
  storage: Storage
}

/** How many objects are deleted at once. */
const AT_ONCE = 10

/** Where an upload goes. It is copied to its key once it was looked at, so that nobody can write there afterwards. */
const uploadOf = (key: string): string => `${key}.upload`

export function createMedia({ jwtSecrets, storage }: MediaEnvironment): Hono {
  const { app, door } = openDoors('media', jwtSecrets)
  door('/presign', Asset, async (c, asset) => c.json(await storage.presign({ ...asset, key: uploadOf(asset.key) })))
  door('/commit', Asset, async (c, asset) => c.json(await commit(storage, asset)))
  door('/delete', Doomed, async (c, { keys, uploads }) => {
    const objects = [...keys, ...[...keys, ...uploads].map(uploadOf)]
    for (let at = 0; at < objects.length; at += AT_ONCE)
      await Promise.all(objects.slice(at, at + AT_ONCE).map((object) => storage.remove(object)))
    return c.body(null, 204)
  })
  return app
}

async function commit(storage: Storage, asset: Announced): Promise<Outcome> {
  const upload = uploadOf(asset.key)
  const came = await storage.find(upload)
  if (!came) {
    // a commit before this one may have been cut off behind the copy
    const kept = await storage.find(asset.key)
    return kept ? outcomeOf(await mimeTypeOf(storage, asset)) : { outcome: 'missing' }
  }
  const fits = came.size === asset.size && came.contentType === asset.contentType
  const mimeType = fits ? await mimeTypeOf(storage, { ...asset, key: upload }) : undefined
  if (mimeType) await storage.copy(upload, asset.key, came.etag)
  await storage.remove(upload)
  return outcomeOf(mimeType)
}

const outcomeOf = (mimeType: string | undefined): Outcome =>
  mimeType ? { outcome: 'committed', mimeType } : { outcome: 'unfit' }

/** What its first bytes say; undefined where that is not what was announced. */
async function mimeTypeOf(storage: Storage, { key, contentType }: Announced): Promise<string | undefined> {
  const found = typeOf(await storage.head(key, HEAD_BYTES))
  return isThatType(contentType, found) ? found : undefined
}
