// Whether the storage of media is set up as it must be: logged at the start, and told by /ready as warnings.
import { z } from 'zod'
import { type Config, mediaPlace } from './config.ts'
import { type Functions, failureOf } from './functions.ts'
import type { Log } from './log.ts'

/** How long a look holds. Milliseconds. Nothing limits who asks /ready, and a look is a dozen requests. */
const HOLDS = 60_000

const Looked = z.object({ warnings: z.array(z.string()) })

export type StorageWatch = {
  /** What the last look found. Begins another one where that is old, and waits for none. */
  warnings(): readonly string[]
}

export function createStorageWatch(config: Config, functions: Functions, log: Log): StorageWatch {
  let found: readonly string[] = []
  let begun = Number.NEGATIVE_INFINITY

  async function look(): Promise<void> {
    const now = await ask(config, functions).catch((failure: unknown) => {
      log.warn({ failure }, 'the storage of media cannot be looked at')
      return ['The storage of media does not answer as it should. The log says more.']
    })
    for (const warning of now) if (!found.includes(warning)) log.warn(warning)
    found = now
  }

  return {
    warnings() {
      if (config.storage && performance.now() - begun > HOLDS) {
        begun = performance.now()
        void look()
      }
      return found
    },
  }
}

async function ask(config: Config, functions: Functions): Promise<string[]> {
  const answer = await functions.invoke('media/look', { publicUrl: mediaPlace(config).url })
  if (!answer.ok) throw await failureOf('media', answer)
  return Looked.parse(await answer.json()).warnings
}
