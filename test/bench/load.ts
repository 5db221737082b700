// Three ways to put the same load on the same database: over HTTP, as the facade's statement, and by pgbench.
// Each gives what it did in a second.
import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import autocannon from 'autocannon'
import postgres from 'postgres'
import { createTokens } from '../../api-facade/lib/tokens.ts'
import { type Case, claims } from './cases.ts'

export type Target = { url: string; userUrl: string; jwtSecret: string }

export const CLIENTS = 16
const REQUESTS = 4000
/** Where the numbers of the next run begin: no two runs ask for the same. */
let first = 0

/** Requests a second over HTTP. @throws Error when an answer is no success */
export async function overHttp({ url, jwtSecret }: Target, one: Case, seconds: number): Promise<number> {
  const tokens = await createTokens([jwtSecret])
  const signed = new Map<number, Promise<string>>()
  const tokenOf = (caller: number) => {
    const token = signed.get(caller) ?? tokens.sign(claims(caller))
    signed.set(caller, token)
    return token
  }
  const requests = await Promise.all(
    Array.from({ length: REQUESTS }, async (_, n) => {
      const { caller, path, body } = one.hit(first + n)
      return {
        method: one.method,
        path: `/api/v1${path}`,
        headers: {
          authorization: `Bearer ${await tokenOf(caller)}`,
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
      }
    }),
  )
  first += REQUESTS
  const perClient = Math.floor(REQUESTS / CLIENTS)
  let client = 0
  const result = await autocannon({
    url,
    connections: CLIENTS,
    duration: seconds,
    requests,
    // every client its own part of the requests: else all of them ask for the same at the same time
    setupClient: (it) => {
      const start = (client++ % CLIENTS) * perClient
      it.setRequests(requests.slice(start, start + perClient))
    },
  })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${one.name}: ${result.non2xx + result.errors} requests failed`)
  return result['2xx'] / result.duration
}

/** Statements a second as the facade sends them, without HTTP. */
export async function withoutHttp({ userUrl }: Target, one: Case, seconds: number): Promise<number> {
  const sql = postgres(userUrl, { max: 10, fetch_types: false, onnotice: () => {} })
  const list = one.parameters.map((name, i) => `${name} => $${i + 3}::text::${typeOf(name)}`).join(', ')
  const text = `select api.${one.operation}(${list})::text as body,
    current_setting('response.status', true) as status, current_setting('response.headers', true) as headers
    from private.enter($1::text, $2::text)`
  const end = performance.now() + seconds * 1000
  let done = 0
  const start = first
  const client = async (at: number) => {
    for (let n = at; performance.now() < end; n += CLIENTS) {
      const { caller, parameters } = one.hit(start + n)
      await sql.unsafe(
        text,
        [JSON.stringify(claims(caller)), null, ...one.parameters.map((p) => parameters[p] ?? null)],
        {
          prepare: true,
        },
      )
      done++
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, (_, at) => client(at)))
  first += done + CLIENTS
  await sql.end()
  return done / seconds
}

/** Requests a second of one request that needs neither person nor data, such as a login. */
export async function plainHttp(
  url: string,
  request: autocannon.Request,
  status: number,
  seconds: number,
): Promise<number> {
  const result = await autocannon({ url, connections: CLIENTS, duration: seconds, requests: [request] })
  const answered = result.statusCodeStats?.[`${status}`]?.count ?? 0
  if (answered < result.requests.total) throw new Error(`${request.path}: not every answer was ${status}`)
  return answered / result.duration
}

const typeOf = (parameter: string) => ({ p_id: 'uuid', p_tier: 'integer' })[parameter] ?? 'text'

export function hasPgbench(): boolean {
  try {
    execFileSync('pgbench', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Transactions a second of pgbench: begin, set the claims, query, commit; prepared, 8 clients. */
export async function byPgbench({ userUrl }: Target, { pgbench }: Case, seconds: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'kith-pgbench-'))
  const script = join(folder, 'script.sql')
  const lines = [
    pgbench.variables,
    'begin;',
    `select set_config('request.jwt.claims', bench.claims(${pgbench.caller}), true);`,
    `select ${pgbench.call}::text;`,
    'commit;',
  ]
  writeFileSync(script, `${lines.filter(Boolean).join('\n')}\n`)
  try {
    const options = ['-n', '-M', 'prepared', '-c', '8', '-j', '2', '-T', String(seconds), '-f', script, userUrl]
    const { stdout } = await promisify(execFile)('pgbench', options)
    return Number(/tps = ([\d.]+) \(without/.exec(stdout)?.[1])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
