// Compressed answers, over raw HTTP: fetch would decompress them.
import { request } from 'node:http'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { acceptedEncoding } from '../../../api-facade/lib/compress.ts'
import { readOpenApi } from '../../support/openapi.ts'
import { publish } from '../../support/posts.ts'
import { world } from '../../support/world.ts'

const { alice, admin, url } = await world({ people: ['alice'] })
await publish(alice, { format: 'essay', title: 'Moss', body: 'Moss grows. '.repeat(500) })

type Raw = { status: number; headers: Record<string, unknown>; bytes: Buffer }
const ask = (path: string, encoding?: string, token = alice.token) =>
  new Promise<Raw>((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, ...(encoding && { 'accept-encoding': encoding }) }
    request(`${url}${path}`, { headers }, async (response) => {
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk as Buffer)
      resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(chunks) })
    })
      .on('error', reject)
      .end()
  })
const plain = { br: brotliDecompressSync, gzip: gunzipSync, zstd: zstdDecompressSync } as const

describe('An answer', () => {
  test.each(['br', 'gzip', 'zstd'] as const)('is compressed as %s if the client accepts it', async (encoding) => {
    for (const path of ['/api/v1/feed', '/openapi.json', '/docs/swagger-ui.css']) {
      const [bare, small] = [await ask(path), await ask(path, encoding)]
      expect(small.headers).toMatchObject({ 'content-encoding': encoding, vary: 'Accept-Encoding' })
      expect(plain[encoding](small.bytes).equals(bare.bytes)).toBe(true)
      expect(small.bytes.length).toBeLessThan(bare.bytes.length / 2)
    }
  })

  test.each([
    ['without Accept-Encoding', '/api/v1/feed', undefined],
    ['for a client that refuses all encodings', '/api/v1/feed', 'identity, *;q=0'],
    ['for a client that accepts only other encodings', '/api/v1/feed', 'deflate'],
    ['that is short', '/api/v1/economy/wallet', 'br'],
    ['with invite codes', '/api/v1/me/invites', 'br'],
  ])('%s is not compressed', async (_what, path, encoding) => {
    for (let n = 0; n < 5; n++) await alice.post('/me/invites')
    const { status, headers } = await ask(path, encoding)
    expect([status, headers['content-encoding']]).toEqual([200, undefined])
  })

  test('of staff with invite codes is not compressed', async () => {
    await admin.post('/admin/invite-codes/generate', { count: 50 })
    const { headers, bytes } = await ask('/api/v1/admin/invite-codes', 'br', admin.token)
    expect([bytes.length > 1024, headers['content-encoding']]).toEqual([true, undefined])
  })

  test('that is an error or a 304 is not compressed', async () => {
    expect((await ask('/api/v1/nothing', 'br')).headers['content-encoding']).toBeUndefined()
    const { headers } = await ask('/openapi.json', 'br')
    expect(headers.etag).toBeDefined()
  })
})

test('No compressed answer contains an invite code or a token', () => {
  type Schema = { $ref?: string; properties?: Record<string, unknown>; [key: string]: unknown }
  type Document = { paths: Record<string, { get?: { responses: Record<string, Schema> } }>; components: never }
  const document = readOpenApi<Document>()
  const find = (ref: string) =>
    ref
      .split('/')
      .slice(1)
      .reduce((at, name) => (at as Record<string, unknown>)[name] as never, document as unknown)
  function fields(schema: unknown, seen: readonly string[] = []): string[] {
    if (typeof schema !== 'object' || schema === null) return []
    const { $ref, properties = {} } = schema as Schema
    if ($ref) return seen.includes($ref) ? [] : fields(find($ref), [...seen, $ref])
    return [...Object.keys(properties), ...Object.values(schema).flatMap((inner) => fields(inner, seen))]
  }
  const found = Object.entries(document.paths).flatMap(([path, { get }]) =>
    fields(get?.responses['200']?.content).some((name) => /^(codes?|inviteCode|\w*[tT]oken)$/.test(name)) ? [path] : [],
  )
  // An export is streamed, and streams are not compressed. The `code` of an import, of a stuck effect and of a reason
  // of access says what happened.
  expect(found.sort()).toEqual([
    '/api/v1/admin/access',
    '/api/v1/admin/effects/stuck',
    '/api/v1/admin/invite-codes',
    '/api/v1/me/export',
    '/api/v1/me/import',
    '/api/v1/me/invites',
  ])
})

test.each([
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip, deflate', 'gzip'],
  ['zstd;q=0.9, gzip;q=1', 'gzip'],
  ['br;q=0, *', 'zstd'],
  ['*', 'br'],
  ['GZIP ; Q=0.5', 'gzip'],
  ['identity', undefined],
  ['br;q=x', undefined],
  ['', undefined],
  [undefined, undefined],
])('Of "%s" the facade chooses %s', (header, encoding) => {
  expect(acceptedEncoding(header)).toBe(encoding)
})
