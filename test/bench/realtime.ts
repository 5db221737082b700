// Realtime: how long a message takes from its commit to all clients, where that time goes, what it costs, and how many
// messages a second are possible. Each gateway has its own process (gateway.ts). The clients and the writer are in
// another thread (listeners.ts).
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { Sql } from 'postgres'
import WebSocket from 'ws'
import { createTokens } from '../../api-facade/lib/tokens.ts'
import { apiKeys } from '../../supabase/embedded/instance.ts'
import { claims } from './case.ts'
import type { Setup } from './gateway.ts'
import type { Sent, Site, Work } from './listeners.ts'
import { median, quantile } from './rounds.ts'

/** The numbers of sockets below the largest. With a single socket the figures show the cost without the fan-out. */
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
 * `write` has the milliseconds of the statement with its commit. `first`, `half` and `last` have the milliseconds from
 * the commit to the first client, to half of the clients, and to the last. They are medians, and `p99` is the 99th
 * percentile of `last`. `gateway` and `walsender` have the milliseconds of a core for each event, of all gateways and
 * of all walsenders. `perSecond` has the events per second in a burst. `memory` has the KiB for each socket beyond the
 * smallest number of sockets.
 */
type RealtimeFigures = {
  sockets: number
  write: number
  first: number
  half: number
  last: number
  p99: number
  gateway: number
  walsender: number
  perSecond: number
  memory: number
}

async function startGateways(count: number, setup: Setup): Promise<{ processes: ChildProcess[]; urls: string[] }> {
  const processes = Array.from({ length: count }, () => fork(new URL('gateway.ts', import.meta.url)))
  const urls = await Promise.all(
    processes.map(async (child) => {
      child.send(setup)
      const [url] = await Promise.race([once(child, 'message'), once(child, 'exit')])
      if (typeof url !== 'string') throw new Error('A gateway of the bench has ended.')
      return url
    }),
  )
  return { processes, urls }
}

/** The milliseconds that the main thread of a process has run. */
const ran = (pid: number | undefined) =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6

/** The KiB of memory that a process uses. */
const memoryOf = ({ pid }: ChildProcess) =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])

const sum = (numbers: number[]) => numbers.reduce((all, one) => all + one, 0)

/** @param most the largest number of sockets, which are shared out among `count` gateways */
export async function realtimeFigures(
  owner: Sql,
  databaseUrl: string,
  jwtSecret: string,
  most: number,
  count: number,
): Promise<RealtimeFigures[]> {
  const { processes, urls } = await startGateways(count, { databaseUrl, jwtSecret, most })
  const { anonKey } = await apiKeys(jwtSecret)
  const token = await (await createTokens([jwtSecret])).sign(claims(2))
  const site: Site = { urls, anonKey, token, databaseUrl }
  const worker = new Worker(new URL('listeners.ts', import.meta.url), { workerData: site })
  const ask = (work: Work) =>
    new Promise<Sent>((settle) => {
      worker.once('message', settle).postMessage(work) // an error in the thread ends the bench
    })
  const cpu = async () => {
    const rows = await owner<{ pid: number }[]>`select active_pid as pid from pg_replication_slots where active`
    return { walsender: sum(rows.map(({ pid }) => ran(pid))), gateway: sum(processes.map(({ pid }) => ran(pid))) }
  }
  try {
    const figures: RealtimeFigures[] = []
    let least: { sockets: number; memory: number } | undefined
    for (const sockets of [...SOCKETS.filter((one) => one < most), most]) {
      await ask({ sockets })
      for (let n = 0; n < SINGLE; n++) await ask({ events: 1 }) // the first events only get the code compiled
      const before = await cpu()
      const sent: Sent[] = []
      for (let n = 0; n < SINGLE; n++) sent.push(await ask({ events: 1 }))
      const after = await cpu()
      const burst = await ask({ events: BURST })
      const memory = sum(processes.map(memoryOf))
      least ??= { sockets, memory }
      const since = (moment: 'first' | 'half' | 'last') => sent.map((one) => one[moment] - one.committed)
      figures.push({
        sockets,
        write: median(sent.map(({ begun, committed }) => committed - begun)),
        first: median(since('first')),
        half: median(since('half')),
        last: median(since('last')),
        p99: quantile(since('last'), 0.99),
        gateway: (after.gateway - before.gateway) / SINGLE,
        walsender: (after.walsender - before.walsender) / SINGLE,
        perSecond: (BURST * 1000) / (burst.last - burst.begun),
        memory: sockets > least.sockets ? (memory - least.memory) / (sockets - least.sockets) : 0,
      })
    }
    return figures
  } finally {
    await worker.terminate()
    const ends = processes.map((child) => child.exitCode ?? once(child, 'exit'))
    for (const child of processes) if (child.connected) child.disconnect()
    await Promise.all(ends)
  }
}
