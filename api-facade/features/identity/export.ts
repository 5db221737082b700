// The export: one JSON object, written section by section as the database returns it, so that no process holds all of
// it. Rules are in sql/identity/80_export.sql.
import type { z } from 'zod'
import { callFor } from '../../lib/call.ts'
import type { Context } from '../../lib/context.ts'
import { send } from '../../lib/headers.ts'
import { createDigests, type DigestMaker, type Signing } from '../../lib/signing.ts'
import { ExportHead, ExportRows } from './account-schemas.ts'

/** Calls the operation that exports, for the person whose data it is. */
type Ask = <S extends z.ZodType>(
  parameters: { p_section?: string; p_after?: string },
  schema: S,
) => Promise<z.output<S>>
type Section = z.output<typeof ExportHead>['sections'][number]

export const exportMe = (c: Context): Promise<Response> => exportOf(c, 'export_me', {})

/** The caller's own export, or for an admin the export of the person `p_id`. */
export async function exportOf(
  c: Context,
  operation: 'export_me' | 'export_user',
  whose: { p_id?: string },
): Promise<Response> {
  const ask: Ask = (parameters, schema) => callFor(c, operation, { ...whose, ...parameters }, schema)
  const free = c.get('services').exports(c.get('claims')?.sub ?? '')
  try {
    // The first call runs before the first byte is sent, so that an error is still a normal error answer.
    const head = await ask({}, ExportHead)
    const isRead = c.req.method !== 'HEAD'
    if (!isRead) free()
    const { signing } = c.get('services')
    return send(c, isRead ? streamed(dossier(ask, head, signing), free) : null, 200, {
      'Content-Type': 'application/json',
      'Content-Disposition': 'attachment; filename="kith-export.json"',
    })
  } catch (apiError) {
    free()
    throw apiError
  }
}

async function* dossier(
  ask: Ask,
  { sections, ...head }: z.output<typeof ExportHead>,
  signing: Signing,
): AsyncGenerator<string> {
  const digests = createDigests()
  for (const [name, value] of Object.entries(head)) digests.endMember(name, value)
  yield JSON.stringify(head).slice(0, -1)
  for (const section of sections) {
    yield `,${JSON.stringify(section.name)}:`
    if (section.single) yield* row(ask, section, digests)
    else yield* list(ask, section, digests)
  }
  yield `,"signature":${JSON.stringify(await signing.sign(digests.digests()))}}`
}

async function* row(ask: Ask, section: Section, digests: DigestMaker): AsyncGenerator<string> {
  const { items } = await rowsOf(ask, section, null)
  digests.endMember(section.name, items[0] ?? null)
  yield JSON.stringify(items[0] ?? null)
}

async function* list(ask: Ask, section: Section, digests: DigestMaker): AsyncGenerator<string> {
  let opening = '['
  for (let after: string | null = null; ; ) {
    const { items, next }: z.output<typeof ExportRows> = await rowsOf(ask, section, after)
    for (const item of items) digests.addItem(section.name, item)
    if (items.length > 0) yield opening + items.map((item) => JSON.stringify(item)).join(',')
    if (items.length > 0) opening = ','
    if (!next) break
    after = next
  }
  digests.endMember(section.name, [])
  yield opening === '[' ? '[]' : ']'
}

const rowsOf = (ask: Ask, { name }: Section, after: string | null) =>
  ask({ p_section: name, p_after: after ?? undefined }, ExportRows)

/** How long a client may take to read the whole export, in milliseconds. */
const PATIENCE = 15 * 60_000

/** Sends as fast as the client reads: queries the next part only when the buffer has room. `end` is always called. */
function streamed(parts: AsyncGenerator<string>, end: () => void): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const until = performance.now() + PATIENCE
  return new ReadableStream({
    async pull(controller) {
      try {
        if (performance.now() > until) throw new Error('the client did not read the export in time')
        const { value, done } = await parts.next()
        if (!done) return controller.enqueue(encoder.encode(value))
        controller.close()
      } catch (failure) {
        controller.error(failure)
      }
      end()
    },
    async cancel() {
      end()
      await parts.return(undefined)
    },
  })
}
