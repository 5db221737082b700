// The export: one JSON object, written section by section as the database gives it, so that no process holds all of it.
// Rules are in sql/identity/80_export.sql.
import type { z } from 'zod'
import { callFor } from '../../lib/call.ts'
import type { Context } from '../../lib/context.ts'
import { send } from '../../lib/headers.ts'
import { ExportHead, ExportRows } from './account-schemas.ts'

/** The operation that exports whom it is about. */
type Ask = <S extends z.ZodType>(
  parameters: { p_section?: string; p_after?: unknown },
  schema: S,
) => Promise<z.output<S>>
type Section = z.output<typeof ExportHead>['sections'][number]

export const exportMe = (c: Context): Promise<Response> => exportOf(c, 'export_me', {})

/** The caller's own, or as an admin that of the person `p_id`. */
export async function exportOf(
  c: Context,
  operation: 'export_me' | 'export_user',
  whose: { p_id?: string },
): Promise<Response> {
  const ask: Ask = (parameters, schema) => callFor(c, operation, { ...whose, ...parameters }, schema)
  // the first call before the first byte: a refusal is still an answer of its own
  const head = await ask({}, ExportHead)
  return send(c, streamed(dossier(ask, head)), 200, {
    'Content-Type': 'application/json',
    'Content-Disposition': 'attachment; filename="kith-export.json"',
  })
}

async function* dossier(ask: Ask, { sections, ...head }: z.output<typeof ExportHead>): AsyncGenerator<string> {
  yield JSON.stringify(head).slice(0, -1)
  for (const section of sections) {
    yield `,${JSON.stringify(section.name)}:`
    if (section.single) yield JSON.stringify((await rowsOf(ask, section, null)).items[0] ?? null)
    else yield* list(ask, section)
  }
  yield '}'
}

async function* list(ask: Ask, section: Section): AsyncGenerator<string> {
  let opening = '['
  for (let after: unknown = null; ; ) {
    const { items, next } = await rowsOf(ask, section, after)
    if (items.length > 0) yield opening + items.map((item) => JSON.stringify(item)).join(',')
    if (items.length > 0) opening = ','
    if (!next) break
    after = next
  }
  yield opening === '[' ? '[]' : ']'
}

const rowsOf = (ask: Ask, { name }: Section, after: unknown) =>
  ask({ p_section: name, p_after: after ?? undefined }, ExportRows)

/** As fast as the client reads: the next part is asked for when there is room. */
function streamed(parts: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await parts.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    async cancel() {
      await parts.return(undefined)
    },
  })
}
