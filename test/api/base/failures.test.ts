// Internal failures: what clients are told, and what is retried.
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../../api-facade/lib/config.ts'
import { createLog } from '../../../api-facade/lib/log.ts'
import { startServer } from '../../../api-facade/server.ts'
import { layCable } from '../../support/cable.ts'
import { Person } from '../../support/person.ts'
import { environment } from '../../support/settings.ts'
import { until } from '../../support/until.ts'
import { world } from '../../support/world.ts'

// there are ten connections, so after a loss the next request finds another one immediately
const { alice, database } = await world({ people: ['alice'], env: { POOL_USER: '10' } })

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

describe('An internal error', async () => {
  const [kept] = await database.owner`select pg_get_functiondef('api.get_me'::regproc) as text`
  const become = (body: string) =>
    database.owner.unsafe(`create or replace function api.get_me() returns json language plpgsql volatile security definer
      set search_path = '' as $$ begin ${body} return '{}'; end $$`)
  afterEach(() => database.owner.unsafe(kept?.text))

  test.each([
    ['P0001', 500, 'internal_error'],
    ['XX000', 500, 'internal_error'],
    ['42P01', 500, 'internal_error'],
    ['PT999', 500, 'internal_error'],
    ['23505', 409, 'duplicate'],
    ['23503', 422, 'value_invalid'],
    ['23514', 422, 'value_invalid'],
    ['22P02', 422, 'value_invalid'],
    ['54001', 422, 'value_invalid'],
    ['42501', 403, 'not_permitted'],
    ['40001', 503, 'service_unavailable'],
    ['40P01', 503, 'service_unavailable'],
    ['55P03', 503, 'service_unavailable'],
    ['57014', 503, 'service_unavailable'],
    ['53300', 503, 'service_unavailable'],
  ])('with SQLSTATE %s becomes %d %s, without internal details', async (state, status, code) => {
    await become(
      `raise exception using errcode = '${state}', message = 'inner', detail = 'Inner detail.', hint = 'inner';`,
    )
    const answer = await alice.get('/me')
    expect(answer).toFailWith(status, code)
    expect(answer.text).not.toMatch(/inner/i)
    expect(answer.headers.get('retry-after')).toBe(status === 503 ? '2' : null)
    expect(answer.headers.get('x-request-id')).toMatch(UUID)
  })

  test.each([
    ['42501', 'fault'],
    ['23514', 'fault'],
    ['XX000', 'fault'],
    ['22P02', 'refusal'],
    ['PT404', 'refusal'],
  ])('with SQLSTATE %s is logged as a %s, whatever its status is', async (state, kind) => {
    const lines: string[] = []
    const config = readConfig(environment(database.url, { LOG_LEVEL: 'info' }))
    const log = createLog(config, { write: (line: string) => lines.push(line) })
    const server = await startServer({ config, databaseUrl: database.url, log })
    onTestFinished(() => server.stop())
    await become(`raise warning 'by the way'; raise exception using errcode = '${state}', message = 'inner';`)
    const { headers } = await fetch(`${server.url}/api/v1/me`, { headers: { authorization: `Bearer ${alice.token}` } })
    const id = headers.get('x-request-id') ?? 'none'
    const line = JSON.parse((await until(() => lines.find((one) => one.includes(id)))) ?? '')
    expect(line.failure?.code).toBe(kind === 'fault' ? state : undefined)
    expect(lines.map((one) => JSON.parse(one))).toContainEqual(
      expect.objectContaining({ pool: 'user', warning: 'by the way', level: 40 }),
    )
  })

  test.each(['40001', '40P01'])('with SQLSTATE %s is retried once', async (state) => {
    await database.owner`create sequence app.attempts`
    await become(`if nextval('app.attempts') = 1 then raise exception using errcode = '${state}', message = 'inner'; end if;
      return private.own_profile();`)
    expect(await alice.get('/me')).toMatchObject({ status: 200, body: { id: alice.id } })
    const [row] = await database.owner`select last_value::int as attempts from app.attempts`
    expect(row).toEqual({ attempts: 2 })
    await database.owner`drop sequence app.attempts`
  })
})

/** Runs `work` while the table is locked for everyone else. */
async function locked<T extends object>(table: string, work: () => Promise<T>): Promise<T> {
  const { value } = await database.owner.begin(async (sql) => {
    await sql.unsafe(`lock table ${table} in access exclusive mode`)
    return { value: await work() }
  })
  return value
}

/** The backends that run the operation and wait for a lock. */
async function waiting(operation: string): Promise<number[]> {
  const rows = await database.owner<{ pid: number }[]>`
    select pid from pg_stat_activity
    where datname = ${database.name} and wait_event_type = 'Lock' and strpos(query, ${`select api.${operation}(`}) = 1`
  return rows.map(({ pid }) => pid)
}

/** Waits until a backend runs the operation and waits for the lock. */
const arrived = (operation: string) => until(async () => (await waiting(operation))[0])

/** Terminates the backend that runs the operation and waits. */
async function end(operation: string): Promise<void> {
  const pid = Number(await arrived(operation))
  await database.superuser`select pg_terminate_backend(${pid}, 5000)` // returns when the backend is gone
}

describe('A database connection', () => {
  const newPost = () => ({ body: crypto.randomUUID() })
  const keyed = () => ({ 'Idempotency-Key': crypto.randomUUID() })
  /** How many posts have this body. */
  const written = async ({ body }: { body: string }) =>
    (await database.owner`select from app.posts where body = ${body}`).length

  test('that is gone is replaced by a new one', async () => {
    const gone = await database.superuser`
      select pg_terminate_backend(pid, 5000) from pg_stat_activity
      where datname = ${database.name} and application_name like 'kith_%'`
    expect(gone.length).toBeGreaterThan(0)
    expect(await alice.get('/me')).toMatchObject({ status: 200, body: { id: alice.id } })
  })

  test('that is lost during a read causes no error: the read is retried once', async () => {
    const { asked } = await locked('app.accounts', async () => {
      const asked = alice.get('/me')
      await end('get_me')
      await arrived('get_me')
      return { asked }
    })
    expect(await asked).toMatchObject({ status: 200, body: { id: alice.id } })
  })

  test('that is lost again during the retry causes 503', async () => {
    await locked('app.accounts', async () => {
      const asked = alice.get('/me')
      await end('get_me')
      await end('get_me')
      const answer = await asked
      expect(answer).toFailWith(503, 'service_unavailable')
      expect(answer.headers.get('retry-after')).toBe('2')
      return answer
    })
  })

  test('that is lost during a write with an Idempotency-Key causes no error and no second post', async () => {
    const [post, key] = [newPost(), keyed()]
    const { asked } = await locked('app.posts', async () => {
      const asked = alice.post<{ id: string }>('/posts', post, key)
      await end('create_post')
      await arrived('create_post')
      return { asked }
    })
    const { status, body, headers } = await asked
    expect([status, headers.get('idempotency-replayed'), await written(post)]).toEqual([201, null, 1])
    const again = await alice.post<{ id: string }>('/posts', post, key)
    expect([again.body.id, again.headers.get('idempotency-replayed'), await written(post)]).toEqual([
      body.id,
      'true',
      1,
    ])
  })

  test.each([
    ['a write without a key', 'app.posts', 'create_post', '/posts', newPost()],
    ['another write without a key', 'app.circles', 'create_circle', '/circles/me', { name: 'Kin', kind: 'custom' }],
  ])('that is lost during %s causes 503, and nothing is repeated', async (_what, table, operation, path, body) => {
    await locked(table, async () => {
      let answered = false
      const asked = alice.post(path, body).finally(() => {
        answered = true
      })
      await end(operation)
      await until(async () => answered || (await waiting(operation)).length > 0)
      expect(await waiting(operation), 'a retry would wait for the lock').toEqual([])
      const answer = await asked
      expect(answer).toFailWith(503, 'service_unavailable')
      expect(answer.headers.get('retry-after')).toBe('2')
      return answer
    })
    const said = Object.values(body)[0] ?? ''
    expect(await database.owner.unsafe(`select from ${table} t where strpos(t::text, $1) > 0`, [said])).toHaveLength(0)
  })

  describe('that is lost together with the answer of a committed write', () => {
    /** Commits the post, but its answer never arrives. */
    async function publish(post: { body: string }, key: Record<string, string>) {
      const cable = await layCable(database.url)
      const config = readConfig(environment(database.url))
      const { url, stop } = await startServer({ config, databaseUrl: cable.url })
      onTestFinished(() => stop().then(cable.close))
      const { asked } = await locked('app.posts', async () => {
        const asked = new Person(url, alice.token).post<{ id: string }>('/posts', post, key)
        await arrived('create_post')
        cable.hold()
        return { asked }
      })
      await until(() => written(post))
      cable.cut()
      return asked
    }

    test('causes no error if the write has an Idempotency-Key: the stored answer is returned', async () => {
      const post = newPost()
      const { status, headers } = await publish(post, keyed())
      expect([status, headers.get('idempotency-replayed'), await written(post)]).toEqual([201, 'true', 1])
    })

    test('causes 503 without an Idempotency-Key, and the post is written once', async () => {
      const post = newPost()
      expect(await publish(post, {})).toFailWith(503, 'service_unavailable')
      expect(await written(post)).toBe(1)
    })
  })
})
