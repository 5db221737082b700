import type { Schema } from 'kith/client'
import { ErrorNote } from '../../lib/errors.ts'
import { html, useSignal } from '../../lib/html.ts'
import { Table } from '../../lib/table.ts'
import { numberText } from '../../lib/texts.ts'
import { dataCell, idCell, personCell, timeCell } from '../cells.ts'
import { kith, saveCsv } from '../session.ts'
import { texts } from '../texts.ts'

type Entry = Schema<'AuditEntry'>
type Verification = Schema<'AuditVerification'>

/** Verifies the whole log, which takes one request for each 10,000 entries. */
function Verify() {
  const t = texts.value.audit
  const result = useSignal<Verification | undefined>(undefined)
  const checked = useSignal(0)
  const isBusy = useSignal(false)
  const error = useSignal<unknown>(undefined)
  const verify = async () => {
    isBusy.value = true
    error.value = undefined
    result.value = undefined
    checked.value = 0
    try {
      let after: number | null | undefined
      do {
        const found = await kith.get('/admin/audit-log/verify', { params: { query: after ? { after } : {} } })
        checked.value += found.entries
        after = found.ok ? found.next : null
        if (!after) result.value = found
      } while (after)
    } catch (failure) {
      error.value = failure
    }
    isBusy.value = false
  }
  const found = result.value
  const said = found
    ? found.ok
      ? t.sound(numberText(checked.value))
      : found.firstBroken === null
        ? t.broken
        : t.brokenAt(String(found.firstBroken))
    : isBusy.value && t.verifying(numberText(checked.value))
  return html`<p class="buttons">
      <button class="secondary" disabled=${isBusy.value} aria-busy=${isBusy.value} onClick=${verify}>${t.verify}</button>
    </p>
    <${ErrorNote} error=${error.value} />
    <p role="status" class=${found ? (found.ok ? 'verdict' : 'error') : ''}>${said}</p>`
}

export function AuditLog() {
  const t = texts.value.audit
  return html`<p class="quiet">${t.about}</p>
    <${Verify} />
    <${Table}
      caption=${t.title}
      keyOf=${(one: Entry) => String(one.id)}
      filters=${[
        { name: 'action', label: t.action },
        { name: 'actorId', label: t.actorField },
        { name: 'targetType', label: t.targetType },
        { name: 'targetId', label: t.targetId },
        { name: 'q', label: t.search },
        { name: 'from', label: t.from, kind: 'date' },
        { name: 'to', label: t.to, kind: 'date' },
      ]}
      load=${(query: object) => kith.get('/admin/audit-log', { params: { query } })}
      csv=${(query: Record<string, string>) => saveCsv('/admin/audit-log', query)}
      columns=${[
        { label: t.number, isNumber: true, cell: (one: Entry) => String(one.id) },
        { label: t.time, cell: (one: Entry) => timeCell(one.createdAt) },
        { label: t.action, cell: (one: Entry) => html`<code>${one.action}</code>` },
        { label: t.actor, cell: (one: Entry) => personCell(one.actor, one.actorId) },
        { label: t.target, cell: (one: Entry) => html`${one.targetType} <div>${idCell(one.targetId)}</div>` },
        { label: t.ip, cell: (one: Entry) => one.ip ?? '–' },
        { label: t.detail, cell: (one: Entry) => dataCell(one.detail) },
      ]}
    />`
}
