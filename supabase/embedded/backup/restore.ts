// Restores a backup into a data folder, to the end of its log or to a moment, or into a scratch folder to check it.
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  fchownSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { createGunzip, gunzip } from 'node:zlib'
import postgres, { type Sql } from 'postgres'
import { passwordOf } from '../cluster.ts'
import { claimInstance, releaseInstance, writePrivately } from '../instance.ts'
import { isDataDir, makeDataDir, serverAccount } from '../paths.ts'
import { end, launch, notYet, type Server } from '../postgres.ts'
import { binariesOf, majors, provide } from '../programs.ts'
import { positionText } from '../replication.ts'
import { type Base, continuation, getChecked, listBases, open, type Piece, piecesOf } from './manifest.ts'
import type { Place } from './place.ts'
import { unpack } from './tar.ts'

export interface RestoreOptions {
  place: Place
  /** The moment to restore; by default the last one that the log reaches. */
  at?: Date | undefined
  /** An empty folder, or one that does not exist. */
  dataDir: string
  passphrase?: string | undefined
  /** Whether to leave the secrets out, so that everybody has to log in again. */
  withoutSecrets?: boolean
  /** Runs on the restored cluster as its superuser, before the folder is complete. */
  work?: (sql: Sql) => Promise<void>
}
export interface Restored {
  base: Base
  /** The restored moment. */
  until: Date
  /** Whether the secrets are in the folder. */
  secrets: boolean
}

const unzip = promisify(gunzip)
const UNFINISHED = 'postgres.unfinished'

/** @throws Error with a sentence for the operator; the folder is then empty again */
export async function restore(options: RestoreOptions): Promise<Restored> {
  const { place, passphrase, withoutSecrets = false } = options
  if (isDataDir(resolve(options.dataDir)))
    throw new Error(
      `DATA_DIR ${options.dataDir} holds an instance. Restore into a folder that is empty or does not exist.`,
    )
  const names = await place.list()
  const base = choose(place, await listBases(place, names), options.at)
  const { used, until } = plan(base, piecesOf(names, base.folder), options.at)
  requireVersion(base)
  const secrets = withoutSecrets ? null : await openSecrets(place, base, passphrase)
  const dataDir = makeDataDir(options.dataDir)
  claimInstance(dataDir)
  try {
    provide(dataDir, base.postgres)
    await fetchCluster(place, base, join(dataDir, UNFINISHED))
    await fetchLog(place, base, used, join(dataDir, UNFINISHED, 'pg_wal'))
    for (const [path, hash] of Object.entries(base.media)) {
      const bytes = await getChecked(place, `${base.folder}media/${hash}`, hash)
      await mkdir(join(dataDir, dirname(path)), { recursive: true, mode: 0o700 })
      await writeFile(join(dataDir, path), bytes)
    }
    const newSecret = secrets?.['cluster-secret'] ?? randomBytes(32).toString('base64url')
    await recover(dataDir, base, options.at, async (sql) => {
      await options.work?.(sql)
      for (const role of ['supabase_admin', 'postgres'])
        await sql.unsafe(`alter role ${role} password '${passwordOf(newSecret, role)}'`)
      await sql`delete from private.verified_backups`
      if (!secrets) await sql`delete from private.jwt_fingerprint`
    })
    if (secrets?.['jwt-secret']) writePrivately(join(dataDir, 'jwt-secret'), secrets['jwt-secret'])
    renameSync(join(dataDir, UNFINISHED), join(dataDir, 'postgres'))
    writePrivately(join(dataDir, 'cluster-secret'), newSecret) // from now on the folder belongs to an instance
  } catch (error) {
    for (const name of [UNFINISHED, 'media', 'postgres.log', `postgresql-${base.postgres}`])
      rmSync(join(dataDir, name), { recursive: true, force: true })
    throw error
  } finally {
    releaseInstance(dataDir)
  }
  return { base, until: options.at ?? until, secrets: secrets !== null }
}

/** The newest base backup at the moment. */
function choose(place: Place, bases: Base[], at: Date | undefined): Base {
  const [oldest] = bases
  if (!oldest) throw new Error(`There is no complete backup of Kith in ${place.name}.`)
  const systems = new Set(bases.map(({ system }) => system))
  if (systems.size > 1)
    throw new Error(`${place.name} has backups of several instances. Give the folder of one: ${place.name}/<folder>.`)
  const found = bases.findLast(({ takenAt }) => !at || Date.parse(takenAt) <= at.getTime())
  if (!found) throw new Error(`The backup does not reach back to ${at?.toISOString()}: it begins at ${oldest.takenAt}.`)
  return found
}

/** The pieces of the log to recover. @throws Error if the log does not reach the moment, or has a gap before it */
function plan(base: Base, pieces: readonly Piece[], at: Date | undefined): { used: Piece[]; until: Date } {
  const { used, until, gap } = continuation(base, pieces, at?.getTime())
  const reached = new Date(until)
  if (gap !== null)
    throw new Error(
      `The log has a gap: the piece from ${positionText(gap)} on is missing. It reaches until ` +
        `${reached.toISOString()}. With --at you can restore that moment or an earlier one.`,
    )
  if (at && until < at.getTime())
    throw new Error(`The backup does not reach ${at.toISOString()}: it ends at ${reached.toISOString()}.`)
  return { used, until: reached }
}

function requireVersion({ postgres: version }: Base): void {
  if (!majors().includes(version))
    throw new Error(
      `The backup is of PostgreSQL ${version}, and this release of Kith runs ${[...new Set(majors())].join(' and ')}. ` +
        'Restore it with the release that made it.',
    )
}

async function openSecrets(place: Place, base: Base, passphrase: string | undefined) {
  if (!base.secrets) return null
  if (!passphrase)
    throw new Error(
      'The backup has encrypted secrets. Set BACKUP_PASSPHRASE, or leave them out with --without-secrets: everybody ' +
        'has to log in again then.',
    )
  return open(await getChecked(place, `${base.folder}base/${base.id}/secrets.json`, base.secrets.sha256), passphrase)
}

async function fetchCluster(place: Place, base: Base, cluster: string): Promise<void> {
  const account = serverAccount()
  mkdirSync(cluster, { mode: 0o700 })
  if (account) chownSync(cluster, account.uid, account.gid)
  async function* parts() {
    for (const { name, sha256 } of base.parts)
      yield await getChecked(place, `${base.folder}base/${base.id}/${name}`, sha256)
  }
  await pipeline(Readable.from(parts(), { highWaterMark: 1 }), createGunzip(), (source: AsyncIterable<Buffer>) =>
    unpack(source, cluster, account),
  )
}

/** Writes the pieces into the files of the log, and overwrites the log of the base backup. */
async function fetchLog(place: Place, base: Base, pieces: readonly Piece[], folder: string): Promise<void> {
  for (const { name, from, to } of pieces) {
    const bytes = await place
      .get(name)
      .then(unzip)
      .catch((cause: unknown) => {
        throw new Error(`The backup is damaged: ${name} cannot be read.`, { cause })
      })
    if (BigInt(bytes.length) !== to - from) throw new Error(`The backup is damaged: ${name} has the wrong length.`)
    for (let done = 0; done < bytes.length; ) done += writeLog(base, folder, from + BigInt(done), bytes.subarray(done))
  }
}

/** Writes into one file of the log. @returns the number of bytes that belong to this file */
function writeLog({ segmentSize, timeline }: Base, folder: string, at: bigint, bytes: Buffer): number {
  const size = BigInt(segmentSize)
  const [segment, offset] = [at / size, Number(at % size)]
  const perId = 0x100000000n / size
  const hex = (value: bigint) => value.toString(16).toUpperCase().padStart(8, '0')
  const path = join(folder, hex(BigInt(timeline)) + hex(segment / perId) + hex(segment % perId))
  const file = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600)
  try {
    const account = serverAccount()
    if (account) fchownSync(file, account.uid, account.gid)
    ftruncateSync(file, segmentSize) // PostgreSQL reads whole files
    return writeSync(file, bytes, 0, Math.min(bytes.length, segmentSize - offset), offset)
  } finally {
    closeSync(file)
  }
}

/** The message of PostgreSQL if nothing was committed after the moment. */
const NOTHING_AFTER = /recovery ended before configured recovery target was reached/

/** Recovers the unfinished cluster. Only this process can connect to it, by a socket in a private folder. */
async function recover(
  dataDir: string,
  { postgres: major }: Base,
  at: Date | undefined,
  work: (sql: Sql) => Promise<void>,
): Promise<void> {
  const account = serverAccount()
  const bin = binariesOf(dataDir, major)
  const sockets = mkdtempSync(join(tmpdir(), 'kith-'))
  const access = join(sockets, 'pg_hba.conf')
  writeFileSync(access, 'local all supabase_admin trust\n')
  chmodSync(access, 0o644)
  writeFileSync(join(dataDir, UNFINISHED, 'recovery.signal'), '')
  if (account) {
    chownSync(sockets, account.uid, account.gid)
    chownSync(join(dataDir, UNFINISHED, 'recovery.signal'), account.uid, account.gid)
  }
  const start = (target: Record<string, string>) =>
    launch(bin, join(dataDir, UNFINISHED), 5432, join(dataDir, 'postgres.log'), {
      listen_addresses: '',
      unix_socket_directories: sockets,
      hba_file: access,
      hot_standby: 'off',
      // a backup of a primary with standbys contains their names, and commits would wait for them
      synchronous_standby_names: '',
      restore_command: 'false', // no command, because the log is already in its folder
      recovery_target_timeline: 'current',
      recovery_target_action: 'promote',
      ...target,
    })
  const target = at?.toISOString().replace('Z', '+00') // PostgreSQL accepts no Z here
  let server = start(target ? { recovery_target_time: target } : {})
  try {
    const first = await recovered(server, sockets)
    if (!first && at && NOTHING_AFTER.test(server.said())) server = start({})
    const sql = first ?? (await recovered(server, sockets))
    if (!sql) throw new Error(`PostgreSQL cannot recover the backup. Its log says:\n${server.said()}`)
    await work(sql).finally(() => sql.end())
  } finally {
    await end(server)
    rmSync(sockets, { recursive: true, force: true })
  }
}

/** Returns a connection when the recovery is complete, or null if the server has ended. */
async function recovered(server: Server, sockets: string): Promise<Sql | null> {
  for (; !server.ended; await sleep(50)) {
    const sql = postgres({
      path: join(sockets, '.s.PGSQL.5432'),
      username: 'supabase_admin',
      database: 'postgres',
      max: 1,
      fetch_types: false,
      onnotice: () => {},
    })
    try {
      await sql`select`
      return sql
    } catch (error) {
      await sql.end({ timeout: 1 })
      const code = error instanceof Error && 'code' in error ? String(error.code) : ''
      if (![...notYet, 'ENOENT'].includes(code)) throw error
    }
  }
  return null
}
