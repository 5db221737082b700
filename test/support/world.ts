// An instance with people, who are registered through the API: code, reservation, registration.
import { afterAll, inject } from 'vitest'
import { readConfig } from '../../api-facade/lib/config.ts'
import { type ServerOptions, startServer } from '../../api-facade/server.ts'
import { apiKeys } from '../../supabase/embedded/instance.ts'
import { mountRpc } from '../../supabase/embedded/rpc.ts'
import { startBalancer } from './balancer.ts'
import { applyEffects, createDatabase, type Database } from './database.ts'
import { letIn, settle } from './joining.ts'
import { newSuffix } from './names.ts'
import { Person } from './person.ts'
import { type PoolMode, startPgBouncer } from './pgbouncer.ts'
import { environment, JWT_SECRET, PEOPLE, type Stack, TEMPLATE, target } from './settings.ts'
import { ownOnly } from './target.ts'

export type World<Name extends string> = { [person in Name | 'admin' | 'nobody']: Person } & {
  database: Database
  /** The address of the facade, without /api/v1. */
  url: string
  /** The options of supabase-js. */
  stack: Stack
  /** Registers more people. */
  join(...names: string[]): Promise<Person[]>
}

type Gateway = ServerOptions['gateway']
async function facade(database: Database, env: Record<string, string>, gateway?: Gateway): Promise<string> {
  // With POOLER=transaction or POOLER=session, all HTTP tests run through a real PgBouncer, if it is installed.
  const mode = process.env.POOLER as PoolMode | undefined
  const bouncer = mode && !gateway ? await startPgBouncer(database.url, mode) : undefined
  if (bouncer) afterAll(() => bouncer.stop())
  const databaseUrl = bouncer?.url ?? database.url
  const config = readConfig(environment(databaseUrl, env))
  const beside: ServerOptions['beside'] = (app, site) => mountRpc(app, [JWT_SECRET], site)
  // Realtime clients wait for effects, which nothing else applies here
  let applied = Promise.resolve()
  const wrote = () => {
    if (gateway) applied = applied.then(() => applyEffects(database.owner))
  }
  afterAll(() => applied)
  const start = () => startServer({ config, databaseUrl, beside, gateway, wrote })
  // With FACADES=2, all HTTP tests run through a balancer. A facade with WebSockets stays alone.
  const count = gateway ? 1 : Number(process.env.FACADES ?? 1)
  const servers = await Promise.all(Array.from({ length: count }, start))
  afterAll(() => Promise.all(servers.map((server) => server.stop())))
  if (servers.length === 1) return servers[0]?.url ?? ''
  const balancer = await startBalancer(servers.map(({ url }) => url))
  afterAll(() => balancer.close())
  return balancer.url
}

/**
 * Starts a facade on its own database and registers people: by default alice, bob and carla.
 * Their usernames are their names. `admin` is the first admin, `nobody` has no token. Call it at the top of a file or
 * of a describe: everything is removed after the last test there. Against a target (./target.ts) it registers people
 * there, with a suffix behind their names, and there is no database.
 * @param env settings that differ from ./settings.ts, such as RATE_LIMIT_SCALE. People are then registered by a second
 * facade without them, so that nothing is counted when the first test begins; except if `env` has only the size of a
 * pool, which limits how many requests can race.
 * @param gateway what answers WebSockets; see ./realtime.ts
 */
export async function world<const Name extends string = 'alice' | 'bob' | 'carla'>({
  people = ['alice', 'bob', 'carla'] as Name[],
  env = {},
  gateway,
}: {
  people?: Name[]
  env?: Record<string, string>
  gateway?: Gateway
} = {}): Promise<World<Name>> {
  const special = Object.keys(env).some((name) => !name.startsWith('POOL_'))
  if (special) ownOnly('needs an instance with its own settings')
  // the default people were registered once, and are copied with the database
  const there = target ? {} : inject('people')
  const usual = !target && people.join() === Object.keys(there).slice(1).join()
  const database = await createDatabase(usual ? PEOPLE : TEMPLATE)
  const url = target?.url ?? (await facade(database, env, gateway))
  const stack = target?.stack ?? { url, ...(await apiKeys(JWT_SECRET)) }
  const door = new Person(special && !target ? await facade(database, { RATE_LIMIT_STORE: 'memory' }) : url)
  door.suffix = newSuffix()
  const known = (name: string, at = url) => Object.assign(new Person(at, there[name]?.token), there[name])
  const doorkeeper = target
    ? await Object.assign(door.withToken(undefined), target.admin).login()
    : known('admin', door.base)

  const join = (...names: string[]) => letIn(doorkeeper, names, url)
  const joined = usual ? people.map((name) => known(name)) : people.length > 0 ? await join(...people) : []
  const byName = Object.fromEntries(joined.map((person, at) => [people[at], person])) as { [person in Name]: Person }
  const renamed = people.filter((name) => byName[name].username !== name)
  if (renamed.length > 0) throw new Error(`registered, but under other usernames: ${renamed}`)
  return {
    ...byName,
    admin: target ? await settle(doorkeeper, url) : known('admin'),
    nobody: Object.assign(new Person(url), { suffix: door.suffix }),
    database,
    url,
    stack,
    join,
  }
}
