// Measures Kith's memory, when npm start has started it and without npm. One process serves mixed requests and sockets
// and runs the jobs. Prints the memory of this process minute by minute, and at the end the memory of its connections
// to Postgres.
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
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

const SOCKETS = 190 // a client may have 200
const HEARTBEAT = 20_000 // ms, because the gateway disconnects a socket that is silent for a minute
const LOOK = 200 // ms between two samples, of which the maximum is kept
const READS = 400
const WRITES = 200
const mix = [
  ...['home-0', 'home-50', 'home-5000', 'circles-50', 'detail', 'me', 'profile'],
  ...['create', 'reply', 'react', 'pay'],
]
/** How Kith can be started. The second way is how a systemd unit or a container starts it. */
const ways = { 'npm start': ['npm', 'start'], 'node api-facade/main.ts': [process.execPath, 'api-facade/main.ts'] }

/** Starts Kith each way, puts load on it for some minutes, and prints its memory after each. */
export async function memory(root: string, posts: number, minutes: number): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'kith-bench-'))
  try {
    let filled = false
    for (const [way, command] of Object.entries(ways)) {
      await loaded(way, command, { root, dataDir, posts, minutes, filled })
      filled = true
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

type Load = { root: string; dataDir: string; posts: number; minutes: number; filled: boolean }

async function loaded(way: string, command: string[], load: Load): Promise<void> {
  const { root, dataDir, posts, minutes } = load
  const env = {
    ...process.env,
    ...{ JWT_SECRET: jwtSecret, DATA_DIR: dataDir, PORT: '0', RATE_LIMIT_SCALE: '1000000000', LOG_LEVEL: 'warn' },
    ...{ ADMIN_EMAIL: admin.email, ADMIN_PASSWORD: admin.password },
  }
  const [file = '', ...args] = command
  const started = spawn(file, args, { cwd: root, env, stdio: ['ignore', 'ignore', 'inherit'] })
  const sockets: WebSocket[] = []
  const timers: NodeJS.Timeout[] = []
  try {
    const { pid, stack } = await until(
      () => {
        const instance = readInstance(dataDir)
        return instance?.stack ? { ...instance, stack: instance.stack } : undefined
      },
      { timeout: 120_000 },
    )
    const { apiUrl, dbUrl, anonKey } = stack
    const taken = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
    if (!load.filled) await fill(dbUrl, dataDir, { root, posts, now: new Date().toISOString() })
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
    say(way, 'MB', 'most', 'sockets', 'heard')
    const ask = mixed(apiUrl, posts)
    for (let minute = 1; minute <= minutes; minute++) {
      const end = Date.now() + 60_000
      while (Date.now() < end) await ask()
      const open = sockets.filter((ws) => ws.readyState === WebSocket.OPEN).length
      say(`minute ${minute}`, figure(taken(), 0), figure(most, 0), `${open}`, `${heard}`)
    }
    say('', 'processes', 'MB each')
    for (const [role, each] of backends(dataDir))
      say(role, `${each.length}`, figure(each.reduce((sum, one) => sum + one, 0) / each.length, 0))
  } finally {
    for (const timer of timers) clearInterval(timer)
    for (const ws of sockets) ws.terminate()
    await ended(started)
  }
}

/** The private memory of each Postgres process that serves a connection, by role. MB. */
function backends(dataDir: string): Map<string, number[]> {
  const postmaster = readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n', 1)[0]
  const found = new Map<string, number[]>()
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const read = (file: string) => {
      try {
        return readFileSync(`/proc/${pid}/${file}`, 'utf8')
      } catch {
        return '' // the process has ended
      }
    }
    const [, role] = /^postgres: (\w+) [^:]*\(\d+\)/.exec(read('cmdline')) ?? []
    if (!role || /\) \w (\d+)/.exec(read('stat'))?.[1] !== postmaster) continue
    const own = [...read('smaps_rollup').matchAll(/^Private_\w+:\s+(\d+)/gm)].reduce(
      (sum, [, kB]) => sum + Number(kB),
      0,
    )
    found.set(role, [...(found.get(role) ?? []), own / 1024])
  }
  return found
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

/** Returns a function that sends some requests of every case. Each call continues after the previous one. */
function mixed(url: string, posts: number): () => Promise<void> {
  const chosen = cases(posts).filter(({ name }) => mix.includes(name))
  let next = 0
  return async () => {
    for (const one of chosen) await overHttp(url, one, next, even(one.method === 'GET' ? READS : WRITES))
    next += READS
  }
}
