// What the gateway refuses before it costs anything: descriptors, memory and statements.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { realtimeWorld } from '../support/realtime.ts'
import { until } from '../support/until.ts'

/** Asks for an upgrade as a client that never closes its side, and gives the answer's head. */
async function ask(url: string, path: string, extra = ''): Promise<{ socket: Socket; answer: string }> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  socket.on('error', () => socket.destroy())
  const upgrade = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13']
  const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='
  socket.write([`GET ${path} HTTP/1.1`, `Host: ${hostname}`, ...upgrade, key, '', extra].join('\r\n'))
  const [answer] = await once(socket, 'data')
  return { socket, answer: String(answer) }
}

describe('a refused upgrade', async () => {
  const w = await realtimeWorld({ people: ['alice'], silence: 60_000 })

  test.each([
    ['404', '/elsewhere'],
    ['400', '/realtime/v1/websocket?vsn=3'],
    ['401', '/realtime/v1/websocket'],
    ['401', '/realtime/v1/websocket?apikey=none'],
  ])('is closed by the server, though the client stays: %s %s', async (status, path) => {
    const { socket, answer } = await ask(w.url, path)
    expect(answer).toMatch(`HTTP/1.1 ${status} `)
    // who writes to what is closed altogether learns so; to what is half closed, one can write for ever
    const ended = () => {
      if (!socket.destroyed) socket.write('still here')
      return socket.destroyed
    }
    await until(ended, { timeout: 4000, every: 50 })
  })
})

describe('while the database can tell nobody anything', async () => {
  const w = await realtimeWorld({ people: ['alice'] })

  test('a join that no policy could allow is refused all the same, one that a policy allows waits', async () => {
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
      await expect(Promise.race([waiting, sleep(200, 'waits')])).resolves.toBe('waits')
      await sql`rollback and chain` // the lock goes
      expect(await waiting).toContain('"ok"')
    })
  })

  test('a token of nobody ends a channel without asking it, too', async () => {
    const socket = await w.socket('2.0.0')
    expect(await socket.join('feed:public', w.alice.token)).toContain('"ok"')
    await w.database.superuser.begin(async (sql) => {
      await sql`lock table realtime.messages in access exclusive mode`
      socket.send(JSON.stringify(['1', '2', 'realtime:feed:public', 'access_token', { access_token: w.anonKey }]))
      expect(await socket.frame(1)).toContain('You do not have permissions to read')
    })
  })
})
