// npm start and npm run worker, as an operator runs them: what a signal ends, and what a failed start leaves behind.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, get, type IncomingMessage } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir, totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import postgres from 'postgres'
import { afterAll, describe, expect, test } from 'vitest'
import { nearMisses, readConfig } from '../api-facade/lib/config.ts'
import { oldSpace } from '../api-facade/lib/memory.ts'
import { checkPassword } from '../api-facade/lib/passwords.ts'
import { startServer } from '../api-facade/server.ts'
import manifest from '../package.json' with { type: 'json' }
import { readInstance } from '../supabase/embedded/instance.ts'
import { KEPT, turnOver } from '../supabase/embedded/log.ts'
import { createDatabase } from './support/database.ts'
import { environment, JWT_SECRET } from './support/settings.ts'
import { until } from './support/until.ts'

const { version } = manifest
const root = resolve(import.meta.dirname, '..')
const base = mkdtempSync(join(tmpdir(), 'kith-start-'))
chmodSync(base, 0o711) // the account of the server has to reach it
afterAll(() => rmSync(base, { recursive: true }))
/** The first start below creates this folder. The other starts reuse it. */
const dataDir = join(base, 'embedded')
/** The database of the programs that don't start their own. */
const { url, owner } = await createDatabase()

/** Runs a program in its own process, and collects what it prints. */
function run(command: string, args: string[], env: Record<string, string>) {
  const child = spawn(command, args, {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      HOST: '127.0.0.1',
      LOG_LEVEL: 'silent',
      DATA_DIR: join(base, 'any'),
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const seen = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    seen.out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    seen.err += text
  })
  return { child, seen, exit: once(child, 'exit') }
}

/** Sends these signals to the process that the operator started, and waits for all its descendants. */
async function terminate(child: ChildProcess, exit: Promise<unknown>, ...signals: NodeJS.Signals[]): Promise<void> {
  const processes = await family(child)
  for (const signal of ['SIGTERM' as const, ...signals]) child.kill(signal)
  await exit
  const left = () => processes.filter(lives)
  await until(() => left().length === 0).finally(() => {
    for (const pid of left()) process.kill(pid, 'SIGKILL')
  })
}

const says = (seen: { out: string; err: string }, text: string) =>
  until(() => seen.out.includes(text) || Promise.reject(new Error(JSON.stringify(seen))), { timeout: 60_000 })

/** The program's process and all its descendants, from the first to the last. */
async function family({ pid }: ChildProcess): Promise<number[]> {
  const ps = spawn('ps', ['-A', '-o', 'pid=,ppid='], { stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  for await (const chunk of ps.stdout) text += chunk
  const rows = text
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
  const below = (parent: number): number[] => rows.flatMap(([id = 0, of]) => (of === parent ? [id, ...below(id)] : []))
  return [pid ?? 0, ...below(pid ?? 0)]
}

const lives = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** The JSON lines of the program's log. */
const logged = ({ out }: { out: string }): unknown[] =>
  out.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []))
const place = (url: string) => new URL(url).host + new URL(url).pathname
/** A database without the user who connects to it. */
const somePlace = /^127\.0\.0\.1:\d+\/\w+$/

describe('A first start', () => {
  test('whose port is taken creates nothing, and the next one shows the password and the invite codes', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const failed = run(process.execPath, ['api-facade/main.ts'], { DATA_DIR: dataDir, PORT: String(port) })
    expect(await failed.exit).toEqual([1, null])
    expect(failed.seen.out).toBe('')
    expect(failed.seen.err).toMatch(
      /^The facade cannot listen on HOST 127\.0\.0\.1, PORT \d+: .*EADDRINUSE.*\. Free it, or choose another\.\n$/,
    )
    other.close()
    const { child, seen, exit } = run(process.execPath, ['api-facade/main.ts'], { DATA_DIR: dataDir, PORT: '0' })
    await says(seen, 'Kith is at ').finally(() => terminate(child, exit))
    expect(seen.out).toMatch(/shown only once: \S{16}\n.* invite codes: INV-\w+ /)
  }, 90_000)
})

describe('SIGTERM', () => {
  test('to npm start ends the instance and releases the data folder', async () => {
    const { child, seen, exit } = run('npm', ['start'], { DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'info' })
    await says(seen, '"started"')
    await terminate(child, exit)
    expect(readInstance(dataDir)).toBeNull()
    expect(logged(seen)).toMatchObject([
      {
        msg: 'started',
        version,
        port: expect.any(Number),
        worker: 'inline',
        database: expect.stringMatching(somePlace),
      },
      { msg: 'stopping', reason: 'SIGTERM' },
      { msg: 'stopped' },
    ])
  }, 90_000)

  test('changes nothing if it is repeated, and neither does Ctrl-C after it', async () => {
    const { child, seen, exit } = run(process.execPath, ['api-facade/main.ts'], { DATA_DIR: dataDir, PORT: '0' })
    await says(seen, 'Kith is at ')
    await terminate(child, exit, 'SIGTERM', 'SIGINT', 'SIGINT', 'SIGHUP')
    expect(await exit).toEqual([0, null])
    expect(readInstance(dataDir)).toBeNull()
  }, 90_000)

  test('lets a facade with DRAIN_SECONDS continue to serve, and send clients elsewhere, until the next signal', async () => {
    const env = { ...environment(url), LOG_LEVEL: 'info', WORKER: 'off', DRAIN_SECONDS: '300' }
    const { child, seen, exit } = run(process.execPath, ['api-facade/main.ts'], env)
    await says(seen, '"started"')
    const [, address] = /Kith is at (\S+),/.exec(seen.out) ?? []
    const agent = new Agent({ keepAlive: true })
    const ask = (path: string) =>
      new Promise<IncomingMessage>((answered, failed) => {
        get(`${address}${path}`, { agent }, (answer) => answered(answer.resume())).on('error', failed)
      })
    expect((await ask('/health')).headers.connection).toBe('keep-alive')
    await until(async () => (await ask('/ready')).statusCode === 200)
    child.kill('SIGTERM')
    await until(async () => (await ask('/ready')).statusCode === 503)
    for (const path of ['/health', '/api/v1/instance', '/openapi.json', '/nothing']) {
      const { headers, statusCode } = await ask(path)
      expect([path, headers.connection, (statusCode ?? 500) < 500]).toEqual([path, 'close', true])
    }
    expect((await ask('/health')).statusCode).toBe(200)
    expect(await (await fetch(`${address}/ready`)).json()).toMatchObject({ message: ['This facade is about to stop.'] })
    // signals within the first second count as the same signal
    const isOver = () => {
      child.kill('SIGTERM')
      return child.exitCode !== null
    }
    await until(isOver, { every: 100 })
    expect(await exit).toEqual([0, null])
    expect(logged(seen).at(-1)).toMatchObject({ msg: 'stopped' })
  }, 60_000)

  test('ends a facade and a worker while the database hangs', async () => {
    const other = run(process.execPath, ['api-facade/main.ts'], { DATA_DIR: dataDir, PORT: '0', WORKER: 'off' })
    await says(other.seen, 'Kith is at ')
    const { dbUrl = '', jwtSecret = '' } = readInstance(dataDir)?.stack ?? {}
    const env = { ...environment(dbUrl), JWT_SECRET: jwtSecret, REALTIME: 'embedded', LOG_LEVEL: 'info' }
    const programs = ['api-facade/main.ts', 'api-facade/worker/main.ts'].map((program) =>
      run(process.execPath, [program], env),
    )
    for (const { seen } of programs) await says(seen, 'started"')
    const [, ...server] = await family(other.child)
    const signal = (name: NodeJS.Signals) => {
      // One of the server's own processes, such as an autovacuum worker, may end in between.
      for (const pid of server.filter(lives)) process.kill(pid, name)
    }
    signal('SIGSTOP')
    try {
      const began = performance.now()
      for (const { child } of programs) child.kill('SIGTERM')
      for (const { exit } of programs) expect(await exit).toEqual([0, null])
      expect(performance.now() - began).toBeLessThan(5000) // the timeouts of connections and statements are longer
      for (const { seen } of programs) await until(() => seen.out.includes('the database does not answer'))
    } finally {
      signal('SIGCONT')
      await terminate(other.child, other.exit)
    }
  }, 90_000)

  test('to a facade whose log nobody read lets it write a line for every request', async () => {
    const { child, seen, exit } = run(process.execPath, ['api-facade/main.ts'], {
      ...environment(url),
      LOG_LEVEL: 'info',
    })
    await says(seen, '"started"')
    const [, address] = /Kith is at (\S+),/.exec(seen.out) ?? []
    const closed = once(child, 'close')
    child.stdout.pause()
    const ids: (string | null)[] = []
    for (let round = 0; round < 30; round++) {
      const asked = await Promise.all(Array.from({ length: 100 }, () => fetch(`${address}/health`)))
      ids.push(...asked.map(({ headers }) => headers.get('x-request-id')))
    }
    child.stdout.resume()
    await terminate(child, exit)
    await closed
    const lines = logged(seen) as { id?: string; msg?: string }[]
    expect(lines.flatMap(({ id }) => id ?? []).sort()).toEqual(ids.sort())
    expect(lines.at(-1)).toMatchObject({ msg: 'stopped' })
  }, 60_000)

  test('to npm run worker ends the worker', async () => {
    const { child, seen, exit } = run('npm', ['run', 'worker'], { ...environment(url), LOG_LEVEL: 'info' })
    await says(seen, 'The worker runs.')
    await terminate(child, exit)
    expect(logged(seen)).toMatchObject([
      { msg: 'the worker has started', version, database: expect.stringMatching(somePlace) },
      { msg: 'the worker is stopping', reason: 'SIGTERM' },
      { msg: 'the worker has stopped' },
    ])
  }, 60_000)
})

describe('The embedded database', () => {
  const log = () => readFileSync(join(dataDir, 'postgres.log'), 'utf8')
  const start = (env: Record<string, string>) =>
    run(process.execPath, ['api-facade/main.ts'], { DATA_DIR: dataDir, PORT: '0', WORKER: 'off', ...env })
  const database = () => postgres(readInstance(dataDir)?.stack?.dbUrl ?? '', { max: 1, onnotice: () => {} })

  /** The log after the first of the starts below. */
  let before = ''

  test('has a log with faults but without rejected requests', async () => {
    const { child, seen, exit } = start({})
    await says(seen, 'Kith is at ')
    const [, url] = /Kith is at (\S+),/.exec(seen.out) ?? []
    const owner = database()
    await expect(owner`select 1 / 0 as fault`).rejects.toThrow('division by zero')
    await owner.end()
    const reserve = () =>
      fetch(`${url}/api/v1/auth/reserve-invite`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: '{"code":"INV-ABCDEF"}',
      })
    expect((await reserve()).status).toBe(404)
    const { apiUrl, anonKey } = readInstance(dataDir)?.stack ?? { apiUrl: '', anonKey: '' }
    const refused = await fetch(`${apiUrl}/rest/v1/rpc/get_me`, { method: 'POST', headers: { apikey: anonKey } })
    expect(refused.status).toBe(401)
    await terminate(child, exit)
    before = log()
    expect(before.match(/^.*ERROR: .*$/gm)).toEqual([expect.stringContaining('division by zero')])
  }, 90_000)

  test('has the settings of DB_SETTINGS, listens on DB_PORT, and continues its log', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const env = { DB_PORT: String(port), DB_SETTINGS: 'shared_buffers=64MB, max_connections = 150' }
    const failed = start(env)
    expect(await failed.exit, 'a taken port prevents the start').toEqual([1, null])
    expect(failed.seen.err).toMatch(/^The embedded database cannot listen on DB_PORT \d+: .*EADDRINUSE.*\n$/)
    other.close()
    const { child, seen, exit } = start(env)
    await says(seen, 'Kith is at ')
    expect(new URL(readInstance(dataDir)?.stack?.dbUrl ?? '').port).toBe(env.DB_PORT)
    const owner = database()
    const [found] = await owner`select current_setting('shared_buffers') as buffers,
                                       current_setting('max_connections') as connections`
    await owner.end()
    await terminate(child, exit)
    expect(found).toEqual({ buffers: '64MB', connections: '150' })
    expect(before).not.toBe('')
    expect(log().startsWith(before)).toBe(true)
    expect(log().length).toBeGreaterThan(before.length)
  }, 90_000)
})

describe('npm run status and npm run stop', () => {
  const beside = join(base, 'beside')
  const ask = async (program: string, env: Record<string, string> = {}) => {
    const { seen, exit } = run(process.execPath, [`supabase/embedded/${program}.ts`], { DATA_DIR: beside, ...env })
    const [code] = await exit
    return { code, ...seen }
  }
  const start = (program: string) => run(process.execPath, [program], { ...environment(url), DATA_DIR: beside })
  const addressOf = ({ out }: { out: string }) => /Kith is at (\S+),/.exec(out)?.[1] ?? ''
  const gone = { code: 1, out: '', err: `Nothing is running on ${beside}. Start Kith with: npm start\n` }

  test('find facades and workers on an external database, all of them or the one with PORT', async () => {
    expect(await ask('status')).toEqual(gone)
    const facades = [start('api-facade/main.ts'), start('api-facade/main.ts')]
    for (const { seen } of facades) await says(seen, 'Kith is at ')
    const [first = '', second = ''] = facades.map(({ seen }) => addressOf(seen))
    const PORT = new URL(first).port
    const { out } = await ask('status')
    expect(out.split('\n').sort()).toEqual(
      [
        '',
        ...facades.map(({ child }, at) => `# the facade at ${[first, second][at]} on ${place(url)} (pid ${child.pid})`),
      ].sort(),
    )
    expect((await ask('status', { PORT })).out).toContain(`\nAPI_URL="${first}"\n`)
    expect(await ask('stop', { PORT })).toMatchObject({
      code: 0,
      out: expect.stringContaining(`Stopped the facade at ${first} `),
    })
    expect(await facades[0]?.exit).toEqual([0, null])
    const worker = start('api-facade/worker/main.ts')
    await says(worker.seen, 'The worker runs.')
    expect(await ask('stop', { PORT })).toMatchObject({
      code: 0,
      out: expect.stringContaining(`at PORT ${PORT}.\nThis process runs: the `),
    })
    const stopped = await ask('stop')
    expect(stopped.out.trim().split('\n').sort()).toEqual([
      `Stopped the facade at ${second} on ${place(url)} (pid ${facades[1]?.child.pid}).`,
      `Stopped the worker on ${place(url)} (pid ${worker.child.pid}).`,
    ])
    expect([await facades[1]?.exit, await worker.exit]).toEqual([
      [0, null],
      [0, null],
    ])
    expect(await ask('status')).toEqual(gone)
  }, 90_000)

  test('are not misled by files of killed processes, nor by files that others can write', async () => {
    const killed = start('api-facade/main.ts')
    await says(killed.seen, 'Kith is at ')
    const running = join(beside, 'running')
    const [file = ''] = readdirSync(running).filter((name) => name.endsWith('.json'))
    const text = readFileSync(join(running, file), 'utf8')
    chmodSync(running, 0o777)
    expect(await ask('status')).toEqual(gone)
    chmodSync(running, 0o700)
    expect((await ask('status')).code).toBe(0)
    killed.child.kill('SIGKILL')
    await killed.exit
    // its process id now belongs to another process
    writeFileSync(join(running, file), text.replace(`"pid":${killed.child.pid}`, `"pid":${process.pid}`))
    expect(await ask('stop')).toEqual({ code: 0, out: `Nothing is running on ${beside}.\n`, err: '' })
    expect(readdirSync(running)).toEqual([])
  }, 60_000)

  test('find the database that a killed instance left', async () => {
    const { child, seen, exit } = run(process.execPath, ['api-facade/main.ts'], { DATA_DIR: dataDir, PORT: '0' })
    await says(seen, 'Kith is at ')
    const [, server] = await family(child)
    child.kill('SIGKILL')
    await exit
    expect((await ask('status', { DATA_DIR: dataDir })).err).toBe(
      `Nothing is running on ${dataDir}. Start Kith with: npm start\nA killed instance left its database (pid ` +
        `${server}). npm start and npm run stop end it.\n`,
    )
    expect((await ask('stop', { DATA_DIR: dataDir })).out).toContain('Stopped the database that a killed instance left')
    expect((await ask('status', { DATA_DIR: dataDir })).err).not.toContain('A killed instance')
  }, 90_000)

  test('are not required for a start', async () => {
    const env = { ...environment(url), DATA_DIR: join('/proc', 'kith') }
    const { child, seen, exit } = run(process.execPath, ['api-facade/main.ts'], env)
    await says(seen, 'Kith is at ')
    expect(seen.err).toMatch(
      /^npm run status and npm run stop will not find this process\. DATA_DIR \/proc\/kith .*\n$/,
    )
    await terminate(child, exit)
  }, 60_000)
})

describe('npm run admin', () => {
  const ask = async (...args: string[]) => {
    const { seen, exit } = run(process.execPath, ['api-facade/admin.ts', ...args], environment(url))
    const [code] = await exit
    return { code, ...seen }
  }
  const passwordOf = ({ out }: { out: string }) => /shown only once: (\S{16})\n/.exec(out)?.[1] ?? ''
  const matches = async (email: string, password: string) => {
    const [row] = await owner<{ hash: string }[]>`
      select c.password_hash as hash from private.credentials c join app.accounts a on a.user_id = c.user_id
      where a.email = ${email}`
    return checkPassword(row?.hash, password, 'known')
  }

  test('makes an admin, sets a password, and says what it did', async () => {
    const email = '--email=second@example.org'
    const made = await ask(email)
    expect(made).toMatchObject({ code: 0, err: '', out: expect.stringMatching(/^second@example.org is a new admin\./) })
    expect(await matches('second@example.org', passwordOf(made))).toBe(true)
    expect((await ask(email)).out).toMatch(/is an admin already\. Nothing was changed\./)
    const reset = await ask(email, '--reset')
    expect(await matches('second@example.org', passwordOf(reset))).toBe(true)
    expect(await matches('second@example.org', passwordOf(made))).toBe(false)
    await owner`update app.users set role = 'user' from app.accounts a where a.user_id = id and a.email = 'second@example.org'`
    expect((await ask(email)).out).toBe(
      'second@example.org is an admin now, and must log in again. The password is the same.\n',
    )
  }, 60_000)

  test('refuses what it cannot do, in one sentence', async () => {
    expect(await ask('--email=nobody@example.org', '--reset')).toEqual({
      code: 1,
      out: '',
      err: 'Nobody has the address nobody@example.org. Without --reset an admin is created.\n',
    })
    const both = ['--email=nobody@example.org', '--reset', '--remove-factors']
    for (const args of [[], ['--email=nobody'], ['--mail=nobody@example.org'], both])
      expect(await ask(...args)).toEqual({
        ...{ code: 1, out: '' },
        err: 'npm run admin -- --email=<address> [--reset | --remove-factors]\n',
      })
    expect(await ask('--email=nobody@example.org', '--remove-factors')).toEqual({
      ...{ code: 1, out: '' },
      err: 'Nobody has the address nobody@example.org, or they have no second factor.\n',
    })
  }, 60_000)
})

describe('The memory', () => {
  const heapLimitOf = async (program: string, env: Record<string, string> = {}) => {
    const { child, seen, exit } = run(process.execPath, [program], { ...environment(url), LOG_LEVEL: 'info', ...env })
    await says(seen, 'heapLimit')
    if (process.platform === 'linux')
      expect(readFileSync(`/proc/${child.pid}/environ`, 'utf8')).toContain('\0MALLOC_ARENA_MAX=2\0')
    await terminate(child, exit)
    const lines = logged(seen) as { heapLimit?: number }[]
    return lines.find(({ heapLimit }) => heapLimit)?.heapLimit
  }
  /** V8 adds three semi-spaces for young objects. */
  const young = 3 * 8

  test.each(['api-facade/main.ts', 'api-facade/worker/main.ts'])(
    'of %s is limited without npm',
    async (program) => {
      const memory = Math.min(process.constrainedMemory() || totalmem(), totalmem())
      expect(await heapLimitOf(program)).toBe(oldSpace(memory) + young)
    },
    60_000,
  )

  test('has other limits if an operator sets them', async () => {
    const env = { NODE_OPTIONS: '--max-old-space-size=300' }
    expect(await heapLimitOf('api-facade/main.ts', env)).toBe(300 + young)
  }, 60_000)

  test('limit is at most half of a container’s memory', () => {
    expect([256, 1024, 16_384].map((MiB) => oldSpace(MiB * 1024 ** 2))).toEqual([128, 512, 1024])
  })
})

test('A full log file is rotated, and the log continues in place', () => {
  const log = join(base, 'full.log')
  writeFileSync(log, 'x'.repeat(KEPT - 1))
  turnOver(log)
  appendFileSync(log, 'y')
  turnOver(log)
  appendFileSync(log, 'z')
  expect([readFileSync(log, 'utf8'), readFileSync(`${log}.old`, 'utf8').length]).toEqual(['z', KEPT])
})

describe('Settings', () => {
  test.each(['api-facade/main.ts', 'api-facade/worker/main.ts'])(
    'that are misspelt or unreachable are named by %s',
    async (program) => {
      const env = environment('postgresql://postgres:secret@127.0.0.1:1/postgres')
      const { seen, exit } = run(process.execPath, [program], { ...env, RATE_LIMIT_SCAL: '2', DATABASE_URI: 'x' })
      expect(await exit).toEqual([1, null])
      expect(seen.err.trim().split('\n').sort()).toEqual([
        'DATABASE_URI is not a setting of Kith and is ignored. Did you mean DATABASE_URL?',
        'RATE_LIMIT_SCAL is not a setting of Kith and is ignored. Did you mean RATE_LIMIT_SCALE?',
        'The database of DATABASE_URL cannot be reached (ECONNREFUSED).',
      ])
    },
  )

  test.each([
    [
      'INSTANCE_DOMAIN',
      ['kith.example.org', 'localhost', 'Kith.Example.Org'],
      ['Foo.org:80', 'foo_bar.org', 'foo..org', '-'],
    ],
    [
      'DB_SETTINGS',
      ['shared_buffers=1GB', 'work_mem = 16MB, autovacuum_naptime=30s'],
      ['shared_buffers', 'wal_level=minimal', 'shared_buffers=1GB port=1', 'fsync=off'],
    ],
    ['REPLICAS', ['0', '2', '4'], ['5', '-1', 'two', '1.5']],
    [
      'MAIL_FROM',
      ['no-reply@example.org', 'Kith <kith@localhost>', '"Kith, Inc." <kith@example.org>'],
      ['foo', 'Kith <foo>', 'Kith kith@example.org', 'Kith, Inc. <kith@example.org>', 'a@example.org, b@example.org'],
    ],
    [
      'PUSH_ORIGINS',
      ['https://push.example.org, https://*.example.org:8443', 'http://127.0.0.1:9'],
      [
        'foo',
        'https://push.example.org/',
        'https://push.example.org/path',
        'ftp://push.example.org',
        '*',
        'https://*.*.org',
      ],
    ],
  ])('%s is refused if its value is not valid', (name, right, wrong) => {
    for (const value of right) expect(readConfig({ [name]: value })).toBeTruthy()
    for (const value of wrong)
      expect(() => readConfig({ [name]: value }), value).toThrow(
        new RegExp(`^The configuration is not valid\\.\\n  ${name}`),
      )
  })

  const secret = { JWT_SECRET }
  test('DATABASE_URL names one host or several', () => {
    for (const hosts of ['one', 'one:5433', '127.0.0.1:5432,127.0.0.1:5433', '[::1]:5432,two', 'a:b@one,two:5433'])
      expect(readConfig({ ...secret, DATABASE_URL: `postgresql://${hosts}/postgres` })).toBeTruthy()
    for (const hosts of ['one:x', 'one:5432,two:x', 'one,,two'])
      expect(() => readConfig({ ...secret, DATABASE_URL: `postgresql://${hosts}/postgres` }), hosts).toThrow(
        'DATABASE_URL',
      )
    expect(() => readConfig({ ...secret, DATABASE_URL: 'http://one,two/postgres' })).toThrow('DATABASE_URL')
  })

  test('REPLICAS is refused together with DATABASE_URL', () => {
    const other = { DATABASE_URL: 'postgresql://one/postgres', JWT_SECRET }
    expect(() => readConfig({ REPLICAS: '2', ...other })).toThrow(/^The configuration is not valid\.\n {2}REPLICAS/)
  })

  test.each([
    [
      'nowhere.invalid',
      /(ENOTFOUND|EAI_AGAIN) .*\. HOST must be an address of this machine, or a name that leads to one\.$/,
    ],
    ['192.0.2.7', /EADDRNOTAVAIL.*\. HOST must be an address of this machine\.$/],
  ])('HOST %s is not reported as a port that is in use', async (HOST, words) => {
    const config = readConfig(environment(url, { HOST }))
    await expect(startServer({ config, databaseUrl: url })).rejects.toThrow(words)
  })

  test('of the platform are not mistaken for misspelt ones', () => {
    const platform = [
      'PATH',
      'HOME',
      'HOSTNAME',
      'TERM',
      'NODE_OPTIONS',
      'npm_config_port',
      'PGHOST',
      'PWD',
      'SHLVL',
      '_',
    ]
    expect(nearMisses(Object.fromEntries(platform.map((name) => [name, 'x'])))).toEqual([])
    expect(nearMisses(environment('postgresql://host/postgres'))).toEqual([])
    expect(nearMisses({ PORTS: '1', METRICS_TOKN: '1' })).toHaveLength(2)
  })
})
