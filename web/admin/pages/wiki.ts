// The list of proposals for the wiki, and the page of one proposal with its changes.
import type { Schema } from 'kith/client'
import { ask } from '../../lib/dialog.ts'
import { ErrorNote, notify } from '../../lib/errors.ts'
import { html } from '../../lib/html.ts'
import { useLoad } from '../../lib/load.ts'
import type { PageProps } from '../../lib/router.ts'
import { sharedTexts } from '../../lib/shared-texts.ts'
import { Table } from '../../lib/table.ts'
import { dotted, numberText, optionsOf, timeText } from '../../lib/texts.ts'
import { personCell, timeCell } from '../cells.ts'
import { interestText } from '../interest-names.ts'
import { isAdmin, kith, saveCsv } from '../session.ts'
import { texts } from '../texts.ts'

type Proposal = Schema<'StaffWikiProposal'>
type Change = Schema<'WikiChange'>

export function WikiProposals() {
  const t = texts.value.wiki
  return html`<${Table}
    caption=${t.title}
    keyOf=${(one: Proposal) => one.id}
    filters=${[{ name: 'status', label: t.status, options: optionsOf(t.statuses) }, { name: 'q', label: t.search }]}
    load=${(query: object) => kith.get('/admin/wiki/proposals', { params: { query } })}
    csv=${(query: Record<string, string>) => saveCsv('/admin/wiki/proposals', query)}
    columns=${[
      {
        label: t.summary,
        cell: (one: Proposal) => html`<a class="words" href=${`/admin/wiki/${one.id}`}>${one.summary}</a>`,
      },
      { label: t.interest, cell: (one: Proposal) => interestText(one.interestId, one.slug) },
      { label: t.proposer, cell: (one: Proposal) => personCell(one.proposer, one.proposerId) },
      { label: t.votes, isNumber: true, cell: (one: Proposal) => numberText(one.netVotes) },
      { label: t.status, cell: (one: Proposal) => html`<span class="tag">${t.statuses[one.status]}</span>` },
      { label: t.time, cell: (one: Proposal) => timeCell(one.createdAt) },
    ]}
  />`
}

/** The changes of a text, line by line. Each changed line has a sign and a word beside its colour. */
function Difference({ changes }: { changes: Change[] }) {
  const t = texts.value.wiki
  const lines = changes.flatMap(({ op, text }) =>
    text
      .replace(/\n$/, '')
      .split('\n')
      .map((one) => ({ op, text: one })),
  )
  const line = ({ op, text }: Change) => {
    if (op === 'insert')
      return html`<ins><span class="hidden-label">${t.inserted} </span><span aria-hidden="true">+ </span>${text}</ins>`
    if (op === 'delete')
      return html`<del><span class="hidden-label">${t.deleted} </span><span aria-hidden="true">− </span>${text}</del>`
    return html`<span><span aria-hidden="true">  </span>${text}</span>`
  }
  return html`<section class="difference words" aria-label=${t.difference}>${lines.map(line)}</section>`
}

export function WikiProposal({ params }: PageProps) {
  const t = texts.value.wiki
  const { id = '' } = params
  const { data, error, set } = useLoad(
    async () =>
      (await kith.get('/admin/wiki/proposals', { params: { query: { q: id } } })).items.find((one) => one.id === id) ??
      null,
    [id],
  )
  const one = data.value
  if (one === undefined) {
    return html`<${ErrorNote} error=${error.value} />${!error.value && html`<p class="quiet">${sharedTexts.value.loading}</p>`}`
  }
  if (one === null) return html`<p>${t.unknown}</p>`
  const settle = (verdict: 'approve' | 'reject') => {
    const fields = [
      { name: 'reason', label: t.reason, kind: 'long' as const, max: 1000, optional: true, hint: t.reasonHint },
    ]
    const question = {
      title: t[verdict],
      text: t[`${verdict}Text`],
      fields,
      action: t[verdict],
      isDangerous: verdict === 'reject',
    }
    ask(question, async ({ reason }) => {
      const sent = { params: { path: { id } }, body: reason ? { reason } : {} }
      set(
        verdict === 'approve'
          ? await kith.post('/admin/wiki/proposals/{id}/approve', sent)
          : await kith.post('/admin/wiki/proposals/{id}/reject', sent),
      )
      notify(verdict === 'approve' ? t.approved : t.rejected)
    })
  }
  return html`<p><a href="/admin/wiki">${t.title}</a></p>
    <h2 class="words">${one.summary}</h2>
    <dl class="facts">
      <dt>${t.interest}</dt><dd>${interestText(one.interestId, one.slug)}</dd>
      <dt>${t.proposer}</dt><dd>${personCell(one.proposer, one.proposerId)}</dd>
      <dt>${t.status}</dt><dd><span class="tag">${t.statuses[one.status]}</span></dd>
      <dt>${t.votes}</dt><dd>${numberText(one.netVotes)}</dd>
      <dt>${t.base}</dt><dd>${one.baseVersion === 0 ? t.noBase : numberText(one.baseVersion)}</dd>
      <dt>${t.time}</dt><dd>${timeText(one.createdAt)}</dd>
      ${one.resolvedAt && html`<dt>${t.resolvedAt}</dt><dd>${timeText(one.resolvedAt)}</dd>`}
    </dl>
    ${
      isAdmin.value &&
      one.status === 'open' &&
      html`<p class="buttons">
        <button onClick=${() => settle('approve')}>${dotted(t.approve)}</button>
        <button class="secondary" onClick=${() => settle('reject')}>${dotted(t.reject)}</button>
      </p>`
    }
    <h2>${t.difference}</h2>
    <${Difference} changes=${one.diff} />`
}
