// The service worker of the web client. It keeps the static files of one digest and the offline page, but no answer of
// the API, and shows pushes. The facade serves it at /web/worker.js with `known` in its first line.
declare const known: {
  /** The path of the folder with the files. The folder is named by the digest of all files. */
  base: string
  /** The address of the offline page. */
  offline: string
  /** The addresses of the files to keep. */
  places: string[]
}

// the types of a page say nothing about workers
type Extended = Event & { waitUntil(work: Promise<unknown>): void }
type Fetched = Event & { request: Request; respondWith(answer: Promise<Response>): void }
type Pushed = Extended & { data: { json(): Push } | null }
type Clicked = Extended & { notification: Notification & { data: Push['data'] } }
type Push = {
  title: string
  body: string
  badge: number
  collapseId: string
  data: { path: string; target: { type: string; id: string } | null }
}
type Tab = { url: string; focus(): Promise<Tab>; postMessage(message: unknown): void }
type Worker = {
  addEventListener<E>(type: string, handle: (event: E) => void): void
  skipWaiting(): Promise<void>
  registration: ServiceWorkerRegistration
  clients: {
    claim(): Promise<void>
    matchAll(options: { type: 'window'; includeUncontrolled: boolean }): Promise<Tab[]>
    openWindow(url: string): Promise<unknown>
  }
}
const worker = self as unknown as Worker
const name = `kith ${known.base}`

worker.addEventListener<Extended>('install', (event) => {
  const keep = async () => {
    const cache = await caches.open(name)
    await cache.addAll([known.offline, ...known.places])
    await worker.skipWaiting()
  }
  event.waitUntil(keep())
})

worker.addEventListener<Extended>('activate', (event) => {
  const clean = async () => {
    const others = (await caches.keys()).filter((one) => one.startsWith('kith ') && one !== name)
    await Promise.all(others.map((one) => caches.delete(one)))
    await worker.clients.claim()
  }
  event.waitUntil(clean())
})

const kept = async (address: string): Promise<Response> => (await caches.match(address)) ?? Response.error()

worker.addEventListener<Fetched>('fetch', (event) => {
  const { request } = event
  if (known.places.includes(new URL(request.url).pathname)) {
    event.respondWith(caches.match(request).then((found) => found ?? fetch(request)))
  } else if (request.mode === 'navigate') {
    event.respondWith(fetch(request).catch(() => kept(known.offline)))
  }
})

worker.addEventListener<Pushed>('push', (event) => {
  const push = event.data?.json()
  if (!push) return
  const { title, body, badge, collapseId: tag, data } = push
  const { setAppBadge } = navigator as { setAppBadge?: (count: number) => Promise<void> }
  void setAppBadge?.call(navigator, badge).catch(() => undefined)
  const icon = `${known.base}app/icon-192.png`
  event.waitUntil(worker.registration.showNotification(title, { body, tag, data, icon }))
})

worker.addEventListener<Clicked>('notificationclick', (event) => {
  event.notification.close()
  const { path, target } = event.notification.data
  const query = new URLSearchParams({ path, ...(target && { type: target.type, id: target.id }) })
  const to = `/app/open?${query}`
  const show = async () => {
    const tabs = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true })
    const open = tabs.find(({ url }) => /^\/app(\/|$)/.test(new URL(url).pathname))
    if (!open) return worker.clients.openWindow(to)
    // a message opens the page, because a navigation would end a session that is only in memory
    open.postMessage({ open: to })
    return open.focus()
  }
  event.waitUntil(show())
})
