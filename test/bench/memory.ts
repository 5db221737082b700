// What memory `npm start` takes: one process that serves mixed requests and sockets and does the jobs, minute by minute.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import WebSocket from 'ws'
import { passwordOf } from '../../supabase/embedded/cluster.ts'
import { keptSecret, readInstance } from '../../supabase/embedded/instance.ts'
import { ended } from '../support/process.ts'
import { until } from '../support/until.ts'
import { cases } from './cases.ts'
import { even, overHttp, tokenOf } from './load.ts'
import { listenToFeed } from './realtime.ts'
import { figure, say } from './rounds.ts'
import { admin, jwtSecret, writeData } from './side.ts'

const MINUTES = 10
const SOCKETS = 190 // a client may have 200
const HEARTBEAT = 20_000 // ms; the gateway cuts who is silent for a minute
const LOOK = 200 // ms between two looks for the most
const READS = 400
const WRITES = 200
const mix = [
  ...['home-0', 'home-50', 'home-5000', 'circles-50', 'detail', 'me', 'profile'],
  ...['create', 'reply', 'react', 'pay'],
]

/** Starts Kith as package.json says, loads it for ten minutes, and tells what it takes after each. */
export async function memory(root: string, posts: number): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'kith-bench-'))
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: { start: string } }
  const env = {
    ...process.env,
    ...{ JWT_SECRET: jwtSecret, DATA_DIR: dataDir, PORT: '0', RATE_LIMIT_SCALE: '1000000000', LOG_LEVEL: 'warn' },
    ...{ ADMIN_EMAIL: admin.email, ADMIN_PASSWORD: admin.password },
  }
  // its script ends in exec, so this is the process of Kith itself
  const kith = spawn('sh', ['-c', scripts.start], { cwd: root, env, stdio: ['ignore', 'ignore', 'inherit'] })
  const sockets: WebSocket[] = []
  const timers: NodeJS.Timeout[] = []
  const taken = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${kith.pid}/status`, 'utf8'))?.[1]) / 1024
  try {
    const { apiUrl, dbUrl, anonKey } = await until(() => readInstance(dataDir)?.stack, { timeout: 120_000 })
    await fill(dbUrl, dataDir, { root, posts, now: new Date().toISOString() })
    let heard = 0
    for (let n = 0; n < SOCKETS; n++)
      sockets.push(await listenToFeed(apiUrl, anonKey, await tokenOf(10 + n), () => heard++))
    const beat = JSON.stringify([null, '2', 'phoenix', 'heartbeat', {}])
    const beatAll = () => {
      for (const ws of sockets) ws.send(beat)
    }
    timers.push(setInterval(beatAll, HEARTBEAT))
    let most = taken()
    const look = () => {
      most = Math.max(most, taken())
    }
    timers.push(setInterval(look, LOOK))
    say('', 'MB', 'most', 'sockets', 'heard')
    const load = mixed(apiUrl, posts)
    for (let minute = 1; minute <= MINUTES; minute++) {
      const end = Date.now() + 60_000
      while (Date.now() < end) await load()
      const open = sockets.filter((ws) => ws.readyState === WebSocket.OPEN).length
      say(`minute ${minute}`, figure(taken(), 0), figure(most, 0), `${open}`, `${heard}`)
    }
  } finally {
    for (const timer of timers) clearInterval(timer)
    for (const ws of sockets) ws.terminate()
    await ended(kith)
    rmSync(dataDir, { recursive: true, force: true })
  }
}

async function fill(dbUrl: string, dataDir: string, data: Parameters<typeof writeData>[1]): Promise<void> {
  const url = new URL(dbUrl)
  url.username = 'supabase_admin'
  url.password = passwordOf(keptSecret(dataDir, 'cluster-secret'), 'supabase_admin')
  const superuser = postgres(url.href, { max: 1, onnotice: () => {} })
  for (const file of ['data.sql', 'data/posts.sql']) await writeData(superuser, data, file, 1, 1)
  await superuser.unsafe('vacuum analyze')
  await superuser.end()
}

/** Sends some requests of every case, and others the next time. */
function mixed(url: string, posts: number): () => Promise<void> {
  const chosen = cases(posts).filter(({ name }) => mix.includes(name))
  let next = 0
  return async () => {
    for (const one of chosen) await overHttp(url, one, next, even(one.method === 'GET' ? READS : WRITES))
    next += READS
  }
}
