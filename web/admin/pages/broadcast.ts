import type { Schema } from 'kith/client'
import { ask, FormField, valuesOf } from '../../lib/dialog.ts'
import { ErrorNote, notify } from '../../lib/errors.ts'
import { html, useRef, useSignal } from '../../lib/html.ts'
import { dotted, numberText } from '../../lib/texts.ts'
import { kith } from '../session.ts'
import { texts } from '../texts.ts'

export function Broadcast() {
  const t = texts.value.broadcast
  const form = useRef<HTMLFormElement>(null)
  const preview = useSignal<Schema<'BroadcastPreview'> | undefined>(undefined)
  const error = useSignal<unknown>(undefined)
  const show = async (event: SubmitEvent) => {
    event.preventDefault()
    const { title = '', body = '' } = valuesOf(event.target as HTMLFormElement)
    error.value = undefined
    try {
      preview.value = await kith.post('/admin/broadcast/preview', { body: { title, body } })
    } catch (failure) {
      error.value = failure
    }
  }
  const send = ({ title, body, recipients }: Schema<'BroadcastPreview'>) => {
    const count = numberText(recipients)
    ask({ title: t.sendTo(count), text: t.sendText(count), action: t.send, isDangerous: true }, async () => {
      await kith.post('/admin/broadcast', { body: { title, body } })
      preview.value = undefined
      form.current?.reset()
      notify(t.sent(count))
    })
  }
  const forget = () => {
    preview.value = undefined
  }
  const made = preview.value
  return html`<p class="quiet">${t.about}</p>
    <div class="columns">
      <form ref=${form} onSubmit=${show} onInput=${forget}>
        <${FormField} field=${{ name: 'title', label: t.subject, max: 100 }} />
        <${FormField} field=${{ name: 'body', label: t.body, kind: 'long', max: 1000 }} />
        <${ErrorNote} error=${error.value} />
        <button class="secondary">${t.preview}</button>
      </form>
      <section aria-live="polite">
        <h2>${t.preview}</h2>
        ${
          made
            ? html`<article class="preview">
                  <h3 class="words">${made.title}</h3>
                  <p class="words">${made.body}</p>
                </article>
                <dl class="facts">
                  <dt>${t.recipients}</dt><dd>${numberText(made.recipients)}</dd>
                  <dt>${t.push}</dt><dd>${made.push}</dd>
                </dl>
                <button class="danger" onClick=${() => send(made)}>${dotted(t.sendTo(numberText(made.recipients)))}</button>`
            : html`<p class="quiet">${t.noPreview}</p>`
        }
      </section>
    </div>`
}
