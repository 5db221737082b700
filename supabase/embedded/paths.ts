// Where the embedded PostgreSQL is stored, and under which account it runs. PostgreSQL refuses to run as root. If the
// caller is root, the server runs as an unprivileged account, which cannot enter folders such as root's home or a
// `mktemp -d`. The binaries and the default data are then in folders that it can enter.
import { createHash } from 'node:crypto'
import {
  accessSync,
  chmodSync,
  constants,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

export interface Account {
  name: string
  uid: number
  gid: number
}

/** The account of the server, or null if it is the caller. */
export function serverAccount(): Account | null {
  if (process.getuid?.() !== 0) return null
  const lines = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  for (const name of ['postgres', 'nobody']) {
    const line = lines.find((fields) => fields[0] === name)
    if (line) return { name, uid: Number(line[2]), gid: Number(line[3]) }
  }
  throw new Error(
    'PostgreSQL refuses to run as root, and there is neither a user "postgres" nor "nobody" to run it as.',
  )
}

/** The first existing folder on the way to `path`, including itself, that the account cannot enter. */
function closedFolder(path: string, account: Account): string | null {
  let existing = resolve(path)
  while (!existsSync(existing)) existing = dirname(existing)
  existing = realpathSync(existing)
  const folders = [existing]
  while (dirname(existing) !== existing) {
    existing = dirname(existing)
    folders.unshift(existing)
  }
  const closed = (folder: string) => {
    const { uid, gid, mode } = statSync(folder)
    const bit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001
    return (mode & bit) === 0
  }
  return folders.find(closed) ?? null
}

/** Fails unless only root can write to the folder, because its files are executed or trusted. */
function requireTrusted(folder: string): void {
  const { uid, mode } = lstatSync(folder)
  if (!lstatSync(folder).isDirectory() || uid !== 0 || (mode & 0o022) !== 0) {
    throw new Error(`${folder} must be a folder that root owns and nobody else may write. Remove it, or repair it.`)
  }
}

/** A folder of root that the account can enter, for files that cannot stay in the project's folder. */
function shelter(account: Account): string {
  for (const folder of ['/var/lib/kith', '/var/tmp/kith']) {
    try {
      if (mkdirSync(folder, { recursive: true })) chmodSync(folder, 0o755)
    } catch {
      continue
    }
    requireTrusted(folder)
    if (!closedFolder(folder, account)) return folder
  }
  throw new Error(
    `No folder found for PostgreSQL that the user "${account.name}" can enter (tried /var/lib and /var/tmp).`,
  )
}

/** Copies the binaries once per version, atomically by a rename. */
function shelteredCopy(native: string, version: string, account: Account): string {
  const target = join(shelter(account), `postgres-${version}`)
  if (!existsSync(target)) {
    const unfinished = `${target}.${process.pid}`
    cpSync(native, unfinished, { recursive: true, verbatimSymlinks: true, filter: (source) => !source.endsWith('.a') })
    chmodSync(unfinished, 0o755)
    for (const entry of readdirSync(unfinished, { recursive: true, withFileTypes: true })) {
      const runnable = entry.isDirectory() || basename(entry.parentPath) === 'bin'
      if (!entry.isSymbolicLink()) chmodSync(join(entry.parentPath, entry.name), runnable ? 0o755 : 0o644)
    }
    try {
      renameSync(unfinished, target)
    } catch (error) {
      rmSync(unfinished, { recursive: true })
      if (!existsSync(target)) throw error // otherwise a concurrent start was faster with the same files
    }
  }
  requireTrusted(target)
  return target
}

/** Creates the package's library links, because not every npm runs its install script. */
function completeLinks(native: string): void {
  const links = join(native, 'pg-symlinks.json')
  if (!existsSync(links)) return
  for (const { source, target } of JSON.parse(readFileSync(links, 'utf8'))) {
    const link = join(native, '..', target)
    if (!existsSync(link)) symlinkSync(basename(source), link)
  }
}

/** The folder of a package's programs, or a copy that the account of the server has the right to run. */
export function makeRunnable(packageFolder: string, version: string): string {
  const native = join(packageFolder, 'native')
  completeLinks(native)
  const account = serverAccount()
  if (!account || !closedFolder(join(native, 'bin'), account)) return join(native, 'bin')
  return join(shelteredCopy(native, version, account), 'bin')
}

/** The default of DATA_DIR: `.data` in the project, or a folder named after the project's path. */
export function defaultDataDir(projectRoot: string): string {
  const account = serverAccount()
  if (!account || !closedFolder(projectRoot, account)) return join(projectRoot, '.data')
  const digest = createHash('sha256').update(realpathSync(projectRoot)).digest('hex').slice(0, 16)
  return join(shelter(account), `data-${digest}`)
}

/** Whether the folder belongs to an instance: the secret of the cluster is created before the cluster. */
export const isDataDir = (folder: string): boolean => existsSync(join(folder, 'cluster-secret'))

/**
 * Creates the data folder if it does not exist, and returns its absolute path. Repeating it changes nothing. Only the
 * caller can list it; the server's account can only enter its own folder in it. Fails if the folder has other files, if
 * other users can write to it, or if the server's account cannot reach it.
 */
export function makeDataDir(dataDir: string): string {
  const folder = resolve(dataDir)
  const account = serverAccount()
  if (account) requirePassage(dirname(folder), account, folder)
  makeFolder(folder, folder, account ? 0o777 : 0o700)
  const { uid } = statSync(folder)
  const refused = new Error(
    `DATA_DIR ${folder} cannot be used: somebody else owns it or may write to it. ` +
      'Choose another DATA_DIR, or make it your own (chown, chmod go-w).',
  )
  if (uid !== process.getuid?.()) throw refused
  requireWritable(folder)
  requireUnused(folder)
  if (account) {
    if (readdirSync(folder).length === 0) chmodSync(folder, 0o711)
    requirePassage(folder, account, folder)
  }
  // the folder has the secrets that sign tokens: other users with write access could replace them
  if ((statSync(folder).mode & 0o022) !== 0) throw refused
  return folder
}

/** Creates the folder and its parents one by one: a recursive mkdir of Node never returns in /proc. */
export function makeFolder(path: string, folder: string, mode: number): void {
  if (existsSync(path)) return
  makeFolder(dirname(path), folder, mode)
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    if (existsSync(path)) return // a concurrent start was faster
    throw new Error(
      `DATA_DIR ${folder} cannot be used: ${path} cannot be made (${codeOf(error)}). Choose another DATA_DIR.`,
    )
  }
}

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : error)

/** Fails if the path is not a folder, or cannot be written, for example on a read-only disk. */
function requireWritable(folder: string): void {
  if (!statSync(folder).isDirectory())
    throw new Error(`DATA_DIR ${folder} cannot be used: it is not a folder. Choose another DATA_DIR.`)
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new Error(
      `DATA_DIR ${folder} cannot be used: nothing can be written there (${codeOf(error)}). Choose another DATA_DIR.`,
    )
  }
}

function requirePassage(path: string, account: Account, folder: string): void {
  const closed = closedFolder(path, account)
  if (!closed) return
  if (!statSync(closed).isDirectory())
    throw new Error(`DATA_DIR ${folder} cannot be used: ${closed} is not a folder. Choose another DATA_DIR.`)
  throw new Error(
    `DATA_DIR ${folder} cannot be used: PostgreSQL does not run as root but as the user "${account.name}", ` +
      `who may not enter ${closed}. Choose another DATA_DIR, or let others enter that folder (chmod o+x ${closed}).`,
  )
}

/**
 * Files that an unused folder may have: files of a start that was killed early, of a facade on another database, and
 * of volumes.
 */
const harmless = /^(lock(-journal)?|instance\.json.*|cluster-secret\..*|mail|running|lost\+found|\..*)$/

function requireUnused(folder: string): void {
  const other = isDataDir(folder) ? undefined : readdirSync(folder).find((name) => !harmless.test(name))
  if (!other) return
  throw new Error(
    `DATA_DIR ${folder} cannot be used: it has no data of Kith, and is not empty (there is ${other}). ` +
      'Choose another DATA_DIR, one that is empty or does not exist.',
  )
}
