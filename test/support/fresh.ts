// An instance in its own process, with people, for scripts that are run by hand: test/attacks.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres, { type Sql } from 'postgres'
import { passwordOf } from '../../supabase/embedded/cluster.ts'
import type { Stack } from '../../supabase/embedded/instance.ts'
import { address, ended } from './process.ts'

const admin = { email: 'admin@example.org', password: 'the admin keeps a secret' }

// biome-ignore lint/suspicious/noExplicitAny: an attack reads a field or two of any answer
export type Answer = { status: number; body: any }
export type Someone = { id: string; username: string; token: string }
export type Fresh = Stack & {
  pid: number
  sql: Sql
  /** Bypasses every trigger and foreign key, to write rows by the thousand. */
  plant: Sql
  staff: string
  /** Sends a request to any path. A string body is sent unchanged. */
  ask(method: string, path: string, body?: unknown, token?: string): Promise<Answer>
  rpc(name: string, body: unknown, token?: string): Promise<Answer>
  /** A new person, invited by the admin. */
  join(name: string): Promise<Someone>
}

export const say = (line: string) => process.stdout.write(`${line}\n`)

/** How many answers had each status: `200: 3, 404: 1`. */
export function tally(answers: readonly (string | number)[]): string {
  const counts = new Map<string | number, number>()
  for (const one of answers) counts.set(one, (counts.get(one) ?? 0) + 1)
  return [...counts].map(([one, count]) => `${one}: ${count}`).join(', ')
}

/** The connection string of the superuser of the cluster. */
function superuserUrl(dataDir: string, { dbUrl }: Stack): string {
  const url = new URL(dbUrl)
  url.username = 'supabase_admin'
  url.password = passwordOf(readFileSync(join(dataDir, 'cluster-secret'), 'utf8').trim(), url.username)
  return url.href
}

async function open(pid: number, stack: Stack, dataDir: string): Promise<Fresh> {
  const { apiUrl, anonKey } = stack
  const ask: Fresh['ask'] = async (method, path, body, token) => {
    const headers = {
      'Content-Type': 'application/json',
      apikey: anonKey,
      ...(token && { Authorization: `Bearer ${token}` }),
    }
    const sent = typeof body === 'string' ? body : JSON.stringify(body)
    const response = await fetch(`${apiUrl}${path}`, { method, headers, body: sent })
    const text = await response.text()
    const json = response.headers.get('content-type')?.includes('json')
    return { status: response.status, body: json && text ? JSON.parse(text) : text }
  }
  const api = async (path: string, body: unknown, token?: string) =>
    (await ask('POST', `/api/v1${path}`, body, token)).body
  const staff = (await api('/auth/login', admin)).accessToken
  return {
    ...stack,
    pid,
    ask,
    sql: postgres(stack.dbUrl, { max: 1, onnotice: () => {} }),
    plant: postgres(superuserUrl(dataDir, stack), {
      max: 1,
      onnotice: () => {},
      connection: { session_replication_role: 'replica' },
    }),
    staff,
    rpc: (name, body, token) => ask('POST', `/rest/v1/rpc/${name}`, body, token),
    join: async (name) => {
      const [{ code }] = (await api('/admin/invite-codes/generate', { count: 1 }, staff)).items
      const { sessionId } = await api('/auth/reserve-invite', { code })
      const form = {
        email: `${name}@example.org`,
        password: `${name} has a password`,
        firstName: name,
        lastName: 'Doe',
      }
      const rest = { dateOfBirth: '1990-01-31', country: 'DE', city: 'Berlin' }
      const { user, accessToken } = await api('/auth/register', { sessionId, ...form, ...rest })
      return { id: user.id, username: user.username, token: accessToken }
    },
  }
}

/** Starts an instance with the limits of production, unless `env` sets others, runs `attack` on it and stops it. */
export async function onFresh(attack: (fresh: Fresh) => Promise<void>, env: NodeJS.ProcessEnv = {}): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'kith-attack-'))
  const own = { DATA_DIR: dataDir, PORT: '0', ADMIN_EMAIL: admin.email, ADMIN_PASSWORD: admin.password }
  const instance = spawn(process.execPath, [join(import.meta.dirname, '../../api-facade/main.ts')], {
    env: { ...process.env, ...own, LOG_LEVEL: 'fatal', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    await address(instance)
    const { stack } = JSON.parse(readFileSync(join(dataDir, 'instance.json'), 'utf8'))
    const fresh = await open(instance.pid ?? 0, stack, dataDir)
    await attack(fresh)
    await Promise.all([fresh.sql.end(), fresh.plant.end()])
  } finally {
    await ended(instance)
    rmSync(dataDir, { recursive: true, force: true })
  }
}
