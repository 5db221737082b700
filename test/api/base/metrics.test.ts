// /metrics: who may read it, and what it contains.
import { get } from 'node:http'
import { describe, expect, test } from 'vitest'
import { metrics } from '../../../api-facade/lib/metrics.ts'
import { until } from '../../support/until.ts'
import { world } from '../../support/world.ts'

const token = 'a-token-for-the-scraper'
const { alice, nobody, database, url } = await world({
  people: ['alice'],
  env: { METRICS_TOKEN: token, POOL_USER: '7' },
})
const bearer = (text: string) => ({ Authorization: `Bearer ${text}` })

async function scrape(): Promise<string[]> {
  const { status, text } = await nobody.get('//metrics', bearer(token))
  expect(status).toBe(200)
  return text.split('\n')
}

/** The value of a line, or 0 if there is none. */
async function value(line: string): Promise<number> {
  const found = (await scrape()).find((one) => one.startsWith(`${line} `))
  return Number(found?.slice(line.length + 1) ?? 0)
}

describe('With a METRICS_TOKEN', () => {
  test('a client with the token can read the metrics, from anywhere', async () => {
    const { headers } = await nobody.get('//metrics', bearer(token))
    expect(headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
    expect((await nobody.get('//metrics', { ...bearer(token), 'X-Forwarded-For': '203.0.113.1' })).status).toBe(200)
  })

  test.each([
    ['this machine, which may be a proxy that adds no header,', {}],
    ['a client behind a proxy', { 'X-Forwarded-For': '203.0.113.1' }],
    ['a client that claims to be this machine', { 'X-Forwarded-For': '127.0.0.1' }],
    ['a client behind another kind of proxy', { Forwarded: 'for=203.0.113.1' }],
    ['a client with another token', bearer('a-token-for-another')],
    ['a client with a person’s token', bearer(alice.token ?? '')],
  ])('%s gets 404', async (_who, headers) => {
    expect(await nobody.get('//metrics', headers)).toFailWith(404, 'route_unknown')
    expect(await nobody.post('//metrics', {}, headers)).toFailWith(404, 'route_unknown')
  })

  test('POST gives 405', async () => {
    expect(await nobody.post('//metrics', {}, bearer(token))).toFailWith(405, 'method_not_allowed')
  })
})

describe('Without a METRICS_TOKEN', async () => {
  const { nobody: own, url: address } = await world({ people: [] })
  const port = new URL(address).port
  /** The status of a request with this Host header, which fetch does not allow to set. */
  const statusFor = (host: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      get(`${address}/metrics`, { headers: { host } }, (answer) => {
        answer.resume()
        resolve(answer.statusCode)
      }).on('error', reject)
    })

  test.each(['localhost', '127.0.0.1', '127.0.0.2', '[::1]', 'LOCALHOST'])(
    'this machine can read the metrics as %s',
    async (name) => {
      expect(await statusFor(name)).toBe(200)
      expect(await statusFor(`${name}:${port}`)).toBe(200)
    },
  )

  test.each(['kith.example', 'localhost.kith.example', '127.0.0.1.kith.example', '203.0.113.1', 'kith.example:80'])(
    'a request for the host %s gets 404, because it came through a proxy',
    async (name) => {
      expect(await statusFor(name)).toBe(404)
    },
  )

  test.each(['X-Forwarded-For', 'X-Real-Ip', 'Forwarded', 'Via'])(
    'a request with the header %s gets 404, because it came through a proxy',
    async (name) => {
      expect(await own.get('//metrics', { [name]: '127.0.0.1' })).toFailWith(404, 'route_unknown')
    },
  )
})

describe('The metrics', () => {
  test('count requests by route pattern and status', async () => {
    const line = 'kith_http_request_duration_seconds_count{route="GET /posts/:id",status="404"}'
    const before = await value(line)
    await alice.get('/posts/c56a4180-65aa-42ec-a945-5fd21dec0538')
    await alice.get('/Posts/c56a4180-65aa-42ec-a945-5fd21dec0539/')
    expect(await value(line)).toBe(before + 2)
    expect((await scrape()).join('\n')).not.toContain('c56a4180')
    await nobody.get('//no/such/page')
    expect(await value('kith_http_request_duration_seconds_count{route="other",status="404"}')).toBeGreaterThan(0)
  })

  test('contain pools, the process and Realtime sockets', async () => {
    metrics.sockets.set(3)
    expect(await value('kith_realtime_sockets')).toBe(3)
    expect(await value('kith_pool_size{pool="user"}')).toBe(7)
    expect(await value('kith_pool_in_flight{pool="user"}')).toBe(0)
    expect(await value('process_resident_memory_bytes')).toBeGreaterThan(0)
    expect(await value('kith_database_up')).toBe(1)
  })

  test('count statements in flight', async () => {
    const { waiting } = await database.owner.begin(async (sql) => {
      await sql`lock table app.posts in access exclusive mode`
      const feeds = Promise.all([alice.get('/feed'), alice.get('/feed')])
      await until(async () => (await value('kith_pool_in_flight{pool="user"}')) === 2)
      return { waiting: feeds }
    })
    await waiting
    expect(await value('kith_pool_in_flight{pool="user"}')).toBe(0)
  })

  test('contain the jobs and queues of all workers, from the database', async () => {
    const at = 1_700_000_000
    await database.owner`insert into private.job_runs values ('a-job', 7, 2, 40, to_timestamp(${at}), to_timestamp(${at - 1}), 5)`
    await database.owner`select pgboss.create_queue('a-job', '{"policy": "standard"}')`
    await database.owner`insert into pgboss.job (name, state) values ('a-job', 'failed'), ('a-job', 'created')`
    expect(await value('kith_job_runs_total{job="a-job"}')).toBe(7)
    expect(await value('kith_job_runs_total{job="a-job"}')).toBe(7)
    expect(await value('kith_job_failures_total{job="a-job"}')).toBe(2)
    expect(await value('kith_job_changed_rows_total{job="a-job"}')).toBe(40)
    expect(await value('kith_job_last_changed_rows{job="a-job"}')).toBe(5)
    expect(await value('kith_job_last_run_timestamp_seconds{job="a-job"}')).toBe(at)
    expect(await value('kith_job_last_failure_timestamp_seconds{job="a-job"}')).toBe(at - 1)
    expect(await value('kith_queue_depth{queue="a-job",state="failed"}')).toBe(1)
    expect(await value('kith_queue_depth{queue="a-job",state="created"}')).toBe(1)
  })

  test('report whether the database answers', async () => {
    await database.owner`revoke execute on function private.job_metrics from gate`
    expect(await value('kith_database_up')).toBe(0)
    await database.owner`grant execute on function private.job_metrics to gate`
    expect(await value('kith_database_up')).toBe(1)
  })

  test('report whether /ready answers 200', async () => {
    const { owner } = database
    const isReady = async () => (await nobody.get('//ready')).status === 200
    const seen = async (ago: string) => {
      await owner`delete from private.job_runs`
      await owner`update pgboss.version set cron_on = now() - ${ago}::interval`
    }
    await seen('0 s')
    await until(isReady)
    expect(await value('kith_ready')).toBe(1)
    await seen('4 minutes')
    await until(async () => !(await isReady()))
    expect(await value('kith_ready')).toBe(0)
  })

  test('are not part of the API description', async () => {
    const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as { paths: Record<string, unknown> }
    // the staff’s metrics are another route
    expect(Object.keys(paths).filter((path) => path.endsWith('/metrics'))).toEqual([
      expect.stringMatching(/\/admin\/metrics$/),
    ])
  })
})
