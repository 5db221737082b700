// A server for the real SDK that implements Anthropic's Messages API including streams. Each test decides what the
// server answers and how it fails.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { listen } from './functions.ts'

type Asked = {
  system: string
  max_tokens: number
  messages: { role: string; content: string }[]
  stream?: boolean
  tools?: { name: string }[]
  headers: IncomingMessage['headers']
  /** Whether the caller disconnected before the end. */
  gone: boolean
}
/** A function that answers one request. */
type Turn = (answer: ServerResponse) => void | Promise<void>

const usage = { input_tokens: 100, output_tokens: 1 }
const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'a-model', stop_sequence: null }

const event = (answer: ServerResponse, type: string, more: object) =>
  answer.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`)
const open = (answer: ServerResponse) => {
  answer.writeHead(200, { 'content-type': 'text/event-stream' })
  event(answer, 'message_start', { message: { ...message, content: [], stop_reason: null, usage } })
  event(answer, 'content_block_start', { index: 0, content_block: { type: 'text', text: '' } })
}
const bit = (answer: ServerResponse, text: string) =>
  event(answer, 'content_block_delta', { index: 0, delta: { type: 'text_delta', text } })
const close = (answer: ServerResponse, stop_reason: string) => {
  event(answer, 'content_block_stop', { index: 0 })
  event(answer, 'message_delta', { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 20 } })
  event(answer, 'message_stop', {})
  answer.end()
}

/** Streams these parts of a text. The answer counts 120 tokens. */
export const says =
  (bits: string[], stopReason = 'end_turn'): Turn =>
  (answer) => {
    open(answer)
    for (const text of bits) bit(answer, text)
    close(answer, stopReason)
  }
/** Streams the first part, and the others after `released` resolves. */
export const saysSlowly =
  (bits: [string, ...string[]], released: Promise<unknown>): Turn =>
  async (answer) => {
    open(answer)
    bit(answer, bits[0])
    await released
    for (const text of bits.slice(1)) bit(answer, text)
    close(answer, 'end_turn')
  }
/** Streams one part and then fails: by a cut connection, a missing end, or an error in the stream. */
export const breaksOff =
  (how: 'cut' | 'ended' | 'overloaded'): Turn =>
  (answer) => {
    open(answer)
    bit(answer, 'What if')
    if (how === 'overloaded') event(answer, 'error', { error: { type: 'overloaded_error', message: 'Overloaded' } })
    if (how === 'cut') setImmediate(() => answer.destroy())
    else answer.end()
  }
/** Rejects with a status, and allows an immediate retry. */
export const refuses =
  (status: 429 | 529 | 401): Turn =>
  (answer) => {
    answer
      .writeHead(status, { 'content-type': 'application/json', 'retry-after-ms': '1' })
      .end(JSON.stringify({ type: 'error', error: { type: 'api_error', message: 'Not now.' } }))
  }
export const saysNothing: Turn = () => {}
/** Returns structured output. The answer counts 150 tokens. */
export const fills =
  (input: unknown): Turn =>
  (answer) => {
    const content = [{ type: 'tool_use', id: 'toolu_1', name: 'a-form', input }]
    const body = { ...message, content, stop_reason: 'tool_use', usage: { ...usage, output_tokens: 50 } }
    answer.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }

/** Call it at the top of a file. Each request consumes the next turn, and the last turn is repeated. */
export async function modelServer() {
  const asked: Asked[] = []
  let turns: Turn[] = []
  const url = await listen(async (request, answer) => {
    const body: Omit<Asked, 'headers' | 'gone'> = JSON.parse(Buffer.concat(await request.toArray()).toString())
    const one: Asked = { ...body, headers: request.headers, gone: false }
    asked.push(one)
    answer.on('close', () => {
      one.gone = !answer.writableEnded
    })
    await ((turns.length > 1 ? turns.shift() : turns[0]) ?? saysNothing)(answer)
  })
  return {
    url,
    asked,
    /** Sets the next turns, and deletes earlier requests. */
    will(...next: Turn[]) {
      turns = next
      asked.length = 0
    },
  }
}
