// node test/attacks/gateway.ts measures how many sockets of rejected upgrades the gateway keeps if clients never close
// their side, and what the database spends on joins that no policy allows. It starts its own instance.
import { once } from 'node:events'
import { readdirSync, readlinkSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import WebSocket from 'ws'
import { type Fresh, onFresh, say, tally } from '../support/fresh.ts'

const UPGRADES = 300
const JOINS = 300
const KNOWN = 20
const WINDOW = 12_000 // ms, because an idle connection reports its statistics only after ten seconds

const path = '/realtime/v1/websocket'

function sockets(pid: number): number {
  const links = readdirSync(`/proc/${pid}/fd`).map((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`)
    } catch {
      return '' // closed meanwhile
    }
  })
  return links.filter((link) => link.startsWith('socket:')).length
}

async function refused(url: string, target: string, key: string): Promise<{ socket: Socket; status: string }> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  socket.on('error', () => {})
  const lines = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', key].filter(Boolean)
  socket.write([`GET ${target} HTTP/1.1`, `Host: ${hostname}`, ...lines, '', ''].join('\r\n'))
  const [answer] = await once(socket, 'data')
  return { socket, status: String(answer).split(' ')[1] ?? '' }
}

async function upgrades({ apiUrl, pid }: Fresh): Promise<void> {
  await sleep(6000) // earlier requests keep their connection for five seconds
  const before = sockets(pid)
  const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='
  const ways = [
    ['/elsewhere', key],
    [`${path}?vsn=3`, key],
    [path, key],
  ] as const
  const all: Awaited<ReturnType<typeof refused>>[] = []
  for (let n = 0; n < UPGRADES; n++) {
    const [target, header] = ways[n % ways.length] ?? ways[0]
    all.push(await refused(apiUrl, target, header))
  }
  const kept = []
  for (let second = 0; second <= 5; second++, await sleep(1000)) kept.push(sockets(pid) - before)
  say(`${UPGRADES} rejected upgrades (${tally(all.map(({ status }) => status))}), none closed by the client:`)
  say(`sockets that stay open, second by second: ${kept.join(', ')}`)
  for (const { socket } of all) socket.destroy()
}

/** Joins repeatedly. @returns the answers */
async function joins({ apiUrl, anonKey }: Fresh, count: number, token: string): Promise<string> {
  const ws = new WebSocket(`${apiUrl.replace('http', 'ws')}${path}?apikey=${anonKey}&vsn=1.0.0`)
  await once(ws, 'open')
  const answers: string[] = []
  ws.on('message', (data) => {
    const { event, payload } = JSON.parse(String(data))
    const [reason] = String(payload.response?.reason ?? '').split(':')
    if (event === 'phx_reply') answers.push(payload.status === 'ok' ? 'ok' : reason || payload.status)
  })
  for (let n = 1; n <= count; n++) {
    const payload = { config: { private: true }, access_token: token }
    const message = { topic: 'realtime:feed:public', event: 'phx_join', payload, ref: `${n}`, join_ref: `${n}` }
    ws.send(JSON.stringify(message))
  }
  const end = Date.now() + 10_000
  while (answers.length < count && Date.now() < end && ws.readyState === WebSocket.OPEN) await sleep(20)
  ws.terminate()
  return tally(answers)
}

/** Transactions within a window in which some work is done. */
async function cost<T>({ sql }: Fresh, work: () => Promise<T>) {
  const read = async () =>
    (
      await sql`select xact_commit::int as commits, xact_rollback::int as rollbacks
               from pg_stat_database where datname = current_database()`
    )[0]
  const before = await read()
  const start = Date.now()
  const done = await work()
  await sleep(WINDOW - (Date.now() - start))
  const after = await read()
  return `${after?.commits - before?.commits} commits, ${after?.rollbacks - before?.rollbacks} rollbacks${done ? `; answered ${done}` : ''}`
}

await onFresh(async (fresh) => {
  await upgrades(fresh)
  const { token } = await fresh.join('alice')
  await sleep(WINDOW)
  say(`transactions in ${WINDOW / 1000} s, idle: ${await cost(fresh, async () => '')}`)
  say(`${JOINS} anonymous joins: ${await cost(fresh, () => joins(fresh, JOINS, fresh.anonKey))}`)
  say(`${KNOWN} joins of a person: ${await cost(fresh, () => joins(fresh, KNOWN, token))}`)
})
