// The cluster: the data folder of the server. Creates it, and stops a server that outlived its instance.
import { spawn, spawnSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import {
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDataDir, serverAccount } from './paths.ts'

/** The server gets nothing of the caller's environment (PGDATA, PGOPTIONS, LANG). */
const environment = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }

/** The options of every PostgreSQL process: its account, and a working folder that the account can enter. */
export function surroundings(dataDir: string) {
  const account = serverAccount()
  return { cwd: dataDir, env: environment, ...(account && { uid: account.uid, gid: account.gid }) }
}

function giveToServer(path: string): void {
  const account = serverAccount()
  if (account) chownSync(path, account.uid, account.gid)
}

/** The password of a role, in hex. They differ, so that the one of `postgres` does not give superuser rights. */
export const passwordOf = (secret: string, role: string) => createHmac('sha256', secret).update(role).digest('hex')

/**
 * Creates the cluster in a temporary folder and moves it when complete, so that a killed start leaves all or nothing.
 */
export async function makeCluster(bin: string, dataDir: string, secret: string, sync: boolean): Promise<void> {
  const unfinished = join(dataDir, 'postgres.unfinished')
  const passwordFile = join(dataDir, 'postgres.password')
  rmSync(unfinished, { recursive: true, force: true })
  rmSync(passwordFile, { force: true })
  mkdirSync(unfinished, { mode: 0o700 })
  writeFileSync(passwordFile, passwordOf(secret, 'supabase_admin'), { mode: 0o600 })
  giveToServer(unfinished)
  giveToServer(passwordFile)
  const initdb = spawn(
    join(bin, 'initdb'),
    [
      `--pgdata=${unfinished}`,
      '--username=supabase_admin',
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--no-instructions',
      ...(sync ? [] : ['--no-sync']),
    ],
    { ...surroundings(dataDir), stdio: ['ignore', 'ignore', 'pipe'] },
  )
  let complaint = ''
  initdb.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint += text
  })
  const [code] = await once(initdb, 'close')
  rmSync(passwordFile)
  if (code !== 0) throw new Error(`initdb failed on ${unfinished}:\n${complaint}`)
  renameSync(unfinished, join(dataDir, 'postgres'))
}

/** Whether the process is a server of this cluster: its working folder is the cluster. A zombie has none. */
function serves(pid: number, cluster: string): boolean {
  if (existsSync('/proc/self')) {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(cluster)
    } catch {
      return false
    }
  }
  return spawnSync('ps', ['-p', String(pid), '-o', 'command='], { encoding: 'utf8' }).stdout.includes(cluster)
}

/** The process id in the server's pid file, and whether that process is its server; null if there is no such file. */
function readPid(dataDir: string): { pid: number; runs: boolean } | null {
  const cluster = join(dataDir, 'postgres')
  const pidFile = join(cluster, 'postmaster.pid')
  if (!isDataDir(dataDir) || !existsSync(pidFile)) return null // no cluster, or another one's
  const pid = Number(readFileSync(pidFile, 'utf8').split('\n')[0])
  return { pid, runs: pid > 1 && serves(pid, cluster) }
}

/** The process id of a server whose instance was killed, or null. Only for callers who know that nobody has the folder. */
export function findOrphan(dataDir: string): number | null {
  const found = readPid(dataDir)
  return found?.runs ? found.pid : null
}

/**
 * Stops the server of a killed instance, and removes its pid file if the pid now belongs to another process. Only for
 * callers who hold the folder or know that nobody does. @returns whether there was a server
 */
export async function stopOrphan(dataDir: string): Promise<boolean> {
  const cluster = join(dataDir, 'postgres')
  const found = readPid(dataDir)
  if (!found) return false
  const { pid, runs } = found
  if (!runs) {
    rmSync(join(cluster, 'postmaster.pid'))
    return false
  }
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    if (serves(pid, cluster)) process.kill(pid, signal)
    for (const deadline = Date.now() + 10_000; Date.now() < deadline; await sleep(20)) {
      if (!serves(pid, cluster)) return true
    }
  }
  throw new Error(`A PostgreSQL server (pid ${pid}) still runs on ${cluster} and does not end.`)
}
