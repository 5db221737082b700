// Signed upload URLs: for one object, content type and length, valid for ten minutes.
import { AwsV4Signer } from 'aws4fetch'

export type Announced = { key: string; contentType: string; size: number }
export type NewPart = { key: string; uploadId: string; number: number; size: number }
export type Upload = {
  /** The URL for the PUT. */
  url: string
  /** The headers, which must be sent exactly as given. */
  headers: Record<string, string>
  /** ISO 8601. */
  expiresAt: string
}
type Signing = {
  /** The URL before the key. */
  url: string
  keys: { accessKeyId: string; secretAccessKey: string; region: string; service: string }
}

/** How long a client can start the upload. Seconds. */
export const UPLOAD_SECONDS = 600

const COPY = 'x-amz-copy-source'

export const presign = (signing: Signing, { key, contentType, size }: Announced): Promise<Upload> =>
  sign(signing, key, { 'Content-Type': contentType, 'Content-Length': String(size) })

/** The URL of a part of an upload that the storage has begun. */
export const presignPart = (signing: Signing, { key, uploadId, number, size }: NewPart): Promise<Upload> =>
  sign(signing, key, { 'Content-Length': String(size) }, { partNumber: String(number), uploadId })

async function sign({ url, keys }: Signing, key: string, headers: Record<string, string>, query = {}): Promise<Upload> {
  const target = new URL(`${url}/${key}?${new URLSearchParams(query)}`)
  target.searchParams.set('X-Amz-Expires', String(UPLOAD_SECONDS))
  const signsAbsence = isSupabase(target)
  const signer = new AwsV4Signer({
    ...keys,
    method: 'PUT',
    url: target.href,
    headers: { ...headers, ...(signsAbsence && { [COPY]: '' }) },
    signQuery: true,
    allHeaders: true,
  })
  if (signsAbsence) signer.canonicalHeaders = signer.canonicalHeaders.replace(`\n${COPY}:`, '')
  const signed = await signer.sign()
  return { url: signed.url.href, headers, expiresAt: new Date(Date.now() + UPLOAD_SECONDS * 1000).toISOString() }
}

/**
 * Supabase Storage accepts unsigned headers, and with x-amz-copy-source a PUT copies any object of the project instead
 * of storing the body. The verification of Supabase leaves out signed headers that were not sent. So the URL signs this
 * header as absent, and any request that sends it is refused. Other storages refuse such a signature; S3 and R2 refuse
 * unsigned headers.
 */
const isSupabase = ({ pathname }: URL): boolean => pathname.includes('/storage/v1/s3/')
