// npm run bench: ratios of the facade to the same SQL by pgbench and to the same statement without HTTP.
// Alternating runs and medians, since a machine's speed drifts. `--seconds=N` and `--runs=N` change how long it takes,
// `--only=pay` measures the cases whose name has that in it, `--posts=1000000` among so many posts (at least 100,000).
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import postgres from 'postgres'
import { boot } from '../../api-facade/boot.ts'
import { readConfig } from '../../api-facade/lib/config.ts'
import { loginPassword } from '../../api-facade/lib/database.ts'
import { createTokens } from '../../api-facade/lib/tokens.ts'
import { migrate, preparePlatform } from '../../supabase/embedded/migrate.ts'
import { startPostgres } from '../../supabase/embedded/postgres.ts'
import { address, ended } from '../support/process.ts'
import { cases, claims } from './cases.ts'
import { byPgbench, CLIENTS, hasPgbench, overHttp, plainHttp, type Target, withoutHttp } from './load.ts'
import { realtimeFigures } from './realtime.ts'
import { triggerCosts } from './triggers.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    runs: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
    posts: { type: 'string', default: '200000' },
  },
})
const seconds = Number(values.seconds)
const runs = Number(values.runs)
const posts = Number(values.posts)
const admin = { email: 'admin@example.org', password: 'first admin of the bench' }
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
  for (const one of cases(posts).filter(({ name }) => name.includes(values.only))) {
    const seen = { http: [] as number[], statement: [] as number[], pgbench: [] as number[] }
    await overHttp(target, one, seconds) // once for the caches, and the plans that each connection makes for itself
    await withoutHttp(target, one, 1)
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

/** What has no statement of its own to compare with: passwords are the facade's, and a 304 has no body. */
async function measureHttpAlone({ url, jwtSecret: secret }: Target): Promise<void> {
  const token = await (await createTokens([secret])).sign(claims(2))
  const catalog = `${url}/api/v1/interests/catalog`
  const authorization = `Bearer ${token}`
  const etag = (await fetch(catalog, { headers: { authorization } })).headers.get('etag') ?? ''
  const login = {
    method: 'POST',
    path: '/api/v1/auth/login',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(admin),
  } as const
  const known = {
    method: 'GET',
    path: '/api/v1/interests/catalog',
    headers: { authorization, 'if-none-match': etag },
  } as const
  say('login (argon2id)', (await plainHttp(url, login, 200, seconds)).toFixed(0))
  say('catalog, 304', (await plainHttp(url, known, 304, seconds)).toFixed(0))
}

const dataDir = mkdtempSync(join(tmpdir(), 'kith-bench-'))
const server = await startPostgres({ dataDir })
try {
  await preparePlatform(server.superuserUrl())
  const databaseUrl = server.url()
  await migrate(databaseUrl)
  const environment = {
    DATABASE_URL: databaseUrl,
    JWT_SECRET: jwtSecret,
    ADMIN_EMAIL: admin.email,
    ADMIN_PASSWORD: admin.password,
  }
  await boot({ databaseUrl, jwtSecret, config: readConfig(environment) })
  const superuser = postgres(server.superuserUrl(), { max: 1, onnotice: () => {} })
  for (const statement of readFileSync(join(import.meta.dirname, 'data.sql'), 'utf8')
    .replaceAll(':posts', String(posts))
    .split(/;\n/))
    if (statement.trim()) await superuser.unsafe(statement)
  const userUrl = new URL(databaseUrl)
  userUrl.username = 'kith_user'
  userUrl.password = loginPassword(jwtSecret, 'kith_user')
  const target = { url: '', userUrl: userUrl.href, jwtSecret }
  // Tables that are empty when a connection makes its plans are scanned until the next analyze, however they grow.
  for (const one of cases(posts).filter(({ method }) => method === 'POST')) await withoutHttp(target, one, 2)
  await superuser.unsafe('vacuum analyze')
  await superuser.unsafe('checkpoint') // else the first writes pay for what the data has dirtied
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
    target.url = await address(facade)
    await measure(target)
    await measureHttpAlone(target)
  } finally {
    await ended(facade)
  }

  const owner = postgres(databaseUrl, { max: 1, onnotice: () => {} })
  say('')
  say('audience triggers', 'ms with', 'ms without', 'factor')
  for (const { name, kept, unkept } of await triggerCosts(owner))
    say(name, kept.toFixed(2), unkept.toFixed(2), (kept / unkept).toFixed(1))
  const { sockets, p50, p99, perSecond } = await realtimeFigures(owner, databaseUrl, jwtSecret)
  say('')
  say('realtime', 'sockets', 'p50 ms', 'p99 ms', 'messages/s')
  say('commit to client', sockets, p50.toFixed(1), p99.toFixed(1), perSecond.toFixed(0))
  await owner.end()
} finally {
  await server.stop()
  rmSync(dataDir, { recursive: true, force: true })
}
