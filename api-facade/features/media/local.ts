// Storage for development: accepts and serves files if there is no object storage. Otherwise its routes are 404.
import type { z } from 'zod'
import type { Context } from '../../lib/context.ts'
import { ApiError } from '../../lib/errors.ts'
import { send, setHeader } from '../../lib/headers.ts'
import { isPart, isUpload, readObject, writePart, writeUpload } from '../../lib/sink.ts'
import type { AssetId, UploadToken } from './schemas.ts'

function requireSink(c: Context): void {
  if (!c.get('services').config.mediaSink) throw new ApiError('route_unknown')
}

type Sent = z.output<typeof AssetId> & z.output<typeof UploadToken>

export async function takeBytes(c: Context, { assetId, token, uploadId, part }: Sent): Promise<Response> {
  requireSink(c)
  const { config, seals } = c.get('services')
  const [contentType, length] = [c.req.header('content-type') ?? '', c.req.header('content-length') ?? '']
  const [key, size] = [assetId.toLowerCase(), Number(length)]
  const announced = { key, contentType, size }
  const newPart = uploadId !== undefined && part !== undefined ? { key, uploadId, number: part, size } : undefined
  const { body } = c.req.raw
  const isSigned = newPart ? await isPart(config, seals, token, newPart) : isUpload(seals, token, announced)
  const isWanted = /^\d+$/.test(length) && body && isSigned
  const isTaken =
    isWanted && (newPart ? await writePart(config, newPart, body) : await writeUpload(config, announced, body))
  if (isTaken) return send(c, null, 200)
  setHeader(c, 'connection', 'close') // The rest of the body may still be arriving.
  throw isWanted ? new ApiError('request_malformed') : new ApiError('upload_refused')
}

export async function serveBytes(c: Context, { assetId }: z.output<typeof AssetId>): Promise<Response> {
  requireSink(c)
  const object = await readObject(c.get('services').config, assetId.toLowerCase())
  if (!object) throw new ApiError('asset_unknown')
  const { size, contentType } = object
  const range = rangeOf(c.req.header('range'), size)
  const [start, end] = range ?? [0, size - 1]
  if (range) setHeader(c, 'content-range', `bytes ${start}-${end}/${size}`)
  // Nobody reads the body of a HEAD, so the file would stay open.
  return send(c, c.req.method === 'HEAD' ? null : object.read(start, end), range ? 206 : 200, {
    'accept-ranges': 'bytes',
    'cache-control': 'public, max-age=31536000, immutable',
    'content-disposition': /^(image|video|audio)\//.test(contentType) ? 'inline' : 'attachment',
    'content-length': String(end - start + 1),
    'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
    'content-type': contentType,
    'cross-origin-resource-policy': 'cross-origin',
  })
}

/** Supports one valid range, as players request it; anything else gets the whole file. */
function rangeOf(header: string | undefined, size: number): [start: number, end: number] | null {
  const [, from, to] = /^bytes=(\d{1,15})?-(\d{1,15})?$/.exec(header ?? '') ?? []
  if (from === undefined && to === undefined) return null
  const start = from === undefined ? Math.max(0, size - Number(to)) : Number(from)
  const end = from === undefined || to === undefined ? size - 1 : Math.min(Number(to), size - 1)
  return start <= end ? [start, end] : null
}
