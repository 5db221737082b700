// Calls a model on behalf of a person: tokens are reserved before the call and settled after it. A call never throws;
// without a usable answer it returns null.
import { z } from 'zod'
import { bytesOf, type Form } from '../../../edge-functions/ai/prompts.ts'
import { call, callFor } from '../../lib/call.ts'
import type { Context } from '../../lib/context.ts'

const Reserved = z.object({ day: z.string().nullable() })
const Told = z.object({ tokens: z.int().min(0).nullable(), failure: z.string().optional() })

/** Logs that a model gave no usable answer, without the question. */
export function noteFailure(c: Context, path: string, error?: unknown): void {
  const { log } = c.get('services')
  log.warn({ id: c.get('requestId'), path, failure: error }, 'the model gave no usable answer')
}

/**
 * A signal that aborts when the given signal aborts or the facade stops. Call `done` at the end; otherwise the facade's
 * signal keeps the listener after the call.
 */
export function whileWanted(c: Context, signal: AbortSignal): { signal: AbortSignal; done(): void } {
  const { stopping } = c.get('services')
  const either = new AbortController()
  const end = () => either.abort()
  if (signal.aborted || stopping.aborted) end()
  // AbortSignal.any is not used, because its listeners stay as long as its longest-lived source.
  signal.addEventListener('abort', end)
  stopping.addEventListener('abort', end)
  return { signal: either.signal, done: () => stopping.removeEventListener('abort', end) }
}

/** The tokens of a call that the function rejected: 0 if the call never reached the model, null if that is unknown. */
export const untaken = ({ status }: Response) => ({
  tokens: status < 500 ? 0 : null,
  failure: `The function answered ${status}.`,
})

/**
 * Calls the model without streaming.
 * @param most the maximum number of tokens that the call may use
 * @returns null if there is no answer or the person has no tokens left
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

/**
 * The largest number of tokens that a call can use: each byte of the words is at most one token, `most` limits the
 * answer, and the instruction has less than 1000.
 */
export const mostTokens = (words: unknown, { most }: Form): number => bytesOf(JSON.stringify(words)) + most + 1000
