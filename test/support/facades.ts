// Several facades on one database, each in its own process, behind a balancer.
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { type Balancer, startBalancer } from './balancer.ts'
import { createDatabase, type Database } from './database.ts'
import { address, ended } from './process.ts'
import { environment } from './settings.ts'

type Facades = { database: Database; balancer: Balancer; processes: ChildProcess[]; urls: string[] }

const main = join(import.meta.dirname, '../../api-facade/main.ts')

/**
 * Call it at the top of a file: all of it is removed after the last test there. The balancer is the one trusted proxy.
 */
export async function facades(env: Record<string, string> = {}, count = 2): Promise<Facades> {
  const database = await createDatabase()
  const processes = Array.from({ length: count }, () =>
    spawn(process.execPath, [main], {
      env: { ...environment(database.url, { TRUSTED_PROXY_HOPS: '1', ...env }), PATH: process.env.PATH },
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  )
  afterAll(() => Promise.all(processes.map(ended)))
  const urls = await Promise.all(processes.map(address))
  const balancer = await startBalancer(urls, { named: true })
  afterAll(() => balancer.close())
  return { database, balancer, processes, urls }
}
