// The settings: the profile, notifications, what the person does not want to see, and the account.
import type { Schema } from 'kith/client'
import { ask } from '../../lib/dialog.ts'
import { attempt, ErrorNote, notify } from '../../lib/errors.ts'
import { Factors } from '../../lib/factors.ts'
import { Form } from '../../lib/form.ts'
import { html, useSignal, type VNode } from '../../lib/html.ts'
import { instance } from '../../lib/instance.ts'
import { LanguageChoice } from '../../lib/language.ts'
import { useLoad } from '../../lib/load.ts'
import { sharedTexts } from '../../lib/shared-texts.ts'
import { language, sinceText, timeText } from '../../lib/texts.ts'
import { List, usePages } from '../list.ts'
import { Face, PersonRow } from '../people.ts'
import { canPush, isPushed, logOut, startPush, stopPush } from '../push.ts'
import { kith, me } from '../session.ts'
import { Part } from '../settings-part.ts'
import { texts } from '../texts.ts'

type Me = Schema<'Me'>
type Preferences = Schema<'NotificationPreferences'>
type KindName = Exclude<keyof Preferences, 'timezone' | 'digestHour'>
type Channel = keyof Schema<'NotificationChannels'>

export function ProfileSettings(): VNode {
  const t = texts.value.settings
  const mine = me.value as Me
  const save = async (values: Record<string, string>) => {
    const { about = '', phone = '', firstName = '', lastName = '', username = '', city = '', country } = values
    me.value = await kith.patch('/me', {
      body: {
        firstName,
        lastName,
        username,
        city,
        ...(country && { country }),
        about: about || null,
        phone: phone || null,
      },
    })
    notify(t.saved)
  }
  const named = new Intl.DisplayNames(language.value, { type: 'region' })
  const countries = (instance.value?.countries ?? [])
    .map((value) => ({ value, label: named.of(value) ?? value }))
    .sort((one, other) => one.label.localeCompare(other.label, language.value))
  return html`<${Part}>
    <${Picture} mine=${mine} />
    <${Form}
      key=${`${language.value} ${countries.length}`}
      fields=${[
        { name: 'firstName', label: t.firstName, value: mine.firstName, max: 80, fill: 'given-name' },
        { name: 'lastName', label: t.lastName, value: mine.lastName, max: 80, fill: 'family-name' },
        {
          name: 'username',
          label: t.username,
          value: mine.username,
          min: 3,
          max: 30,
          hint: t.usernameHint,
          fill: 'off',
        },
        { name: 'about', label: t.about, kind: 'long', value: mine.about ?? '', max: 1000, optional: true },
        { name: 'city', label: t.city, value: mine.city ?? '', max: 120, optional: !mine.city },
        {
          name: 'country',
          label: t.country,
          kind: 'choice',
          value: mine.country ?? '',
          options: [...(mine.country ? [] : [{ value: '', label: '' }]), ...countries],
          optional: !mine.country,
        },
        {
          name: 'phone',
          label: t.phone,
          value: mine.phone ?? '',
          max: 31,
          optional: true,
          hint: t.phoneHint,
          fill: 'tel',
        },
      ]}
      action=${t.save}
      words=${t.errors}
      places=${{ username_taken: 'username', usernames_exhausted: 'username' }}
      submit=${save}
    />
  <//>` as VNode
}

/** The picture of the person: a file of theirs, a drawn one, or none. */
function Picture({ mine }: { mine: Me }): VNode {
  const t = texts.value.settings
  const isBusy = useSignal(false)
  const set = async (profilePicUrl: string | null) => {
    me.value = await kith.patch('/me', { body: { profilePicUrl } })
  }
  const run = async (step: () => Promise<void>) => {
    if (isBusy.value) return
    isBusy.value = true
    await attempt(step, t.pictureSaved)
    isBusy.value = false
  }
  const choose = (event: Event) => {
    const input = event.target as HTMLInputElement
    const file = input.files?.[0]
    input.value = ''
    if (file) void run(async () => set((await kith.upload(file, 'avatar')).publicUrl))
  }
  const draw = () =>
    run(async () => {
      const body = { style: 'lorelei' as const, seed: crypto.randomUUID() }
      await set((await kith.post('/media/avatar/generate', { body })).url)
    })
  return html`<section class="row" aria-busy=${isBusy.value}>
    <${Face} card=${mine} isLarge />
    <div class="buttons">
      <label role="presentation" class="file-button">
        ${t.upload}
        <input type="file" class="hidden-label" accept="image/jpeg,image/png,image/webp" onChange=${choose} />
      </label>
      <button class="secondary small" onClick=${draw}>${t.draw}</button>
      ${mine.profilePicUrl && html`<button class="secondary small" onClick=${() => run(() => set(null))}>${t.noPicture}</button>`}
    </div>
  </section>` as VNode
}

const channels: Channel[] = ['inApp', 'push', 'email']

export function NotificationSettings(): VNode {
  const t = texts.value.settings
  const preferences = useLoad(() => kith.get('/notifications/preferences'), [])
  const found = preferences.data.value
  const change = (changes: object) =>
    attempt(async () => preferences.set(await kith.patch('/notifications/preferences', { body: changes })), t.saved)
  const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const hours = [...Array(24).keys()].map((hour) => ({ value: String(hour), label: t.hour(hour) }))
  return html`<${Part}>
    <${Push} />
    <${ErrorNote} error=${preferences.error.value} />
    ${!found && !preferences.error.value && html`<p class="quiet">${sharedTexts.value.loading}</p>`}
    ${
      found &&
      html`<section>
          <h2>${t.digest}</h2>
          <label>${t.digestHour}
            <select
              value=${found.digestHour === null ? '' : String(found.digestHour)}
              onChange=${({ target }: Event) => {
                const { value } = target as HTMLSelectElement
                void change(value === '' ? { digestHour: null } : { digestHour: Number(value), timezone })
              }}
            >
              <option value="">${t.noDigest}</option>
              ${hours.map(({ value, label }) => html`<option value=${value}>${label}</option>`)}
            </select>
            <small>${t.zone(found.timezone)}</small>
          </label>
        </section>
        <section>
          <h2>${t.kinds}</h2>
          <p class="quiet">${t.kindsText}</p>
          <table class="choices">
            <thead><tr><th scope="col">${t.kind}</th>${channels.map((one) => html`<th scope="col">${t.channels[one]}</th>`)}</tr></thead>
            <tbody>
              ${Object.entries(t.kindNames).map(([kind, label]) => {
                const chosen = found[kind as KindName]
                return html`<tr key=${kind}>
                  <th scope="row">${label}</th>
                  ${channels.map(
                    (one) => html`<td>
                      <input
                        type="checkbox"
                        aria-label=${`${label}: ${t.channels[one]}`}
                        checked=${chosen[one]}
                        disabled=${kind === 'moderation.actioned' && one === 'inApp'}
                        onChange=${({ target }: Event) => change({ [kind]: { [one]: (target as HTMLInputElement).checked } })}
                      />
                    </td>`,
                  )}
                </tr>`
              })}
            </tbody>
          </table>
        </section>`
    }
  <//>` as VNode
}

/** Pushes to this browser, if it can show them. */
function Push(): VNode {
  const t = texts.value.settings
  const isBusy = useSignal(false)
  const change = async () => {
    if (isBusy.value) return
    isBusy.value = true
    try {
      if (isPushed.value) await stopPush()
      else notify((await startPush()) ? t.pushOn : t.pushRefused)
    } catch (failure) {
      // some browsers have no push service, for example those without Google's
      notify(failure instanceof DOMException ? t.pushFailed : t.pushRefused)
    }
    isBusy.value = false
  }
  return html`<section>
    <h2>${t.push}</h2>
    ${
      canPush
        ? html`<p>${isPushed.value ? t.pushOn : t.pushText}</p>
          <button class="secondary" aria-busy=${isBusy.value} onClick=${change}>${isPushed.value ? t.pushStop : t.pushStart}</button>`
        : html`<p class="quiet">${t.pushNone}</p>`
    }
  </section>` as VNode
}

export function PrivacySettings(): VNode {
  const t = texts.value.settings
  const words = usePages<Schema<'MutedKeyword'>>(
    (cursor) => kith.get('/identity/me/muted-keywords', { params: { query: { ...(cursor && { cursor }) } } }),
    [],
  )
  const blocks = usePages<Schema<'BlockedPerson'>>(
    (cursor) => kith.get('/identity/me/blocks', { params: { query: { ...(cursor && { cursor }) } } }),
    [],
  )
  const mutes = usePages<Schema<'PersonCard'>>(
    (cursor) => kith.get('/identity/me/mutes', { params: { query: { ...(cursor && { cursor }) } } }),
    [],
  )
  const version = useSignal(0)
  const addWord = async ({ keyword = '' }: Record<string, string>) => {
    words.prepend([await kith.post('/identity/me/muted-keywords', { body: { keyword } })])
    version.value += 1
  }
  const removeWord = (id: string) =>
    attempt(async () => {
      await kith.delete('/identity/me/muted-keywords/{id}', { params: { path: { id } } })
      words.remove(id)
    })
  const unblock = (id: string) =>
    attempt(async () => {
      await kith.delete('/users/{id}/block', { params: { path: { id } } })
      blocks.remove(id)
    }, t.unblocked)
  const unmute = (id: string) =>
    attempt(async () => {
      await kith.delete('/users/{id}/mute', { params: { path: { id } } })
      mutes.remove(id)
    }, t.unmuted)
  const hasPage = me.value?.hasPublicPage
  const setPage = () =>
    attempt(async () => {
      me.value = await kith.patch('/me', { body: { hasPublicPage: !hasPage } })
    }, t.saved)
  return html`<${Part}>
    ${
      instance.value?.hasPublicPages &&
      html`<section>
        <h2>${t.publicPage}</h2>
        <p class="quiet">${t.publicPageText}</p>
        <label class="plain">
          <input type="checkbox" role="switch" checked=${hasPage} onChange=${setPage} /> ${t.publicPageOn}
        </label>
      </section>`
    }
    <section>
      <h2>${t.words}</h2>
      <p class="quiet">${t.wordsText}</p>
      <${Form} key=${version.value} fields=${[{ name: 'keyword', label: t.word, max: 100, fill: 'off' }]} action=${t.muteWord} submit=${addWord} />
      <${List}
        pages=${words}
        empty=${t.noWords}
        item=${({ id, keyword, until }: Schema<'MutedKeyword'>) => html`<div key=${id} class="row spread entry">
          <span><span class="words strong">${keyword}</span> ${until && html`<span class="quiet">${t.until(timeText(until))}</span>`}</span>
          <button class="secondary small" aria-label=${`${t.unmute}: ${keyword}`} onClick=${() => removeWord(id)}>${t.unmute}</button>
        </div>`}
      />
    </section>
    <section>
      <h2>${t.mutedPeople}</h2>
      <p class="quiet">${t.mutedText}</p>
      <${List}
        pages=${mutes}
        empty=${t.nobodyMuted}
        item=${(card: Schema<'PersonCard'>) => html`<div key=${card.id} class="row spread entry">
          <${PersonRow} card=${card} />
          <button class="secondary small" aria-label=${`${t.unmute}: ${card.username}`} onClick=${() => unmute(card.id)}>${t.unmute}</button>
        </div>`}
      />
    </section>
    <section>
      <h2>${t.blocked}</h2>
      <p class="quiet">${t.blockedText}</p>
      <${List}
        pages=${blocks}
        empty=${t.nobodyBlocked}
        item=${({ id, username, createdAt }: Schema<'BlockedPerson'>) => html`<div key=${id} class="row spread entry">
          <span>@${username} <span class="quiet">${sinceText(createdAt)}</span></span>
          <button class="secondary small" aria-label=${`${t.unblock}: ${username}`} onClick=${() => unblock(id)}>${t.unblock}</button>
        </div>`}
      />
    </section>
  <//>` as VNode
}

export function AccountSettings(): VNode {
  const t = texts.value.settings
  const mine = me.value as Me
  return html`<${Part}>
    <section>
      <h2>${t.languageTitle}</h2>
      <${LanguageChoice} />
    </section>
    <section>
      <h2>${t.address}</h2>
      <p><span class="words">${mine.email}</span> <span class="tag">${mine.emailVerifiedAt ? t.verified : t.unverified}</span></p>
      <p class="quiet">${t.accountText}</p>
      <p><a href="/account">${t.accountLink}</a></p>
    </section>
    <${Password} />
    <${Factors} kith=${kith} />
    <${Sessions} />
    <section>
      <h2>${t.leaving}</h2>
      <button class="secondary" onClick=${() => attempt(logOut)}>${texts.value.shell.logOut}</button>
    </section>
  <//>` as VNode
}

function Password(): VNode {
  const t = texts.value.settings
  const change = async () => {
    const question = {
      title: t.changePassword,
      text: t.passwordText,
      fields: [
        { name: 'currentPassword', label: t.currentPassword, kind: 'password' as const, fill: 'current-password' },
        { name: 'newPassword', label: t.newPassword, kind: 'password' as const, min: 8, fill: 'new-password' },
      ],
      action: t.changePassword,
    }
    const isDone = await ask(question, ({ currentPassword = '', newPassword = '' }) =>
      kith.changePassword({ currentPassword, newPassword }),
    )
    if (!isDone) return
    notify(t.passwordChanged)
    // pushes ended together with the other sessions
    if (isPushed.value) await attempt(startPush)
  }
  return html`<section>
    <h2>${t.password}</h2>
    <button class="secondary" onClick=${change}>${t.changePassword}</button>
  </section>` as VNode
}

function Sessions(): VNode {
  const t = texts.value.settings
  const pages = usePages<Schema<'Login'>>(
    (cursor) => kith.get('/me/sessions', { params: { query: { ...(cursor && { cursor }) } } }),
    [],
  )
  const end = async (id: string) => {
    const question = { title: t.endTitle, text: t.endText, action: t.end, isDangerous: true }
    if (await ask(question, () => kith.delete('/me/sessions/{id}', { params: { path: { id } } }))) pages.remove(id)
  }
  return html`<section>
    <h2>${t.sessions}</h2>
    <p class="quiet">${t.sessionsText}</p>
    <${List}
      pages=${pages}
      item=${({
        id,
        userAgent,
        device,
        lastSeenAt,
        createdAt,
        isCurrent,
      }: Schema<'Login'>) => html`<div key=${id} class="row spread entry">
        <span>
          <span class="words">${device ?? userAgent ?? t.unknownProgram}${isCurrent && ` (${t.thisOne})`}</span>
          <small class="quiet">${t.used(sinceText(lastSeenAt), timeText(createdAt))}</small>
        </span>
        <button class="secondary small" aria-label=${`${t.end}: ${device ?? userAgent ?? t.unknownProgram}, ${timeText(createdAt)}`} onClick=${() => end(id)}>${t.end}</button>
      </div>`}
    />
  </section>` as VNode
}
