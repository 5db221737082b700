// How much of the database's log (WAL) each person has seen, so that no replica shows them an older state: not without
// what they wrote, and not older than what they have read. docs/decisions.md, Replicas.
//
// A position is the number of bytes of the log before it: exact up to 2^53, which is 9 PB.
import type { ISql } from 'postgres'

export type Place = 'primary' | 'replica'

const bytesTo = (position: string) => `pg_wal_lsn_diff(${position}, '0/0')::text`

/**
 * A column of the position that a statement may have seen, if it is the last one of the statement. On a replica it is
 * null after a promotion.
 */
export const columnOf: Readonly<Record<Place, string>> = {
  primary: bytesTo('pg_current_wal_insert_lsn()'),
  replica: `case when pg_is_in_recovery() then ${bytesTo('pg_last_wal_replay_lsn()')} end`,
}

/** A page of the log, and the longest header that a page begins with. Bytes. */
const PAGE = 8192
const HEADER = 40

/**
 * The position in a column; null for null. After a record that fills its page, the primary names the first byte behind
 * the header of the next page, and a replica the first byte of that page. Both are the same position: no record ends
 * within 40 bytes of the begin of a page, unless it began on the page before.
 */
export function positionOf(text: string | null | undefined): number | null {
  if (text === null || text === undefined) return null
  const position = Number(text)
  return position % PAGE <= HEADER ? position - (position % PAGE) : position
}

/** Asks a server for its position. Null if a replica was promoted. */
export async function askPosition(sql: ISql, place: Place): Promise<number | null> {
  const [row] = await sql.unsafe<{ position: string | null }[]>(`select ${columnOf[place]} as position`, [], {
    prepare: true,
  })
  return positionOf(row?.position)
}

/** The number of people whose positions are kept, about 100 bytes each. */
const CAPACITY = 100_000

export class Positions {
  /** The one who was noted last is at the end. */
  readonly #seen = new Map<string, number>()
  /** What all others may have seen. Infinite until the primary was asked after `#since`. */
  #floor = Number.POSITIVE_INFINITY
  /** The moment of the last loss, as performance.now() gives it. */
  #since = 0

  /** A replica may answer the person if it has this position. */
  of(person: string): number {
    return this.#seen.get(person) ?? this.#floor
  }

  note(person: string, position: number): void {
    if (!this.#seen.has(person) && position < this.#floor) return // the floor says more: see `lose`
    const known = this.#seen.get(person) ?? 0
    this.#seen.delete(person)
    const [oldest] = this.#seen.size >= CAPACITY ? this.#seen : []
    if (oldest) {
      this.#floor = Math.max(this.#floor, oldest[1])
      this.#seen.delete(oldest[0])
    }
    this.#seen.set(person, Math.max(known, position))
  }

  /** What the person has seen last is not known: they may have seen everything until now. */
  lose(person: string): void {
    this.#seen.delete(person)
    this.#floor = Number.POSITIVE_INFINITY
    this.#since = performance.now()
  }

  /** The primary was at `position` when it answered a question that was asked at `asked`. */
  sample(asked: number, position: number): void {
    if (this.#floor === Number.POSITIVE_INFINITY && asked > this.#since) this.#floor = position
  }
}
