// Asks a model on behalf of a person and checks its answers. It gets texts and returns texts; callers decide who may
// ask, how often, and what happens with the answer. It answers 401 to anyone but the service, 422 to invalid input, and
// 503 without a model.
// POST /ai/question {topic, turns} → 200, one JSON text per line: {text} while it arrives, then {question, tokens}
// POST /ai/interests {topic, answers, interests} → 200 {found: [{slug, confidence}], tokens}
// POST /ai/post {title?, body} → 200 {post: {title?, body, changes}, tokens}
// If the model gives no usable answer, the result is null and failure says why. tokens: the tokens used; null if
// unknown.
import type { Context, Hono } from 'hono'
import { z } from 'zod'
import { openDoors } from '../shared/doors.ts'
import { asQuestion, legible } from './legible.ts'
import { Failure, type Model } from './model.ts'
import { enhancing, mapping, questioning } from './prompts.ts'

const words = z.string().max(100_000)
const short = z.string().max(200)
const Questioned = z.object({
  topic: words,
  turns: z
    .array(z.object({ question: words, answer: words }))
    .min(1)
    .max(5),
})
const Mapped = z.object({
  topic: words,
  answers: z.array(words).max(5),
  interests: z.array(z.object({ slug: short, name: short })).max(200),
})
const Found = z.object({
  interests: z.array(z.object({ slug: z.string(), confidence: z.number().min(0).max(1) })).max(50),
})
const Post = z.object({ title: words.optional(), body: words })
const Enhanced = z.object({
  title: z.string().optional(),
  body: z.string(),
  changes: z.array(z.string()).max(20),
})

type AiEnvironment = {
  /** The secrets that may have signed the caller's token, HS256. */
  jwtSecrets: readonly string[]
  /** The model; undefined if none is configured. */
  model: Model | undefined
}

export function createAi({ jwtSecrets, model }: AiEnvironment): Hono {
  const { app, door } = openDoors('ai', jwtSecrets)
  if (!model) return app

  door('/question', Questioned, async (c, given) => {
    const gone = new AbortController()
    const signal = AbortSignal.any([c.req.raw.signal, gone.signal])
    return c.body(streamed(question(model, given, signal), gone), 200, { 'Content-Type': 'application/x-ndjson' })
  })
  door('/interests', Mapped, (c, given) => fill(c, 'found', model, mapping, given, Found, ({ interests }) => interests))
  door('/post', Post, (c, given) =>
    fill(c, 'post', model, enhancing(given.body), given, Enhanced, ({ title, body, changes }) => ({
      ...(given.title !== undefined && { title: legible(title ?? given.title).replace(/\s+/g, ' ') }),
      body: legible(body),
      changes: changes.map((change) => legible(change).slice(0, 200)),
    })),
  )
  return app
}

type Part = { text: string } | { question: string | null; tokens: number | null; failure?: string }

async function* question(
  model: Model,
  given: z.output<typeof Questioned>,
  signal: AbortSignal,
): AsyncGenerator<Part, void> {
  let text = ''
  try {
    const speech = model.speak(questioning, given, signal)
    for (;;) {
      const { value, done } = await speech.next()
      if (done) {
        const asked = asQuestion(text)
        return yield {
          question: asked,
          tokens: value,
          ...(asked === null && { failure: 'The answer was not a question.' }),
        }
      }
      text += value
      yield { text: legible(value) }
    }
  } catch (error) {
    yield { question: null, ...told(error) }
  }
}

async function fill<K extends string, T>(
  c: Context,
  name: K,
  model: Model,
  prompt: typeof mapping,
  given: unknown,
  form: z.ZodType<T>,
  read: (value: T) => unknown,
): Promise<Response> {
  try {
    const { value, tokens } = await model.fill(prompt, given, form, c.req.raw.signal)
    return c.json({ [name]: read(value), tokens })
  } catch (error) {
    return c.json({ [name]: null, ...told(error) })
  }
}

const told = (error: unknown) =>
  error instanceof Failure
    ? { tokens: error.tokens, failure: error.message }
    : { tokens: null, failure: 'The model could not be asked.' }

/** One line per part, produced as fast as it is read. When the reader disconnects, `gone` aborts the source. */
function streamed(parts: AsyncGenerator<unknown>, gone: AbortController): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await parts.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(`${JSON.stringify(value)}\n`))
    },
    cancel() {
      gone.abort()
    },
  })
}
