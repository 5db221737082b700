// npm run bench: how fast this checkout is, alone or compared with another one. See test/README.md, The bench.
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import postgres from 'postgres'
import { compareAnswers } from './answers.ts'
import type { Case } from './case.ts'
import { cases, dataOf } from './cases.ts'
import { centroidCost } from './centroid.ts'
import { compare } from './compare.ts'
import { inNewDatabase } from './copies.ts'
import { day } from './day.ts'
import { fanouts } from './fanout.ts'
import { growth, REQUESTS, sizesTo } from './growth.ts'
import { CLIENTS, even, overHttp } from './load.ts'
import { memory } from './memory.ts'
import { partitions } from './partitions.ts'
import { peers } from './peers/main.ts'
import { ratios } from './ratios.ts'
import { realtimeFigures } from './realtime.ts'
import { replicas } from './replicas.ts'
import { figure, type Measured, type Plan, say, startMeters } from './rounds.ts'
import { ruleCosts } from './rules.ts'
import { caughtUp, jwtSecret, type Side, startSide } from './side.ts'
import { triggerCosts } from './triggers.ts'
import { vacuums } from './vacuums.ts'

const help = `npm run bench -- [options]
  --compare=<folder>  another checkout, to which the same requests are sent in turn: how many times better is this one?
  --answers           with --compare: are the answers to all reads the same?
  --growth            the cases that grow, at 10,000, 100,000 and 1,000,000 rows; fails if a cost grows by 1.5 times or more
  --only=home,detail  these cases, or those whose names start like this (also triggers, rules, centroid, realtime, fanout)
  --memory            instead: Kith's memory during minutes of requests, sockets and jobs, by npm start and without npm
  --replicas=0,1,2    instead: reads with so many replicas: their rate, the CPU of the primary, and the lag during writes
  --pin               with --replicas: the primary runs on the first core, and everything else on the other cores; with
                      more cores each replica has one too
  --pgbouncer=<path>  with --replicas: facades reach each server through this PgBouncer, in transaction mode
  --day               instead: what a day of mixed requests leaves in the tables, with autovacuum
  --requests=50000    the number of requests of that day
  --partitions        instead: what partitions by day would gain and cost, with --rows rows, 1000000 by default
  --vacuums           instead: what vacuuming sooner gains and costs, with --rows rows, 1000000 by default
  --peers             instead: CPU per request, compared with PostGraphile 5 on a plain schema; installs PostGraphile
  --posts=100000      the number of posts, at least 100,000
  --rows=10000        the number of rows of other growing data; with --growth the maximum, 1000000
  --sockets=2000      the largest number of sockets of the case realtime
  --gateways=1        the number of gateways that share them
  --people=100000     the number of people who get a broadcast, at least 10,000
  --rounds=<n>        rounds of a case: 2 alone, 3 with --growth, 16 with --compare or --peers, 10 minutes with --memory
  --seconds=<n>       length of a round: 1 alone, 0.2 with --compare, 0.5 with --peers
  --inline            runs the worker in the facade's process
`
const { values } = parseArgs({
  options: {
    compare: { type: 'string' },
    answers: { type: 'boolean', default: false },
    growth: { type: 'boolean', default: false },
    memory: { type: 'boolean', default: false },
    day: { type: 'boolean', default: false },
    requests: { type: 'string', default: '50000' },
    partitions: { type: 'boolean', default: false },
    vacuums: { type: 'boolean', default: false },
    peers: { type: 'boolean', default: false },
    replicas: { type: 'string' },
    pin: { type: 'boolean', default: false },
    pgbouncer: { type: 'string' },
    only: { type: 'string', default: '' },
    posts: { type: 'string', default: '100000' },
    rows: { type: 'string' },
    people: { type: 'string', default: '100000' },
    sockets: { type: 'string', default: '2000' },
    gateways: { type: 'string', default: '1' },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    inline: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const posts = Number(values.posts)
const names = cases(posts).map(({ name }) => name)
/** `me` selects only the case of that name, while `home` selects all cases whose names start like that. */
const isChosen = (name: string) =>
  values.only.split(',').some((only) => (names.includes(only) ? name === only : name.startsWith(only)))

/** Measures what is not a case: triggers of the audience, rules, centroids, Realtime, the fan-out of one write. */
async function others(measured: Measured): Promise<void> {
  const { databaseUrl } = measured.side
  const owner = postgres(databaseUrl, { max: 1, onnotice: () => {} })
  try {
    if (isChosen('triggers')) {
      say('\naudience triggers', 'ms with', 'without', 'factor')
      for (const { name, kept, unkept } of await triggerCosts(owner))
        say(name, figure(kept, 2), figure(unkept, 2), figure(kept / unkept, 1))
    }
    if (isChosen('rules')) {
      say('\nrules', 'CPU ms a post', 'judged ms')
      for (const { name, post, judged } of await ruleCosts(measured, owner))
        say(name, figure(post, 2), figure(judged, 3))
    }
    if (isChosen('centroid')) {
      const { people, ms } = await centroidCost(measured, owner)
      say('\nrecomputed', 'people', 'CPU ms each')
      say('centroid', `${people}`, figure(ms, 2))
    }
    if (isChosen('realtime')) {
      const heads = [
        'sockets',
        'write',
        'to first',
        'to half',
        'to last',
        'p99 ms',
        'gateway',
        'walsender',
        'a second',
        'KiB each',
      ]
      say('\nrealtime', ...heads)
      const [most, count] = [Number(values.sockets), Number(values.gateways)]
      for (const { sockets, perSecond, memory, ...ms } of await realtimeFigures(
        owner,
        databaseUrl,
        jwtSecret,
        most,
        count,
      )) {
        const { write, first, half, last, p99, gateway, walsender } = ms
        const parts = [write, first, half, last, p99, gateway, walsender].map((part) => figure(part, 2))
        say('commit to client', `${sockets}`, ...parts, figure(perSecond, 0), figure(memory, 1))
      }
    }
    if (isChosen('fanout')) {
      say('\nnotified of', 'people', 'seconds', 'worker ms each')
      for (const { name, people, seconds, worker } of await fanouts(measured, posts, Number(values.people)))
        say(name, `${people}`, figure(seconds, 1), figure(worker, 3))
    }
  } finally {
    await owner.end()
  }
}

async function main(): Promise<void> {
  const other = values.compare && resolve(values.compare)
  if (other && !existsSync(join(other, 'test/bench/data.sql'))) throw new Error(`${other} is not a checkout of Kith.`)
  if (values.answers && !other) throw new Error('--answers needs --compare.')
  if (values.memory && other) throw new Error('--memory cannot be combined with --compare.')
  if (values.memory) return memory(join(import.meta.dirname, '../..'), posts, Number(values.rounds ?? 10))
  if ((values.day || values.partitions || values.vacuums) && other)
    throw new Error('--day, --partitions and --vacuums cannot be combined with --compare.')
  if (values.partitions) return inNewDatabase((sql) => partitions(sql, Number(values.rows ?? 1_000_000)))
  if (values.vacuums) return inNewDatabase((sql) => vacuums(sql, Number(values.rows ?? 1_000_000)))
  if (values.day) return day(join(import.meta.dirname, '../..'), posts, Number(values.requests))
  if (values.peers && (other || values.growth))
    throw new Error('--peers cannot be combined with --compare or --growth.')
  if (values.growth && other) throw new Error('--growth cannot be combined with --compare.')
  const chosen = cases(posts).filter(({ name, grows }) => isChosen(name) && (grows !== undefined || !values.growth))
  const plan: Plan = {
    rounds: Number(values.rounds ?? (other || values.peers ? 16 : values.growth ? 3 : 2)),
    seconds: Number(values.seconds ?? (other ? 0.2 : values.peers ? 0.5 : 1)),
  }
  const sizes = sizesTo(Number(values.rows ?? 1_000_000))
  const rows = values.growth ? (sizes[0] ?? 0) : Number(values.rows ?? 10_000)
  const data = dataOf(values.answers ? cases(posts) : chosen)
  if (!other && !values.growth && (isChosen('centroid') || isChosen('fanout')))
    data.unshift(...['posts', 'vectors'].filter((name) => !data.includes(name)))
  const now = new Date().toISOString()
  if (values.replicas !== undefined) {
    if (other || values.growth) throw new Error('--replicas cannot be combined with --compare or --growth.')
    const counts = values.replicas.split(',').map(Number)
    const { pin: pinned, pgbouncer } = values
    return replicas({ root: join(import.meta.dirname, '../..'), posts, rows, now, plan, counts, pinned, pgbouncer })
  }
  if (values.pin || values.pgbouncer) throw new Error('--pin and --pgbouncer need --replicas.')
  if (values.peers) return peers(join(import.meta.dirname, '../..'), posts, plan, now, isChosen)
  const roots = { this: join(import.meta.dirname, '../..'), ...(other && { other }) }
  const starts = Object.entries(roots).map(([name, root]) =>
    startSide({
      ...{ name, root, posts, data, rows, now, inline: values.inline, counted: values.answers },
      statements: values.growth,
    }),
  )
  const ready = await Promise.allSettled(starts)
  const sides = ready.flatMap((start) => (start.status === 'fulfilled' ? start.value : []))
  try {
    for (const start of ready) if (start.status === 'rejected') throw start.reason
    if (values.answers) {
      if (!(await compareAnswers(sides, Object.values(roots), posts, now))) process.exitCode = 1
      return
    }
    await Promise.all(sides.map((side) => warm(side, chosen)))
    const all = await startMeters(sides)
    const length = values.growth ? `${REQUESTS} requests` : `${plan.seconds} s`
    say(
      `${posts} posts, ${CLIENTS} clients or as the case says, ${plan.rounds} rounds of ${length}, ${availableParallelism()} cores`,
    )
    for (const { side, idle } of all) say(`the idle worker of ${side.name} takes ${figure(idle * 100, 1)} % of a core`)
    say('')
    try {
      if (values.growth && all[0]) {
        if (!(await growth(all[0], chosen, sizes, plan.rounds))) process.exitCode = 1
        return
      }
      await (other ? compare : ratios)(all, chosen, plan)
      if (!other && all[0]) await others(all[0])
    } finally {
      for (const { meter } of all) meter.stop()
    }
  } finally {
    await Promise.all(sides.map((side) => side.stop()))
  }
}

/** Gives the first case the same conditions as the last: tables that are not empty, and compiled code. */
async function warm(side: Side, chosen: Case[]): Promise<void> {
  const { url, superuser } = side
  for (const one of cases(posts)) if (one.name === 'me') await overHttp(url, one, 0, even(2000))
  for (const one of chosen) {
    // Tables that are empty when a connection plans its statements are scanned until the next analyze, however they
    // grow
    if (one.method !== 'GET' && one.statement) await overHttp(url, one, 1_000_000, even(one.requests ?? 96))
  }
  await caughtUp(side) // without this, the worker would seem busy when it has nothing to do
  await superuser.unsafe('vacuum analyze')
  // without this, the first writes would include the cost of writing the pages that loading the data has changed
  await superuser.unsafe('checkpoint')
}

if (values.help) process.stdout.write(help)
else
  await main().catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : error}\n`)
    process.exitCode = 1
  })
