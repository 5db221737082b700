// The page for no connection, which the service worker keeps.
import { html, render } from '../lib/html.ts'
import { language } from '../lib/texts.ts'
import { texts } from './texts.ts'

addEventListener('online', () => location.reload())

const Offline = () => {
  const t = texts.value.offline
  document.title = t.title
  return html`<main class="alone" lang=${language.value}>
    <h1>${t.title}</h1>
    <p>${t.text}</p>
    <button onClick=${() => location.reload()}>${t.retry}</button>
  </main>`
}

render(html`<${Offline} />`, document.body)
