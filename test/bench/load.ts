// Three ways to put the same load on the same database: over HTTP, as the facade's statement, and by pgbench. Each
// returns requests per second.
import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import postgres from 'postgres'
import { Client, type Dispatcher } from 'undici'
import { operations } from '../../api-facade/generated/operations.ts'
import { createTokens } from '../../api-facade/lib/tokens.ts'
import { type Case, claims } from './case.ts'
import { jwtSecret, OURS } from './side.ts'

export const CLIENTS = 16

const tokens = await createTokens([jwtSecret])
const signed = new Map<number, Promise<string>>()
/** A token of a person of data.sql. */
export function tokenOf(caller: number): Promise<string> {
  const token = signed.get(caller) ?? tokens.sign(claims(caller))
  signed.set(caller, token)
  return token
}

/** The nearest number that divides evenly among the clients. */
export const even = (amount: number): number => Math.max(1, Math.round(amount / CLIENTS)) * CLIENTS

/**
 * Sends requests one after the other, reads all of each answer and returns the statuses. It uses undici's simplest API,
 * because the CPU that the client uses is missing for the facade and its database.
 */
const inOrder = (client: Client, requests: Dispatcher.DispatchOptions[]): Promise<number[]> =>
  new Promise((settle, fail) => {
    const statuses: number[] = []
    const next = () => {
      const request = requests[statuses.length]
      if (request) client.dispatch(request, handler)
      else settle(statuses)
    }
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: () => {},
      onResponseStart: (_, status) => {
        statuses.push(status)
      },
      onResponseData: () => {},
      onResponseEnd: next,
      onResponseError: (_, error) => fail(error),
    }
    next()
  })

/**
 * Sends the requests with these numbers, each once, and returns how many were answered per second.
 * @throws Error when an answer doesn't have the case's status
 */
export async function overHttp(url: string, one: Case, from: number, amount: number): Promise<number> {
  const known = await one.headers?.(url, tokenOf)
  const requests = await Promise.all(
    Array.from({ length: amount }, async (_, n) => {
      const { caller, path, body } = one.hit(from + n)
      const headers = {
        ...known,
        ...(caller !== undefined && { authorization: `Bearer ${await tokenOf(caller)}` }),
        ...(body && { 'content-type': 'application/json' }),
      }
      return { method: one.method, path: `/api/v1${path}`, headers, body: body ? JSON.stringify(body) : null }
    }),
  )
  const clients = Array.from({ length: one.clients ?? CLIENTS }, () => new Client(url, { pipelining: 1 }))
  // Every client has its own share of the requests, because otherwise all clients would send the same request at the
  // same time
  const part = (at: number) => requests.filter((_, n) => n % clients.length === at)
  const start = performance.now()
  const answered = await Promise.all(clients.map((client, at) => inOrder(client, part(at))))
  const took = performance.now() - start
  await Promise.all(clients.map((client) => client.close()))
  const wrong = answered.flat().filter((status) => (one.status ? status !== one.status : status < 200 || status > 299))
  if (wrong.length > 0)
    throw new Error(`${one.name}: ${wrong.length} of ${amount} were wrong: ${[...new Set(wrong)].join(', ')}`)
  return (amount * 1000) / took
}

const types: Readonly<Record<string, Readonly<Record<string, string>> | undefined>> = operations

/** Statements per second as the facade sends them, without HTTP, and how many there were. */
export async function withoutHttp(
  userUrl: string,
  one: Case,
  from: number,
  seconds: number,
): Promise<{ rate: number; done: number }> {
  if (!one.statement) return { rate: Number.NaN, done: 0 }
  const { operation, parameters: names } = one.statement
  const connection = { application_name: OURS }
  const sql = postgres(userUrl, { max: 10, fetch_types: false, onnotice: () => {}, connection })
  const list = names.map((name, i) => `${name} => $${i + 3}::text::${types[operation]?.[name]}`).join(', ')
  const text = `select api.${operation}(${list})::text as body,
    current_setting('response.status', true) as status, current_setting('response.headers', true) as headers
    from private.enter($1::text, $2::text)`
  const end = performance.now() + seconds * 1000
  let done = 0
  const clients = one.clients ?? CLIENTS
  const client = async (at: number) => {
    for (let n = at; performance.now() < end; n += clients) {
      const { caller = 0, parameters } = one.hit(from + n)
      const values = [JSON.stringify(claims(caller)), null, ...names.map((name) => parameters?.[name] ?? null)]
      await sql.unsafe(text, values, { prepare: true })
      done++
    }
  }
  await Promise.all(Array.from({ length: clients }, (_, at) => client(at)))
  await sql.end()
  return { rate: done / seconds, done: done + clients }
}

export function hasPgbench(): boolean {
  try {
    execFileSync('pgbench', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Transactions per second of pgbench with 8 clients: begin, set the claims, query (prepared) and commit. */
export async function byPgbench(
  userUrl: string,
  { statement, clients: asking }: Case,
  seconds: number,
): Promise<number> {
  if (!statement) return Number.NaN
  const { variables, caller, call } = statement.pgbench
  const folder = mkdtempSync(join(tmpdir(), 'kith-pgbench-'))
  const script = join(folder, 'script.sql')
  const lines = [
    variables,
    'begin;',
    `select set_config('request.jwt.claims', bench.claims(${caller}), true);`,
    `select ${call}::text;`,
    'commit;',
  ]
  writeFileSync(script, `${lines.filter(Boolean).join('\n')}\n`)
  try {
    const [clients, threads] = asking === 1 ? ['1', '1'] : ['8', '2']
    const whole = String(Math.ceil(seconds))
    const options = ['-n', '-M', 'prepared', '-c', clients, '-j', threads, '-T', whole, '-f', script, userUrl]
    const env = { ...process.env, PGAPPNAME: OURS }
    const { stdout } = await promisify(execFile)('pgbench', options, { env })
    return Number(/tps = ([\d.]+) \(without/.exec(stdout)?.[1])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
