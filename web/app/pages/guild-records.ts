// What a guild has kept: the movements of its treasury, and the charters that it has had.
import type { Schema } from 'kith/client'
import { ask, type Field } from '../../lib/dialog.ts'
import { ErrorNote, notify } from '../../lib/errors.ts'
import { html, type VNode } from '../../lib/html.ts'
import { useLoad } from '../../lib/load.ts'
import { numberText, timeText } from '../../lib/texts.ts'
import { When } from '../card.ts'
import { List, usePages } from '../list.ts'
import type { PageProps } from '../pages.ts'
import { keyed, PersonLink } from '../people.ts'
import { kith } from '../session.ts'
import { spaceTexts } from '../space-texts.ts'
import { texts } from '../texts.ts'
import { Words } from '../words.ts'

type Entry = Schema<'TreasuryEntry'>
type Charter = Schema<'Charter'>

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
  const give = async () => {
    const keyOf = keyed()
    const fields: Field[] = [
      { name: 'amount', label: t.amount, kind: 'number', min: 1, max: 1_000_000_000, value: '1' },
      { name: 'note', label: t.note, kind: 'long', max: 500, optional: true, hint: t.noteHint },
    ]
    const isGiven = await ask({ title: t.give, text: t.giveText, fields, action: t.give }, ({ amount, note }) => {
      const body = { amount: Number(amount), ...(note && { note }) }
      return kith.post('/treasury/{guildId}/contribute', {
        params,
        headers: { 'idempotency-key': keyOf(body) },
        body,
      })
    })
    if (!isGiven) return
    notify(t.given)
    await Promise.all([guild.reload(), pages.reload()])
  }
  return html`<${ErrorNote} error=${guild.error.value} />
    ${typeof found?.treasuryBalance === 'number' && html`<p class="balance"><strong>${texts.value.pay.mana(numberText(found.treasuryBalance))}</strong></p>`}
    <p class="quiet">${t.treasuryText}</p>
    ${found?.viewer.role && !found.archivedAt && html`<p><button onClick=${give}>${t.give}</button></p>`}
    <${List} pages=${pages} empty=${t.noMovements} item=${(entry: Entry) => html`<${Movement} key=${entry.id} entry=${entry} guild=${id} />`} />
    <${Back} id=${id} />` as VNode
}

/** The charters of a guild, latest first, for whoever sees the guild. */
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
    ${charter ? html`<${Words} text=${charter} />` : html`<p class="quiet">${t.noCharter}</p>`}
  </article>`
  return html`<${List} pages=${pages} item=${item} />
    <${Back} id=${id} />` as VNode
}
