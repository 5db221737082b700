// Previews of web pages. Strangers choose the page, so it is opened with care, and every error is null: the caller
// learns nothing about the network.
// POST /link-preview {url} → 200 {url, title, description, imageUrl, siteName} or null
// POST /link-preview/keys {url} → 200 {keys: [{kty, crv, x, kid}]}, those of another Kith instance, or null
import type { Hono } from 'hono'
import { z } from 'zod'
import { webAddress } from '../shared/addresses.ts'
import { openDoors } from '../shared/doors.ts'
import type { Open } from '../shared/open.ts'
import { type Preview, previewOf } from './page.ts'

export type LinkPreviewEnvironment = {
  /** The secrets that may have signed the caller's token, HS256. */
  jwtSecrets: readonly string[]
  open: Open
}

/** The timeout of a preview. Milliseconds. */
const PATIENCE = 5000
/** The most redirects. */
const HOPS = 3
/** The maximum number of bytes that are read of a page, after decompression. */
const MOST = 512 * 1024

const Form = z.object({ url: z.string().max(4096) })

export function createLinkPreview({ jwtSecrets, open }: LinkPreviewEnvironment): Hono {
  const { app, door } = openDoors('link-preview', jwtSecrets)
  door('/', Form, async (c, { url }) => c.json(await patiently((signal) => visit(url, open, signal))))
  door('/keys', Form, async (c, { url }) => c.json(await patiently((signal) => readKeys(url, open, signal))))
  return app
}

/** The result of the work; null if it fails or takes too long. */
async function patiently<T>(work: (signal: AbortSignal) => Promise<T | null>): Promise<T | null> {
  const end = new AbortController()
  const over = new Promise<null>((settle) => end.signal.addEventListener('abort', () => settle(null)))
  const clock = setTimeout(() => end.abort(), PATIENCE)
  try {
    return await Promise.race([work(end.signal).catch(() => null), over])
  } finally {
    clearTimeout(clock)
    end.abort() // This closes bodies that were not read to the end.
  }
}

async function visit(text: string, open: LinkPreviewEnvironment['open'], signal: AbortSignal): Promise<Preview | null> {
  let url = webAddress(text)
  for (let hop = 0; url && hop <= HOPS; hop++) {
    const answer = await open(url, signal)
    const next = /^30[12378]$/.test(String(answer.status)) ? answer.header('location') : null
    const type = answer.header('content-type') ?? ''
    if (next === null) {
      const fits = answer.status === 200 && /^\s*(text\/html|application\/xhtml\+xml)\s*(;|$)/i.test(type)
      return fits ? previewOf(decoded(await readSome(answer.body), type), url) : null
    }
    url = webAddress(next, url)
  }
  return null
}

/** The part that we read of another instance's /.well-known/kith. */
const Described = z.object({
  keys: z.array(z.looseObject({ kty: z.string(), crv: z.string(), x: z.string(), kid: z.string() })).max(20),
})

/** The keys at the /.well-known/kith of another instance. Follows no redirect. */
async function readKeys(text: string, open: LinkPreviewEnvironment['open'], signal: AbortSignal) {
  const url = webAddress(text)
  if (url?.pathname !== '/.well-known/kith') return null
  const answer = await open(url, signal)
  if (answer.status !== 200 || !/^\s*application\/json\s*(;|$)/i.test(answer.header('content-type') ?? '')) return null
  const { keys } = Described.parse(JSON.parse(new TextDecoder().decode(await readSome(answer.body))))
  return { keys: keys.map(({ kty, crv, x, kid }) => ({ kty, crv, x, kid })) }
}

async function readSome(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const bytes = new Uint8Array(MOST)
  let size = 0
  for await (const chunk of body) {
    const part = chunk.subarray(0, MOST - size)
    bytes.set(part, size)
    size += part.length
    if (size === MOST) break
  }
  return bytes.subarray(0, size)
}

/** Decodes the page, in the encoding that its Content-Type names, otherwise the page itself. */
function decoded(bytes: Uint8Array, type: string): string {
  const charset = /charset\s*=\s*["']?([\w:.-]+)/i
  const beginning = new TextDecoder('latin1').decode(bytes.subarray(0, 1024))
  const [, label = 'utf-8'] = charset.exec(type) ?? charset.exec(beginning) ?? []
  try {
    return new TextDecoder(label).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes) // unknown encoding
  }
}
