// node test/attacks/texts.ts [pages | rows | bodies | part of a name] measures what one request costs when others, or
// the person, have written the worst texts and rows that Kith accepts. Prints, most expensive first, milliseconds of
// the facade's thread and of the backends, and how long everybody else waited meanwhile. It starts its own instance.
import { readFileSync } from 'node:fs'
import { type Fresh, onFresh, say } from '../support/fresh.ts'
import { bodies } from './texts/bodies.ts'
import { pages } from './texts/pages.ts'
import { type Ask, plantPeople, type Scene } from './texts/people.ts'
import { rows } from './texts/rows.ts'

const parts: Record<string, Scene[]> = { pages, rows, bodies }
const ROUNDS = 3
const SMALL = 10 // milliseconds: cheaper requests are not shown
const [, , wanted = ''] = process.argv

const spent = (id: number): number => Number(readFileSync(`/proc/${id}/schedstat`, 'utf8').split(' ')[0]) / 1e6

/** Milliseconds of processor time of all backends so far. */
async function backends({ sql }: Fresh): Promise<number> {
  const rows = await sql<{ pid: number }[]>`
    select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`
  return rows.reduce((sum, { pid }) => sum + spent(pid), 0)
}

/** How long the slowest of these requests waits, repeated until `work` is done. */
async function waited<T>({ apiUrl }: Fresh, work: () => Promise<T>): Promise<{ result: T; longest: number }> {
  let over = false
  let longest = 0
  const pings = (async () => {
    while (!over) {
      const start = performance.now()
      await (await fetch(`${apiUrl}/health`)).text()
      longest = Math.max(longest, performance.now() - start)
    }
  })()
  const result = await work()
  over = true
  await pings
  return { result, longest }
}

type Cost = { what: string; status: string; bytes: number; node: number; database: number; stall: number }

async function costOf(fresh: Fresh, what: string, ask: Ask): Promise<Cost> {
  const { status: first } = await ask() // the first run only fills the caches
  const best: Cost = { what, status: String(first), bytes: 0, node: 1e9, database: 1e9, stall: 0 }
  for (let round = 0; round < ROUNDS; round++) {
    const [node, database] = [spent(fresh.pid), await backends(fresh)]
    const { status, body } = await ask()
    best.node = Math.min(best.node, spent(fresh.pid) - node)
    best.database = Math.min(best.database, (await backends(fresh)) - database)
    best.status = `${status}${status >= 400 ? ` ${body?.code ?? [body?.message].flat()[0]?.slice(0, 40)}` : ''}`
    best.bytes = typeof body === 'string' ? body.length : JSON.stringify(body)?.length
    if (best.node + best.database < SMALL) return best // thousands of requests are this cheap
    best.stall = Math.min(best.stall || 1e9, (await waited(fresh, ask)).longest)
  }
  return best
}

const line = ({ what, status, bytes, node, database, stall }: Cost): string =>
  [
    what.padEnd(64),
    `node ${node.toFixed(0).padStart(5)}`,
    `database ${database.toFixed(0).padStart(5)}`,
    `others waited ${stall.toFixed(0).padStart(5)} ms`,
    `${(bytes / 1000).toFixed(0).padStart(6)} KB`,
    status,
  ].join('  ')

await onFresh(
  async (fresh) => {
    const people = await plantPeople(fresh)
    const named = parts[wanted] ?? Object.values(parts).flat()
    const scenes = named.filter(({ what }) => wanted in parts || what.includes(wanted))
    const costs: Cost[] = []
    for (const { what, plant } of scenes) {
      try {
        const cost = await costOf(fresh, what, await plant(fresh, people))
        costs.push(cost)
      } catch (error) {
        say(`${what}: NOT TRIED: ${error}`)
      }
    }
    const great = costs.filter(({ node, database }) => 2 * node + database >= SMALL)
    for (const cost of great.sort((a, b) => 2 * b.node + b.database - 2 * a.node - a.database)) say(line(cost))
  },
  { RATE_LIMIT_SCALE: '100000' },
)
