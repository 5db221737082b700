// Measures reads through a facade with replicas: their number per second, the CPU per read of each kind of process, and
// how far the replicas are behind during writes.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres, { type Sql } from 'postgres'
import { type Standby, startStandby } from '../../supabase/embedded/standby.ts'
import { type PgBouncer, startPgBouncer } from '../support/pgbouncer.ts'
import { type Case, PEOPLE } from './case.ts'
import { cases, dataOf } from './cases.ts'
import { cpuOf, type Meter, startMeter } from './cpu.ts'
import { CLIENTS, even, overHttp } from './load.ts'
import { figure, median, type Plan, quantile, say } from './rounds.ts'
import { OURS, type Side, startSide } from './side.ts'

/** Reads of many people, because a person's reads go to one replica. */
const READS = ['me', 'home-50', 'detail']
const WRITE = 'create'
const WARM = even(2000)
/** The connections of a PgBouncer to its server for each login: as many as a facade has at most. */
const POOL = 10

/** The same case, but each request is from another person. */
const byMany = (one: Case): Case => ({
  ...one,
  hit: (n) => ({ ...one.hit(n), caller: 10 + (n % (PEOPLE - 1000)) }),
})

type Facade = { url: string; pid: number }

export type ReplicasOptions = {
  root: string
  posts: number
  rows: number
  now: string
  plan: Plan
  /** The numbers of replicas that are measured, one after the other. */
  counts: number[]
  /** Whether the primary runs only on the first core, and each replica on its own core if there are enough. */
  pinned: boolean
  /** The path of PgBouncer. Then the facades reach the primary and each replica through one, in transaction mode. */
  pgbouncer: string | undefined
}

export async function replicas({ root, posts, rows, now, plan, counts, ...options }: ReplicasOptions): Promise<void> {
  const all = cases(posts)
  const reads = all.filter(({ name }) => READS.includes(name)).map(byMany)
  const write = all.find(({ name }) => name === WRITE)
  if (!write || reads.length < READS.length) throw new Error(`There is no case ${WRITE} or not all of ${READS}.`)
  const cores = availableParallelism()
  const most = Math.max(...counts)
  // the primary gets the first core, and each replica one of the next cores if there are enough. All other processes
  // use the rest
  const rest = cores > most + 1 ? most + 1 : 1
  if (options.pinned) {
    if (cores < 2) throw new Error('--pin needs two cores.')
    pin(process.pid, `${rest}-${cores - 1}`) // the processes that it starts stay on these cores, too
  }
  const given = { name: 'this', root, posts, rows, now, inline: false, counted: false }
  const side = await startSide({ ...given, data: dataOf([...reads, write]) })
  const standbys: Standby[] = []
  const connections: Sql[] = []
  const poolers: PgBouncer[] = []
  try {
    for (let number = 1; number <= most; number++)
      standbys.push(await startStandby({ primary: side.server, dataDir: side.folder, name: `standby${number}` }))
    const servers = [
      side.superuser,
      ...standbys.map((standby) =>
        postgres(standby.superuserUrl(), { max: 1, onnotice: () => {}, connection: { application_name: OURS } }),
      ),
    ]
    connections.push(...servers.slice(1))
    if (options.pinned)
      for (const [core, server] of servers.slice(0, rest).entries()) pinServer(await postmaster(server), `${core}`)
    const { pgbouncer: program } = options
    const urls = [side.server, ...standbys].map((server) => server.url())
    if (program) for (const url of urls) poolers.push(await startPgBouncer(url, 'transaction', { program, size: POOL }))
    const [primaryUrl = '', ...replicaUrls] = program ? poolers.map(({ url }) => url) : urls
    say(`${posts} posts, ${CLIENTS} clients, ${plan.rounds} rounds of ${plan.seconds} s, ${cores} cores`)
    say(
      options.pinned
        ? `${rest === 1 ? 'the primary has' : 'each server has'} a core of its own`
        : 'all share the cores',
    )
    say(
      program
        ? 'facades reach each server through PgBouncer in transaction mode'
        : 'facades reach the servers directly',
    )
    say('\nreplicas', 'read', 'a second', 'primary', 'replicas', 'facade', 'poolers')
    const facades: [number, Facade][] = []
    for (const count of counts) {
      const list = replicaUrls.slice(0, count).join()
      const facade = await side.startFacade({
        ...{ WORKER: 'off', DATABASE_URL: primaryUrl, DATABASE_DIRECT_URL: side.databaseUrl },
        ...(list && { DATABASE_REPLICA_URLS: list }),
      })
      facades.push([count, facade])
      for (const one of reads) await measureReads(side, servers, poolers, facade, count, one, plan)
    }
    say('\nwhile posts are written', 'posts/s', 'p50 ms', 'p99 ms', 'replicas')
    for (const [count, facade] of facades) if (count > 0) await measureLag(facade, count, write, reads[0] as Case, plan)
  } finally {
    await Promise.all(connections.map((sql) => sql.end()))
    await Promise.all(poolers.map((pooler) => pooler.stop()))
    await Promise.all(standbys.map((standby) => standby.stop()))
    await side.stop()
  }
}

/** The process id of the server of a connection. */
async function postmaster(sql: Sql): Promise<number> {
  const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`
  return parentOf(row?.pid ?? 0)
}

const parentOf = (pid: number): number => Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')[3])

/** Limits a process, and the processes that it starts from now on, to these cores. */
function pin(pid: number, cores: string): void {
  try {
    execFileSync('taskset', ['-a', '-c', '-p', cores, `${pid}`], { stdio: 'ignore' })
  } catch (cause) {
    throw new Error('--pin needs taskset (util-linux).', { cause })
  }
}

/** Runs a PostgreSQL server and its current processes on these cores only. */
function pinServer(server: number, cores: string): void {
  const all = readdirSync('/proc').map(Number).filter(Number.isInteger)
  for (const pid of all) if (pid === server || (existsSync(`/proc/${pid}`) && parentOf(pid) === server)) pin(pid, cores)
}

/** Prints the reads per second and the CPU per read in milliseconds, summed over the processes of each kind. */
async function measureReads(
  side: Side,
  servers: Sql[],
  poolers: PgBouncer[],
  facade: Facade,
  count: number,
  one: Case,
  plan: Plan,
) {
  const meters: Meter[] = servers.map((superuser) => startMeter({ ...side, superuser, facade: facade.pid }))
  const read = async () => {
    const cpu = await Promise.all(meters.map((meter) => meter.read()))
    const [primary = 0, ...others] = cpu.map(({ backend }) => backend)
    const pooling = poolers.map(({ process }) => cpuOf(process.pid ?? 0))
    return [primary, total(others), cpu[0]?.node ?? 0, total(pooling)]
  }
  try {
    const amount = even((await overHttp(facade.url, one, 0, WARM)) * plan.seconds)
    const rates: number[] = []
    const spent: number[][] = []
    for (let round = 0; round < plan.rounds; round++) {
      const before = await read()
      rates.push(await overHttp(facade.url, one, WARM + round * amount, amount))
      const after = await read()
      spent.push(after.map((cpu, at) => (cpu - (before[at] ?? 0)) / amount))
    }
    const figures = [0, 1, 2, 3].map((at) => figure(median(spent.map((each) => each[at] ?? 0)), 3))
    say(`${count}`, one.name, figure(median(rates), 0), ...figures)
  } finally {
    for (const meter of meters) meter.stop()
  }
}

const total = (numbers: number[]) => numbers.reduce((sum, number) => sum + number, 0)

/** Prints how far the replicas are behind while posts are written as fast as possible, and how many reads they answer. */
async function measureLag({ url }: Facade, count: number, write: Case, one: Case, plan: Plan): Promise<void> {
  const scrape = async () => (await (await fetch(`${url}/metrics`)).text()).split('\n')
  const sum = (lines: string[], start: RegExp) =>
    total(lines.filter((line) => start.test(line)).map((line) => Number(line.split(' ').at(-1))))
  const before = await scrape()
  const lags: number[] = []
  let isOver = false
  const look = async () => {
    while (!isOver) {
      for (const line of await scrape())
        if (line.startsWith('kith_replica_lag_seconds{')) lags.push(Number(line.split(' ').at(-1)) * 1000)
      await sleep(50)
    }
  }
  const reading = async () => {
    for (let n = 0; !isOver; n += WARM) await overHttp(url, one, n, WARM)
  }
  const sides = [look(), reading()]
  const rate = await overHttp(url, write, count * 1_000_000, even(plan.rounds * plan.seconds * 500))
  isOver = true
  await Promise.all(sides)
  const after = await scrape()
  const [byReplicas, reads] = [/^kith_reads_total\{place="replica/, /^kith_reads_total\{/].map(
    (start) => sum(after, start) - sum(before, start),
  ) as [number, number]
  const parts = [figure(rate, 0), figure(quantile(lags, 0.5), 0), figure(quantile(lags, 0.99), 0)]
  say(`${count}`.padEnd(23), ...parts, `${figure((byReplicas / reads) * 100, 1)} %`)
}
