// The section in which people add and remove second factors: an authenticator app, passkeys and recovery codes.
import type { Kith, Schema } from 'kith/client'
import { Copy } from './copy.ts'
import { ask } from './dialog.ts'
import { ErrorNote, notify } from './errors.ts'
import { factorTexts } from './factor-texts.ts'
import { Form } from './form.ts'
import { html, type Signal, useEffect, useRef, useSignal, type VNode } from './html.ts'
import { type Loaded, useLoad } from './load.ts'
import { canUsePasskeys, makePasskey } from './passkeys.ts'
import { QrCode } from './qr-code.ts'
import { me } from './session.ts'
import { dotted, timeText } from './texts.ts'

type Factors = Schema<'Factors'>
type Passkey = Factors['passkeys'][number]
type Part = { kith: Kith; found: Factors; reload: Loaded<Factors>['reload']; codes: Signal<string[] | undefined> }

/** Codes and keys are easier to read in groups. */
const grouped = (secret: string): string => secret.replace(/.{4}(?=.)/g, '$& ')

export function Factors({ kith }: { kith: Kith }): VNode {
  const t = factorTexts.value
  const factors = useLoad(() => kith.get('/me/factors'), [])
  const codes = useSignal<string[] | undefined>(undefined)
  const found = factors.data.value
  const part = { kith, found, reload: factors.reload, codes }
  const hasFactor = found && (found.totp || found.passkeys.length > 0)
  return html`<section class="factors">
    <h2>${t.title}</h2>
    <p>${t.text} ${found?.isRequired && html`<strong>${t.required}</strong>`}</p>
    <${ErrorNote} error=${factors.error.value} />
    ${codes.value && html`<${NewCodes} codes=${codes} />`}
    ${found && html`<${App} ...${part} /><${Passkeys} ...${part} />`}
    ${hasFactor && html`<${Recovery} ...${part} />`}
  </section>` as VNode
}

/** The recovery codes, which are shown only once. */
function NewCodes({ codes }: { codes: Signal<string[] | undefined> }): VNode {
  const t = factorTexts.value
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const kept = () => {
    codes.value = undefined
  }
  return html`<article>
    <h3 ref=${heading} tabindex="-1">${t.newCodes}</h3>
    <p>${t.newCodesText}</p>
    <ul class="codes">${codes.value?.map((code) => html`<li key=${code}><code>${code}</code></li>`)}</ul>
    <div class="buttons">
      <${Copy} text=${codes.value?.join('\n') ?? ''} />
      <button type="button" class="small" onClick=${kept}>${t.kept}</button>
    </div>
  </article>` as VNode
}

const usedText = (at: string | null): string => (at ? factorTexts.value.used(timeText(at)) : factorTexts.value.unused)

function App({ kith, found, reload, codes }: Part): VNode {
  const t = factorTexts.value
  const begun = useSignal<Schema<'Totp'> | undefined>(undefined)
  const error = useSignal<unknown>(undefined)
  const begin = async () => {
    error.value = undefined
    try {
      begun.value = await kith.post('/me/factors/totp')
    } catch (failure) {
      error.value = failure
    }
  }
  const confirm = async ({ code = '' }: Record<string, string>) => {
    const { user, recoveryCodes } = await kith.confirmTotp(code)
    me.value = user
    begun.value = undefined
    if (recoveryCodes) codes.value = recoveryCodes
    notify(t.appAdded)
    await reload()
  }
  const remove = async () => {
    const question = { title: t.removeApp, text: t.removeText, action: t.remove, isDangerous: true, words: t.errors }
    if (!(await ask(question, () => kith.delete('/me/factors/totp')))) return
    notify(t.appRemoved)
    await reload()
  }
  return html`<h3>${t.app}</h3>
    ${
      found.totp
        ? html`<p class="quiet">${t.since(timeText(found.totp.createdAt))} ${usedText(found.totp.lastUsedAt)}</p>
          <button type="button" class="secondary" onClick=${remove}>${dotted(t.removeApp)}</button>`
        : begun.value
          ? html`<p>${t.scan}</p>
            <${QrCode} text=${begun.value.url} label=${t.qr} />
            <p><a href=${begun.value.url}>${t.link}</a></p>
            <p>${t.key}: <code class="key">${grouped(begun.value.secret)}</code></p>
            <${Form}
              fields=${[{ name: 'code', label: t.code, min: 6, max: 8, fill: 'one-time-code' }]}
              action=${t.confirm}
              words=${t.errors}
              places=${{ code_wrong: 'code' }}
              submit=${confirm}
            />`
          : html`<p>${t.appText}</p>
            <${ErrorNote} error=${error.value} words=${t.errors} />
            <button type="button" class="secondary" onClick=${begin}>${t.addApp}</button>`
    }` as VNode
}

function Passkeys({ kith, found, reload, codes }: Part): VNode {
  const t = factorTexts.value
  const add = async () => {
    const question = {
      title: t.addPasskey,
      text: t.addPasskeyText,
      fields: [{ name: 'name', label: t.name, max: 60, fill: 'off' }],
      action: t.continue,
      words: t.errors,
    }
    let made: string[] | null = null
    const isDone = await ask(question, async ({ name = '' }) => {
      const passkey = await makePasskey(await kith.post('/me/factors/passkeys/options'))
      const { session, recoveryCodes } = await kith.addPasskey({ name, passkey })
      if (session) me.value = session.user
      made = recoveryCodes
    })
    if (!isDone) return
    // only after the dialog has closed, because it then restores the focus
    if (made) codes.value = made
    notify(t.passkeyAdded)
    await reload()
  }
  const rename = async ({ id, name: value }: Passkey) => {
    const fields = [{ name: 'name', label: t.name, max: 60, value, fill: 'off' }]
    const isDone = await ask({ title: t.rename, fields, action: t.rename, words: t.errors }, ({ name = '' }) =>
      kith.patch('/me/factors/passkeys/{id}', { params: { path: { id } }, body: { name } }),
    )
    if (!isDone) return
    notify(t.renamed)
    await reload()
  }
  const remove = async ({ id }: Passkey) => {
    const question = {
      title: t.removePasskey,
      text: t.removeText,
      action: t.remove,
      isDangerous: true,
      words: t.errors,
    }
    if (!(await ask(question, () => kith.delete('/me/factors/passkeys/{id}', { params: { path: { id } } })))) return
    notify(t.passkeyRemoved)
    await reload()
  }
  return html`<h3>${t.passkeys}</h3>
    <p>${t.passkeysText}</p>
    <ul>
      ${found.passkeys.map(
        (one) => html`<li key=${one.id}>
          <span class="words">${one.name}</span>
          <div class="quiet">${t.since(timeText(one.createdAt))} ${usedText(one.lastUsedAt)}</div>
          <div class="buttons">
            <button type="button" class="secondary small" aria-label=${`${t.rename}: ${one.name}`} onClick=${() => rename(one)}>${t.rename}</button>
            <button type="button" class="secondary small" aria-label=${`${t.remove}: ${one.name}`} onClick=${() => remove(one)}>${t.remove}</button>
          </div>
        </li>`,
      )}
    </ul>
    ${
      canUsePasskeys
        ? html`<button type="button" class="secondary" onClick=${add}>${t.addPasskey}</button>`
        : html`<p class="quiet">${t.noPasskeys}</p>`
    }` as VNode
}

function Recovery({ kith, found, reload, codes }: Part): VNode {
  const t = factorTexts.value
  const renew = async () => {
    const question = { title: t.renew, text: t.renewText, action: t.renew, isDangerous: true, words: t.errors }
    let made: string[] = []
    const isDone = await ask(question, async () => {
      made = (await kith.post('/me/factors/recovery-codes')).recoveryCodes
    })
    if (!isDone) return
    codes.value = made
    await reload()
  }
  return html`<h3>${t.recovery}</h3>
    <p>${t.recoveryText(found.recoveryCodesLeft)}</p>
    <button type="button" class="secondary" onClick=${renew}>${dotted(t.renew)}</button>` as VNode
}
