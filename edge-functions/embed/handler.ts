// Computes vectors of texts with the model of the stack's runtime. It answers 401 to anyone but the service, 422 to
// invalid input, and 503 if the runtime has no model, or the model fails.
// POST /embed {texts} → 200 {model, vectors}
import type { Hono } from 'hono'
import { z } from 'zod'
import { openDoors } from '../shared/doors.ts'

/** A model of Supabase's runtime. */
export type Session = {
  run(text: string, options: { mean_pool: boolean; normalize: boolean }): Promise<ArrayLike<number>>
}
type EmbedEnvironment = {
  /** The secrets that may have signed the caller's token, HS256. */
  jwtSecrets: readonly string[]
  /** Opens a model of the runtime; undefined if the runtime has none. */
  open?(model: string): Session
}

const MODEL = 'gte-small'

const Form = z.object({ texts: z.array(z.string().min(1).max(2000)).min(1).max(32) })

export function createEmbed({ jwtSecrets, open }: EmbedEnvironment): Hono {
  const { app, door } = openDoors('embed', jwtSecrets)
  let session: Session | undefined
  door('/', Form, async (c, { texts }) => {
    if (!open) throw new Error('There is no model here.')
    session ??= open(MODEL)
    const vectors: number[][] = []
    for (const text of texts) vectors.push(Array.from(await session.run(text, { mean_pool: true, normalize: true })))
    return c.json({ model: MODEL, vectors })
  })
  return app
}
