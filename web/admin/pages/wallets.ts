import type { Schema } from 'kith/client'
import { html } from '../../lib/html.ts'
import { Table } from '../../lib/table.ts'
import { numberText } from '../../lib/texts.ts'
import { personCell, timeCell } from '../cells.ts'
import { kith, saveCsv } from '../session.ts'
import { texts } from '../texts.ts'

type Wallet = Schema<'StaffWallet'>

export function Wallets() {
  const t = texts.value.wallets
  return html`<p class="quiet">${t.about}</p>
    <${Table}
      caption=${t.title}
      keyOf=${(one: Wallet) => one.id}
      filters=${[{ name: 'q', label: t.search }]}
      load=${(query: object) => kith.get('/admin/economy/wallets', { params: { query } })}
      csv=${(query: Record<string, string>) => saveCsv('/admin/economy/wallets', query)}
      columns=${[
        { label: t.person, cell: (one: Wallet) => personCell(one.user, one.id) },
        { label: t.balance, isNumber: true, cell: (one: Wallet) => numberText(one.balance) },
        { label: t.earned, isNumber: true, cell: (one: Wallet) => numberText(one.lifetimeEarned) },
        { label: t.spent, isNumber: true, cell: (one: Wallet) => numberText(one.lifetimeSpent) },
        { label: t.settled, cell: (one: Wallet) => timeCell(one.lastRegenAt) },
        {
          label: t.payments,
          cell: (one: Wallet) => html`<a href=${`/admin/payments?userId=${one.id}`}>${t.showPayments}</a>`,
        },
      ]}
    />`
}
