// Object storages to test against: s3rver, which others wrote and which verifies signatures, but takes what nobody signed;
// and one of our own that is as strict as S3 is. Both have the bucket `kith`, for everybody to read.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { listen } from './functions.ts'

/** The settings of a facade, or of the function, that uses the storage at this address. */
export const storageSettings = (url: string) => ({
  STORAGE_URL: url,
  STORAGE_BUCKET: 'kith',
  STORAGE_ACCESS_KEY: 'S3RVER',
  STORAGE_SECRET_KEY: 'S3RVER',
  STORAGE_PUBLIC_URL: `${url}/kith`,
})

/** @returns its address */
export async function s3rver(): Promise<string> {
  const S3rver = createRequire(import.meta.url)('@20minutes/s3rver')
  const directory = mkdtempSync(join(tmpdir(), 'kith-s3-'))
  const configureBuckets = [{ name: 'kith' }]
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    vhostBuckets: false,
    directory,
    configureBuckets,
  })
  const { port } = await server.run()
  afterAll(async () => {
    server.httpServer.closeAllConnections()
    await server.close()
    rmSync(directory, { recursive: true, force: true })
  })
  return `http://127.0.0.1:${port}`
}

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()
const hexOf = (data: string | Buffer) => createHash('sha256').update(data).digest('hex')
const encoded = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)

/** Whether the request is signed as AWS Signature Version 4 says, now, with everything that S3 wants signed. */
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

type Stored = { body: Buffer; type: string; etag: string }

/** @returns its address, what it holds by key, and how to make it refuse */
export async function strictStorage() {
  const objects = new Map<string, Stored>()
  const locked = new Set<string>()
  let refusals = 0
  const put = (key: string, body: Buffer, type = '') => objects.set(key, { body, type, etag: `"${hexOf(body)}"` })

  const url = await listen(async (request, answer) => {
    const { method, headers } = request
    const key = new URL(request.url ?? '', 'http://storage').pathname.replace('/kith/', '')
    const body = Buffer.concat(await request.toArray())
    const end = (status: number, more: Record<string, string> = {}, text?: Buffer | string) =>
      answer.writeHead(status, more).end(text)
    if (refusals > 0) {
      refusals--
      return end(503)
    }
    if (method === 'DELETE' && locked.has(key)) return end(403)
    if (!isSigned(request) && !(method === 'GET' && !headers.authorization && !request.url?.includes('?')))
      return end(403)
    const found = objects.get(key)
    const copied = headers['x-amz-copy-source']
    if (method === 'PUT' && typeof copied === 'string') {
      const source = objects.get(copied.replace('/kith/', ''))
      if (!source) return end(404)
      const etag = headers['x-amz-copy-source-if-match']
      if (etag && etag !== source.etag) return end(412)
      objects.set(key, source)
      return end(200, {}, '<CopyObjectResult/>')
    }
    if (method === 'PUT') {
      if (headers['content-length'] === undefined) return end(411)
      put(key, body, headers['content-type'])
      return end(200)
    }
    if (method === 'DELETE') {
      objects.delete(key)
      return end(204)
    }
    if (!found) return end(404)
    if (headers['if-match'] && headers['if-match'] !== found.etag) return end(412)
    const head = { 'content-type': found.type, etag: found.etag }
    if (method === 'HEAD') return end(200, { ...head, 'content-length': String(found.body.length) })
    const [, last] = /^bytes=0-(\d+)$/.exec(headers.range ?? '') ?? []
    return end(last ? 206 : 200, head, last ? found.body.subarray(0, Number(last) + 1) : found.body)
  })
  return {
    url,
    objects,
    /** Keys of what it does not delete. */
    locked,
    /** The next so many requests are answered with 503. */
    refuse: (count: number) => {
      refusals = count
    },
  }
}
