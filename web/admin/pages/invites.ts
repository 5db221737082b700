import type { Schema } from 'kith/client'
import { Copy } from '../../lib/copy.ts'
import { ask } from '../../lib/dialog.ts'
import { notify } from '../../lib/errors.ts'
import { html, type Signal, useSignal } from '../../lib/html.ts'
import { Table } from '../../lib/table.ts'
import { dotted, optionsOf } from '../../lib/texts.ts'
import { personCell, timeCell } from '../cells.ts'
import { isAdmin, kith, saveCsv } from '../session.ts'
import { texts } from '../texts.ts'

type Code = Schema<'StaffInviteCode'>

function revoke({ id, code }: Code, version: Signal<number>): void {
  const t = texts.value.invites
  ask({ title: `${t.revoke}: ${code}`, text: t.revokeText, action: t.revoke, isDangerous: true }, async () => {
    await kith.post('/admin/invite-codes/{id}/revoke', { params: { path: { id } } })
    version.value += 1
    notify(t.wasRevoked(code))
  })
}

export function Invites() {
  const t = texts.value.invites
  const version = useSignal(0)
  const made = useSignal<string[]>([])
  const generate = () => {
    const fields = [{ name: 'count', label: t.count, kind: 'number' as const, min: 1, max: 100, value: '1' }]
    ask({ title: t.generate, text: t.generateText, fields, action: t.generate }, async ({ count }) => {
      const { items } = await kith.post('/admin/invite-codes/generate', { body: { count: Number(count) } })
      made.value = items.map(({ code }) => code)
      version.value += 1
    })
  }
  const columns = [
    { label: t.code, cell: (one: Code) => html`<code class="when">${one.code}</code>` },
    { label: t.status, cell: (one: Code) => html`<span class="tag">${t.statuses[one.status]}</span>` },
    { label: t.owner, cell: (one: Code) => personCell(one.owner, one.ownerId) },
    { label: t.usedBy, cell: (one: Code) => personCell(one.usedBy, one.usedById) },
    { label: t.created, cell: (one: Code) => timeCell(one.createdAt) },
    { label: t.expires, cell: (one: Code) => timeCell(one.expiresAt) },
  ]
  const action = {
    label: t.action,
    cell: (one: Code) =>
      ['active', 'reserved'].includes(one.status) &&
      html`<div class="buttons">
        <${Copy} text=${one.code} />
        <button class="secondary small" onClick=${() => revoke(one, version)}>${dotted(t.revoke)}</button>
      </div>`,
  }
  return html`${isAdmin.value && html`<p><button onClick=${generate}>${dotted(t.generate)}</button></p>`}
    ${
      made.value.length > 0 &&
      html`<article class="secret" role="status">
        <p>${t.made}</p>
        <ul>${made.value.map((code) => html`<li><code>${code}</code></li>`)}</ul>
        <${Copy} text=${made.value.join('\n')} />
      </article>`
    }
    <${Table}
      caption=${t.title}
      keyOf=${(one: Code) => one.id}
      version=${version}
      filters=${[{ name: 'status', label: t.status, options: optionsOf(t.statuses) }, { name: 'q', label: t.search }]}
      load=${(query: object) => kith.get('/admin/invite-codes', { params: { query } })}
      csv=${(query: Record<string, string>) => saveCsv('/admin/invite-codes', query)}
      columns=${isAdmin.value ? [...columns, action] : columns}
    />`
}
