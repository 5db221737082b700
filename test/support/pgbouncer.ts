// The real PgBouncer, if installed: POOLER=transaction npm test -- test/api runs the HTTP tests through it.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createConnection, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../../api-facade/lib/config.ts'
import { LOGINS, loginPassword, loginSecretOf } from '../../api-facade/lib/database.ts'
import { until } from './until.ts'

export type PgBouncer = { url: string; process: ChildProcess; stop(): Promise<void> }
export type PoolMode = 'transaction' | 'session'

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

const answers = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = createConnection(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })

/**
 * Starts a PgBouncer in front of the server of `databaseUrl`, for all databases and every login of a facade.
 * @param more.program the path of PgBouncer
 * @throws Error ENOENT if there is no such program
 */
export async function startPgBouncer(
  databaseUrl: string,
  mode: PoolMode,
  { size = 10, program = 'pgbouncer', ...given }: { size?: number; port?: number; program?: string } = {},
): Promise<PgBouncer> {
  const { hostname, port: server, username, password } = new URL(databaseUrl)
  const folder = await mkdtemp(join(tmpdir(), 'kith-pgbouncer-'))
  const port = given.port ?? (await freePort())
  const secret = await loginSecretOf(readConfig({}), databaseUrl)
  const users = [[username, decodeURIComponent(password)], ...LOGINS.map((one) => [one, loginPassword(secret, one)])]
  await writeFile(join(folder, 'users.txt'), users.map(([name, word]) => `"${name}" "${word}"\n`).join(''))
  await writeFile(
    join(folder, 'pgbouncer.ini'),
    `[databases]\n* = host=${hostname} port=${server}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}\n` +
      `auth_type = scram-sha-256\nauth_file = ${folder}/users.txt\npool_mode = ${mode}\ndefault_pool_size = ${size}\n` +
      'max_client_conn = 500\nunix_socket_dir =\nlog_connections = 0\nlog_disconnections = 0\n',
  )
  await chmod(folder, 0o755) // PgBouncer refuses to run as root
  const asUser = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const bouncer = spawn(program, ['-q', ...asUser, join(folder, 'pgbouncer.ini')], { stdio: 'ignore' })
  await once(bouncer, 'spawn')
  await until(() => answers(port))
  const stop = async () => {
    const exit = once(bouncer, 'exit')
    bouncer.kill('SIGKILL')
    if (bouncer.exitCode === null && bouncer.signalCode === null) await exit
    await rm(folder, { recursive: true, force: true })
  }
  return { url: Object.assign(new URL(databaseUrl), { port }).href, process: bouncer, stop }
}
