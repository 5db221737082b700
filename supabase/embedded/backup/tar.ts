// Unpacks a tar archive as PostgreSQL writes it (ustar): files and folders, no links.
import { chownSync, mkdirSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { resolve, sep } from 'node:path'
import type { Account } from '../paths.ts'

const BLOCK = 512

/** Reads exact numbers of bytes from chunks of any size. */
function reader(source: AsyncIterable<Buffer>) {
  const chunks = source[Symbol.asyncIterator]()
  let rest: Buffer = Buffer.alloc(0)
  /** Reads at least one byte and at most `most`. */
  async function some(most: number): Promise<Buffer> {
    while (rest.length === 0) {
      const { value, done } = await chunks.next()
      if (done) throw new Error('The archive ends too early.')
      rest = value
    }
    const taken = rest.subarray(0, most)
    rest = rest.subarray(taken.length)
    return taken
  }
  async function exactly(size: number): Promise<Buffer> {
    const parts: Buffer[] = []
    for (let left = size; left > 0; left -= parts.at(-1)?.length ?? 0) parts.push(await some(left))
    return Buffer.concat(parts)
  }
  async function end(): Promise<void> {
    while (!(await chunks.next()).done);
  }
  return { some, exactly, end }
}

const textAt = (header: Buffer, from: number, length: number): string =>
  header.toString('utf8', from, from + length).replace(/\0.*$/s, '')

/**
 * Unpacks into an existing folder; everything in it belongs to `account`. PostgreSQL itself makes the files durable when
 * it recovers.
 */
export async function unpack(source: AsyncIterable<Buffer>, folder: string, account: Account | null): Promise<void> {
  const { some, exactly, end } = reader(source)
  for (;;) {
    const header = await exactly(BLOCK)
    const name = textAt(header, 0, 100)
    if (name === '') return end() // the sender must not wait for its reader
    const size = Number.parseInt(textAt(header, 124, 12), 8)
    const type = textAt(header, 156, 1)
    const path = resolve(folder, name)
    if (!path.startsWith(folder + sep) || (type !== '5' && type !== '0'))
      throw new Error(`The backup has ${name}, which is not a file of a cluster.`)
    if (type === '5') mkdirSync(path, { mode: 0o700, recursive: true })
    else {
      const file = await open(path, 'wx', 0o600)
      try {
        for (let left = size; left > 0; ) {
          const bytes = await some(left)
          await file.writeFile(bytes)
          left -= bytes.length
        }
      } finally {
        await file.close()
      }
      await exactly((BLOCK - (size % BLOCK)) % BLOCK)
    }
    if (account) chownSync(path, account.uid, account.gid)
  }
}
