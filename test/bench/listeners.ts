// The clients of realtime.ts, and the writer of the events that they receive. Both are in another thread, so that they
// take no time from the gateway and one clock measures everything.
import { parentPort, workerData } from 'node:worker_threads'
import postgres from 'postgres'
import { listenToFeed } from './realtime.ts'

export type Site = { urls: string[]; anonKey: string; token: string; databaseUrl: string }
/** Open this many sockets, or send this many events in one transaction and wait until every socket has them all. */
export type Work = { sockets: number } | { events: number }
/** When the statement was sent and answered, and when the first socket, half of them and the last received something. */
export type Sent = { begun: number; committed: number; first: number; half: number; last: number }

const AT_ONCE = 50

if (parentPort) {
  const port = parentPort
  const { urls, anonKey, token, databaseUrl } = workerData as Site
  const owner = postgres(databaseUrl, { max: 1, onnotice: () => {} })
  let sockets = 0
  let heard = 0
  let awaited = 0
  let sent: Sent = { begun: 0, committed: 0, first: 0, half: 0, last: 0 }
  let done = () => {}

  const hear = () => {
    if (++heard === 1) sent.first = performance.now()
    if (heard === Math.ceil(awaited / 2)) sent.half = performance.now()
    if (heard === awaited) {
      sent.last = performance.now()
      done()
    }
  }
  const open = async (count: number) => {
    while (sockets < count) {
      const more = Math.min(AT_ONCE, count - sockets)
      const next = Array.from({ length: more }, (_, n) => urls[(sockets + n) % urls.length] ?? '')
      await Promise.all(next.map((url) => listenToFeed(url, anonKey, token, hear)))
      sockets += more
    }
  }
  const send = async (events: number) => {
    heard = 0
    awaited = events * sockets
    const all = new Promise<void>((settle) => {
      done = settle
    })
    sent = { begun: performance.now(), committed: 0, first: 0, half: 0, last: 0 }
    await owner`select private.broadcast('feed:public', 'post', jsonb_build_object('id', n)) from generate_series(1, ${events}::int) n`
    sent.committed = performance.now()
    await all
  }
  port.on('message', async (work: Work) => {
    await ('sockets' in work ? open(work.sockets) : send(work.events))
    port.postMessage(sent)
  })
}
