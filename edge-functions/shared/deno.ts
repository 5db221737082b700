// What every edge-functions/<name>/index.ts needs of Deno, as Supabase runs it.
declare const Deno: {
  env: { get(name: string): string | undefined }
  serve(handler: (request: Request) => Response | Promise<Response>): unknown
}

/** A variable of the environment; an empty one counts as absent. */
export const optional = (name: string): string | undefined => Deno.env.get(name) || undefined

/** @throws Error when it is absent */
export function needed(name: string): string {
  const value = optional(name)
  if (!value) throw new Error(`This function needs ${name}.`)
  return value
}

/** A list whose items are separated by commas. */
export const list = (name: string): string[] | undefined =>
  optional(name)
    ?.split(',')
    .flatMap((item) => item.trim() || [])

/** What may have signed a caller's token. */
export function jwtSecrets(): string[] {
  const previous = optional('JWT_SECRET_PREVIOUS')
  return [needed('JWT_SECRET'), ...(previous ? [previous] : [])]
}

export function serve(app: { fetch(request: Request): Response | Promise<Response> }): void {
  Deno.serve((request) => app.fetch(request))
}
