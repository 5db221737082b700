// Object storage on behalf of the service: signs upload URLs, checks uploads and deletes stored files. Clients send
// the bytes directly to the storage. It answers 401 to anyone but the service, 422 to invalid input, and 503 if the
// storage does not answer or a bucket is missing.
// POST /media/presign {key, contentType, size} → 200 {url, headers, expiresAt}
// POST /media/parts {key, contentType, size, partSize, uploadId} → 200 {uploadId, parts: [{number, size, upload}]}: the
// parts of the file. upload is {url, headers, expiresAt}, or null if the part has arrived. If uploadId is null, or the
// storage does not know it, the answer has the id of a new upload.
// POST /media/commit {key, contentType, size, partSize?, uploadId?} → 200 {outcome: committed, mimeType, width, height,
// sha256} or {outcome: missing | unfit | large}; width and height are null if the first bytes do not say them, sha256 (in
// hex) is null for a file above 25 MiB
// POST /media/delete {bucket, keys, uploads: up to 50 each, uploadIds: by key} → 200 {left}; uploads are those that were
// not committed, and uploadIds name uploads in parts that may have begun.
// left: those that the storage did not delete in time. 503 if the bucket is not the function's.
// POST /media/look {publicUrl} → 200 {warnings}: one sentence per problem for the operator
import type { Hono } from 'hono'
import { z } from 'zod'
import { openDoors } from '../shared/doors.ts'
import { type Bucket, type Found, TOO_LARGE } from './bucket.ts'
import { dimensionsOf, PICTURE_BYTES } from './dimensions.ts'
import { type Part, sizesOf } from './parts.ts'
import type { Announced } from './presign.ts'
import type { Served, Storage } from './storage.ts'
import { HEAD_BYTES, isThatType, typeOf } from './types.ts'

const key = z.uuid()
const Asset = z.object({ key, contentType: z.string().regex(/^[a-z]+\/[a-z0-9.+-]+$/), size: z.int().positive() })
const parts = { partSize: z.int().positive(), uploadId: z.string().min(1).max(1000).nullable() }
const AssetInParts = Asset.extend(parts)
const AnyAsset = Asset.extend({ partSize: parts.partSize.optional(), uploadId: parts.uploadId.optional() })
const Deletions = z.object({
  bucket: z.string(),
  keys: z.array(key).max(50),
  uploads: z.array(key).max(50),
  uploadIds: z.record(key, z.string()),
})
const Place = z.object({ publicUrl: z.url() })

/** The type and size of a picture or video according to the first bytes, and the hash of the file. */
type Seen = { mimeType: string; width: number | null; height: number | null; sha256: string | null }
type Outcome = ({ outcome: 'committed' } & Seen) | { outcome: 'missing' | 'unfit' | 'large' }
type MediaEnvironment = {
  /** The secrets that may have signed the caller's token, HS256. */
  jwtSecrets: readonly string[]
  storage: Storage
  /** The SHA-256 of a file, in hex: ./digest.ts. */
  sha256: Digest
}
type Digest = (file: ReadableStream<Uint8Array>) => Promise<string>
/** The storage, and the function that hashes files. */
type Site = Omit<MediaEnvironment, 'jwtSecrets'>

/** How many assets are deleted at once, and for how many milliseconds new deletions are started. */
const AT_ONCE = 10
const BEGINNING = 8000
/**
 * The largest file that is hashed, in bytes, because a commit reads the whole file to hash it. Pictures are always
 * smaller.
 */
const HASHED = 25 * 1024 * 1024

/** The key that a client writes. The file can change until its upload URL expires. */
const uploadOf = (key: string): string => `${key}.upload`

export function createMedia({ jwtSecrets, storage, sha256 }: MediaEnvironment): Hono {
  const { app, door } = openDoors('media', jwtSecrets)
  door('/presign', Asset, async (c, asset) => c.json(await storage.presign({ ...asset, key: uploadOf(asset.key) })))
  door('/parts', AssetInParts, async (c, asset) => c.json(await continueUpload(storage, asset)))
  door('/commit', AnyAsset, async (c, asset) => c.json(await commit({ storage, sha256 }, asset)))
  door('/delete', Deletions, async (c, { bucket, keys, uploads, uploadIds }) => {
    // Check this first: in a wrong or missing bucket every object would look deleted.
    if (bucket !== storage.media.name)
      throw Object.assign(new Error('this is another bucket'), { code: 'OTHER_BUCKET' })
    await requireBuckets(storage)
    return c.json({ left: await removeAll(storage, { keys, uploads, uploadIds }) })
  })
  door('/look', Place, async (c, { publicUrl }) => c.json({ warnings: await storage.look(publicUrl) }))
  return app
}

/** @throws Error NoSuchBucket, because an object that is not found may exist after all */
async function requireBuckets({ uploads, media }: Storage): Promise<void> {
  const there = await Promise.all([uploads.exists(), media.exists()])
  if (there.includes(false)) throw Object.assign(new Error('a bucket is missing'), { code: 'NoSuchBucket' })
}

type Gone = Omit<z.output<typeof Deletions>, 'bucket'>
/**
 * Deletes objects. An object that cannot be deleted does not block the others.
 * @returns the assets with objects left
 */
async function removeAll({ uploads, media, multipart }: Storage, gone: Gone) {
  const deletions = [
    ...gone.keys.map((key) => ({ key, whole: true })),
    ...gone.uploads.map((key) => ({ key, whole: false })),
  ]
  const left: string[] = []
  const end = Date.now() + BEGINNING
  for (let at = 0; at < deletions.length; at += AT_ONCE) {
    const removing = deletions.slice(at, at + AT_ONCE).map(async ({ key, whole }) => {
      if (Date.now() > end) throw new Error('the storage is too slow')
      const uploadId = gone.uploadIds[key]
      if (uploadId) await multipart.abort(uploadOf(key), uploadId)
      // This finds the upload, and the copy of an interrupted commit.
      const remaining = await uploads.list(key)
      await Promise.all([...remaining.map((one) => uploads.remove(one)), ...(whole ? [media.remove(key)] : [])])
    })
    const outcomes = await Promise.allSettled(removing)
    left.push(...outcomes.flatMap(({ status }, i) => (status === 'rejected' ? (deletions[at + i]?.key ?? []) : [])))
  }
  return left
}

async function commit(site: Site, asset: z.output<typeof AnyAsset>): Promise<Outcome> {
  const { storage } = site
  const { uploads } = storage
  const upload = uploadOf(asset.key)
  try {
    const came = (await uploads.find(upload)) ?? (await joined(storage, asset))
    if (!came) return await kept(site, asset)
    const seen = isAsAnnounced(came, asset) ? await publish(site, asset) : undefined
    await uploads.remove(upload)
    return outcomeOf(seen)
  } catch (failure) {
    if (Object(failure).code === TOO_LARGE) {
      await uploads.remove(upload)
      return { outcome: 'large' }
    }
    // If the upload is missing, a concurrent commit may have published it.
    if (await uploads.find(upload)) throw failure
    return kept(site, asset)
  }
}

/** Joins the parts if all have arrived. @returns the upload; null if parts are missing, or if there never were any */
async function joined({ uploads, multipart }: Storage, asset: z.output<typeof AnyAsset>): Promise<Found | null> {
  const { key, size, partSize, uploadId } = asset
  if (!partSize || !uploadId) return null
  const upload = uploadOf(key)
  const arrived = await multipart.arrived(upload, uploadId)
  if (arrived) {
    const parts = sizesOf(size, partSize).map((length, i) => find(arrived, i + 1, length))
    const there = parts.filter((part) => part !== undefined)
    if (there.length < parts.length) return null
    await multipart.complete(upload, uploadId, there)
  }
  return uploads.find(upload) // If there are no parts, a concurrent commit may have joined them.
}

const find = (arrived: readonly Part[], number: number, size: number): Part | undefined =>
  arrived.find((part) => part.number === number && part.size === size)

async function continueUpload({ uploads, multipart }: Storage, asset: z.output<typeof AssetInParts>) {
  const { key, contentType, size, partSize, uploadId } = asset
  const upload = uploadOf(key)
  const arrived = uploadId ? await multipart.arrived(upload, uploadId) : null
  // The file is whole if a commit was interrupted after it had joined the parts.
  const whole = uploadId && !arrived ? await uploads.find(upload) : null
  const isWhole = whole !== null && isAsAnnounced(whole, asset)
  const current = uploadId && (arrived || isWhole) ? uploadId : await multipart.begin(upload, contentType)
  const parts = sizesOf(size, partSize).map(async (length, i) => {
    const number = i + 1
    const isThere = isWhole || find(arrived ?? [], number, length) !== undefined
    const part = { key: upload, uploadId: current, number, size: length }
    return { number, size: length, upload: isThere ? null : await multipart.sign(part) }
  })
  return { uploadId: current, parts: await Promise.all(parts) }
}

/**
 * Makes a private copy of the upload, checks it, and publishes it. So the file that was checked is published, even if
 * the client writes meanwhile or several commits run. Conditional copies would work as well, but not every storage
 * supports them.
 * @returns undefined if the file is not as announced, and therefore not published
 */
async function publish({ storage, sha256 }: Site, asset: Announced): Promise<Seen | undefined> {
  const held = `${asset.key}.${crypto.randomUUID()}`
  try {
    await storage.hold(uploadOf(asset.key), held)
    const seen = await lookInto(storage.uploads, held, asset, sha256)
    if (seen) await storage.publish(held, asset.key, servedAs(asset.contentType))
    return seen
  } finally {
    await storage.uploads.remove(held)
  }
}

/** The file of a key never changes, so caches can keep it. */
const servedAs = (contentType: string): Served => ({
  contentType,
  cacheControl: 'public, max-age=31536000, immutable',
  disposition: /^(image|video|audio)\//.test(contentType) ? 'inline' : 'attachment',
})

/** Inspects the file that another commit has published, or a commit that was interrupted after the copy. */
async function kept({ storage, sha256 }: Site, asset: Announced): Promise<Outcome> {
  const { media } = storage
  if (await media.find(asset.key)) return outcomeOf(await lookInto(media, asset.key, asset, sha256))
  await requireBuckets(storage)
  return { outcome: 'missing' }
}

const outcomeOf = (seen: Seen | undefined): Outcome => (seen ? { outcome: 'committed', ...seen } : { outcome: 'unfit' })

const isAsAnnounced = (found: Found, { size, contentType }: Announced): boolean =>
  found.size === size && found.contentType === contentType

/**
 * Inspects a file.
 * @returns undefined if the size, the content type or the type according to the first bytes is not as announced
 */
async function lookInto(bucket: Bucket, key: string, asset: Announced, sha256: Digest): Promise<Seen | undefined> {
  const object = await bucket.find(key)
  if (!object || !isAsAnnounced(object, asset)) return undefined
  const bytes = await bucket.head(key, asset.contentType.startsWith('image/') ? PICTURE_BYTES : HEAD_BYTES)
  const mimeType = typeOf(bytes.subarray(0, HEAD_BYTES))
  if (!mimeType || !isThatType(asset.contentType, mimeType)) return undefined
  const { width = null, height = null } = dimensionsOf(mimeType, bytes) ?? {}
  return { mimeType, width, height, sha256: asset.size > HASHED ? null : await sha256(await bucket.read(key)) }
}
