// Tests that the gateway rejects excess requests before they cost file descriptors, memory or statements.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { realtimeWorld, seconds, tokenOf } from '../support/realtime.ts'
import { until } from '../support/until.ts'

const KEY = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='

/** From here to the end of the test, only the test moves the time: a minute must not pass on a busy machine. */
function stopClock(): void {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => {
    vi.useRealTimers()
  })
}

/** Requests an upgrade as a client that never closes its side. @returns the socket and the answer */
async function ask(
  url: string,
  path: string,
  headers = [KEY],
  early = '',
): Promise<{ socket: Socket; answer: string }> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  afterAll(() => socket.destroy())
  socket.on('error', () => socket.destroy())
  const upgrade = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', ...headers]
  socket.write([`GET ${path} HTTP/1.1`, `Host: ${hostname}`, ...upgrade, '', early].join('\r\n'))
  const [answer] = await once(socket, 'data')
  return { socket, answer: String(answer) }
}

describe('A rejected upgrade', async () => {
  const w = await realtimeWorld({ people: ['alice'], idle: 60_000 })

  test.each([
    ['404', '/elsewhere'],
    ['400', '/realtime/v1/websocket?vsn=3'],
    ['401', '/realtime/v1/websocket'],
    ['401', '/realtime/v1/websocket?apikey=none'],
  ])('is closed by the server even if the client stays connected: %s %s', async (status, path) => {
    const { socket, answer } = await ask(w.url, path)
    expect(answer).toMatch(`HTTP/1.1 ${status} `)
    // Writing to a closed socket fails. Writing to a half-closed socket could continue forever.
    const ended = () => {
      if (!socket.destroyed) socket.write('still here')
      return socket.destroyed
    }
    await until(ended, { timeout: 4000, every: 50 })
  })
})

describe('While the database cannot check permissions', async () => {
  const w = await realtimeWorld({ people: ['alice'] })

  test('a join that no policy could allow is rejected anyway, and one that a policy may allow waits', async () => {
    const [anonymous, alice] = [await w.socket('2.0.0'), await w.socket('2.0.0')]
    const long = `feed:${'x'.repeat(251)}`
    const unreadable = (name: string) =>
      `Unauthorized: You do not have permissions to read from this Channel topic: ${name}`
    await w.database.superuser.begin(async (sql) => {
      await sql`lock table realtime.messages in access exclusive mode`
      for (let n = 0; n < 50; n++) expect(await anonymous.join('feed:public')).toContain(unreadable('feed:public'))
      for (const name of ['feed', 'feed:', ':public', 'Feed:public', ' feed:public', long])
        expect(await alice.join(name, w.alice.token)).toContain(unreadable(name))
      const waiting = alice.join('feed:public', w.alice.token)
      await until(async () => (await sql`select from pg_locks where not granted`).length > 0)
      await sql`rollback and chain` // releases the lock
      expect(await waiting).toContain('"ok"')
    })
  })

  test('an anonymous token ends a channel without a query', async () => {
    const socket = await w.socket('2.0.0')
    expect(await socket.join('feed:public', w.alice.token)).toContain('"ok"')
    await w.database.superuser.begin(async (sql) => {
      await sql`lock table realtime.messages in access exclusive mode`
      socket.send(JSON.stringify(['1', '2', 'realtime:feed:public', 'access_token', { access_token: w.anonKey }]))
      expect(await socket.frame(1)).toContain('You do not have permissions to read')
    })
  })
})

describe('Sockets are limited', async () => {
  const env = { TRUSTED_PROXY_HOPS: '1' }
  const w = await realtimeWorld({ people: ['alice'], env, mostSocketsOfClient: 2, mostSockets: 4 })
  const from = (address: string, { apiKey = w.anonKey, headers = [KEY] } = {}) =>
    ask(w.url, `/realtime/v1/websocket?apikey=${apiKey}`, [...headers, `X-Forwarded-For: 6.6.6.6, ${address}`])
  const open = async (address: string) => {
    const { socket, answer } = await from(address)
    return answer.startsWith('HTTP/1.1 101 ') ? socket : expect.unreachable(answer)
  }
  const close = (sockets: Socket[]) => {
    for (const socket of sockets) socket.destroy()
    return until(() => w.gateway.sockets() === 0)
  }

  test('per address, which the trusted proxy reports', async () => {
    const first = await open('192.0.2.1')
    const second = await open('192.0.2.1')
    const { answer } = await from('192.0.2.1')
    expect(answer).toMatch('HTTP/1.1 429 Too Many Requests\r\n')
    expect(answer).toMatch('\r\nRetry-After: 60\r\n')
    const elsewhere = await open('192.0.2.2')
    first.destroy()
    const again = await until(() => open('192.0.2.1'))
    await close([second, elsewhere, again])
  })

  test('per network of an IPv6 address, and in total', async () => {
    const near = [await open('2001:db8::1'), await open('2001:db8:0:0:ffff::2')]
    expect((await from('2001:db8::3')).answer).toMatch(' 429 ')
    const far = [await open('2001:db8:0:1::1'), await open('2001:db8:0:2::1')]
    expect((await from('2001:db8:0:3::1')).answer).toMatch(' 429 ')
    await close([...near, ...far])
  })

  test('until they are closed, including rejected ones', async () => {
    const refused = async (given: Parameters<typeof from>[1]) => (await from('192.0.2.3', given)).answer
    for (let n = 0; n < 3; n++) await until(async () => (await refused({ headers: [] })).includes(' 400 '))
    for (let n = 0; n < 2; n++) await until(async () => (await refused({ apiKey: 'none' })).includes(' 401 '))
    expect(await refused({})).toMatch(' 429 ')
    const first = await until(() => open('192.0.2.3'))
    const second = await until(() => open('192.0.2.3'))
    await close([first, second])
  })
})

describe('One socket', async () => {
  const w = await realtimeWorld({ people: ['alice'], mostChannels: 1, mostJoins: 3, mostEarlyBytes: 100 })
  const path = `/realtime/v1/websocket?apikey=${w.anonKey}`
  const error = (reason: string) => expect.stringContaining(`{"status":"error","response":{"reason":"${reason}"}}`)

  test('can send only a few bytes before its upgrade is answered', async () => {
    expect((await ask(w.url, path, [KEY], 'x'.repeat(101))).answer).toMatch('HTTP/1.1 400 ')
    expect((await ask(w.url, path, [KEY], 'x'.repeat(100))).answer).toMatch('HTTP/1.1 101 ')
  })

  test('can join a limited number of channels', async () => {
    const socket = await w.socket('2.0.0')
    expect(await socket.join('feed:public', w.alice.token)).toContain('"ok"')
    const another = await socket.join(`user:${w.alice.id}`, w.alice.token)
    expect(another).toEqual(error('ChannelRateLimitReached: Too many channels'))
  })

  test('can send newer tokens only as often as joins, and continues with the last accepted one', async () => {
    const socket = await w.socket('2.0.0')
    const bring = (token: string) =>
      socket.send(JSON.stringify(['1', '2', 'realtime:feed:public', 'access_token', { access_token: token }]))
    await socket.join('feed:public', w.alice.token)
    for (const later of [600, 601]) bring(await tokenOf(w.alice, { exp: seconds() + later }))
    bring(w.anonKey) // this token would end the channel if it were accepted
    socket.send('[null,"3","phoenix","heartbeat",{}]')
    expect(await socket.frame(1)).toContain('[null,"3","phoenix","phx_reply"')
    await w.broadcast('feed:public', { id: 'heard' })
    expect(await socket.frame(2)).toBeInstanceOf(Buffer)
  })

  test('can join only so often in a minute, and stays open', async () => {
    stopClock()
    const socket = await w.socket('2.0.0')
    const tooMany = error('ClientJoinRateLimitReached: Too many joins per second')
    for (let n = 0; n < 3; n++) expect(await socket.join('feed:none', w.alice.token)).toContain('Unauthorized')
    expect(await socket.join('feed:public', w.alice.token)).toEqual(tooMany)
    vi.setSystemTime(Date.now() + 59_000)
    expect(await socket.join('feed:public', w.alice.token)).toEqual(tooMany)
    vi.setSystemTime(Date.now() + 1000)
    expect(await socket.join('feed:public', w.alice.token)).toContain('"ok"')
  })
})

describe('One address', async () => {
  const w = await realtimeWorld({
    people: ['alice'],
    env: { RATE_LIMITS: '{"realtime_join": "3/min"}', RATE_LIMIT_SCALE: '1' },
  })
  const tooMany = 'ClientJoinRateLimitReached: Too many joins per second'
  test('can join only so often in a minute, however many sockets it opens and closes', async () => {
    stopClock()
    for (let n = 0; n < 3; n++) {
      const socket = await w.socket('2.0.0')
      expect(await socket.join('feed:public', w.alice.token)).toContain('"ok"')
      socket.ws.close()
    }
    await w.database.superuser.begin(async (sql) => {
      await sql`lock table realtime.messages in access exclusive mode` // a join that queries the database would wait
      for (let n = 0; n < 50; n++) {
        const socket = await w.socket('2.0.0')
        expect(await socket.join('feed:public', w.alice.token)).toContain(tooMany)
        socket.ws.close()
      }
    })
  })
})
