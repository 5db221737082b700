// The export: one JSON object, written section by section as the database gives it, so that no process holds all of it.
// Rules are in sql/identity/80_export.sql.
import type { z } from 'zod'
import { callFor } from '../../lib/call.ts'
import type { Context } from '../../lib/context.ts'
import { JSON_TYPE, send } from '../../lib/headers.ts'
import { ExportHead, ExportRows } from './account-schemas.ts'

type Section = z.output<typeof ExportHead>['sections'][number]

export async function exportMe(c: Context): Promise<Response> {
  // the first call before the first byte: a refusal is still an answer of its own
  const head = await callFor(c, 'export_me', {}, ExportHead)
  return send(c, streamed(dossier(c, head)), 200, {
    ...JSON_TYPE,
    'Content-Disposition': 'attachment; filename="kith-export.json"',
  })
}

async function* dossier(c: Context, { sections, ...head }: z.output<typeof ExportHead>): AsyncGenerator<string> {
  yield JSON.stringify(head).slice(0, -1)
  for (const section of sections) {
    yield `,${JSON.stringify(section.name)}:`
    if (section.single) yield JSON.stringify((await rowsOf(c, section, null)).items[0] ?? null)
    else yield* list(c, section)
  }
  yield '}'
}

async function* list(c: Context, section: Section): AsyncGenerator<string> {
  let opening = '['
  for (let after: unknown = null; ; ) {
    const { items, next } = await rowsOf(c, section, after)
    if (items.length > 0) yield opening + items.map((item) => JSON.stringify(item)).join(',')
    if (items.length > 0) opening = ','
    if (!next) break
    after = next
  }
  yield opening === '[' ? '[]' : ']'
}

const rowsOf = (c: Context, { name }: Section, after: unknown) =>
  callFor(c, 'export_me', { p_section: name, p_after: after ?? undefined }, ExportRows)

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
