// kith/client as an app uses it: packed, installed in its own project, and compiled there as strictly as TypeScript
// can.
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { checkAgainst } from '../support/contract.ts'
import { files } from '../support/files.ts'
import { readOpenApi } from '../support/openapi.ts'
import { realtimeWorld } from '../support/realtime.ts'
import { until } from '../support/until.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const DATA_DIR = mkdtempSync(join(tmpdir(), 'kith-media-'))
const project = realpathSync(mkdtempSync(join(tmpdir(), 'kith-client-')))
afterAll(() => {
  for (const folder of [DATA_DIR, project]) rmSync(folder, { recursive: true })
})

const client = join(root, 'clients/typescript')
const run = (folder: string, command: string, ...parameters: string[]) =>
  execFileSync(command, parameters, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

const compiler = join(client, 'node_modules/typescript/bin/tsc')
const packed = run(client, 'npm', 'pack', '--silent', '--pack-destination', project).trim().split('\n').at(-1) ?? ''
const modules = join(project, 'node_modules')
mkdirSync(join(modules, 'kith'), { recursive: true })
run(project, 'tar', '-xzf', packed, '--strip-components=1', '-C', join(modules, 'kith'))
for (const name of ['openapi-fetch', 'openapi-typescript-helpers'])
  symlinkSync(join(root, 'node_modules', name), join(modules, name))
for (const name of ['life.ts', 'trouble.ts']) cpSync(join(root, 'test/client', name), join(project, name))
writeFileSync(join(project, 'package.json'), '{ "type": "module", "private": true }')
writeFileSync(
  join(project, 'tsconfig.json'),
  JSON.stringify({
    compilerOptions: {
      target: 'es2022',
      lib: ['es2023', 'dom', 'dom.asynciterable'],
      module: 'nodenext',
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      noEmit: true,
      types: [],
    },
    include: ['*.ts'],
  }),
)

const {
  alice,
  bob,
  admin,
  database,
  stack,
  url,
  client: supabase,
} = await realtimeWorld({
  people: ['alice', 'bob'],
  env: { DATA_DIR, RATE_LIMIT_SCALE: '100' },
})

// The modules are cast to these types, because the types of the compiled project are not known here.
type Site = { url: string; fetch: typeof fetch }
type Kith = { get(path: string): Promise<unknown>; session(): Promise<unknown> }
type Event = { event: string; payload: { id: string }; missed: boolean }
type Life = { live(site: object, count: () => number): Promise<Record<string, number>> }
type Trouble = {
  expired(site: Site, login: object): Promise<{ kith: Kith; other: Kith; saved: unknown[] }>
  five(kith: Kith): Promise<string[]>
  post(kith: Kith, body: string): Promise<string>
  loggedIn(site: Site, login: object, patience?: number): Promise<Kith>
  codeOf(error: unknown): string
  retryAfterOf(error: unknown): number | undefined
  film(kith: Kith, bytes: Uint8Array): Promise<{ size: number; sent: number; id: string }>
  resume(kith: Kith, id: string, bytes: Uint8Array): Promise<string>
  hear(kith: Kith, realtime: unknown, events: Event[]): Promise<() => void>
}
const load = (name: string) => import(pathToFileURL(join(project, name)).href)
const trouble: Trouble = await load('trouble.ts')

const violation = checkAgainst(readOpenApi())
const sent: string[] = []
/** Sends a request, and compares the answer with the API's description. */
const checked: typeof fetch = async (input, init) => {
  const { pathname, search } = new URL(String(input))
  const method = init?.method ?? 'GET'
  sent.push(`${method} ${pathname}`)
  // replaces the origin of an upload URL: the port of the tests is not known when the settings are made
  const response = await fetch(url + pathname + search, init)
  const { status, headers } = response
  const text = await response.clone().text()
  const body = text === '' ? null : JSON.parse(text)
  const code = status < 400 ? null : headers.get('x-error-code')
  const fault = violation({ method, path: pathname, status, body, headers, code })
  if (fault) throw new Error(`${method} ${pathname} → ${status}: ${fault}`)
  return response
}
const site = { url, fetch: checked }
const times = (request: string) => sent.filter((one) => one === request).length

test('The packed client compiles in a strict project', () => {
  expect(spawnSync(process.execPath, [compiler, '-p', '.'], { cwd: project, encoding: 'utf8' }).stdout).toBe('')
  expect(statSync(join(modules, 'kith/dist/generated/api.d.ts')).size).toBeLessThan(1_200_000)
}, 120_000)

test('Two members and a moderator can do all they need with the client, and each screen takes at most two requests', async () => {
  const { live }: Life = await load('life.ts')
  const { email, password } = admin
  const screens = await live({ ...site, admin: { email, password } }, () => sent.length)
  expect(Object.keys(screens)).toEqual(['home', 'profile', 'chat', 'guild', 'report'])
  for (const [screen, count] of Object.entries(screens)) expect(count, screen).toBeLessThanOrEqual(2)
})

describe('A client', () => {
  test('refreshes an expired token once, however many requests need it', async () => {
    const { kith, saved } = await trouble.expired(site, alice)
    const before = times('POST /api/v1/identity/refresh')
    expect(await trouble.five(kith)).toEqual(Array(5).fill('alice'))
    expect(times('POST /api/v1/identity/refresh') - before).toBe(1)
    expect(saved).toHaveLength(1)
  })

  test('uses the tokens that another client with the same store refreshed', async () => {
    const { kith, other, saved } = await trouble.expired(site, alice)
    await Promise.all([kith.session(), other.session()])
    const before = times('POST /api/v1/identity/refresh')
    expect(await Promise.all([trouble.five(kith), trouble.five(other)])).toEqual(Array(2).fill(Array(5).fill('alice')))
    expect(times('POST /api/v1/identity/refresh') - before).toBe(1)
    expect(saved).toHaveLength(1)
  })

  test('ends its session when the instance has ended it', async () => {
    const { kith, saved } = await trouble.expired(site, alice)
    await alice.post('/auth/logout', { scope: 'global' })
    Object.assign(alice, { token: (await alice.login()).token })
    expect(await trouble.five(kith)).toEqual(Array(5).fill('token_missing'))
    expect(saved.at(-1)).toBeNull()
  })

  test('repeats a create whose answer was lost, and creates one thing', async () => {
    let lost = 0
    const losing: typeof fetch = async (input, init) => {
      const response = await checked(input, init)
      if (!String(input).endsWith('/posts') || lost++ > 0) return response
      throw new TypeError('the connection broke')
    }
    const kith = await trouble.loggedIn({ url, fetch: losing }, alice)
    const id = await trouble.post(kith, 'Only once')
    const rows = await database.owner<{ id: string }[]>`select id from app.posts where body = 'Only once'`
    expect(rows).toEqual([{ id }])
    expect(lost).toBe(2)
  })

  test('waits as long as Retry-After says, or throws an error with that time', async () => {
    let rejections = 1
    const limited: typeof fetch = async (input, init) => {
      if (!String(input).endsWith('/me') || rejections-- <= 0) return checked(input, init)
      const headers = { 'retry-after': '1', 'x-error-code': 'rate_limited', 'content-type': 'application/json' }
      return new Response(JSON.stringify({ statusCode: 429, error: '', message: ['Later.'] }), { status: 429, headers })
    }
    const kith = await trouble.loggedIn({ url, fetch: limited }, alice)
    expect(await kith.get('/me')).toMatchObject({ username: 'alice' })
    rejections = 1
    const hasty = await trouble.loggedIn({ url, fetch: limited }, alice, 0)
    const error = await hasty.get('/me').catch((failure: unknown) => failure)
    expect([trouble.codeOf(error), trouble.retryAfterOf(error)]).toEqual(['rate_limited', 1])
  })

  test('sends again only the parts of a large file that did not arrive', async () => {
    const bytes = new Uint8Array(20_000_000)
    bytes.set(files['video/mp4'] as Uint8Array)
    const part = { size: 8 * 1024 * 1024, rejections: 1, taken: 0 }
    const broken: typeof fetch = async (input, init) => {
      if (init?.method !== 'PUT') return checked(input, init)
      if (part.taken > 0 && part.rejections-- > 0) throw new TypeError('the connection broke')
      part.taken++
      return checked(input, init)
    }
    const kith = await trouble.loggedIn({ url, fetch: broken }, alice)
    expect(await trouble.film(kith, bytes)).toMatchObject({ size: bytes.length, sent: bytes.length })
    expect(part.taken).toBe(3)
    Object.assign(part, { taken: 0, rejections: Number.POSITIVE_INFINITY })
    const given = await trouble.film(await trouble.loggedIn({ url, fetch: broken }, alice), bytes)
    expect([given.size, part.taken]).toEqual([0, 1])
    Object.assign(part, { taken: 0, rejections: 0 })
    expect(await trouble.resume(kith, given.id, bytes)).toBe('committed')
    expect(part.taken).toBe(2)
  })

  test('gets events, and after a reconnect those that it missed', async () => {
    const kith = await trouble.loggedIn(site, alice)
    const realtime = supabase(() => alice.token ?? '')
    const events: Event[] = []
    const stop = await trouble.hear(kith, realtime, events)
    await until(() => realtime.getChannels().every(({ state }) => state === 'joined'))
    await bob.post('/circles/users/alice/follow')
    await until(() => events.some(({ event, missed }) => event === 'notification' && !missed))
    // the connection breaks, and supabase-js joins again by itself
    await realtime.realtime.disconnect()
    await until(() => realtime.getChannels().every(({ state }) => state !== 'joined'))
    const { id } = (await alice.post<{ id: string }>('/posts', { body: 'While away' })).body
    await bob.post(`/posts/${id}/replies`, { body: 'Indeed' })
    await until(async () => (await alice.inbox('post.replied')).length === 1)
    const [notice] = await alice.inbox('post.replied')
    realtime.realtime.connect()
    await until(() => events.some(({ payload, missed }) => payload.id === notice?.id && missed))
    stop()
    expect(stack.url).toBe(url)
  })
})
