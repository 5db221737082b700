// A PostgreSQL server with nothing of Kith, as an operator has it before the first installation.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { afterAll } from 'vitest'
import { surroundings } from '../../supabase/embedded/cluster.ts'
import { serverAccount } from '../../supabase/embedded/paths.ts'
import { binariesFolder } from '../../supabase/embedded/programs.ts'
import { until } from './until.ts'

type Bare = {
  /** The connection string of the superuser, or of another role. */
  url(database?: string, user?: string, password?: string): string
  /** Starts or restarts the server with these settings, and otherwise PostgreSQL's defaults. */
  start(settings: Record<string, string>): Promise<void>
}

const PASSWORD = 'the superuser of a bare server'

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Creates the cluster. Call it at the top of a file or describe: it is removed after the last test there. */
export async function bareServer(superuser: string): Promise<Bare> {
  const folder = mkdtempSync(join(tmpdir(), 'kith-bare-'))
  const [data, secret] = [join(folder, 'data'), join(folder, 'password')]
  chmodSync(folder, 0o711)
  mkdirSync(data, { mode: 0o700 })
  writeFileSync(secret, PASSWORD, { mode: 0o600 })
  const account = serverAccount()
  if (account) for (const path of [data, secret]) chownSync(path, account.uid, account.gid)
  const asServer = { ...surroundings(folder), encoding: 'utf8' as const }
  const login = [`--username=${superuser}`, `--pwfile=${secret}`, '--auth=scram-sha-256']
  const made = spawnSync(
    join(binariesFolder(), 'initdb'),
    [...login, '--no-sync', '--locale=C', '--encoding=UTF8', data],
    asServer,
  )
  if (made.status !== 0) throw new Error(made.stderr)
  const port = await freePort()
  const url: Bare['url'] = (database = 'postgres', user = superuser, password = PASSWORD) =>
    `postgresql://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`

  let server: ChildProcess | undefined
  async function stop(): Promise<void> {
    if (!server || server.exitCode !== null) return
    const exit = once(server, 'exit')
    server.kill('SIGINT')
    await exit
  }
  afterAll(async () => {
    await stop()
    rmSync(folder, { recursive: true })
  })

  async function start(settings: Record<string, string>): Promise<void> {
    await stop()
    const own = { port, listen_addresses: '127.0.0.1', unix_socket_directories: '', fsync: 'off', autovacuum: 'off' }
    const options = Object.entries({ ...own, ...settings }).map(([name, value]) => `--${name}=${value}`)
    const started = spawn(join(binariesFolder(), 'postgres'), ['-D', data, ...options], {
      ...asServer,
      stdio: 'ignore',
    })
    server = started
    await until(async () => {
      if (started.exitCode !== null) throw new Error('the bare server did not start')
      const sql = postgres(url(), { max: 1, connect_timeout: 2, fetch_types: false })
      return sql`select 1`
        .then(
          () => true,
          () => false,
        )
        .finally(() => sql.end())
    })
  }
  return { url, start }
}
