// npm run restore -- --from=<place> [--at=<time>] [--without-secrets]: restores a backup into an empty DATA_DIR.
// docs/operation.md, Backup and restore.
import { parseArgs } from 'node:util'
import { openPlace } from '../supabase/embedded/backup/place.ts'
import { restore } from '../supabase/embedded/backup/restore.ts'
import { folderOf } from '../supabase/embedded/processes.ts'
import { readConfig } from './lib/config.ts'
import { environment } from './lib/environment.ts'
import { z } from './lib/schemas.ts'

const usage =
  'npm run restore -- --from=<folder or s3://bucket/prefix> [--at=2026-01-31T12:00:00Z] [--without-secrets]\n' +
  'DATA_DIR is the folder to restore into.'

const say = (line: string) => process.stdout.write(`${line}\n`)

const Time = z.iso.datetime({ offset: true }).transform((text) => new Date(text))

function parse() {
  const string = { type: 'string' } as const
  try {
    const { values } = parseArgs({ options: { from: string, at: string, 'without-secrets': { type: 'boolean' } } })
    return {
      from: z.string().min(1).parse(values.from),
      at: Time.optional().parse(values.at),
      withoutSecrets: values['without-secrets'] ?? false,
    }
  } catch (cause) {
    throw new Error(usage, { cause })
  }
}

async function main(): Promise<void> {
  const { from, at, withoutSecrets } = parse()
  const { backup, dataDir: given } = readConfig({ ...environment, BACKUP_TO: from, DATABASE_URL: undefined })
  if (!backup) throw new Error(usage)
  const dataDir = folderOf(given)
  const place = openPlace(backup.to, backup.s3)
  const { until, secrets } = await restore({ place, at, dataDir, passphrase: backup.passphrase, withoutSecrets })
  say(`${dataDir} has everything until ${until.toISOString()}. Start Kith with npm start.`)
  if (!secrets)
    say('The secrets were not restored: everybody has to log in again, unless you start it with the old JWT_SECRET.')
}

await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
})
