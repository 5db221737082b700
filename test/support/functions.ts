// Edge functions as they run: in this process, from the facade's registry, and in real Deno.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request as ask, createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { readConfig, secretsOf } from '../../api-facade/lib/config.ts'
import { registry } from '../../api-facade/lib/functions.ts'
import { createLog } from '../../api-facade/lib/log.ts'

const DENO = 'node_modules/@deno/linux-x64-glibc/deno'
/**
 * The memory limit of Supabase's edge runtime for a function, in MB. The tests limit the heap to it, and also the
 * whole process. That is stricter than the runtime, which does not count the memory of Deno itself.
 */
const MEMORY = 256

/** Listens on loopback until the file's last test is over. @returns its address, without a trailing slash */
export async function listen(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Calls a function. The path begins with the name of the function. */
export type Ask = (path: string, init?: RequestInit) => Promise<Response>
type Variables = Record<string, string> & { JWT_SECRET: string }
export const runtimes = ['in this process', 'in Deno'] as const

/** Runs a function with these variables in the given runtime. Call it at the top of a file or describe. */
export async function runFunction(runtime: (typeof runtimes)[number], name: string, env: Variables): Promise<Ask> {
  if (runtime === 'in Deno') {
    const url = await functionsInDeno([name], env)
    return (path, init) => fetch(`${url}/${path}`, init)
  }
  const config = readConfig({ LOG_LEVEL: 'silent', ...env })
  const jwtSecrets = secretsOf(config, env.JWT_SECRET)
  const site = { config, jwtSecret: env.JWT_SECRET, jwtSecrets, dataDir: '/nowhere', log: createLog(config) }
  const app = await registry[name]?.(site)
  return async (path, init) => app?.fetch(new Request(`http://localhost/${path}`, init)) ?? Response.error()
}

/**
 * Starts functions in Deno, each in its own process, behind a stand-in for a stack's gateway. Call it at the top of a
 * file or describe: they are stopped after its last test.
 * @param entries modules to run instead of the functions' own, by name
 * @param net where they may connect: Deno refuses everything else
 * @returns the value for FUNCTIONS_URL
 */
export async function functionsInDeno(
  names: readonly string[],
  env: Record<string, string>,
  { entries = {}, net = ['127.0.0.1'] }: { entries?: Readonly<Record<string, string>>; net?: readonly string[] } = {},
): Promise<string> {
  const started = names.map(async (name) => {
    return [name, await startDeno(name, entries[name] ?? `edge-functions/${name}/index.ts`, env, net)] as const
  })
  const ports = new Map(await Promise.all(started))
  const url = await listen((request, answer) => {
    const [, name = '', rest] = /^\/functions\/v1\/([^/?]+)(.*)$/.exec(request.url ?? '') ?? []
    const port = ports.get(name)
    if (!port) return answer.writeHead(404).end()
    const { method, headers } = request
    const passed = ask({ host: '127.0.0.1', port, path: `/${name}${rest}`, method, headers }, (given) => {
      answer.writeHead(given.statusCode ?? 502, given.headers)
      given.pipe(answer)
    })
    passed.on('error', () => answer.destroy())
    answer.on('close', () => passed.destroy())
    request.pipe(passed)
  })
  return `${url}/functions/v1`
}

/** @returns the port. @throws Error with the output if it exits before it listens */
async function startDeno(
  name: string,
  entry: string,
  env: Record<string, string>,
  net: readonly string[],
): Promise<number> {
  if (!existsSync(DENO)) {
    throw new Error(
      `There is no Deno at ${DENO}. It is an optional dependency, which npm ci installs on Linux with an x64 processor.`,
    )
  }
  const cache = mkdtempSync(join(tmpdir(), 'kith-deno-'))
  // for packages, all variables beside these are unset (--ignore-env)
  const read = [entry, 'edge-functions/shared/deno.ts', 'edge-functions/shared/tracing.ts'].flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/'([A-Z][A-Z0-9_]+)'/g)].map(([, variable]) => variable),
  )
  const packages = ['--config', `edge-functions/${name}/deno.json`, '--node-modules-dir=manual']
  const flags = [
    '--no-prompt',
    '--no-remote',
    '--cached-only',
    '--no-check',
    ...packages,
    `--v8-flags=--max-heap-size=${MEMORY}`,
  ]
  const rights = [`--allow-net=${net}`, '--ignore-env', `--allow-env=${[...new Set([...read, ...Object.keys(env)])]}`]
  const child = spawn(DENO, ['run', ...flags, ...rights, entry], {
    env: { ...env, DENO_DIR: cache, DENO_SERVE_ADDRESS: 'tcp:127.0.0.1:0', DENO_NO_UPDATE_CHECK: '1', NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise<void>((end) =>
    child.once('close', () => {
      rmSync(cache, { recursive: true, force: true })
      end()
    }),
  )
  afterAll(async () => {
    const [, peak] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? []
    child.kill('SIGKILL')
    await ended
    if (!(Number(peak) < MEMORY * 1024)) throw new Error(`${name} took ${peak} kB, or has ended before its tests.`)
  })
  return new Promise((listening, fail) => {
    let printed = ''
    const hear = (chunk: Buffer) => {
      printed += chunk
      const [, port] = /Listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(printed) ?? []
      if (port) listening(Number(port))
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    child.once('error', fail)
    child.once('close', () => fail(new Error(`${entry} did not start in Deno.\n${printed}`)))
  })
}
