// Records the position in the database's log (WAL) up to which each person has seen it. No replica may show them an
// older state, for example one without what they wrote. docs/decisions.md, Replicas.
//
// A position is the number of bytes that precede it in the log, which is exact up to 2^53 (9 PB).
import type { ISql } from 'postgres'

export type Place = 'primary' | 'replica'

const bytesTo = (position: string) => `pg_wal_lsn_diff(${position}, '0/0')::text`

/**
 * The column that returns the position up to which the statement may have seen the log. It must be the last column of
 * the statement. It is null if a replica was promoted.
 */
export const columnOf: Readonly<Record<Place, string>> = {
  primary: bytesTo('pg_current_wal_insert_lsn()'),
  replica: `case when pg_is_in_recovery() then ${bytesTo('pg_last_wal_replay_lsn()')} end`,
}

/** The size of a page of the log, and of the longest header of a page. Bytes. */
const PAGE = 8192
const HEADER = 40

/**
 * The position in a column; null for null. After a record that fills its page, the primary names the first byte behind
 * the header of the next page, and a replica the first byte of that page. Both are the same position: no record ends
 * within 40 bytes of the beginning of a page, unless it began on the page before.
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
  /** The person who was noted last is at the end. */
  readonly #seen = new Map<string, number>()
  /** The position that all other people may have seen. Infinite until the primary was asked after `#since`. */
  #floor = Number.POSITIVE_INFINITY
  /** When a position was last lost (performance.now()). */
  #since = 0

  /** The position that a replica must have replayed to answer the person. */
  of(person: string): number {
    return this.#seen.get(person) ?? this.#floor
  }

  note(person: string, position: number): void {
    // The shared position applies to the person, and it is later than this one.
    if (!this.#seen.has(person) && position < this.#floor) return
    const known = this.#seen.get(person) ?? 0
    this.#seen.delete(person)
    const [oldest] = this.#seen.size >= CAPACITY ? this.#seen : []
    if (oldest) {
      this.#floor = Math.max(this.#floor, oldest[1])
      this.#seen.delete(oldest[0])
    }
    this.#seen.set(person, Math.max(known, position))
  }

  /** The last position of the person is unknown, so they may have seen everything until now. */
  lose(person: string): void {
    this.#seen.delete(person)
    this.#floor = Number.POSITIVE_INFINITY
    this.#since = performance.now()
  }

  /** Notes the `position` of the primary, which was asked at the time `asked`. */
  sample(asked: number, position: number): void {
    if (this.#floor === Number.POSITIVE_INFINITY && asked > this.#since) this.#floor = position
  }
}
