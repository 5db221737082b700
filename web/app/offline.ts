// The page that is shown without a connection. The service worker keeps it.
import { html, render } from '../lib/html.ts'
import { language } from '../lib/texts.ts'
import { texts } from './texts.ts'

/** How often the page checks whether there is a connection again, in milliseconds. */
const PAUSE = 5000

const back = () => location.reload()
addEventListener('online', back)
// a browser notices a lost network, but not that the instance was unreachable
setInterval(() => fetch('/web/instance.json').then(back, () => undefined), PAUSE)

const Offline = () => {
  const t = texts.value.offline
  document.title = t.title
  return html`<main class="alone" lang=${language.value}>
    <h1>${t.title}</h1>
    <p>${t.text}</p>
    <button onClick=${back}>${t.retry}</button>
  </main>`
}

render(html`<${Offline} />`, document.body)
