import type { Schema } from 'kith/client'
import { html } from '../../lib/html.ts'
import { Table } from '../../lib/table.ts'
import { numberText, optionsOf } from '../../lib/texts.ts'
import { personCell, timeCell } from '../cells.ts'
import { kith, saveCsv } from '../session.ts'
import { texts } from '../texts.ts'

type Hint = Schema<'Signal'>

export function Signals() {
  const t = texts.value.signals
  const share = (value: number | null) => (value === null ? '–' : `${numberText(Math.round(value * 100))} %`)
  return html`<p class="quiet">${t.about}</p>
    <${Table}
      caption=${t.title}
      filters=${[{ name: 'kind', label: t.kind, options: optionsOf(t.kinds) }]}
      load=${(query: object) => kith.get('/admin/signals', { params: { query } })}
      csv=${(query: Record<string, string>) => saveCsv('/admin/signals', query)}
      columns=${[
        { label: t.kind, cell: (one: Hint) => t.kinds[one.kind] },
        { label: t.giver, cell: (one: Hint) => personCell(one.giver, one.giverId) },
        { label: t.receiver, cell: (one: Hint) => personCell(one.receiver, one.receiverId) },
        { label: t.distance, isNumber: true, cell: (one: Hint) => numberText(one.distance) },
        { label: t.age, isNumber: true, cell: (one: Hint) => numberText(one.youngerAgeDays) },
        { label: t.flows, isNumber: true, cell: (one: Hint) => numberText(one.flows) },
        { label: t.total, isNumber: true, cell: (one: Hint) => numberText(one.total) },
        { label: t.givenShare, isNumber: true, cell: (one: Hint) => share(one.givenShare) },
        { label: t.neighbourShare, isNumber: true, cell: (one: Hint) => share(one.neighbourShare) },
        { label: t.last, cell: (one: Hint) => timeCell(one.lastAt) },
      ]}
    />`
}
