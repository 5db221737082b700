// Installs what is missing before `npm start` and `npm test`, so that each of the two is all the set-up a clone needs.
// Plain JavaScript without imports from node_modules: it runs before they exist, on whatever Node npm itself has.
// An install is current when every package of package-lock.json is in npm's own record of what it installed.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')

/** The packages of a lockfile by their folder, or null when there is no such file. */
function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(join(root, file), 'utf8')).packages
  } catch (error) {
    if (error.code === 'ENOENT' || error instanceof SyntaxError) return null
    throw error
  }
}

/** Optional packages may be absent (other platforms), and a server needs no development packages. */
function isCurrent() {
  const wanted = packagesOf('package-lock.json')
  const found = packagesOf('node_modules/.package-lock.json')
  const starting = ['prestart', 'preprepare-database'].includes(process.env.npm_lifecycle_event)
  const mayBeAbsent = (entry) => entry.optional || (starting && (entry.dev || entry.devOptional))
  return (
    Boolean(wanted && found) &&
    Object.entries(wanted).every(
      ([folder, entry]) =>
        folder === '' || (found[folder] ? found[folder].version === entry.version : mayBeAbsent(entry)),
    )
  )
}

/** An outer npm hands its settings down. Those that change what is installed, or where, are not meant for this one. */
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
