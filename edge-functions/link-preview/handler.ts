// Previews of web pages. Strangers choose the page, so it is opened with care, and every error is null: the caller
// learns nothing about the network.
// POST /link-preview {url} → 200 {url, title, description, imageUrl, siteName} or null
import type { Hono } from 'hono'
import { z } from 'zod'
import { openDoors } from '../shared/doors.ts'
import { webAddress } from './addresses.ts'
import { type Preview, previewOf } from './page.ts'

/** An answer whose body is decompressed while it is read. */
export type Answer = { status: number; header(name: string): string | null; body: AsyncIterable<Uint8Array> }

export type LinkPreviewEnvironment = {
  /** The secrets that may have signed the caller's token, HS256. */
  jwtSecrets: readonly string[]
  /**
   * Opens exactly this URL and follows no redirects. The signal aborts everything, including the body.
   * @throws Error if that is not allowed, or fails
   */
  open(url: URL, signal: AbortSignal): Promise<Answer>
}

/** The timeout of a preview. Milliseconds. */
const PATIENCE = 5000
/** The most redirects. */
const HOPS = 3
/** The most bytes that are read of a page, after decompression. */
const MOST = 512 * 1024

const Form = z.object({ url: z.string().max(4096) })

export function createLinkPreview({ jwtSecrets, open }: LinkPreviewEnvironment): Hono {
  const { app, door } = openDoors('link-preview', jwtSecrets)
  door('/', Form, async (c, { url }) => c.json(await look(url, open)))
  return app
}

async function look(text: string, open: LinkPreviewEnvironment['open']): Promise<Preview | null> {
  const end = new AbortController()
  const over = new Promise<null>((settle) => end.signal.addEventListener('abort', () => settle(null)))
  const clock = setTimeout(() => end.abort(), PATIENCE)
  try {
    return await Promise.race([visit(text, open, end.signal).catch(() => null), over])
  } finally {
    clearTimeout(clock)
    end.abort() // closes bodies that were not read to the end
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

/** Decodes with the encoding that the answer names, or otherwise the page. */
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
