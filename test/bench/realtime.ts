// Realtime: how long a message takes from its commit to 1,000 clients, and how many a second get through.
// Gateway and clients share this process, so the figures are a lower bound.
import type { Sql } from 'postgres'
import WebSocket from 'ws'
import { readConfig } from '../../api-facade/lib/config.ts'
import { createTokens } from '../../api-facade/lib/tokens.ts'
import { type ServerOptions, startServer } from '../../api-facade/server.ts'
import { apiKeys } from '../../supabase/embedded/instance.ts'
import { startGateway } from '../../supabase/embedded/realtime/gateway.ts'
import { claims } from './case.ts'

const SOCKETS = 1000
const SINGLE = 50
const BURST = 200

/** A socket that has joined the channel of new posts, and what it does with each message. */
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

/** Milliseconds from the commit until all sockets have it, and messages a second in a burst. */
export type RealtimeFigures = { sockets: number; p50: number; p99: number; perSecond: number }

export async function realtimeFigures(owner: Sql, databaseUrl: string, jwtSecret: string): Promise<RealtimeFigures> {
  const config = readConfig({
    DATABASE_URL: databaseUrl,
    JWT_SECRET: jwtSecret,
    PORT: '0',
    HOST: '127.0.0.1',
    LOG_LEVEL: 'silent',
  })
  const gateway: ServerOptions['gateway'] = (site) => startGateway({ ...site, mostSocketsOfClient: SOCKETS })
  const server = await startServer({ config, databaseUrl, gateway })
  const { anonKey } = await apiKeys(jwtSecret)
  const token = await (await createTokens([jwtSecret])).sign(claims(2))
  let heard = 0
  let whole: () => void = () => {}
  let awaited = 0
  const everyone = (messages: number) => {
    heard = 0
    awaited = messages * SOCKETS
    return new Promise<void>((settle) => {
      whole = settle
    })
  }
  const listen = () =>
    listenToFeed(server.url, anonKey, token, () => {
      if (++heard === awaited) whole()
    })
  const send = (count: number) =>
    owner`select private.broadcast('feed:public', 'post', jsonb_build_object('id', n)) from generate_series(1, ${count}::int) n`

  try {
    const sockets: WebSocket[] = []
    for (let n = 0; n < SOCKETS; n += 50) sockets.push(...(await Promise.all(Array.from({ length: 50 }, listen))))
    const delays: number[] = []
    for (let n = 0; n < SINGLE; n++) {
      const all = everyone(1)
      await send(1)
      const start = performance.now()
      await all
      delays.push(performance.now() - start)
    }
    const start = performance.now()
    const all = everyone(BURST)
    await send(BURST)
    await all
    const perSecond = (BURST * 1000) / (performance.now() - start)
    for (const ws of sockets) ws.terminate()
    delays.sort((a, b) => a - b)
    const at = (share: number) => delays[Math.min(SINGLE - 1, Math.floor(SINGLE * share))] ?? Number.NaN
    return { sockets: SOCKETS, p50: at(0.5), p99: at(0.99), perSecond }
  } finally {
    await server.stop()
  }
}
