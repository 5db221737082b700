// A bucket of a storage that speaks S3.

export type Found = { size: number; contentType: string }
/** Every method may throw when the storage does not answer. */
export type Bucket = {
  name: string
  exists(): Promise<boolean>
  /** Null where there is no such object. */
  find(key: string): Promise<Found | null>
  /** The first bytes of an object. @throws Error when it is not there */
  head(key: string, bytes: number): Promise<Uint8Array>
  /** Keys that begin so: at most 1000 of them. */
  list(prefix: string): Promise<string[]>
  /** Nothing where it is not there. */
  remove(key: string): Promise<void>
}
/** Asks for what is at a path: a bucket's name, and perhaps a key. */
export type Ask = (method: string, path: string, headers?: Record<string, string>, body?: string) => Promise<Response>

/** What the storage says of a file that is above its own limit; S3 itself says it with 400. */
export const TOO_LARGE = 'EntityTooLarge'

export function s3Bucket(name: string, ask: Ask): Bucket {
  return {
    name,
    async exists() {
      return (await ask('HEAD', name)).ok
    },
    async find(key) {
      const { status, headers } = await ask('HEAD', `${name}/${key}`)
      if (status === 404) return null
      return { size: Number(headers.get('content-length')), contentType: headers.get('content-type') ?? '' }
    },
    async head(key, bytes) {
      const answer = await ask('GET', `${name}/${key}`, { Range: `bytes=0-${bytes - 1}` })
      if (answer.status === 404) throw failure(saidIn(await answer.text()) ?? 'NoSuchKey')
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
    async list(prefix) {
      const answer = await ask('GET', `${name}?list-type=2&prefix=${encodeURIComponent(prefix)}`)
      const text = await answer.text()
      if (answer.status === 404) throw failure(saidIn(text) ?? 'NoSuchBucket')
      return [...text.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => key)
    },
    async remove(key) {
      const answer = await ask('DELETE', `${name}/${key}`)
      if (saidIn(await answer.text()) === 'NoSuchBucket') throw failure('NoSuchBucket')
    },
  }
}

/** The code in an answer of the storage, where it has one. */
export const saidIn = (text: string): string | undefined => /<Code>(\w{1,40})<\/Code>/.exec(text)?.[1]

export const failure = (code: string): Error => Object.assign(new Error(`the storage answered ${code}`), { code })
