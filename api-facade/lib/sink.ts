// Media without object storage, for development: a folder that the facade's own routes write and serve.
// docs/configuration.md, Media, describes the storage for production.
import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { copyFile, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Bucket, Found } from '../../edge-functions/media/bucket.ts'
import { type Announced, UPLOAD_SECONDS } from '../../edge-functions/media/presign.ts'
import type { Storage } from '../../edge-functions/media/storage.ts'
import { type Config, SINK } from './config.ts'
import type { Seals } from './seals.ts'

const folderOf = (config: Config, name: string): string =>
  join(resolve(config.dataDir ?? join(import.meta.dirname, '../../.data')), name)
const sinkFolder = (config: Config): string => folderOf(config, 'media')
const uploadFolder = (config: Config): string => folderOf(config, 'media-uploads')

// each object is a file, and its content type one beside it
const fileOf = (folder: string, key: string): string => join(folder, basename(key))
const typeOf = (file: string): string => `${file}.type`
const absent = (error: NodeJS.ErrnoException): null => {
  if (error.code === 'ENOENT') return null
  throw error
}

/** The headers to which the token of an upload is bound, besides the asset and the time of its end. */
const headersOf = (contentType: string, size: string): string => `${contentType} ${size}`

export function sinkStorage(config: Config, seals: Seals): Storage {
  const [uploads, media] = [uploadFolder(config), sinkFolder(config)]
  return {
    uploads: folderBucket('uploads', uploads),
    media: folderBucket(SINK, media),
    async presign({ key, contentType, size }) {
      const id = key.split('.')[0] ?? ''
      const ends = Math.floor(Date.now() / 1000) + UPLOAD_SECONDS
      const token = seals.seal('upload', { id, generation: ends }, headersOf(contentType, String(size)))
      return {
        url: `${config.facadeUrl}/api/v1/media/local/${id}?token=${token}`,
        headers: { 'Content-Type': contentType, 'Content-Length': String(size) },
        expiresAt: new Date(ends * 1000).toISOString(),
      }
    },
    hold: (upload, held) => copy(fileOf(uploads, upload), fileOf(uploads, held)),
    publish: async (held, key) => {
      await makeFolder(media)
      await copy(fileOf(uploads, held), fileOf(media, key))
    },
    look: async () => [],
  }
}

/** Copies both files of an object. It writes the content type last: if that file exists, the other one does, too. */
async function copy(from: string, to: string): Promise<void> {
  await replace(to, (part) => copyFile(from, part))
  await replace(typeOf(to), (part) => copyFile(typeOf(from), part))
}

/** A folder with one file per object. */
function folderBucket(name: string, folder: string): Bucket {
  return {
    name,
    exists: async () => true,
    find: (key) => findFile(folder, key),
    async head(key, bytes) {
      const file = await open(fileOf(folder, key))
      try {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0)
        return buffer.subarray(0, bytesRead)
      } finally {
        await file.close()
      }
    },
    async list(prefix) {
      const files = (await readdir(folder).catch(absent)) ?? []
      return files.filter((file) => file.startsWith(prefix) && !file.endsWith('.type'))
    },
    async remove(key) {
      await rm(fileOf(folder, key), { force: true })
      await rm(typeOf(fileOf(folder, key)), { force: true })
    },
  }
}

async function makeFolder(folder: string): Promise<void> {
  await mkdir(dirname(folder), { recursive: true })
  await mkdir(folder, { recursive: true, mode: 0o700 })
}

/** Writes a file atomically: a concurrent reader gets the previous one, or none. */
async function replace(file: string, write: (part: string) => Promise<void>): Promise<void> {
  const part = `${file}.${randomUUID()}`
  try {
    await write(part)
    await rename(part, file)
  } finally {
    await rm(part, { force: true })
  }
}

async function findFile(folder: string, key: string): Promise<Found | null> {
  const file = fileOf(folder, key)
  const [found, contentType] = await Promise.all([
    stat(file).catch(absent),
    readFile(typeOf(file), 'utf8').catch(absent),
  ])
  return found && contentType ? { size: found.size, contentType } : null
}

/** Whether the token was made for an upload of this asset, with exactly these headers, and has not ended. */
export function isUpload(seals: Seals, token: string, { key, contentType, size }: Announced): boolean {
  const opened = seals.open('upload', token, headersOf(contentType, String(size)))
  return opened?.id === basename(key) && opened.generation * 1000 > Date.now()
}

/** Streams an upload to disk. @returns false if its length differs from the announced one; it is then deleted */
export async function writeUpload(config: Config, announced: Announced, body: ReadableStream<Uint8Array>) {
  const folder = uploadFolder(config)
  await makeFolder(folder)
  const file = fileOf(folder, `${announced.key}.upload`)
  const part = `${file}.${randomUUID()}`
  let size = 0
  const bounded = async function* (chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) {
      size += chunk.length
      if (size > announced.size) return
      yield chunk
    }
  }
  try {
    // an aborted upload throws here
    const came = Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0])
    await pipeline(came, bounded, createWriteStream(part)).catch(() => undefined)
    if (size !== announced.size) return false
    await writeFile(typeOf(file), announced.contentType)
    await rename(part, file)
    return true
  } finally {
    await rm(part, { force: true })
  }
}

/** A byte range of a committed object; null if there is none. */
export async function readObject(config: Config, key: string) {
  const folder = sinkFolder(config)
  const found = await findFile(folder, key)
  return (
    found && {
      ...found,
      read: (start: number, end: number) =>
        Readable.toWeb(createReadStream(fileOf(folder, key), { start, end })) as ReadableStream<Uint8Array>,
    }
  )
}
