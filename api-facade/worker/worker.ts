// The worker: pg-boss on its schema, with one queue per job. It only schedules; the jobs are in SQL. Any number of
// workers can run: a queue runs one job at a time, and every job can safely run twice. docs/decisions.md, Jobs.

import { setTimeout as sleep } from 'node:timers/promises'
import { PgBoss } from 'pg-boss'
import { createAuditKey } from '../lib/audit-key.ts'
import { type Config, secretsOf } from '../lib/config.ts'
import { loginPassword, loginSecretOf } from '../lib/database.ts'
import { openFunctions } from '../lib/functions.ts'
import { reach } from '../lib/hosts.ts'
import { createLog, type Log, openTracing } from '../lib/log.ts'
import { createSeals } from '../lib/seals.ts'
import { takeBackups } from './backups.ts'
import { takeBatches } from './batches.ts'
import { takeCheckpoints } from './checkpoints.ts'
import { type DigestOptions, takeDigests } from './digest.ts'
import { type EffectLoop, startEffects } from './effects.ts'
import { type Embedder, openEmbedder } from './embedders.ts'
import { takeEmbeddings } from './embeddings.ts'
import { CONNECTIONS, functionOf, type Job, listWork } from './jobs.ts'
import { takeMail } from './mail.ts'
import { takeObjects } from './objects.ts'
import { HEARTBEAT, type Polling, startPolling } from './polling.ts'
import { takePushes } from './push.ts'
import { type Db, note, type Reports, told } from './record.ts'
import { startWebhooks, type WebhookLoop } from './webhooks.ts'

type WorkerOptions = {
  config: Config
  databaseUrl: string
  /** The secret that signs links and tokens; by default the configured one. */
  jwtSecret?: string
  log?: Log
  /** Seconds between two polls of the queues. */
  pollSeconds?: number
}
export type Worker = {
  /** Puts a job on its queue now, unless it is already there. */
  send(name: string): Promise<void>
  /** Signals that this process has written something, so that effects may be pending. */
  wake(): void
  /** Takes no more jobs. Resolves when the running ones are done, at the latest after ten seconds. */
  stop(): Promise<void>
}

/** The queue of jobs that failed permanently (private.failed_jobs in the schema). No worker takes jobs from it. */
export const DEAD_LETTERS = 'dead-letters'
const GRACE = 10_000

/** A job is tried again after about 5, 10 and 20 seconds. Then it fails permanently, and its schedule continues. */
const settings = {
  deadLetter: DEAD_LETTERS,
  retryLimit: 3,
  retryDelay: 5,
  retryBackoff: true,
  retentionSeconds: 86_400,
  deleteAfterSeconds: 86_400,
  ...HEARTBEAT,
} as const

/** @throws Error if the database cannot be reached, or has the schema of another version of pg-boss */
export async function startWorker({ config, databaseUrl, pollSeconds = 1, ...given }: WorkerOptions): Promise<Worker> {
  const secret = given.jwtSecret ?? config.jwtSecret
  if (!secret) throw new Error('A worker needs JWT_SECRET.')
  const log = given.log ?? createLog(config)
  const reports: Reports = { log, tracing: openTracing(config, log) }
  const { url, stream } = reach(databaseUrl)
  const boss = new PgBoss({
    connectionString: workerUrl(url, await loginSecretOf(config, databaseUrl)),
    ...(stream && { stream }),
    application_name: 'kith_worker',
    max: CONNECTIONS,
    schema: 'pgboss',
    migrate: false, // The schema is part of the baseline, and the worker's role cannot create it.
    createSchema: false,
    reindex: false,
    monitorVacuum: false,
    cronWorkerIntervalSeconds: Math.ceil(5 * pollSeconds), // Scheduled jobs wait for pg-boss's own poll.
  })
  // Its connections close shortly after it has stopped. The database may stop at the same time.
  let stopped = false
  boss.on('error', (failure) => {
    if (!stopped) log.error({ failure }, 'the worker has an error')
  })
  boss.on('warning', ({ message }) => log.warn({ message }, 'the worker has a warning'))
  await boss.start()
  const polling = startPolling(boss, pollSeconds, log)
  let effects: EffectLoop | undefined
  let webhooks: WebhookLoop | undefined
  let embedder: Embedder | undefined
  const stop = async () => {
    await Promise.race([
      Promise.all([polling.stop(), effects?.stop(), webhooks?.stop()]),
      sleep(GRACE, undefined, { ref: false }),
    ])
    await boss.stop({ graceful: true, timeout: GRACE })
    stopped = true
    await embedder?.stop()
    await reports.tracing.flush()
  }
  try {
    const { jobs, queues } = await listWork(boss.getDb())
    const more = { deadLetter: DEAD_LETTERS, polling }
    await Promise.all(jobs.map((job) => take(boss, job, reports, polling)))
    await takeBatches(boss, queues, { ...reports, polling })
    const options = outwardOptions(config, secret, reports)
    await takeMail(boss, options, more)
    await takePushes(boss, options, more)
    await takeDigests(boss, options, more)
    await takeObjects(boss, options, polling)
    await takeCheckpoints(boss, { key: createAuditKey(config, secret), ...reports, polling })
    if (config.backup) await takeBackups(boss, { ...reports, ...more })
    embedder = openEmbedder(config, options.functions)
    await takeEmbeddings(boss, { embedder, ...reports }, more)
    effects = startEffects(boss.getDb(), log)
    webhooks = startWebhooks(boss.getDb(), options)
  } catch (error) {
    await stop()
    throw error
  }
  const send = async (name: string) => {
    await boss.send(name)
  }
  return { send, wake: () => effects?.wake(), stop }
}

/** The options of mail, pushes and digests. */
function outwardOptions(config: Config, jwtSecret: string, reports: Reports): DigestOptions {
  const functions = openFunctions({ config, jwtSecret, ...reports })
  const { publicUrl, facadeUrl } = config
  return { seals: createSeals(secretsOf(config, jwtSecret)), functions, publicUrl, facadeUrl, ...reports }
}

/** The owner's connection string for the worker's role. `sslmode` has the same meaning as for the facade's pools. */
function workerUrl(databaseUrl: string, loginSecret: string): string {
  const url = new URL(databaseUrl)
  url.username = 'kith_worker'
  url.password = loginPassword(loginSecret, url.username)
  if (url.searchParams.has('sslmode')) url.searchParams.set('uselibpqcompat', 'true')
  return url.href
}

async function take(boss: PgBoss, job: Job, reports: Reports, polling: Polling): Promise<void> {
  const { name, cron, expires } = job
  const options = { ...settings, expireInSeconds: expires }
  // A queue has at most one job, waiting or running, across all workers.
  await boss.createQueue(name, { policy: 'exclusive', ...options })
  await boss.updateQueue(name, options) // The queue may exist with the options of an older release.
  await boss.schedule(name, cron, null, { missed: 'once' }) // A missed nightly job runs late.
  await polling.work(name, {}, () => run(boss.getDb(), job, reports))
}

/** Runs a job and records its result. */
async function run(db: Db, { name, alarm, repeats, expires }: Job, reports: Reports): Promise<void> {
  const { log } = reports
  const work = () => (repeats ? callUntilDone(db, name, Date.now() + expires * 500) : call(db, name))
  const changed = await told(db, name, reports, work)
  const wrong = alarm !== null && changed > 0
  if (wrong) log.error({ job: name, changed }, alarm)
  else if (changed > 0) log.debug({ job: name, changed }, 'a job is done')
  await note(db, name, changed, wrong)
}

async function call(db: Db, name: string): Promise<number> {
  const { rows } = await db.executeSql(`select ${functionOf(name)}() as changed`)
  return (rows as { changed: number }[])[0]?.changed ?? 0
}

/**
 * Runs pieces, each in a separate transaction. The next run does what is left at `end`.
 * @throws Error if some failed
 */
async function callUntilDone(db: Db, name: string, end: number): Promise<number> {
  let changed = 0
  let failed = 0
  for (;;) {
    const more = await call(db, name)
    if (more < 0) failed++
    else changed += more
    if (more === 0 || Date.now() > end) break
  }
  if (failed > 0) throw new Error(`${failed} failed and ${changed} did not: the database's log says why`)
  return changed
}
