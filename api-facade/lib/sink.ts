// Media without object storage, for development: a folder that the facade's own routes write and serve.
// docs/configuration.md, Media, describes the storage for production.
import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { copyFile, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Bucket, Found } from '../../edge-functions/media/bucket.ts'
import type { Multipart } from '../../edge-functions/media/parts.ts'
import { type Announced, type NewPart, UPLOAD_SECONDS } from '../../edge-functions/media/presign.ts'
import type { Storage } from '../../edge-functions/media/storage.ts'
import { type Config, SINK } from './config.ts'
import type { Seals } from './seals.ts'

const folderOf = (config: Config, name: string): string =>
  join(resolve(config.dataDir ?? join(import.meta.dirname, '../../.data')), name)
const sinkFolder = (config: Config): string => folderOf(config, 'media')
const uploadFolder = (config: Config): string => folderOf(config, 'media-uploads')
/**
 * The folder of an upload in parts. Each part is a file, and the content type is another file. The path of the route
 * checks the id.
 */
const partsFolder = (config: Config, uploadId: string): string =>
  join(folderOf(config, 'media-parts'), basename(uploadId))

// Each object is a file, and its content type is in a file beside it.
const fileOf = (folder: string, key: string): string => join(folder, basename(key))
const typeOf = (file: string): string => `${file}.type`
const absent = (error: NodeJS.ErrnoException): null => {
  if (error.code === 'ENOENT') return null
  throw error
}

/** The headers to which the token of an upload is bound, besides the asset and the time of its end. */
const headersOf = ({ contentType, size }: Omit<Announced, 'key'>): string => `${contentType} ${size}`
const partOf = ({ uploadId, number, size }: Omit<NewPart, 'key'>): string => `${uploadId} ${number} ${size}`

const COMMON = 'type'

export function sinkStorage(config: Config, seals: Seals): Storage {
  const [uploads, media] = [uploadFolder(config), sinkFolder(config)]
  /** The URL of an upload. Its token is valid only for this asset and these headers. */
  function sign(key: string, holder: string, headers: Record<string, string>, query: Record<string, string> = {}) {
    const id = key.split('.')[0] ?? ''
    const ends = Math.floor(Date.now() / 1000) + UPLOAD_SECONDS
    const token = seals.seal('upload', { id, generation: ends }, holder)
    const url = `${config.facadeUrl}/api/v1/media/local/${id}?${new URLSearchParams({ token, ...query })}`
    return { url, headers, expiresAt: new Date(ends * 1000).toISOString() }
  }
  return {
    uploads: folderBucket('uploads', uploads),
    media: folderBucket(SINK, media),
    multipart: {
      ...sinkMultipart(config),
      sign: async ({ key, ...part }) =>
        sign(
          key,
          partOf(part),
          { 'Content-Length': String(part.size) },
          { uploadId: part.uploadId, part: String(part.number) },
        ),
    },
    presign: async ({ key, ...announced }) =>
      sign(key, headersOf(announced), {
        'Content-Type': announced.contentType,
        'Content-Length': String(announced.size),
      }),
    hold: (upload, held) => copy(fileOf(uploads, upload), fileOf(uploads, held)),
    publish: async (held, key) => {
      await makeFolder(media)
      await copy(fileOf(uploads, held), fileOf(media, key))
    },
    look: async () => [],
  }
}

function sinkMultipart(config: Config): Omit<Multipart, 'sign'> {
  const folder = (uploadId: string) => partsFolder(config, uploadId)
  return {
    async begin(_key, contentType) {
      const uploadId = randomUUID()
      await makeFolder(folder(uploadId))
      await writeFile(join(folder(uploadId), COMMON), contentType)
      return uploadId
    },
    async arrived(_key, uploadId) {
      const files = await readdir(folder(uploadId)).catch(absent)
      if (!files) return null
      const numbers = files.filter((file) => /^\d+$/.test(file)).map(Number)
      const sizes = await Promise.all(numbers.map((number) => stat(join(folder(uploadId), `${number}`))))
      return sizes.map(({ size }, i) => ({ number: numbers[i] ?? 0, size, tag: '' }))
    },
    async complete(key, uploadId, parts) {
      const upload = fileOf(uploadFolder(config), key)
      await makeFolder(uploadFolder(config))
      await replace(upload, async (whole) => {
        for (const { number } of parts) {
          const part = createReadStream(join(folder(uploadId), `${number}`))
          await pipeline(part, createWriteStream(whole, { flags: 'a' }))
        }
      })
      await replace(typeOf(upload), (file) => copyFile(join(folder(uploadId), COMMON), file))
      await rm(folder(uploadId), { recursive: true, force: true })
    },
    abort: (_key, uploadId) => rm(folder(uploadId), { recursive: true, force: true }),
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
    async read(key) {
      const file = await open(fileOf(folder, key))
      return Readable.toWeb(file.createReadStream()) as ReadableStream<Uint8Array>
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
export const isUpload = (seals: Seals, token: string, { key, ...announced }: Announced): boolean =>
  isSealed(seals, token, key, headersOf(announced))

/** Whether the token was made for this part and has not ended, and the upload has not ended. */
export async function isPart(config: Config, seals: Seals, token: string, { key, ...part }: NewPart): Promise<boolean> {
  if (!isSealed(seals, token, key, partOf(part))) return false
  return (await stat(partsFolder(config, part.uploadId)).catch(absent)) !== null
}

function isSealed(seals: Seals, token: string, key: string, holder: string): boolean {
  const opened = seals.open('upload', token, holder)
  return opened?.id === basename(key) && opened.generation * 1000 > Date.now()
}

/** Streams an upload to disk. @returns false if its length differs from the announced one; it is then deleted */
export async function writeUpload(config: Config, announced: Announced, body: ReadableStream<Uint8Array>) {
  const folder = uploadFolder(config)
  await makeFolder(folder)
  const file = fileOf(folder, `${announced.key}.upload`)
  return receive(file, announced.size, body, () => writeFile(typeOf(file), announced.contentType))
}

/** Like `writeUpload`, for a part. */
export const writePart = (config: Config, { uploadId, number, size }: NewPart, body: ReadableStream<Uint8Array>) =>
  receive(join(partsFolder(config, uploadId), `${number}`), size, body)

async function receive(file: string, most: number, body: ReadableStream<Uint8Array>, before = async () => {}) {
  const part = `${file}.${randomUUID()}`
  let size = 0
  const bounded = async function* (chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) {
      size += chunk.length
      if (size > most) return
      yield chunk
    }
  }
  try {
    // An aborted upload throws here.
    const came = Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0])
    await pipeline(came, bounded, createWriteStream(part)).catch(() => undefined)
    if (size !== most) return false
    await before()
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
