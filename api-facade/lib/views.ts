// Views of posts: collected in memory and counted in the database about once a second, so that no reader waits.
// sql/posts/36_views.sql decides which views count.
import { encode } from './encode.ts'
import type { Log } from './log.ts'
import type { Pool } from './pool.ts'

export type Views = {
  /** Never fails; its write is not awaited. */
  note(post: string, viewer: string): void
  /** Counts the rest. Nothing may be collected afterwards. */
  close(): Promise<void>
}

/** How long a view waits to be counted together with others. Milliseconds. */
const PERIOD = 1000
/** How many can wait; further views are not counted while the database is too slow. */
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
    // a batch that fails is lost: nobody knows whether it ran, and counting it twice would be worse
    await gate
      .run((sql) => sql.unsafe(statement, batch, { prepare: true }))
      .catch((failure: unknown) => log.warn({ failure }, 'cannot count views'))
  }

  /** One batch at a time: while one is being written, the next one collects. */
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
