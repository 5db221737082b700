import type { Schema } from 'kith/client'
import { html } from '../../lib/html.ts'
import { Table } from '../../lib/table.ts'
import { timeText } from '../../lib/texts.ts'
import { kith, saveCsv } from '../session.ts'
import { texts } from '../texts.ts'

type Account = Schema<'StaffUser'>

export function statusOf({ erasedAt, suspendedUntil, bannedAt, limitedAt }: Account): string {
  const t = texts.value.people
  if (erasedAt) return t.erased
  if (suspendedUntil) return t.suspended(timeText(suspendedUntil))
  if (bannedAt) return t.banned
  return limitedAt ? t.limited : t.active
}

export function People() {
  const t = texts.value.people
  return html`<${Table}
    caption=${t.title}
    keyOf=${(one: Account) => one.id}
    filters=${[
      { name: 'q', label: t.search },
      { name: 'role', label: t.role, options: Object.entries(t.roles).map(([value, label]) => ({ value, label })) },
    ]}
    load=${(query: object) => kith.get('/admin/users', { params: { query } })}
    csv=${(query: Record<string, string>) => saveCsv('/admin/users', query)}
    columns=${[
      {
        label: t.person,
        cell: ({ id, user }: Account) => html`<a href=${`/admin/people/${id}`}>${user.firstName} ${user.lastName}</a>
          <div class="quiet">${user.username}</div>`,
      },
      { label: t.email, cell: (one: Account) => one.email },
      { label: t.role, cell: (one: Account) => t.roles[one.role] },
      { label: t.status, cell: statusOf },
      { label: t.joined, cell: (one: Account) => timeText(one.createdAt) },
      { label: t.seen, cell: (one: Account) => timeText(one.lastSeenAt) },
    ]}
  />`
}
