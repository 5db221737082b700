// Addresses by which clients upload: one object, one content type, one length, for ten minutes.
import { AwsV4Signer } from 'aws4fetch'

export type Announced = { key: string; contentType: string; size: number }
export type Upload = {
  /** Where the bytes go, with PUT. */
  url: string
  /** Must be sent along, exactly. */
  headers: Record<string, string>
  /** ISO 8601. */
  expiresAt: string
}
type Signing = {
  /** The address before the key. */
  url: string
  keys: { accessKeyId: string; secretAccessKey: string; region: string; service: string }
}

/** How long an upload may begin. Seconds. */
export const UPLOAD_SECONDS = 600

const COPY = 'x-amz-copy-source'

export async function presign({ url, keys }: Signing, { key, contentType, size }: Announced): Promise<Upload> {
  const headers = { 'Content-Type': contentType, 'Content-Length': String(size) }
  const target = new URL(`${url}/${key}`)
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
 * Supabase Storage takes headers that nobody signed, and with x-amz-copy-source a PUT copies any object of the project
 * instead of taking bytes. It leaves a signed header that did not come out of what it verifies, so one that is signed
 * as absent must be absent. Others refuse such a signature; S3 and R2 refuse what nobody signed.
 */
const isSupabase = ({ pathname }: URL): boolean => pathname.includes('/storage/v1/s3/')
