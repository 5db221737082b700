// The cost of recomputing what people like: the worker takes the mean of the vectors of 50 posts.
import type { Sql } from 'postgres'
import { minus } from './cpu.ts'
import type { Measured } from './rounds.ts'

/** The number of people, and milliseconds of a core for each of them. */
type CentroidCost = { people: number; ms: number }

/** @param sql a connection of the owner; the meter counts the CPU of its backend */
export async function centroidCost({ meter }: Measured, sql: Sql): Promise<CentroidCost> {
  const made = async (from: number, to: number) => {
    await sql`insert into private.centroids (person_id, due_at)
      select bench.person(n), now() from generate_series(${from}::int, ${to}::int) n on conflict (person_id) do update set due_at = now()`
    let people = 0
    for (let more = 1; more > 0; people += more) {
      const [row] = await sql<{ refreshed: number }[]>`select private.refresh_centroids() as refreshed`
      more = row?.refreshed ?? 0
    }
    return people
  }
  await made(1001, 1020) // the first run only fills the caches
  const before = await meter.read()
  const people = await made(1021, 1220)
  return { people, ms: minus(await meter.read(), before).backend / people }
}
