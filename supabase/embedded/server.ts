// Inspects a foreign PostgreSQL server: whether Kith can run on it, and which parts of a Supabase database it has.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Sql } from 'postgres'

/** The parts of a platform that migrations and the facade need. */
const needed = `
  select name from (values
    ('the role postgres', to_regrole('postgres')::oid), ('the role anon', to_regrole('anon')::oid),
    ('the role authenticated', to_regrole('authenticated')::oid), ('the role service_role', to_regrole('service_role')::oid),
    ('the role authenticator', to_regrole('authenticator')::oid),
    ('the schema extensions', to_regnamespace('extensions')::oid),
    ('the table realtime.messages', to_regclass('realtime.messages')::oid),
    ('the function realtime.topic', to_regprocedure('realtime.topic()')::oid),
    ('the function realtime.send', to_regprocedure('realtime.send(jsonb,text,text,boolean)')::oid)
  ) as wanted (name, found) where found is null`

const extensions = ['pgcrypto', 'unaccent', 'pg_trgm']

export interface Server {
  /** The value of `server_version_num`, such as 170010. */
  version: number
  release: string
  walLevel: string
  /** The number of possible replication connections. */
  feeds: number
  /** The number of connections for roles that are not superusers. */
  connections: number
  encoding: string
  /** The connected role. */
  role: string
  superuser: boolean
  /** Whether the role `postgres` is a superuser; null if there is no such role. */
  ownerIsSuperuser: boolean | null
  /** Extensions that cannot be installed here. */
  withoutExtensions: string[]
  /** Whether the database has a schema of a Supabase platform. */
  platform: boolean
  /** The fingerprint that preparePlatform left; null if it has not run. */
  fingerprint: string | null
  /** The parts of a platform that this database lacks. */
  missing: string[]
}

/** Reads everything in one read-only statement. */
export async function lookAt(sql: Sql): Promise<Server> {
  const [row] = await sql.unsafe<[Server]>(
    `select current_setting('server_version_num')::int as version, current_setting('server_version') as release,
            current_setting('wal_level') as "walLevel",
            least(current_setting('max_replication_slots')::int, current_setting('max_wal_senders')::int) as feeds,
            current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
              - coalesce(current_setting('reserved_connections', true)::int, 0) as connections,
            current_setting('server_encoding') as encoding,
            current_user::text as role, (select rolsuper from pg_roles where rolname = current_user) as superuser,
            (select rolsuper from pg_roles where rolname = 'postgres') as "ownerIsSuperuser",
            array(select unnest($1::text[]) except select name::text from pg_available_extensions) as "withoutExtensions",
            to_regnamespace('auth') is not null or to_regnamespace('realtime') is not null as platform,
            obj_description(to_regnamespace('realtime')::oid, 'pg_namespace') as fingerprint,
            array(${needed}) as missing`,
    [extensions],
  )
  return row
}

/** The kind of a database: without a platform, with our platform (complete or outdated), or a Supabase stack. */
export function stateOf({ platform, fingerprint, missing }: Server): 'bare' | 'behind' | 'prepared' | 'stack' {
  if (!platform) return 'bare'
  if (!fingerprint?.startsWith(PREFIX)) return 'stack'
  return fingerprint === fingerprintOf(platformText()) && missing.length === 0 ? 'prepared' : 'behind'
}

export const platformText = (): string => readFileSync(join(import.meta.dirname, 'platform.sql'), 'utf8')

const PREFIX = 'Stands in for the Realtime server of Supabase: platform.sql '

/** The comment on the schema `realtime`, which identifies our platform and its version. */
export const fingerprintOf = (text: string): string =>
  PREFIX + createHash('sha256').update(text).digest('hex').slice(0, 16)

/** The reasons why Kith cannot run on this server, each with what to do. @param connections of a facade */
export function faultsOf(server: Server, connections: number): string[] {
  const state = stateOf(server)
  const faults: [boolean, string][] = [
    [server.version < 170000, `The server is PostgreSQL ${server.release}, and Kith needs 17: use a newer one.`],
    [
      server.walLevel !== 'logical',
      `wal_level is ${server.walLevel}, and Realtime needs logical: run "alter system set wal_level = 'logical'" as ` +
        'superuser, then restart the server.',
    ],
    [
      server.feeds < 1,
      'The server allows no replication connection, and Realtime needs one: set max_replication_slots and ' +
        'max_wal_senders to at least 1 for each facade, then restart the server.',
    ],
    [
      server.connections < connections,
      `The server has ${server.connections} connections for roles that are not superusers, and Kith needs ${connections}: ` +
        `raise max_connections by ${connections - server.connections} and restart the server, or set POOL_ANON, ` +
        'POOL_GATE, POOL_USER and POOL_SERVICE to smaller numbers, here and for the facade.',
    ],
    [
      server.encoding !== 'UTF8',
      `The database has the encoding ${server.encoding}, and Kith needs UTF8: make one by ` +
        `"create database … encoding 'UTF8' template template0".`,
    ],
    [
      server.withoutExtensions.length > 0,
      `The server lacks the extensions ${server.withoutExtensions.join(', ')}: install PostgreSQL's contrib package.`,
    ],
    [
      (state === 'bare' || state === 'behind') && !server.superuser,
      `The role ${server.role} is not a superuser, and only a superuser can make the platform's roles and schemas: give ` +
        'the connection string of one.',
    ],
    [
      state === 'stack' && server.missing.length > 0,
      `The database has a Supabase platform that lacks ${server.missing.join(', ')}. Start the ` +
        "stack's services, including Realtime, which create it, or give a database that has nothing of Supabase.",
    ],
  ]
  return faults.flatMap(([is, sentence]) => (is ? sentence : []))
}
