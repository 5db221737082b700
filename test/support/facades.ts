// Several facades on one database, each in its own process, behind a balancer.
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { type Balancer, startBalancer } from './balancer.ts'
import { createDatabase, type Database } from './database.ts'
import { address, ended } from './process.ts'
import { environment } from './settings.ts'
import { until } from './until.ts'

type Facades = {
  database: Database
  balancer: Balancer
  processes: ChildProcess[]
  urls: string[]
  /** Ends a facade as an operator does, starts it again, and waits until it gets requests. @returns its exit code */
  restart(at: number): Promise<number | null>
}

const main = join(import.meta.dirname, '../../api-facade/main.ts')

/**
 * Call it at the top of a file: all of it is removed after the last test there. The balancer is the one trusted proxy.
 * @param checked see balancer.ts
 */
export async function facades(env: Record<string, string> = {}, { checked = false } = {}): Promise<Facades> {
  const database = await createDatabase()
  const launch = (port = '0') =>
    spawn(process.execPath, [main], {
      env: { ...environment(database.url, { TRUSTED_PROXY_HOPS: '1', PORT: port, ...env }), PATH: process.env.PATH },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
  const processes = [launch(), launch()]
  afterAll(() => Promise.all(processes.map(ended)))
  const urls = await Promise.all(processes.map(address))
  const balancer = await startBalancer(urls, { named: true, checked })
  afterAll(() => balancer.close())

  async function restart(at: number): Promise<number | null> {
    const before = processes[at] as ChildProcess
    await ended(before)
    const after = launch(new URL(urls[at] ?? '').port)
    processes[at] = after
    await address(after)
    await until(() => balancer.isUp[at])
    return before.exitCode
  }
  return { database, balancer, processes, urls, restart }
}
