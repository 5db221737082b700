// Connects the database and the storage: the function `media` signs URLs and inspects uploads. Rules are in sql/media.
import type { z } from 'zod'
import { call, callFor } from '../../lib/call.ts'
import type { Context } from '../../lib/context.ts'
import { ApiError } from '../../lib/errors.ts'
import { failureOf } from '../../lib/functions.ts'
import { Asset, type AssetId, type AssetKey, Continued, Kept, Looked, type NewAsset, Signed } from './schemas.ts'

type Announced = z.output<typeof Asset>
type Uploading = { uploadId?: string | null }

/** @throws ApiError storage_unavailable if the function, or the storage behind it, does not answer */
async function ask<S extends z.ZodType>(
  c: Context,
  door: string,
  asset: Announced & Uploading,
  schema: S,
): Promise<z.output<S>> {
  const { functions, log } = c.get('services')
  const { key, contentType, size, partSize, uploadId } = asset
  try {
    const answer = await functions.invoke(`media/${door}`, {
      key,
      contentType,
      size,
      ...(partSize && { partSize, uploadId }),
    })
    if (!answer.ok) throw await failureOf('media', answer)
    return schema.parse(await answer.json())
  } catch (failure) {
    log.warn({ id: c.get('requestId'), failure, door }, 'the function media failed')
    throw new ApiError('storage_unavailable')
  }
}

async function announce(c: Context, given: z.output<typeof NewAsset>, inParts: boolean) {
  const { config } = c.get('services')
  if (!config.storage && !config.mediaSink)
    throw new ApiError('storage_unavailable', ['This instance has no storage for media, so nothing can be uploaded.'])
  const { kind, contentType, size, alt, width, height, blurhash, posterId } = given
  const announced = { p_kind: kind, p_content_type: contentType, p_size: size, p_in_parts: inParts }
  const about = { p_alt: alt, p_width: width, p_height: height, p_blurhash: blurhash, p_poster_id: posterId }
  return callFor(c, 'create_asset', { ...announced, ...about }, Asset)
}

export async function presign(c: Context, given: z.output<typeof NewAsset>) {
  const asset = await announce(c, given, false)
  const { url, headers, expiresAt } = await ask(c, 'presign', asset, Signed)
  return { assetId: asset.assetId, uploadUrl: url, publicUrl: asset.publicUrl, expiresAt, headers }
}

export async function presignAlias(c: Context, body: z.output<typeof NewAsset>) {
  const { assetId, uploadUrl } = await presign(c, body)
  return { uploadUrl, key: assetId }
}

export async function presignParts(c: Context, given: z.output<typeof NewAsset>) {
  return partsOf(c, await announce(c, given, true))
}

export async function listParts(c: Context, { assetId }: z.output<typeof AssetId>) {
  const asset = await callFor(c, 'get_asset', { p_asset_id: assetId }, Asset)
  if (asset.status === 'committed') throw new ApiError('asset_committed')
  return partsOf(c, asset)
}

const uploadIdOf = async (c: Context, assetId: string, change: { p_ended?: string | null; p_begun?: string } = {}) =>
  (await callFor(c, 'continue_upload', { p_asset_id: assetId, ...change }, Kept, 'gate')).uploadId

async function partsOf(c: Context, asset: Announced) {
  const { assetId, publicUrl, partSize } = asset
  let uploadId = await uploadIdOf(c, assetId)
  let found = await ask(c, 'parts', { ...asset, uploadId }, Continued)
  if (found.uploadId !== uploadId) {
    uploadId = await uploadIdOf(c, assetId, { p_ended: uploadId, p_begun: found.uploadId })
    // A concurrent request was faster. All clients must send to the same upload.
    if (found.uploadId !== uploadId) found = await ask(c, 'parts', { ...asset, uploadId }, Continued)
  }
  const parts = found.parts.map(({ number, size, upload }) => {
    const { url = null, headers = null, expiresAt = null } = upload ?? {}
    return { number, size, arrived: upload === null, uploadUrl: url, headers, expiresAt }
  })
  return { assetId, publicUrl, partSize, parts }
}

const looks = new Map<string, Promise<z.output<typeof Looked>>>()

/** Concurrent commits of an asset share one inspection, because some storages show an object that is half copied. */
function look(c: Context, asset: Announced & Uploading) {
  const underway = looks.get(asset.key)
  if (underway) return underway
  const first = ask(c, 'commit', asset, Looked).finally(() => looks.delete(asset.key))
  looks.set(asset.key, first)
  return first
}

export async function commit(c: Context, { assetId }: z.output<typeof AssetId>) {
  const asset = await callFor(c, 'get_asset', { p_asset_id: assetId }, Asset)
  if (asset.status === 'committed') return asset
  const uploadId = asset.partSize === null ? null : await uploadIdOf(c, assetId)
  const found = await look(c, { ...asset, uploadId })
  if (found.outcome === 'missing') throw new ApiError('asset_missing')
  if (found.outcome === 'unfit') throw new ApiError('asset_unfit')
  if (found.outcome === 'large') throw new ApiError('asset_large')
  const { mimeType, width, height, sha256 } = found
  return call(
    c,
    'commit_asset',
    { p_asset_id: assetId, p_mime_type: mimeType, p_width: width, p_height: height, p_sha256: sha256 },
    'gate',
  )
}

/** The key of an asset is its id. */
export const commitAlias = (c: Context, { key }: z.output<typeof AssetKey>) => commit(c, { assetId: key })
