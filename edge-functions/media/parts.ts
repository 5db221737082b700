// Uploads in parts, so that an interrupted upload of a large file can continue. The storage keeps the parts until it is
// told to join them.
import { type Ask, failure, saidIn } from './bucket.ts'
import type { NewPart, Upload } from './presign.ts'

/** A part that the storage has. The tag identifies the content. */
export type Part = { number: number; size: number; tag: string }

/** Every method throws if the storage does not answer. */
export type Multipart = {
  /** @returns the id of the upload */
  begin(key: string, contentType: string): Promise<string>
  /** The parts that have arrived. Null if there is no such upload, because it was completed or aborted. */
  arrived(key: string, uploadId: string): Promise<Part[] | null>
  sign(part: NewPart): Promise<Upload>
  /** Joins the parts to the object. Does nothing if there is no such upload. */
  complete(key: string, uploadId: string, parts: readonly Part[]): Promise<void>
  /** Does nothing if there is no such upload. */
  abort(key: string, uploadId: string): Promise<void>
}

/** The sizes of the parts of a file, in order. */
export const sizesOf = (size: number, partSize: number): number[] =>
  Array.from({ length: Math.ceil(size / partSize) }, (_, i) => Math.min(partSize, size - i * partSize))

export function s3Multipart(bucket: string, ask: Ask, sign: (part: NewPart) => Promise<Upload>): Multipart {
  const place = (key: string, uploadId: string) => `${bucket}/${key}?uploadId=${encodeURIComponent(uploadId)}`
  /** The text of an answer; null if there is no such upload. @throws Error if there is no such bucket */
  async function textOf(answer: Response): Promise<string | null> {
    const text = await answer.text()
    if (text.includes('<Code>NoSuchBucket</Code>')) throw failure('NoSuchBucket')
    if (answer.status === 404) return null
    // If completing fails halfway, the storage reports the error in the body of a 200.
    if (text.includes('<Error>')) throw failure(saidIn(text) ?? 'Error')
    return text
  }
  return {
    async begin(key, contentType) {
      const text = await textOf(await ask('POST', `${bucket}/${key}?uploads=`, { 'content-type': contentType }))
      const [, uploadId] = /<UploadId>([^<]+)<\/UploadId>/.exec(text ?? '') ?? []
      if (!uploadId) throw failure('NoUploadId')
      return uploadId
    },
    async arrived(key, uploadId) {
      const text = await textOf(await ask('GET', `${place(key, uploadId)}&max-parts=1000`))
      const parts = text?.matchAll(/<Part>.*?<\/Part>/gs)
      return parts ? [...parts].map(([part]) => partIn(part)) : null
    },
    sign,
    async complete(key, uploadId, parts) {
      const list = parts.map(({ number, tag }) => `<Part><PartNumber>${number}</PartNumber><ETag>${tag}</ETag></Part>`)
      const body = `<CompleteMultipartUpload>${list.join('')}</CompleteMultipartUpload>`
      await textOf(await ask('POST', place(key, uploadId), { 'content-type': 'application/xml' }, body))
    },
    async abort(key, uploadId) {
      await textOf(await ask('DELETE', place(key, uploadId)))
    },
  }
}

/** The tag stays escaped, because it is sent back within XML. */
function partIn(text: string): Part {
  const field = (name: string) => new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1] ?? ''
  return { number: Number(field('PartNumber')), size: Number(field('Size')), tag: field('ETag') }
}
