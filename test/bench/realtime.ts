// Realtime: how long a message takes from its commit to all clients, where that time goes, what it costs, and how many
// messages a second are possible. The gateway is alone in this thread; the clients and the writer are in another one
// (listeners.ts).
import { readFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { Sql } from 'postgres'
import WebSocket from 'ws'
import { readConfig } from '../../api-facade/lib/config.ts'
import { createTokens } from '../../api-facade/lib/tokens.ts'
import { type ServerOptions, startServer } from '../../api-facade/server.ts'
import { apiKeys } from '../../supabase/embedded/instance.ts'
import { startGateway } from '../../supabase/embedded/realtime/gateway.ts'
import { claims } from './case.ts'
import type { Sent, Site, Work } from './listeners.ts'
import { median, quantile } from './rounds.ts'

/** The numbers of sockets. With a single socket the figures show the cost without the fan-out. */
const SOCKETS = [1, 200, 2000]
const SINGLE = 60
const BURST = 200

/** A socket that has joined the channel of new posts and calls `hear` for each message. */
export const listenToFeed = (url: string, anonKey: string, token: string, hear: () => void): Promise<WebSocket> =>
  new Promise((joined, failed) => {
    const ws = new WebSocket(`${url.replace('http', 'ws')}/realtime/v1/websocket?apikey=${anonKey}&vsn=2.0.0`)
    const config = { private: true }
    ws.once('error', failed)
    ws.once('open', () =>
      ws.send(JSON.stringify(['1', '1', 'realtime:feed:public', 'phx_join', { config, access_token: token }])),
    )
    ws.on('message', (data: Buffer, binary: boolean) => {
      if (binary) hear()
      else if (data.includes('"status":"ok"')) joined(ws)
      else if (data.includes('"status":"error"')) failed(new Error(String(data)))
    })
  })

/**
 * Milliseconds, medians except for p99: of the statement with its commit, from the commit to the first client, from
 * the first to the last client, and from the commit to the last client. Milliseconds of a core for each event: of the
 * gateway's thread, of the walsender. Events per second in a burst.
 */
type RealtimeFigures = {
  sockets: number
  write: number
  first: number
  others: number
  p50: number
  p99: number
  gateway: number
  walsender: number
  perSecond: number
}

export async function realtimeFigures(owner: Sql, databaseUrl: string, jwtSecret: string): Promise<RealtimeFigures[]> {
  const config = readConfig({
    DATABASE_URL: databaseUrl,
    JWT_SECRET: jwtSecret,
    PORT: '0',
    HOST: '127.0.0.1',
    LOG_LEVEL: 'silent',
    RATE_LIMIT_SCALE: '1000000000',
  })
  const most = Math.max(...SOCKETS)
  const gateway: ServerOptions['gateway'] = (site) => startGateway({ ...site, mostSocketsOfClient: most })
  const server = await startServer({ config, databaseUrl, gateway, patience: { connections: most + 10 } })
  const { anonKey } = await apiKeys(jwtSecret)
  const token = await (await createTokens([jwtSecret])).sign(claims(2))
  const site: Site = { url: server.url, anonKey, token, databaseUrl }
  const worker = new Worker(new URL('listeners.ts', import.meta.url), { workerData: site })
  const ask = (work: Work) =>
    new Promise<Sent>((settle) => {
      worker.once('message', settle).postMessage(work) // an error in the thread ends the bench
    })
  const cpu = async () => {
    const [row] = await owner<{ pid: number }[]>`select active_pid as pid from pg_replication_slots where active`
    const walsender = Number(readFileSync(`/proc/${row?.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
    const { user, system } = process.threadCpuUsage()
    return { walsender, gateway: (user + system) / 1000 }
  }
  try {
    const figures: RealtimeFigures[] = []
    for (const sockets of SOCKETS) {
      await ask({ sockets })
      for (let n = 0; n < SINGLE; n++) await ask({ events: 1 }) // so that the code is compiled
      const before = await cpu()
      const sent: Sent[] = []
      for (let n = 0; n < SINGLE; n++) sent.push(await ask({ events: 1 }))
      const after = await cpu()
      const burst = await ask({ events: BURST })
      const all = sent.map(({ committed, last }) => last - committed)
      figures.push({
        sockets,
        write: median(sent.map(({ begun, committed }) => committed - begun)),
        first: median(sent.map(({ committed, first }) => first - committed)),
        others: median(sent.map(({ first, last }) => last - first)),
        p50: median(all),
        p99: quantile(all, 0.99),
        gateway: (after.gateway - before.gateway) / SINGLE,
        walsender: (after.walsender - before.walsender) / SINGLE,
        perSecond: (BURST * 1000) / (burst.last - burst.begun),
      })
    }
    return figures
  } finally {
    await worker.terminate()
    await server.stop()
  }
}
