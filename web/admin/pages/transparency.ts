import type { Schema } from 'kith/client'
import { html } from '../../lib/html.ts'
import { query, setQuery } from '../../lib/router.ts'
import { Table } from '../../lib/table.ts'
import { numberText } from '../../lib/texts.ts'
import { actionText, categoryText } from '../parts.ts'
import { kith, saveCsv } from '../session.ts'
import { texts } from '../texts.ts'

type Figure = Schema<'Transparency'>['items'][number]
const YEARS = 5

export function Transparency() {
  const t = texts.value.transparency
  const now = new Date().getUTCFullYear()
  const year = Number(query.value.get('year') ?? now)
  const choose = (event: Event) => setQuery({ year: (event.target as HTMLSelectElement).value })
  return html`<p class="quiet">${t.about}</p>
    <form class="filters" onSubmit=${(event: Event) => event.preventDefault()}>
      <label>
        ${t.year}
        <select name="year" value=${year} onChange=${choose}>
          ${Array.from({ length: YEARS }, (_, at) => now - at).map((one) => html`<option value=${one}>${one}</option>`)}
        </select>
      </label>
    </form>
    ${year === now && html`<p class="quiet">${t.incomplete}</p>`}
    <${Table}
      key=${year}
      caption=${t.caption(String(year))}
      load=${() => kith.get('/admin/transparency/{year}', { params: { path: { year } } })}
      csv=${() => saveCsv(`/admin/transparency/${year}`, {})}
      columns=${[
        { label: t.indicator, cell: (one: Figure) => t.indicators[one.indicator] },
        { label: t.category, cell: (one: Figure) => (one.category ? categoryText(one.category) : '–') },
        { label: t.action, cell: (one: Figure) => (one.action ? actionText(one.action) : '–') },
        { label: t.automated, cell: (one: Figure) => (one.automated === null ? '–' : one.automated ? t.yes : t.no) },
        { label: t.value, isNumber: true, cell: (one: Figure) => numberText(one.value) },
      ]}
    />`
}
