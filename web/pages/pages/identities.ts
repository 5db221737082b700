// The logins of the OpenID provider that a person has linked. Linking and unlinking ask for the password, or for a code
// of the second factor.
import { ask, type Field } from '../../lib/dialog.ts'
import { Leave, returned } from '../../lib/elsewhere.ts'
import { elsewhereTexts } from '../../lib/elsewhere-texts.ts'
import { ErrorNote, notify } from '../../lib/errors.ts'
import { html, type VNode } from '../../lib/html.ts'
import { instance } from '../../lib/instance.ts'
import { useLoad } from '../../lib/load.ts'
import { timeText } from '../../lib/texts.ts'
import { kith } from '../session.ts'

/** What the page notes when it leaves to link a login. */
export const LINK = 'link'

export function Identities(): VNode | null {
  const t = elsewhereTexts.value
  const identities = useLoad(() => kith.get('/me/identities'), [])
  const name = instance.value?.oidc?.name
  const found = identities.data.value
  if (!name && !found?.items.length) return null

  /** Asks for the proof that the step needs, then does the step. */
  const proved = async (title: string, text: string, isDangerous: boolean, step: () => Promise<unknown>) => {
    const { totp } = await kith.get('/me/factors')
    const proof: Field = totp
      ? { name: 'code', label: t.code, fill: 'one-time-code' }
      : { name: 'password', label: t.password, kind: 'password', fill: 'current-password' }
    return ask({ title, text, fields: [proof], action: title, isDangerous }, async ({ password, code }) => {
      await kith.post('/auth/proof', { body: code ? { code } : { password: password ?? '' } })
      await step()
    })
  }
  const link = async () => {
    const { oidcCode, verifier } = returned.value ?? { oidcCode: '', verifier: '' }
    const isDone = await proved(t.finishAction, t.finish, false, async () => {
      identities.set(await kith.post('/me/identities', { body: { oidcCode, verifier } }))
    })
    returned.value = undefined
    if (isDone) notify(t.linked)
  }
  const unlink = async (id: string) => {
    const isDone = await proved(t.unlink, t.unlinkText, true, async () => {
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
        ? html`<p>${t.finish}</p><button onClick=${link}>${t.finishAction}…</button>`
        : html`<${Leave} kith=${kith} returnTo="/account" note=${LINK} label=${t.link} />`
    }
  </section>` as VNode
}
