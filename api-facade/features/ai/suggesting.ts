// Suggestions from a person's words, by a model or by a script: interests, and an improved post. Nothing is stored
// except the count of tokens.
import { z } from 'zod'
import { bytesOf, enhancing, mapping } from '../../../edge-functions/ai/prompts.ts'
import { type Answer, call, callFor } from '../../lib/call.ts'
import type { Context } from '../../lib/context.ts'
import { ask, mostTokens } from './model.ts'
import { repaired } from './repairs.ts'
import type { Draft } from './schemas.ts'

const Found = z.object({ found: z.array(z.object({ slug: z.string(), confidence: z.number() })) })
const Enhanced = z.object({
  post: z.object({
    title: z.string().max(300).regex(/\S/).optional(),
    body: z.string().regex(/\S/),
    changes: z.array(z.string()),
  }),
})

/** The largest post that a model gets, because the model would take too long for a larger one. Bytes. */
const LONGEST = 10_000

export async function mapInterests(c: Context, given: { id: string } | { sessionId: string }): Promise<Answer> {
  const p_session_id = 'id' in given ? given.id : given.sessionId
  if (!c.get('services').config.aiModel) return call(c, 'map_ai_interests', { p_session_id })
  const words = await callFor(c, 'find_ai_mapping', { p_session_id }, z.object({}).loose())
  const answer = await ask(c, 'ai/interests', words, mostTokens(words, mapping), Found)
  return call(c, 'map_ai_interests', { p_session_id, p_found: answer?.found, p_fallback: answer === null })
}

export async function enhancePost(c: Context, draft: z.output<typeof Draft>) {
  const script = { ...repaired(draft), backend: 'scripted', fallback: false }
  if (!c.get('services').config.aiModel || bytesOf(draft.body) > LONGEST) return script
  const answer = await ask(c, 'ai/post', draft, mostTokens(draft, enhancing(draft.body)), Enhanced)
  const post = answer?.post
  if (!post || post.body.length > 2 * draft.body.length + 1000) return { ...script, fallback: true }
  return { ...post, backend: 'llm', fallback: false }
}
