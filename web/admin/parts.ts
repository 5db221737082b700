// Parts that several pages of the panel have: people, facts, sections that load when somebody opens them, and buttons.
import type { Schema } from 'kith/client'
import { ask, type Field } from '../lib/dialog.ts'
import { attempt, notify } from '../lib/errors.ts'
import { type ComponentChildren, effect, html, type Signal, signal, useSignal, type VNode } from '../lib/html.ts'
import { reachable } from '../lib/instance.ts'
import { timeText } from '../lib/texts.ts'
import { kith, me } from './session.ts'
import { texts } from './texts.ts'

type Card = Schema<'PersonCard'>

export const nameOf = ({ firstName, lastName }: Card): string => `${firstName} ${lastName}`.trim()
export const isMe = (card: Card | null | undefined): boolean => card?.username === me.value?.username

/** Marks an account that is a bot. */
export const botTag = ({ isBot }: Card): VNode | false =>
  isBot && (html` <span class="tag">${texts.value.people.bot}</span>` as VNode)

/** A person with a link to their page. */
export const personLink = (id: string | null, card: Card | null): VNode | string =>
  id && card
    ? (html`<a href=${`/admin/people/${id}`}>${nameOf(card)}</a> <span class="quiet">${card.username}</span>${botTag(card)}` as VNode)
    : '–'

type BotFacts = Pick<Schema<'StaffUserDetails'>, 'owner' | 'bots'>

/** Who runs a bot, or the bots that a person runs. */
export const botFacts = ({ owner, bots }: BotFacts): Fact[] => {
  const t = texts.value.people
  return [
    [t.runBy, owner && personLink(owner.personId, owner)],
    [
      t.bots,
      bots.length > 0 && bots.map((bot) => html`<div key=${bot.personId}>${personLink(bot.personId, bot)}</div>`),
    ],
  ]
}

type Fact = [label: string, value: unknown]

/** Facts with their names; those without a value are left out. */
export const Facts = ({ facts }: { facts: Fact[] }) =>
  html`<dl class="facts">
    ${facts
      .filter(([, value]) => value !== null && value !== undefined && value !== '' && value !== false)
      .map(([label, value]) => html`<dt>${label}</dt><dd>${value}</dd>`)}
  </dl>`

/** A part of a page that loads only when somebody opens it. */
export function Later({ title, show }: { title: string; show: () => ComponentChildren }) {
  const isOpen = useSignal(false)
  const toggle = (event: Event) => {
    isOpen.value = isOpen.value || (event.target as HTMLDetailsElement).open
  }
  return html`<details class="later" onToggle=${toggle}>
    <summary>${title}</summary>
    ${isOpen.value && show()}
  </details>`
}

export type Deed = { label: string; run: () => unknown; isDangerous?: boolean; isMain?: boolean }

/** Buttons for what the person may do here. It shows nothing if there is nothing to do. */
export const Deeds = ({ deeds, small }: { deeds: (Deed | false | undefined | null)[]; small?: boolean }) => {
  const shown = deeds.filter((one): one is Deed => Boolean(one))
  const look = ({ isDangerous, isMain }: Deed) =>
    `${isDangerous ? 'danger' : isMain ? '' : 'secondary'}${small ? ' small' : ''}`
  return (
    shown.length > 0 &&
    html`<div class="buttons">
      ${shown.map((one) => html`<button key=${one.label} class=${look(one)} onClick=${() => one.run()}>${one.label}</button>`)}
    </div>`
  )
}

/** A picture or a film. It loads only after a click, so that nobody sees it unprepared. */
export function Medium({ url, alt, isVideo }: { url: string; alt?: string | null; isVideo?: boolean }) {
  const isShown = useSignal(false)
  const t = texts.value.common
  const show = () => {
    isShown.value = true
  }
  if (!isShown.value) return html`<p><button class="secondary small" onClick=${show}>${t.showMedia}</button> ${alt}</p>`
  return isVideo
    ? html`<video class="medium" controls src=${reachable(url)} aria-label=${alt ?? ''}></video>`
    : html`<img class="medium" src=${reachable(url)} alt=${alt ?? ''} />`
}

type Category = { category: string; text: string }
const categories = signal<Category[]>([])

// the categories are loaded at the login, so that the first dialog has them
effect(() => {
  if (!me.value) return
  void attempt(async () => {
    categories.value = (await kith.get('/reports/categories')).items
  })
})

/** The categories of reports as choices. */
export const categoryOptions = (): { value: string; label: string }[] =>
  categories.value.map(({ category }) => ({ value: category, label: categoryText(category) }))

/** The short name of a category. */
export const categoryText = (category: string): string =>
  (texts.value.categories as Record<string, string>)[category] ?? category

/** What staff or a rule decided, in a word. */
export const actionText = (action: string): string => (texts.value.actions as Record<string, string>)[action] ?? action

/** The beginning of a text. */
export const beginning = (words: string, most = 200): string =>
  words.length > most ? `${words.slice(0, most).trimEnd()}…` : words

/** The value of a field for a local date and time, in the form that the API takes. */
export const momentOf = (local: string | undefined): string | undefined =>
  local ? new Date(local).toISOString() : undefined

/** A fact about the time of something, if it happened. */
export const whenTrue = (label: string, at: string | null | undefined): Fact => [label, at ? timeText(at) : null]

/**
 * Runs a step after a dialog, which asks for a reason if the step takes one for the audit log. Then `version` changes.
 */
export function stepWith(
  version: Signal<number>,
  about: {
    label: string
    /** The name of what the step changes, for the title of the question. */
    what: string
    text: string
    isDangerous?: boolean
    hasReason?: boolean
  },
  run: (body: { reason?: string }) => Promise<unknown>,
): Deed {
  const { label, what, text, isDangerous = false, hasReason = true } = about
  const t = texts.value.common
  const reason: Field = { name: 'reason', label: t.reason, kind: 'long', max: 1000, optional: true, hint: t.reasonHint }
  const question = { title: `${label}: ${what}`, text, fields: hasReason ? [reason] : [], action: label, isDangerous }
  return {
    label,
    isDangerous,
    run: async () => {
      if (!(await ask(question, ({ reason: why }) => run(why ? { reason: why } : {})))) return
      notify(t.done)
      version.value += 1
    },
  }
}
