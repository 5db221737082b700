// Who opened which post: noted in the process and counted in the database about once a second, so that no reader waits.
// The rule, whose openings count, is in sql/posts/36_views.sql.
import { encode } from './encode.ts'
import type { Log } from './log.ts'
import type { Pool } from './pool.ts'

export type Views = {
  /** Never fails, and nobody waits for what it writes. */
  note(post: string, viewer: string): void
  /** Counts what is still waiting; nothing may be noted after it. */
  close(): Promise<void>
}

/** How long an opening waits for others to be counted with. Milliseconds. */
const PERIOD = 1000
/** How many may wait; what comes on top while the database does not keep up is not counted. */
const CAPACITY = 10_000

const statement = 'select api.count_views($1::text::uuid[], $2::text::uuid[])'

export function createViews(gate: Pick<Pool, 'run'>, log: Log): Views {
  let posts: string[] = []
  let viewers: string[] = []
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()

  async function flush(): Promise<void> {
    timer = undefined
    if (posts.length === 0) return
    const batch = [encode(posts, 'uuid[]'), encode(viewers, 'uuid[]')]
    posts = []
    viewers = []
    // lost when it fails: nobody knows whether it ran, and to count twice would be worse
    await gate
      .run((sql) => sql.unsafe(statement, batch, { prepare: true }))
      .catch((failure: unknown) => log.warn({ failure }, 'views could not be counted'))
  }

  /** One batch after the other: while one is on its way the next gathers. */
  function start(): Promise<void> {
    running = running.then(flush)
    return running
  }

  return {
    note(post, viewer) {
      if (posts.length >= CAPACITY) return
      posts.push(post)
      viewers.push(viewer)
      timer ??= setTimeout(start, PERIOD).unref()
    },
    async close() {
      clearTimeout(timer)
      await start()
    },
  }
}
