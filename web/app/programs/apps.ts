// Third-party apps: those that the person allowed, and those that they registered.
import type { Schema } from 'kith/client'
import { ask, type Field } from '../../lib/dialog.ts'
import { ErrorNote, notify } from '../../lib/errors.ts'
import { Form } from '../../lib/form.ts'
import { html, type Signal, useSignal, type VNode } from '../../lib/html.ts'
import { instance } from '../../lib/instance.ts'
import { type Loaded, useLoad } from '../../lib/load.ts'
import { sharedTexts } from '../../lib/shared-texts.ts'
import { timeText } from '../../lib/texts.ts'
import { kith, me } from '../session.ts'
import { readScopes, Scopes, Secret, scopeField, usedText } from './parts.ts'
import { programTexts } from './texts.ts'

type Allowed = Schema<'AllowedApp'>
type App = Schema<'App'>

/** The consents of the person. */
export function AllowedApps(): VNode {
  const t = programTexts.value
  const allowed = useLoad(() => kith.get('/me/apps'), [])
  const scopes = useLoad(readScopes, [])
  const items = allowed.data.value?.items
  const revoke = async ({ id, name }: Allowed) => {
    const { revokeTitle, revokeText: text, revoke: action } = t.allowed
    const question = { title: revokeTitle(name), text, action, isDangerous: true, words: t.errors }
    if (!(await ask(question, () => kith.delete('/me/apps/{id}', { params: { path: { id } } })))) return
    notify(t.allowed.revoked)
    await allowed.reload()
  }
  return html`<section>
    <h2>${t.allowed.title}</h2>
    <p class="quiet">${t.allowed.text}</p>
    <${ErrorNote} error=${allowed.error.value} />
    ${!items && !allowed.error.value && html`<p class="quiet">${sharedTexts.value.loading}</p>`}
    ${items?.length === 0 && html`<p class="quiet">${t.allowed.none}</p>`}
    ${items?.map(
      (one) => html`<div key=${one.id} class="row spread entry">
        <span class="grow">
          <span class="words strong">${one.name}</span>
          ${one.website && html`<small class="quiet words">${one.website}</small>`}
          <small class="quiet">${t.since(timeText(one.since))} ${usedText(one.lastUsedAt)}</small>
          <details class="more"><summary>${t.allowed.may}</summary><${Scopes} scopes=${one.scopes} known=${scopes.data.value} /></details>
        </span>
        <button class="secondary small" aria-label=${`${t.allowed.revoke}: ${one.name}`} onClick=${() => revoke(one)}>${t.allowed.revoke}</button>
      </div>`,
    )}
  </section>` as VNode
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

/** The fields of the form for an app, with the values of `app` if it exists. */
function fieldsOf(scopes: Schema<'Scope'>[], app?: App): Field[] {
  const t = programTexts.value
  return [
    { name: 'name', label: t.name, max: 60, hint: t.apps.nameHint, value: app?.name ?? '', fill: 'off' },
    {
      name: 'website',
      label: t.apps.website,
      max: 300,
      hint: t.apps.websiteHint,
      value: app?.website ?? '',
      optional: true,
      fill: 'off',
    },
    {
      name: 'redirectUris',
      label: t.apps.redirects,
      kind: 'long',
      hint: t.apps.redirectsHint,
      value: app?.redirectUris.join('\n') ?? '',
    },
    // people decide; the app may ask for more than its owner may have
    scopeField(scopes, t.apps.scopes, app?.scopes, { all: true }),
    ...(app ? [] : [{ name: 'isConfidential', label: t.apps.confidential, kind: 'check' as const }]),
  ]
}

const bodyOf = ({ name = '', redirectUris = '', scopes = '' }: Record<string, string>) => ({
  name,
  redirectUris: linesOf(redirectUris),
  scopes: scopes.split(','),
})

type Shown = { name: string; secret: string }
type RowOptions = { app: App; scopes: Schema<'Scope'>[]; shown: Signal<Shown | undefined>; apps: Loaded<unknown> }

function OwnApp({ app, scopes, shown, apps }: RowOptions): VNode {
  const t = programTexts.value
  const { id, name } = app
  const isOpen = useSignal(false)
  const params = { path: { id } }
  const save = async (values: Record<string, string>) => {
    await kith.patch('/apps/{id}', { params, body: { ...bodyOf(values), website: values.website || null } })
    isOpen.value = false
    notify(t.saved)
    await apps.reload()
  }
  const renew = async () => {
    const { secretQuestion: title, secretText: text, secret: action } = t.apps
    let made = ''
    const isDone = await ask({ title, text, action, isDangerous: app.hasSecret, words: t.errors }, async () => {
      made = (await kith.post('/apps/{id}/secret', { params })).secret
    })
    if (!isDone) return
    shown.value = { name, secret: made }
    await apps.reload()
  }
  const remove = async () => {
    const question = { title: t.apps.deleteTitle(name), text: t.apps.deleteText, action: t.remove, isDangerous: true }
    if (!(await ask(question, () => kith.delete('/apps/{id}', { params })))) return
    notify(t.apps.deleted)
    await apps.reload()
  }
  const toggle = () => {
    isOpen.value = !isOpen.value
  }
  return html`<div class="entry">
    <span class="words strong">${name}</span>
    <dl class="facts">
      <dt>${t.apps.id}</dt><dd><code>${id}</code></dd>
      <dt>${t.apps.redirects}</dt><dd>${app.redirectUris.map((uri) => html`<div key=${uri} class="words">${uri}</div>`)}</dd>
    </dl>
    ${app.isConfidential && !app.hasSecret && html`<p class="quiet">${t.apps.noSecret}</p>`}
    <div class="buttons">
      <button class="secondary small" aria-label=${`${t.edit}: ${name}`} aria-expanded=${isOpen.value} onClick=${toggle}>${t.edit}</button>
      ${app.isConfidential && html`<button class="secondary small" aria-label=${`${t.apps.secret}: ${name}`} onClick=${renew}>${t.apps.secret}</button>`}
      <button class="secondary small" aria-label=${`${t.remove}: ${name}`} onClick=${remove}>${t.remove}</button>
    </div>
    ${
      isOpen.value &&
      html`<article>
        <${Form}
          fields=${fieldsOf(scopes, app)}
          action=${t.save}
          words=${t.errors}
          places=${{ app_redirect: 'redirectUris', app_website: 'website' }}
          submit=${save}
        />
      </article>`
    }
  </div>` as VNode
}

/** The apps that the person registered. It shows nothing to people who have none and may not register any. */
export function OwnApps(): VNode | null {
  const t = programTexts.value
  const apps = useLoad(() => kith.get('/apps'), [])
  const scopes = useLoad(readScopes, [])
  const shown = useSignal<Shown | undefined>(undefined)
  const isOpen = useSignal(false)
  const mayRegister = instance.value?.everyoneRegistersApps || me.value?.role === 'admin'
  const items = apps.data.value?.items
  const known = scopes.data.value
  if (!mayRegister && !items?.length) return null
  const register = async (values: Record<string, string>) => {
    const { website, isConfidential } = values
    const more = { ...(website && { website }), isConfidential: isConfidential === 'true' }
    await kith.post('/apps', { body: { ...bodyOf(values), ...more } })
    isOpen.value = false
    notify(t.apps.registered)
    await apps.reload()
  }
  const toggle = () => {
    isOpen.value = !isOpen.value
  }
  return html`<section>
    <h2>${t.apps.title}</h2>
    <p class="quiet">${t.apps.text}</p>
    <${ErrorNote} error=${apps.error.value} />
    ${
      shown.value &&
      html`<${Secret}
        key=${shown.value.secret}
        title=${t.apps.secretTitle(shown.value.name)}
        secret=${shown.value.secret}
        kept=${() => {
          shown.value = undefined
        }}
      />`
    }
    ${items?.length === 0 && !isOpen.value && html`<p class="quiet">${t.apps.none}</p>`}
    ${items?.map((app) => html`<${OwnApp} key=${app.id} app=${app} scopes=${known ?? []} shown=${shown} apps=${apps} />`)}
    ${
      isOpen.value && known
        ? html`<article>
            <${Form}
              fields=${fieldsOf(known)}
              action=${t.apps.register}
              words=${t.errors}
              places=${{ app_redirect: 'redirectUris', app_website: 'website' }}
              submit=${register}
              beside=${html`<button type="button" class="secondary" onClick=${toggle}>${sharedTexts.value.cancel}</button>`}
            />
          </article>`
        : mayRegister && html`<p class="row"><button class="secondary" onClick=${toggle}>${t.apps.add}</button></p>`
    }
  </section>` as VNode
}
