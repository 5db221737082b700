// npm run verify -- --target=<url> runs the tests that need no database of their own against a facade that runs
// elsewhere. They register many people from one address: start the target with RATE_LIMIT_SCALE=1000. These people stay
// in the target.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readInstance } from '../../supabase/embedded/instance.ts'
import { defaultDataDir } from '../../supabase/embedded/paths.ts'
import type { Target } from '../support/settings.ts'

const root = join(import.meta.dirname, '../..')
const { env } = process

/**
 * The settings, with the names of `npm run status` and `supabase status -o env`. If they are not set, those of an
 * embedded instance on this machine are used.
 */
function describeTarget(): Target {
  const { values } = parseArgs({ options: { target: { type: 'string' } } })
  const local = readInstance(env.DATA_DIR || defaultDataDir(root))?.stack
  const url = (values.target ?? local?.apiUrl)?.replace(/\/$/, '')
  const known = local?.apiUrl === url ? local : undefined
  const given = {
    anonKey: env.ANON_KEY ?? known?.anonKey,
    serviceRoleKey: env.SERVICE_ROLE_KEY ?? known?.serviceRoleKey,
    jwtSecret: env.JWT_SECRET ?? known?.jwtSecret,
    email: env.ADMIN_EMAIL,
    password: env.ADMIN_PASSWORD,
  }
  const { anonKey, serviceRoleKey, jwtSecret, email, password } = given
  if (!url || !anonKey || !serviceRoleKey || !jwtSecret || !email || !password)
    throw new Error(
      'Usage: npm run verify -- --target=<the facade>\n' +
        'with ADMIN_EMAIL and ADMIN_PASSWORD in the environment, and for another than the embedded instance of this\n' +
        "machine also ANON_KEY, SERVICE_ROLE_KEY, JWT_SECRET and API_URL (Supabase's, where it is not the facade's).",
    )
  return { url, stack: { url: env.API_URL ?? url, anonKey, serviceRoleKey }, jwtSecret, admin: { email, password } }
}

/** @throws Error if the target does not answer, or its rate limits would stop the tests */
async function lookAt({ url }: Target): Promise<void> {
  const health = await fetch(`${url}/health`).catch(() => undefined)
  if (!health?.ok) throw new Error(`${url}/health does not answer.`)
  const limit = Number(health.headers.get('ratelimit-limit'))
  if (limit < 60_000) throw new Error(`${url} allows ${limit} requests a minute. Start it with RATE_LIMIT_SCALE=1000.`)
}

async function main(): Promise<void> {
  const target = describeTarget()
  await lookAt(target)
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const run = spawn(process.execPath, [vitest, 'run', '--config', 'test/verify/vitest.config.ts'], {
    cwd: root,
    env: { ...env, KITH_TARGET: JSON.stringify(target) },
    stdio: 'inherit',
  })
  const [code] = await once(run, 'exit')
  process.exitCode = code ?? 1
}

await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
})
