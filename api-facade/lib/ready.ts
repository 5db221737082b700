// /ready: whether the instance can take requests. /health only says that the process is running.
// docs/decisions.md, Jobs.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from './config.ts'
import type { Pools } from './database.ts'
import type { Log } from './log.ts'
import { type Books, compare, type Difference } from './migrations.ts'

type Found = Books & { worker: boolean; within: string }
type Options = { config: Config; pools: Pools; log: Log; leaving: AbortSignal }

/** How long a check may take, and how long its result is cached, because /ready has no rate limit. Milliseconds. */
const PATIENCE = 500
const HOLDS = 1000

const noAnswer = 'The database does not answer.'

/** Returns one sentence per fault, none if the instance is ready, and warnings, with which it is still ready. */
export type Readiness = () => Promise<Difference>

export function createReadiness(options: Options): Readiness {
  let last: { at: number; found: Promise<Difference> } | undefined
  let known = ''
  /** The running queries. While one has no answer, its connection is busy, so no new ones are sent. */
  let questions: Question[] | undefined

  const find = async (): Promise<Difference> => {
    questions ??= ask(options)
    const all = questions
    void Promise.all(all.map(({ answer }) => answer)).finally(() => {
      if (questions === all) questions = undefined
    })
    const deadline = sleep(PATIENCE)
    const answers = await Promise.all(
      all.map(({ answer, late }) => Promise.race([answer, deadline.then(() => fault(late))])),
    )
    const found = {
      faults: [...new Set(answers.flatMap(({ faults }) => faults))],
      warnings: answers.flatMap(({ warnings }) => warnings),
    }
    const faults = found.faults.join(' ')
    if (faults !== known && faults) options.log.warn({ faults: found.faults }, 'not ready')
    if (faults !== known && !faults) options.log.info('ready again')
    known = faults
    return found
  }
  return async () => {
    if (options.leaving.aborted) return fault('This facade is about to stop.')
    if (!last || performance.now() - last.at > HOLDS) last = { at: performance.now(), found: find() }
    return last.found
  }
}

/** `answer` never rejects. `late` is the fault if the answer takes too long. */
type Question = { answer: Promise<Difference>; late: string }

function ask({ config, pools }: Options): Question[] {
  const { gate, anon, user, service } = pools
  const connected = Object.entries({ anon, user, service }).map(([name, pool]): Question => {
    const late = `There is no free connection in the pool ${name}.`
    const run = pool.run((sql) => sql`select`, { patience: PATIENCE - 100 })
    const answer = run.then(
      () => fault(),
      () => fault(late),
    )
    return { answer, late }
  })
  const admitted = Object.entries({ anon, gate, user, service }).map(
    ([name, pool]): Question => ({
      answer: pool.admits().then((yes) => (yes ? fault() : fault(`The database refuses the login kith_${name}.`))),
      late: noAnswer,
    }),
  )
  const seen = gate
    .run((sql) => sql<{ text: string }[]>`select private.readiness()::text as text`)
    .then(
      ([row]) => judge(JSON.parse(row?.text ?? ''), config),
      () => fault(noAnswer),
    )
  const written = gate
    .run((sql) => sql<{ text: string }[]>`select private.try_writing()::text as text`)
    .then(
      ([row]) => fault(...(JSON.parse(row?.text ?? '') as string[]).map((table) => `The table ${table} is locked.`)),
      (failure: unknown) => fault(cannotWrite(failure)),
    )
  return [
    { answer: seen, late: noAnswer },
    { answer: written, late: 'The database does not write within half a second.' },
    ...connected,
    ...admitted,
  ]
}

const fault = (...faults: string[]): Difference => ({ faults, warnings: [] })

/** Why nothing can be written, by SQLSTATE. */
function cannotWrite(failure: unknown): string {
  const code = failure instanceof Error && 'code' in failure ? String(failure.code) : ''
  if (/^53[14]/.test(code)) return `The database has no space left to write (${code}).`
  if (code === '25006') return `The database can only be read (${code}).`
  if (code === '53300') return `The database has no free connection (${code}).`
  return noAnswer
}

/** A separate worker that is down is only a warning: the facades can answer without it, so they stay in service. */
function judge({ worker, within, ...books }: Found, config: Config): Difference {
  const { faults, warnings } = compare(books)
  const missing = worker ? [] : [`No worker has been seen for ${within}.`]
  if (config.worker === 'off') return { faults, warnings: [...warnings, ...missing] }
  return { faults: [...faults, ...missing], warnings }
}
