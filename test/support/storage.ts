// Two object storages for tests. s3rver is a third-party storage, behind a gateway that adds what it lacks. The other
// one is our own, which is as strict as S3. Both have the bucket `kith`, which is public, and two private ones.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { request as ask, type IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { listen } from './functions.ts'
import { OTHER, type StorageSettings } from './storage-settings.ts'

/** The settings of a facade, or of the function, for the storage at this address. */
export const storageSettings = (url: string): StorageSettings => ({
  STORAGE_URL: url,
  STORAGE_BUCKET: 'kith',
  STORAGE_REGION: 'us-east-1',
  STORAGE_ACCESS_KEY: 'S3RVER',
  STORAGE_SECRET_KEY: 'S3RVER',
  STORAGE_PUBLIC_URL: `${url}/kith`,
})

const buckets = ['kith', 'kith-uploads', OTHER]

/** @returns its address, and its address without the gateway */
export async function s3rver(): Promise<{ url: string; bare: string }> {
  const S3rver = createRequire(import.meta.url)('@20minutes/s3rver')
  const directory = mkdtempSync(join(tmpdir(), 'kith-s3-'))
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    vhostBuckets: false,
    directory,
    configureBuckets: buckets.map((name) => ({ name })),
  })
  const { port } = await server.run()
  afterAll(async () => {
    server.httpServer.closeAllConnections()
    await server.close()
    rmSync(directory, { recursive: true, force: true })
  })
  return { url: await gateway(port), bare: `http://127.0.0.1:${port}` }
}

/**
 * The gateway of docs/operation.md, Media, in front of a storage that accepts unsigned headers: it removes such headers
 * from requests to an upload address. It also keeps clients without a key out of private buckets.
 */
const gateway = (port: number): Promise<string> =>
  listen((request, answer) => {
    const { method, url: path = '', headers } = request
    const bySignature = path.includes('X-Amz-Signature=')
    if (!headers.authorization && !bySignature && !path.startsWith('/kith/')) return answer.writeHead(403).end()
    const passed = Object.entries(headers).filter(([name]) => !(bySignature && name.startsWith('x-amz-')))
    const on = { host: '127.0.0.1', port, path, method, headers: Object.fromEntries(passed) }
    const asked = ask(on, (given) => given.pipe(answer.writeHead(given.statusCode ?? 502, given.headers)))
    asked.on('error', () => answer.destroy())
    answer.on('close', () => asked.destroy())
    request.pipe(asked)
  })

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()
const hexOf = (data: string | Buffer) => createHash('sha256').update(data).digest('hex')
const encoded = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)

/** Whether the request is signed by AWS Signature Version 4, now, with everything that S3 requires to be signed. */
function isSigned({ method, url, headers }: IncomingMessage): boolean {
  const { pathname, searchParams } = new URL(url ?? '', 'http://storage')
  const [, credential, names, given] = /^AWS4-HMAC-SHA256 Credential=(.+), SignedHeaders=(.+), Signature=(\w+)$/.exec(
    headers.authorization ?? '',
  ) ?? [
    '',
    ...['X-Amz-Credential', 'X-Amz-SignedHeaders', 'X-Amz-Signature'].map((name) => searchParams.get(name) ?? ''),
  ]
  const inQuery = headers.authorization === undefined
  const date = inQuery ? searchParams.get('X-Amz-Date') : headers['x-amz-date']
  const [access, day = '', region = '', service = '', end] = credential?.split('/') ?? []
  if (access !== 'S3RVER' || end !== 'aws4_request' || !given || typeof date !== 'string') return false

  const iso = date.replace(/(....)(..)(..T..)(..)(..Z)/, '$1-$2-$3:$4:$5')
  const age = (Date.now() - Date.parse(iso)) / 1000
  if (!(age > -60 && age <= (inQuery ? Number(searchParams.get('X-Amz-Expires')) : 300))) return false
  const signed = names?.split(';') ?? []
  const wanted = Object.keys(headers).filter((name) => name.startsWith('x-amz-'))
  if (!['host', ...wanted].every((name) => signed.includes(name))) return false

  searchParams.delete('X-Amz-Signature')
  const query = [...searchParams]
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort()
    .join('&')
  const lines = signed.map((name) => `${name}:${String(headers[name] ?? '').trim()}\n`).join('')
  const payload = headers['x-amz-content-sha256'] ?? 'UNSIGNED-PAYLOAD'
  const request = [method, pathname, query, lines, names, payload].join('\n')
  const text = ['AWS4-HMAC-SHA256', date, `${day}/${region}/${service}/aws4_request`, hexOf(request)].join('\n')
  const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(hmac, 'AWS4S3RVER')
  const right = hmac(key, text)
  const claimed = Buffer.from(given, 'hex')
  return claimed.length === right.length && timingSafeEqual(claimed, right)
}

type Stored = { body: Buffer; headers: Record<string, string> }
/** An upload in parts: the object that it becomes, and what has arrived. */
type Begun = { path: string; headers: Record<string, string>; parts: Map<number, { body: Buffer; tag: string }> }
/** S3 lists at most this many keys at once. */
const PAGE = 1000
/** S3 accepts no smaller part, except as the last one. */
const SMALLEST = 5 * 1024 * 1024
const KEPT = ['content-type', 'cache-control', 'content-disposition']

/** @returns its address, its objects by bucket and key, and switches that make it fail */
export async function strictStorage() {
  const objects = new Map<string, Stored>()
  const begun = new Map<string, Begun>()
  const there = new Set(buckets)
  const open = new Set(['kith'])
  const locked = new Set<string>()
  const sizes = { most: Number.POSITIVE_INFINITY }
  let rejections = 0

  const url = await listen(async (request, answer) => {
    const { method, headers } = request
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://storage')
    const path = pathname.slice(1)
    const [bucket = '', key] = path.split('/')
    const body = Buffer.concat(await request.toArray())
    const end = (status: number, more: Record<string, string> = {}, text?: Buffer | string) =>
      answer.writeHead(status, more).end(text)
    const refuse = (status: number, code: string) => end(status, {}, `<Error><Code>${code}</Code></Error>`)
    if (rejections > 0) {
      rejections--
      return end(503)
    }
    if (method === 'DELETE' && locked.has(path)) return end(403)
    const isPublic = method === 'GET' && open.has(bucket) && !headers.authorization && !searchParams.has('X-Amz-Date')
    if (!isSigned(request) && !isPublic) return end(403)
    if (!there.has(bucket)) return refuse(404, 'NoSuchBucket')
    if (!key) {
      const from = searchParams.get('continuation-token') ?? ''
      const found = [...objects.keys()]
        .filter((name) => name.startsWith(`${bucket}/${searchParams.get('prefix') ?? ''}`) && name > from)
        .sort()
      const page = found.slice(0, PAGE)
      const keys = page.map((name) => `<Key>${name.slice(bucket.length + 1)}</Key>`).join()
      const more = found.length > PAGE ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : ''
      return end(200, {}, keys + more)
    }
    const sent = Object.fromEntries(KEPT.flatMap((name) => [[name, String(headers[name] ?? '')]]))
    if (method === 'POST' && searchParams.has('uploads')) {
      const uploadId = `${crypto.randomUUID()}+/=` // must be encoded in a URL
      begun.set(uploadId, { path, headers: sent, parts: new Map() })
      return end(200, {}, `<UploadId>${uploadId}</UploadId>`)
    }
    const uploadId = searchParams.get('uploadId')
    if (uploadId !== null) {
      const upload = begun.get(uploadId)
      if (upload?.path !== path) return refuse(404, 'NoSuchUpload')
      const parts = [...upload.parts].sort(([one], [other]) => one - other)
      if (method === 'PUT') {
        if (headers['content-length'] === undefined) return end(411)
        const tag = `&quot;${hexOf(body)}&quot;`
        upload.parts.set(Number(searchParams.get('partNumber')), { body, tag })
        return end(200)
      }
      if (method === 'GET') {
        const list = parts.map(
          ([number, part]) =>
            `<Part><ETag>${part.tag}</ETag><PartNumber>${number}</PartNumber><Size>${part.body.length}</Size></Part>`,
        )
        return end(200, {}, `<ListPartsResult>${list.join('\n')}</ListPartsResult>`)
      }
      begun.delete(uploadId)
      if (method === 'DELETE') return end(204)
      const named = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>([^<]+)<\/ETag>/g)]
      const isRight = named.every(([, number, tag]) => upload.parts.get(Number(number))?.tag === tag)
      const isLarge = parts.slice(0, -1).every(([, part]) => part.body.length >= SMALLEST)
      if (!isRight || !isLarge || named.length !== parts.length) return refuse(400, 'InvalidPart')
      objects.set(path, { body: Buffer.concat(parts.map(([, part]) => part.body)), headers: upload.headers })
      return end(200, {}, '<CompleteMultipartUploadResult/>')
    }
    const copied = headers['x-amz-copy-source']
    if (method === 'PUT' && typeof copied === 'string') {
      const source = objects.get(copied.slice(1))
      if (!source) return refuse(404, 'NoSuchKey')
      if (source.body.length > sizes.most) return refuse(400, 'EntityTooLarge')
      const isNew = headers['x-amz-metadata-directive'] === 'REPLACE'
      objects.set(path, { body: source.body, headers: isNew ? sent : source.headers })
      return end(200, {}, '<CopyObjectResult/>')
    }
    if (method === 'PUT') {
      if (headers['content-length'] === undefined) return end(411)
      objects.set(path, { body, headers: sent })
      return end(200)
    }
    if (method === 'DELETE') {
      objects.delete(path)
      return end(204)
    }
    const found = objects.get(path)
    if (!found) return refuse(404, 'NoSuchKey')
    if (method === 'HEAD') return end(200, { ...found.headers, 'content-length': String(found.body.length) })
    const [, first = '0', last] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? []
    return end(
      last ? 206 : 200,
      found.headers,
      last ? found.body.subarray(Number(first), Number(last) + 1) : found.body,
    )
  })
  return {
    url,
    objects,
    /** The uploads in parts that have begun, by their ids. */
    begun,
    /** The buckets that exist, and those that are public. */
    there,
    open,
    /** Objects, by bucket and key, that it does not delete. */
    locked,
    /** It copies no object with more than `most` bytes. */
    sizes,
    /** Answers the next requests with 503. */
    refuse: (count: number) => {
      rejections = count
    },
  }
}
