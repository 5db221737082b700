// The logins of the OpenID provider that a person has linked.
import { ask } from '../../lib/dialog.ts'
import { attempt, ErrorNote, notify } from '../../lib/errors.ts'
import { html, type VNode } from '../../lib/html.ts'
import { instance } from '../../lib/instance.ts'
import { useLoad } from '../../lib/load.ts'
import { Leave, returned } from '../../lib/oidc.ts'
import { oidcTexts } from '../../lib/oidc-texts.ts'
import { timeText } from '../../lib/texts.ts'
import { kith } from '../session.ts'

/** The note of a page that sends the browser to the provider to link a login. */
export const LINK = 'link'

export function Identities(): VNode | null {
  const t = oidcTexts.value
  const identities = useLoad(() => kith.get('/me/identities'), [])
  const name = instance.value?.oidc?.name
  const found = identities.data.value
  if (!name && !found?.items.length) return null

  const link = async () => {
    const { oidcCode, verifier } = returned.value ?? { oidcCode: '', verifier: '' }
    await attempt(async () => {
      identities.set(await kith.post('/me/identities', { body: { oidcCode, verifier } }))
    }, t.linked)
    returned.value = undefined
  }
  const unlink = async (id: string) => {
    const question = { title: t.unlink, text: t.unlinkText, action: t.unlink, isDangerous: true, words: t.errors }
    const isDone = await ask(question, async () => {
      await kith.delete('/me/identities/{id}', { params: { path: { id } } })
      identities.set(await kith.get('/me/identities'))
    })
    if (isDone) notify(t.unlinked)
  }
  return html`<section>
    <h2>${t.title}</h2>
    ${name && html`<p>${t.text(name)}</p>`}
    <${ErrorNote} error=${identities.error.value} />
    <ul class="entries">
      ${found?.items.map(
        ({ id, email, createdAt }) => html`<li key=${id}>
          <span class="words">${email}</span>
          <div class="quiet">${t.since(timeText(createdAt))}</div>
          <button class="secondary" onClick=${() => unlink(id)}>${t.unlink}</button>
        </li>`,
      )}
    </ul>
    ${
      returned.value?.note === LINK
        ? html`<p>${t.finish}</p><button onClick=${link}>${t.finishAction}</button>`
        : html`<${Leave} kith=${kith} returnTo="/account" note=${LINK} label=${t.link} />`
    }
  </section>` as VNode
}
