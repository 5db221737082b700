// The one way into the database: an operation of schema `api`, as one statement, in the name of the caller.
// docs/decisions.md, Requests; Measured.
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import type { z } from 'zod'
import { operations } from '../generated/operations.ts'
import { clientAddress, keyOf, network } from './client.ts'
import type { Context } from './context.ts'
import type { PoolName } from './database.ts'
import { encode } from './encode.ts'
import { apiErrorOf } from './errors.ts'
import { headerOf, setHeader } from './headers.ts'
import { isLostConnection, NoAnswer } from './pool.ts'
import type { Claims } from './tokens.ts'

export type Operation = keyof typeof operations & string
/** The names of an operation's parameters. */
export type Parameter<O extends Operation> = O extends Operation ? keyof (typeof operations)[O] & string : never
export type Parameters<O extends Operation> = { [P in Parameter<O>]?: unknown }

/** The operation's JSON text as it came, null for SQL null; a status only where the operation chose one itself. */
export class Answer {
  readonly body: string | null
  readonly status: number | null

  constructor(body: string | null, status: number | null) {
    this.body = body
    this.status = status
  }
}

type Row = { proof: string; body: string | null; status: string | null; headers: string | null }
const types: Readonly<Record<string, Readonly<Record<string, string>> | undefined>> = operations

export const parameterNames = (operation: Operation): string[] => Object.keys(types[operation] ?? {})

/**
 * Runs `operation` with those of its parameters that are not undefined; the SQL default holds for the others.
 * @param pool another pool than that of the route's row
 * @throws ApiError, or the database's own error, for errors.ts to name
 */
export async function call<O extends Operation>(
  c: Context,
  operation: O,
  parameters: Parameters<O>,
  pool: PoolName = c.get('pool'),
): Promise<Answer> {
  const present = Object.entries(parameters).filter(([, value]) => value !== undefined)
  const statement = statementOf(
    operation,
    present.map(([name]) => name),
  )
  const values = present.map(([name, value]) => encode(value, typeOf(operation, name)))
  const row = await run(c, pool, statement, [callerOf(c), headersOf(c, pool), ...values])
  return answerOf(c, row)
}

/** The same for a handler that goes on with the answer: parsed by `schema`, which is the operation's promise. */
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

/** Only the door: refuses a dead token before an answer that would not ask the database. */
export async function checkCaller(c: Context): Promise<void> {
  if (c.get('claims'))
    await run(c, c.get('pool'), 'select $1::text as proof from private.enter($2::text)', [callerOf(c)])
}

/**
 * What must hold of the caller before anything is said of the body: a check of schema `private`, with a word or with a
 * parameter of the path. The operation checks it too, so a good request needs no call more.
 */
export type Gate = { check: `require_${string}`; of?: string; param?: string }

/** Asks a gate, at the door. @throws ApiError of the gate, or where the token is dead */
export async function checkGate(c: Context, { check, of, param }: Gate, path: Record<string, unknown>): Promise<void> {
  const given = param === undefined ? of : path[param]
  const list = given === undefined ? '' : '$3::text'
  const values = given === undefined ? [] : [String(given)]
  const text = `select private.${check}(${list}), $1::text as proof from private.enter($2::text)`
  await run(c, c.get('pool'), text, [callerOf(c), ...values])
}

// One text a operation and set of parameters: as few prepared statements as there are ways to call.
const statements = new Map<string, string>()

function statementOf(operation: string, names: readonly string[]): string {
  const key = `${operation}(${names.join()})`
  const known = statements.get(key)
  if (known) return known
  const list = names.map((name, i) => `${name} => $${i + 4}::text${castTo(typeOf(operation, name))}`)
  // The operation in the select list, and nothing beside enter in FROM: its row comes first, and it may refuse.
  const text = `select api.${operation}(${list.join(', ')})::text as body, $1::text as proof,
    current_setting('response.status', true) as status, current_setting('response.headers', true) as headers
    from private.enter($2::text, $3::text)`
  statements.set(key, text)
  return text
}

const castTo = (type: string): string => (type === 'text' ? '' : `::${type}`)

function typeOf(operation: string, name: string): string {
  const type = types[operation]?.[name]
  if (!type) throw new Error(`Operation ${operation} has no parameter ${name}`)
  return type
}

// The claims of a token are one object for as long as tokens.ts remembers it.
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

/** What SQL reads of the request's headers: a repeat's key, what a cache has, and for the audit log the address. */
function headersOf(c: Context, pool: PoolName): string | null {
  const key = keyOf(c)
  const address = pool === 'service' && !isRead(c) ? clientAddress(c) : undefined
  const known = isRead(c) ? headerOf(c, 'if-none-match') : undefined
  if (key === undefined && address === undefined && known === undefined) return null
  return JSON.stringify({ 'idempotency-key': key, 'x-forwarded-for': address, 'if-none-match': known })
}

const isRead = (c: Context): boolean => c.req.method === 'GET' || c.req.method === 'HEAD'

/**
 * One statement, and once more where repeating it is safe and may help.
 * @param statement selects `$1::text as proof`; the values begin at $2
 */
async function run(c: Context, pool: PoolName, statement: string, values: (string | null)[]): Promise<Row> {
  const who = c.get('claims')?.sub ?? network(clientAddress(c))
  const send = async () => {
    const proof = String(++asked)
    const [row] = await c.get('services').pools[pool].run(
      async (sql) => {
        const rows = await sql.unsafe<Row[]>(statement, [proof, ...values], { prepare: true })
        if (rows[0] && rows[0].proof !== proof) throw new NoAnswer('the database answered another request')
        return rows
      },
      { who },
    )
    if (!row) throw new Error('private.enter gave no row')
    return row
  }
  return inTurn(who, send).catch((error: unknown) => {
    if (isRepeatable(c, error)) return send()
    throw error
  })
}

/** The number of a statement comes back with its answer, which proves that no pooler in between mixed up two. */
let asked = 0

// How long a statement waits for its turn (sql/discovery/49_turns.sql), how often it asks, and how many may wait, in all
// and of one person, who has as many turns. Milliseconds.
const PATIENCE = 2000
const PAUSE = 100
const WAITING = 20
const EACH = 2
/** Who waits, by name for each statement. */
const waiting: string[] = []

const isBusy = (error: unknown): boolean => error instanceof postgres.PostgresError && error.message === 'search_busy'
const mayWait = (who: string): boolean =>
  waiting.length < WAITING && waiting.filter((other) => other === who).length < EACH

/** Sends it again for a while where too many of its kind run. Nobody has a connection while they wait. */
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

// Serialization failure and deadlock; a plan or prepared statement that a migration made stale, or a name that it was just
// moving (XX000 is how a lookup in mid-change fails). Whatever it was, the statement was undone.
const repeatableCodes = new Set(['40001', '40P01', '0A000', '26000', '42883', '42P01', '42703', 'XX000'])

function isRepeatable(c: Context, error: unknown): boolean {
  if (error instanceof NoAnswer) return false // the caller has waited long enough
  if (error instanceof postgres.PostgresError && repeatableCodes.has(error.code)) return true
  // after a lost connection nobody knows whether the statement ran: only what may run twice is sent again
  return isLostConnection(error) && (isRead(c) || (c.get('idempotent') && keyOf(c) !== undefined))
}

/** Reads the two settings that PostgREST reads as well: a status of 400 or more is an error that keeps its writes. */
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
