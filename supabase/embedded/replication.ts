// A replication connection to PostgreSQL, and the messages of its walsender: PostgreSQL, "Streaming Replication
// Protocol". Commands of a walsender are written in capitals.
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { type Duplex, type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import postgres, { type Sql } from 'postgres'

/** The option `socket` of postgres.js, which its types lack. It opens the connection. */
export type Dial = (place: { host: string[]; port: number[]; path?: string | false }) => Promise<Socket>

/** The time that the server has to end a stream. Milliseconds. */
const GRACE = 1000

/** A connection that also understands the commands of a walsender. The role needs replication rights. */
export const openReplication = (databaseUrl: string, name: string, socket?: Dial): Sql =>
  postgres(databaseUrl, {
    max: 1,
    connect_timeout: 10,
    idle_timeout: 0,
    max_lifetime: null,
    fetch_types: false,
    onnotice: () => {},
    connection: { application_name: name, replication: 'database' },
    ...(socket && { socket }),
  })

/** Ends the copy first, because otherwise the server logs a protocol error. */
export async function finish(stream: Duplex): Promise<void> {
  if (stream.closed) return
  stream.end()
  await once(stream, 'close', { signal: AbortSignal.timeout(GRACE) }).catch(() => {})
}

/** Where a base backup begins and ends: positions as text, and the timeline. */
export type Span = { from: string; to: string; timeline: number }

/**
 * Runs BASE_BACKUP and gives its archive, a tar file of the whole cluster, to `take`, which must read it to its end.
 * @param options the options of BASE_BACKUP, such as `LABEL 'kith'`
 */
export async function baseBackup(sql: Sql, options: string, take: (archive: Readable) => Promise<void>): Promise<Span> {
  const positions: { recptr: string; tli: string }[] = []
  const command = sql.unsafe(`BASE_BACKUP (${options}, CHECKPOINT 'fast', MANIFEST 'no')`)
  command.forEach(({ recptr, tli }) => {
    if (recptr) positions.push({ recptr, tli })
  })
  const archive = await command.readable()
  // a message is the name of an archive, or d and a piece of the archive
  const pieces = new Transform({
    transform: (message: Buffer, _, done) => done(null, message[0] === 0x64 ? message.subarray(1) : undefined),
  })
  await Promise.all([pipeline(archive, pieces), take(pieces)])
  archive._read(0) // postgres.js may have paused the connection, and reads nothing after the last piece
  await sql.unsafe('select') // now the command has ended
  const [from, to] = positions
  if (!from || !to) throw new Error('The server has not said where the backup ends.')
  return { from: from.recptr, to: to.recptr, timeline: Number(from.tli) }
}

/**
 * A message of the walsender: a part of the log from a position on, with the position and the time of the server at
 * sending; or only the server's position.
 */
export type Sent =
  | { kind: 'data'; at: bigint; serverAt: bigint; sentAt: number; data: Buffer }
  | { kind: 'position'; at: bigint }
  | null

const EPOCH = Date.UTC(2000, 0, 1)

export function readSent(message: Buffer): Sent {
  const kind = String.fromCharCode(message[0] ?? 0)
  if (kind === 'k') return { kind: 'position', at: message.readBigUInt64BE(1) }
  if (kind !== 'w') return null
  const sentAt = EPOCH + Number(message.readBigInt64BE(17) / 1000n)
  const [at, serverAt] = [message.readBigUInt64BE(1), message.readBigUInt64BE(9)]
  return { kind: 'data', at, serverAt, sentAt, data: message.subarray(25) }
}

/** Confirms everything up to `position` as written, flushed and applied, so that the log can be removed. */
export function standbyStatus(position: bigint): Buffer {
  const status = Buffer.alloc(34)
  status.write('r')
  for (const at of [1, 9, 17]) status.writeBigUInt64BE(position, at)
  status.writeBigInt64BE(BigInt(Date.now() - EPOCH) * 1000n, 25)
  return status
}

/** A position in the log from its text, such as `0/3000028`. */
export function positionOf(text: string): bigint {
  const [high = '', low = ''] = text.split('/')
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`)
}

export const positionText = (position: bigint): string =>
  `${(position >> 32n).toString(16)}/${(position & 0xffffffffn).toString(16)}`.toUpperCase()
