// npm run compare-schema: compares the schema that the migrations give with the declared one, sql/ and policies/. With
// the connection string of a database, compares that database with the migrations. Prints a line for each difference.
import { migrate } from '../embedded/migrate.ts'
import { allDifferences, catalogOf, differences } from './catalog.ts'
import { withBoth, withServer } from './scratch.ts'

/** What the migrations lack to give the declared schema. */
export const missingMigrations = (): Promise<string[]> =>
  withBoth((migrated, declared) => allDifferences(migrated.url(), declared.url()))

/** What a database in use lacks to be as the migrations make it, without rows and what belongs to its server. */
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
