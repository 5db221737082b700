// Appeals against decisions of staff.
import type { Schema } from 'kith/client'
import { ask } from '../../lib/dialog.ts'
import { notify } from '../../lib/errors.ts'
import { html, useSignal } from '../../lib/html.ts'
import { Table } from '../../lib/table.ts'
import { optionsOf } from '../../lib/texts.ts'
import { timeCell } from '../cells.ts'
import { Deeds, personLink } from '../parts.ts'
import { kith, saveCsv } from '../session.ts'
import { texts } from '../texts.ts'
import { thingLink } from '../things.ts'

type Appeal = Schema<'StaffDecisionAppeal'>

export function Appeals() {
  const { appeals: t, common, actions } = texts.value
  const version = useSignal(0)
  const resolve = async ({ id }: Appeal, verdict: 'uphold' | 'overturn') => {
    const isDone = await ask(
      {
        title: t[verdict],
        text: t.verdictTexts[verdict],
        fields: [{ name: 'answer', label: t.answer, kind: 'long', max: 1000, hint: t.answerHint }],
        action: t[verdict],
      },
      ({ answer = '' }) =>
        kith.post('/admin/appeals/{id}/resolve', { params: { path: { id } }, body: { verdict, answer } }),
    )
    if (!isDone) return
    notify(t.resolved)
    version.value += 1
  }
  return html`<${Table}
    caption=${t.title}
    version=${version}
    keyOf=${(one: Appeal) => one.id}
    filters=${[
      { name: 'status', label: common.state, options: optionsOf(t.states) },
      { name: 'personId', label: common.person },
      { name: 'q', label: common.search },
      { name: 'from', label: common.from, kind: 'date' },
      { name: 'to', label: common.to, kind: 'date' },
    ]}
    load=${(query: object) => kith.get('/admin/appeals', { params: { query } })}
    csv=${(query: Record<string, string>) => saveCsv('/admin/appeals', query)}
    columns=${[
      { label: common.person, cell: (one: Appeal) => personLink(one.personId, one.person) },
      {
        label: t.decision,
        cell: ({
          decision,
        }: Appeal) => html`<strong>${actions[decision.action]}</strong> · ${thingLink(decision.targetType, decision.targetId)}
          <div class="words">${decision.reason}</div>
          ${decision.caseId && html`<a href=${`/admin/cases/${decision.caseId}`}>${texts.value.case.openCase}</a>`}`,
      },
      { label: t.text, cell: (one: Appeal) => html`<div class="words">${one.text}</div>` },
      {
        label: common.state,
        cell: (one: Appeal) => html`${t.states[one.status]}
          ${one.undone === false && html`<div class="quiet">${t.notUndone}</div>`}
          ${one.answer && html`<div class="words quiet">${one.answer}</div>`}
          ${
            one.mayResolve &&
            html`<${Deeds} small deeds=${[
              { label: t.uphold, run: () => resolve(one, 'uphold') },
              { label: t.overturn, run: () => resolve(one, 'overturn') },
            ]} />`
          }`,
      },
      { label: common.created, cell: (one: Appeal) => timeCell(one.createdAt) },
    ]}
  />`
}
