// Joining with an invite code: what the instance is, the code, the form, and where to get the app.

import { KithError } from 'kith/client'
import type { Field } from '../../lib/dialog.ts'
import { Form } from '../../lib/form.ts'
import { html, type Signal, useSignal } from '../../lib/html.ts'
import { instance } from '../../lib/instance.ts'
import { loginTexts } from '../../lib/login-texts.ts'
import { Leave, noted, returned } from '../../lib/oidc.ts'
import { oidcTexts } from '../../lib/oidc-texts.ts'
import { sharedTexts } from '../../lib/shared-texts.ts'
import { language } from '../../lib/texts.ts'
import { inviteCode } from '../fragment.ts'
import { Apps, Done, Prose } from '../parts.ts'
import { kith, me } from '../session.ts'
import { texts } from '../texts.ts'

export function Join() {
  const t = texts.value.join
  // a person who comes back from the OpenID provider still has their reservation
  const reservation = useSignal<{ id: string; over?: boolean } | undefined>(noted ? { id: noted } : undefined)
  if (me.value) {
    return html`<${Done}><p>${t.done(me.value.username)}</p>${!me.value.emailVerifiedAt && html`<p>${t.verify(me.value.email)}</p>`}<//>
      <h2>${t.app}</h2>
      <${Apps} />`
  }
  return html`<p>${t.what(instance.value?.domain ?? location.host)}</p>
    ${instance.value?.about && html`<${Prose} text=${instance.value.about} />`}
    ${
      reservation.value && !reservation.value.over
        ? html`<${Registration} reservation=${reservation} />`
        : html`<${Code} reservation=${reservation} />`
    }`
}

type Props = { reservation: Signal<{ id: string; over?: boolean } | undefined> }

function Code({ reservation }: Props) {
  const t = texts.value.join
  const submit = async ({ code = '' }) => {
    const { sessionId } = await kith.post('/auth/reserve-invite', { body: { code } })
    reservation.value = { id: sessionId }
  }
  return html`${reservation.value?.over && html`<p role="alert" class="error">${texts.value.errors.reservation_over}</p>`}
    <${Form}
      fields=${[{ name: 'code', label: t.code, value: inviteCode, max: 40, hint: t.codeHint, fill: 'off' }]}
      action=${t.next}
      words=${texts.value.errors}
      places=${{ invite_unknown: 'code', invite_dead: 'code', invite_reserved: 'code' }}
      submit=${submit}
    />`
}

function Registration({ reservation }: Props) {
  const t = texts.value.join
  const codes = instance.value?.countries
  if (!codes) return html`<p class="quiet">${sharedTexts.value.loading}</p>`
  const names = new Intl.DisplayNames(language.value, { type: 'region' })
  const options = codes
    .map((value) => ({ value, label: names.of(value) ?? value }))
    .toSorted((one, other) => one.label.localeCompare(other.label, language.value))
  const login = returned.value?.note ? returned.value : undefined
  const name = instance.value?.oidc?.name ?? ''
  const submit = async ({ email = '', password = '', ...person }) => {
    try {
      const { firstName = '', lastName = '', dateOfBirth = '', country = '', city = '' } = person
      const form = { sessionId: reservation.value?.id ?? '', firstName, lastName, dateOfBirth, country, city }
      const { user } = login
        ? await kith.registerWithOidc({ ...form, oidcCode: login.oidcCode, verifier: login.verifier })
        : await kith.register({ ...form, email, password })
      me.value = user
    } catch (failure) {
      if (!(failure instanceof KithError) || failure.code !== 'reservation_over') throw failure
      reservation.value = { id: '', over: true }
    }
  }
  const credentials: Field[] = [
    { name: 'email', label: loginTexts.value.email, kind: 'email', max: 254, hint: t.emailHint, fill: 'email' },
    {
      name: 'password',
      label: loginTexts.value.password,
      kind: 'password',
      min: 8,
      max: 1024,
      hint: texts.value.reset.hint,
      fill: 'new-password',
    },
  ]
  return html`<h2>${t.form}</h2>
    <p class="quiet">${t.reserved}</p>
    ${
      login
        ? html`<p>${oidcTexts.value.registerText(name)}</p>`
        : html`<${Leave} kith=${kith} returnTo="/join" note=${reservation.value?.id} label=${oidcTexts.value.register} />`
    }
    <${Form}
      fields=${[
        { name: 'firstName', label: t.firstName, max: 80, fill: 'given-name' },
        { name: 'lastName', label: t.lastName, max: 80, fill: 'family-name' },
        ...(login ? [] : credentials),
        { name: 'dateOfBirth', label: t.dateOfBirth, kind: 'date', hint: t.dateOfBirthHint, fill: 'bday' },
        {
          name: 'country',
          label: t.country,
          kind: 'choice',
          options: [{ value: '', label: '' }, ...options],
          fill: 'country',
        },
        { name: 'city', label: t.city, max: 120, fill: 'address-level2' },
      ]}
      action=${t.action}
      words=${{ ...texts.value.errors, ...oidcTexts.value.errors }}
      places=${{ email_taken: login ? '' : 'email', password_guessable: 'password', under_age: 'dateOfBirth' }}
      submit=${submit}
    />
    ${
      (instance.value?.hasRules || instance.value?.hasPrivacy) &&
      html`<p class="quiet">
        ${t.read}
        ${instance.value.hasRules && html` <a href="/rules" target="_blank">${texts.value.rules.title}</a>`}
        ${instance.value.hasPrivacy && html` <a href="/privacy" target="_blank">${texts.value.privacy.title}</a>`}
      </p>`
    }`
}
