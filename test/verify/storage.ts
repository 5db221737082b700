// npm run verify:storage -- --storage=<url> --public=<url> --bucket=<name>: the life of media
// (test/support/media-life.ts) against an object storage that runs elsewhere, with its own database and facade. The key
// comes from the environment, STORAGE_ACCESS_KEY and STORAGE_SECRET_KEY. It deletes what it writes there, except for
// the object `kith-check`.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { AwsClient } from 'aws4fetch'
import { OTHER, type StorageSettings } from '../support/storage-settings.ts'

const root = join(import.meta.dirname, '../..')

function describeStorage(): StorageSettings {
  const string = { type: 'string' } as const
  const { values } = parseArgs({ options: { storage: string, public: string, bucket: string, region: string } })
  const { STORAGE_ACCESS_KEY, STORAGE_SECRET_KEY } = process.env
  const bucket = values.bucket ?? 'kith'
  // as in Supabase: the address of S3 is beside that of public objects
  const open = values.public ?? values.storage?.replace(/\/s3\/?$/, `/object/public/${bucket}`)
  if (!values.storage || !open || !STORAGE_ACCESS_KEY || !STORAGE_SECRET_KEY)
    throw new Error(
      'Usage: npm run verify:storage -- --storage=<its address for S3> [--public=<the address before a key>]\n' +
        '[--bucket=kith] [--region=us-east-1], with STORAGE_ACCESS_KEY and STORAGE_SECRET_KEY in the environment.\n' +
        'Everybody must be able to read the bucket.',
    )
  return {
    STORAGE_URL: values.storage.replace(/\/$/, ''),
    STORAGE_BUCKET: bucket,
    STORAGE_REGION: values.region ?? 'us-east-1',
    STORAGE_ACCESS_KEY,
    STORAGE_SECRET_KEY,
    STORAGE_PUBLIC_URL: open.replace(/\/$/, ''),
  }
}

/** Creates the private buckets if they don't exist. @throws Error if the storage does not allow it */
async function makeBuckets(settings: StorageSettings): Promise<void> {
  const { STORAGE_ACCESS_KEY: accessKeyId, STORAGE_SECRET_KEY: secretAccessKey, STORAGE_REGION: region } = settings
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3' })
  for (const name of [settings.STORAGE_BUCKET, `${settings.STORAGE_BUCKET}-uploads`, OTHER]) {
    const url = `${settings.STORAGE_URL}/${name}`
    if ((await client.fetch(url, { method: 'HEAD' })).ok) continue
    const { status } = await client.fetch(url, { method: 'PUT' })
    process.stdout.write(`The bucket ${name} is not there: making it was answered with ${status}.\n`)
  }
}

async function main(): Promise<void> {
  const settings = describeStorage()
  await makeBuckets(settings)
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const run = spawn(process.execPath, [vitest, 'run', '--config', 'test/verify/storage.vitest.config.ts'], {
    cwd: root,
    env: { ...process.env, KITH_STORAGE: JSON.stringify(settings) },
    stdio: 'inherit',
  })
  const [code] = await once(run, 'exit')
  process.exitCode = code ?? 1
}

await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
})
