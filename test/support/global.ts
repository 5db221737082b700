// Once a run: a Postgres of its own on a free port, and in it the template that every test file copies.
import { mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import type { TestProject } from 'vitest/node'
import { boot } from '../../api-facade/boot.ts'
import { readConfig } from '../../api-facade/lib/config.ts'
import { startServer } from '../../api-facade/server.ts'
import { migrate, preparePlatform } from '../../supabase/embedded/migrate.ts'
import { startPostgres } from '../../supabase/embedded/postgres.ts'
import { type Known, letIn, settle } from './joining.ts'
import { Person } from './person.ts'
import { ADMIN, environment, JWT_SECRET, PEOPLE, TEMPLATE } from './settings.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Connection strings of the template, as its owner and as superuser; a database's own differ in the name only. */
    postgres: { ownerUrl: string; superuserUrl: string }
    /** The admin, who is in both templates, and those who are in PEOPLE. */
    people: Record<string, Known>
  }
}

type Server = Awaited<ReturnType<typeof startPostgres>>

/** In every test's database: an event that is not registered, or has another payload, fails whatever emits it. */
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

/** What a run leaves free of the memory that it may use. */
const ENOUGH = 4 * 1024 ** 3

/**
 * Where the server's files stand: in memory where there is plenty of it. A database is hundreds of files, and on a disk
 * making and deleting them for every copy of the template takes longer than what the tests do in it.
 */
async function place(): Promise<string> {
  const memory = await statfs('/dev/shm').catch(() => null)
  const room = memory ? Math.min(memory.bavail * memory.bsize, process.availableMemory()) : 0
  return room > ENOUGH ? '/dev/shm' : tmpdir()
}

/** Lets in whom a world has by default, once for all of them. */
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
    // one that comes by while a test has its rows in an open transaction finds the tables empty, and the plans after it
    // are made for empty tables: now and then a test took twenty times as long
    await superuser`alter system set autovacuum = off`
    await superuser`select pg_reload_conf()`
    await superuser.unsafe(`create database ${TEMPLATE} owner postgres`)
    await preparePlatform(server.superuserUrl(TEMPLATE))
    const databaseUrl = server.url(TEMPLATE)
    await migrate(databaseUrl, { seed: true })
    await boot({ databaseUrl, config: readConfig(environment(databaseUrl)), jwtSecret: JWT_SECRET })
    const owner = postgres(databaseUrl, { max: 1, onnotice: () => {} })
    await owner.unsafe(checkEvents).finally(() => owner.end())
    await superuser.unsafe(`alter database ${TEMPLATE} is_template true`)
  } finally {
    await superuser.end()
  }
}

export default async function setup(project: TestProject) {
  const folder = await mkdtemp(join(await place(), 'kith-test-'))
  process.env.NODE_COMPILE_CACHE = `${folder}-compiled` // for all processes of the run
  const server = await startPostgres({ dataDir: folder, ephemeral: true })
  const stop = async () => {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
    await rm(`${folder}-compiled`, { recursive: true, force: true })
  }
  try {
    await makeTemplate(server)
    project.provide('people', await makePeople(server))
  } catch (error) {
    await stop()
    // the message alone: a database error also carries the whole text that it ran
    throw new Error(`the templates of the tests could not be made: ${error instanceof Error ? error.message : error}`)
  }
  project.provide('postgres', { ownerUrl: server.url(TEMPLATE), superuserUrl: server.superuserUrl(TEMPLATE) })
  return stop
}
