// Asking a model in a person's name: tokens are reserved before, and settled when it is known what it took. It never
// fails: without an answer of use there is none.
import { z } from 'zod'
import { bytesOf, type Form } from '../../../edge-functions/ai/prompts.ts'
import { call, callFor } from '../../lib/call.ts'
import type { Context } from '../../lib/context.ts'

const Reserved = z.object({ day: z.string().nullable() })
const Told = z.object({ tokens: z.int().min(0).nullable(), failure: z.string().optional() })

/** Says that a model was of no avail, and nothing of what it was asked. */
export function noteFailure(c: Context, path: string, error?: unknown): void {
  const { log } = c.get('services')
  log.warn({ id: c.get('requestId'), path, failure: error }, 'the model was of no avail')
}

/** A signal that aborts with this one, or when the facade stops; call `done` at the end, since the facade goes on. */
export function whileWanted(c: Context, signal: AbortSignal): { signal: AbortSignal; done(): void } {
  const { stopping } = c.get('services')
  const either = new AbortController()
  const end = () => either.abort()
  if (signal.aborted || stopping.aborted) end()
  // not AbortSignal.any: what listens to one of these is kept for as long as its longest source
  signal.addEventListener('abort', end)
  stopping.addEventListener('abort', end)
  return { signal: either.signal, done: () => stopping.removeEventListener('abort', end) }
}

/** What is known of a call that the function did not take: one that it never had took nothing. */
export const untaken = ({ status }: Response) => ({
  tokens: status < 500 ? 0 : null,
  failure: `The function answered ${status}.`,
})

/**
 * Asks for what is no stream.
 * @param most how many tokens it may take
 * @returns null where it has no answer, or the person no tokens left
 */
export async function ask<T>(
  c: Context,
  path: string,
  words: unknown,
  most: number,
  form: z.ZodType<T>,
): Promise<T | null> {
  const { config, functions } = c.get('services')
  const budget = { p_tokens: most, p_budget: config.aiDailyTokens }
  const { day } = await callFor(c, 'reserve_ai_tokens', budget, Reserved, 'gate')
  if (day === null) return null
  let given: unknown = null
  const wanted = whileWanted(c, c.req.raw.signal)
  try {
    const answer = await functions.invoke(path, words, { signal: wanted.signal })
    given = answer.ok ? await answer.json() : untaken(answer)
  } catch (error) {
    noteFailure(c, path, error)
  } finally {
    wanted.done()
  }
  const { tokens, failure } = Told.catch({ tokens: null }).parse(given)
  await call(c, 'settle_ai_tokens', { p_day: day, p_reserved: most, p_used: tokens }, 'gate')
  const read = form.safeParse(given)
  if (given !== null && !read.success) noteFailure(c, path, failure)
  return read.success ? read.data : null
}

/** The most tokens that words and a form that is filled in by them can take; the instruction is less than a thousand. */
export const mostTokens = (words: unknown, { most }: Form): number => bytesOf(JSON.stringify(words)) + most + 1000
