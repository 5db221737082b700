// The processes beside the instance: facades on another database, and workers alone. Each has a file in `running` of its
// data folder, and a lock on another one beside it, as the instance has (instance.ts): so a file that a killed process
// left counts for nothing, whoever has its number now.
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { hostname } from 'node:os'
import { join, resolve } from 'node:path'
import { lock, readInstance, writePrivately } from './instance.ts'
import { defaultDataDir, makeFolder, serverAccount } from './paths.ts'

export interface Running {
  kind: 'instance' | 'facade' | 'worker'
  pid: number
  /** The machine or container: elsewhere the number is another process's. */
  host: string
  /** Where a facade listens; null for a worker, and while it starts. */
  url: string | null
  /** Where its database is, without who connects. */
  database: string
}

/** Where the data of a process is, when its DATA_DIR says this. */
export const folderOf = (dataDir: string | undefined): string =>
  dataDir || defaultDataDir(join(import.meta.dirname, '..', '..'))

interface EnterOptions {
  dataDir: string | undefined
  kind: 'facade' | 'worker'
  database: string
  /** Hears why nobody will find the process, where nothing can be written: it can run all the same. */
  warn(sentence: string): void
}

/** Enters this process until it ends. Gives what says where it listens. */
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

/** Whether nobody but the caller can have written there: what it names is signalled. */
function isOwn(folder: string): boolean {
  const { uid, mode } = statSync(folder)
  return uid === (process.getuid?.() ?? uid) && (mode & 0o022) === 0
}

/** The entered processes that still live. What the others left is removed. */
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
      return [] // it ended between the two looks
    }
  })
}

/** All that runs from the data folder, the instance last: the others may be on its database. */
export function listRunning(dataDir: string): Running[] {
  const instance = readInstance(dataDir)
  const entries = readEntries(dataDir)
  if (!instance) return entries
  const { pid, stack } = instance
  const own: Running = { kind: 'instance', pid, host: hostname(), url: stack?.apiUrl ?? null, database: 'its own' }
  return [...entries, own]
}

/** Those that PORT means: the facade there, or all where it is not set. */
export function chosen(running: readonly Running[], port: string | undefined): Running[] {
  if (!Number(port)) return [...running]
  return running.filter(({ url }) => url !== null && (new URL(url).port || '80') === String(Number(port)))
}

/** How a process is spoken of. */
export function nameOf({ kind, pid, url, database }: Running): string {
  if (kind === 'worker') return `the worker on ${database} (pid ${pid})`
  return `the ${kind} ${url ? `at ${url}` : 'that is starting'}${kind === 'facade' ? ` on ${database}` : ''} (pid ${pid})`
}
