// Standbys of a test's primary. The server of all tests has hundreds of databases and can be copied too, but that takes
// long. Give a test its own primary (startPostgres with `ephemeral`).
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { ephemeral, type Served } from '../../supabase/embedded/postgres.ts'
import { type Standby, startStandby } from '../../supabase/embedded/standby.ts'

/** The part of a server that tests use: a superuser's connection string of any database. */
type Primary = Pick<Served, 'url' | 'superuserUrl'>

/** The same connection string, to this standby. */
export const urlAt = (url: string, { port }: Standby): string =>
  Object.assign(new URL(url), { port: String(port) }).href

/**
 * Starts standbys that stream from the primary, named standby1, standby2 and so on. Call it at the top of a file or
 * describe, and not in a hook: they are removed after the last test there. The primary must end after them.
 * @param more.delay how long each waits until it applies a commit, in milliseconds: `alter system set
 *   recovery_min_apply_delay` as its superuser, and a reload, changes it
 */
export async function standbysOf(primary: Primary, count: number, { delay = 0 } = {}): Promise<Standby[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'kith-standbys-'))
  chmodSync(dataDir, 0o711) // the account of the server has to reach it
  const standbys: Standby[] = []
  afterAll(async () => {
    await Promise.all(standbys.map((standby) => standby.stop()))
    rmSync(dataDir, { recursive: true, force: true })
  })
  for (let number = 1; number <= count; number++)
    standbys.push(await startStandby({ primary, dataDir, name: `standby${number}`, settings: ephemeral, delay }))
  return standbys
}
