// Views of posts: collected in memory and counted in the database about once a second, so that no reader waits.
// sql/posts/36_views.sql decides which views count.
import { encode } from './encode.ts'
import type { Log } from './log.ts'
import type { Pool } from './pool.ts'

export type Views = {
  /** Notes a view. It never fails, and its write is not awaited. */
  note(post: string, viewer: string): void
  /** Counts the remaining views. Call `note` no more afterwards. */
  close(): Promise<void>
}

/** How long a view waits to be counted together with others. Milliseconds. */
const PERIOD = 1000
/** How many views can wait. Further views are not counted while the database is too slow. */
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
    // A batch that fails is lost. It may have run, and counting it twice would be worse.
    await gate
      .run((sql) => sql.unsafe(statement, batch, { prepare: true }))
      .catch((failure: unknown) => log.warn({ failure }, 'cannot count views'))
  }

  /** Writes one batch at a time. While a batch is written, views are collected for the next one. */
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
