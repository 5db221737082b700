// The metrics of the process at /metrics, in Prometheus' text format. The path is outside /api/v1 and not in
// openapi.json. Runs of jobs and the depth of queues come from the database, so every facade reports all workers.
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Hono } from 'hono'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Context, Env } from './context.ts'
import type { PoolName } from './database.ts'
import { ApiError } from './errors.ts'
import { send } from './headers.ts'
import { otherMethods } from './methods.ts'
import type { Readiness } from './ready.ts'
import type { Reason } from './replicas.ts'

const registry = new Registry()
collectDefaultMetrics({ register: registry })

const gauge = <Label extends string = never>(name: string, help: string, labelNames: Label[] = []) =>
  new Gauge({ name: `kith_${name}`, help, labelNames, registers: [registry] })

const counter = (name: string, help: string, labelNames: string[]) =>
  new Counter({ name: `kith_${name}`, help, labelNames, registers: [registry] })

const requests = new Histogram({
  name: 'kith_http_request_duration_seconds',
  help: 'Time to answer, by route as in openapi.json (other: not a route of the API) and status.',
  labelNames: ['route', 'status'],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  registers: [registry],
})

const inviteGuesses = counter(
  'invite_guesses_total',
  'Attempts with invite codes that do not exist (unknown), or that were not checked because of the limit (refused).',
  ['answer'],
)

const reads = counter(
  'reads_total',
  'Reads that a replica could answer, by who answered: `replica <n>`, or `primary` with the reason. Only with replicas.',
  ['place', 'reason'],
)

export const metrics = {
  /** Open sockets of the Realtime gateway, which sets this gauge. */
  sockets: gauge('realtime_sockets', 'Open sockets of the embedded Realtime gateway.'),
  /** Counts a read. */
  read(place: string, reason: Reason | ''): void {
    reads.inc({ place, reason })
  },
  /** Counts an attempt with an invite code that was unknown, or not checked because of a limit. */
  guessed(answer: 'unknown' | 'refused'): void {
    inviteGuesses.inc({ answer })
  },
  /** Counts an answer that took `ms`. */
  observe(c: Context, ms: number): void {
    requests.observe({ route: c.get('route') ?? 'other', status: c.res.status }, ms / 1000)
  },
}

const poolInFlight = gauge('pool_in_flight', 'Statements that are running or waiting for a connection.', ['pool'])
const poolSize = gauge('pool_size', 'The maximum number of connections of a pool.', ['pool'])
const replicaLag = gauge(
  'replica_lag_seconds',
  'How far a replica may be behind the primary, in steps of about 0.1 s; +Inf if it is out.',
  ['replica'],
)
const ready = gauge('ready', 'Whether /ready answers 200.')
const databaseUp = gauge('database_up', 'Whether the database answered this scrape.')
const jobRuns = counter('job_runs_total', 'Runs of a job in all workers.', ['job'])
const jobFailures = counter('job_failures_total', 'Runs of a job that failed, or of an audit that found violations.', [
  'job',
])
const jobChanged = counter('job_changed_rows_total', 'Rows that a job changed.', ['job'])
const jobLastChanged = gauge(
  'job_last_changed_rows',
  'Rows that the last completed run of a job changed; for an audit (audit-mana, check-audience) the number of violations.',
  ['job'],
)
const jobLastRun = gauge('job_last_run_timestamp_seconds', 'When a job last ran.', ['job'])
const jobLastFailure = gauge('job_last_failure_timestamp_seconds', 'When a job last failed.', ['job'])
const queueDepth = gauge('queue_depth', 'Jobs in a queue by state; dead-letters has the permanent failures.', [
  'queue',
  'state',
])
const effectsDepth = gauge('effects_depth', 'Pending effects, counted up to 100,000.')
const effectsLag = gauge('effects_lag_seconds', 'The age of the oldest pending effect.')
const effectsStuck = gauge(
  'effects_stuck_people',
  'People with an effect that could not be applied: private.stuck_effects.',
)

const backupVerified = gauge(
  'backup_verified_timestamp_seconds',
  'The moment until which the last verified backup can be restored; 0 if there is none.',
)

type Recorded = {
  runs: {
    job: string
    runs: number
    failures: number
    changed: number
    lastChanged: number
    lastRun: number
    lastFailure: number | null
  }[]
  queues: { queue: string; state: string; depth: number }[]
  effects: { depth: number; lag: number; stuck: number }
  verifiedBackup: number | null
}

async function readJobs(c: Context): Promise<void> {
  const { gate } = c.get('services').pools
  const [row] = await gate.run((sql) => sql<{ text: string }[]>`select private.job_metrics()::text as text`)
  const { runs, queues, effects, verifiedBackup } = JSON.parse(row?.text ?? '') as Recorded
  for (const counted of [jobRuns, jobFailures, jobChanged]) counted.reset() // The database has the totals.
  for (const { job, ...record } of runs) {
    jobRuns.inc({ job }, record.runs)
    jobFailures.inc({ job }, record.failures)
    jobChanged.inc({ job }, record.changed)
    jobLastChanged.set({ job }, record.lastChanged)
    jobLastRun.set({ job }, record.lastRun)
    if (record.lastFailure !== null) jobLastFailure.set({ job }, record.lastFailure)
  }
  for (const { queue, state, depth } of queues) queueDepth.set({ queue, state }, depth)
  effectsDepth.set(effects.depth)
  effectsLag.set(effects.lag)
  effectsStuck.set(effects.stuck)
  backupVerified.set(verifiedBackup ?? 0)
}

/** The text of a scrape. Without the database it has only the metrics of the process, which are needed most then. */
async function scrape(c: Context, readiness: Readiness): Promise<string> {
  const { config, log, pools, replicas } = c.get('services')
  for (const [pool, size] of Object.entries(config.poolSizes)) {
    poolInFlight.set({ pool }, pools[pool as PoolName].inFlight)
    poolSize.set({ pool }, size)
  }
  replicaLag.reset()
  for (const [at, lag] of replicas?.lags().entries() ?? []) replicaLag.set({ replica: at + 1 }, lag)
  const [{ faults }, failure] = await Promise.all([
    readiness(),
    readJobs(c).then(
      () => null,
      (error: unknown) => error,
    ),
  ])
  ready.set(faults.length > 0 ? 0 : 1)
  if (failure) log.warn({ failure }, 'cannot read the metrics of the jobs')
  databaseUp.set(failure ? 0 : 1)
  return registry.metrics()
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/**
 * Who can read metrics: requests with METRICS_TOKEN or, if it is not set, direct requests from this machine. Behind a
 * proxy on this machine every peer is local; a forwarding header or a public Host reveals the proxy. Both headers can
 * only revoke access, never grant it.
 */
function mayLook(c: Context): boolean {
  const { metricsToken } = c.get('services').config
  if (metricsToken) {
    const [, token = ''] = /^Bearer +(\S+) *$/i.exec(c.req.header('authorization') ?? '') ?? []
    return timingSafeEqual(digest(token), digest(metricsToken))
  }
  const peer = c.env?.incoming?.socket.remoteAddress ?? ''
  const forwarded = ['x-forwarded-for', 'x-real-ip', 'forwarded', 'via'].some((name) => c.req.header(name))
  const local = /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/i.test(c.req.header('host') ?? '')
  return /^(::ffff:)?127\.|^::1$/.test(peer) && local && !forwarded
}

/** Serves /metrics. Others get 404, as for an unknown route. */
export function mountMetrics(app: Hono<Env>, readiness: Readiness): void {
  app.get('/metrics', async (c) => {
    if (!mayLook(c)) throw new ApiError('route_unknown')
    return send(c, await scrape(c, readiness), 200, { 'Content-Type': registry.contentType })
  })
  app.all('/metrics', (c) => {
    if (!mayLook(c)) throw new ApiError('route_unknown')
    return otherMethods(['GET'])(c)
  })
}
