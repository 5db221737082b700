// An instance of its own with people in it, made through the API as people come: code, reservation, registration.
import { afterAll } from 'vitest'
import { readConfig } from '../../api-facade/lib/config.ts'
import { type ServerOptions, startServer } from '../../api-facade/server.ts'
import { apiKeys } from '../../supabase/embedded/instance.ts'
import { mountRpc } from '../../supabase/embedded/rpc.ts'
import { startBalancer } from './balancer.ts'
import { applyEffects, createDatabase, type Database } from './database.ts'
import { known, newSuffix } from './names.ts'
import { Person } from './person.ts'
import { ADMIN, environment, JWT_SECRET, type Stack, target } from './settings.ts'
import { ownOnly } from './target.ts'

export type World<Name extends string> = { [person in Name | 'admin' | 'nobody']: Person } & {
  database: Database
  /** The address of the facade, without /api/v1. */
  url: string
  /** What supabase-js is made with. */
  stack: Stack
  /** Lets more people in. */
  join(...names: string[]): Promise<Person[]>
}

type Gateway = ServerOptions['gateway']
type Codes = { items: { code: string }[] }
type Reserved = { sessionId: string }
type Registered = { accessToken: string }
type Me = { username: string; actorId: string }

/** What registering needs besides the reservation. The username that it makes is the name. */
export function applicant(name: string) {
  return {
    email: `${known(name)}@example.org`,
    password: `${name} has a password`,
    firstName: name,
    lastName: '例', // of a script that leaves nothing for the username
    dateOfBirth: '1990-01-31',
    country: 'DE',
    city: 'Berlin',
  }
}

/** The body of an answer that has to be a success: without it the world is not what its tests believe. */
function must<Body>(answer: { status: number; text: string; body: Body }): Body {
  if (answer.status >= 300) throw new Error(`could not make the world: ${answer.status} ${answer.text}`)
  return answer.body
}

async function register(door: Person, name: string, code: string): Promise<Person> {
  const form = applicant(name)
  const { sessionId } = must(await door.post<Reserved>('/auth/reserve-invite', { code }))
  const { accessToken } = must(await door.post<Registered>('/auth/register', { sessionId, ...form }))
  return Object.assign(door.withToken(accessToken), { email: form.email, password: form.password })
}

/** Fills in what the person is called, and gives them as a client of `url`. */
async function settle(person: Person, url: string): Promise<Person> {
  const { username, actorId } = must(await person.get<Me>('/me'))
  const { email, password, suffix } = person
  return Object.assign(new Person(url, person.token), { email, password, username, actorId, suffix })
}

async function facade(database: Database, env: Record<string, string>, gateway?: Gateway): Promise<string> {
  const config = readConfig(environment(database.url, env))
  const beside: ServerOptions['beside'] = (app, site) => mountRpc(app, JWT_SECRET, site)
  // who listens hears of effects, which nobody else applies here
  let applied = Promise.resolve()
  const wrote = () => {
    if (gateway) applied = applied.then(() => applyEffects(database.owner))
  }
  afterAll(() => applied)
  const start = () => startServer({ config, databaseUrl: database.url, beside, gateway, wrote })
  // FACADES=2 npm test: all of the HTTP suite through a balancer; one that has WebSockets stays alone
  const count = gateway ? 1 : Number(process.env.FACADES ?? 1)
  const servers = await Promise.all(Array.from({ length: count }, start))
  afterAll(() => Promise.all(servers.map((server) => server.stop())))
  if (servers.length === 1) return servers[0]?.url ?? ''
  const balancer = await startBalancer(servers.map(({ url }) => url))
  afterAll(() => balancer.close())
  return balancer.url
}

/**
 * Starts a facade on a database of its own and lets people in: alice, bob and carla unless others are asked for.
 * Their usernames are their names. `admin` is the first admin, `nobody` has no token. Call it at the top of a file or
 * of a describe: all of it goes after the last test there. Against a target (./target.ts) it lets them in there, with
 * something behind their names, and there is no database.
 * @param env settings that differ from ./settings.ts, such as RATE_LIMIT_SCALE. People then come in by a second
 * facade without them, so that nothing is counted when the first test begins.
 * @param gateway what answers WebSockets; ./realtime.ts has it
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
  const special = Object.keys(env).length > 0
  if (special) ownOnly('needs an instance with settings of its own')
  const database = await createDatabase()
  const url = target?.url ?? (await facade(database, env, gateway))
  const stack = target?.stack ?? { url, ...(await apiKeys(JWT_SECRET)) }
  const door = new Person(special && !target ? await facade(database, { RATE_LIMIT_STORE: 'memory' }) : url)
  door.suffix = newSuffix()
  const doorkeeper = await Object.assign(door.withToken(undefined), target?.admin ?? ADMIN).login()

  const join = async (...names: string[]) => {
    const { items } = must(await doorkeeper.post<Codes>('/admin/invite-codes/generate', { count: names.length }))
    return Promise.all(names.map(async (name, at) => settle(await register(door, name, items[at]?.code ?? ''), url)))
  }

  const joined = people.length > 0 ? await join(...people) : []
  const byName = Object.fromEntries(joined.map((person, at) => [people[at], person])) as { [person in Name]: Person }
  const renamed = people.filter((name) => byName[name].username !== name)
  if (renamed.length > 0) throw new Error(`registered, but under other usernames: ${renamed}`)
  return {
    ...byName,
    admin: await settle(doorkeeper, url),
    nobody: Object.assign(new Person(url), { suffix: door.suffix }),
    database,
    url,
    stack,
    join,
  }
}
