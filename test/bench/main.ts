// npm run bench: ratios of the facade to the same SQL by pgbench and to the same statement without HTTP.
// Alternating runs and medians, since a machine's speed drifts. `--seconds=N` and `--runs=N` change how long it takes.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import postgres from 'postgres'
import { boot } from '../../api-facade/boot.ts'
import { readConfig } from '../../api-facade/lib/config.ts'
import { loginPassword } from '../../api-facade/lib/database.ts'
import { migrate, preparePlatform } from '../../supabase/embedded/migrate.ts'
import { startPostgres } from '../../supabase/embedded/postgres.ts'
import { address, ended } from '../support/process.ts'
import { cases } from './cases.ts'
import { byPgbench, CLIENTS, hasPgbench, overHttp, type Target, withoutHttp } from './load.ts'
import { triggerCosts } from './triggers.ts'

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '5' }, runs: { type: 'string', default: '3' } },
})
const seconds = Number(values.seconds)
const runs = Number(values.runs)
const jwtSecret = 'the secret that signs the tokens of the bench, and nothing else'

const median = (numbers: number[]): number =>
  numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN
const say = (...cells: (string | number)[]) =>
  process.stdout.write(
    `${cells.map((cell, at) => String(cell)[at === 0 ? 'padEnd' : 'padStart'](at === 0 ? 22 : 12)).join('')}\n`,
  )

async function measure(target: Target): Promise<void> {
  const pgbench = hasPgbench()
  if (!pgbench) say('pgbench is not on this machine: the ratios to it are left out.')
  say(`${CLIENTS} clients, ${runs} runs of ${seconds} s, medians a second, ${availableParallelism()} cores`)
  say('', 'http', 'statement', 'pgbench', '/statement', '/pgbench')
  for (const one of cases) {
    const seen = { http: [] as number[], statement: [] as number[], pgbench: [] as number[] }
    await overHttp(target, one, 1) // once for the caches
    for (let run = 0; run < runs; run++) {
      seen.http.push(await overHttp(target, one, seconds))
      seen.statement.push(await withoutHttp(target, one, seconds))
      if (pgbench) seen.pgbench.push(await byPgbench(target, one, seconds))
    }
    const [http, statement, bench] = [median(seen.http), median(seen.statement), median(seen.pgbench)]
    const ratio = (to: number) => (Number.isNaN(to) ? '-' : (http / to).toFixed(2))
    say(one.name, http.toFixed(0), statement.toFixed(0), bench.toFixed(0), ratio(statement), ratio(bench))
  }
}

const dataDir = mkdtempSync(join(tmpdir(), 'kith-bench-'))
const server = await startPostgres({ dataDir })
try {
  await preparePlatform(server.superuserUrl())
  const databaseUrl = server.url()
  await migrate(databaseUrl)
  await boot({ databaseUrl, jwtSecret, config: readConfig({ DATABASE_URL: databaseUrl, JWT_SECRET: jwtSecret }) })
  const superuser = postgres(server.superuserUrl(), { max: 1, onnotice: () => {} })
  for (const statement of readFileSync(join(import.meta.dirname, 'data.sql'), 'utf8').split(/;\n/))
    if (statement.trim()) await superuser.unsafe(statement)
  await superuser.end()

  const facade = spawn(process.execPath, [join(import.meta.dirname, '../../api-facade/main.ts')], {
    env: {
      ...process.env,
      DATABASE_URL: databaseUrl,
      JWT_SECRET: jwtSecret,
      PORT: '0',
      LOG_LEVEL: 'silent',
      RATE_LIMIT_SCALE: '1000000000',
      RATE_LIMIT_STORE: 'memory',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const userUrl = new URL(databaseUrl)
    userUrl.username = 'kith_user'
    userUrl.password = loginPassword(jwtSecret, 'kith_user')
    await measure({ url: await address(facade), userUrl: userUrl.href, jwtSecret })
  } finally {
    await ended(facade)
  }

  const owner = postgres(databaseUrl, { max: 1, onnotice: () => {} })
  say('')
  say('audience triggers', 'ms with', 'ms without', 'factor')
  for (const { name, kept, unkept } of await triggerCosts(owner))
    say(name, kept.toFixed(2), unkept.toFixed(2), (kept / unkept).toFixed(1))
  await owner.end()
} finally {
  await server.stop()
  rmSync(dataDir, { recursive: true, force: true })
}
