// npm run verify:types checks that our types for supabase-js have the arguments that Supabase's own generator writes
// for the current schema. It installs the generator in a temporary folder (212 MB, too much for a dependency), and
// records how it writes each Postgres type. test/types.test.ts compares every later operation with this record.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import postgres from 'postgres'
import { migrate, preparePlatform } from '../../supabase/embedded/migrate.ts'
import { startPostgres } from '../../supabase/embedded/postgres.ts'
import { typesPath } from '../../supabase/tools/cli.ts'
import { argumentsBy, argumentsIn, type Routine, routinesOf } from '../support/types.ts'

const GENERATOR = '@supabase/postgres-meta'
const VERSION = '0.99.0'

/** The generator's output for schema `api`. */
function generate(folder: string, url: string): string {
  const install = [
    'install',
    '--prefix',
    folder,
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    `${GENERATOR}@${VERSION}`,
  ]
  execFileSync('npm', install, { stdio: ['ignore', 'ignore', 'inherit'] })
  return execFileSync(process.execPath, [join(folder, 'node_modules', GENERATOR, 'dist/server/server.js')], {
    env: {
      PATH: process.env.PATH,
      PG_META_DB_URL: url,
      PG_META_GENERATE_TYPES: 'typescript',
      PG_META_GENERATE_TYPES_INCLUDED_SCHEMAS: 'api',
    },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 1 << 26,
  })
}

/** How postgres-meta writes each Postgres type. @throws Error if it writes one in two ways */
function typesIn(theirs: Record<string, string[]>, routines: readonly Routine[]): Record<string, string> {
  const types = new Map<string, string>()
  for (const { name, parameters } of routines) {
    for (const parameter of parameters) {
      const written = theirs[name]?.find((one) => one.startsWith(parameter.name + (parameter.optional ? '?: ' : ': ')))
      const type = written?.replace(/^\w+\??: /, '') ?? 'nothing'
      if ((types.get(parameter.type) ?? type) !== type) throw new Error(`${name}: ${parameter.type} is ${type} here`)
      types.set(parameter.type, type)
    }
  }
  return Object.fromEntries([...types].sort())
}

const dataDir = mkdtempSync(join(tmpdir(), 'kith-types-'))
const folder = mkdtempSync(join(tmpdir(), 'kith-types-'))
const server = await startPostgres({ dataDir, ephemeral: true })
try {
  await preparePlatform(server.superuserUrl())
  await migrate(server.url(), { seed: false })
  const sql = postgres(server.url(), { max: 1 })
  const routines = await routinesOf(sql).finally(() => sql.end())
  const text = generate(folder, server.url())
  const theirs = argumentsIn(text)
  const ours = argumentsIn(readFileSync(typesPath, 'utf8'))
  const differing = Object.keys(ours).filter((name) => !isDeepStrictEqual(ours[name], theirs[name]))
  const types = typesIn(theirs, routines)
  const untold = routines.filter((one) => !isDeepStrictEqual(argumentsBy(types, one), theirs[one.name]))
  if (untold.length > 0) throw new Error(`Not by type and default alone: ${untold.map(({ name }) => name).join(', ')}`)
  writeFileSync('test/support/postgres-meta.json', `${JSON.stringify({ version: VERSION, types }, null, 2)}\n`)
  const count = Object.keys(ours).length
  process.stdout.write(`${count - differing.length} of ${count} functions are alike. ${differing.join(', ')}\n`)
  if (differing.length > 0) process.exitCode = 1
} finally {
  await server.stop()
  for (const one of [dataDir, folder]) rmSync(one, { recursive: true, force: true })
}
