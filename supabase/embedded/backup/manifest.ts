// The files in the place of the backups. Each history, which is the log of one data folder, has its own folder. In it,
// `base` has a folder for each base backup, with the cluster in parts, the encrypted secrets, and a manifest, which is
// written last. `wal` has the pieces of the log, and `media` the files of the local folder for media, named by hash.
import { createCipheriv, createDecipheriv, createHash, randomBytes, scryptSync } from 'node:crypto'
import { z } from 'zod'
import { positionOf } from '../replication.ts'
import type { Place } from './place.ts'

const Position = z.string().regex(/^[0-9A-F]{1,8}\/[0-9A-F]{1,8}$/)
const Hash = z.string().regex(/^[0-9a-f]{64}$/)

const Manifest = z.object({
  format: z.literal('kith backup 1'),
  /** The identifier of the cluster. A restored cluster has the same identifier. */
  system: z.string(),
  /** The major version of PostgreSQL. */
  postgres: z.number(),
  timeline: z.number(),
  segmentSize: z.number(),
  /** The log between these two positions is in the archive. */
  from: Position,
  to: Position,
  /** The earliest moment that can be restored. */
  takenAt: z.iso.datetime(),
  parts: z.array(z.object({ name: z.string().regex(/^base\.tar\.gz\.\d{3,}$/), sha256: Hash })).min(1),
  /** The media files: the path in the data folder, and the name in the place. */
  media: z.record(z.string().regex(/^media\/[\w.-]+$/), Hash),
  secrets: z.object({ sha256: Hash }).nullable(),
})
export type Manifest = z.output<typeof Manifest>

/** A base backup; `folder` is the beginning of the names of its history: empty, or with a slash at the end. */
export type Base = Manifest & { folder: string; id: string }

/** All complete base backups, the oldest first. @throws Error if a file is not a manifest of a backup */
export async function listBases(place: Place, names: readonly string[]): Promise<Base[]> {
  const found = names.flatMap((name) => {
    const [, folder = '', id = ''] = /^(|.*\/)base\/([^/]+)\/manifest\.json$/.exec(name) ?? []
    return id ? [{ name, folder, id }] : []
  })
  const bases = await Promise.all(
    found.map(async ({ name, folder, id }) => ({ ...parse(name, await place.get(name)), folder, id })),
  )
  return bases.sort((one, other) => one.takenAt.localeCompare(other.takenAt))
}

function parse(name: string, bytes: Buffer): Manifest {
  try {
    return Manifest.parse(JSON.parse(bytes.toString()))
  } catch (cause) {
    throw new Error(`${name} is damaged, or not the manifest of a backup of Kith.`, { cause })
  }
}

/** A piece of the log. `until` is the time of the last moment in it. */
export type Piece = { name: string; timeline: number; from: bigint; to: bigint; until: number }

const hex = (value: bigint | number, digits: number): string => value.toString(16).padStart(digits, '0')

export const pieceName = (folder: string, { timeline, from, to, until }: Omit<Piece, 'name'>): string =>
  `${folder}wal/${hex(timeline, 8)}-${hex(from, 16)}-${hex(to, 16)}-${String(until).padStart(13, '0')}.gz`

/** The pieces of the log in a folder, in their order. */
export function piecesOf(names: readonly string[], folder: string): Piece[] {
  const pieces = names.flatMap((name) => {
    const [, timeline, from, to, until] =
      /^wal\/([0-9a-f]{8})-([0-9a-f]{16})-([0-9a-f]{16})-(\d{13})\.gz$/.exec(name.slice(folder.length)) ?? []
    if (!name.startsWith(folder) || !timeline) return []
    return [
      {
        name,
        timeline: Number.parseInt(timeline, 16),
        from: BigInt(`0x${from}`),
        to: BigInt(`0x${to}`),
        until: Number(until),
      },
    ]
  })
  return pieces.sort((one, other) => (one.name < other.name ? -1 : 1))
}

/**
 * The pieces that continue a base backup without a gap, up to the piece that reaches `at`; the time that they reach;
 * and the position of the first missing piece, or null.
 */
export function continuation(base: Base, pieces: readonly Piece[], at = Number.POSITIVE_INFINITY) {
  const used: Piece[] = []
  let reached = positionOf(base.to)
  let until = Date.parse(base.takenAt)
  for (const piece of pieces) {
    if (piece.timeline !== base.timeline || piece.to <= reached) continue
    if (until >= at) break
    if (piece.from > reached) return { used, until, gap: reached }
    used.push(piece)
    reached = piece.to
    until = Math.max(until, piece.until)
  }
  return { used, until, gap: null }
}

export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

/** Reads a file from the place and verifies its checksum. @throws Error if the file is missing or damaged */
export async function getChecked(place: Place, name: string, hash: string): Promise<Buffer> {
  const bytes = await place.get(name).catch((cause: unknown) => {
    throw new Error(`The backup is not complete: ${name} cannot be read.`, { cause })
  })
  if (sha256(bytes) !== hash) throw new Error(`The backup is damaged: the checksum of ${name} is wrong.`)
  return bytes
}

const Sealed = z.object({ salt: z.base64(), iv: z.base64(), tag: z.base64(), data: z.base64() })
const keyOf = (passphrase: string, salt: Buffer): Buffer =>
  scryptSync(passphrase, salt, 32, { N: 2 ** 16, maxmem: 2 ** 27 })

/** Encrypts secrets with their names. */
export function seal(secrets: Record<string, string>, passphrase: string): Buffer {
  const [salt, iv] = [randomBytes(16), randomBytes(12)]
  const cipher = createCipheriv('aes-256-gcm', keyOf(passphrase, salt), iv)
  const data = Buffer.concat([cipher.update(JSON.stringify(secrets)), cipher.final()])
  const sealed = { salt, iv, tag: cipher.getAuthTag(), data }
  return Buffer.from(
    JSON.stringify(Object.fromEntries(Object.entries(sealed).map(([name, bytes]) => [name, bytes.toString('base64')]))),
  )
}

/** @throws Error if the passphrase is wrong */
export function open(sealed: Buffer, passphrase: string): Record<string, string> {
  const { salt, iv, tag, data } = Sealed.parse(JSON.parse(sealed.toString()))
  const bytes = (text: string) => Buffer.from(text, 'base64')
  const decipher = createDecipheriv('aes-256-gcm', keyOf(passphrase, bytes(salt)), bytes(iv))
  decipher.setAuthTag(bytes(tag))
  try {
    return JSON.parse(Buffer.concat([decipher.update(bytes(data)), decipher.final()]).toString())
  } catch (cause) {
    throw new Error('BACKUP_PASSPHRASE is not the passphrase of this backup.', { cause })
  }
}
