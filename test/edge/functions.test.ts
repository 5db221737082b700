// Tests where functions run (in this process, or on the stack of FUNCTIONS_URL), and rules for every function.
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { basename, dirname, join } from 'node:path'
import { jwtVerify } from 'jose'
import { parse } from 'smol-toml'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../api-facade/lib/config.ts'
import { openFunctions, registry } from '../../api-facade/lib/functions.ts'
import { createLog, openTracing } from '../../api-facade/lib/log.ts'
import { listen } from '../support/functions.ts'
import { mailbox } from '../support/mailbox.ts'

const SECRET = 'the secret that signs, of the tests of functions'
const mail = { id: 'one-mail', to: 'ada@example.org', subject: 'Hello', text: 'A line.\n' }

function open(env: Record<string, string>, functions?: typeof registry) {
  const config = readConfig({ LOG_LEVEL: 'silent', DATA_DIR: '/nowhere', ...env })
  return openFunctions({
    config,
    jwtSecret: SECRET,
    log: createLog(config),
    tracing: openTracing(config, createLog(config)),
    functions,
  })
}

test('Functions run in this process by default', async () => {
  const { url, letters, refuse } = await mailbox()
  const { invoke } = open({ SMTP_URL: url })
  expect((await invoke('deliver/mail', mail)).status).toBe(200)
  expect(letters).toMatchObject([{ from: 'no-reply@localhost', to: ['ada@example.org'], text: 'A line.\r\n' }])
  refuse(1)
  expect((await invoke('deliver/mail', mail)).status).toBe(503)
  expect((await invoke('nothing', mail)).status).toBe(404)
})

test('With FUNCTIONS_URL functions run on the stack, called with a service token valid for a minute', async () => {
  const asked: { request: IncomingMessage; body: string }[] = []
  const url = await listen(async (request, answer) => {
    asked.push({ request, body: Buffer.concat(await request.toArray()).toString() })
    answer.writeHead(204).end()
  })
  const { invoke } = open({ FUNCTIONS_URL: `${url}/functions/v1/` })
  expect((await invoke('deliver/mail', mail)).status).toBe(204)
  const [{ request, body } = { request: undefined, body: '' }] = asked
  expect([request?.method, request?.url, JSON.parse(body)]).toEqual(['POST', '/functions/v1/deliver/mail', mail])
  const [, token = ''] = /^Bearer (.+)$/.exec(request?.headers.authorization ?? '') ?? []
  const { payload } = await jwtVerify(token, new TextEncoder().encode(SECRET), { algorithms: ['HS256'] })
  expect(payload).toEqual({ role: 'service_role', iat: expect.any(Number), exp: Number(payload.iat) + 60 })
  await invoke('ai/reflect', {}, { token: 'of a person' })
  expect(asked.at(-1)?.request.headers.authorization).toBe('Bearer of a person')
})

test('A function in this process is created once, when it is first called', async () => {
  const made: string[] = []
  const { invoke } = open(
    {},
    {
      async echo({ jwtSecrets }) {
        made.push(...jwtSecrets)
        return { fetch: async (request) => new Response(await request.text(), { status: 201 }) }
      },
    },
  )
  expect(made).toEqual([])
  const answers = await Promise.all([invoke('echo', 1), invoke('echo/more', 2)])
  expect(await Promise.all(answers.map(async (one) => [one.status, await one.text()]))).toEqual([
    [201, '1'],
    [201, '2'],
  ])
  expect(made).toEqual([SECRET])
  expect((await invoke('constructor', 1)).status).toBe(404)
})

describe.each(['in this process', 'on the stack'])('A streamed answer %s', async (where) => {
  /** Streams that have begun: each can be written to, and reports when nobody reads it any more. */
  const begun: { say(text: string): void; gone: Promise<unknown> }[] = []
  const here: typeof registry = {
    async talk() {
      return {
        fetch() {
          const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
          const writer = writable.getWriter()
          const say = (text: string) => void writer.write(new TextEncoder().encode(text)).catch(() => {})
          begun.push({ say, gone: writer.closed.catch(() => {}) })
          return new Response(readable)
        },
      }
    },
    async hang() {
      return { fetch: () => new Promise<never>(() => {}) }
    },
  }
  const FUNCTIONS_URL = await listen((request, answer) => {
    if (request.url?.endsWith('/hang')) return
    answer.writeHead(200).flushHeaders()
    begun.push({ say: (text) => void answer.write(text), gone: once(answer, 'close') })
  })
  const { invoke } = where === 'on the stack' ? open({ FUNCTIONS_URL }) : open({}, here)
  const talk = async (signal?: AbortSignal) => {
    const answer = await invoke('talk', {}, { signal })
    const talker = begun.pop()
    const reader = answer.body?.getReader()
    if (!talker || !reader) throw new Error('nothing streams')
    return { ...talker, reader }
  }

  test('arrives as it is produced, and its source ends when the reader cancels', async () => {
    const { say, gone, reader } = await talk()
    for (const word of ['one', 'two']) {
      say(word)
      expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe(word)
    }
    await reader.cancel()
    await gone
  })

  test('ends when the caller aborts, whether its answer has begun or not', async () => {
    const before = new AbortController()
    const call = invoke('hang', {}, { signal: before.signal })
    before.abort()
    await expect(call).rejects.toMatchObject({ name: 'AbortError' })
    const after = new AbortController()
    const { gone, reader } = await talk(after.signal)
    after.abort()
    await expect(reader.read()).rejects.toMatchObject({ name: 'AbortError' })
    await gone
  })
})

describe('Every function', () => {
  const read = (path: string) => readFileSync(path, 'utf8')
  const names = globSync('edge-functions/*/')
    .map((folder) => basename(folder))
    .filter((name) => name !== 'shared')
  /** A module and all own modules that it imports. */
  const modules = (path: string): string[] => [
    path,
    ...[...read(path).matchAll(/(?:from|import) '(\.[^']+)'/g)].flatMap(([, to = '']) =>
      modules(join(dirname(path), to)),
    ),
  ]

  test('is registered here and in the stack’s configuration', () => {
    const { functions } = parse(read('supabase/config.toml')) as { functions: Record<string, object> }
    expect(names).toContain('deliver')
    expect(Object.keys(registry).sort()).toEqual(names.toSorted())
    expect(functions).toEqual(
      Object.fromEntries(
        names.map((name) => [
          name,
          { entrypoint: `../edge-functions/${name}/index.ts`, import_map: `../edge-functions/${name}/deno.json` },
        ]),
      ),
    )
  })

  test.each(names)('has a handler independent of the runtime: %s', (name) => {
    const runtime = /\bDeno\b|\bprocess\.|'node:|\bBuffer\b/
    const found = modules(`edge-functions/${name}/handler.ts`)
    expect(found.filter((path) => runtime.test(read(path).replace(/\/\/.*/g, '')))).toEqual([])
    expect(modules(`edge-functions/${name}/index.ts`).filter((path) => runtime.test(read(path)))).not.toEqual([])
  })

  test.each(names)(
    'declares exactly the packages that it uses, in this repository’s versions, and no other settings: %s',
    (name) => {
      const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> }
      const packageOf = (one: string) => /^(@[^/]+\/)?[^/]+/.exec(one)?.[0] ?? ''
      const used = modules(`edge-functions/${name}/index.ts`).flatMap((path) =>
        [...read(path).matchAll(/(?:from |import\()'([^.'][^']*)'/g)].map(([, one = '']) => one),
      )
      const ours = [...new Set(used.filter((one) => !one.startsWith('node:')))]
      const version = (one: string) => `npm:${packageOf(one)}@${dependencies[packageOf(one)]}`
      // a stack reads this file and has no node_modules: a setting about these would prevent the function from starting
      expect(JSON.parse(read(`edge-functions/${name}/deno.json`))).toEqual({
        imports: Object.fromEntries(ours.map((one) => [one, version(one) + one.slice(packageOf(one).length)])),
      })
    },
  )

  /** What Deno 2.1, on which the edge runtime is based, provides to npm packages but not to our modules. */
  const nodeOnly = [
    'process',
    'Buffer',
    'global',
    'setImmediate',
    'clearImmediate',
    'require',
    '__dirname',
    '__filename',
  ]

  test.each(names)('uses no Node globals that it does not import: %s', (name) => {
    const offences = (text: string) => {
      const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
      const imported = [...code.matchAll(/^import (.+) from 'node:/gm)].map(([, what]) => what).join()
      return nodeOnly.filter((one) => new RegExp(`(?<![.\\w'])${one}\\b`).test(code) && !imported.includes(one))
    }
    expect(modules(`edge-functions/${name}/index.ts`).flatMap((path) => offences(read(path)))).toEqual([])
    expect(offences('const x = Buffer.from(process.env.X)')).toEqual(['process', 'Buffer'])
  })
})
