// The service worker of the web client, and whether there is a connection.
import { html, signal, type VNode } from '../lib/html.ts'
import { go } from '../lib/router.ts'
import { texts } from './texts.ts'

const isOffline = signal(!navigator.onLine)
for (const name of ['online', 'offline']) {
  addEventListener(name, () => {
    isOffline.value = !navigator.onLine
  })
}

export const OfflineNote = (): VNode =>
  html`<div role="status" class="offline">${isOffline.value && html`<p>${texts.value.offline.note}</p>`}</div>` as VNode

/** Browsers have service workers only at https addresses and at localhost. */
export const workers: ServiceWorkerContainer | undefined = navigator.serviceWorker

/** Registers the service worker, and opens the page that a clicked push is about. */
export async function startWorker(): Promise<void> {
  if (!workers) return
  workers.addEventListener('message', ({ data }) => {
    const { open } = data as { open?: string }
    if (open?.startsWith('/app/')) go(open)
  })
  // a browser may refuse the worker, for example in a private window; the client works without it
  await workers.register('/web/worker.js', { scope: '/app' }).catch(() => undefined)
}
