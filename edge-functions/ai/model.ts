// A language model, by Anthropic's API. Every error is a Failure with the reason and the tokens used, without the
// texts.
import Anthropic from '@anthropic-ai/sdk'
import { z } from 'zod'
import type { Form } from './prompts.ts'

export type Model = {
  /** Streams the answer of the model, and returns the number of tokens at the end. @throws Failure */
  speak(prompt: { system: string; most: number }, words: unknown, signal: AbortSignal): AsyncGenerator<string, number>
  /** Lets the model fill in a form. @throws Failure */
  fill<T>(prompt: Form, words: unknown, form: z.ZodType<T>, signal: AbortSignal): Promise<{ value: T; tokens: number }>
}

export class Failure extends Error {
  /** The tokens used; null if unknown. */
  readonly tokens: number | null

  constructor(message: string, tokens: number | null) {
    super(message)
    this.name = 'Failure'
    this.tokens = tokens
  }
}

type ModelOptions = {
  apiKey: string
  model: string
  /** Seconds until the first word of the model, including retries. A whole answer can take three times as long. */
  patience: number
  baseUrl?: string | undefined
}

type Usage = Pick<Anthropic.Usage, 'input_tokens' | 'cache_creation_input_tokens' | 'cache_read_input_tokens'>
const taken = (usage: Usage): number =>
  usage.input_tokens + (usage.cache_creation_input_tokens ?? 0) + (usage.cache_read_input_tokens ?? 0)

export function anthropic({ apiKey, model, patience, baseUrl }: ModelOptions): Model {
  const client = new Anthropic({
    apiKey,
    authToken: null,
    baseURL: baseUrl ?? 'https://api.anthropic.com',
    maxRetries: 1,
    timeout: 3000 * patience,
    logLevel: 'off',
  })
  const said = (prompt: { system: string; most: number }, words: unknown) => ({
    model,
    max_tokens: prompt.most,
    system: prompt.system,
    messages: [{ role: 'user' as const, content: JSON.stringify(words) }],
  })

  return {
    async *speak(prompt, words, signal) {
      const first = new AbortController()
      const clock = setTimeout(() => first.abort(), 1000 * patience)
      const ends = AbortSignal.any([signal, first.signal, AbortSignal.timeout(3000 * patience)])
      let [input, output, characters]: [number | null, number | null, number] = [null, null, 0]
      let reason: string | null = null
      try {
        const events = await client.messages.create({ ...said(prompt, words), stream: true }, { signal: ends })
        for await (const event of events) {
          if (event.type === 'message_start') input = taken(event.message.usage)
          if (event.type === 'message_delta') {
            output = event.usage.output_tokens
            reason = event.delta.stop_reason
          }
          if (event.type !== 'content_block_delta' || event.delta.type !== 'text_delta') continue
          clearTimeout(clock)
          characters += event.delta.text.length
          yield event.delta.text
        }
        // A truncated answer has no reason, and an abort ends it without an error.
        if (reason !== 'end_turn' || input === null || output === null) throw new Error('The answer was cut off.')
        return input + output
      } catch (error) {
        // The output of a truncated answer is estimated, rather too high than too low.
        const known = input === null ? unanswered(error) : input + (output ?? Math.ceil(characters / 2))
        throw new Failure(reason ? `The model stopped by ${reason}.` : reasonOf(error), known)
      } finally {
        clearTimeout(clock)
      }
    },

    async fill(prompt, words, form, signal) {
      const { name, description } = prompt
      const input_schema = z.toJSONSchema(form) as Anthropic.Tool.InputSchema
      const ends = AbortSignal.any([signal, AbortSignal.timeout(2500 * patience)])
      const tools = { tools: [{ name, description, input_schema }], tool_choice: { type: 'tool' as const, name } }
      const answer = await client.messages
        .create({ ...said(prompt, words), ...tools }, { signal: ends })
        .catch((error: unknown) => {
          throw new Failure(reasonOf(error), unanswered(error))
        })
      const tokens = taken(answer.usage) + answer.usage.output_tokens
      const filled = answer.content.find((block) => block.type === 'tool_use')
      const checked = form.safeParse(filled?.input)
      if (answer.stop_reason !== 'tool_use') throw new Failure(`The model stopped by ${answer.stop_reason}.`, tokens)
      if (!checked.success) throw new Failure('The model filled in the form incorrectly.', tokens)
      return { value: checked.data, tokens }
    },
  }
}

/** The tokens of a call without an answer: 0 if it was refused or never arrived, otherwise unknown. */
function unanswered(error: unknown): number | null {
  if (error instanceof Anthropic.APIUserAbortError || error instanceof Anthropic.APIConnectionTimeoutError) return null
  return error instanceof Anthropic.APIError ? 0 : null
}

function reasonOf(error: unknown): string {
  if (error instanceof Anthropic.APIUserAbortError || error instanceof Anthropic.APIConnectionTimeoutError)
    return 'The model was too slow, or nobody waited.'
  if (error instanceof Anthropic.APIError && error.status) return `The model answered with status ${error.status}.`
  return error instanceof Anthropic.APIConnectionError ? 'The model could not be reached.' : 'The answer was cut off.'
}
