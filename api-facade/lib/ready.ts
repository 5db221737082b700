// /ready: whether the instance can take requests. /health only says that the process is running.
// docs/decisions.md, Jobs.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from './config.ts'
import type { Pools } from './database.ts'
import type { Log } from './log.ts'
import { type Books, compare, type Difference } from './migrations.ts'

type Found = Books & { worker: boolean; within: string }
type Options = { config: Config; pools: Pools; log: Log }

/** How long one look takes at most, and how long a result is cached, because /ready has no limit. Milliseconds. */
const PATIENCE = 500
const HOLDS = 1000

const noAnswer = 'The database does not answer.'

/** Gives one sentence per fault, none if ready; and warnings, with which it is still ready. */
export type Readiness = () => Promise<Difference>

export function createReadiness(options: Options): Readiness {
  let last: { at: number; found: Promise<Difference> } | undefined
  let known = ''
  /** The connections of a look that is late are still taken: there is no second one until they are free. */
  let looking: Promise<Difference> | undefined

  const find = async (): Promise<Difference> => {
    looking ??= look(options).finally(() => {
      looking = undefined
    })
    const found = await Promise.race([looking, sleep(PATIENCE, { faults: [noAnswer], warnings: [] })])
    const faults = found.faults.join(' ')
    if (faults !== known && faults) options.log.warn({ faults: found.faults }, 'not ready')
    if (faults !== known && !faults) options.log.info('ready again')
    known = faults
    return found
  }
  return () => {
    if (!last || performance.now() - last.at > HOLDS) last = { at: performance.now(), found: find() }
    return last.found
  }
}

async function look({ config, pools }: Options): Promise<Difference> {
  const { gate, anon, user, service } = pools
  const connected = Object.entries({ anon, user, service }).map(async ([name, pool]) => {
    const failed = await pool
      .run((sql) => sql`select`, { patience: PATIENCE - 100 })
      .then(
        () => false,
        () => true,
      )
    return failed ? [`There is no free connection in the pool ${name}.`] : []
  })
  const admitted = Object.entries({ anon, gate, user, service }).map(async ([name, pool]) =>
    (await pool.admits()) ? [] : [`The database refuses the login kith_${name}.`],
  )
  const [seen, written, ...faults] = await Promise.all([
    gate
      .run((sql) => sql<{ text: string }[]>`select private.readiness()::text as text`)
      .then(
        ([row]) => judge(JSON.parse(row?.text ?? ''), config),
        () => ({ faults: [noAnswer], warnings: [] }),
      ),
    gate
      .run((sql) => sql<{ text: string }[]>`select private.try_writing()::text as text`)
      .then(
        ([row]) => (JSON.parse(row?.text ?? '') as string[]).map((table) => `The table ${table} is locked.`),
        (failure: unknown) => [cannotWrite(failure)],
      ),
    ...connected,
    ...admitted,
  ])
  return { ...seen, faults: [...new Set([...seen.faults, ...written, ...faults.flat()])] }
}

/** Why nothing can be written, by SQLSTATE. */
function cannotWrite(failure: unknown): string {
  const code = failure instanceof Error && 'code' in failure ? String(failure.code) : ''
  if (/^53[14]/.test(code)) return `The database has no space left to write (${code}).`
  if (code === '25006') return `The database can only be read (${code}).`
  if (code === '53300') return `The database has no free connection (${code}).`
  return noAnswer
}

/** A separate worker that is gone must not take the facades out as well: they still answer without it. */
function judge({ worker, within, ...books }: Found, config: Config): Difference {
  const { faults, warnings } = compare(books)
  const missing = worker ? [] : [`No worker has been seen for ${within}.`]
  if (config.worker === 'off') return { faults, warnings: [...warnings, ...missing] }
  return { faults: [...faults, ...missing], warnings }
}
