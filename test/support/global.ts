// Runs once per test run: starts a Postgres on a free port, and creates the template that every test file copies.
import { mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import type { TestProject } from 'vitest/node'
import { boot } from '../../api-facade/boot.ts'
import { readConfig } from '../../api-facade/lib/config.ts'
import { loginSecretOf } from '../../api-facade/lib/database.ts'
import { startServer } from '../../api-facade/server.ts'
import { migrate, preparePlatform } from '../../supabase/embedded/migrate.ts'
import { startPostgres } from '../../supabase/embedded/postgres.ts'
import { type Known, letIn, settle } from './joining.ts'
import { Person } from './person.ts'
import { ADMIN, environment, JWT_SECRET, PEOPLE, TEMPLATE } from './settings.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Connection strings of the template, as its owner and as superuser. Those of a copy have another database. */
    postgres: { ownerUrl: string; superuserUrl: string; loginSecret: string }
    /** The admin, who is in both templates, and the people in PEOPLE. */
    people: Record<string, Known>
  }
}

type Server = Awaited<ReturnType<typeof startPostgres>>

/** For every test's database: makes emitting an event fail if it is unregistered or has another payload. */
const checkEvents = `
  create schema guard;
  create function guard.check_event() returns trigger language plpgsql as $$
  begin
    if array(select k from jsonb_object_keys(new.payload) k order by k)
       is distinct from (select array(select k from unnest(e.payload) k order by k) from private.event_types e where e.name = new.name) then
      raise exception 'the event % is not registered with the payload %', new.name, new.payload;
    end if;
    return null;
  end $$;
  create trigger check_event after insert on app.domain_events for each row execute function guard.check_event();`

/** The memory that a run must leave free to use /dev/shm. Bytes. */
const ENOUGH = 4 * 1024 ** 3

/**
 * The folder for the server's files: in memory if there is plenty. A database is hundreds of files, and creating and
 * deleting them for every copy of the template on a disk takes longer than the tests themselves.
 */
async function place(): Promise<string> {
  const memory = await statfs('/dev/shm').catch(() => null)
  const room = memory ? Math.min(memory.bavail * memory.bsize, process.availableMemory()) : 0
  return room > ENOUGH ? '/dev/shm' : tmpdir()
}

/** Registers the people whom a world has by default, once for all worlds. */
async function makePeople(server: Server): Promise<Record<string, Known>> {
  const superuser = postgres(server.superuserUrl('postgres'), { max: 1, onnotice: () => {} })
  const databaseUrl = server.url(PEOPLE)
  try {
    await superuser.unsafe(`create database ${PEOPLE} template ${TEMPLATE} owner postgres`)
    const facade = await startServer({ config: readConfig(environment(databaseUrl)), databaseUrl })
    const admin = await Object.assign(new Person(facade.url), ADMIN).login()
    const people = [await settle(admin, facade.url), ...(await letIn(admin, ['alice', 'bob', 'carla']))]
    await facade.stop()
    await superuser.unsafe(`alter database ${PEOPLE} is_template true`)
    return Object.fromEntries(
      people.map(({ token, email, password, username, actorId }, at) => [
        at === 0 ? 'admin' : username,
        { token, email, password, username, actorId },
      ]),
    )
  } finally {
    await superuser.end()
  }
}

async function makeTemplate(server: Server) {
  const superuser = postgres(server.superuserUrl('postgres'), { max: 1, onnotice: () => {} })
  try {
    // autovacuum might run while a test has its rows in an open transaction: it would find empty tables, so that later
    // plans would be made for empty tables, and some tests would take twenty times as long
    await superuser`alter system set autovacuum = off`
    await superuser`select pg_reload_conf()`
    await superuser.unsafe(`create database ${TEMPLATE} owner postgres`)
    await preparePlatform(server.superuserUrl(TEMPLATE))
    const databaseUrl = server.url(TEMPLATE)
    await migrate(databaseUrl, { seed: true })
    await boot({ databaseUrl, config: readConfig(environment(databaseUrl)), jwtSecret: JWT_SECRET })
    // With this setting of the facade and the worker, private.check_lock_order raises an error if locks are taken in a
    // wrong order.
    for (const pool of ['user', 'service', 'gate', 'worker'])
      await superuser.unsafe(`alter role kith_${pool} set kith.lock_order = 'checked'`)
    const owner = postgres(databaseUrl, { max: 1, onnotice: () => {} })
    await owner.unsafe(checkEvents).finally(() => owner.end())
    await superuser.unsafe(`alter database ${TEMPLATE} is_template true`)
  } finally {
    await superuser.end()
  }
}

export default async function setup(project: TestProject) {
  const folder = await mkdtemp(join(await place(), 'kith-test-'))
  process.env.NODE_COMPILE_CACHE = `${folder}-compiled` // shared by all processes of the run
  const server = await startPostgres({ dataDir: folder, ephemeral: true })
  const stop = async () => {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
    await rm(`${folder}-compiled`, { recursive: true, force: true })
  }
  let loginSecret: string
  try {
    await makeTemplate(server)
    loginSecret = await loginSecretOf(readConfig({}), server.url(TEMPLATE))
    project.provide('people', await makePeople(server))
  } catch (error) {
    await stop()
    // shows only the message, because a database error also contains the whole statement
    throw new Error(`the templates of the tests could not be made: ${error instanceof Error ? error.message : error}`)
  }
  const [ownerUrl, superuserUrl] = [server.url(TEMPLATE), server.superuserUrl(TEMPLATE)]
  project.provide('postgres', { ownerUrl, superuserUrl, loginSecret })
  return stop
}
