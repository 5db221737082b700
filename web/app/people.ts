// Shows people in the web client, and has the actions on a person: block, report and pay.
import { KithError, type Schema } from 'kith/client'
import { ask } from '../lib/dialog.ts'
import { attempt, notify } from '../lib/errors.ts'
import { html, type VNode } from '../lib/html.ts'
import { showable } from '../lib/instance.ts'
import { numberText } from '../lib/texts.ts'
import { kith, me } from './session.ts'
import { texts } from './texts.ts'

export type Card = Schema<'PersonCard'>
type NamedCard = Pick<Card, 'firstName' | 'lastName' | 'username'> & Partial<Pick<Card, 'isBot'>>

export const nameOf = ({ firstName, lastName }: NamedCard): string => `${firstName} ${lastName}`.trim()
export const isMe = (card: Pick<Card, 'username'>): boolean => card.username === me.value?.username
export const addressOfPerson = ({ username }: Pick<Card, 'username'>): string => `/app/people/${username}`

/** The picture of a person, or their initials. Their name is shown beside it. */
export function Face({ card, isLarge }: { card: Card; isLarge?: boolean }): VNode {
  const look = `face${isLarge ? ' large' : ''}`
  const picture = card.profilePicUrl && showable(card.profilePicUrl)
  if (picture) return html`<img class=${look} src=${picture} alt="" loading="lazy" />` as VNode
  const letters = [card.firstName, card.lastName].map((name) => [...name][0] ?? '').join('')
  return html`<span class=${look} aria-hidden="true">${letters}</span>` as VNode
}

export const PersonLink = ({ card }: { card: NamedCard }): VNode =>
  html`<a class="person" href=${addressOfPerson(card)}>${nameOf(card)}</a>${card.isBot && html` <span class="tag">${texts.value.person.bot}</span>`}` as VNode

/** A person in a list: picture, name, and something about them. */
export const PersonRow = ({ card, about }: { card: Card; about?: unknown }): VNode =>
  html`<div class="person-row">
    <${Face} card=${card} />
    <div><${PersonLink} card=${card} /> <span class="quiet">@${card.username}</span>${about && html`<div>${about}</div>`}</div>
  </div>` as VNode

/** Blocks a person after a question. @returns whether they were blocked */
export async function block(card: Card): Promise<boolean> {
  const t = texts.value.person
  const question = { title: t.blockTitle(nameOf(card)), text: t.blockText, action: t.block, isDangerous: true }
  const isDone = await ask(question, () => kith.post('/users/{id}/block', { params: { path: { id: card.personId } } }))
  if (isDone) notify(t.blocked(nameOf(card)))
  return isDone
}

export async function mute(card: Card): Promise<void> {
  const t = texts.value.person
  const id = card.personId
  await attempt(() => kith.post('/users/{id}/mute', { params: { path: { id } } }), t.mutedNow(nameOf(card)))
}

type Target = { targetType: Schema<'Report'>['targetType']; targetId: string }

/** Reports a thing to the staff of the instance. */
export async function report(target: Target): Promise<void> {
  const t = texts.value.report
  await attempt(async () => {
    const { items } = await kith.get('/reports/categories')
    const words = t.categories as Record<string, string>
    const options = items.map(({ category, text }) => ({ value: category, label: words[category] ?? text }))
    const question = {
      title: t.title,
      text: t.text,
      fields: [
        {
          name: 'category',
          label: t.category,
          kind: 'choice' as const,
          options: [{ value: '', label: '' }, ...options],
        },
        { name: 'reason', label: t.reason, kind: 'long' as const, max: 1000 },
      ],
      action: t.action,
    }
    const isDone = await ask(question, ({ category = '', reason = '' }) =>
      kith.post('/reports', { body: { ...target, category, reason } }),
    )
    if (isDone) notify(t.done)
  })
}

/** What payments can express, in the order in which they are offered. */
export const emotions = ['joy', 'love', 'awe', 'curiosity', 'gratitude', 'insight', 'calm', 'courage'] as const
export type Emotion = (typeof emotions)[number]
/** The mana of each tier. */
const amounts = [1, 3, 10, 25, 50, 100]

type Payee = { postId: string } | { replyId: string } | { receiverId: string }
type Paid = Schema<'Paid'>

/** Gives the Idempotency-Key for a body: the same one if the same body is sent again because an answer was lost. */
export function keyed(): (body: object) => string {
  let [key, last] = ['', '']
  return (body) => {
    const text = JSON.stringify(body)
    if (text !== last) [key, last] = [crypto.randomUUID(), text]
    return key
  }
}

/** Asks how much to pay and pays. If the payment is sent again after a lost answer, it is made only once. */
export async function pay(payee: Payee, name: string): Promise<Paid | undefined> {
  const t = texts.value.pay
  let paid: Paid | undefined
  await attempt(async () => {
    const { balance } = await kith.get('/economy/wallet')
    const keyOf = keyed()
    const question = {
      title: t.title(name),
      text: t.text(numberText(balance)),
      fields: [
        {
          name: 'emotion',
          label: t.emotion,
          kind: 'choice' as const,
          options: emotions.map((value) => ({ value, label: t.emotions[value] })),
        },
        {
          name: 'tier',
          label: t.amount,
          kind: 'choice' as const,
          options: amounts
            .map((mana, tier) => ({ value: String(tier), label: t.tier(numberText(mana), t.tiers[tier] ?? ''), mana }))
            .filter(({ mana }) => mana <= Math.max(balance, 1)),
        },
      ],
      action: t.action,
    }
    const isDone = await ask(question, async ({ emotion, tier }) => {
      const body = { ...payee, emotion: emotion as Emotion, tier: Number(tier) }
      paid = await kith.post('/economy/pay', { headers: { 'idempotency-key': keyOf(body) }, body })
    })
    if (isDone && paid) notify(t.done(numberText(paid.payment.total), numberText(paid.senderBalance)))
  })
  return paid
}

/** Whether an error says that a thing does not exist, or that the person may not see it. */
export const isGone = (error: unknown): boolean => error instanceof KithError && error.status === 404
