// The records of a guild: the movements of its treasury, and all its charters.
import type { Schema } from 'kith/client'
import { ask, type Field } from '../../lib/dialog.ts'
import { ErrorNote, notify } from '../../lib/errors.ts'
import { html, type VNode } from '../../lib/html.ts'
import { useLoad } from '../../lib/load.ts'
import type { PageProps } from '../../lib/router.ts'
import { numberText, timeText } from '../../lib/texts.ts'
import { When } from '../card.ts'
import { List, usePages } from '../list.ts'
import { Markdown } from '../markdown.ts'
import { keyed, PersonLink } from '../people.ts'
import { kith } from '../session.ts'
import { spaceTexts } from '../space-texts.ts'
import { texts } from '../texts.ts'

type Entry = Schema<'TreasuryEntry'>
type Charter = Schema<'Charter'>

/** The most mana that one contribution, payment or distribution can move. */
const MOST = 1_000_000_000

type Sent = { params: { path: { guildId: string } }; headers: { 'idempotency-key': string } }
type Send = (body: { amount: number; note?: string }, sent: Sent, recipientId: string) => Promise<unknown>

const Back = ({ id }: { id: string }): VNode =>
  html`<p><a href=${`/app/guilds/${id}`}>${spaceTexts.value.backTo}</a></p>` as VNode

function Movement({ entry, guild }: { entry: Entry; guild: string }): VNode {
  const t = spaceTexts.value
  const { amount, counterpart, actor, kind, proposalId } = entry
  return html`<article class="movement">
    <div>
      ${amount > 0 ? t.from : t.to} ${counterpart ? html`<${PersonLink} card=${counterpart} />` : t.somebody}
      <div class="quiet facts">
        <span>${t.movements[kind]}</span>
        ${kind !== 'contribution' && actor && html`<span>${t.by} <${PersonLink} card=${actor} /></span>`}
        ${proposalId && html`<a href=${`/app/guilds/${guild}/proposals/${proposalId}`}>${t.byProposal}</a>`}
        <${When} at=${entry.createdAt} />
      </div>
      ${entry.note && html`<div class="words">${entry.note}</div>`}
    </div>
    <strong class="number">${amount > 0 ? '+' : '−'}${numberText(Math.abs(amount))}</strong>
  </article>` as VNode
}

/** The treasury, which only members of the guild can read. */
export function TreasuryPage({ params: { id = '' } }: PageProps): VNode {
  const t = spaceTexts.value
  const guild = useLoad(() => kith.get('/guilds/{id}', { params: { path: { id } } }), [id])
  const params = { path: { guildId: id } }
  const pages = usePages<Entry>(
    (cursor) => kith.get('/treasury/{guildId}', { params: { ...params, query: { ...(cursor && { cursor }) } } }),
    [id],
  )
  const found = guild.data.value
  /** Asks, moves mana, and shows the new balance. If a request is repeated after a lost answer, the mana moves once. */
  const move = async (question: Parameters<typeof ask>[0], done: string, send: Send) => {
    const keyOf = keyed()
    const isMoved = await ask(question, ({ amount, note, recipientId = '' }) => {
      const body = { amount: Number(amount), ...(note && { note }) }
      const headers = { 'idempotency-key': keyOf({ ...body, recipientId }) }
      return send(body, { params, headers }, recipientId)
    })
    if (!isMoved) return
    notify(done)
    await Promise.all([guild.reload(), pages.reload()])
  }
  const fields = (most: number): Field[] => [
    { name: 'amount', label: t.amount, kind: 'number', min: 1, max: Math.min(most, MOST), value: '1' },
    { name: 'note', label: t.note, kind: 'long', max: 500, optional: true, hint: t.noteHint },
  ]
  const give = () =>
    move({ title: t.give, text: t.giveText, fields: fields(MOST), action: t.give }, t.given, (body, sent) =>
      kith.post('/treasury/{guildId}/contribute', { ...sent, body }),
    )
  const balance = found?.treasuryBalance ?? 0
  const payOut = () => {
    const person: Field = { name: 'recipientId', label: t.person, max: 30 }
    // a payment needs a reason
    const rest = fields(balance).map((field) => ({ ...field, optional: false }))
    const question = { title: t.payOut, text: t.payOutText, fields: [person, ...rest], action: t.payOut }
    return move(question, t.paidOut, ({ note = '', ...body }, sent, recipientId) =>
      kith.post('/treasury/{guildId}/disburse', { ...sent, body: { ...body, note, recipientId } }),
    )
  }
  const distribute = () =>
    move(
      { title: t.distribute, text: t.distributeText, fields: fields(balance), action: t.distribute },
      t.distributed,
      (body, sent) => kith.post('/treasury/{guildId}/distribute-by-contribution', { ...sent, body }),
    )
  const role = found?.archivedAt ? null : found?.viewer.role
  const spends = (role === 'founder' || role === 'steward') && balance > 0
  return html`<${ErrorNote} error=${guild.error.value} />
    ${typeof found?.treasuryBalance === 'number' && html`<p class="balance"><strong>${texts.value.pay.mana(numberText(found.treasuryBalance))}</strong></p>`}
    <p class="quiet">${t.treasuryText}</p>
    ${
      role &&
      html`<div class="buttons">
        <button onClick=${give}>${t.give}</button>
        ${spends && html`<button class="secondary" onClick=${payOut}>${t.payOut}</button>`}
        ${spends && html`<button class="secondary" onClick=${distribute}>${t.distribute}</button>`}
      </div>`
    }
    <${List} pages=${pages} empty=${t.noMovements} item=${(entry: Entry) => html`<${Movement} key=${entry.id} entry=${entry} guild=${id} />`} />
    <${Back} id=${id} />` as VNode
}

/** The charters of a guild, latest first, for everybody who can see the guild. */
export function ChartersPage({ params: { id = '' } }: PageProps): VNode {
  const t = spaceTexts.value
  const pages = usePages<Charter & { id: string }>(
    async (cursor) => {
      const params = { path: { id }, query: { ...(cursor && { cursor }) } }
      const { items, nextCursor } = await kith.get('/guilds/{id}/charter/versions', { params })
      return { items: items.map((one) => ({ ...one, id: String(one.version) })), nextCursor }
    },
    [id],
  )
  const item = ({ version, charter, proposalId, createdAt }: Charter) => html`<article key=${version}>
    <h2>${t.version(version)}</h2>
    <p class="row">
      ${version === pages.items[0]?.version && html`<span class="tag">${t.inForce}</span>`}
      <span class="quiet">${t.since(timeText(createdAt))}</span>
      ${proposalId && html`<a href=${`/app/guilds/${id}/proposals/${proposalId}`}>${t.byProposal}</a>`}
    </p>
    ${charter ? html`<${Markdown} text=${charter} />` : html`<p class="quiet">${t.noCharter}</p>`}
  </article>`
  return html`<${List} pages=${pages} item=${item} />
    <${Back} id=${id} />` as VNode
}
