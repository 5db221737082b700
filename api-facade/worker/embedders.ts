// Embedders compute vectors of texts: a model that is part of Kith, in a separate process, or the model of the edge
// runtime, by the function `embed`. docs/decisions.md, Embeddings.
import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { z } from 'zod'
import type { Config } from '../lib/config.ts'
import type { Functions } from '../lib/functions.ts'

export type Embedder = {
  /** The name of the model. It is stored with each vector; vectors of different models are never compared. */
  model: string
  /** Computes a vector for each text. @throws Error if that is not possible now */
  embed(texts: string[]): Promise<number[][]>
  /** Stops the process of the model, if it runs. */
  stop(): Promise<void>
}

/** Opens the configured embedder; undefined if embeddings are off. */
export function openEmbedder({ embeddings }: Config, functions: Functions): Embedder | undefined {
  if (embeddings === 'off') return undefined
  return embeddings === 'edge' ? edgeEmbedder(functions) : offlineEmbedder()
}

const Answer = z.object({ model: z.literal('gte-small'), vectors: z.array(z.array(z.number()).length(384)) })

export function edgeEmbedder(functions: Functions): Embedder {
  return {
    model: 'gte-small',
    async embed(texts) {
      const answer = await functions.invoke('embed', { texts })
      if (!answer.ok) throw new Error(`embed answered ${answer.status}`)
      const { vectors } = Answer.parse(await answer.json())
      if (vectors.length !== texts.length) throw new Error('embed answered other texts')
      return vectors
    },
    stop: async () => {},
  }
}

/** How long the model's process stays idle before it ends. Milliseconds. */
const IDLE = 60_000
/** The timeout of the process: even on a busy machine it needs only seconds. Milliseconds. */
const PATIENCE = 240_000

type Reply = { vectors: number[][] } | { error: string }

/**
 * The model runs in a process, not in a thread: a thread would delay requests of the facade, and would not release all
 * its memory. It starts with the first text.
 */
export function offlineEmbedder(idle = IDLE): Embedder {
  let child: ChildProcess | undefined
  let clock: NodeJS.Timeout | undefined
  let turn: Promise<unknown> = Promise.resolve()

  const ask = (texts: string[]) =>
    new Promise<number[][]>((done, fail) => {
      clearTimeout(clock)
      const process = child ?? start()
      const late = setTimeout(() => process.kill('SIGKILL'), PATIENCE)
      const settle = (work: () => void) => {
        process.off('message', answered)
        process.off('exit', gone)
        process.off('error', gone)
        clearTimeout(late)
        clock = setTimeout(() => {
          child = undefined // A text that arrives while the process ends starts a new process.
          process.kill()
        }, idle)
        clock.unref()
        work()
      }
      const answered = (reply: Reply) =>
        settle(() => ('vectors' in reply ? done(reply.vectors) : fail(new Error(reply.error))))
      const gone = () => settle(() => fail(new Error('the process of the model has ended')))
      process.on('message', answered).on('exit', gone).on('error', gone)
      process.send(texts, (error) => error && gone())
    })

  function start(): ChildProcess {
    const started = fork(join(import.meta.dirname, 'model.ts'), { execArgv: [], serialization: 'advanced' })
    started.on('error', () => {}) // The event `exit` also follows, and rejects the callers.
    started.once('exit', () => {
      if (child === started) child = undefined
    })
    child = started
    return started
  }

  return {
    model: 'energetic-en-0.2.0',
    embed(texts) {
      // Requests are sent one at a time, because a reply does not name its request.
      const made = turn.then(() => ask(texts))
      turn = made.catch(() => {})
      return made
    },
    async stop() {
      clearTimeout(clock)
      const process = child
      if (!process || process.exitCode !== null || process.signalCode !== null) return
      await new Promise((ended) => {
        process.once('exit', ended)
        process.kill()
      })
    },
  }
}
