// A checkout that is measured. It has a Postgres with the data of the checkout's data.sql and data/, and a facade and
// a worker, each in its own process. Each checkout has its own Postgres, because roles and settings belong to a server
// and not to a database.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import postgres, { type Sql } from 'postgres'
import { loginPassword, readLoginSecret } from '../../api-facade/lib/database.ts'
import type { Served } from '../../supabase/embedded/postgres.ts'
import { ended } from '../support/process.ts'
import { until } from '../support/until.ts'

export const admin = { email: 'admin@example.org', password: 'first admin of the bench' }
export const jwtSecret = 'the secret that signs the tokens of the bench, and nothing else'
/** The connections of the bench itself, which aren't part of what is measured. */
export const OURS = 'kith-bench'

export type Side = {
  name: string
  url: string
  databaseUrl: string
  userUrl(): Promise<string>
  superuser: Sql
  /** The process id of the facade, and of the worker if it has its own process. */
  facade: number
  worker: number | undefined
  /** Writes a file of data/: the rows from `from` to `to` if the file can grow, otherwise all rows. */
  fill(name: string, from: number, to: number): Promise<void>
  stop(): Promise<void>
}

/** A side on which more can be started. */
export type OpenSide = Side & {
  /** The server, and the folder of its data. */
  server: Served
  folder: string
  /** Starts another facade, with further settings. */
  startFacade(env: Record<string, string>): Promise<{ url: string; pid: number }>
}

type SideOptions = {
  name: string
  /** The checkout's folder. */
  root: string
  posts: number
  /** The files of data/ besides data.sql, and the number of rows in those that grow. */
  data: string[]
  rows: number
  /** The time that counts as now in the data. */
  now: string
  /** Whether the worker runs in the facade's process. */
  inline: boolean
  /** Whether generated ids are consecutive too. Otherwise the order of equal rows depends on the ids. */
  counted: boolean
  /** Whether the server counts what its statements touch, with pg_stat_statements. */
  statements?: boolean
}

const load = <Module>(root: string, file: string): Promise<Module> => import(pathToFileURL(join(root, file)).href)

// Random values and times must be the same on every side, because otherwise answers could not be compared.
const sameDefaults = (now: string) => `
  create schema drawn;
  create table drawn.defaults as
  select d.adrelid::regclass as relation, quote_ident(a.attname) as name, pg_get_expr(d.adbin, d.adrelid) as expression
  from pg_attrdef d join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
  where d.adrelid in (select oid from pg_class where relnamespace = 'app'::regnamespace)
    and pg_get_expr(d.adbin, d.adrelid) in ('gen_random_uuid()', 'now()');
  do $$
  declare
    r record;
  begin
    for r in select * from drawn.defaults loop
      execute format('create sequence if not exists drawn.%I', r.relation);
      execute format('alter table %s alter column %s set default %s', r.relation, r.name,
        case r.expression when 'now()' then '''${now}''::timestamptz'
          else format('(''30000000-0000-4000-8000-'' || lpad(to_hex(nextval(''drawn.%I'')), 12, ''0''))::uuid', r.relation) end);
    end loop;
  end $$;
  grant usage on schema drawn to public;
  grant usage on all sequences in schema drawn to public`
const ownDefaults = (expressions: string) => `
  do $$
  declare
    r record;
  begin
    for r in select * from drawn.defaults where expression in (${expressions}) loop
      execute format('alter table %s alter column %s set default %s', r.relation, r.name, r.expression);
    end loop;
  end $$`
/** Gives interests ids that the load scripts can compute. */
const namedInterests = `
  create function public.name_interest() returns trigger language plpgsql
  as $$ begin new.id := md5(new.slug)::uuid; return new; end $$;
  create trigger name_interest before insert on app.interests for each row execute function public.name_interest()`

/** Settings that prevent checkpoints and vacuums at arbitrary times, and keep WAL, whose records are counted later. */
export const settings = [
  'autovacuum = off',
  "checkpoint_timeout = '1h'",
  "max_wal_size = '16GB'",
  "wal_keep_size = '16GB'",
]

/** Writes the checkout's data.sql or a file of its data/, if there is one, without triggers and foreign keys. */
export async function writeData(
  superuser: Sql,
  { root, posts, now }: Pick<SideOptions, 'root' | 'posts' | 'now'>,
  file: string,
  from: number,
  to: number,
): Promise<void> {
  const path = join(root, 'test/bench', file)
  if (!existsSync(path)) return
  const text = readFileSync(path, 'utf8')
    .replaceAll(':posts', String(posts))
    .replaceAll(':from', `${from}::bigint`)
    .replaceAll(':to', `${to}::bigint`)
    .replaceAll('now()', `'${now}'::timestamptz`)
  await superuser.unsafe('set session_replication_role = replica')
  for (const statement of text.split(/;\n/)) if (statement.trim()) await superuser.unsafe(statement)
  await superuser.unsafe('set session_replication_role = origin')
}

export async function startSide(options: SideOptions): Promise<OpenSide> {
  const { name, root, posts, now, inline, counted } = options
  type Postgres = typeof import('../../supabase/embedded/postgres.ts')
  type Migrate = typeof import('../../supabase/embedded/migrate.ts')
  const { startPostgres } = await load<Postgres>(root, 'supabase/embedded/postgres.ts')
  const { migrate, preparePlatform } = await load<Migrate>(root, 'supabase/embedded/migrate.ts')
  const folder = mkdtempSync(join(tmpdir(), 'kith-bench-'))
  let server = await startPostgres({ dataDir: folder })
  if (options.statements) {
    const first = postgres(server.superuserUrl(), { max: 1 })
    await first`alter system set shared_preload_libraries = 'pg_stat_statements'`
    await first.end()
    await server.stop()
    server = await startPostgres({ dataDir: folder })
  }
  const databaseUrl = server.url()
  const superuser = postgres(server.superuserUrl(), {
    max: 1,
    onnotice: () => {},
    connection: { application_name: OURS },
  })
  const processes: ChildProcess[] = []
  const stop = async () => {
    await Promise.all(processes.map(ended))
    await superuser.end()
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  /** Starts a process of the checkout, and returns the line that says it is ready. */
  const run = async (file: string, ready: RegExp, more: Record<string, string>) => {
    const path = join(folder, `${file.replaceAll('/', '-')}.log`)
    const env = {
      ...process.env,
      ...{ DATABASE_URL: databaseUrl, JWT_SECRET: jwtSecret, DATA_DIR: join(folder, 'processes'), PORT: '0' },
      ...{ ADMIN_EMAIL: admin.email, ADMIN_PASSWORD: admin.password },
      ...{ RATE_LIMIT_SCALE: '1000000000', RATE_LIMIT_STORE: 'memory', EMBEDDINGS: 'off' },
      ...more,
    }
    const child = spawn(process.execPath, [join(root, file)], {
      cwd: root,
      env,
      stdio: ['ignore', openSync(path, 'w'), 'inherit'],
    })
    processes.push(child)
    const found = await until(
      () => {
        if (child.exitCode !== null) throw new Error(`${file} of ${root} ended: ${readFileSync(path, 'utf8')}`)
        return ready.exec(readFileSync(path, 'utf8'))
      },
      { timeout: 300_000, every: 50 },
    )
    return { pid: child.pid ?? 0, said: found?.[1] ?? '' }
  }
  const write = (file: string, from: number, to: number) => writeData(superuser, { root, posts, now }, file, from, to)
  const fill = (data: string, from: number, to: number) => write(`data/${data}.sql`, from, to)
  try {
    await preparePlatform(server.superuserUrl())
    await migrate(databaseUrl, { seed: false })
    await superuser.unsafe(namedInterests)
    await migrate(databaseUrl)
    await superuser.unsafe('drop function public.name_interest cascade')
    const startFacade = async (env: Record<string, string>) => {
      const { pid, said: url } = await run('api-facade/main.ts', /Kith is at (\S+),/, env)
      return { pid, url }
    }
    const facade = await startFacade({ WORKER: inline ? 'inline' : 'off' })
    for (const setting of settings) await superuser.unsafe(`alter system set ${setting}`)
    await superuser.unsafe('select pg_reload_conf()')
    await superuser.unsafe('create extension pg_walinspect')
    if (options.statements) await superuser.unsafe('create extension pg_stat_statements')
    await superuser.unsafe(sameDefaults(now))
    await write('data.sql', 1, 1)
    for (const data of options.data) await fill(data, 1, options.rows)
    await superuser.unsafe('vacuum analyze')
    await superuser.unsafe(ownDefaults(counted ? "'now()'" : "'now()', 'gen_random_uuid()'"))
    const worker = inline ? undefined : await run('api-facade/worker/main.ts', /The worker runs/, {})
    // No worker has a model, but the data have vectors
    await superuser.unsafe(`update app.settings set value = 'bench' where key = 'embedding_model'`)
    await superuser.unsafe(`do $$ begin update private.embedding_walk set walked_at = now(), finished_at = now();
      exception when undefined_table then null; end $$`)
    const userUrl = async () => {
      const address = new URL(databaseUrl)
      address.username = 'kith_user'
      address.password = loginPassword(await readLoginSecret(superuser), 'kith_user')
      return address.href
    }
    return {
      ...{ name, databaseUrl, superuser, server, folder, fill, stop, userUrl, startFacade },
      ...{ url: facade.url, facade: facade.pid, worker: worker?.pid },
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Thrown if the worker makes no progress: measurements would be meaningless then. */
export class Behind extends Error {}

/**
 * Waits until the worker has no work left, by the depths in /metrics. It waits as long as they keep shrinking, because
 * that takes long on a busy machine.
 * @throws Behind when they didn't shrink within `patience` milliseconds
 */
export async function caughtUp({ name, url }: Side, patience = 120_000): Promise<void> {
  const waiting = async () => {
    const text = await (await fetch(`${url}/metrics`)).text()
    const lines = text
      .split('\n')
      .filter((line) => /^kith_\w*depth\b/.test(line) && !/"(dead-letters|failed)"/.test(line))
    if (lines.length === 0) throw new Error('/metrics has no depth')
    return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
  }
  let least = Number.POSITIVE_INFINITY
  const isLess = async () => {
    const now = await waiting()
    const before = least
    least = Math.min(before, now)
    return now < before
  }
  while (least > 0) {
    await until(isLess, { timeout: patience, every: 100 }).catch((cause) => {
      const seconds = Math.round(patience / 1000)
      throw new Behind(`the worker of ${name} does not keep up: for ${seconds} s no less than ${least} wait`, { cause })
    })
  }
}
