// An operator gives two running facades another JWT_SECRET, one after the other (docs/operation.md, Another secret).
// Requests continue all the time, and nobody is logged out.
import { type ChildProcess, spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@supabase/supabase-js'
import { afterAll, expect, inject, test } from 'vitest'
import { apiKeys } from '../supabase/embedded/instance.ts'
import { createDatabase } from './support/database.ts'
import { Person } from './support/person.ts'
import { address, ended } from './support/process.ts'
import { listen } from './support/realtime.ts'
import { begin, type Pair } from './support/sessions.ts'
import { environment, JWT_SECRET, PEOPLE } from './support/settings.ts'
import { ownOnly } from './support/target.ts'
import { until } from './support/until.ts'

ownOnly('starts its own facades')
const OLD = JWT_SECRET
const NEW = 'the secret that replaces the one with which the tests sign'
const LANES = 3
/** The pause in ms between two requests of a sequence, so that requests leave CPU for the starting facades. */
const PACE = 20

const database = await createDatabase(PEOPLE)
const known = inject('people').alice
const { token: first } = known ?? {}
if (!first) throw new Error('there is no alice')

type Facade = { url: string; process: ChildProcess }
const started: ChildProcess[] = []
afterAll(() => Promise.all(started.map(ended)))

async function start(env: Record<string, string>): Promise<Facade> {
  const main = join(import.meta.dirname, '../api-facade/main.ts')
  const more = { REALTIME: 'embedded', POOL_USER: String(LANES), ...env }
  const facade = spawn(process.execPath, [main], {
    env: { ...environment(database.url, more), PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  started.push(facade)
  const url = await address(facade)
  await until(() => isReady(url))
  return { url, process: facade }
}

/** The public key that signs checkpoints of the audit log. */
const auditKeyOf = async ({ url }: Facade) =>
  ((await (await fetch(`${url}/.well-known/kith/audit`)).json()) as { key: string }).key
/** What the command of docs/operation.md prints. */
const derivedAuditKey = (secret: string) => createHmac('sha256', secret).update('kith audit key').digest('base64url')
const isReady = async (url: string) => (await fetch(`${url}/ready`)).status === 200
const at = (url: string, token?: string) => Object.assign(new Person(url, token), { ...known, token })

/** Sends requests to the facades that run, with all tokens so far, and keeps every answer that is not 200. */
function traffic(up: Set<string>, tokens: Set<string>) {
  const refused: string[] = []
  const working = new Map<string, number>()
  let [running, sent] = [true, 0]
  const ask = async (url: string, token: string) => {
    working.set(url, (working.get(url) ?? 0) + 1)
    const answer = await at(url, token).get<{ statusCode?: number }>('/me')
    working.set(url, (working.get(url) ?? 0) - 1)
    sent++
    if (answer.status !== 200) refused.push(`${url}: ${answer.status} ${answer.headers.get('x-error-code')}`)
  }
  const lane = async () => {
    while (running)
      for (const url of up)
        for (const token of tokens) {
          if (up.has(url)) await ask(url, token)
          await sleep(PACE)
        }
  }
  const lanes: Promise<void>[] = []
  return {
    refused,
    /** Starts this many more sequences of requests, so that a facade has to open connections. */
    grow: (count: number) => lanes.push(...Array.from({ length: count }, lane)),
    /** Waits until each running facade has answered this many more requests. */
    more: async (count: number) => {
      const goal = sent + count * up.size
      await until(() => sent > goal, { timeout: 60_000 })
    },
    /** Stops sending requests to a facade, as a balancer does, and waits for its answers. */
    leave: async (url: string) => {
      up.delete(url)
      await until(() => (working.get(url) ?? 0) === 0)
    },
    stop: async () => {
      running = false
      await Promise.all(lanes)
    },
  }
}

test('A secret is replaced while two facades answer: no request fails, and all tokens work', async () => {
  const before = { JWT_SECRET: OLD, JWT_SECRET_NEXT: NEW }
  const facades = await Promise.all([start(before), start(before)])
  const auditKey = await auditKeyOf(facades[0] as Facade)
  const up = new Set(facades.map(({ url }) => url))
  const tokens = new Set([first])
  const pairs: Pair[] = []
  const load = traffic(up, tokens)
  load.grow(1)

  /** Logs in at every facade. Every facade must accept all refresh tokens. */
  const logIn = async () => {
    for (const { url } of facades) {
      const pair = await begin(at(url))
      tokens.add(pair.accessToken)
      pairs.push(pair)
    }
    for (const { url } of facades)
      for (const pair of pairs) {
        const { status, body } = await at(url).post<Pair>('/identity/refresh', { refreshToken: pair.refreshToken })
        expect([status, url]).toEqual([200, url])
        Object.assign(pair, body)
      }
  }
  const replaceEach = async () => {
    for (const [n, { url, process }] of [...facades.entries()]) {
      await load.leave(url)
      await ended(process)
      const next = await start({ JWT_SECRET: NEW, JWT_SECRET_PREVIOUS: OLD })
      facades[n] = next
      up.add(next.url)
      if (n === 0) load.grow(LANES - 1) // the facade that was not replaced opens connections, too
      await load.more(20)
      await logIn()
      for (const one of facades) await until(() => isReady(one.url))
    }
  }

  try {
    await load.more(5)
    await logIn()
    await replaceEach()
    await load.more(20)
  } finally {
    await load.stop()
  }
  expect(load.refused).toEqual([])

  // the services of a Supabase stack, which the facades replace, accept the old keys and tokens too
  const { url } = facades[0] as Facade
  for (const secret of [OLD, NEW])
    for (const token of [first, [...tokens].at(-1) ?? '']) {
      const client = createClient(url, (await apiKeys(secret)).anonKey, {
        accessToken: async () => token,
      })
      expect(await client.schema('api').rpc('get_me')).toMatchObject({ error: null, status: 200 })
      const { statuses } = await listen(client, `user:${at(url, token).id}`)
      expect(statuses).toEqual(['SUBSCRIBED'])
      await client.realtime.disconnect()
    }

  // without the previous secret, tokens that it signed are rejected
  const last = await start({ JWT_SECRET: NEW, AUDIT_KEY: derivedAuditKey(OLD) })
  expect(await at(last.url, first).get('/me')).toFailWith(401, 'token_invalid')
  expect(await at(last.url, [...tokens].at(-1)).get('/me')).toMatchObject({ status: 200 })
  // without AUDIT_KEY, the key of the audit log's checkpoints is another one
  expect(await auditKeyOf(last)).toBe(auditKey)
  expect(await auditKeyOf(facades[0] as Facade)).not.toBe(auditKey)
}, 600_000)
