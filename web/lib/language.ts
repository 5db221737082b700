import { html, type VNode } from './html.ts'
import { sharedTexts } from './shared-texts.ts'
import { type Language, language, languages, setLanguage } from './texts.ts'

/** The choice of the language, for the header of a part. */
export function LanguageChoice(): VNode {
  const choose = (event: Event) => setLanguage((event.target as HTMLSelectElement).value as Language)
  return html`<label>
    <span class="hidden-label">${sharedTexts.value.language}</span>
    <select value=${language.value} onChange=${choose}>
      ${Object.entries(languages).map(([code, name]) => html`<option value=${code}>${name}</option>`)}
    </select>
  </label>` as VNode
}
