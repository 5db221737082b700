import type { Schema } from 'kith/client'
import { html } from '../../lib/html.ts'
import { Table } from '../../lib/table.ts'
import { optionsOf, timeText } from '../../lib/texts.ts'
import { timeCell } from '../cells.ts'
import { botTag } from '../parts.ts'
import { kith, saveCsv } from '../session.ts'
import { texts } from '../texts.ts'

type Account = Pick<Schema<'StaffUser'>, 'erasedAt' | 'suspendedUntil' | 'bannedAt' | 'limitedAt'>
type Row = Schema<'StaffUser'>

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
    keyOf=${(one: Row) => one.id}
    filters=${[
      { name: 'q', label: t.search },
      { name: 'role', label: t.role, options: optionsOf(t.roles) },
      { name: 'status', label: t.status, options: optionsOf(t.statuses) },
      { name: 'from', label: texts.value.common.from, kind: 'date' },
      { name: 'to', label: texts.value.common.to, kind: 'date' },
    ]}
    load=${(query: object) => kith.get('/admin/users', { params: { query } })}
    csv=${(query: Record<string, string>) => saveCsv('/admin/users', query)}
    columns=${[
      {
        label: t.person,
        cell: ({ id, user }: Row) => html`<a href=${`/admin/people/${id}`}>${user.firstName} ${user.lastName}</a>
          <div class="quiet">${user.username}${botTag(user)}</div>`,
      },
      { label: t.email, cell: ({ email, user }: Row) => (user.isBot ? '–' : email) },
      { label: t.role, cell: (one: Row) => t.roles[one.role] },
      { label: t.status, cell: statusOf },
      { label: t.joined, cell: (one: Row) => timeCell(one.createdAt) },
      { label: t.seen, cell: (one: Row) => timeCell(one.lastSeenAt) },
    ]}
  />`
}
