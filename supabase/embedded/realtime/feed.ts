// What is broadcast from SQL: inserts of realtime.messages, read by logical replication as the real server does. So
// nothing is seen before its commit, and a write pays for no more than its row (NOTIFY would let one commit at a time).
// Not postgres.js's own `subscribe`: when the database is away as it reconnects, that one ends the whole process.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { createDecoder, type InsertedRow, readSent, standbyStatus } from './pgoutput.ts'

type FeedOptions = {
  /** Of a role that may replicate. */
  databaseUrl: string
  /** A committed row of realtime.messages. */
  onRow(row: InsertedRow): void
  /** The feed broke off: what is committed until it is up again will not come. */
  onLost(error: unknown): void
}
export type Feed = {
  /** Whether everything that is committed from now on will come. */
  isUp(): boolean
  stop(): Promise<void>
}

const PUBLICATION = 'supabase_realtime_messages_publication'
/** How long after a loss to try again, and at most. Milliseconds. */
const FIRST_PAUSE = 50
const LONGEST_PAUSE = 2000
/** How long the server may take to end a stream. Milliseconds. */
const GRACE = 1000
/** How often the walsender is woken to look for a commit that it has missed. Milliseconds. */
const BEAT = 250

/** Settles when the feed is up for the first time. @throws when it can't be */
export async function startFeed({ databaseUrl, onRow, onLost }: FeedOptions): Promise<Feed> {
  const stopping = new AbortController()
  const { signal } = stopping
  let link: Link | null = await openLink(databaseUrl, onRow)

  async function reopen(): Promise<Link | null> {
    for (let pause = FIRST_PAUSE; !signal.aborted; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
      await sleep(pause, undefined, { signal }).catch(() => {})
      const opened = signal.aborted ? null : await openLink(databaseUrl, onRow).catch(() => null)
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

/** One replication connection, with a slot that goes with it. */
async function openLink(databaseUrl: string, onRow: (row: InsertedRow) => void): Promise<Link> {
  const sql = postgres(databaseUrl, {
    max: 1,
    connect_timeout: 10,
    idle_timeout: 0,
    max_lifetime: null,
    fetch_types: false,
    onnotice: () => {},
    connection: { application_name: 'kith_realtime', replication: 'database' },
  })
  const cut = () => sql.end({ timeout: 0 })
  try {
    const slot = `kith_realtime_${randomBytes(6).toString('hex')}`
    // in capitals: a walsender knows its commands by them
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

/** Ends the copying first: the server's log else speaks of a broken protocol. */
async function finish(stream: Duplex): Promise<void> {
  if (stream.closed) return
  stream.end()
  await once(stream, 'close', { signal: AbortSignal.timeout(GRACE) }).catch(() => {})
}

/**
 * Settles with what ended the stream. It answers each position that the walsender reports, and again at each beat. An
 * answer wakes the walsender: from PostgreSQL 16 on it can miss a commit that comes just as it falls asleep, and would
 * sleep until the next one, or for many seconds.
 */
function read(stream: Duplex, onRow: (row: InsertedRow) => void): Promise<unknown> {
  const decode = createDecoder()
  let position: Buffer | undefined
  const answer = () => {
    if (position && stream.writable) stream.write(standbyStatus(position))
  }
  stream.on('data', (message: Buffer) => {
    const sent = readSent(message)
    if (sent?.kind === 'position') {
      position = sent.position
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
