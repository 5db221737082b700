// One running instance a data folder, and what others need to know of it (`npm run status`, `npm run stop`).
// Who holds the folder is decided by a lock and not by a pid file, since a pid outlives its process. Node has no flock;
// SQLite's exclusive transaction on an empty file is one, and the kernel drops it when the process dies in whatever way.
import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { SignJWT } from 'jose'
import { makeDataDir } from './paths.ts'

/** What a running instance offers; the names are those of `supabase status -o env`. */
export interface Stack {
  apiUrl: string
  dbUrl: string
  anonKey: string
  serviceRoleKey: string
  jwtSecret: string
}

/** `stack` is null while the instance still starts. */
interface Instance {
  pid: number
  stack: Stack | null
}

const sqliteBusy = 5
const locks = new Map<string, DatabaseSync>()

const instanceFile = (dataDir: string) => join(dataDir, 'instance.json')

const lockFile = (dataDir: string) => join(dataDir, 'lock')

/** The lock on a file, or null when somebody else has it and does not let go within `patience` milliseconds. */
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

/** Written whole or not at all, for the caller alone. */
export function writePrivately(file: string, text: string): void {
  const unfinished = `${file}.${process.pid}`
  writeFileSync(unfinished, text, { mode: 0o600 })
  renameSync(unfinished, file)
}

/**
 * Takes the data folder for this process until `releaseInstance` or the end of the process.
 * Repeating it changes nothing. Fails when another process has it.
 */
export function claimInstance(dataDir: string): void {
  const folder = makeDataDir(dataDir)
  if (locks.has(folder)) return
  const taken = lock(lockFile(folder), 500) // long enough for a look by readInstance to pass
  if (!taken) {
    const pid = readInstance(folder)?.pid ?? 'unknown'
    throw new Error(`An instance is already running on ${folder} (pid ${pid}). End it with: npm run stop`)
  }
  locks.set(folder, taken)
  writePrivately(instanceFile(folder), JSON.stringify({ pid: process.pid, stack: null }))
}

/** Says what the claimed folder's instance offers, once it does. */
export function writeInstance(dataDir: string, stack: Stack): void {
  writePrivately(instanceFile(resolve(dataDir)), JSON.stringify({ pid: process.pid, stack }, null, 2))
}

/** Gives the folder back. Without a claim it does nothing. */
export function releaseInstance(dataDir: string): void {
  const folder = resolve(dataDir)
  const taken = locks.get(folder)
  if (!taken) return
  rmSync(instanceFile(folder), { force: true })
  locks.delete(folder)
  taken.close()
}

/** The instance that holds the folder, or null. What a killed one left behind counts for nothing. */
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
    return null // it ended between the two looks
  }
}

/** 32 random bytes as base64url, made on first use and kept in the data folder for the caller alone. */
export function keptSecret(dataDir: string, name: string): string {
  const file = join(makeDataDir(dataDir), name)
  if (!existsSync(file)) {
    const unfinished = `${file}.${process.pid}`
    writeFileSync(unfinished, randomBytes(32).toString('base64url'), { mode: 0o600 })
    try {
      linkSync(unfinished, file) // and not a rename: of two first starts, both must keep the same
    } catch {
      // the other one was faster
    }
    rmSync(unfinished)
  }
  return readFileSync(file, 'utf8')
}

/** The JWT secret of an instance that was given none. It stays the same over restarts, and with it every token. */
export const embeddedSecret = (dataDir: string): string => keptSecret(dataDir, 'jwt-secret')

/** The two keys that Supabase's gateway and client ask for: HS256, ten years, no person behind them. */
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
