// Calls the database on behalf of the caller: one operation of schema `api` in one statement. docs/decisions.md,
// Requests; Measured.
import { setTimeout as sleep } from 'node:timers/promises'
import postgres, { type ISql, type Sql } from 'postgres'
import type { z } from 'zod'
import { traceparent } from '../../edge-functions/shared/tracing.ts'
import { operations, readers } from '../generated/operations.ts'
import { clientAddress, keyOf, network } from './client.ts'
import type { Context } from './context.ts'
import type { PoolName } from './database.ts'
import { encode } from './encode.ts'
import { ApiError, apiErrorOf } from './errors.ts'
import { isMatched } from './etags.ts'
import { headerOf, setHeader } from './headers.ts'
import { metrics } from './metrics.ts'
import { isLostConnection, isReadOnly, NoAnswer } from './pool.ts'
import { columnOf, type Place } from './positions.ts'
import type { Reason, Replicas } from './replicas.ts'
import type { Claims } from './tokens.ts'

export type Operation = keyof typeof operations & string
/** The names of an operation's parameters. */
export type Parameter<O extends Operation> = O extends Operation ? keyof (typeof operations)[O] & string : never
export type Parameters<O extends Operation> = { [P in Parameter<O>]?: unknown }

/** The operation's JSON text, unparsed; null for SQL null. `status` is null unless the operation chose one. */
export class Answer {
  readonly body: string | null
  readonly status: number | null

  constructor(body: string | null, status: number | null) {
    this.body = body
    this.status = status
  }
}

type Row = {
  proof: string
  body: string | null
  status: string | null
  headers: string | null
  /** Present only if the statement also returns its WAL position. */
  position?: string | null
}
const reading: ReadonlySet<string> = new Set(readers)
const types: Readonly<Record<string, Readonly<Record<string, string>> | undefined>> = operations

export const parameterNames = (operation: Operation): string[] => Object.keys(types[operation] ?? {})

/**
 * Runs `operation` with the parameters that are not undefined; the others have their SQL defaults.
 * @param pool the pool to use; by default that of the route's row
 * @throws ApiError, or the error of the database, which errors.ts translates
 */
export async function call<O extends Operation>(
  c: Context,
  operation: O,
  parameters: Parameters<O>,
  pool: PoolName = c.get('pool'),
): Promise<Answer> {
  const { replicas } = c.get('services')
  const follows = replicas && c.get('claims') && reading.has(operation)
  const known =
    follows && pool === 'user' && isRead(c) ? await askReplica(c, replicas, operation, parameters) : undefined
  if (known) return answerOf(c, known)
  const text = callText(c, operation, parameters, pool, follows ? 'primary' : undefined)
  return answerOf(c, await runWork(c, pool, (sql, proof) => ask(sql, proof, ...text)))
}

/** The statement of a call, and its values from $2 on. */
function callText(
  c: Context,
  operation: Operation,
  parameters: Readonly<Record<string, unknown>>,
  pool: PoolName,
  place?: Place,
): [string, (string | null)[]] {
  const present = Object.entries(parameters).filter(([, value]) => value !== undefined)
  const names = present.map(([name]) => name)
  const values = present.map(([name, value]) => encode(value, typeOf(operation, name)))
  return [statementOf(operation, names, place), [callerOf(c), headersOf(c, pool), ...values]]
}

/**
 * Runs an edit if what it changes still has a tag of If-Match. The check and the edit see one snapshot. If another edit
 * is committed meanwhile, the transaction fails and is repeated. A caller who may not edit gets the error for that,
 * whatever the tag is.
 * @throws ApiError changed_since
 */
export async function callIfMatched(
  c: Context,
  operation: Operation,
  parameters: Record<string, unknown>,
  original: Operation,
  path: Record<string, unknown>,
): Promise<Answer> {
  const pool = c.get('pool')
  const tags = headerOf(c, 'if-match') ?? ''
  const read = callText(c, original, path, pool)
  const edit = callText(c, operation, parameters, pool)
  const row = await runWork(c, pool, (sql, proof) =>
    sql.begin('isolation level repeatable read', async (transaction) => {
      const before = await ask(transaction, proof, ...read)
      const after = await ask(transaction, proof, ...edit)
      if (!isMatched(tags, before.body ?? 'null')) throw new ApiError('changed_since')
      return after
    }),
  )
  return answerOf(c, row)
}

/** Like `call`, for a handler that uses the answer: parses it with `schema`. */
export async function callFor<O extends Operation, S extends z.ZodType>(
  c: Context,
  operation: O,
  parameters: Parameters<O>,
  schema: S,
  pool?: PoolName,
): Promise<z.output<S>> {
  const { body } = await call(c, operation, parameters, pool)
  return schema.parse(JSON.parse(body ?? 'null'))
}

/**
 * Only checks the caller, before an answer that doesn't query the database: rejects revoked tokens, and tokens without
 * the scope.
 */
export async function checkCaller(c: Context): Promise<void> {
  if (c.get('claims'))
    await run(c, c.get('pool'), 'select $1::text as proof from private.enter($2::text, null, $3::text)', [
      callerOf(c),
      c.get('operation'),
    ])
}

/**
 * A check of the caller that comes before errors about the body: a function of schema `private`, with a constant or a
 * parameter of the path. The operation repeats the check, so a valid request needs no additional call.
 */
export type Gate = { check: `require_${string}`; of?: string; param?: string }

/** Runs a gate. @throws ApiError of the gate, or for a revoked token */
export async function checkGate(c: Context, { check, of, param }: Gate, path: Record<string, unknown>): Promise<void> {
  const given = param === undefined ? of : path[param]
  const list = given === undefined ? '' : '$4::text'
  const values = given === undefined ? [] : [String(given)]
  const text = `select private.${check}(${list}), $1::text as proof from private.enter($2::text, null, $3::text)`
  await run(c, c.get('pool'), text, [callerOf(c), c.get('operation'), ...values])
}

// One text per operation and set of parameters, which keeps the number of prepared statements small.
const statements = new Map<string, string>()

/** @param place the server that runs the statement, if the statement also returns its position */
function statementOf(operation: string, names: readonly string[], place?: Place): string {
  const key = `${operation}(${names.join()})${place ?? ''}`
  const known = statements.get(key)
  if (known) return known
  const list = names.map((name, i) => `${name} => $${i + 4}::text${castTo(typeOf(operation, name))}`)
  // The operation is in the select list and FROM has only `enter`, so that `enter` runs first and can refuse.
  const text = `select api.${operation}(${list.join(', ')})::text as body, $1::text as proof,
    current_setting('response.status', true) as status, current_setting('response.headers', true) as headers${
      place ? `, ${columnOf[place]} as position` : ''
    }
    from private.enter($2::text, $3::text, '${operation}')`
  statements.set(key, text)
  return text
}

const castTo = (type: string): string => (type === 'text' ? '' : `::${type}`)

function typeOf(operation: string, name: string): string {
  const type = types[operation]?.[name]
  if (!type) throw new Error(`Operation ${operation} has no parameter ${name}`)
  return type
}

// The claims of a token are the same object as long as tokens.ts caches it.
const claimTexts = new WeakMap<Claims, string>()

function callerOf(c: Context): string | null {
  const claims = c.get('claims')
  if (!claims) return null
  const known = claimTexts.get(claims)
  if (known) return known
  const text = JSON.stringify(claims)
  claimTexts.set(claims, text)
  return text
}

/**
 * The request headers that SQL reads: Idempotency-Key, If-None-Match, the address for the audit log, and the trace,
 * which jobs and effects keep.
 */
function headersOf(c: Context, pool: PoolName): string | null {
  const key = keyOf(c)
  const address = pool === 'service' && !isRead(c) ? clientAddress(c) : undefined
  const known = isRead(c) ? headerOf(c, 'if-none-match') : undefined
  const trace = isRead(c) ? undefined : traceparent()
  if (key === undefined && address === undefined && known === undefined && trace === undefined) return null
  return JSON.stringify({
    'idempotency-key': key,
    'x-forwarded-for': address,
    'if-none-match': known,
    traceparent: trace,
  })
}

const isRead = (c: Context): boolean => c.req.method === 'GET' || c.req.method === 'HEAD'

/**
 * Runs one statement, and repeats it once if that is safe and may help.
 * @param statement selects `$1::text as proof`; the values begin at $2
 */
const run = (c: Context, pool: PoolName, statement: string, values: (string | null)[]): Promise<Row> =>
  runWork(c, pool, (sql, proof) => ask(sql, proof, statement, values), true)

async function ask(sql: ISql, proof: string, statement: string, values: (string | null)[]): Promise<Row> {
  const [row] = await sql.unsafe<Row[]>(statement, [proof, ...values], { prepare: true })
  if (!row) throw new Error('private.enter gave no row')
  if (row.proof !== proof) throw new NoAnswer('the database answered another request')
  return row
}

/**
 * Runs work on a connection to the primary, and repeats it once if that is safe and may help.
 * @param isCheck whether the work only checks the caller, so that the person sees no data (replicas.ts)
 */
async function runWork(
  c: Context,
  pool: PoolName,
  work: (sql: Sql, proof: string) => Promise<Row>,
  isCheck = false,
): Promise<Row> {
  const { pools, replicas } = c.get('services')
  const person = c.get('claims')?.sub
  const who = person ?? network(clientAddress(c))
  const send = () => {
    const proof = String(++asked)
    return pools[pool].run(
      (sql) =>
        replicas && person !== undefined
          ? replicas.follow(
              person,
              sql,
              () => work(sql, proof),
              isCheck,
              () => carryPosition(c),
            )
          : work(sql, proof),
      { who },
    )
  }
  return inTurn(who, send).catch((error: unknown) => {
    if (isRepeatable(c, error)) return send()
    throw error
  })
}

/** Sends the client the WAL position that the person has seen, for the next request, which may go to another facade. */
export function carryPosition(c: Context): void {
  const person = c.get('claims')?.sub
  const position = person === undefined ? undefined : c.get('services').replicas?.carry(person)
  if (position !== undefined) setHeader(c, 'X-Read-Position', position)
}

/**
 * The answer of a replica; undefined if the primary has to answer. A request that a replica refuses is repeated on the
 * primary, whose state is newer: it may have a token that the replica lacks. So only the primary refuses.
 */
async function askReplica(
  c: Context,
  replicas: Replicas,
  operation: Operation,
  parameters: Readonly<Record<string, unknown>>,
): Promise<Row | undefined> {
  const person = c.get('claims')?.sub ?? ''
  const chosen = c.get('fresh') ? 'fresh' : await replicas.choose(person, headerOf(c, 'x-read-position'))
  if (typeof chosen === 'string') return countPrimary(c, chosen)
  const text = callText(c, operation, parameters, 'user', 'replica')
  try {
    const row = await chosen.run(person, (sql) => ask(sql, String(++asked), ...text))
    if (Number(row.status) < 400 && chosen.saw(person, row.position)) {
      metrics.read(`replica ${chosen.number}`, '')
      sayPlace(c, `replica ${chosen.number}; lag=${chosen.lag.toFixed(3)}`)
      carryPosition(c)
      return row
    }
  } catch (error) {
    if (error instanceof NoAnswer || isState(error, '57014')) throw error // The caller has waited long enough.
    if (isState(error, '25006')) c.get('services').log.error({ operation, failure: error }, 'a read writes something')
    chosen.failed(error)
  }
  return countPrimary(c, 'repeated')
}

function countPrimary(c: Context, reason: Reason): undefined {
  metrics.read('primary', reason)
  sayPlace(c, `primary; reason=${reason}`)
}

/**
 * Says which server answers a read, if the client asks. In production only staff is told, because the answer shows how
 * many replicas there are.
 */
function sayPlace(c: Context, place: string): void {
  if (headerOf(c, 'x-read-from') === undefined) return
  if (!c.get('services').config.isProduction || c.get('claims')?.role !== 'user') setHeader(c, 'X-Read-From', place)
}

/**
 * The number of the last statement. An answer contains the number of its statement, which proves that no pooler mixed
 * up answers.
 */
let asked = 0

// How long a search waits if too many are running (sql/discovery/49_turns.sql), the pause between two tries (both in
// milliseconds), and how many searches can wait in total and per person.
const PATIENCE = 2000
const PAUSE = 100
const WAITING = 20
const EACH = 2
/** Waiting callers, one entry per statement. */
const waiting: string[] = []

const isState = (error: unknown, code: string): boolean =>
  error instanceof postgres.PostgresError && error.code === code
const isBusy = (error: unknown): boolean => error instanceof postgres.PostgresError && error.message === 'search_busy'
const mayWait = (who: string): boolean =>
  waiting.length < WAITING && waiting.filter((other) => other === who).length < EACH

/** Repeats a statement for a while if too many of its kind are running. No connection is held while waiting. */
async function inTurn<T>(who: string, send: () => Promise<T>): Promise<T> {
  try {
    return await send()
  } catch (error) {
    if (!isBusy(error) || !mayWait(who)) throw error
  }
  waiting.push(who)
  try {
    for (let waited = PAUSE; ; waited += PAUSE) {
      await sleep(PAUSE)
      try {
        return await send()
      } catch (error) {
        if (!isBusy(error) || waited >= PATIENCE) throw error
      }
    }
  } finally {
    waiting.splice(waiting.indexOf(who), 1)
  }
}

// The errors that a repeat can mend: a serialization failure, a deadlock, and a plan, prepared statement or name that a
// migration was changing (a concurrent lookup fails with XX000). In every case the statement was rolled back.
const repeatableCodes = new Set(['40001', '40P01', '0A000', '26000', '42883', '42P01', '42703', 'XX000'])

function isRepeatable(c: Context, error: unknown): boolean {
  if (error instanceof NoAnswer) return false // The caller has waited long enough.
  if (error instanceof postgres.PostgresError && repeatableCodes.has(error.code)) return true
  if (isReadOnly(error)) return true // The next connection is to the primary.
  // After a lost connection it is unknown whether the statement ran, so only idempotent requests are repeated.
  return isLostConnection(error) && (isRead(c) || (c.get('idempotent') && keyOf(c) !== undefined))
}

/**
 * Reads the two settings that PostgREST also reads. A status of 400 or more is an error whose writes are committed.
 */
function answerOf(c: Context, row: Row): Answer {
  if (row.headers) {
    const headers = JSON.parse(row.headers) as Record<string, string>[]
    for (const header of headers) for (const [name, value] of Object.entries(header)) setHeader(c, name, value)
  }
  const status = row.status ? Number(row.status) : null
  if (status !== null && status >= 400) {
    const apiError = JSON.parse(row.body ?? '{}') as { message?: string; details?: string }
    const code = apiError.message ?? 'internal_error'
    throw apiErrorOf(code, status, apiError.details ?? code)
  }
  return new Answer(row.body, status)
}
