// The clients of realtime.ts, and who writes what they hear: a thread of its own, so that they take no time of the
// gateway's, and one clock for all that they see.
import { parentPort, workerData } from 'node:worker_threads'
import postgres from 'postgres'
import { listenToFeed } from './realtime.ts'

export type Site = { url: string; anonKey: string; token: string; databaseUrl: string }
/** To have so many sockets; or to send so many events in one transaction, and to wait until all sockets have all. */
export type Work = { sockets: number } | { events: number }
/** When the statement was sent and when answered, and when the first and the last socket heard something. */
export type Sent = { begun: number; committed: number; first: number; last: number }

const AT_ONCE = 50

if (parentPort) {
  const port = parentPort
  const { url, anonKey, token, databaseUrl } = workerData as Site
  const owner = postgres(databaseUrl, { max: 1, onnotice: () => {} })
  let sockets = 0
  let heard = 0
  let awaited = 0
  let sent: Sent = { begun: 0, committed: 0, first: 0, last: 0 }
  let done = () => {}

  const hear = () => {
    if (++heard === 1) sent.first = performance.now()
    if (heard === awaited) {
      sent.last = performance.now()
      done()
    }
  }
  const open = async (count: number) => {
    while (sockets < count) {
      const more = Math.min(AT_ONCE, count - sockets)
      await Promise.all(Array.from({ length: more }, () => listenToFeed(url, anonKey, token, hear)))
      sockets += more
    }
  }
  const send = async (events: number) => {
    heard = 0
    awaited = events * sockets
    const all = new Promise<void>((settle) => {
      done = settle
    })
    sent = { begun: performance.now(), committed: 0, first: 0, last: 0 }
    await owner`select private.broadcast('feed:public', 'post', jsonb_build_object('id', n)) from generate_series(1, ${events}::int) n`
    sent.committed = performance.now()
    await all
  }
  port.on('message', async (work: Work) => {
    await ('sockets' in work ? open(work.sockets) : send(work.events))
    port.postMessage(sent)
  })
}
