// Processes besides the instance: facades on another database, and separate workers. Each has a file in `running` of
// its data folder, and a lock on a second file, like the instance (instance.ts). Files of killed processes are
// therefore ignored, even if their pid was reused.
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { hostname } from 'node:os'
import { join, resolve } from 'node:path'
import { lock, readInstance, writePrivately } from './instance.ts'
import { defaultDataDir, makeFolder, serverAccount } from './paths.ts'

export interface Running {
  kind: 'instance' | 'facade' | 'worker'
  pid: number
  /** The machine or container. On another machine the pid means another process. */
  host: string
  /** The URL of a facade; null for a worker, and while it is starting. */
  url: string | null
  /** The location of its database, without credentials. */
  database: string
}

/** The data folder of a process with this DATA_DIR. */
export const folderOf = (dataDir: string | undefined): string =>
  dataDir || defaultDataDir(join(import.meta.dirname, '..', '..'))

interface EnterOptions {
  dataDir: string | undefined
  kind: 'facade' | 'worker'
  database: string
  /**
   * Called with the reason if the file cannot be written. The process can run, but `npm run status` will not find it.
   */
  warn(sentence: string): void
}

/** Registers this process until it ends. @returns a function that sets its URL */
export function enter({ dataDir, kind, database, warn }: EnterOptions): (url: string) => void {
  try {
    const path = join(makeRunning(resolve(folderOf(dataDir))), randomBytes(6).toString('hex'))
    const taken = lock(`${path}.lock`, 0)
    const write = (url: string | null) => {
      const entry: Running = { kind, pid: process.pid, host: hostname(), url, database }
      writePrivately(`${path}.json`, JSON.stringify(entry))
    }
    write(null)
    process.once('exit', () => {
      remove(path)
      taken?.close()
    })
    return write
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    warn(`npm run status and npm run stop will not find this process. ${why}`)
    return () => {}
  }
}

function makeRunning(folder: string): string {
  makeFolder(folder, folder, serverAccount() ? 0o711 : 0o700)
  const running = join(folder, 'running')
  mkdirSync(running, { recursive: true, mode: 0o700 })
  return running
}

function remove(path: string): void {
  rmSync(`${path}.json`, { force: true })
  rmSync(`${path}.lock`, { force: true })
}

/** Whether only the caller can write to the folder. This is required, because its pids get signals. */
function isOwn(folder: string): boolean {
  const { uid, mode } = statSync(folder)
  return uid === (process.getuid?.() ?? uid) && (mode & 0o022) === 0
}

/** The registered processes that are alive. Removes the files of processes that have ended. */
function readEntries(dataDir: string): Running[] {
  const folder = join(resolve(dataDir), 'running')
  if (!existsSync(folder) || !isOwn(folder)) return []
  return readdirSync(folder).flatMap((name) => {
    const [, id] = /^(\w+)\.json$/.exec(name) ?? []
    if (!id) return []
    const path = join(folder, id)
    const free = lock(`${path}.lock`, 0)
    if (free) {
      remove(path)
      free.close()
      return []
    }
    try {
      return [JSON.parse(readFileSync(`${path}.json`, 'utf8')) as Running]
    } catch {
      return [] // the process ended after its lock was checked
    }
  })
}

/** All processes of the data folder, the instance last, because the others may use its database. */
export function listRunning(dataDir: string): Running[] {
  const instance = readInstance(dataDir)
  const entries = readEntries(dataDir)
  if (!instance) return entries
  const { pid, stack } = instance
  const own: Running = { kind: 'instance', pid, host: hostname(), url: stack?.apiUrl ?? null, database: 'its own' }
  return [...entries, own]
}

/** The processes that PORT selects: the facade on this port, or all if PORT is not set. */
export function chosen(running: readonly Running[], port: string | undefined): Running[] {
  if (!Number(port)) return [...running]
  return running.filter(({ url }) => url !== null && (new URL(url).port || '80') === String(Number(port)))
}

/** The name of a process in messages. */
export function nameOf({ kind, pid, url, database }: Running): string {
  if (kind === 'worker') return `the worker on ${database} (pid ${pid})`
  return `the ${kind} ${url ? `at ${url}` : 'that is starting'}${kind === 'facade' ? ` on ${database}` : ''} (pid ${pid})`
}
