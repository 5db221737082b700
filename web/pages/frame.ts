// The frame of the pages for people: the name of the instance, the language, the page that the address names.
import { html, useEffect } from '../lib/html.ts'
import { instance } from '../lib/instance.ts'
import { LanguageChoice } from '../lib/language.ts'
import { path } from '../lib/router.ts'
import { sharedTexts } from '../lib/shared-texts.ts'
import { pages } from './pages.ts'
import { isRestored, kith, me } from './session.ts'
import { texts } from './texts.ts'

export function Frame() {
  const t = texts.value
  const found = Object.entries(pages).find(([at]) => at === path.value.replace(/\/$/, '').toLowerCase())?.[1]
  const title = found?.title(t) ?? t.frame.unknown
  useEffect(() => {
    document.title = `${title} – Kith`
  }, [title])
  const Page = found?.page
  return html`<header>
      <span class="brand">Kith <span class="quiet">${instance.value?.domain}</span></span>
      <${LanguageChoice} />
      ${me.value && html`<button class="secondary small" onClick=${() => kith.logOut()}>${t.frame.logOut}</button>`}
    </header>
    <main>
      <h1>${title}</h1>
      ${!isRestored.value ? html`<p class="quiet" role="status">${sharedTexts.value.loading}</p>` : Page ? html`<${Page} />` : html`<p>${t.frame.unknownText}</p>`}
    </main>
    <footer>
      <nav aria-label=${t.frame.about}>
        <a href="/account">${t.account.title}</a>
        ${instance.value?.hasRules && html`<a href="/rules">${t.rules.title}</a>`}
        ${instance.value?.hasPrivacy && html`<a href="/privacy">${t.privacy.title}</a>`}
      </nav>
    </footer>`
}
