// Takes a base backup of the embedded cluster, with the media of the local folder and the secrets, and deletes old
// backups.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { Sql } from 'postgres'
import { HISTORY } from '../cluster.ts'
import { keptSecret, lock } from '../instance.ts'
import { baseBackup, openReplication, positionOf } from '../replication.ts'
import { type Base, listBases, type Manifest, piecesOf, seal, sha256 } from './manifest.ts'
import type { Place } from './place.ts'

export interface BaseOptions {
  /** The connection string of a role with replication rights. */
  databaseUrl: string
  dataDir: string
  place: Place
  /** Without a passphrase the secrets are left out. */
  passphrase?: string | undefined
  /** The number of days of which every moment can be restored. */
  days: number
}

/** The size of a part of the cluster's archive, in bytes. */
const PART = 32 * 1024 * 1024
const DAY = 86_400_000

/** The files of the data folder that are secrets. With them anybody can sign tokens. */
const SECRETS = ['jwt-secret', 'cluster-secret']
const MEDIA = 'media'

/** The beginning of the names of the folders, in the data folder, into which backups are restored to verify them. */
export const SCRATCH = 'backup-check-'

/** The beginning of the names of this data folder's backups. A restored data folder gets another beginning. */
export const historyOf = (dataDir: string): string => `${keptSecret(dataDir, HISTORY, 9)}/`

/** The identifier of a base backup that begins at this time. */
const idOf = (time: number): string => new Date(time).toISOString().replaceAll(':', '')

/** @throws Error if another process takes a backup of the same instance */
export async function backUp(options: BaseOptions): Promise<Base> {
  const { dataDir, place } = options
  const held = lock(join(dataDir, 'backup.lock'), 0)
  if (!held) throw new Error(`Another backup of ${dataDir} is running.`)
  try {
    const folder = historyOf(dataDir)
    const id = idOf(Date.now())
    const base = { ...(await write(options, folder, `${folder}base/${id}/`)), folder, id }
    await prune(place, options.days, historyOf(dataDir))
    return base
  } finally {
    held.close()
  }
}

async function write({ databaseUrl, dataDir, ...options }: BaseOptions, folder: string, path: string) {
  const { place, passphrase } = options
  const sql = openReplication(databaseUrl, 'kith_backup')
  try {
    const cluster = await copyCluster(sql, place, path)
    const media = await copyMedia(dataDir, place, folder)
    const secrets = passphrase ? seal(readSecrets(dataDir), passphrase) : null
    if (secrets) await place.put(`${path}secrets.json`, secrets)
    const manifest: Manifest = {
      format: 'kith backup 1',
      ...cluster,
      media,
      secrets: secrets && { sha256: sha256(secrets) },
    }
    await place.put(`${path}manifest.json`, Buffer.from(JSON.stringify(manifest, null, 2)))
    return manifest
  } finally {
    await sql.end({ timeout: 1 })
  }
}

async function copyCluster(sql: Sql, place: Place, path: string) {
  const [server] = await sql.unsafe<[{ system: string; version: number; size: number; spaces: number }]>(`
    select (select system_identifier from pg_control_system())::text as system,
           current_setting('server_version_num')::int / 10000 as version,
           (select setting::int from pg_settings where name = 'wal_segment_size') as size,
           (select count(*)::int from pg_tablespace) as spaces`)
  if (server.spaces > 2) throw new Error('The cluster has tablespaces, which a backup does not contain.')
  // the slot keeps the log until it is copied
  await sql.unsafe(`CREATE_REPLICATION_SLOT kith_base_${process.pid} TEMPORARY PHYSICAL RESERVE_WAL`)
  const parts: Manifest['parts'] = []
  const put = async (bytes: Buffer) => {
    const name = `base.tar.gz.${String(parts.length).padStart(3, '0')}`
    await place.put(`${path}${name}`, bytes)
    parts.push({ name, sha256: sha256(bytes) })
  }
  const gather = async (source: AsyncIterable<Buffer>) => {
    let [gathered, size]: [Buffer[], number] = [[], 0]
    for await (const bytes of source) {
      gathered.push(bytes)
      size += bytes.length
      if (size < PART) continue
      await put(Buffer.concat(gathered))
      ;[gathered, size] = [[], 0]
    }
    await put(Buffer.concat(gathered))
  }
  const span = await baseBackup(sql, `LABEL 'kith', WAL`, (archive) =>
    pipeline(archive, createGzip({ level: 1 }), gather),
  )
  const takenAt = new Date().toISOString()
  const { system, version: postgres, size: segmentSize } = server
  return { system, postgres, segmentSize, ...span, takenAt, parts }
}

/**
 * Call it after copying the cluster, because then every object that the cluster names exists, unless it was deleted
 * meanwhile.
 */
async function copyMedia(dataDir: string, place: Place, folder: string): Promise<Record<string, string>> {
  const media: Record<string, string> = {}
  if (!existsSync(join(dataDir, MEDIA))) return media
  const known = new Set(await place.list(`${folder}media/`))
  for (const file of readdirSync(join(dataDir, MEDIA))) {
    const bytes = await readFile(join(dataDir, MEDIA, file)).catch(() => null)
    if (!bytes) continue // the file was deleted meanwhile
    const hash = sha256(bytes)
    const name = `${folder}media/${hash}`
    if (!known.has(name)) await place.put(name, bytes)
    known.add(name)
    media[`${MEDIA}/${file}`] = hash
  }
  return media
}

function readSecrets(dataDir: string): Record<string, string> {
  const there = SECRETS.filter((name) => existsSync(join(dataDir, name)))
  return Object.fromEntries(there.map((name) => [name, readFileSync(join(dataDir, name), 'utf8')]))
}

/**
 * Deletes base backups that are not needed to restore the last days, the log before the oldest remaining backup of its
 * history, and files that no backup has. Files of a running backup stay. A history without a complete base backup is
 * deleted if everything in it is older than these days.
 * @param current the history of the running instance. It stays, because its base backup may still come
 */
export async function prune(place: Place, days: number, current: string, now = Date.now()): Promise<void> {
  const since = now - days * DAY
  const names = await place.list()
  const bases = await listBases(place, names)
  const recent = bases.findIndex(({ takenAt }) => Date.parse(takenAt) > since)
  const kept = bases.slice(Math.max(0, (recent < 0 ? bases.length : recent) - 1))
  const isNeeded = (folder: string) => {
    const own = kept.filter((base) => base.folder === folder)
    const ids = new Set(own.map(({ id }) => id))
    const media = new Set(own.flatMap((base) => Object.values(base.media)))
    const known = new Set(bases.filter((base) => base.folder === folder).map(({ id }) => id))
    const started = idOf(now - DAY)
    const start = own[0] ? positionOf(own[0].from) : null
    const pieces = new Set(
      piecesOf(names, folder).flatMap(({ name, to }) => (start !== null && to > start ? name : [])),
    )
    return (name: string): boolean => {
      const [kind = '', one = ''] = name.slice(folder.length).split('/')
      if (kind === 'base') return ids.has(one) || (!known.has(one) && one > started)
      if (kind === 'media') return media.has(one)
      return kind === 'wal' ? pieces.has(name) : true
    }
  }
  const without = abandoned(names, bases, since).filter((folder) => folder !== current)
  const old = [...new Set(bases.map(({ folder }) => folder)), ...without].flatMap((folder) => {
    const needed = isNeeded(folder)
    return names.filter((name) => name.startsWith(folder) && !needed(name))
  })
  // delete the manifest first, so that a partly deleted backup does not count as a backup
  const isManifest = (name: string) => name.endsWith('/manifest.json')
  for (const name of old.filter(isManifest)) await place.remove(name)
  for (const name of old.filter((one) => !isManifest(one))) await place.remove(name)
}

/** The histories without a complete base backup whose pieces of the log and parts of a cluster are all older. */
function abandoned(names: readonly string[], bases: readonly Base[], since: number): string[] {
  const found = names.flatMap((name) => /^(|.*\/)(?:base|wal)\//.exec(name)?.[1] ?? [])
  const complete = new Set(bases.map(({ folder }) => folder))
  return [...new Set(found)].filter((folder) => {
    if (complete.has(folder)) return false
    const times = piecesOf(names, folder).flatMap(({ until }) => until || []) // the first pieces may lack their time
    const own = names.filter((name) => name.startsWith(folder)).map((name) => name.slice(folder.length))
    const ids = own.flatMap((name) => /^base\/(\d{4}-\d\d-\d\dT[\d.]+Z)\/base\.tar\.gz\.\d+$/.exec(name)?.[1] ?? [])
    if (times.length + ids.length === 0) return false
    return times.every((time) => time <= since) && ids.every((id) => id <= idOf(since))
  })
}
