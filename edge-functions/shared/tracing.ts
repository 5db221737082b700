// Traces (W3C Trace Context), and their export to OpenTelemetry (OTLP over HTTP, in JSON). A trace is everything that
// one request causes: the facade's work, the calls of functions, and the jobs that it queued. A request has a trace if
// its caller began one, or if spans are exported. Otherwise a trace would cost 5 % of a write and have no reader.
// Facade, worker and functions use this file, the functions also in Deno. The packages of OpenTelemetry do the same
// with 28 MB.
import { AsyncLocalStorage } from 'node:async_hooks'

/** The trace, the current span in it, and whether its spans are exported. */
export type Trace = { traceId: string; spanId: string; sampled: boolean }

/** A span that is running. The work may change the name, add attributes, and mark the span as failed or ignored. */
export type Span = {
  name: string
  attributes: Record<string, string | number | undefined>
  failed: boolean
  ignored: boolean
}
/** The kinds of spans, with their numbers in OTLP. */
export const kinds = { internal: 1, server: 2, client: 3, consumer: 5 } as const
type Start = {
  kind: keyof typeof kinds
  /** The traceparent of the caller; by default the running span is the parent. */
  parent?: string | undefined
}

export type Tracing = {
  /** Runs work in a span. An exception is a failure of the span. */
  run<T>(name: string, start: Start, work: (span: Span) => Promise<T>): Promise<T>
  /** Exports the spans that have ended. Resolves when the collector has answered, or has not answered in time. */
  flush(): Promise<void>
}

const running = new AsyncLocalStorage<Trace | undefined>()

/** The running trace, if any. */
export const currentTrace = (): Trace | undefined => running.getStore()

/**
 * Starts something that outlives the request that first needs it, such as a connection. Its events belong to no trace.
 */
export const outsideTraces = <T>(work: () => T): T => running.run(undefined, work)

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/** Reads a traceparent. An invalid one is ignored, as the standard says. */
export function parseTraceparent(text: string | undefined): Trace | undefined {
  const [, version, traceId = '', spanId = '', flags = '', more] = form.exec(text ?? '') ?? []
  if (!version || version === 'ff' || (version === '00' && more !== undefined)) return undefined
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined
  return { traceId, spanId, sampled: Number.parseInt(flags, 16) % 2 === 1 }
}

/** The traceparent of the running trace, if any. */
export function traceparent(): string | undefined {
  const trace = currentTrace()
  return trace && `00-${trace.traceId}-${trace.spanId}-${trace.sampled ? '01' : '00'}`
}

const newTraceId = (): string => crypto.randomUUID().replaceAll('-', '')
const newSpanId = (): string => newTraceId().slice(16)

type Sampler = (parent: Trace | undefined, traceId: string) => boolean
export type TracingSettings = {
  url: string
  headers: Record<string, string>
  resource: Record<string, string>
  isSampled: Sampler
}

/** The standard names of samplers. */
export const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

/** Lists of the form name=value,name=value; values are percent-encoded. */
const pairs = (text = ''): Record<string, string> =>
  Object.fromEntries(
    text.split(',').flatMap((pair) => {
      const at = pair.indexOf('=')
      return at > 0 ? [[pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())]] : []
    }),
  )

type Variable =
  | `OTEL_EXPORTER_OTLP_${'ENDPOINT' | 'HEADERS'}`
  | 'OTEL_RESOURCE_ATTRIBUTES'
  | 'OTEL_SERVICE_NAME'
  | `OTEL_TRACES_SAMPLER${'' | '_ARG'}`

/** The settings in the standard environment variables of OpenTelemetry; undefined if there is no endpoint. */
export function tracingOf(read: (name: Variable) => string | undefined): TracingSettings | undefined {
  const endpoint = read('OTEL_EXPORTER_OTLP_ENDPOINT')
  if (!endpoint) return undefined
  const service = read('OTEL_SERVICE_NAME')
  const [, parentBased, sampler] = /^(parentbased_)?(.*)$/.exec(read('OTEL_TRACES_SAMPLER') ?? '') ?? []
  const ratio =
    sampler === 'always_off' ? 0 : sampler === 'traceidratio' ? Number(read('OTEL_TRACES_SAMPLER_ARG') ?? 1) : 1
  const isBased = parentBased !== undefined || !sampler
  return {
    url: `${endpoint.replace(/\/$/, '')}/v1/traces`,
    headers: pairs(read('OTEL_EXPORTER_OTLP_HEADERS')),
    resource: {
      'service.name': 'kith',
      ...pairs(read('OTEL_RESOURCE_ATTRIBUTES')),
      ...(service && { 'service.name': service }),
    },
    // The last digits of a trace id are random, and every process decides by them, so all decide the same about a
    // trace.
    isSampled: (parent, traceId) =>
      isBased && parent ? parent.sampled : Number.parseInt(traceId.slice(-12), 16) < ratio * 16 ** 12,
  }
}

/** @param warn is told how many spans were lost, and why */
export function createTracing(settings: TracingSettings | undefined, warn: Warn): Tracing {
  return settings ? exporting(settings, warn) : passing
}
type Warn = (failure: unknown, lost: number) => void

/**
 * The tracing of processes that export no spans. Work has a trace only if the caller has one, and its parent is then
 * the span of the caller.
 */
const passing: Tracing = {
  run(name, { parent }, work) {
    const trace = parseTraceparent(parent)
    const begin = () => work({ name, attributes: {}, failed: false, ignored: false })
    return trace ? running.run(trace, begin) : begin()
  },
  flush: () => Promise.resolve(),
}

/**
 * How long spans are collected, normally and after a failure; how many are sent at once; how many are kept; and how
 * long the collector may take. Times are in milliseconds.
 */
const DELAY = 1000
const PAUSE = 30_000
const AT_ONCE = 500
const MOST = 5000
const PATIENCE = 5000

function exporting({ url, headers, resource, isSampled }: TracingSettings, warn: Warn): Tracing {
  const ended: object[] = []
  let lost = 0
  let delay = DELAY
  let timer: ReturnType<typeof setTimeout> | undefined
  let sending = Promise.resolve()

  async function send(): Promise<void> {
    const spans = ended.splice(0, AT_ONCE)
    if (spans.length === 0) return
    try {
      const scopeSpans = [{ scope: { name: 'kith' }, spans }]
      const body = JSON.stringify({ resourceSpans: [{ resource: { attributes: list(resource) }, scopeSpans }] })
      const answer = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'Content-Type': 'application/json' },
        body,
        signal: AbortSignal.timeout(PATIENCE),
      })
      await answer.body?.cancel()
      if (!answer.ok) throw new Error(`the collector answered ${answer.status}`)
      delay = DELAY
    } catch (failure) {
      // The spans that are still waiting are lost, too, so that a process that stops waits for one attempt only.
      warn(failure, spans.length + ended.length + lost)
      ended.length = 0
      lost = 0
      delay = PAUSE
    }
    if (ended.length > 0) await send()
  }
  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    sending = sending.then(send)
    return sending
  }
  function end(span: object): void {
    if (ended.length >= MOST) lost++
    else ended.push(span)
    if (timer !== undefined) return
    timer = outsideTraces(() => setTimeout(flush, delay))
    timer.unref?.() // Deno's timers have no `unref`.
  }

  return {
    async run(name, { kind, parent: given }, work) {
      const parent = parseTraceparent(given) ?? running.getStore()
      const traceId = parent?.traceId ?? newTraceId()
      const trace = { traceId, spanId: newSpanId(), sampled: isSampled(parent, traceId) }
      const span: Span = { name, attributes: {}, failed: false, ignored: false }
      const start = now()
      try {
        return await running.run(trace, () => work(span))
      } catch (error) {
        span.failed = true
        throw error
      } finally {
        if (trace.sampled && !span.ignored)
          end({
            traceId,
            spanId: trace.spanId,
            ...(parent && { parentSpanId: parent.spanId }),
            name: span.name,
            kind: kinds[kind],
            startTimeUnixNano: nanos(start),
            endTimeUnixNano: nanos(now()),
            attributes: list(span.attributes),
            status: span.failed ? { code: 2 } : {},
          })
      }
    },
    flush,
  }
}

const now = (): number => performance.timeOrigin + performance.now()
const nanos = (ms: number): string => String(BigInt(Math.round(ms * 1000)) * 1000n)

const list = (attributes: Span['attributes']): object[] =>
  Object.entries(attributes).flatMap(([key, value]) => {
    if (value === undefined) return []
    return [{ key, value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value } }]
  })

/** A function that runs each request in a span, as a part of its caller's trace. */
export const traced =
  (app: { fetch(request: Request): Response | Promise<Response> }, tracing: Tracing) =>
  (request: Request): Promise<Response> => {
    const name = `${request.method} ${new URL(request.url).pathname}`
    const parent = request.headers.get('traceparent') ?? undefined
    return tracing.run(name, { kind: 'server', parent }, async (span) => {
      const answer = await app.fetch(request)
      span.attributes['http.response.status_code'] = answer.status
      span.failed = answer.status >= 500
      return answer
    })
  }
