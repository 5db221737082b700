// Traces: a request has one trace id in the log, in functions and in jobs. If a collector is configured, the collector
// gets the spans.
import { afterAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../api-facade/lib/config.ts'
import { openFunctions } from '../../api-facade/lib/functions.ts'
import { createLog, openTracing } from '../../api-facade/lib/log.ts'
import { startServer } from '../../api-facade/server.ts'
import { startWorker } from '../../api-facade/worker/worker.ts'
import { createTracing, currentTrace, parseTraceparent, tracingOf } from '../../edge-functions/shared/tracing.ts'
import { mountRpc } from '../../supabase/embedded/rpc.ts'
import { functionsInDeno, listen } from '../support/functions.ts'
import { mailbox } from '../support/mailbox.ts'
import { Person } from '../support/person.ts'
import { environment, JWT_SECRET } from '../support/settings.ts'
import { until } from '../support/until.ts'
import { world } from '../support/world.ts'

type Span = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: { key: string; value: { stringValue?: string; intValue?: string } }[]
  status: { code?: number }
}

/** A collector of OpenTelemetry, by its standard paths. */
async function collector() {
  const spans: Span[] = []
  const seen: { path: string; headers: Record<string, unknown>; resource: unknown }[] = []
  const state = { status: 200 }
  const url = await listen(async (request, answer) => {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString())
    for (const { resource, scopeSpans } of body.resourceSpans) {
      seen.push({ path: request.url ?? '', headers: request.headers, resource })
      if (state.status === 200) for (const one of scopeSpans) spans.push(...one.spans)
    }
    answer.writeHead(state.status, { 'Content-Type': 'application/json' }).end('{}')
  })
  return { url, spans, seen, state }
}

const traceId = () => crypto.randomUUID().replaceAll('-', '')
const CALLER = 'c0ffee0000000001'
const attribute = ({ attributes }: Span, name: string) => {
  const { stringValue, intValue } = attributes.find(({ key }) => key === name)?.value ?? {}
  return stringValue ?? Number(intValue)
}

const { alice, database } = await world({ people: ['alice'] })
const other = await world({ people: ['alice'] })
const target = await collector()
const mails = await mailbox()
const exported: Record<string, string> = {
  OTEL_EXPORTER_OTLP_ENDPOINT: target.url,
  OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20secret,x-other=1',
}

/** A facade and a worker on a database, with their log. */
async function instance({ alice, database }: Pick<typeof other, 'alice' | 'database'>, env: Record<string, string>) {
  const lines: Record<string, unknown>[] = []
  const config = readConfig(environment(database.url, { LOG_LEVEL: 'info', SMTP_URL: mails.url, ...env }))
  const log = createLog(config, { write: (line: string) => lines.push(JSON.parse(line)) })
  const databaseUrl = database.url
  const server = await startServer({
    config,
    databaseUrl,
    log,
    beside: (app, site) => mountRpc(app, [JWT_SECRET], site),
  })
  const worker = await startWorker({ config, databaseUrl, log, pollSeconds: 0.1 })
  const stop = async () => {
    await server.stop()
    await worker.stop()
  }
  return { lines, stop, url: server.url, nobody: new Person(server.url), alice: new Person(server.url, alice.token) }
}

const askForMail = (person: Person, traceparent: string, { email } = alice) =>
  person.post('/auth/forgot-password', { email }, { traceparent })

describe('With a collector', async () => {
  const own = await instance(
    { alice, database },
    { ...exported, OTEL_SERVICE_NAME: 'kith-test', OTEL_RESOURCE_ATTRIBUTES: 'zone=eu' },
  )
  afterAll(() => own.stop())
  const spanOf = (trace: string, name: string) =>
    until(() => target.spans.find((span) => span.traceId === trace && span.name === name))

  test('a request, its job in the worker and the function that the job calls are one trace', async () => {
    const trace = traceId()
    expect((await askForMail(own.nobody, `00-${trace}-${CALLER}-01`)).status).toBe(200)
    const request = await spanOf(trace, 'POST /auth/forgot-password')
    const job = await spanOf(trace, 'job mail')
    const call = await spanOf(trace, 'call deliver/mail')
    const done = await spanOf(trace, 'POST /deliver/mail')
    expect(request).toMatchObject({ parentSpanId: CALLER, kind: 2, status: {} })
    expect(job).toMatchObject({ parentSpanId: request.spanId, kind: 5 })
    expect(call).toMatchObject({ parentSpanId: job.spanId, kind: 3 })
    expect(done).toMatchObject({ parentSpanId: call.spanId, kind: 2 })
    expect(new Set([request, job, call, done].map(({ spanId }) => spanId)).size).toBe(4)
    for (const { startTimeUnixNano, endTimeUnixNano } of [request, job, call, done]) {
      expect(Math.abs(Number(startTimeUnixNano) / 1e6 - Date.now())).toBeLessThan(120_000)
      expect(BigInt(endTimeUnixNano)).toBeGreaterThan(BigInt(startTimeUnixNano))
    }
    expect(own.lines.find((line) => line.route === 'POST /auth/forgot-password')).toMatchObject({ trace_id: trace })
  })

  test('a span says what the log says, and nothing about people', async () => {
    const trace = traceId()
    const { headers } = await own.alice.get('/users/nobody_here', { traceparent: `00-${trace}-${CALLER}-01` })
    const span = await spanOf(trace, 'GET /users/:usernameOrId')
    expect(attribute(span, 'http.request.method')).toBe('GET')
    expect(attribute(span, 'http.route')).toBe('/api/v1/users/:usernameOrId')
    expect(attribute(span, 'http.response.status_code')).toBe(404)
    expect(attribute(span, 'error.type')).toBe('person_unknown')
    expect(attribute(span, 'kith.request_id')).toBe(headers.get('x-request-id'))
    expect(JSON.stringify(span)).not.toContain('nobody_here')
    expect(JSON.stringify(span)).not.toContain(alice.id)
  })

  test('the collector gets the configured headers and resource, at the standard path', () => {
    const attributes = [
      { key: 'service.name', value: { stringValue: 'kith-test' } },
      { key: 'zone', value: { stringValue: 'eu' } },
    ]
    expect(target.seen[0]).toMatchObject({
      path: '/v1/traces',
      headers: { 'x-key': 'a secret', 'x-other': '1', 'content-type': 'application/json' },
      resource: { attributes },
    })
  })

  test('a request without a traceparent, or with an invalid one, begins a trace', async () => {
    const trace = traceId()
    for (const header of [
      '',
      'nonsense',
      `00-${trace}-${CALLER}`,
      `00-${trace}-${CALLER}-01-more`,
      `ff-${trace}-${CALLER}-01`,
      `00-${trace.toUpperCase()}-${CALLER}-01`,
      `00-${'0'.repeat(32)}-${CALLER}-01`,
      `00-${trace}-${'0'.repeat(16)}-01`,
    ]) {
      const { headers } = await own.alice.get('/me', header ? { traceparent: header } : {})
      const id = headers.get('x-request-id')
      const span = await until(() => target.spans.find((one) => attribute(one, 'kith.request_id') === id))
      expect(span.traceId).toMatch(/^[0-9a-f]{32}$/)
      expect([span.traceId, span.parentSpanId]).not.toContain(trace)
      expect(span.parentSpanId).toBeUndefined()
    }
    expect(target.spans.map((span) => span.traceId)).not.toContain(trace)
  })

  test('a trace that its caller does not record is not exported, and neither is a probe', async () => {
    const [first, second, third] = [traceId(), traceId(), traceId()]
    await own.alice.get('/me', { traceparent: `00-${first}-${CALLER}-00` })
    await own.nobody.get('//health', { traceparent: `00-${second}-${CALLER}-01` })
    await own.alice.get('/me', { traceparent: `00-${third}-${CALLER}-01` })
    await spanOf(third, 'GET /me')
    expect(target.spans.filter((span) => span.traceId === first || span.traceId === second)).toEqual([])
    expect(own.lines.find((line) => line.trace_id === first)).toMatchObject({ route: 'GET /me' })
  })

  test('the reads of a batch are parts of its trace', async () => {
    const trace = traceId()
    await own.alice.post(
      '/batch',
      { requests: [{ method: 'GET', path: '/api/v1/me' }] },
      { traceparent: `00-${trace}-${CALLER}-01` },
    )
    const batch = await spanOf(trace, 'POST /batch')
    expect(await spanOf(trace, 'GET /me')).toMatchObject({ parentSpanId: batch.spanId })
  })

  test('a job that fails has a span that says so, and its line in the log has the trace', async () => {
    const trace = traceId()
    mails.refuse(1)
    await askForMail(own.nobody, `00-${trace}-${CALLER}-01`)
    expect(await spanOf(trace, 'job mail')).toMatchObject({ status: { code: 2 } })
    expect(await spanOf(trace, 'POST /deliver/mail')).toMatchObject({ status: { code: 2 } })
    const line = await until(() => own.lines.find(({ job, msg }) => job === 'mail' && msg === 'a job failed'))
    expect(line).toMatchObject({ trace_id: trace })
  })

  test('a call over /rest/v1/rpc is a trace too', async () => {
    const trace = traceId()
    const headers = { authorization: `Bearer ${alice.token}`, traceparent: `00-${trace}-${CALLER}-01` }
    await fetch(`${own.url}/rest/v1/rpc/get_me`, { method: 'POST', headers })
    expect(await spanOf(trace, 'POST /rest/v1/rpc')).toMatchObject({ parentSpanId: CALLER })
  })

  test('if the collector rejects spans, requests continue, and the log says how many spans were lost', async () => {
    target.state.status = 500
    expect(await own.alice.get('/me')).toMatchObject({ status: 200 })
    const line = await until(() => own.lines.find(({ msg }) => msg === 'spans could not be exported'))
    expect(line).toMatchObject({ level: 40, failure: { message: 'the collector answered 500' } })
    expect(line.lost).toBeGreaterThan(0)
    target.state.status = 200
  })
})

describe('Without a collector', async () => {
  const calls: { path: string; traceparent: string }[] = []
  const functions = await listen((request, answer) => {
    calls.push({ path: request.url ?? '', traceparent: String(request.headers.traceparent) })
    answer.writeHead(200, { 'Content-Type': 'application/json' }).end('{"outcome": "sent"}')
  })
  const { OTEL_EXPORTER_OTLP_ENDPOINT: _, ...others } = exported
  const own = await instance(other, {
    ...others,
    OTEL_TRACES_SAMPLER: 'always_on',
    FUNCTIONS_URL: functions,
    AI_MODEL: 'a-model',
  })
  afterAll(() => own.stop())
  const callOf = (trace: string) => until(() => calls.find(({ traceparent }) => traceparent.includes(trace)))

  test('a function that writes a streamed answer gets the trace', async () => {
    const trace = traceId()
    const { body } = await own.alice.post<{ id: string }>('/ai/sessions', { topic: 'Bees' })
    const headers = { traceparent: `00-${trace}-${CALLER}-01` }
    await own.alice.post(`/ai/sessions/${body.id}/answer`, { answer: 'I keep them.' }, headers)
    expect(await callOf(trace)).toMatchObject({ path: '/ai/question' })
  })

  test('a request without a traceparent has no trace, and its jobs and function calls have none either', async () => {
    const { body } = await own.alice.post<{ id: string }>('/ai/sessions', { topic: 'Wasps' })
    calls.length = 0
    await own.alice.post(`/ai/sessions/${body.id}/answer`, { answer: 'I watch them.' })
    expect(await until(() => calls.find(({ path }) => path === '/ai/question'))).toMatchObject({
      traceparent: 'undefined',
    })
    await until(() => own.lines.some(({ route }) => route === 'POST /ai/sessions/:id/answer'))
    const without = own.lines.filter(({ route }) => route === 'POST /ai/sessions')
    expect(without.length).toBeGreaterThan(0)
    for (const line of without) expect(line).not.toHaveProperty('trace_id')
  })

  test('a function gets the trace of the request that queued the job, and nothing is exported', async () => {
    const before = target.seen.length
    const trace = traceId()
    const given = `00-${trace}-${CALLER}-01`
    await askForMail(own.nobody, given, other.alice)
    expect(await callOf(trace)).toEqual({ path: '/deliver/mail', traceparent: given })
    expect(own.lines.find((line) => line.route === 'POST /auth/forgot-password')).toMatchObject({ trace_id: trace })
    await own.stop()
    expect(target.seen.length).toBe(before)
    expect(own.lines.filter(({ msg }) => msg === 'spans could not be exported')).toEqual([])
  })
})

describe('The function deliver in Deno', async () => {
  const functionsUrl = await functionsInDeno(['deliver'], {
    JWT_SECRET,
    SMTP_URL: mails.url,
    MAIL_FROM: 'Kith <no-reply@kith.example>',
    ...exported,
    OTEL_SERVICE_NAME: 'kith-functions',
  })

  test('exports its part of the trace, as in this process', async () => {
    const config = readConfig({ LOG_LEVEL: 'silent', FUNCTIONS_URL: functionsUrl, ...exported })
    const log = createLog(config)
    const tracing = openTracing(config, log)
    const functions = openFunctions({ config, jwtSecret: JWT_SECRET, log, tracing })
    const answer = await functions.invoke('deliver/mail', { id: 'x', to: alice.email, subject: 'a', text: 'b' })
    expect(answer.status).toBe(200)
    await tracing.flush()
    const call = await until(() => target.spans.findLast(({ name }) => name === 'call deliver/mail'))
    const done = await until(() => target.spans.find(({ parentSpanId }) => parentSpanId === call.spanId))
    expect(done).toMatchObject({ name: 'POST /deliver/mail', traceId: call.traceId, kind: 2 })
    expect(target.seen.filter(({ resource }) => JSON.stringify(resource).includes('kith-functions'))).toHaveLength(1)
  })
})

describe('Other servers', async () => {
  const given: Record<string, unknown>[] = []
  const expoUrl = await listen((request, answer) => {
    given.push(request.headers)
    answer.writeHead(200, { 'Content-Type': 'application/json' }).end('{"data": [{"status": "ok", "id": "r"}]}')
  })

  test('do not get the trace', async () => {
    const config = readConfig({ LOG_LEVEL: 'silent', EXPO_URL: expoUrl, ...exported })
    const log = createLog(config)
    const tracing = openTracing(config, log)
    const functions = openFunctions({ config, jwtSecret: JWT_SECRET, log, tracing })
    const message = { platform: 'expo', token: 'ExponentPushToken[aaaaaaaaaaaaaaaaaaaaaa]', title: 'a', body: 'b' }
    await functions.invoke('deliver/push', { messages: [{ ...message, badge: 1, collapseId: 'c', data: {} }] })
    await until(() => given.length > 0)
    expect(Object.keys(given[0] ?? {})).toContain('content-type')
    expect(Object.keys(given[0] ?? {})).not.toContain('traceparent')
    await tracing.flush()
  })
})

describe('A sampler', () => {
  const decide = (env: Record<string, string>, parent?: string, trace = traceId()) =>
    tracingOf((name) => (name === 'OTEL_EXPORTER_OTLP_ENDPOINT' ? 'http://localhost' : env[name]))?.isSampled(
      parseTraceparent(parent),
      trace,
    )
  const [recorded, unrecorded] = ['01', '00'].map((flags) => `00-${traceId()}-${CALLER}-${flags}`)

  test.each([
    ['', [true, true, false]],
    ['always_on', [true, true, true]],
    ['always_off', [false, false, false]],
    ['parentbased_always_on', [true, true, false]],
    ['parentbased_always_off', [false, true, false]],
  ])('%s decides with and without a recorded parent', (sampler, expected) => {
    const env: Record<string, string> = sampler ? { OTEL_TRACES_SAMPLER: sampler } : {}
    expect([undefined, recorded, unrecorded].map((parent) => decide(env, parent))).toEqual(expected)
  })

  test('by ratio decides by the trace id, so that every process decides the same', () => {
    const env = { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' }
    const traces = Array.from({ length: 4000 }, traceId)
    const taken = traces.filter((trace) => decide(env, unrecorded, trace))
    expect(taken.length / traces.length).toBeCloseTo(0.25, 1)
    expect(taken.filter((trace) => !decide(env, recorded, trace))).toEqual([])
    expect(decide({ ...env, OTEL_TRACES_SAMPLER: 'parentbased_traceidratio' }, recorded)).toBe(true)
  })
})

test.each([
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'no value'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a=100%'],
  ['OTEL_TRACES_SAMPLER', 'jaeger_remote'],
  ['OTEL_TRACES_SAMPLER_ARG', '2'],
])('%s=%s is refused', (name, text) => {
  expect(() => readConfig({ [name]: text })).toThrow(name)
})

test('spans that are not exported do not accumulate, and errors are the same as without a span', async () => {
  const lost: number[] = []
  const settings = tracingOf((name) => (name === 'OTEL_EXPORTER_OTLP_ENDPOINT' ? 'http://127.0.0.1:1' : undefined))
  const tracing = createTracing(settings, (_failure, count) => lost.push(count))
  const span = () => tracing.run('a', { kind: 'internal' }, async () => currentTrace()?.traceId)
  const traces = await Promise.all(Array.from({ length: 6000 }, span))
  expect(new Set(traces).size).toBe(6000)
  expect(currentTrace()).toBeUndefined()
  const failing = tracing.run('b', { kind: 'internal' }, () => Promise.reject(new Error('the work failed')))
  await expect(failing).rejects.toThrow('the work failed')
  await tracing.flush()
  expect(lost).toEqual([6001])
})
