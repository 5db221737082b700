// Checks the setup of the media storage: logged at the start, and reported by /ready as warnings.
import { z } from 'zod'
import { type Config, mediaPlace } from './config.ts'
import { type Functions, failureOf } from './functions.ts'
import type { Log } from './log.ts'

/** How long a result is cached, in milliseconds: /ready has no limit, and a check is a dozen requests. */
const HOLDS = 60_000

const Looked = z.object({ warnings: z.array(z.string()) })

export type StorageWatch = {
  /** The result of the last check. Starts another one if it is old, but does not wait for it. */
  warnings(): readonly string[]
}

export function createStorageWatch(config: Config, functions: Functions, log: Log): StorageWatch {
  let found: readonly string[] = []
  let begun = Number.NEGATIVE_INFINITY

  async function look(): Promise<void> {
    const now = await ask(config, functions).catch((failure: unknown) => {
      log.warn({ failure }, 'cannot check the media storage')
      return ['The media storage does not work correctly. The log says more.']
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
