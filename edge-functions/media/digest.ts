// The SHA-256 of a file, computed piece by piece, because Web Crypto needs the whole file in memory.
import { createHash } from 'node:crypto'

/** The SHA-256 in lower-case hex. @throws Error if the stream breaks off */
export async function sha256(file: ReadableStream<Uint8Array>): Promise<string> {
  const hash = createHash('sha256')
  const reader = file.getReader()
  for (;;) {
    const { value } = await reader.read()
    if (!value) return hash.digest('hex')
    hash.update(value)
  }
}
