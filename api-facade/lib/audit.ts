// Serves /.well-known/kith/audit: the signed checkpoints of the audit log. The path is outside /api/v1 and open to
// everyone. The checkpoints reveal only hashes and the number of entries.
import type { Hono } from 'hono'
import { Checkpoint } from './checkpoints.ts'
import type { Context, Env } from './context.ts'
import { ApiError } from './errors.ts'
import { send } from './headers.ts'
import { otherMethods } from './methods.ts'
import { z } from './schemas.ts'

export const AUDIT = '/.well-known/kith/audit'

const HOW =
  'The text of each checkpoint is signed with Ed25519. It has the SHA-256 of the previous text, so no text can be ' +
  'replaced later. Keep the checkpoints: a log that was rewritten does not match the checkpoints that you have. ' +
  'docs/audit.md of Kith says how to verify them, and npm run audit-witness verifies them.'

export const Checkpoints = z
  .object({
    about: z.string().describe('How to verify the checkpoints.'),
    key: z.string().describe('The public key of the instance in PEM, which signs new checkpoints.'),
    checkpoints: z.array(Checkpoint).describe('Up to 100 checkpoints, beginning with the number `from`.'),
    next: z.int().nullable().describe('The `from` of the next page; null at the end.'),
  })
  .openapi('Checkpoints')

export const CheckpointEntries = z
  .object({
    checkpoint: Checkpoint.describe('The checkpoint.'),
    hashes: z
      .array(z.string())
      .describe(
        'The hashes that the entries have now, in hex: their Merkle root must be that of the checkpoint. Up to 10,000.',
      ),
  })
  .openapi('CheckpointEntries')

const Given = z.coerce.number().int().min(1).max(1e12)

/** @throws ApiError validation_failed */
function numberOf(text: string | undefined, name: string): number {
  const { data } = Given.safeParse(text ?? '1')
  if (data === undefined) throw new ApiError('validation_failed', [`${name}: must be a whole number, 1 or more`])
  return data
}

/** Runs a statement with a number on the gate's pool. @returns its JSON text */
async function ask(c: Context, statement: string, number: number): Promise<string> {
  const { gate } = c.get('services').pools
  const [row] = await gate.run((sql) => sql.unsafe<{ text: string }[]>(statement, [number]))
  return row?.text ?? ''
}

const LIST = 'select private.list_checkpoints($1::bigint)::text as text'
const GET = 'select private.get_checkpoint($1::bigint)::text as text'

const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'public, max-age=300' }

export function mountAudit(app: Hono<Env>): void {
  app.get(AUDIT, async (c) => {
    const page = JSON.parse(await ask(c, LIST, numberOf(c.req.query('from'), 'from')))
    const { pem } = c.get('services').auditKey
    const body: z.infer<typeof Checkpoints> = { about: HOW, key: pem, ...page }
    return send(c, JSON.stringify(body), 200, headers)
  })
  app.all(AUDIT, otherMethods(['GET']))
  app.get(`${AUDIT}/:number`, async (c) => {
    const text = await ask(c, GET, numberOf(c.req.param('number'), 'number'))
    return send(c, text, 200, headers)
  })
  app.all(`${AUDIT}/:number`, otherMethods(['GET']))
}
