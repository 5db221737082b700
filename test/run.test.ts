// The ways to run Kith in docs/run: an image, compose, systemd and three proxies. systemd and the proxies run where
// they are installed. Where they are not installed, the tests only read the files, and the titles say so.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { connect } from 'node:http2'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import WebSocket from 'ws'
import { parse } from 'yaml'
import { BYTES } from '../api-facade/features/import/reading.ts'
import { readConfig } from '../api-facade/lib/config.ts'
import { startBalancer } from './support/balancer.ts'
import { bareServer, freePort } from './support/bare.ts'
import { LOOPBACK } from './support/certificate.ts'
import { address, ended } from './support/process.ts'
import { isInstalled, proxies, startProxy } from './support/proxies.ts'
import { realtimeWorld } from './support/realtime.ts'
import { until } from './support/until.ts'

const root = resolve(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')

/** The lines of a Containerfile, with continued lines joined. */
const image = read('docs/run/Containerfile')
  .replace(/\\\n\s*/g, '')
  .split('\n')
const instructions = (name: string) =>
  image.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1))
/** The command of an instruction, in JSON. */
const commandOf = (name: string): string[] => JSON.parse(/\[.*\]/.exec(instructions(name)[0] ?? '')?.[0] ?? '[]')
const imageEnv = parseEnv(instructions('ENV').join(' ').replaceAll(' ', '\n'))

type Service = {
  command?: string[]
  environment?: Record<string, string>
  healthcheck?: { test?: string[] }
}
const compose = parse(read('docs/run/compose.yaml'), { merge: true }) as {
  services: Record<'database' | 'prepare' | 'facade' | 'worker' | 'proxy', Service & Record<string, unknown>>
}
const { services } = compose
const settings = parseEnv(read('docs/run/kith.env'))
const units = ['facade', 'worker'].map((name) => ({ name, text: read(`docs/run/systemd/kith-${name}.service`) }))
const common = read('docs/run/systemd/kith-.service.d/common.conf')
const unitEnv = parseEnv(
  [...common.matchAll(/^Environment=(.*)$/gm)].map(([, pairs = '']) => pairs.replaceAll(' ', '\n')).join('\n'),
)

describe('The settings in docs/run', () => {
  const names = [settings, imageEnv, unitEnv, services.facade.environment ?? {}].flatMap(Object.keys)
  const commented = [...read('docs/run/kith.env').matchAll(/^#([A-Z_]+)=/gm)].map(([, name]) => name)

  test('are described in docs/configuration.md', () => {
    const described = read('docs/configuration.md')
    expect([...names, ...commented].filter((name) => !described.includes(`\`${name}\``))).toEqual([])
  })

  test('are valid once the secrets are filled in', () => {
    const secrets = { JWT_SECRET: 'x'.repeat(32), ADMIN_PASSWORD: 'x'.repeat(8) }
    for (const own of [unitEnv, { ...imageEnv, ...services.facade.environment }])
      expect(readConfig({ ...own, ...settings, ...secrets })).toMatchObject({ worker: 'off', trustedProxyHops: 1 })
  })

  test('have no secrets', () => {
    const empty = Object.entries(settings).filter(([name]) => /SECRET|PASSWORD|TOKEN/.test(name))
    expect(empty.map(([, value]) => value)).toEqual(empty.map(() => ''))
  })
})

describe('The image', async () => {
  const tree = mkdtempSync(join(tmpdir(), 'kith-image-'))
  afterAll(() => rmSync(tree, { recursive: true }))
  // the first stage only has the packages
  const stage = image.slice(image.findLastIndex((line) => line.startsWith('FROM ')))
  for (const [, from = '', to = ''] of stage.flatMap((line) => [...line.matchAll(/^COPY (\w\S*) (\S+)$/g)]))
    cpSync(join(root, from), join(tree, to, to.endsWith('/') ? from : ''), { recursive: true })
  const [, removed = ''] = /rm -rf (\S+)/.exec(instructions('RUN')[0] ?? '') ?? []
  type Locked = { dev?: boolean; devOptional?: boolean; link?: boolean }
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> }
  for (const [path, { dev, devOptional, link }] of Object.entries(packages)) {
    const isTop = /^node_modules\/(@[^/]+\/)?[^/]+$/.test(path)
    if (!isTop || dev || devOptional || link || path.startsWith(`${removed}/`) || !existsSync(join(root, path)))
      continue
    mkdirSync(dirname(join(tree, path)), { recursive: true })
    symlinkSync(join(root, path), join(tree, path))
  }
  const server = await bareServer('kith_superuser')
  const url = (user: string) => server.url('kith', user, user === 'postgres' ? 'owner' : undefined)
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const run = (args: string[], env: Record<string, string>) =>
    spawn(process.execPath, args, {
      cwd: tree,
      env: { PATH, NODE_COMPILE_CACHE, ...imageEnv, DATA_DIR: join(tree, 'data'), ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
  const fill = (args: string[] = []) =>
    args.slice(1).map((arg) => (arg.startsWith('postgresql:') ? url('kith_superuser') : arg))

  let prepared: number | undefined
  beforeAll(async () => {
    await server.start({ wal_level: 'logical' })
    const superuser = postgres(server.url(), { max: 1 })
    await superuser`create database kith`
    const [, statement = ''] = /^(create role .*);$/m.exec(read('docs/run/owner.sh')) ?? []
    await superuser.unsafe(statement.replace(":'password'", `'owner'`))
    await superuser.end()
    ;[prepared] = await once(run(fill(services.prepare.command), {}), 'exit')
  })

  test('contains what the commands of compose need, and its health check works', async () => {
    expect(prepared).toBe(0)
    const port = String(await freePort())
    const own = { PORT: port, HOST: '127.0.0.1', JWT_SECRET: 'x'.repeat(32), LOG_LEVEL: 'silent' }
    const env = { ...services.facade.environment, ...own, DATABASE_URL: url('postgres') }
    const check = (args: string[]) => spawnSync(process.execPath, args.slice(1), { env: { PORT: port } }).status
    const checks = [commandOf('HEALTHCHECK'), services.facade.healthcheck?.test?.slice(1) ?? []]
    const worker = run((services.worker.command ?? []).slice(1), env)
    const facade = run(commandOf('CMD').slice(1), env)
    try {
      await address(facade)
      const probes = checks.map((args) => args.map((arg) => arg.replace('8787', port)))
      expect(probes.map(check)).toEqual([0, 0])
      const ready = () => fetch(`http://127.0.0.1:${port}/ready`).then(({ status }) => status === 200)
      await until(ready)
      const page = await (await fetch(`http://127.0.0.1:${port}/admin`)).text()
      const scripts = [...page.matchAll(/"(\/web\/[^"]+)"/g)].map(([, path]) =>
        fetch(`http://127.0.0.1:${port}${path}`),
      )
      expect(scripts.length).toBeGreaterThan(20)
      expect(new Set((await Promise.all(scripts)).map(({ status }) => status))).toEqual(new Set([200]))
      expect(worker.exitCode).toBeNull()
      await ended(facade)
      expect(probes.map(check)).toEqual([1, 1])
    } finally {
      await Promise.all([ended(facade), ended(worker)])
    }
  })

  test('is run by compose without root, without writing to its files, and without more rights', () => {
    expect(instructions('USER')).toEqual(['node'])
    for (const name of ['prepare', 'facade', 'worker'] as const)
      expect(services[name]).toMatchObject({
        read_only: true,
        tmpfs: ['/tmp'],
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      })
    expect(imageEnv.DATA_DIR).toMatch(/^\/tmp\//)
  })

  test('gets from compose.env every variable that compose.yaml requires', () => {
    const wanted = [...read('docs/run/compose.yaml').matchAll(/\$\{([A-Z_]+)/g)].map(([, name]) => name)
    expect([...new Set(wanted)].sort()).toEqual(Object.keys(parseEnv(read('docs/run/compose.env'))).sort())
  })
})

describe('The systemd units', () => {
  test.each(units)('run the $name with node, from a file that exists', ({ text }) => {
    const [, program, script = ''] = /^ExecStart=(\S+) (\S+)$/m.exec(text) ?? []
    expect(program).toBe('/usr/bin/node')
    expect(existsSync(join(root, script))).toBe(true)
  })

  const analyze = isInstalled('systemd-analyze')
  const what = analyze
    ? 'are accepted by systemd-analyze, which finds them well protected'
    : 'have sections and settings (systemd-analyze is not installed here, so they were only read)'
  test(what, () => {
    const folder = mkdtempSync(join(tmpdir(), 'kith-units-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    mkdirSync(join(folder, 'kith-.service.d'))
    writeFileSync(join(folder, 'kith-.service.d/common.conf'), common)
    for (const { name, text } of units) {
      const lines = `${text}\n${common}`.split('\n').filter((line) => !/^(#.*)?$/.test(line))
      expect(lines.filter((line) => !/^(\[(Unit|Service|Install)\]|[A-Z]\w+=.*)$/.test(line))).toEqual([])
      if (!analyze) continue
      const file = join(folder, `kith-${name}.service`)
      writeFileSync(file, text.replace('/usr/bin/node', process.execPath))
      const said = (...args: string[]) => {
        const { status, stderr } = spawnSync('systemd-analyze', [...args, file], { encoding: 'utf8' })
        return { status, stderr }
      }
      // systemd-analyze only warns of settings that it doesn't know
      expect(said('verify')).toEqual({ status: 0, stderr: '' })
      // The exposure must be below 2 of 10. A unit without these settings has nearly 10.
      expect(said('security', '--offline=true', '--threshold=20', '--no-pager')).toEqual({ status: 0, stderr: '' })
    }
  })
})

describe('The example for', async () => {
  // without a worker, /ready of a facade that expects one would be 503
  const env = { TRUSTED_PROXY_HOPS: '1', WORKER: 'off' }
  const { admin, database, url, anonKey } = await realtimeWorld({ people: [], env })
  const facade = new URL(url).host
  const ca = read(LOOPBACK)
  const asAdmin = { Authorization: `Bearer ${admin.token}`, 'Content-Type': 'application/json' }

  type Asked = { method?: string; headers?: Record<string, string>; body?: string }
  type Answer = { status: number; headers: IncomingHttpHeaders; body: string }
  const ask = (port: number, path: string, { method = 'GET', headers = {}, body = '' }: Asked = {}) =>
    new Promise<Answer>((resolve, reject) => {
      const asked = request({ host: '127.0.0.1', port, path, method, headers, ca }, async (answer) => {
        const chunks: Buffer[] = []
        for await (const chunk of answer) chunks.push(chunk)
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks).toString() })
      })
      asked.on('error', reject).end(body)
    })
  const post = async (port: number, path: string, body: string) => {
    const { status, headers } = await ask(port, path, { method: 'POST', headers: asAdmin, body })
    return [status, headers['x-error-code']]
  }

  /** Headers that belong to one answer or to one connection. */
  const varies = /^(connection|content-length|date|keep-alive|ratelimit-.*|transfer-encoding|x-request-id)$/

  async function passesAnswers(port: number) {
    const given = [...(await fetch(`${url}/health`)).headers].filter(([name]) => !varies.test(name))
    expect((await ask(port, '/health')).headers).toMatchObject(Object.fromEntries(given))
    const { headers } = await ask(port, '/openapi.json', { headers: { 'Accept-Encoding': 'br' } })
    expect(headers['content-encoding']).toBe('br')
    const known = { 'If-None-Match': headers.etag ?? '' }
    expect((await ask(port, '/openapi.json', { headers: known })).status).toBe(304)
    for (const path of ['/metrics', '/METRICS/']) {
      const { status, headers } = await ask(port, path)
      expect([path, status, headers['x-request-id']]).toEqual([path, 404, undefined])
    }
  }

  async function speaksHttp2(port: number) {
    const session = connect(`https://127.0.0.1:${port}`, { ca })
    const [{ ':status': status }] = await once(session.request({ ':path': '/health' }), 'response')
    session.close()
    expect(status).toBe(200)
  }

  async function passesBodies(port: number, limited: boolean) {
    const isOver = 'x'.repeat(readConfig({}).bodyLimit)
    expect(await post(port, '/api/v1/auth/login', JSON.stringify(isOver))).toEqual([413, 'body_too_large'])
    const rows = JSON.stringify({ posts: Array(3000).fill('x'.repeat(1000)) })
    expect(await post(port, '/api/v1/me/import', rows)).toEqual([422, 'import_invalid'])
    // a proxy that rejects a body may end the connection before the whole body is sent, and then there is no answer to
    // read
    const refused = await until(() => post(port, '/api/v1/posts', rows))
    expect(refused).toEqual([413, limited ? undefined : 'body_too_large'])
  }

  async function passesTheAddress(port: number, name: string) {
    await database.owner`insert into app.feature_flags (key, enabled, description) values (${name}, false, '')`
    const headers = { ...asAdmin, 'X-Forwarded-For': '203.0.113.9' }
    const change = { method: 'PATCH', headers, body: JSON.stringify({ enabled: true }) }
    expect((await ask(port, `/api/v1/admin/feature-flags/${name}`, change)).status).toBe(200)
    const log = await ask(port, '/api/v1/admin/audit-log?limit=1', { headers })
    expect(JSON.parse(log.body).items).toMatchObject([{ targetId: name, ip: '127.0.0.1' }])
  }

  async function passesWebSockets(port: number) {
    const address = `wss://127.0.0.1:${port}/realtime/v1/websocket?apikey=${anonKey}&vsn=1.0.0`
    const socket = new WebSocket(address, { ca })
    await once(socket, 'open')
    socket.send(JSON.stringify({ topic: 'phoenix', event: 'heartbeat', payload: {}, ref: '1' }))
    const [message] = await once(socket, 'message')
    expect(JSON.parse(String(message))).toMatchObject({ ref: '1', payload: { status: 'ok' } })
    socket.close()
    await once(socket, 'close')
  }

  const here = proxies.filter(({ name }) => isInstalled(name))
  const limitsOf = ({ example }: { example: string }) =>
    [...read(example).matchAll(/(?:size|gt) (\d+)(m|MB)?/g)].map(
      ([, size, unit]) => Number(size) * (unit ? 1_000_000 : 1),
    )
  const titled = proxies.map((proxy) => {
    const title = `${proxy.name} allows the largest bodies`
    return [here.includes(proxy) ? title : `${title} (it is not installed here, so it was only read)`, proxy] as const
  })
  test.each(titled)('%s', (_, proxy) => {
    const limits = limitsOf(proxy)
    if (limits.length === 0) return // the limits of Kith are the only limits
    expect(Math.min(...limits)).toBeGreaterThan(readConfig({}).bodyLimit)
    expect(Math.max(...limits)).toBeGreaterThan(BYTES)
  })

  test.each(here.map((proxy) => [proxy.name, proxy] as const))(
    '%s serves TLS, answers as the facade gives them, large bodies, addresses and WebSockets',
    async (_, proxy) => {
      const [plain, tls] = [await freePort(), await freePort()]
      const second = await startBalancer([url])
      const { stop } = await startProxy(proxy, { plain, tls, facade, second: new URL(second.url).host })
      onTestFinished(stop)
      await until(async () => (await ask(tls, '/health')).status === 200)
      await second.close()
      // the proxy has not noticed yet that the second facade is down
      for (let n = 0; n < 10; n++) expect((await ask(tls, '/health')).status).toBe(200)
      const moved = await fetch(`http://127.0.0.1:${plain}/health?a=b`, { redirect: 'manual' })
      expect(moved.status).toBe(308)
      expect(moved.headers.get('location')).toMatch(/^https:\/\/127\.0\.0\.1(:\d+)?\/health\?a=b$/)
      await passesAnswers(tls)
      await speaksHttp2(tls)
      await passesBodies(tls, limitsOf(proxy).length > 0)
      await passesTheAddress(tls, proxy.name.toLowerCase())
      await passesWebSockets(tls)
    },
  )
})
