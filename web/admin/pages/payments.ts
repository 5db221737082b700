import type { Schema } from 'kith/client'
import { ask } from '../../lib/dialog.ts'
import { notify } from '../../lib/errors.ts'
import { html, type Signal, useSignal } from '../../lib/html.ts'
import { Table } from '../../lib/table.ts'
import { dotted, numberText } from '../../lib/texts.ts'
import { personCell, timeCell } from '../cells.ts'
import { isAdmin, kith, saveCsv } from '../session.ts'
import { texts } from '../texts.ts'

type Payment = Schema<'StaffPayment'>

function reverse({ id, amount, sender }: Payment, version: Signal<number>): void {
  const t = texts.value.payments
  const fields = [
    { name: 'reason', label: t.reason, kind: 'long' as const, max: 1000 },
    { name: 'force', label: t.force, kind: 'check' as const, hint: t.forceHint },
  ]
  const text = t.reverseText(numberText(amount), sender.username)
  ask({ title: t.reverse, text, fields, action: t.reverse, isDangerous: true }, async ({ reason = '', force }) => {
    const body = { reason, force: force === 'true' }
    const { minted } = await kith.post('/admin/economy/payments/{id}/reverse', { params: { path: { id } }, body })
    version.value += 1
    notify(minted > 0 ? t.reversedMinted(numberText(minted)) : t.wasReversed)
  })
}

function state(one: Payment) {
  const t = texts.value.payments
  if (one.reversalOf) return html`<span class="tag">${t.isReversal}</span>`
  return one.reversedBy ? html`<span class="tag">${t.isReversed}</span>` : t.isPaid
}

export function Payments() {
  const t = texts.value.payments
  const version = useSignal(0)
  const columns = [
    { label: t.time, cell: (one: Payment) => timeCell(one.createdAt) },
    { label: t.sender, cell: (one: Payment) => personCell(one.sender, one.senderId) },
    { label: t.receiver, cell: (one: Payment) => personCell(one.receiver, one.receiverId) },
    { label: t.amount, isNumber: true, cell: (one: Payment) => numberText(one.amount) },
    { label: t.emotion, cell: (one: Payment) => t.emotions[one.emotion] },
    { label: t.shares, isNumber: true, cell: (one: Payment) => numberText(one.splits.length) },
    { label: t.state, cell: state },
  ]
  const action = {
    label: t.action,
    cell: (one: Payment) =>
      !one.reversed &&
      !one.reversedBy &&
      html`<button class="secondary small" onClick=${() => reverse(one, version)}>${dotted(t.reverse)}</button>`,
  }
  return html`<${Table}
    caption=${t.title}
    keyOf=${(one: Payment) => one.id}
    version=${version}
    filters=${[
      { name: 'userId', label: t.person },
      { name: 'q', label: t.search },
      { name: 'from', label: t.from, kind: 'date' },
      { name: 'to', label: t.to, kind: 'date' },
    ]}
    load=${(query: object) => kith.get('/admin/economy/payments', { params: { query } })}
    csv=${(query: Record<string, string>) => saveCsv('/admin/economy/payments', query)}
    columns=${isAdmin.value ? [...columns, action] : columns}
  />`
}
