// The bots of the person, with their access tokens.
import type { Schema } from 'kith/client'
import { ask, type Field } from '../../lib/dialog.ts'
import { ErrorNote, notify } from '../../lib/errors.ts'
import { Form } from '../../lib/form.ts'
import { html, useSignal, type VNode } from '../../lib/html.ts'
import { type Loaded, useLoad } from '../../lib/load.ts'
import { sharedTexts } from '../../lib/shared-texts.ts'
import { nameOf, PersonRow } from '../people.ts'
import { kith } from '../session.ts'
import { programTexts } from './texts.ts'
import { AccessTokens } from './tokens.ts'

type Bot = Schema<'Bot'>

function fieldsOf(bot?: Bot): Field[] {
  const t = programTexts.value.bots
  return [
    {
      name: 'username',
      label: t.username,
      min: 3,
      max: 30,
      hint: t.usernameHint,
      value: bot?.username ?? '',
      fill: 'off',
    },
    { name: 'firstName', label: t.firstName, max: 80, value: bot?.firstName ?? '', fill: 'off' },
    { name: 'lastName', label: t.lastName, max: 80, value: bot?.lastName ?? 'Bot', fill: 'off' },
    { name: 'about', label: t.about, kind: 'long', max: 1000, value: bot?.about ?? '', optional: true },
    ...(bot ? [] : [{ name: 'inviteCode', label: t.invite, max: 20, hint: t.inviteHint, optional: true, fill: 'off' }]),
  ]
}

function OwnBot({ bot, bots }: { bot: Bot; bots: Loaded<unknown> }): VNode {
  const t = programTexts.value
  const isOpen = useSignal(false)
  const name = nameOf(bot)
  const params = { path: { id: bot.personId } }
  const edit = async () => {
    const question = { title: t.edit, fields: fieldsOf(bot), action: t.save, words: t.errors }
    const isDone = await ask(question, ({ username = '', firstName = '', lastName = '', about }) =>
      kith.patch('/me/bots/{id}', { params, body: { username, firstName, lastName, about: about || null } }),
    )
    if (!isDone) return
    notify(t.saved)
    await bots.reload()
  }
  const remove = async () => {
    const question = { title: t.bots.deleteTitle(name), text: t.bots.deleteText, action: t.remove, isDangerous: true }
    if (!(await ask(question, () => kith.delete('/me/bots/{id}', { params })))) return
    notify(t.bots.deleted)
    await bots.reload()
  }
  const toggle = () => {
    isOpen.value = !isOpen.value
  }
  return html`<div class="entry">
    <${PersonRow} card=${bot} about=${bot.bannedAt && html`<span class="tag">${t.bots.banned}</span>`} />
    <div class="buttons">
      <button class="secondary small" aria-label=${`${t.bots.tokens}: ${name}`} aria-expanded=${isOpen.value} onClick=${toggle}>${t.bots.tokens}</button>
      <button class="secondary small" aria-label=${`${t.edit}: ${name}`} onClick=${edit}>${t.edit}</button>
      <button class="secondary small" aria-label=${`${t.remove}: ${name}`} onClick=${remove}>${t.remove}</button>
    </div>
    ${isOpen.value && html`<section class="inner"><h3>${t.bots.tokens}</h3><p class="quiet">${t.bots.tokensText}</p><${AccessTokens} bot=${bot} /></section>`}
  </div>` as VNode
}

export function Bots(): VNode {
  const t = programTexts.value
  const bots = useLoad(() => kith.get('/me/bots'), [])
  const isOpen = useSignal(false)
  const items = bots.data.value?.items
  const toggle = () => {
    isOpen.value = !isOpen.value
  }
  const create = async (values: Record<string, string>) => {
    const { username = '', firstName = '', lastName = '', about, inviteCode } = values
    const more = { ...(about && { about }), ...(inviteCode && { inviteCode }) }
    await kith.post('/me/bots', { body: { username, firstName, lastName, ...more } })
    isOpen.value = false
    notify(t.bots.created)
    await bots.reload()
  }
  return html`<section>
    <h2>${t.bots.title}</h2>
    <p class="quiet">${t.bots.text}</p>
    <${ErrorNote} error=${bots.error.value} />
    ${!items && !bots.error.value && html`<p class="quiet">${sharedTexts.value.loading}</p>`}
    ${items?.length === 0 && !isOpen.value && html`<p class="quiet">${t.bots.none}</p>`}
    ${items?.map((bot) => html`<${OwnBot} key=${bot.id} bot=${bot} bots=${bots} />`)}
    ${
      isOpen.value
        ? html`<article>
            <${Form}
              fields=${fieldsOf()}
              action=${t.bots.create}
              words=${t.errors}
              places=${{ username_taken: 'username', username_reserved: 'username', invite_unknown: 'inviteCode', invite_dead: 'inviteCode' }}
              submit=${create}
              beside=${html`<button type="button" class="secondary" onClick=${toggle}>${sharedTexts.value.cancel}</button>`}
            />
          </article>`
        : items &&
          items.length < 5 &&
          html`<p class="row"><button class="secondary" onClick=${toggle}>${t.bots.add}</button></p>`
    }
  </section>` as VNode
}
