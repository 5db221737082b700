// Rules and privacy, as the operator wrote them.
import { ErrorNote } from '../../lib/errors.ts'
import { html } from '../../lib/html.ts'
import { textOf } from '../../lib/instance.ts'
import { useLoad } from '../../lib/load.ts'
import { sharedTexts } from '../../lib/shared-texts.ts'
import { Prose } from '../parts.ts'
import { texts } from '../texts.ts'

function OperatorText({ name }: { name: 'rules' | 'privacy' }) {
  const text = useLoad(() => textOf(name), [name])
  if (text.error.value) return html`<${ErrorNote} error=${text.error.value} />`
  if (text.data.value === undefined) return html`<p class="quiet">${sharedTexts.value.loading}</p>`
  return text.data.value === '' ? html`<p>${texts.value[name].none}</p>` : html`<${Prose} text=${text.data.value} />`
}

export const Rules = () => html`<${OperatorText} name="rules" />`
export const Privacy = () => html`<${OperatorText} name="privacy" />`
