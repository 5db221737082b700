// Answers a question when a model asks the next one: sends server-sent events while the model writes. The person's
// answer is stored before the model is called. The next question is stored when it is complete. docs/decisions.md, AI.
import { z } from 'zod'
import { type Answer, call, callFor } from '../../lib/call.ts'
import type { Context } from '../../lib/context.ts'
import { errorAnswer, toApiError } from '../../lib/errors.ts'
import { send } from '../../lib/headers.ts'
import { noteFailure, untaken, whileWanted } from './model.ts'
import type { NewAnswer } from './schemas.ts'

const Begun = z.object({
  session: z.unknown(),
  ask: z.object({ topic: z.string(), turns: z.array(z.unknown()) }).nullable(),
  lease: z.record(z.string(), z.unknown()),
})
const Line = z.union([
  z.object({ text: z.string() }),
  z.object({ question: z.string().nullable(), tokens: z.int().nullable(), failure: z.string().optional() }),
])

type Given = z.output<typeof NewAnswer> & ({ id: string } | { sessionId: string })

export async function answer(c: Context, given: Given): Promise<Answer | Response> {
  const session = 'id' in given ? given.id : given.sessionId
  const parameters = { p_session_id: session, p_answer: given.answer, p_position: given.position }
  const { aiModel, aiDailyTokens } = c.get('services').config
  if (!aiModel) return call(c, 'answer_ai_session', parameters)
  // Called before the first byte is sent, so that an error is still a normal error answer.
  const begun = await callFor(c, 'begin_ai_answer', { ...parameters, p_budget: aiDailyTokens }, Begun, 'gate')
  const gone = new AbortController()
  // Without this header, a proxy that buffers answers would hold back the events.
  const headers = { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' }
  return send(c, streamed(events(c, session, begun, gone.signal), gone), 200, headers)
}

/**
 * What the model writes, piece by piece, then the session with the final question. If the facade stops, the final
 * question is from the script.
 */
async function* events(
  c: Context,
  session: string,
  { ask, lease, ...begun }: z.output<typeof Begun>,
  gone: AbortSignal,
): AsyncGenerator<string, void> {
  if (ask === null) return yield done(JSON.stringify(begun.session))
  let said: { p_question?: string | null; p_used?: number | null } = {}
  let finished = false
  const wanted = whileWanted(c, gone)
  const finish = () => {
    finished = true
    return call(c, 'finish_ai_answer', { p_session_id: session, ...lease, ...said, p_gone: gone.aborted }, 'gate')
  }
  try {
    for await (const line of lines(c, ask, wanted.signal)) {
      if ('text' in line) yield `data: ${JSON.stringify(line)}\n\n`
      else said = { p_question: line.question, p_used: line.tokens }
      if ('failure' in line) noteFailure(c, 'ai/question', line.failure)
    }
    yield done((await finish()).body)
  } catch (error) {
    // For example, the token has expired. The status is already sent, so the error is an event.
    noteFailure(c, 'ai/question', error)
    yield `event: error\ndata: ${errorAnswer(toApiError(error)).body}\n\n`
  } finally {
    wanted.done()
    // The client has disconnected. The next answer continues from here.
    if (!finished) await finish().catch((error: unknown) => noteFailure(c, 'ai/question', error))
  }
}

const done = (session: string | null): string => `event: done\ndata: ${session}\n\n`

/** The lines that the function sends. Ends when the function ends or fails. */
async function* lines(c: Context, words: unknown, signal: AbortSignal): AsyncGenerator<z.output<typeof Line>> {
  try {
    const answered = await c.get('services').functions.invoke('ai/question', words, { signal })
    if (!answered.ok) return yield { question: null, ...untaken(answered) }
    let rest = ''
    for await (const piece of (answered.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      const parts = (rest + piece).split('\n')
      rest = parts.pop() ?? ''
      for (const part of parts) yield Line.parse(JSON.parse(part))
    }
  } catch (error) {
    if (!signal.aborted) noteFailure(c, 'ai/question', error)
  }
}

/** Sends as fast as the client reads. When the client disconnects, `gone` aborts the call to the model. */
function streamed(parts: AsyncGenerator<string>, gone: AbortController): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await parts.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    async cancel() {
      gone.abort()
      await parts.return(undefined)
    },
  })
}
