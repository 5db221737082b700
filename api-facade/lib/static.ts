// Files that the facade serves as they are: kept in memory, compressed once for each encoding, with ETag.
import { createHash } from 'node:crypto'
import { acceptedEncoding, compressOnce, type Encoding } from './compress.ts'
import type { Context } from './context.ts'
import { addVary, headerOf, send } from './headers.ts'

export type StaticFile = {
  body: string | Uint8Array<ArrayBuffer>
  headers: Record<string, string>
  /** The body in the encodings that clients have asked for. */
  compressed: Map<Encoding, Promise<Uint8Array<ArrayBuffer>>>
}

/** The SHA-256 of bodies, one after the other. */
export function digestOf(encoding: 'hex' | 'base64' | 'base64url', ...parts: StaticFile['body'][]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest(encoding)
}

export function staticFile(body: StaticFile['body'], type: string, headers: Record<string, string>): StaticFile {
  return {
    body,
    headers: { 'Content-Type': type, ETag: `"${digestOf('base64url', body)}"`, ...headers },
    compressed: new Map(),
  }
}

/** Sends a file, or 304 if the client has it already. The tag may be weak, because proxies that compress make it so. */
export async function sendFile(c: Context, { body, headers, compressed }: StaticFile): Promise<Response> {
  const known = (c.req.header('if-none-match') ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  if (known.includes(headers.ETag ?? '') || known.includes('*')) return send(c, null, 304, headers)
  addVary(c, 'Accept-Encoding')
  const encoding = acceptedEncoding(headerOf(c, 'accept-encoding'))
  if (!encoding) return send(c, body, 200, headers)
  const bytes = compressed.get(encoding) ?? compressOnce(body, encoding)
  compressed.set(encoding, bytes)
  return send(c, await bytes, 200, { ...headers, 'Content-Encoding': encoding })
}
