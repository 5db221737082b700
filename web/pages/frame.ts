// The frame of the pages for people: the name of the instance, the language, the page that the address names.
import { html, useEffect } from '../lib/html.ts'
import { path } from '../lib/router.ts'
import { sharedTexts } from '../lib/shared-texts.ts'
import { type Language, language, languages, setLanguage } from '../lib/texts.ts'
import { instance } from './instance.ts'
import { pages } from './pages.ts'
import { kith, me } from './session.ts'
import { texts } from './texts.ts'

export function Frame() {
  const t = texts.value
  const found = pages[path.value.replace(/\/$/, '').toLowerCase()]
  const title = found?.title(t) ?? t.frame.unknown
  useEffect(() => {
    document.title = `${title} – Kith`
  }, [title])
  const Page = found?.page
  const choose = (event: Event) => setLanguage((event.target as HTMLSelectElement).value as Language)
  return html`<header>
      <span class="brand">Kith <span class="quiet">${instance.value?.domain}</span></span>
      <label>
        <span class="hidden-label">${sharedTexts.value.language}</span>
        <select value=${language.value} onChange=${choose}>
          ${Object.entries(languages).map(([code, name]) => html`<option value=${code}>${name}</option>`)}
        </select>
      </label>
      ${me.value && html`<button class="secondary small" onClick=${() => kith.logOut()}>${t.frame.logOut}</button>`}
    </header>
    <main>
      <h1>${title}</h1>
      ${Page ? html`<${Page} />` : html`<p>${t.frame.unknownText}</p>`}
    </main>
    <footer>
      <nav aria-label=${t.frame.about}>
        <a href="/account">${t.account.title}</a>
        ${instance.value?.hasRules && html`<a href="/rules">${t.rules.title}</a>`}
        ${instance.value?.hasPrivacy && html`<a href="/privacy">${t.privacy.title}</a>`}
      </nav>
    </footer>`
}
