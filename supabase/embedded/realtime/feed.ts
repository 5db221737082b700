// Broadcasts from SQL are inserts into realtime.messages. Like the real server, this file reads them by logical
// replication, so that nothing is sent before its commit, and a write costs only its row (NOTIFY would serialize
// commits). It does not use postgres.js's `subscribe`, which crashes the process if the database is down while it
// reconnects.
import { randomBytes } from 'node:crypto'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Dial, finish, openReplication, readSent, standbyStatus } from '../replication.ts'
import { createDecoder, type InsertedRow } from './pgoutput.ts'

type FeedOptions = {
  /** The connection string of a role with replication rights. */
  databaseUrl: string
  socket?: Dial | undefined
  /** Called with a committed row of realtime.messages. */
  onRow(row: InsertedRow): void
  /** Called when the feed is lost. It misses commits until it is up again. */
  onLost(error: unknown): void
}
export type Feed = {
  /** Whether all commits from now on will be delivered. */
  isUp(): boolean
  stop(): Promise<void>
}

const PUBLICATION = 'supabase_realtime_messages_publication'
/** The first and the longest delay of a reconnect. Milliseconds. */
const FIRST_PAUSE = 50
const LONGEST_PAUSE = 2000
/** The interval at which the walsender is woken to check for a missed commit. Milliseconds. */
const BEAT = 250

/** Resolves when the feed is up for the first time. @throws Error if that fails */
export async function startFeed({ databaseUrl, socket, onRow, onLost }: FeedOptions): Promise<Feed> {
  const stopping = new AbortController()
  const { signal } = stopping
  let link: Link | null = await openLink(databaseUrl, socket, onRow)

  async function reopen(): Promise<Link | null> {
    for (let pause = FIRST_PAUSE; !signal.aborted; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
      await sleep(pause, undefined, { signal }).catch(() => {})
      const opened = signal.aborted ? null : await openLink(databaseUrl, socket, onRow).catch(() => null)
      if (opened && !signal.aborted) return opened
      await opened?.close()
    }
    return null
  }

  async function keepUp(): Promise<void> {
    while (link) {
      const error = await link.lost
      await link.close()
      link = null
      if (signal.aborted) return
      onLost(error)
      link = await reopen()
    }
  }

  const ended = keepUp()
  const stop = async () => {
    stopping.abort()
    await link?.close()
    await ended
  }
  return { isUp: () => link !== null, stop }
}

type Link = { lost: Promise<unknown>; close(): Promise<void> }

/** One replication connection with a temporary slot. */
async function openLink(
  databaseUrl: string,
  socket: Dial | undefined,
  onRow: (row: InsertedRow) => void,
): Promise<Link> {
  const sql = openReplication(databaseUrl, 'kith_realtime', socket)
  const cut = () => sql.end({ timeout: 0 })
  try {
    const slot = `kith_realtime_${randomBytes(6).toString('hex')}`
    await sql.unsafe(`CREATE_REPLICATION_SLOT ${slot} TEMPORARY LOGICAL pgoutput NOEXPORT_SNAPSHOT`)
    const stream = (await sql
      .unsafe(`START_REPLICATION SLOT ${slot} LOGICAL 0/0 (proto_version '1', publication_names '${PUBLICATION}')`)
      .writable()) as Duplex // and readable
    const lost = read(stream, onRow)
    const close = async () => {
      await finish(stream)
      await cut()
    }
    return { lost, close }
  } catch (error) {
    await cut()
    throw error
  }
}

/**
 * Resolves with the reason why the stream ended. It answers each position that the walsender reports, and again at each
 * beat, because an answer wakes the walsender. Since PostgreSQL 16 the walsender can miss a commit that happens just
 * when it falls asleep, and would sleep until the next commit, or for many seconds.
 */
function read(stream: Duplex, onRow: (row: InsertedRow) => void): Promise<unknown> {
  const decode = createDecoder()
  let position: bigint | undefined
  const answer = () => {
    if (position !== undefined && stream.writable) stream.write(standbyStatus(position))
  }
  stream.on('data', (message: Buffer) => {
    const sent = readSent(message)
    if (sent?.kind === 'position') {
      position = sent.at
      answer()
    }
    const row = sent?.kind === 'data' ? decode(sent.data) : null
    if (row) onRow(row)
  })
  const beat = setInterval(answer, BEAT)
  return new Promise((settle) => {
    stream
      .once('error', settle)
      .once('close', () => settle(undefined))
      .once('close', () => clearInterval(beat))
  })
}
