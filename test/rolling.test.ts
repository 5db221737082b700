// Two facades behind a balancer are restarted one after the other under load: no request fails, sockets are asked to
// move, and clients that rejoin and read have every message. Workers beside them are stopped and killed, and work
// continues. See docs/operation.md, Several facades.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createClient } from '@supabase/supabase-js'
import { afterAll, expect, test } from 'vitest'
import { apiKeys } from '../supabase/embedded/instance.ts'
import { facades } from './support/facades.ts'
import { letIn } from './support/joining.ts'
import type { Page } from './support/lists.ts'
import { Person } from './support/person.ts'
import { type Listener, listen, Socket } from './support/realtime.ts'
import { ADMIN, environment, JWT_SECRET } from './support/settings.ts'
import { until } from './support/until.ts'

const env = { REALTIME: 'embedded', DRAIN_SECONDS: '3' }
const { balancer, database, urls, restart } = await facades(env, { checked: true })
const { anonKey } = await apiKeys(JWT_SECRET)
const admin = await Object.assign(new Person(balancer.url), ADMIN).login()
const [alice, bob] = (await letIn(admin, ['alice', 'bob'])) as [Person, Person]
type Message = { id: string }
const { body: circle } = await alice.post<{ id: string }>('/circles', { name: 'Friends' })
await alice.post(`/circles/me/${circle.id}/members`, { memberId: 'bob' })
const group = { kind: 'group', memberIds: ['bob'], title: 'Us' }
const { body: talk } = await alice.post<{ id: string }>('/conversations', group)

/** A client of supabase-js with the token of bob, for this address. */
const supabase = (url: string) => {
  const client = createClient(url, anonKey, { accessToken: async () => bob.token ?? null })
  afterAll(() => client.realtime.disconnect())
  return client
}

/** The ids of the messages after this one. */
async function read(after: string): Promise<string[]> {
  const ids: string[] = []
  for (let next: string | null = ''; next !== null; ) {
    const path: string = `/conversations/${talk.id}/messages?limit=50&after=${after}${next && `&cursor=${next}`}`
    const { body }: { body: Page<Message> } = await bob.get(path)
    ids.push(...body.items.map(({ id }) => id))
    next = body.nextCursor
  }
  return ids
}

/** Sends requests of several kinds through the balancer, each kind one after another, until `stop` is called. */
function load() {
  const failed: string[] = []
  const sent: string[] = []
  const answered = { messages: 0, posts: 0, reads: 0, logins: 0 }
  let stopped = false
  const repeat = async (what: keyof typeof answered, ask: () => Promise<unknown>) => {
    while (!stopped) {
      await ask().catch((error: unknown) => failed.push(`${what}: ${error}`))
      answered[what]++
    }
  }
  const expected = <Body>(status: number, answer: { status: number; body: Body; text: string }) => {
    if (answer.status !== status) throw new Error(`${answer.status} ${answer.text}`)
    return answer.body
  }
  const all = [
    repeat('messages', async () => {
      const message = { body: 'Hello', clientId: crypto.randomUUID() }
      sent.push(expected(201, await alice.post<Message>(`/conversations/${talk.id}/messages`, message)).id)
    }),
    repeat('posts', async () => expected(201, await alice.post('/posts', { format: 'note', body: 'Hello' }))),
    repeat('reads', async () => expected(200, await bob.get('/feed'))),
    repeat('logins', () => bob.login()),
  ]
  const stop = async () => {
    stopped = true
    await Promise.all(all)
  }
  return { failed, sent, answered, stop }
}

test('Both facades are restarted under load: every request is answered, and clients that move miss no message', async () => {
  const { failed, sent, answered, stop } = load()
  await until(() => sent.length > 0 || Promise.reject(new Error(failed[0])))
  const topic = `conversation:${talk.id}`
  const stays = await listen(supabase(urls[1] ?? ''), topic)
  const movers = await Promise.all(
    Array.from({ length: 4 }, async () => ({
      ...(await listen(supabase(balancer.url), topic)),
      read: [] as string[],
    })),
  )
  const sockets = Array.from({ length: 20 }, () => {
    const address = `${urls[0]?.replace('http', 'ws')}/realtime/v1/websocket?apikey=${anonKey}&vsn=2.0.0`
    return new Socket(address, '2.0.0')
  })
  await Promise.all(sockets.map(({ opened }) => opened))
  const heardBy = ({ heard }: Listener) => heard.map(({ payload }) => payload.id)
  const rejoined = async () => {
    await until(() => movers.every(({ statuses }) => statuses.at(-1) === 'SUBSCRIBED'))
    for (const mover of movers) mover.read.push(...(await read(sent[0] ?? '')))
  }
  const counted = sent.length

  const first = restart(0)
  const closed = () => sockets.filter((socket) => socket.closed !== undefined).length
  await until(() => closed() > 0)
  expect(closed()).toBeLessThan(sockets.length) // the facade does not close all sockets at the same time
  expect(await first).toBe(0)
  expect(sockets.map((socket) => socket.closed)).toEqual(sockets.map(() => 1012))
  // clients of the other facade are not affected
  const during = sent.slice(counted)
  await until(() => heardBy(stays).includes(during.at(-1)))
  expect(during.filter((id) => !heardBy(stays).includes(id))).toEqual([])
  expect(stays.statuses).toEqual(['SUBSCRIBED'])
  await rejoined()

  expect(await restart(1)).toBe(0)
  await rejoined()
  const restarted = sent.length
  await until(() => sent.length > restarted)
  await stop()
  expect(failed).toEqual([])
  for (const count of Object.values(answered)) expect(count).toBeGreaterThan(10)
  expect((await read(sent[0] ?? '')).sort()).toEqual(sent.slice(1).sort()) // each once
  for (const mover of movers) {
    const missing = () => sent.slice(counted).filter((id) => !heardBy(mover).includes(id) && !mover.read.includes(id))
    await until(() => missing().length === 0)
    expect(mover.statuses.length).toBeGreaterThan(1)
    expect(sent.slice(counted).filter((id) => !heardBy(mover).includes(id))).not.toEqual([])
  }
})

test('Beside the workers of the facades, one is killed and one stopped: each effect is applied, and only once', async () => {
  const { owner } = database
  const workers = [1, 2].map(() =>
    spawn(process.execPath, [join(import.meta.dirname, '../api-facade/worker/main.ts')], {
      env: { ...environment(database.url), PATH: process.env.PATH },
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  )
  afterAll(() => workers.map((worker) => worker.kill('SIGKILL')))
  for (const worker of workers) expect(String(await once(worker.stdout, 'data'))).toBe('The worker runs.\n')
  const caused = async () =>
    (
      await owner`
        select (select coalesce(sum(delta), 0)::int from app.contribution_entries where user_id = ${bob.id} and level = 0) as earned,
          (select coalesce(sum(count), 0)::int from app.notifications where user_id = ${alice.id} and kind = 'post.reacted') as told`
    )[0]
  const settled = () => until(async () => (await owner`select from private.effects`).length === 0)
  await settled()
  const before = await caused()
  const react = async (times: number) => {
    for (let n = 0; n < times; n++) {
      const { body } = await alice.post<{ id: string }>('/posts', { format: 'note', body: 'Hello' })
      expect((await bob.post(`/posts/${body.id}/react`, { kind: 'heart' })).status).toBe(200)
    }
  }
  const exits = workers.map((worker) => once(worker, 'exit'))
  const reactions = react(30)
  await until(async () => (await caused())?.earned > before?.earned)
  workers[0]?.kill('SIGKILL')
  await exits[0]
  workers[1]?.kill('SIGTERM')
  expect(await exits[1]).toEqual([0, null])
  await reactions
  await react(5)
  await settled()
  expect(await caused()).toEqual({ earned: before?.earned + 35, told: before?.told + 35 })
})
