// A primary with standbys on this machine, and the failover between them. Unless REPLICAS_SYNC is off, a commit is
// acknowledged when at least one standby has written it to its disk, so the standby that has received most has every
// acknowledged commit. The clusters are folders of the data folder. The primary's cluster is `postgres` or a promoted
// standby. Only the folders say which one it is (settle in cluster.ts). docs/operation.md, Standbys and failover.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { CLUSTER, FENCED, fence, HISTORY, kill, STANDBY, standbysIn, syncFolder } from './cluster.ts'
import type { Postgres, Served } from './postgres.ts'
import { onServer, type Standby, startStandby } from './standby.ts'

interface ReplicasOptions {
  primary: Postgres
  dataDir: string
  /** The number of standbys to keep. With 0, standbys of a former start are removed. */
  count: number
  /** Whether a commit waits for a standby. Otherwise a failover may lose the last acknowledged commits. */
  synchronous: boolean
  settings?: Record<string, string> | undefined
  /** A standby that is not connected to an answering primary for longer is started again. Milliseconds. */
  patience?: number
  log: Log
}
interface Log {
  info(fields: object, message: string): void
  error(fields: object, message: string): void
}

export interface Replicas {
  /** The connection string of the schema's owner, with every server. */
  url: string
  /** The connection string of the schema's owner, with the current primary only. */
  primaryUrl(): string
  /** The current connection strings of the standbys, which answer reads. */
  standbyUrls(): string[]
  /** Resolves when there is no primary and no standby that could safely take its place. */
  exited: Promise<void>
  stop(): Promise<void>
}

/** The pause between two checks of the primary, and the time within which the primary must answer. Milliseconds. */
const LOOK = 500
const ANSWER = 1000
/** The number of consecutive checks without an answer after which a running primary counts as gone. */
const SILENT = 4
/** A standby tries to connect ten times a second. */
const PATIENCE = 30_000

/**
 * Resolves when every standby streams. From then on it restarts standbys that end, and promotes one when the primary is
 * gone.
 */
export async function startReplicas(options: ReplicasOptions): Promise<Replicas> {
  const { primary: first, dataDir, count, synchronous, settings, patience = PATIENCE, log } = options
  const known = standbysIn(dataDir)
  const kept = known.slice(0, count)
  for (const name of known.slice(count)) rmSync(join(dataDir, name), { recursive: true, force: true })
  await onServer(first, async (sql) => {
    const slots = await sql<{ slot_name: string }[]>`
      select slot_name from pg_replication_slots where starts_with(slot_name, ${STANDBY}) and not active`
    for (const { slot_name: slot } of slots)
      if (!kept.includes(slot)) await sql`select pg_drop_replication_slot(${slot})`
  })
  if (count === 0)
    return { url: first.url(), primaryUrl: first.url, standbyUrls: () => [], exited: first.exited, stop: first.stop }

  let primary: { name: string; server: Served } = { name: CLUSTER, server: first }
  let standbys: Standby[] = []
  let mending: Promise<void> | undefined
  let failingOver = false
  let required = ''
  /** How many consecutive answers of the primary lack a standby, by its name. There is at most one answer per LOOK. */
  const away = new Map<string, number>()
  const stopping = new AbortController()
  const { signal } = stopping

  const freeName = (): string => {
    const taken = [primary.name, ...standbys.map(({ name }) => name)]
    const names = [...kept, ...Array.from({ length: count + 1 }, (_, at) => `${STANDBY}${at + 1}`)]
    return names.find((name) => !taken.includes(name)) ?? ''
  }
  const start = async (name: string, port?: number): Promise<Standby> => {
    const options = { primary: primary.server, dataDir, name, port, settings }
    try {
      return await startStandby(options)
    } catch (failure) {
      // if the primary cannot give a new copy, this throws, so that the old copy is kept
      await onServer(primary.server, (sql) => sql`select`)
      log.error({ standby: name, failure }, 'a standby cannot continue and is created again')
      rmSync(join(dataDir, name), { recursive: true, force: true })
      return startStandby(options)
    }
  }
  /** Makes commits wait until one of these standbys has them. Without a standby they don't wait. */
  const requireOne = async (server: Served, ones: readonly Standby[]): Promise<void> => {
    const names = !synchronous ? '' : ones.map(({ name }) => `"${name}"`).join(', ')
    if (names === required) return
    required = '?' // unknown until the change has succeeded
    await onServer(server, async (sql) => {
      await sql.unsafe(`alter system set synchronous_standby_names = '${names && `ANY 1 (${names})`}'`)
      await sql`select pg_reload_conf()`
    })
    required = names
  }
  for (let number = 0; number < count; number++) standbys.push(await start(freeName()))
  await requireOne(first, standbys)
  const ports = [first.port, ...standbys.map(({ port }) => port)]

  /** Notes which standbys the primary says are connected. */
  const looked = (connected: readonly string[]): void => {
    for (const { name } of standbys) away.set(name, connected.includes(name) ? 0 : (away.get(name) ?? 0) + 1)
  }
  const faultOf = ({ name, ended }: Standby): string | null => {
    if (ended()) return 'it has ended'
    return (away.get(name) ?? 0) * LOOK > patience ? 'it does not stream' : null
  }

  /**
   * Starts standbys again that have ended or do not stream, and creates missing ones. While a standby starts again, it
   * may be the only one with an acknowledged commit and does not answer, so a failover is refused: no write is lost, but
   * the instance ends. So this stops no standby while the primary does not answer.
   */
  async function mend(): Promise<void> {
    for (const standby of standbys) {
      const { name, port } = standby
      const why = faultOf(standby)
      if (!why) continue
      // if the primary does not answer, this throws, so that no standby is stopped before a failover
      await onServer(primary.server, (sql) => sql`select`)
      log.error({ standby: name, why }, 'a standby is started again')
      await kill(dataDir, name)
      await standby.stop()
      const again = await start(name, port)
      away.delete(name)
      standbys = standbys.map((one) => (one === standby ? again : one))
    }
    while (standbys.length < count) {
      const used = [primary.server.port, ...standbys.map(({ port }) => port)]
      const made = await start(
        freeName(),
        ports.find((port) => !used.includes(port)),
      )
      standbys = [...standbys, made]
      log.info({ standby: made.name }, 'a new standby streams')
    }
    await requireOne(primary.server, standbys)
  }

  async function failOver(): Promise<void> {
    const former = primary.name
    failingOver = true
    await fence(dataDir, former)
    rmSync(join(dataDir, HISTORY), { force: true }) // the log of the former primary may have what the new one lacks
    syncFolder(dataDir)
    await mending
    const best = await mostReceived(standbys)
    const others = standbys.filter((standby) => standby !== best)
    required = '?' // the copy has the setting of the former primary
    await requireOne(best, others)
    await best.promote()
    primary = { name: best.name, server: best }
    standbys = others
    log.info({ former, primary: best.name }, 'a standby has become the primary')
    rmSync(join(dataDir, FENCED), { recursive: true, force: true })
    for (const standby of others) {
      try {
        await standby.follow(best)
      } catch (failure) {
        log.error({ standby: standby.name, failure }, 'a standby does not follow the new primary')
        await standby.stop() // mend() starts it again
      }
    }
    away.clear()
    failingOver = false
  }

  async function watch(): Promise<void> {
    while (!signal.aborted) {
      const why = await gone(primary.server, signal, looked)
      if (signal.aborted || !why) break
      log.error({ primary: primary.name, why }, 'the primary is gone')
      await failOver()
    }
  }
  const mends = setInterval(() => {
    if (failingOver) return
    mending ??= mend()
      .catch((failure: unknown) => log.error({ failure }, 'a standby cannot be made'))
      .finally(() => {
        mending = undefined
      })
  }, LOOK)
  const watching = watch().catch((failure: unknown) => log.error({ failure }, 'no standby can replace the primary'))

  const stop = async () => {
    stopping.abort()
    clearInterval(mends)
    await watching
    await mending
    await Promise.all(standbys.map((standby) => standby.stop()))
    await primary.server.stop()
    await first.stop()
  }
  const standbyUrls = () => standbys.map((standby) => standby.url())
  const primaryUrl = () => primary.server.url()
  return { url: urlOf(first, ports), primaryUrl, standbyUrls, exited: watching, stop }
}

/** The connection string with all servers, in a form that libpq also reads. */
function urlOf(server: Served, ports: readonly number[]): string {
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',')
  return `${server.url().replace(`127.0.0.1:${server.port}`, hosts)}?target_session_attrs=read-write`
}

/**
 * The standby that has received most. @throws Error if a standby does not answer, because it may be the only one with
 * an acknowledged commit
 */
async function mostReceived(standbys: readonly Standby[]): Promise<Standby> {
  const found = await Promise.all(standbys.map(async (standby) => ({ standby, at: await standby.received() })))
  const [best] = found.sort((a, b) => (a.at < b.at ? 1 : -1))
  if (!best) throw new Error('There is no standby at the moment. Start the instance again.')
  return best.standby
}

/**
 * Resolves with the reason when the server has ended or does not answer; with null when the signal comes first.
 * @param looked gets the names of the connected standbys, each time that the server answers
 */
async function gone(
  server: Served,
  signal: AbortSignal,
  looked: (connected: readonly string[]) => void,
): Promise<string | null> {
  const ending = new AbortController()
  void server.exited.then(() => ending.abort())
  const either = AbortSignal.any([signal, ending.signal])
  const pause = (ms: number) => sleep(ms, false, { signal: either }).catch(() => false)
  const sql = postgres(server.superuserUrl(), {
    ...{ max: 1, connect_timeout: ANSWER / 1000, idle_timeout: 0, fetch_types: false, onnotice: () => {} },
    connection: { application_name: 'kith_standbys' },
  })
  const answers = () =>
    sql<{ name: string }[]>`select application_name as name from pg_stat_replication`.then(
      (rows) => {
        looked(rows.map(({ name }) => name))
        return true
      },
      () => false,
    )
  try {
    for (let silent = 0; silent < SILENT; ) {
      const answered = await Promise.race([answers(), pause(ANSWER)])
      silent = answered ? 0 : silent + 1
      await pause(LOOK)
      if (signal.aborted) return null
      if (ending.signal.aborted) return 'it has ended'
    }
    return 'the primary does not answer'
  } finally {
    void sql.end({ timeout: 0 })
  }
}
