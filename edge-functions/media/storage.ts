// S3-compatible object storage: Supabase Storage, R2, MinIO. Every request is signed.
import { AwsClient } from 'aws4fetch'
import { type Ask, type Bucket, failure, s3Bucket, saidIn, TOO_LARGE } from './bucket.ts'
import { lookAt } from './look.ts'
import { type Multipart, s3Multipart } from './parts.ts'
import { type Announced, presign, presignPart, type Upload } from './presign.ts'

/** How an object is served publicly. */
export type Served = { contentType: string; cacheControl: string; disposition: 'inline' | 'attachment' }

/** Every method throws if the storage does not answer. */
export type Storage = {
  /** The private bucket that clients write to. */
  uploads: Bucket
  /** The public bucket that only this function writes to. */
  media: Bucket
  /** Uploads in parts, into the bucket of uploads. */
  multipart: Multipart
  presign(announced: Announced): Promise<Upload>
  /** Copies an upload within the bucket of uploads. @throws Error if it does not exist */
  hold(upload: string, held: string): Promise<void>
  /** Copies an upload into the bucket of media. @throws Error if it does not exist */
  publish(held: string, key: string, served: Served): Promise<void>
  /** One sentence per problem for the operator. `publicUrl` is the URL before the key of media. */
  look(publicUrl: string): Promise<string[]>
}

export type S3 = {
  url: string
  bucket: string
  /** Default: the name of the bucket followed by `-uploads`. */
  uploadBucket?: string | undefined
  region: string
  accessKey: string
  secretKey: string
}

/**
 * The timeout of a request including retries, in milliseconds. It must be less than the two minutes that
 * private.queue_object_deletions waits, so that a running commit has made its copy before the object is deleted.
 */
const PATIENCE = 20_000

export function s3Storage({ url, bucket, uploadBucket = `${bucket}-uploads`, ...given }: S3): Storage {
  const { region, accessKey, secretKey } = given
  const keys = { accessKeyId: accessKey, secretAccessKey: secretKey, region, service: 's3' }
  const client = new AwsClient({ ...keys, retries: 2 })

  const ask: Ask = async (method, path, headers = {}, body) => {
    const signal = AbortSignal.timeout(PATIENCE)
    const answer = await client.fetch(`${url}/${path}`, { method, headers, signal, ...(body && { body }) })
    if (answer.ok || answer.status === 404) return answer
    const said = saidIn(await answer.text())
    throw failure(answer.status === 413 ? TOO_LARGE : (said ?? `${method} ${answer.status}`))
  }

  async function copy(from: string, to: string, headers: Record<string, string> = {}): Promise<void> {
    const answer = await ask('PUT', to, { 'x-amz-copy-source': `/${from}`, ...headers })
    // If a copy fails halfway, S3 reports the error in the body of a 200.
    const text = await answer.text()
    if (answer.status === 404 || text.includes('<Error>')) throw failure(saidIn(text) ?? 'NoSuchKey')
  }

  const uploads = s3Bucket(uploadBucket, ask)
  const media = s3Bucket(bucket, ask)
  const signing = { url: `${url}/${uploadBucket}`, keys }
  const sign = (announced: Announced) => presign(signing, announced)
  return {
    uploads,
    media,
    multipart: s3Multipart(uploadBucket, ask, (part) => presignPart(signing, part)),
    presign: sign,
    hold: (upload, held) => copy(`${uploadBucket}/${upload}`, `${uploadBucket}/${held}`),
    publish: (held, key, { contentType, cacheControl, disposition }) =>
      copy(`${uploadBucket}/${held}`, `${bucket}/${key}`, {
        'x-amz-metadata-directive': 'REPLACE',
        'content-type': contentType,
        'cache-control': cacheControl,
        'content-disposition': disposition,
      }),
    look: (publicUrl) => lookAt({ url, uploads, media, sign, ask, publicUrl }),
  }
}
