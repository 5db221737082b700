import type { Schema } from 'kith/client'
import { ErrorNote } from '../../lib/errors.ts'
import { html } from '../../lib/html.ts'
import { useLoad } from '../../lib/load.ts'
import { sharedTexts } from '../../lib/shared-texts.ts'
import { Table } from '../../lib/table.ts'
import { numberText, timeText } from '../../lib/texts.ts'
import { idCell } from '../cells.ts'
import { kith } from '../session.ts'
import { texts } from '../texts.ts'

type Ledger = Schema<'Books'>['ledgers'][number]
type Finding = Ledger['findings'][number]

function LedgerResult({ ledger }: { ledger: Ledger }) {
  const t = texts.value.books
  const { auditedAt, violations, findings } = ledger
  const amount = (value: number | null) => (value === null ? '–' : numberText(value))
  return html`<section>
    <h2>${t.ledgers[ledger.ledger]}</h2>
    <dl class="facts">
      <dt>${t.audited}</dt><dd>${auditedAt ? timeText(auditedAt) : t.never}</dd>
      <dt>${t.violations}</dt><dd>${amount(violations)}</dd>
    </dl>
    ${
      findings.length > 0 &&
      html`<${Table}
        caption=${t.findings}
        load=${async () => ({ items: findings })}
        columns=${[
          { label: t.rule, cell: (one: Finding) => html`<code>${one.rule}</code>` },
          { label: t.subject, cell: (one: Finding) => idCell(one.subjectId) },
          { label: t.expected, isNumber: true, cell: (one: Finding) => amount(one.expected) },
          { label: t.found, isNumber: true, cell: (one: Finding) => amount(one.found) },
        ]}
      />`
    }
  </section>`
}

export function Books() {
  const t = texts.value.books
  const { data, error } = useLoad(() => kith.get('/admin/economy/audit'), [])
  const books = data.value
  const verdict = books && (books.sound === null ? t.unknown : books.sound ? t.sound : t.unsound)
  return html`<p class="quiet">${t.about}</p>
    <${ErrorNote} error=${error.value} />
    ${!books && !error.value && html`<p class="quiet">${sharedTexts.value.loading}</p>`}
    ${books && html`<p class=${books.sound === false ? 'error' : 'verdict'}>${verdict}</p>`}
    <div class="columns">${books?.ledgers.map((one) => html`<${LedgerResult} ledger=${one} />`)}</div>`
}
