// Reads on replicas: hot standbys, which replay the log of the primary. A person's read goes to a replica that has
// replayed what the person has seen, and that is at most REPLICA_MAX_LAG behind. docs/decisions.md, Replicas.
//
// The lag of a replica is measured with the clock of this process only. The facade regularly asks the primary for its
// position, and notes when it asked. A replica that has replayed this position has everything that the primary had
// acknowledged before that moment.
import { setTimeout as sleep } from 'node:timers/promises'
import type { ISql } from 'postgres'
import type { Config } from './config.ts'
import type { Pools } from './database.ts'
import type { Log } from './log.ts'
import { isLostConnection, type Pool } from './pool.ts'
import { askPosition, Positions, positionOf } from './positions.ts'
import type { Seals } from './seals.ts'

/** The pause between two questions to a server about its position. Milliseconds. */
const PERIOD = 100
/** A replica that takes longer to report its position is out: it gets no reads. Milliseconds. */
const PATIENCE = 1000
/** How long a read waits for a replica that is asked whether it has replayed enough by now. Milliseconds. */
const PAUSE = 10
/** The maximum number of positions in a request. */
const CARRIED = 20

/** The replica went out before it answered. */
export class ReplicaOut extends Error {}

/**
 * Why the primary answers a read: it must be `fresh` (routes.ts); no replica has replayed the `position` that the
 * person has seen, or the position is unknown; every replica that answers has too much `lag`; all are `down`; a replica
 * failed, and the read is `repeated`.
 */
export type Reason = 'fresh' | 'position' | 'lag' | 'down' | 'repeated'

export type Replica = {
  /** The number of the replica in the list, from 1. */
  number: number
  /** How far the replica may be behind the primary. Seconds. */
  lag: number
  /**
   * Runs a read of the person on the replica, once.
   * @throws ReplicaOut if the replica went out meanwhile
   */
  run<T>(person: string, work: (sql: ISql) => PromiseLike<T>): Promise<T>
  /**
   * Notes the position that the read has seen.
   * @returns whether the answer is valid; after a promotion it is invalid
   */
  saw(person: string, position: string | null | undefined): boolean
  /** Notes that the read failed. */
  failed(error: unknown): void
}

export type Replicas = {
  /** Begins to watch. Call it when the pools are settled. */
  start(): void
  stop(): Promise<void>
  /** @param carried the header X-Read-Position of the request */
  choose(person: string, carried: string | undefined): Promise<Replica | Exclude<Reason, 'fresh' | 'repeated'>>
  /**
   * Runs work of the person on the primary, and notes the position that the person has then seen.
   * @param work returns a row. If the row has no `position`, the primary is asked after the work, which is then
   * committed
   * @param isCheck whether the row shows no data, so that only an error counts as seen
   * @param noted called when a position was noted; only then `carry` returns that position
   */
  follow<R extends { position?: string | null }>(
    person: string,
    sql: ISql,
    work: () => Promise<R>,
    isCheck: boolean,
    noted: () => void,
  ): Promise<R>
  /** How far each replica in the list may be behind, in seconds; infinite if it is out. */
  lags(): number[]
  /** The header X-Read-Position of the answer; undefined if no other facade needs it. */
  carry(person: string): string | undefined
}

type Watched = {
  url: string
  reads: Pool
  watch: Pool
  /** The position that the replica has replayed, and when it reported the position (performance.now()). */
  replayed: number
  saidAt: number
  /**
   * Whether the replica has replayed something that the primary does not have, because their histories differ since a
   * failover.
   */
  isAstray: boolean
  /** Whether the server answers as a replica; undefined until it was asked. */
  isUp: boolean | undefined
  /** Functions that fail the reads that have no answer yet. */
  waiting: Set<(error: Error) => void>
  /** The question that the replica has not answered yet. */
  asked: Promise<void> | undefined
}

type Options = {
  config: Config
  databaseUrl: string
  pools: Pools
  seals: Seals
  log: Log
  /** The connection strings of the replicas, which may change. */
  urls: () => readonly string[]
}

export function createReplicas({ config, databaseUrl, pools, seals, log, urls }: Options): Replicas {
  const positions = new Positions()
  const end = new AbortController()
  const longest = config.replicaMaxLag * 1000
  // With several facades, another one may have served the person last, so the client must send the position.
  const isShared = config.rateLimitStore === 'database'
  /** Positions of the primary and when it was asked, the newest at the end. */
  let samples: { asked: number; position: number }[] = []
  let watched: Watched[] = []

  function sample(asked: number, position: number): void {
    positions.sample(asked, position)
    for (const one of watched) if (one.replayed > position && one.saidAt < asked) one.isAstray = true
    const last = samples.at(-1)
    if (last && position < last.position) samples = [] // A failover lost the end of the log.
    if (last?.position === position) last.asked = asked
    else samples.push({ asked, position })
    samples = samples.filter((one) => one.asked > asked - longest)
  }

  /** How far the replica may be behind, in milliseconds. */
  function lagOf({ replayed, isUp, isAstray }: Watched): number {
    const reached = isUp && !isAstray ? samples.findLast(({ position }) => position <= replayed) : undefined
    return reached ? performance.now() - reached.asked : Number.POSITIVE_INFINITY
  }

  function goOut(one: Watched, why: unknown): void {
    if (one.isUp !== false) log.warn({ replica: numberOf(one), failure: why }, 'a replica is out')
    one.isUp = false
    one.isAstray = false // The server may return with another copy of the data.
    for (const fail of one.waiting) fail(new ReplicaOut('the replica is out'))
  }

  const numberOf = (one: Watched): number => watched.indexOf(one) + 1

  function said(one: Watched, replayed: number): void {
    one.replayed = replayed
    one.saidAt = performance.now()
  }

  /** Asks the replica for its position. Concurrent callers share one question. */
  function askOnce(one: Watched): Promise<void> {
    one.asked ??= askNow(one).finally(() => {
      one.asked = undefined
    })
    return one.asked
  }

  async function askNow(one: Watched): Promise<void> {
    try {
      const replayed = await one.watch.run((sql) => askPosition(sql, 'replica'))
      if (replayed === null) return goOut(one, new Error('it was promoted'))
      said(one, replayed)
      if (!one.isUp) log.info({ replica: numberOf(one) }, 'a replica is in')
      one.isUp = true
    } catch (error) {
      goOut(one, error)
    }
  }

  /** Asks the replica regularly, until the end or until the list lacks the replica. */
  async function watch(one: Watched): Promise<void> {
    while (!end.signal.aborted && watched.includes(one)) {
      await askOnce(one)
      await pause()
    }
    await Promise.all([one.watch.end(), one.reads.end()])
  }

  async function watchPrimary(pool: Pool): Promise<void> {
    while (!end.signal.aborted) {
      const asked = performance.now()
      // While the primary doesn't answer, no samples are added, so soon no replica gets reads.
      const position = await pool.run((sql) => askPosition(sql, 'primary')).catch(() => null)
      if (position !== null) sample(asked, position)
      readList()
      await pause()
    }
    await pool.end()
  }

  /** Begins to watch replicas that are new in the list, and stops watching replicas that were removed from it. */
  function readList(): void {
    const list = urls()
    if (list.join() === watched.map(({ url }) => url).join()) return
    const before = watched
    watched = list.map((url) => before.find((one) => one.url === url) ?? opened(url))
    for (const one of watched.filter((each) => !before.includes(each))) loops.add(watch(one))
  }

  const opened = (url: string): Watched => ({
    ...{ url, replayed: 0, saidAt: 0, isAstray: false, isUp: undefined, waiting: new Set(), asked: undefined },
    ...{ reads: pools.open(url, config.poolSizes.user), watch: pools.open(url, 1, PATIENCE) },
  })
  const pause = () => sleep(PERIOD, undefined, { signal: end.signal }).catch(() => {})
  const loops = new Set<Promise<void>>()

  /** The position that a replica must have replayed to answer the person. */
  function needed(person: string, carried: string | undefined): number {
    const seen = positions.of(person)
    if (!isShared) return seen
    const all = carried
      ?.split(',', CARRIED + 1)
      .map((text) => seals.reveal(person, text.trim()) ?? Number.POSITIVE_INFINITY)
    return all && all.length <= CARRIED ? Math.max(seen, ...all) : Number.POSITIVE_INFINITY
  }

  const handle = (one: Watched, lag: number): Replica => ({
    number: numberOf(one),
    lag: lag / 1000,
    run: (person, work) =>
      new Promise((resolve, reject) => {
        one.waiting.add(reject)
        one.reads
          .run(work, { who: person })
          .then(resolve, reject)
          .finally(() => one.waiting.delete(reject))
      }),
    saw(person, text) {
      const position = positionOf(text)
      if (position === null) {
        goOut(one, new Error('it was promoted'))
        return false
      }
      said(one, Math.max(one.replayed, position))
      positions.note(person, position)
      return true
    },
    failed(error) {
      if (isLostConnection(error)) goOut(one, error)
    },
  })

  return {
    start() {
      readList()
      loops.add(watchPrimary(pools.open(databaseUrl, 1, PATIENCE)))
    },
    async stop() {
      end.abort()
      await Promise.all(loops)
    },
    async choose(person, carried) {
      const least = needed(person, carried)
      // Choose the same replica for the same person while it is in, because it has everything that it has shown.
      const first = Number.parseInt(person.slice(-4), 16) % watched.length || 0
      let reason: 'position' | 'lag' | 'down' = 'down'
      for (const one of [...watched.slice(first), ...watched.slice(0, first)]) {
        if (!one.isUp) continue
        if (lagOf(one) > longest) {
          if (reason === 'down') reason = 'lag'
          continue
        }
        // Often the replica has replayed more than it has reported. Ask it, because a person who writes would otherwise
        // stay on the primary.
        if (one.replayed < least && Number.isFinite(least)) await Promise.race([askOnce(one), sleep(PAUSE)])
        const lag = lagOf(one)
        if (one.replayed >= least && lag <= longest) return handle(one, lag)
        reason = 'position'
      }
      return reason
    },
    async follow(person, sql, work, isCheck, noted) {
      const now = async () => {
        const position = await askPosition(sql, 'primary').catch(() => null)
        if (position === null) positions.lose(person)
        else positions.note(person, position)
        noted()
      }
      try {
        const row = await work()
        if (isCheck) return row
        const position = positionOf(row.position)
        if (position === null) await now()
        else {
          positions.note(person, position)
          noted()
        }
        return row
      } catch (error) {
        if (!isLostConnection(error)) await now() // An error shows something, too.
        throw error
      }
    },
    lags: () => watched.map((one) => lagOf(one) / 1000),
    carry(person) {
      // The position is infinite if it was lost. Then the primary answers the next read, at any facade.
      return isShared ? seals.hide(person, positions.of(person)) : undefined
    },
  }
}
