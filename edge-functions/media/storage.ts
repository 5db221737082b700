// Object storage, as S3 speaks it: Supabase Storage, R2, MinIO. Every request is signed.
import { AwsClient, AwsV4Signer } from 'aws4fetch'

export type Announced = {
  key: string
  contentType: string
  size: number
}
export type Upload = {
  /** Where the bytes go, with PUT. */
  url: string
  /** Must be sent along, exactly. */
  headers: Record<string, string>
  /** ISO 8601. */
  expiresAt: string
}
export type Found = { size: number; contentType: string; etag: string }

/** Where objects are. Every method may throw when the storage does not answer. */
export type Storage = {
  /** Which one it is. */
  bucket: string
  presign(announced: Announced): Promise<Upload>
  /** Null where there is no such object. */
  find(key: string): Promise<Found | null>
  /** The first bytes of an object. @throws Error when it is not there, or not the one of this etag any more */
  head(key: string, bytes: number, etag: string): Promise<Uint8Array>
  /** @throws Error when the object is not the one of this etag any more */
  copy(from: string, to: string, etag: string): Promise<void>
  /** Nothing where it is not there. */
  remove(key: string): Promise<void>
}

export type S3 = { url: string; bucket: string; region: string; accessKey: string; secretKey: string }

/** How long an upload may begin. Seconds. */
export const UPLOAD_SECONDS = 600
/**
 * How long a request may take with its repetitions and its answer. Milliseconds: what a commit copies is there before its
 * object is deleted, for which private.doom_objects waits two minutes.
 */
const PATIENCE = 20_000

export function s3Storage({ url, bucket, region, accessKey, secretKey }: S3): Storage {
  const keys = { accessKeyId: accessKey, secretAccessKey: secretKey, region, service: 's3' }
  const client = new AwsClient({ ...keys, retries: 2 })
  const place = (key: string): string => `${url}/${bucket}/${key}`

  async function ask(method: string, key: string, headers: Record<string, string> = {}): Promise<Response> {
    const answer = await client.fetch(place(key), { method, headers, signal: AbortSignal.timeout(PATIENCE) })
    if (answer.ok || answer.status === 404) return answer
    await answer.body?.cancel()
    const code = `${method} ${answer.status}`
    throw Object.assign(new Error(`the storage answered ${code}`), { code })
  }

  return {
    bucket,
    async presign({ key, contentType, size }) {
      const headers = { 'Content-Type': contentType, 'Content-Length': String(size) }
      const target = new URL(place(key))
      target.searchParams.set('X-Amz-Expires', String(UPLOAD_SECONDS))
      const options = { ...keys, method: 'PUT', url: target.href, headers, signQuery: true, allHeaders: true }
      const signed = await new AwsV4Signer(options).sign()
      return { url: signed.url.href, headers, expiresAt: new Date(Date.now() + UPLOAD_SECONDS * 1000).toISOString() }
    },
    async find(key) {
      const { status, headers } = await ask('HEAD', key)
      if (status === 404) return null
      const etag = headers.get('etag') ?? ''
      return { size: Number(headers.get('content-length')), contentType: headers.get('content-type') ?? '', etag }
    },
    async head(key, bytes, etag) {
      const answer = await ask('GET', key, { Range: `bytes=0-${bytes - 1}`, ...(etag && { 'If-Match': etag }) })
      if (answer.status === 404) {
        await answer.body?.cancel()
        throw new Error('the object is gone')
      }
      // one that knows no ranges would send the whole
      const reader = answer.body?.getReader()
      const parts: number[] = []
      while (reader && parts.length < bytes) {
        const { value } = await reader.read()
        if (!value) break
        parts.push(...value.subarray(0, bytes))
      }
      await reader?.cancel()
      return Uint8Array.from(parts.slice(0, bytes))
    },
    async copy(from, to, etag) {
      const answer = await ask('PUT', to, {
        'x-amz-copy-source': `/${bucket}/${from}`,
        ...(etag && { 'x-amz-copy-source-if-match': etag }),
      })
      // a copy that fails half way says so behind a 200
      const text = await answer.text()
      if (answer.status === 404 || text.includes('<Error>')) throw new Error('the storage did not copy the object')
    },
    async remove(key) {
      const answer = await ask('DELETE', key)
      await answer.body?.cancel()
    },
  }
}
