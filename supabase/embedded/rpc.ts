// `/rest/v1/rpc/<operation>` of the embedded instance, compatible with PostgREST 16 for the operations of schema `api`.
// Therefore, supabase-js calls the same operations with the same token wherever Kith runs. It leaves out features
// without use for functions that return one JSON value: filters, order, ranges, counts, CSV.
import type { Context, Env, Hono, Next } from 'hono'
import { getPath } from 'hono/utils/url'
import { type Caller, createDoor, type Door } from './rpc/caller.ts'
import { RestError, toRestError } from './rpc/errors.ts'
import { type Arguments, type Statement, statementFor } from './rpc/routine.ts'
import type { Site } from './rpc/site.ts'

type Row = { body: string | null; status: string | null; headers: string | null }

const JSON_TYPE = 'application/json; charset=utf-8'
const REST = '/rest/v1'
// further headers that supabase-js sends
const ALLOWED =
  'Accept-Profile, Apikey, Authorization, Content-Profile, Content-Type, Idempotency-Key, If-None-Match, Prefer, ' +
  'X-Client-Info'

/** Mounts the route before the limits and errors of the API, because the route has those of a Supabase gateway. */
export function mountRpc<E extends Env>(app: Hono<E>, jwtSecrets: readonly string[], site: Site): void {
  const door = createDoor(jwtSecrets, site.claimsOf)
  app.use(`${REST}/*`, async (c: Context, next: Next) => {
    site.note(c, 'route', `${c.req.method} ${REST}`)
    if (site.cors(c)) {
      site.setHeader(c, 'Access-Control-Allow-Headers', ALLOWED)
      return site.send(c, null, 204)
    }
    const over = await site.limit(c)
    if (over) return answerError(c, site, new RestError(429, null, 'API rate limit exceeded', over))
    return next()
  })
  app.on(['GET', 'POST'], `${REST}/rpc/:operation`, (c) => answer(c, site, door))
  app.all(`${REST}/rpc/:operation`, (c) =>
    answerError(c, site, new RestError(405, 'PGRST101', `Cannot use the ${c.req.method} method on RPC`)),
  )
  app.all(`${REST}/*`, (c) =>
    answerError(c, site, new RestError(404, 'PGRST125', 'Invalid path specified in request URL')),
  )
}

async function answer(c: Context, site: Site, door: Door): Promise<Response> {
  site.note(c, 'route', `${c.req.method} ${REST}/rpc`)
  let caller: Caller | undefined
  try {
    caller = await door(c.req)
    if (typeof caller.claims.sub === 'string') site.note(c, 'caller', caller.claims.sub)
    checkMedia(c)
    const statement = await statementFor(site.pools.anon, operationOf(c), await argumentsOf(c, site))
    return reply(c, site, await run(c, site, caller, statement))
  } catch (error) {
    return answerError(c, site, toRestError(error, caller?.pool === 'anon', site), error)
  }
}

/** @throws RestError PGRST106 for another schema than api, PGRST107 for a client that does not accept JSON */
function checkMedia(c: Context): void {
  const schema = c.req.header(isRead(c) ? 'accept-profile' : 'content-profile') ?? 'api'
  const hint = 'Only the following schemas are exposed: api'
  if (schema !== 'api') throw new RestError(406, 'PGRST106', `Invalid schema: ${schema}`, { hint })
  const accepted = (c.req.header('accept') ?? '*/*').split(',').map((type) => type.trim())
  if (accepted.some((type) => /^(\*\/\*|application\/(\*|json|vnd\.pgrst\.(object|array)(\+json)?))(;|$)/.test(type)))
    return
  throw new RestError(406, 'PGRST107', `None of these media types are available: ${accepted.join(', ')}`)
}

const isRead = (c: Context): boolean => c.req.method !== 'POST'

/** The name as it was sent: PostgREST is case-sensitive, while routing uses lower case. */
function operationOf(c: Context): string {
  const name = getPath(c.req.raw).split('/')[4] ?? ''
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

async function argumentsOf(c: Context, site: Site): Promise<Arguments> {
  const query = Object.entries(c.req.query())
  if (isRead(c)) return { names: query.map(([name]) => name), texts: query.map(([, text]) => text) }
  const type = c.req.header('content-type') ?? 'application/json'
  if (!/^application\/json\s*(;|$)/i.test(type))
    throw new RestError(400, 'PGRST102', `Content-Type not acceptable: ${type}`)
  const json = (await site.readBody(c)) || '{}'
  return { names: namesIn(json, site), json }
}

function namesIn(json: string, site: Site): string[] {
  const value = parse(json)
  if (site.isTooDeep(value)) throw new RestError(422, '54001', 'The body is nested too deeply.')
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return Object.keys(value)
  throw new RestError(400, 'PGRST102', 'Empty or invalid json')
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/** Runs a call like PostgREST: claims, headers and the check of the caller, then the function, in one transaction. */
async function run(c: Context, site: Site, { claims, pool }: Caller, statement: Statement): Promise<Row> {
  const { text, values, readOnly } = statement
  const key = c.req.header('idempotency-key')
  const headers = {
    'idempotency-key': key && Buffer.from(key, 'latin1').toString(), // Node reads UTF-8 as Latin-1
    'x-forwarded-for': site.clientAddress(c),
    'if-none-match': c.req.header('if-none-match'),
    traceparent: site.traceparent(),
  }
  const access = readOnly || isRead(c) ? 'read only' : 'read write'
  return site.pools[pool].run((connection) =>
    connection.begin(access, async (sql) => {
      const given = [JSON.stringify(claims), JSON.stringify(headers), operationOf(c)]
      await sql.unsafe('select private.enter($1::text, $2::text, $3::text)', given)
      const [row] = await sql.unsafe<Row[]>(text, values)
      if (!row) throw new Error('A call gave no row')
      return row
    }),
  )
}

/** The operation's JSON, with SQL null as `null`; status and headers if the operation set them. */
function reply(c: Context, site: Site, { body, status, headers }: Row): Response {
  const list: Record<string, string>[] = headers ? JSON.parse(headers) : []
  for (const header of list) for (const [name, value] of Object.entries(header)) site.setHeader(c, name, value)
  const code = Number(status || 200)
  if (code === 204) return site.send(c, null, code)
  return site.send(c, body ?? 'null', code, { 'Content-Type': JSON_TYPE })
}

function answerError(c: Context, site: Site, { status, body, headers }: RestError, cause?: unknown): Response {
  site.note(c, 'code', 'code' in body ? body.code : 'gateway')
  if (status >= 500) site.note(c, 'failure', cause)
  return site.send(c, JSON.stringify(body), status, { ...headers, 'Content-Type': JSON_TYPE })
}
