import type { Schema } from 'kith/client'
import { ask } from '../../lib/dialog.ts'
import { notify } from '../../lib/errors.ts'
import { html, type Signal, useSignal } from '../../lib/html.ts'
import { Table } from '../../lib/table.ts'
import { dotted, numberText, optionsOf, timeText } from '../../lib/texts.ts'
import { personCell, timeCell, wordsCell } from '../cells.ts'
import { isAdmin, kith, saveCsv } from '../session.ts'
import { texts } from '../texts.ts'

type Order = Schema<'StaffOrder'>

function resolve({ id, priceMana, buyer, seller }: Order, version: Signal<number>): void {
  const t = texts.value.orders
  const fields = [
    {
      name: 'refundMana',
      label: t.refund,
      kind: 'number' as const,
      min: 0,
      max: priceMana,
      hint: t.refundHint(numberText(priceMana)),
    },
    { name: 'note', label: t.note, kind: 'long' as const, max: 1000, hint: t.noteHint },
  ]
  const text = t.resolveText(buyer?.username ?? '–', seller?.username ?? '–')
  ask({ title: t.resolve, text, fields, action: t.resolve, isDangerous: true }, async ({ refundMana, note = '' }) => {
    const body = { refundMana: Number(refundMana), note }
    await kith.post('/admin/market/orders/{id}/resolve', { params: { path: { id } }, body })
    version.value += 1
    notify(t.resolved)
  })
}

/** The title of the offering. It opens to show what buyer and seller wrote, and when the order changed. */
function OrderCell({ order }: { order: Order }) {
  const t = texts.value.orders
  const { offering, note, deliveryNote, disputeReason, history } = order
  return html`<details class="more">
    <summary class="words">${offering.title}</summary>
    <p class="words">${offering.description}</p>
    <dl class="facts">
      ${note && html`<dt>${t.buyerNote}</dt><dd class="words">${note}</dd>`}
      ${deliveryNote && html`<dt>${t.deliveryNote}</dt><dd class="words">${deliveryNote}</dd>`}
      ${disputeReason && html`<dt>${t.disputeReason}</dt><dd class="words">${disputeReason}</dd>`}
      ${history.map((step) => html`<dt>${timeText(step.at)}</dt><dd>${t.states[step.state]}, ${t.by[step.by]}</dd>`)}
    </dl>
  </details>`
}

export function Orders() {
  const t = texts.value.orders
  const version = useSignal(0)
  const columns = [
    { label: t.offering, cell: (one: Order) => html`<${OrderCell} order=${one} />` },
    { label: t.buyer, cell: (one: Order) => personCell(one.buyer, one.buyerId) },
    { label: t.seller, cell: (one: Order) => personCell(one.seller, one.sellerId) },
    { label: t.price, isNumber: true, cell: (one: Order) => numberText(one.priceMana) },
    {
      label: t.refunded,
      isNumber: true,
      cell: (one: Order) => (one.refundMana === null ? '–' : numberText(one.refundMana)),
    },
    { label: t.state, cell: (one: Order) => html`<span class="tag">${t.states[one.state]}</span>` },
    { label: t.disputeReason, cell: (one: Order) => wordsCell(one.disputeReason) },
    { label: t.time, cell: (one: Order) => timeCell(one.createdAt) },
  ]
  const action = {
    label: t.action,
    cell: (one: Order) =>
      one.state === 'disputed' &&
      html`<button class="small" onClick=${() => resolve(one, version)}>${dotted(t.resolve)}</button>`,
  }
  return html`<${Table}
    caption=${t.title}
    keyOf=${(one: Order) => one.id}
    version=${version}
    filters=${[{ name: 'state', label: t.state, options: optionsOf(t.states) }]}
    load=${(query: object) => kith.get('/admin/market/orders', { params: { query } })}
    csv=${(query: Record<string, string>) => saveCsv('/admin/market/orders', query)}
    columns=${isAdmin.value ? [...columns, action] : columns}
  />`
}
