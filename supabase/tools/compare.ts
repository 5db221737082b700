// npm run compare-schema: compares the schema of the migrations with the declared one, sql/ and policies/. With the
// connection string of a database, it compares that database with the migrations. It prints a line for each difference.
import { migrate } from '../embedded/migrate.ts'
import { allDifferences, catalogOf, differences } from './catalog.ts'
import { withBoth, withServer } from './scratch.ts'

/** The differences of the migrations from the declared schema. */
export const missingMigrations = (): Promise<string[]> =>
  withBoth((migrated, declared) => allDifferences(migrated.url(), declared.url()))

/** The differences of a database in use from the migrations, without rows and objects of its server. */
export const changesOf = (url: string): Promise<string[]> =>
  withServer(async (server) => {
    await migrate(server.url(), { seed: false })
    return differences(await catalogOf(url, { within: true }), await catalogOf(server.url(), { within: true }))
  })

if (import.meta.main) {
  const [url] = process.argv.slice(2)
  const found = await (url ? changesOf(url) : missingMigrations())
  for (const line of found) process.stdout.write(`${line}\n`)
  if (found.length === 0) process.stdout.write('There is no difference.\n')
  else process.exitCode = 1
}
