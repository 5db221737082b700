// Temporary databases, each on its own server, because roles belong to the server.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { migrate, preparePlatform } from '../embedded/migrate.ts'
import { type Postgres, startPostgres } from '../embedded/postgres.ts'
import { baseline, baselinePath } from './schema.ts'

/** Runs `work` with an empty server, which has the platform and is removed afterwards. */
export async function withServer<T>(work: (server: Postgres) => Promise<T>): Promise<T> {
  const dataDir = mkdtempSync(join(tmpdir(), 'kith-gen-'))
  const server = await startPostgres({ dataDir, ephemeral: true })
  try {
    await preparePlatform(server.superuserUrl())
    return await work(server)
  } finally {
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** Gives an empty database the schema that sql/ and policies/ declare. */
export async function declare(url: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'kith-declared-'))
  try {
    mkdirSync(join(folder, 'migrations'))
    writeFileSync(join(folder, 'migrations', basename(baselinePath)), baseline())
    await migrate(url, { folder })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Runs `work` with two databases, one with the schema of the migrations and one with the declared schema. */
export const withBoth = <T>(work: (migrated: Postgres, declared: Postgres) => Promise<T>): Promise<T> =>
  withServer((migrated) =>
    withServer(async (declared) => {
      await Promise.all([migrate(migrated.url(), { seed: false }), declare(declared.url())])
      return work(migrated, declared)
    }),
  )
