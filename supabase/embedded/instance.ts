// One running instance per data folder, and its data for `npm run status` and `npm run stop`. A lock decides which
// process holds the folder, because pids in a pid file are reused. Node has no flock. An exclusive SQLite transaction
// on an empty file replaces it, and the kernel releases it however the process ends.
import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { SignJWT } from 'jose'
import { makeDataDir } from './paths.ts'

/** The addresses and keys of a running instance, with the names of `supabase status -o env`. */
export interface Stack {
  apiUrl: string
  dbUrl: string
  anonKey: string
  serviceRoleKey: string
  jwtSecret: string
}

/** `stack` is null while the instance is starting. */
interface Instance {
  pid: number
  stack: Stack | null
}

const sqliteBusy = 5
const locks = new Map<string, DatabaseSync>()

const instanceFile = (dataDir: string) => join(dataDir, 'instance.json')

const lockFile = (dataDir: string) => join(dataDir, 'lock')

/** The lock on a file, or null if another process holds it for longer than `patience` milliseconds. */
export function lock(path: string, patience: number): DatabaseSync | null {
  if (!existsSync(path)) writeFileSync(path, '', { mode: 0o600 })
  const file = new DatabaseSync(path, { timeout: patience })
  try {
    file.exec('begin exclusive')
    return file
  } catch (error) {
    file.close()
    if (error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy) return null
    throw error
  }
}

/** Writes a file atomically, readable only by the caller. */
export function writePrivately(file: string, text: string): void {
  const unfinished = `${file}.${process.pid}`
  writeFileSync(unfinished, text, { mode: 0o600 })
  renameSync(unfinished, file)
}

/**
 * Takes the data folder for this process until `releaseInstance` or the end of the process.
 * Repeating it changes nothing. Fails if another process has it.
 */
export function claimInstance(dataDir: string): void {
  const folder = makeDataDir(dataDir)
  if (locks.has(folder)) return
  const taken = lock(lockFile(folder), 500) // longer than readInstance holds the lock
  if (!taken) {
    const pid = readInstance(folder)?.pid ?? 'unknown'
    throw new Error(`An instance is already running on ${folder} (pid ${pid}). End it with: npm run stop`)
  }
  locks.set(folder, taken)
  writePrivately(instanceFile(folder), JSON.stringify({ pid: process.pid, stack: null }))
}

/** Writes the addresses and keys of the instance to its file in the claimed folder. */
export function writeInstance(dataDir: string, stack: Stack): void {
  writePrivately(instanceFile(resolve(dataDir)), JSON.stringify({ pid: process.pid, stack }, null, 2))
}

/** Releases the folder. Does nothing without a claim. */
export function releaseInstance(dataDir: string): void {
  const folder = resolve(dataDir)
  const taken = locks.get(folder)
  if (!taken) return
  rmSync(instanceFile(folder), { force: true })
  locks.delete(folder)
  taken.close()
}

/** The instance that holds the folder, or null. Files of a killed instance are ignored. */
export function readInstance(dataDir: string): Instance | null {
  const folder = resolve(dataDir)
  if (!existsSync(instanceFile(folder))) return null
  if (!locks.has(folder)) {
    const free = lock(lockFile(folder), 0)
    free?.close()
    if (free) return null
  }
  try {
    return JSON.parse(readFileSync(instanceFile(folder), 'utf8'))
  } catch {
    return null // the instance ended after its lock was checked
  }
}

/** Random bytes as base64url, created on first use and stored in the data folder, readable only by the caller. */
export function keptSecret(dataDir: string, name: string, bytes = 32): string {
  const file = join(makeDataDir(dataDir), name)
  if (!existsSync(file)) {
    const unfinished = `${file}.${process.pid}`
    writeFileSync(unfinished, randomBytes(bytes).toString('base64url'), { mode: 0o600 })
    try {
      linkSync(unfinished, file) // use a link and no rename, so that two concurrent first starts keep the same secret
    } catch {
      // a concurrent start was faster
    }
    rmSync(unfinished)
  }
  return readFileSync(file, 'utf8')
}

/** The default JWT secret of an instance. It survives restarts, so tokens stay valid. */
export const embeddedSecret = (dataDir: string): string => keptSecret(dataDir, 'jwt-secret')

/** The two API keys of Supabase's gateway and client: HS256, valid for ten years, without a person. */
export async function apiKeys(jwtSecret: string): Promise<{ anonKey: string; serviceRoleKey: string }> {
  const key = (role: string) =>
    new SignJWT({ role })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setIssuer('kith')
      .setIssuedAt()
      .setExpirationTime('10y')
      .sign(new TextEncoder().encode(jwtSecret))
  return { anonKey: await key('anon'), serviceRoleKey: await key('service_role') }
}
