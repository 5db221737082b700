// The account: the address, second factors, the daily mail, the export, what staff decided, and the erasure. Banned
// people can't log in. They prove who they are as at a login, and can then read decisions and appeal.
import { KithError, type Schema } from 'kith/client'
import { ask } from '../../lib/dialog.ts'
import { ErrorNote, hasCode, notify, notifyError } from '../../lib/errors.ts'
import { Factors } from '../../lib/factors.ts'
import { Form } from '../../lib/form.ts'
import { html, type Signal, useSignal } from '../../lib/html.ts'
import { useLoad } from '../../lib/load.ts'
import { loginTexts } from '../../lib/login-texts.ts'
import { isForProof, returned } from '../../lib/oidc.ts'
import { oidcTexts } from '../../lib/oidc-texts.ts'
import { canUsePasskeys, signWithPasskey } from '../../lib/passkeys.ts'
import { withProof } from '../../lib/proof.ts'
import { saveFile } from '../../lib/save.ts'
import { sharedTexts } from '../../lib/shared-texts.ts'
import { dotted, timeText } from '../../lib/texts.ts'
import { Done, Login } from '../parts.ts'
import { kith, me } from '../session.ts'
import { texts } from '../texts.ts'
import { Identities, LINK } from './identities.ts'

type Standing = Schema<'Standing'>
type Decision = Standing['decisions'][number]
type Appeal = (decision: Decision, text: string, code?: string) => Promise<Standing>
/** The proof of a banned person, who cannot log in. A passkey signs each request, and a code is accepted once. */
type Proof = { email: string; password: string; code?: string } | { passkey: Schema<'PasskeySignature'> }
/** The standing that a banned person reads, and how they prove again who they are. */
type Reader = { standing: Standing; asksCode: boolean; prove: (code?: string) => Promise<Proof> }

export function Account() {
  const t = texts.value.account
  const isErased = useSignal(false)
  const banned = useSignal<Reader | undefined>(undefined)
  if (isForProof) return html`<${Done}><p>${oidcTexts.value.closeWindow}</p><//>`
  if (isErased.value) return html`<${Done}><p>${t.erased}</p><//>`
  if (banned.value) {
    const { standing, asksCode, prove } = banned.value
    const appeal: Appeal = async ({ id: decisionId }, text, code) =>
      kith.post('/auth/appeal', { body: { ...(await prove(code)), decisionId, text } })
    return html`<${Decisions} first=${standing} appeal=${appeal} asksCode=${asksCode} />`
  }
  if (!me.value) {
    return html`<p>${t.text}</p>
      ${returned.value?.note === LINK && html`<p role="status">${oidcTexts.value.first}</p>`}
      <${Login} returnTo="/account"><${Banned} banned=${banned} /><//>`
  }
  return html`<p>${t.loggedIn(me.value.username)} <a href="/app">${texts.value.apps.here}</a></p>
    <div class="columns">
      <${Address} />
      <${Factors} kith=${kith} />
      <${Digest} />
      <${Export} />
      <${Identities} />
      <${Programs} />
      <${OwnDecisions} />
      <${Erase} isErased=${isErased} />
    </div>`
}

function Banned({ banned }: { banned: Signal<Reader | undefined> }) {
  const t = texts.value.account
  const asksCode = useSignal(false)
  const error = useSignal<unknown>(undefined)
  const read = async (prove: Reader['prove'], given = '') => {
    error.value = undefined
    const standing = await kith.post('/auth/standing', { body: await prove(given) })
    banned.value = { standing, asksCode: given !== '', prove }
  }
  const submit = async ({ email = '', password = '', code = '' }) => {
    try {
      await read(async (given) => ({ email, password, ...(given && { code: given }) }), code)
    } catch (failure) {
      asksCode.value ||= hasCode(failure, 'factor_required')
      throw failure
    }
  }
  const usePasskey = () =>
    read(async () => ({ passkey: await signWithPasskey(await kith.post('/auth/passkey/options')) })).catch(
      (failure) => {
        error.value = failure
      },
    )
  const words = { ...texts.value.errors, factor_required: loginTexts.value.codeNeeded }
  return html`<details>
    <summary>${t.banned}</summary>
    <p>${t.bannedText}</p>
    <${Form}
      fields=${[
        { name: 'email', label: loginTexts.value.email, kind: 'email', fill: 'username' },
        { name: 'password', label: loginTexts.value.password, kind: 'password', fill: 'current-password' },
        ...(asksCode.value ? [{ name: 'code', label: loginTexts.value.code, fill: 'one-time-code' }] : []),
      ]}
      action=${t.readDecisions}
      words=${words}
      submit=${submit}
      beside=${canUsePasskeys && html`<button type="button" class="secondary" onClick=${usePasskey}>${t.readByPasskey}</button>`}
    >
      <${ErrorNote} error=${error.value} words=${{ ...words, passkey_wrong: loginTexts.value.passkeyWrong }} />
    <//>
  </details>`
}

function Address() {
  const t = texts.value.account
  const { email, emailVerifiedAt } = me.value as Schema<'Me'>
  const change = () =>
    ask(
      {
        title: t.changeAddress,
        text: t.changeText,
        fields: [
          { name: 'email', label: t.newAddress, kind: 'email', max: 254, fill: 'email' },
          { name: 'currentPassword', label: loginTexts.value.password, kind: 'password', fill: 'current-password' },
        ],
        action: t.changeAddress,
      },
      ({ email = '', currentPassword = '' }) => kith.post('/me/email', { body: { email, currentPassword } }),
    ).then((isDone) => isDone && notify(t.changeSent))
  const again = () =>
    kith
      .post('/me/verify-email')
      .then(() => notify(t.verificationSent))
      .catch(notifyError)
  return html`<section>
    <h2>${t.address}</h2>
    <p class="words">${email}</p>
    <p class="quiet">${emailVerifiedAt ? t.verified(timeText(emailVerifiedAt)) : t.unverified}</p>
    <div class="buttons">
      <button class="secondary" onClick=${change}>${t.changeAddress}</button>
      ${!emailVerifiedAt && html`<button class="secondary" onClick=${again}>${t.sendVerification}</button>`}
    </div>
  </section>`
}

/** The hour of the digest for people who never chose one. */
const USUAL_HOUR = 8

function Digest() {
  const t = texts.value.account
  const preferences = useLoad(() => kith.get('/notifications/preferences'), [])
  const hour = preferences.data.value?.digestHour
  const turn = (digestHour: number | null) =>
    kith.patch('/notifications/preferences', { body: { digestHour } }).then(preferences.set).catch(notifyError)
  return html`<section>
    <h2>${t.digest}</h2>
    <${ErrorNote} error=${preferences.error.value} />
    ${
      preferences.data.value &&
      html`<p>${typeof hour === 'number' ? t.digestOn(hour, preferences.data.value.timezone) : t.digestOff}</p>
        <button class="secondary" onClick=${() => turn(typeof hour === 'number' ? null : USUAL_HOUR)}>
          ${typeof hour === 'number' ? t.turnOff : t.turnOn}
        </button>`
    }
  </section>`
}

/** The export as the instance wrote and signed it. */
async function exported(): Promise<Blob> {
  const answer = await fetch('/api/v1/me/export', { headers: { authorization: `Bearer ${await kith.accessToken()}` } })
  if (!answer.ok) throw new KithError(answer.status, answer.headers, await answer.json().catch(() => null))
  return answer.blob()
}

function Export() {
  const t = texts.value.account
  const isBusy = useSignal(false)
  const save = async () => {
    if (isBusy.value) return
    isBusy.value = true
    try {
      saveFile(await withProof(kith, exported), 'kith-export.json')
      notify(t.exported)
    } catch (failure) {
      notifyError(failure)
    }
    isBusy.value = false
  }
  return html`<section>
    <h2>${t.export}</h2>
    <p>${t.exportText}</p>
    <button class="secondary" onClick=${save} aria-busy=${isBusy.value}>${t.exportAction}</button>
  </section>`
}

function Programs() {
  const t = texts.value.account
  return html`<section>
    <h2>${t.programs}</h2>
    <p>${t.programsText}</p>
    <p><a href="/app/settings/programs">${t.programsLink}</a></p>
  </section>`
}

function OwnDecisions() {
  const t = texts.value.account
  const isOpen = useSignal(false)
  const appeal: Appeal = ({ id }, text) =>
    kith.post('/me/standing/{id}/appeal', { params: { path: { id } }, body: { text } })
  return html`<section>
    <h2>${t.decisions}</h2>
    ${
      isOpen.value
        ? html`<${LoadedDecisions} appeal=${appeal} />`
        : html`<p>${t.decisionsText}</p>
          <button
            class="secondary"
            onClick=${() => {
              isOpen.value = true
            }}
          >
            ${t.readDecisions}
          </button>`
    }
  </section>`
}

function LoadedDecisions({ appeal }: { appeal: Appeal }) {
  const standing = useLoad(() => kith.get('/me/standing'), [])
  if (standing.error.value) return html`<${ErrorNote} error=${standing.error.value} />`
  return standing.data.value
    ? html`<${Decisions} first=${standing.data.value} appeal=${appeal} />`
    : html`<p class="quiet">${sharedTexts.value.loading}</p>`
}

type Shown = {
  first: Standing
  appeal: Appeal
  /** Whether an appeal takes a code of the second factor. */
  asksCode?: boolean
}
function Decisions({ first, appeal, asksCode = false }: Shown) {
  const t = texts.value.account
  const standing = useSignal(first)
  const { state, suspendedUntil, decisions } = standing.value
  const write = (decision: Decision) =>
    ask(
      {
        title: t.appeal,
        text: t.appealText,
        fields: [
          { name: 'text', label: t.appealLabel, kind: 'long', max: 2000 },
          ...(asksCode ? [{ name: 'code', label: loginTexts.value.code, fill: 'one-time-code' }] : []),
        ],
        action: t.appealAction,
      },
      async ({ text = '', code }) => {
        standing.value = await appeal(decision, text, code)
      },
    ).then((isDone) => isDone && notify(t.appealed))
  return html`<p>${t.states[state](timeText(suspendedUntil))}</p>
    ${decisions.length === 0 && html`<p>${t.noDecisions}</p>`}
    <ul class="entries">
      ${decisions.map(
        (one) => html`<li key=${one.id}>
          <strong>${t.actions[one.action]}</strong>
          <div class="quiet">${timeText(one.createdAt)}${one.rule && ` · ${one.rule}`}</div>
          ${one.reason && html`<p class="words">${one.reason}</p>`}
          ${one.overturnedAt && html`<p>${t.overturned(timeText(one.overturnedAt))}</p>`}
          ${one.appeal && html`<p>${t.appealed} <span class="words">${one.appeal.answer}</span></p>`}
          ${one.appealable && html`<button class="secondary" onClick=${() => write(one)}>${t.appeal}</button>`}
        </li>`,
      )}
    </ul>`
}

function Erase({ isErased }: { isErased: Signal<boolean> }) {
  const t = texts.value.account
  const erase = async () => {
    await ask(
      {
        title: t.erase,
        text: t.eraseText,
        fields: [{ name: 'password', label: loginTexts.value.password, kind: 'password', fill: 'current-password' }],
        action: t.eraseAction,
        isDangerous: true,
      },
      async ({ password = '' }) => {
        await kith.post('/me/delete', { body: { password } })
        isErased.value = true
        await kith.logOut()
      },
    )
  }
  return html`<section>
    <h2>${t.erase}</h2>
    <p>${t.eraseHint}</p>
    <button class="danger" onClick=${erase}>${dotted(t.erase)}</button>
  </section>`
}
