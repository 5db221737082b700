// Reads by a facade with replicas: how many there are a second, what is left for the primary to do, and how far the
// replicas are behind while others write.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres, { type Sql } from 'postgres'
import { type Standby, startStandby } from '../../supabase/embedded/standby.ts'
import { type Case, PEOPLE } from './case.ts'
import { cases, dataOf } from './cases.ts'
import { type Meter, startMeter } from './cpu.ts'
import { CLIENTS, even, overHttp } from './load.ts'
import { figure, median, type Plan, quantile, say } from './rounds.ts'
import { OURS, type Side, startSide } from './side.ts'

/** Reads of many people, because a person's reads go to one replica. */
const READS = ['me', 'home-50', 'detail']
const WRITE = 'create'
const WARM = even(2000)

/** Another person each time. */
const byMany = (one: Case): Case => ({
  ...one,
  hit: (n) => ({ ...one.hit(n), caller: 10 + (n % (PEOPLE - 1000)) }),
})

type Facade = { url: string; pid: number }

export async function replicas(
  root: string,
  posts: number,
  rows: number,
  now: string,
  plan: Plan,
  counts: number[],
): Promise<void> {
  const all = cases(posts)
  const reads = all.filter(({ name }) => READS.includes(name)).map(byMany)
  const write = all.find(({ name }) => name === WRITE)
  if (!write || reads.length < READS.length) throw new Error(`There is no case ${WRITE} or not all of ${READS}.`)
  const given = { name: 'this', root, posts, rows, now, inline: false, counted: false }
  const side = await startSide({ ...given, data: dataOf([...reads, write]) })
  const standbys: Standby[] = []
  const connections: Sql[] = []
  try {
    for (let number = 1; number <= Math.max(...counts); number++)
      standbys.push(await startStandby({ primary: side.server, dataDir: side.folder, name: `standby${number}` }))
    const servers = [
      side.superuser,
      ...standbys.map((standby) =>
        postgres(standby.superuserUrl(), { max: 1, onnotice: () => {}, connection: { application_name: OURS } }),
      ),
    ]
    connections.push(...servers.slice(1))
    const cores = availableParallelism()
    const isPinned = cores > servers.length
    if (isPinned) for (const [core, server] of servers.entries()) pin(await postmaster(server), `${core}`)
    say(`${posts} posts, ${CLIENTS} clients, ${plan.rounds} rounds of ${plan.seconds} s, ${cores} cores`)
    say(isPinned ? 'each server has a core of its own' : 'the servers share the cores')
    say('\nreplicas', 'read', 'a second', 'primary', 'replicas', 'facade')
    const facades: [number, Facade][] = []
    for (const count of counts) {
      const list = standbys.slice(0, count).map(({ port }) => Object.assign(new URL(side.databaseUrl), { port }).href)
      const facade = await side.startFacade({ WORKER: 'off', ...(count > 0 && { DATABASE_REPLICA_URLS: list.join() }) })
      if (isPinned) pin(facade.pid, `${servers.length}-${cores - 1}`)
      facades.push([count, facade])
      for (const one of reads) await measureReads(side, servers, facade, count, one, plan)
    }
    say('\nwhile posts are written', 'posts/s', 'p50 ms', 'p99 ms', 'replicas')
    for (const [count, facade] of facades) if (count > 0) await measureLag(facade, count, write, reads[0] as Case, plan)
  } finally {
    await Promise.all(connections.map((sql) => sql.end()))
    await Promise.all(standbys.map((standby) => standby.stop()))
    await side.stop()
  }
}

/** The process id of the server of a connection. */
async function postmaster(sql: Sql): Promise<number> {
  const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`
  return Number(readFileSync(`/proc/${row?.pid}/stat`, 'utf8').split(' ')[3])
}

/** Runs a process, and what it starts from now on, on these cores only. */
const pin = (pid: number, cores: string) =>
  execFileSync('taskset', ['-a', '-c', '-p', cores, `${pid}`], { stdio: 'ignore' })

/** Prints the reads a second, and the CPU of each read in milliseconds: of the primary, all replicas and the facade. */
async function measureReads(side: Side, servers: Sql[], facade: Facade, count: number, one: Case, plan: Plan) {
  const meters: Meter[] = servers.map((superuser) => startMeter({ ...side, superuser, facade: facade.pid }))
  const read = async () => {
    const cpu = await Promise.all(meters.map((meter) => meter.read()))
    return { node: cpu[0]?.node ?? 0, servers: cpu.map(({ backend }) => backend) }
  }
  try {
    const amount = even((await overHttp(facade.url, one, 0, WARM)) * plan.seconds)
    const [rates, primary, others, node]: number[][] = [[], [], [], []] as number[][]
    for (let round = 0; round < plan.rounds; round++) {
      const before = await read()
      rates?.push(await overHttp(facade.url, one, WARM + round * amount, amount))
      const after = await read()
      const spent = after.servers.map((cpu, at) => (cpu - (before.servers[at] ?? 0)) / amount)
      primary?.push(spent[0] ?? 0)
      others?.push(spent.slice(1).reduce((sum, cpu) => sum + cpu, 0))
      node?.push((after.node - before.node) / amount)
    }
    const figures = [primary, others, node].map((each) => figure(median(each ?? []), 3))
    say(`${count}`, one.name, figure(median(rates ?? []), 0), ...figures)
  } finally {
    for (const meter of meters) meter.stop()
  }
}

/** Prints how far the replicas are behind while posts are written as fast as possible, and how many reads they answer. */
async function measureLag({ url }: Facade, count: number, write: Case, one: Case, plan: Plan): Promise<void> {
  const scrape = async () => (await (await fetch(`${url}/metrics`)).text()).split('\n')
  const sum = (lines: string[], start: RegExp) =>
    lines.filter((line) => start.test(line)).reduce((total, line) => total + Number(line.split(' ').at(-1)), 0)
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
  const [byReplicas, total] = [/^kith_reads_total\{place="replica/, /^kith_reads_total\{/].map(
    (start) => sum(after, start) - sum(before, start),
  ) as [number, number]
  const parts = [figure(rate, 0), figure(quantile(lags, 0.5), 0), figure(quantile(lags, 0.99), 0)]
  say(`${count}`.padEnd(23), ...parts, `${figure((byReplicas / total) * 100, 1)} %`)
}
