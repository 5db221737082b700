// node test/attacks/pooler.ts [answers] puts load on a facade behind the machine's PgBouncer or, if there is none,
// behind the tests' own pooler. The pooler is killed and started again, stopped, and limited to one connection. Prints
// how many answers were right, were 503, or were meant for somebody else, and how long the slowest took.
import { execFileSync } from 'node:child_process'
import { readConfig } from '../../api-facade/lib/config.ts'
import { startServer } from '../../api-facade/server.ts'
import { type Fresh, onFresh, type Someone, say } from '../support/fresh.ts'
import { startPgBouncer } from '../support/pgbouncer.ts'
import { startPooler } from '../support/pooler.ts'
import { environment } from '../support/settings.ts'

const ANSWERS = Number(process.argv[2] ?? 100_000)
const AT_ONCE = 16

type Pooler = { url: string; kill(): Promise<void>; restart(): Promise<void>; stop(): void; go(): void }

const isThere = () => {
  try {
    return execFileSync('pgbouncer', ['--version']).toString().split('\n')[0] ?? ''
  } catch {
    return ''
  }
}

async function poolerOf(databaseUrl: string, size: number): Promise<Pooler> {
  if (!isThere()) {
    const pooler = await startPooler(databaseUrl, { size })
    return { ...pooler, stop: pooler.freeze, go: pooler.thaw }
  }
  let bouncer = await startPgBouncer(databaseUrl, 'transaction', { size })
  const { url } = bouncer
  const port = Number(new URL(url).port)
  return {
    url,
    kill: () => bouncer.stop(),
    restart: async () => {
      bouncer = await startPgBouncer(databaseUrl, 'transaction', { size, port })
    },
    stop: () => bouncer.process.kill('SIGSTOP'),
    go: () => bouncer.process.kill('SIGCONT'),
  }
}

/** All people request their own profile at once, `count` times in all. */
async function load(url: string, people: readonly Someone[], count: number) {
  const seen: Record<string, number> = {}
  let [asked, slowest] = [0, 0]
  const client = async () => {
    while (asked < count) {
      const person = people[asked++ % people.length] as Someone
      const start = performance.now()
      const answer = await fetch(`${url}/api/v1/me`, { headers: { authorization: `Bearer ${person.token}` } })
      const { id } = (await answer.json()) as { id?: string }
      slowest = Math.max(slowest, performance.now() - start)
      const kind = answer.status !== 200 ? answer.status : id === person.id ? 'right' : "somebody else's"
      seen[kind] = (seen[kind] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, client))
  const kinds = Object.entries(seen).map(([kind, times]) => `${times} ${kind}`)
  return `${kinds.join(', ')}; the slowest took ${(slowest / 1000).toFixed(1)} s`
}

async function attack({ join, dbUrl, jwtSecret }: Fresh) {
  say(`The pooler is ${isThere() || "the tests' own"}, in transaction mode.`)
  const people = await Promise.all(['ada', 'ben', 'cleo', 'dora', 'eli'].map(join))
  for (const size of [5, 1]) {
    const pooler = await poolerOf(dbUrl, size)
    const config = readConfig(
      environment(pooler.url, { DATABASE_PREPARE: 'auto', JWT_SECRET: jwtSecret, POOL_USER: '10' }),
    )
    const server = await startServer({ config, databaseUrl: pooler.url, jwtSecret })
    const scene = async (what: string, count: number, meanwhile?: () => Promise<void>) => {
      const loaded = load(server.url, people, count)
      await meanwhile?.()
      say(`  ${what}: ${await loaded}`)
    }
    const after = () => scene('and afterwards', ANSWERS / 100)
    say(`${size} connections to the server:`)
    await scene('undisturbed', size === 5 ? ANSWERS : ANSWERS / 10)
    await scene('killed and started again', ANSWERS / 20, async () => {
      await pooler.kill()
      await pooler.restart()
    })
    await after()
    pooler.stop()
    await scene('stopped', AT_ONCE)
    pooler.go()
    await after()
    await server.stop()
    await pooler.kill()
  }
}

await onFresh(attack, { RATE_LIMIT_SCALE: '1000000' })
