// Tests the gateway with many sockets, with slow and dead ones, and with a database that goes down.
import { describe, expect, test } from 'vitest'
import { applyEffects } from '../support/database.ts'
import { listen, realtimeWorld, type Socket } from '../support/realtime.ts'
import { until } from '../support/until.ts'

describe('With many sockets', async () => {
  const w = await realtimeWorld({ people: ['alice', 'bob'], backlog: 256 * 1024 })

  const crowd = (size: number) =>
    Promise.all(
      Array.from({ length: size }, async (_, at) => {
        const socket = await w.socket(at % 2 === 0 ? '2.0.0' : '1.0.0')
        expect(String(await socket.join('feed:public', w.bob.token))).toContain('"ok"')
        return socket
      }),
    )

  test('200 sockets receive a post, each once', async () => {
    const sockets = await crowd(200)
    const { body } = await w.alice.post<{ id: string }>('/posts', { format: 'note', body: 'to all' })
    await applyEffects(w.database.owner)
    await w.broadcast('feed:public', { id: 'last' })
    await until(() => sockets.every(({ frames }) => frames.length === 3))
    for (const { frames } of sockets) expect(String(frames[1])).toContain(body.id)
    expect((await w.nobody.get('//metrics')).text).toContain('kith_realtime_sockets 200\n')
    for (const { ws } of sockets) ws.close()
    await until(() => w.gateway.sockets() === 0)
  })

  test('a socket that does not read is disconnected, and delays nobody', async () => {
    const [slow, ...others] = await crowd(4)
    slow?.ws.pause()
    let sent = 0
    const isCut = async () => {
      await w.broadcast('feed:public', { id: ++sent, filling: 'x'.repeat(100_000) })
      return w.gateway.sockets() === others.length
    }
    await until(isCut)
    await until(() => others.every(({ frames }) => frames.length === 1 + sent))
    slow?.ws.resume()
    await until(() => slow?.closed)
    expect(slow?.closed).toBe(1006)
  })

  test('one socket can join at most 100 channels', async () => {
    const socket = await w.socket('2.0.0')
    const owner = w.database.owner
    const rows = await owner<{ id: string }[]>`
      with c as (insert into app.conversations (kind, title) select 'group', 'x' from generate_series(1, 101) returning id)
      insert into app.conversation_members (conversation_id, user_id)
      select id, ${w.bob.id}::uuid from c returning conversation_id as id`
    for (const { id } of rows) await socket.join(`conversation:${id}`, w.bob.token)
    expect(socket.frames.filter((frame) => String(frame).includes('"ok"'))).toHaveLength(100)
    expect(String(socket.frames.at(-1))).toContain('ChannelRateLimitReached: Too many channels')
  })
})

test('A socket that sends nothing is closed, and one with a heartbeat is not', async () => {
  const w = await realtimeWorld({ people: ['alice'], idle: 400 })
  const [silent, alive] = [await w.socket('2.0.0'), await w.socket('2.0.0')]
  const beat = setInterval(() => alive.send('[null,"1","phoenix","heartbeat",{}]'), 50)
  await until(() => silent.closed)
  expect(alive.closed).toBeUndefined()
  clearInterval(beat)
  await until(() => alive.closed)
})

test('After the process stood still, sockets that keep sending are not closed', async () => {
  const w = await realtimeWorld({ people: ['alice'], idle: 400 })
  const alive = await w.socket('2.0.0')
  const beat = setInterval(() => alive.send('[null,"1","phoenix","heartbeat",{}]'), 50)
  await until(() => alive.frames.length > 0)
  // the gateway runs in this process too, so afterwards its timers are due before it reads
  setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000))
  expect(String(await alive.join('feed:public', w.alice.token))).toContain('"ok"')
  expect(alive.closed).toBeUndefined()
  clearInterval(beat)
})

describe('When the database', async () => {
  const w = await realtimeWorld({ people: ['alice', 'bob'] })
  const terminate = (application: string, type: string) => w.database.superuser`
    select pg_terminate_backend(pid, 5000) from pg_stat_activity
    where datname = current_database() and application_name = ${application} and backend_type = ${type}`

  test('ends the replication connection, clients rejoin by themselves and receive what comes after', async () => {
    const feed = await listen(
      w.client(() => w.bob.token ?? ''),
      'feed:public',
    )
    expect(await terminate('kith_realtime', 'walsender')).toHaveLength(1)
    await until(() => feed.statuses.includes('CHANNEL_ERROR'))
    await until(() => feed.statuses.at(-1) === 'SUBSCRIBED')
    const { body } = await w.alice.post<{ id: string }>('/posts', { format: 'note', body: 'after' })
    await until(() => feed.heard.length > 0)
    expect(feed.heard.at(-1)?.payload).toEqual({ id: body.id })
  })

  test('ends the connections that check permissions, new ones are opened', async () => {
    const client = w.client(() => w.bob.token ?? '')
    const feed = await listen(client, 'feed:public')
    await terminate('kith_realtime', 'client backend')
    const inbox = await until(() => listen(client, `user:${w.bob.id}`))
    expect([feed.statuses.at(-1), inbox.statuses.at(-1)]).toEqual(['SUBSCRIBED', 'SUBSCRIBED'])
  })

  test('is left by a gateway that stops, no replication slot remains and clients get a close frame', async () => {
    const socket: Socket = await w.socket('2.0.0')
    await socket.join('feed:public', w.bob.token)
    const slots = () => w.database.owner`
      select from pg_replication_slots where database = current_database()`
    expect(await slots()).toHaveLength(1)
    await w.gateway.stop()
    await until(() => socket.closed)
    expect(socket.closed).toBe(1012)
    await until(async () => (await slots()).length === 0)
    expect(w.gateway.sockets()).toBe(0)
  })
})
