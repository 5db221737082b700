// The ledger of reputation, peer votes, appeals, and contribution.
import type { Schema } from 'kith/client'
import { ask } from '../../lib/dialog.ts'
import { notify } from '../../lib/errors.ts'
import { html, type Signal, useSignal } from '../../lib/html.ts'
import { Table } from '../../lib/table.ts'
import { dotted, numberText, optionsOf } from '../../lib/texts.ts'
import { idCell, personCell, timeCell, wordsCell } from '../cells.ts'
import { interestText } from '../interest-names.ts'
import { isAdmin, kith, saveCsv } from '../session.ts'
import { texts } from '../texts.ts'

type Entry = Schema<'StaffReputationEntry'>
type Vote = Schema<'StaffVote'>
type Appeal = Schema<'StaffAppeal'>
type Contributor = Schema<'Contributor'>

/** Asks whose reputation in an interest is to change, and by how much. */
export function adjust(interest: { id: string; name: string }, username = '', after = () => {}): void {
  const t = texts.value.reputation
  const fields = [
    { name: 'userId', label: t.personField, value: username },
    { name: 'delta', label: t.delta, kind: 'number' as const, min: -1000, max: 1000, step: 0.01, hint: t.deltaHint },
    { name: 'note', label: t.note, kind: 'long' as const, max: 1000, hint: t.noteHint },
  ]
  const question = { title: t.adjust, text: t.adjustText(interest.name), fields, action: t.adjust, isDangerous: true }
  ask(question, async ({ userId = '', delta, note = '' }) => {
    const body = { userId, interestId: interest.id, delta: Number(delta), note }
    const { user, value } = await kith.post('/admin/reputation/adjust', { body })
    after()
    notify(t.adjusted(user.username, numberText(value)))
  })
}

export function ReputationEntries() {
  const t = texts.value.reputation
  const version = useSignal(0)
  const refresh = () => {
    version.value += 1
  }
  const columns = [
    { label: t.time, cell: (one: Entry) => timeCell(one.createdAt) },
    { label: t.person, cell: (one: Entry) => personCell(one.user, one.userId) },
    { label: t.interest, cell: (one: Entry) => interestText(one.interestId, one.slug) },
    { label: t.kind, cell: (one: Entry) => (t.kinds as Record<string, string>)[one.kind] ?? one.kind },
    { label: t.delta, isNumber: true, cell: (one: Entry) => numberText(one.delta) },
    {
      label: t.origin,
      cell: (one: Entry) => (one.undoesId ? t.undoes : one.rollUpLevel > 0 ? t.rolledUp(one.rollUpLevel) : t.direct),
    },
    { label: t.source, cell: (one: Entry) => idCell(one.sourceId) },
  ]
  const action = {
    label: t.action,
    cell: (one: Entry) =>
      html`<button
        class="secondary small"
        onClick=${() => adjust({ id: one.interestId, name: interestText(one.interestId, one.slug) }, one.user.username, refresh)}
      >
        ${dotted(t.adjust)}
      </button>`,
  }
  return html`<${Table}
    caption=${t.title}
    keyOf=${(one: Entry) => one.id}
    version=${version}
    filters=${[
      { name: 'userId', label: t.personField },
      { name: 'q', label: t.search },
      { name: 'rollUps', label: t.shares, options: [{ value: 'false', label: t.withoutShares }] },
      { name: 'from', label: t.from, kind: 'date' },
      { name: 'to', label: t.to, kind: 'date' },
    ]}
    load=${(query: object) => kith.get('/admin/reputation/events', { params: { query } })}
    csv=${(query: Record<string, string>) => saveCsv('/admin/reputation/events', query)}
    columns=${isAdmin.value ? [...columns, action] : columns}
  />`
}

export function Votes() {
  const t = texts.value.votes
  const words = texts.value.reputation
  return html`<${Table}
    caption=${t.title}
    keyOf=${(one: Vote) => one.id}
    filters=${[
      { name: 'voterId', label: t.voterField },
      { name: 'userId', label: words.personField },
      { name: 'q', label: t.search },
      { name: 'from', label: words.from, kind: 'date' },
      { name: 'to', label: words.to, kind: 'date' },
    ]}
    load=${(query: object) => kith.get('/admin/reputation/votes', { params: { query } })}
    csv=${(query: Record<string, string>) => saveCsv('/admin/reputation/votes', query)}
    columns=${[
      { label: words.time, cell: (one: Vote) => timeCell(one.updatedAt) },
      { label: t.voter, cell: (one: Vote) => personCell(one.voter, one.voterId) },
      { label: words.person, cell: (one: Vote) => personCell(one.user, one.userId) },
      { label: t.value, isNumber: true, cell: (one: Vote) => (one.value === 0 ? t.removed : numberText(one.value)) },
      { label: t.impact, isNumber: true, cell: (one: Vote) => numberText(one.impact) },
      { label: t.comment, cell: (one: Vote) => wordsCell(one.comment) },
    ]}
  />`
}

function resolve(appeal: Appeal, decision: 'accepted' | 'rejected', version: Signal<number>): void {
  const t = texts.value.reputationAppeals
  const isAccepted = decision === 'accepted'
  const restore = {
    name: 'restoreDelta',
    label: t.restore,
    kind: 'number' as const,
    min: 0.01,
    max: 1000,
    step: 0.01,
    optional: true,
    hint: t.restoreHint,
  }
  const note = { name: 'note', label: t.note, kind: 'long' as const, max: 1000, optional: true, hint: t.noteHint }
  const question = {
    title: isAccepted ? t.accept : t.reject,
    text: isAccepted ? t.acceptText(appeal.user.username) : t.rejectText(appeal.user.username),
    fields: isAccepted ? [restore, note] : [note],
    action: isAccepted ? t.accept : t.reject,
    isDangerous: !isAccepted,
  }
  ask(question, async (values) => {
    const body = {
      decision,
      ...(values.restoreDelta && { restoreDelta: Number(values.restoreDelta) }),
      ...(values.note && { note: values.note }),
    }
    await kith.post('/admin/reputation/appeals/{id}/resolve', { params: { path: { id: appeal.id } }, body })
    version.value += 1
    notify(t.resolved)
  })
}

export function ReputationAppeals() {
  const t = texts.value.reputationAppeals
  const words = texts.value.reputation
  const version = useSignal(0)
  const columns = [
    { label: words.time, cell: (one: Appeal) => timeCell(one.createdAt) },
    { label: words.person, cell: (one: Appeal) => personCell(one.user, one.userId) },
    { label: words.interest, cell: (one: Appeal) => interestText(one.interestId, one.slug) },
    { label: t.text, cell: (one: Appeal) => wordsCell(one.text) },
    { label: t.status, cell: (one: Appeal) => html`<span class="tag">${t.statuses[one.status]}</span>` },
    {
      label: t.restored,
      isNumber: true,
      cell: (one: Appeal) => (one.restoreDelta === null ? '–' : numberText(one.restoreDelta)),
    },
    { label: t.note, cell: (one: Appeal) => wordsCell(one.note) },
  ]
  const action = {
    label: words.action,
    cell: (one: Appeal) =>
      one.status === 'pending' &&
      html`<div class="buttons">
        <button class="small" onClick=${() => resolve(one, 'accepted', version)}>${dotted(t.accept)}</button>
        <button class="secondary small" onClick=${() => resolve(one, 'rejected', version)}>${dotted(t.reject)}</button>
      </div>`,
  }
  return html`<${Table}
    caption=${t.title}
    keyOf=${(one: Appeal) => one.id}
    version=${version}
    filters=${[
      { name: 'status', label: t.status, options: optionsOf(t.statuses) },
      { name: 'userId', label: words.personField },
      { name: 'q', label: t.search },
    ]}
    load=${(query: object) => kith.get('/admin/reputation/appeals', { params: { query } })}
    csv=${(query: Record<string, string>) => saveCsv('/admin/reputation/appeals', query)}
    columns=${isAdmin.value ? [...columns, action] : columns}
  />`
}

export function Contribution() {
  const t = texts.value.contribution
  return html`<${Table}
    caption=${t.title}
    keyOf=${(one: Contributor) => one.id}
    load=${(query: object) => kith.get('/admin/contribution', { params: { query } })}
    csv=${(query: Record<string, string>) => saveCsv('/admin/contribution', query)}
    columns=${[
      { label: t.person, cell: (one: Contributor) => personCell(one.user, one.id) },
      { label: t.score, isNumber: true, cell: (one: Contributor) => numberText(one.score) },
    ]}
  />`
}
