// The consent for a third-party app: the page to which an app sends people, and the page where they enter the code of a
// device. A person logs in here for each request, and the login ends with the answer.
import type { Schema } from 'kith/client'
import { ErrorNote, hasCode } from '../../lib/errors.ts'
import { Form } from '../../lib/form.ts'
import { html, useSignal, type VNode } from '../../lib/html.ts'
import { useLoad } from '../../lib/load.ts'
import { withProof } from '../../lib/proof.ts'
import { query } from '../../lib/router.ts'
import { scopeTexts } from '../../lib/scope-texts.ts'
import { sharedTexts } from '../../lib/shared-texts.ts'
import { Done, Login, Step } from '../parts.ts'
import { kith, me } from '../session.ts'
import { texts } from '../texts.ts'

type Waiting = Schema<'AppRequest'>

const wordsOf = (): Record<string, string> => ({
  ...texts.value.errors,
  consent_over: texts.value.allow.over,
  role_required: texts.value.allow.staffOnly,
})

/** The app that asks, and the scopes that it asks for. */
function Asks({ waiting: { app, scopes } }: { waiting: Waiting }): VNode {
  const t = texts.value.allow
  return html`<p>${t.asks} <strong class="words">${app.name}</strong></p>
    ${app.website && html`<p class="quiet words">${t.website} ${app.website}</p>`}
    <h2>${t.may}</h2>
    <ul>
      ${scopes.map(({ scope, description }) => html`<li key=${scope}>${scopeTexts.value.scopes[scope] ?? description}</li>`)}
    </ul>` as VNode
}

/** The two answers. Refusing is as easy as allowing. */
function Answer({ answer }: { answer: (allow: boolean) => Promise<void> }): VNode {
  const t = texts.value.allow
  const isBusy = useSignal(false)
  const error = useSignal<unknown>(undefined)
  const refuse = async () => {
    if (isBusy.value) return
    isBusy.value = true
    error.value = undefined
    await answer(false).catch((failure: unknown) => {
      error.value = failure
    })
    isBusy.value = false
  }
  return html`<p>${t.as(me.value?.username ?? '')}</p>
    <div class="answers">
      <${Step} action=${t.allow} words=${wordsOf()} run=${() => answer(true)} />
      <button class="secondary" onClick=${refuse} aria-disabled=${isBusy.value}>${t.refuse}</button>
    </div>
    <${ErrorNote} error=${error.value} words=${wordsOf()} />` as VNode
}

/** An app asks, and waits for the answer in this browser. */
export function Consent() {
  const t = texts.value.allow
  const request = query.value.get('request') ?? ''
  const { data, error } = useLoad(() => kith.get('/oauth/consent', { params: { query: { request } } }), [request])
  const isDone = useSignal(false)
  // the address has no request, or only a part of it
  if (hasCode(error.value, 'validation_failed')) return html`<p>${t.incomplete}</p>`
  if (error.value) return html`<${ErrorNote} error=${error.value} words=${wordsOf()} />`
  if (isDone.value) return html`<${Done}><p>${t.back}</p><//>`
  const waiting = data.value
  if (!waiting) return html`<p class="quiet">${sharedTexts.value.loading}</p>`
  const answer = async (allow: boolean) => {
    const { next } = await withProof(kith, () => kith.post('/oauth/consent', { body: { request, allow } }))
    isDone.value = true
    await kith.logOut()
    location.assign(next)
  }
  return html`<${Asks} waiting=${waiting} />
    ${waiting.app.redirectHost && html`<p class="quiet words">${t.leads} ${waiting.app.redirectHost}</p>`}
    ${
      me.value
        ? html`<${Answer} answer=${answer} />`
        : html`<h2>${t.logIn}</h2>
          <${Login} />`
    }`
}

/** The person enters the code that a device shows. */
export function Device() {
  const t = texts.value.allow
  const found = useSignal<{ userCode: string; waiting: Waiting } | undefined>(undefined)
  const decided = useSignal<boolean | undefined>(undefined)
  if (decided.value !== undefined) return html`<${Done}><p>${decided.value ? t.deviceAllowed : t.deviceRefused}</p><//>`
  if (!me.value)
    return html`<p>${t.deviceText}</p>
      <${Login} />`
  if (!found.value) {
    const find = async ({ userCode = '' }) => {
      found.value = { userCode, waiting: await kith.post('/oauth/device', { body: { userCode } }) }
    }
    return html`<p>${t.deviceWarning}</p>
      <${Form}
        fields=${[{ name: 'userCode', label: t.code, fill: 'off', min: 8, max: 20, value: query.value.get('user_code') ?? '' }]}
        action=${t.go}
        words=${{ ...wordsOf(), consent_over: t.noCode }}
        places=${{ consent_over: 'userCode' }}
        submit=${find}
      />`
  }
  const { userCode, waiting } = found.value
  const answer = async (allow: boolean) => {
    await withProof(kith, () => kith.post('/oauth/device/decision', { body: { userCode, allow } }))
    decided.value = allow
    await kith.logOut()
  }
  return html`<${Asks} waiting=${waiting} />
    <${Answer} answer=${answer} />`
}
