// The cluster is the data folder of the server. This file creates clusters, and stops a server that outlived its
// instance.
import { spawn, spawnSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import {
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
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

/** Makes the server's account the owner. */
export function giveToServer(path: string): void {
  const account = serverAccount()
  if (account) chownSync(path, account.uid, account.gid)
}

/** Makes a folder in the data folder that only the server's account can enter. @returns its path */
export function makeServerFolder(dataDir: string, name: string): string {
  const folder = join(dataDir, name)
  mkdirSync(folder, { mode: 0o700 })
  giveToServer(folder)
  return folder
}

/**
 * The password of a role, in hex. Passwords differ, so that the password of `postgres` does not give superuser rights.
 */
export const passwordOf = (secret: string, role: string) => createHmac('sha256', secret).update(role).digest('hex')

/** The name of the cluster in the data folder. */
export const CLUSTER = 'postgres'
/** The new cluster of an upgrade: until it has the data, and then until it replaces the old cluster. */
export const NEW = `${CLUSTER}.new`
const COMPLETE = `${CLUSTER}.complete`
/** The folder in which an upgrade passes rows from one server to the other. */
export const ROWS = `${CLUSTER}.rows`

type ClusterOptions = { bin: string; dataDir: string; secret: string; sync: boolean; name?: string }

/**
 * Creates a cluster in a temporary folder and moves it when complete, so that a killed start leaves a complete cluster
 * or none.
 */
export async function makeCluster({ bin, dataDir, secret, sync, name = CLUSTER }: ClusterOptions): Promise<void> {
  const unfinished = join(dataDir, 'postgres.unfinished')
  const passwordFile = join(dataDir, 'postgres.password')
  rmSync(unfinished, { recursive: true, force: true })
  rmSync(passwordFile, { force: true })
  makeServerFolder(dataDir, 'postgres.unfinished')
  writeFileSync(passwordFile, passwordOf(secret, 'supabase_admin'), { mode: 0o600 })
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
  renameSync(unfinished, join(dataDir, name))
}

/** Makes renames in the folder survive a crash of the machine. */
export function syncFolder(folder: string): void {
  const opened = openSync(folder, 'r')
  fsyncSync(opened)
  closeSync(opened)
}

/** Replaces the old cluster by the new one. The old cluster is kept under the name `former`. */
export function replaceCluster(dataDir: string, former: string): void {
  renameSync(join(dataDir, NEW), join(dataDir, COMPLETE))
  syncFolder(dataDir)
  renameSync(join(dataDir, CLUSTER), join(dataDir, former))
  syncFolder(dataDir)
  finishReplacement(dataDir)
}

/** Completes a replacement that was interrupted between its renames. Otherwise a start would make an empty cluster. */
export function finishReplacement(dataDir: string): void {
  if (existsSync(join(dataDir, CLUSTER)) || !existsSync(join(dataDir, COMPLETE))) return
  renameSync(join(dataDir, COMPLETE), join(dataDir, CLUSTER))
  syncFolder(dataDir)
}

/** Removes the files of a killed upgrade. */
export async function removeAttempt(dataDir: string): Promise<void> {
  await stopOrphan(dataDir, NEW)
  for (const name of [NEW, COMPLETE, ROWS]) rmSync(join(dataDir, name), { recursive: true, force: true })
}

/** The beginning of the names of standbys. A promoted standby keeps its name until the next start. */
export const STANDBY = 'standby'
/** The file of a standby with the password for its primary, as libpq reads it. */
export const PASSFILE = 'primary.passfile'
/** The file with the name of this data folder's backups. Without it the archive begins anew with a base backup. */
export const HISTORY = 'backup-history'
/** The name of a former primary, from its fencing until its deletion. */
export const FENCED = `${CLUSTER}.fenced`

const isStandbyName = (name: string) => new RegExp(`^${STANDBY}\\d+$`).test(name)

/** The names of the standbys' clusters in the data folder. */
export const standbysIn = (dataDir: string): string[] =>
  existsSync(dataDir) ? readdirSync(dataDir).filter(isStandbyName).sort() : []

/** Whether a cluster is a standby that was not promoted. A promotion removes standby.signal before the first write. */
export const isStandby = (cluster: string): boolean => existsSync(join(cluster, 'standby.signal'))

/** Kills a server with all its processes, also if they are frozen. */
export async function kill(dataDir: string, name: string): Promise<void> {
  const cluster = join(dataDir, name)
  for (const deadline = Date.now() + 10_000; ; await sleep(10)) {
    const pids = processesOf(dataDir, name)
    if (pids.length === 0) return
    if (Date.now() > deadline) throw new Error(`PostgreSQL on ${cluster} cannot be killed.`)
    for (const pid of pids) if (serves(pid, cluster)) process.kill(pid, 'SIGKILL')
  }
}

/** Kills a server, so that it can write nothing more, and takes its cluster out of use. */
export async function fence(dataDir: string, name: string): Promise<void> {
  await kill(dataDir, name)
  rmSync(join(dataDir, FENCED), { recursive: true, force: true })
  renameSync(join(dataDir, name), join(dataDir, FENCED))
  syncFolder(dataDir)
}

/** The server and its children, which outlive it for a moment. Without /proc only the server is known. */
export function processesOf(dataDir: string, name: string): number[] {
  if (!existsSync('/proc/self')) {
    const found = readPid(dataDir, name)
    return found?.runs ? [found.pid] : []
  }
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 1 && serves(pid, join(dataDir, name)))
}

/**
 * Renames the primary's cluster to CLUSTER, after an instance with standbys was killed. The primary is the standby that
 * was promoted or, if none was, the fenced cluster, because then nothing was written elsewhere. A promoted cluster gets
 * a new archive, because a promotion by hand keeps the timeline, and the log of the former primary may differ. No server
 * may run.
 */
export function settle(dataDir: string): void {
  const cluster = join(dataDir, CLUSTER)
  const promoted = standbysIn(dataDir).find((name) => !isStandby(join(dataDir, name)))
  if (promoted) {
    // a failover fences the former primary before it promotes a standby, so no failover left this state
    if (existsSync(cluster))
      throw new Error(
        `Both ${cluster} and ${join(dataDir, promoted)} are clusters of a primary. Move one of them away.`,
      )
    rmSync(join(dataDir, HISTORY), { force: true })
    syncFolder(dataDir) // after the rename nothing shows any more that the cluster was promoted
    renameSync(join(dataDir, promoted), cluster)
  } else if (!existsSync(cluster) && existsSync(join(dataDir, FENCED))) renameSync(join(dataDir, FENCED), cluster)
  syncFolder(dataDir)
  for (const name of readdirSync(dataDir))
    if (name === FENCED || (name.startsWith(STANDBY) && name.endsWith('.unfinished')))
      rmSync(join(dataDir, name), { recursive: true, force: true })
  rmSync(join(cluster, PASSFILE), { force: true })
  const settings = join(cluster, 'postgresql.auto.conf')
  if (!existsSync(settings)) return
  // until the standbys stream, no commit may wait for them
  const lines = readFileSync(settings, 'utf8').split('\n')
  const kept = lines.filter((line) => !line.startsWith('synchronous_standby_names'))
  if (kept.length < lines.length) writeFileSync(settings, kept.join('\n'))
}

/** Stops every server that a killed instance has left. @returns whether there was one */
export async function stopOrphans(dataDir: string): Promise<boolean> {
  let found = false
  for (const name of [CLUSTER, NEW, FENCED, ...standbysIn(dataDir)]) found = (await stopOrphan(dataDir, name)) || found
  return found
}

/**
 * Whether the process is a server of this cluster, which has the cluster as its working folder. A zombie process has
 * none.
 */
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
function readPid(dataDir: string, name = CLUSTER): { pid: number; runs: boolean } | null {
  const cluster = join(dataDir, name)
  const pidFile = join(cluster, 'postmaster.pid')
  if (!isDataDir(dataDir) || !existsSync(pidFile)) return null // no cluster, or the folder is not a data folder
  const pid = Number(readFileSync(pidFile, 'utf8').split('\n')[0])
  return { pid, runs: pid > 1 && serves(pid, cluster) }
}

/**
 * The process id of a server whose instance was killed, or null. The caller must know that no process has the folder.
 */
export function findOrphan(dataDir: string): number | null {
  for (const name of [CLUSTER, ...standbysIn(dataDir)]) {
    const found = readPid(dataDir, name)
    if (found?.runs) return found.pid
  }
  return null
}

/**
 * Stops the server of a killed instance, and removes its pid file if the pid now belongs to another process. The caller
 * must hold the folder, or know that no process does. @returns whether there was a server
 */
export async function stopOrphan(dataDir: string, name = CLUSTER): Promise<boolean> {
  const cluster = join(dataDir, name)
  const found = readPid(dataDir, name)
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
