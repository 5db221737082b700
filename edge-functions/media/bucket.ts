// A bucket of an S3-compatible storage.

export type Found = { size: number; contentType: string }
/** Every method throws if the storage does not answer. */
export type Bucket = {
  name: string
  exists(): Promise<boolean>
  /** The size and type of an object; null if there is no such object. */
  find(key: string): Promise<Found | null>
  /** The first bytes of an object. @throws Error if it does not exist */
  head(key: string, bytes: number): Promise<Uint8Array>
  /** The whole object. @throws Error if it does not exist */
  read(key: string): Promise<ReadableStream<Uint8Array>>
  /** The keys with this prefix, at most 1000. */
  list(prefix: string): Promise<string[]>
  /** Deletes an object. Does nothing if the object does not exist. */
  remove(key: string): Promise<void>
}
/** Sends a request for a path: the name of a bucket, optionally with a key. */
export type Ask = (method: string, path: string, headers?: Record<string, string>, body?: string) => Promise<Response>

/** The code of the storage for a file above its own limit; S3 itself answers 400. */
export const TOO_LARGE = 'EntityTooLarge'

export function s3Bucket(name: string, ask: Ask): Bucket {
  /** The body of an object. @throws Error if it does not exist */
  async function get(key: string, headers?: Record<string, string>) {
    const answer = await ask('GET', `${name}/${key}`, headers)
    if (answer.status === 404) throw failure(saidIn(await answer.text()) ?? 'NoSuchKey')
    return answer.body
  }
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
      // A storage without ranges would send the whole file.
      const reader = (await get(key, { Range: `bytes=0-${bytes - 1}` }))?.getReader()
      const found = new Uint8Array(bytes)
      let length = 0
      while (reader && length < bytes) {
        const { value } = await reader.read()
        if (!value) break
        found.set(value.subarray(0, bytes - length), length)
        length = Math.min(bytes, length + value.length)
      }
      await reader?.cancel()
      return found.subarray(0, length)
    },
    async read(key) {
      return (await get(key)) ?? new ReadableStream({ start: (empty) => empty.close() })
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

/** The error code in an answer of the storage, if any. */
export const saidIn = (text: string): string | undefined => /<Code>(\w{1,40})<\/Code>/.exec(text)?.[1]

export const failure = (code: string): Error => Object.assign(new Error(`the storage answered ${code}`), { code })
