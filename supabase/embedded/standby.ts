// A standby is a copy of a running primary on this machine. It streams and replays the primary's log, and answers reads
// (PostgreSQL, "Log-Shipping Standby Servers"). It gets the log through a physical slot of its name, so the primary
// keeps the log for as long as the standby needs it.
import { appendFileSync, existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres, { type Sql } from 'postgres'
import { unpack } from './backup/tar.ts'
import { giveToServer, makeServerFolder, PASSFILE, syncFolder } from './cluster.ts'
import { watchLog } from './log.ts'
import { serverAccount } from './paths.ts'
import { durable, type Served, serve } from './postgres.ts'
import { baseBackup, openReplication, positionOf } from './replication.ts'

interface StandbyOptions {
  /** The server that sends the log. The standby has the same passwords. */
  primary: Pick<Served, 'url' | 'superuserUrl'>
  /** A folder that the server's account can enter, such as the primary's. The standby is the folder `name` in it. */
  dataDir: string
  /** The name of the standby, of its slot and of its connection, for `synchronous_standby_names`: `[a-z0-9_]+`. */
  name: string
  /** By default a free port. The host is always 127.0.0.1. */
  port?: number | undefined
  /** Settings that replace Kith's own, like those of startPostgres. */
  settings?: Record<string, string> | undefined
  /** The delay between receiving a commit and applying it. Milliseconds, by the clock of the primary. */
  delay?: number
}

export interface Standby extends Served {
  name: string
  /** Whether the server has ended, for whatever reason. */
  ended(): boolean
  /** The position up to which the standby has received the log of an ended primary and written it to the disk. */
  received(): Promise<bigint>
  /** Makes the standby a primary. Resolves when it accepts writes. */
  promote(): Promise<void>
  /** Streams from another primary, which has been promoted from the same history. Resolves when it streams. */
  follow(primary: Pick<Served, 'superuserUrl'>): Promise<void>
}

/**
 * The pause before the next attempt to reach a primary, for which commits wait after a failover. PostgreSQL's default
 * is 5 s.
 */
const RETRY = '100ms'

/** The time that a standby has to begin to stream. Milliseconds. */
const PATIENCE = 30_000

/** The time within which the last part of the log of an ended primary arrives. Milliseconds. */
const ARRIVAL = 5000

/** The time limit of a promotion, which first applies all that was received. Milliseconds. */
const PROMOTION = 60_000

/** Starts the standby in its folder, and creates it first if it is missing. Resolves when it streams. */
export async function startStandby(options: StandbyOptions): Promise<Standby> {
  const { primary, dataDir, name, delay = 0, settings, port } = options
  const cluster = join(dataDir, name)
  if (existsSync(cluster)) await onServer(primary, (sql) => makeSlot(sql, name))
  else await copy(primary, dataDir, name)
  const passfile = join(cluster, PASSFILE)
  const password = decodeURIComponent(new URL(primary.superuserUrl()).password)
  writeFileSync(passfile, `*:*:*:*:${password}\n`, { mode: 0o600 })
  giveToServer(passfile)
  const source = `primary_conninfo = '${conninfo(primary, name)}'\nprimary_slot_name = '${name}'\n`
  // the last line of a setting counts
  appendFileSync(join(cluster, 'postgresql.auto.conf'), `${source}recovery_min_apply_delay = ${delay}\n`)
  const server = await serve({
    ...{ dataDir, cluster: name, log: join(dataDir, `${name}.log`), port, copyOf: primary },
    settings: { ...durable, wal_retrieve_retry_interval: RETRY, ...settings },
  })
  let ended = false
  void server.exited.then(() => {
    ended = true
  })
  const unwatch = watchLog(join(dataDir, `${name}.log`))
  const stop = async () => {
    unwatch()
    await server.stop()
  }
  const standby: Standby = {
    ...server,
    stop,
    name,
    ended: () => ended,
    received: () =>
      onServer(server, async (sql) => {
        const streams = async () => (await sql`select from pg_stat_wal_receiver where status = 'streaming'`).length > 0
        // what the primary has sent may still be on its way
        for (const deadline = Date.now() + ARRIVAL; await streams(); await sleep(20))
          if (Date.now() > deadline) throw new Error(`The standby ${name} still streams from its primary.`)
        const [row] = await sql<[{ at: string }]>`
          select greatest(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn())::text as at`
        return positionOf(row.at)
      }),
    promote: () =>
      onServer(server, async (sql) => {
        // a statement that waited for the end could hold it up: applying the log may wait for the statement's snapshot
        await sql`select pg_promote(false)`
        const recovers = async () => (await sql<[{ is: boolean }]>`select pg_is_in_recovery() as is`)[0].is
        for (const deadline = Date.now() + PROMOTION; await recovers(); await sleep(20))
          if (Date.now() > deadline) throw new Error(`The standby ${name} was not promoted within a minute.`)
        rmSync(passfile, { force: true })
      }),
    follow: async (other) => {
      await onServer(other, (sql) => makeSlot(sql, name))
      await onServer(server, async (sql) => {
        await sql.unsafe(`alter system set primary_conninfo = '${conninfo(other, name)}'`)
        await sql`select pg_reload_conf()`
      })
      await streaming(other, standby)
    },
  }
  try {
    await streaming(primary, standby)
  } catch (error) {
    await stop()
    throw error
  }
  return standby
}

/** Runs `work` on a connection of the superuser. */
export async function onServer<T>(server: Pick<Served, 'superuserUrl'>, work: (sql: Sql) => Promise<T>): Promise<T> {
  const sql = postgres(server.superuserUrl(), {
    ...{ max: 1, connect_timeout: 5, fetch_types: false, onnotice: () => {} },
    connection: { application_name: 'kith_standbys' },
  })
  try {
    return await work(sql)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

async function makeSlot(sql: Sql, name: string): Promise<void> {
  const [slot] = await sql`select from pg_replication_slots where slot_name = ${name}`
  if (!slot) await sql`select pg_create_physical_replication_slot(${name}, true)`
}

/** Copies the primary. Creates the slot first, so that the primary keeps the log from the beginning of the copy on. */
async function copy(primary: StandbyOptions['primary'], dataDir: string, name: string): Promise<void> {
  const unfinished = `${name}.unfinished`
  const folder = join(dataDir, unfinished)
  rmSync(folder, { recursive: true, force: true })
  makeServerFolder(dataDir, unfinished)
  await onServer(primary, async (sql) => {
    await sql`select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = ${name}`
    await makeSlot(sql, name)
  })
  const sql = openReplication(primary.superuserUrl(), 'kith_standbys')
  try {
    await baseBackup(sql, `LABEL '${name}'`, (archive) => unpack(archive, folder, serverAccount()))
  } finally {
    await sql.end({ timeout: 1 })
  }
  // the server's account must be able to read this file
  writeFileSync(join(folder, 'standby.signal'), '', { mode: 0o644 })
  syncFolder(folder)
  renameSync(folder, join(dataDir, name))
  syncFolder(dataDir)
}

/** A connection string for libpq. The passwords of clusters of Kith are hex. */
function conninfo(primary: Pick<Served, 'superuserUrl'>, name: string): string {
  const { hostname, port, username } = new URL(primary.superuserUrl())
  const values = {
    // the setting has no password, because the server logs each change of it. passfile is relative to the folder of the
    // cluster
    ...{ host: hostname, port, user: decodeURIComponent(username), passfile: PASSFILE },
    ...{ application_name: name, connect_timeout: '5' },
  }
  const quoted = (value: string) => `''${value.replaceAll(/(?=[\\'])/g, '\\').replaceAll("'", "''")}''`
  return Object.entries(values)
    .map(([key, value]) => `${key}=${quoted(value)}`)
    .join(' ')
}

/** Asks the primary, because a standby reports that it streams before the primary has sent the missing log. */
async function streaming(primary: Pick<Served, 'superuserUrl'>, { name, ended }: Standby): Promise<void> {
  await onServer(primary, async (sql) => {
    for (const deadline = Date.now() + PATIENCE; ; await sleep(20)) {
      const [row] = await sql`select from pg_stat_replication where application_name = ${name} and state = 'streaming'`
      if (row) return
      if (ended()) throw new Error(`The standby ${name} has ended. Its log, ${name}.log, says why.`)
      if (Date.now() > deadline) throw new Error(`The standby ${name} does not stream. Its log, ${name}.log, says why.`)
    }
  })
}
