// Archives the write-ahead log while the instance runs. It reads the replication stream, and writes a piece of the
// log to the place of the backups every few seconds. A replication slot makes the server keep the log until its piece
// is durable.
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import postgres from 'postgres'
import { finish, openReplication, positionOf, readSent, standbyStatus } from '../replication.ts'
import { historyOf } from './base.ts'
import { pieceName } from './manifest.ts'
import type { Place } from './place.ts'

export interface ArchiveOptions {
  /** The connection string of a role with replication rights, to the server that is the primary now. */
  primaryUrl(): string
  dataDir: string
  place: Place
  /** The longest time until a piece is written. If the machine is lost, the data of this time may be lost. */
  seconds: number
  /** Called with a failure. The archive tries again. */
  onError(failure: unknown): void
  /**
   * Called if the archive begins here. Earlier log is not in the archive, so a base backup is needed now. It is called
   * again until it succeeds or the stream of the log ends.
   */
  onBegin(): Promise<unknown>
}
export interface Archive {
  /**
   * Resolves when the last piece is written or has failed. Call it before the server stops, because the server waits
   * for it.
   */
  stop(): Promise<void>
}

const SLOT = 'kith_backup'
/** The maximum of the log in memory, and therefore the maximum size of a piece. Bytes. */
const LARGEST = 16 * 1024 * 1024
/**
 * The first and the longest pause after a failure, and the interval of the status messages to the server. Milliseconds.
 */
const FIRST_PAUSE = 1000
const LONGEST_PAUSE = 60_000
const BEAT = 1000
/** The interval at which the archive checks whether a piece is due. Milliseconds. */
const LOOK = 100
/** An upper bound of the time that the server takes between reading its log and sending it. Milliseconds. */
const DELAY = 1000
/** How long stop() waits for the last piece. Milliseconds. */
const PATIENCE = 5000

const zip = promisify(gzip)

export function startArchive(options: ArchiveOptions): Archive {
  const stopping = new AbortController()
  const { signal } = stopping
  const ended = insist((wrote) => stream(options, signal, wrote), signal, options.onError)
  const stop = async () => {
    stopping.abort()
    await Promise.race([ended, sleep(PATIENCE, undefined, { ref: false })])
  }
  return { stop }
}

/**
 * Repeats the work until it succeeds or the signal comes. The pause after a failure doubles each time, and is again the
 * first one after the work has called `progressed`.
 */
async function insist(
  work: (progressed: () => void) => Promise<unknown>,
  signal: AbortSignal,
  onError: ArchiveOptions['onError'],
): Promise<void> {
  for (let pause = FIRST_PAUSE; !signal.aborted; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
    try {
      await work(() => {
        pause = FIRST_PAUSE
      })
      return
    } catch (failure) {
      onError(failure)
    }
    await sleep(pause, undefined, { signal }).catch(() => {})
  }
}

/** For an instance without an archive: drops the slot, so that the server does not keep the log for an archive. */
export async function dropSlot(databaseUrl: string): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} })
  try {
    await sql`select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = ${SLOT}`
  } finally {
    await sql.end()
  }
}

/** Runs one connection, until it is lost or the archive is stopped. */
async function stream(options: ArchiveOptions, signal: AbortSignal, wrote: () => void): Promise<void> {
  const { place, seconds } = options
  const folder = historyOf(options.dataDir)
  const sql = openReplication(options.primaryUrl(), 'kith_archive')
  try {
    const [slot] = await sql.unsafe<{ at: string; lost: boolean }[]>(
      `select restart_lsn::text as at, wal_status = 'lost' as lost from pg_replication_slots where slot_name = '${SLOT}'`,
    )
    if (slot?.lost) await sql.unsafe(`DROP_REPLICATION_SLOT ${SLOT}`)
    const isNew = !slot || slot.lost
    if (isNew) await sql.unsafe(`CREATE_REPLICATION_SLOT ${SLOT} PHYSICAL RESERVE_WAL`)
    const [made] = await sql.unsafe<[{ at: string; timeline: string }]>(
      // pg_control_checkpoint() would give the former timeline until the first checkpoint after a promotion
      `select restart_lsn::text as at, left(pg_walfile_name(pg_current_wal_lsn()), 8) as timeline
       from pg_replication_slots where slot_name = '${SLOT}'`,
    )
    const timeline = Number.parseInt(made.timeline, 16)
    const needsBase = isNew || !(await place.list(`${folder}base/`)).some((name) => name.endsWith('/manifest.json'))
    let done = positionOf(made.at)
    const copy = (await sql
      .unsafe(`START_REPLICATION SLOT ${SLOT} PHYSICAL ${made.at} TIMELINE ${timeline}`)
      .writable()) as Duplex // and readable
    let [gathered, from, to, until]: [Buffer[], bigint, bigint, number] = [[], done, done, 0]

    const write = async () => {
      if (from === to) return
      const piece = { timeline, from, to, until }
      const bytes = Buffer.concat(gathered)
      ;[gathered, from] = [[], to]
      await place.put(pieceName(folder, piece), await zip(bytes, { level: 1 }))
      done = piece.to
      wrote()
    }
    const answer = () => {
      if (copy.writable) copy.write(standbyStatus(done))
    }
    const beat = setInterval(answer, BEAT)
    let failure: unknown = null
    const ending = new AbortController()
    copy
      .on('data', (message: Buffer) => {
        const sent = readSent(message)
        if (sent?.kind !== 'data') return answer()
        gathered.push(sent.data)
        to = sent.at + BigInt(sent.data.length)
        if (to >= sent.serverAt) until = sent.sentAt - DELAY // otherwise the server has more log from before that time
        if (to - from >= LARGEST) copy.pause() // until the piece is written
      })
      .once('error', (error) => {
        failure = error
      })
      .once('close', () => {
        failure ??= new Error('The server has ended the stream of the log.')
      })
    try {
      if (needsBase) void insist(options.onBegin, ending.signal, options.onError)
      for (let due = Date.now() + seconds * 1000; ; ) {
        await sleep(LOOK, undefined, { signal }).catch(() => {})
        if (failure) throw failure
        if (!signal.aborted && to - from < LARGEST && Date.now() < due) continue
        due = Date.now() + seconds * 1000
        await write()
        answer()
        copy.resume()
        if (signal.aborted) return await finish(copy)
      }
    } finally {
      clearInterval(beat)
      ending.abort()
    }
  } finally {
    await sql.end({ timeout: 0 })
  }
}
