// The server itself: health check, documentation, start and stop.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../../api-facade/lib/config.ts'
import { startServer } from '../../../api-facade/server.ts'
import { createDatabase } from '../../support/database.ts'
import { Person } from '../../support/person.ts'
import { ADMIN, environment } from '../../support/settings.ts'
import { ownOnly } from '../../support/target.ts'
import { until } from '../../support/until.ts'
import { world } from '../../support/world.ts'

const { nobody, url } = await world({ people: [] })

describe('The server', () => {
  test('answers GET /health with its status, uptime and version', async () => {
    const { body } = await nobody.get<Record<string, unknown>>('//health')
    const version = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')).version
    expect(body).toEqual({ status: 'ok', uptime: expect.any(Number), version })
  })

  test('serves the committed description, without white space, at GET /openapi.json', async () => {
    const { text } = await nobody.get('//openapi.json')
    const committed = readFileSync(new URL('../../../api-facade/openapi.json', import.meta.url), 'utf8')
    expect(text).toBe(JSON.stringify(JSON.parse(committed)))
    expect(Buffer.byteLength(text), 'bytes that every reader of /docs loads').toBeLessThan(1_600_000)
  })

  test('serves GET /docs with all its parts, from no other host', async () => {
    const page = await nobody.get('//docs')
    expect(page.headers.get('content-type')).toMatch(/^text\/html/)
    expect(page.text).not.toMatch(/https?:|"\/\//)
    const policy = page.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval|script-src[^;]*unsafe-inline/)
    const parts = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path ?? '')
    expect(parts.length).toBeGreaterThan(2)
    for (const path of parts) {
      const part = await fetch(url + path)
      expect([path, part.status]).toEqual([path, 200])
      expect(part.headers.get('content-type')).toMatch(/^(text\/(css|javascript)|image\/png)/)
      expect((await part.text()).length).toBeGreaterThan(0)
    }
    expect((await nobody.get('//docs/start.js')).text).toContain('/openapi.json')
  })

  test.each([
    '/docs',
    '/docs/start.js',
    '/docs/swagger-ui-bundle.js',
    '/openapi.json',
    '/docs/realtime',
    '/asyncapi.json',
  ])('answers 304 to GET %s from a client that has the current version', async (path) => {
    const whole = await fetch(url + path)
    const tag = whole.headers.get('etag') ?? ''
    expect(tag).toMatch(/^"[\w-]{43}"$/)
    expect(whole.headers.get('cache-control')).toMatch(/^public, /)
    expect((await whole.text()).length).toBeGreaterThan(50)
    const ask = (known: string) => fetch(url + path, { headers: { 'if-none-match': known } })
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const answer = await ask(known)
      expect([answer.status, answer.headers.get('etag'), await answer.text()]).toEqual([304, tag, ''])
    }
    expect((await ask('"other"')).status).toBe(200)
  })
})

describe('A starting server', async () => {
  ownOnly('starts its own facades')
  const { url: databaseUrl } = await createDatabase()
  const config = readConfig(environment(databaseUrl))

  test('prepares only after it has the port, and answers 503 until it is done', async () => {
    const taken = await startServer({ config, databaseUrl })
    const same = readConfig(environment(databaseUrl, { PORT: String(taken.port) }))
    let prepared = 0
    const prepare = async () => {
      prepared++
      const early = await fetch(`http://127.0.0.1:${same.port}/health`)
      expect([early.status, early.headers.get('x-error-code')]).toEqual([503, 'service_unavailable'])
    }
    await expect(startServer({ config: same, databaseUrl, prepare })).rejects.toThrow(`PORT ${taken.port}`)
    expect(prepared).toBe(0)
    await taken.stop()
    const server = await startServer({ config: same, databaseUrl, prepare })
    expect(prepared).toBe(1)
    expect(await new Person(server.url).get('//health')).toMatchObject({ status: 200 })
    await server.stop()
  })

  test('releases the port if the preparation fails', async () => {
    const first = await startServer({ config, databaseUrl })
    await first.stop()
    const same = readConfig(environment(databaseUrl, { PORT: String(first.port) }))
    const prepare = () => Promise.reject(new Error('not today'))
    await expect(startServer({ config: same, databaseUrl, prepare })).rejects.toThrow('not today')
    await (await startServer({ config: same, databaseUrl })).stop()
  })
})

describe('A stopping server', async () => {
  ownOnly('starts its own facades')
  const { url: databaseUrl, owner, name } = await createDatabase()

  test('finishes requests in flight and accepts no new ones', async () => {
    const server = await startServer({ config: readConfig(environment(databaseUrl)), databaseUrl })
    const admin = await Object.assign(new Person(server.url), ADMIN).login()
    let stopped: Promise<void> | undefined

    const answer = await owner.begin(async (sql) => {
      await sql`lock table app.accounts in access exclusive mode`
      const asked = admin.get('/me')
      await until(async () => {
        const waiting = await owner`select from pg_stat_activity where datname = ${name} and wait_event_type = 'Lock'`
        return waiting.length === 1
      })
      stopped = server.stop()
      await until(() =>
        fetch(`${server.url}/health`).then(
          () => false,
          () => true,
        ),
      )
      return { asked } // begin() would await a bare promise while it holds the lock
    })
    expect(await answer.asked).toMatchObject({ status: 200, body: { email: ADMIN.email } })
    await stopped
    const open = await owner`select from pg_stat_activity where datname = ${name} and application_name like 'kith_%'`
    expect(open).toHaveLength(0)
  })

  test('stops immediately after a connection was lost in the middle of a statement', async () => {
    const server = await startServer({ config: readConfig(environment(databaseUrl)), databaseUrl })
    const admin = await Object.assign(new Person(server.url), ADMIN).login()
    await owner.begin(async (sql) => {
      await sql`lock table app.posts in access exclusive mode`
      const asked = admin.post('/posts', { body: 'lost' })
      await until(async () => {
        const ended = await owner`
          select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name} and wait_event_type = 'Lock'`
        return ended.length > 0
      })
      expect(await asked).toFailWith(503, 'service_unavailable')
    })
    const begun = performance.now()
    await server.stop()
    expect(performance.now() - begun).toBeLessThan(3000)
  })

  test('leaves the port free for the next one', async () => {
    const first = await startServer({ config: readConfig(environment(databaseUrl)), databaseUrl })
    const config = readConfig(environment(databaseUrl, { PORT: String(first.port) }))
    await expect(startServer({ config, databaseUrl })).rejects.toThrow('EADDRINUSE')
    await first.stop()
    const second = await startServer({ config, databaseUrl })
    expect(await new Person(second.url).get('//health')).toMatchObject({ status: 200 })
    await second.stop()
  })
})
