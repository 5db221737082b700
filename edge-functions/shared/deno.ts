// The parts of Deno, as Supabase runs it, that every edge-functions/<name>/index.ts needs. All of these files also read
// the variables of OpenTelemetry: docs/configuration.md, Traces.
import { createTracing, traced, tracingOf } from './tracing.ts'

declare const Deno: {
  env: { get(name: string): string | undefined }
  serve(handler: (request: Request) => Response | Promise<Response>): unknown
}

declare const EdgeRuntime: { waitUntil(work: Promise<void>): void } | undefined

/** An environment variable; an empty one counts as absent. */
export const optional = (name: string): string | undefined => Deno.env.get(name) || undefined

/** @throws Error if it is absent */
export function needed(name: string): string {
  const value = optional(name)
  if (!value) throw new Error(`This function needs ${name}.`)
  return value
}

/** A comma-separated list. */
export const list = (name: string): string[] | undefined =>
  optional(name)
    ?.split(',')
    .flatMap((item) => item.trim() || [])

/** The secrets that may have signed a caller's token. */
export function jwtSecrets(): string[] {
  const others = ['JWT_SECRET_NEXT', 'JWT_SECRET_PREVIOUS'].flatMap((name) => optional(name) ?? [])
  return [needed('JWT_SECRET'), ...others]
}

export function serve(app: { fetch(request: Request): Response | Promise<Response> }): void {
  const tracing = createTracing(tracingOf(optional), (failure, lost) =>
    console.warn(JSON.stringify({ level: 40, failure: String(failure), lost, msg: 'spans could not be exported' })),
  )
  const answer = traced(app, tracing)
  Deno.serve(async (request) => {
    const answered = await answer(request)
    const exported = tracing.flush()
    // Supabase stops a function that has no work.
    if (typeof EdgeRuntime !== 'undefined') EdgeRuntime.waitUntil(exported)
    return answered
  })
}
