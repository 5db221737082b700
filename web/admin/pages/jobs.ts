// Background work: jobs and queues, failed jobs, effects that fail.
import type { Schema } from 'kith/client'
import { ask } from '../../lib/dialog.ts'
import { attempt, ErrorNote, notify } from '../../lib/errors.ts'
import { html, useSignal } from '../../lib/html.ts'
import { useLoad } from '../../lib/load.ts'
import { sharedTexts } from '../../lib/shared-texts.ts'
import { Table } from '../../lib/table.ts'
import { dotted, numberText, optionsOf } from '../../lib/texts.ts'
import { idCell, personCell, timeCell } from '../cells.ts'
import { isAdmin, kith, saveCsv } from '../session.ts'
import { texts } from '../texts.ts'

type Status = Schema<'Jobs'>
type Job = Status['jobs'][number]
type Queue = Status['queues'][number]
type FailedJob = Schema<'FailedJob'>
type Stuck = Schema<'StuckEffect'>

function retryAll(queue: string, after: () => unknown): void {
  const t = texts.value.jobs
  ask({ title: `${t.retryAll}: ${queue}`, text: t.retryAllText, action: t.retryAll, isDangerous: true }, async () => {
    const { retried, more } = await kith.post('/admin/jobs/{queue}/retry', { params: { path: { queue } }, body: {} })
    await after()
    notify(more ? t.retriedMore(numberText(retried)) : t.retried(numberText(retried)))
  })
}

/** How many effects are pending, and since when. */
export function Effects({ effects }: { effects: Status['effects'] }) {
  const t = texts.value.jobs
  return html`<dl class="facts">
    <dt>${t.depth}</dt><dd>${numberText(effects.depth)}</dd>
    <dt>${t.lag}</dt><dd>${t.seconds(numberText(Math.round(effects.lagSeconds)))}</dd>
    <dt>${t.stuck}</dt>
    <dd>${effects.stuckPeople > 0 ? html`<a href="/admin/effects">${numberText(effects.stuckPeople)}</a>` : '0'}</dd>
  </dl>`
}

export function Jobs() {
  const t = texts.value.jobs
  const { data, error, reload } = useLoad(() => kith.get('/admin/jobs'), [])
  const status = data.value
  if (!status) {
    return html`<${ErrorNote} error=${error.value} />${!error.value && html`<p class="quiet">${sharedTexts.value.loading}</p>`}`
  }
  const failed = ({ queue, failed: count }: Queue) =>
    count > 0 ? html`<a href=${`/admin/failed-jobs?queue=${queue}&status=open`}>${numberText(count)}</a>` : '0'
  const busy = status.queues.filter((one) => one.waiting + one.active + one.failed > 0)
  const queueColumns = [
    { label: t.queue, cell: (one: Queue) => html`<code>${one.queue}</code>` },
    { label: t.waiting, isNumber: true, cell: (one: Queue) => numberText(one.waiting) },
    { label: t.active, isNumber: true, cell: (one: Queue) => numberText(one.active) },
    { label: t.failed, isNumber: true, cell: failed },
  ]
  const action = {
    label: t.action,
    cell: (one: Queue) =>
      one.failed > 0 &&
      html`<button class="secondary small" onClick=${() => retryAll(one.queue, reload)}>
        ${dotted(t.retryAll)}<span class="hidden-label"> ${one.queue}</span>
      </button>`,
  }
  return html`<${ErrorNote} error=${error.value} />
    <p class="buttons"><button class="secondary" onClick=${reload}>${t.refresh}</button></p>
    <h2>${t.effects}</h2>
    <${Effects} effects=${status.effects} />
    <h2>${t.queues}</h2>
    <p class="quiet">${t.idle(numberText(status.queues.length - busy.length))}</p>
    <${Table}
      caption=${t.queues}
      keyOf=${(one: Queue) => one.queue}
      version=${data}
      load=${async () => ({ items: busy })}
      columns=${isAdmin.value ? [...queueColumns, action] : queueColumns}
    />
    <h2>${t.scheduled}</h2>
    <${Table}
      caption=${t.scheduled}
      keyOf=${(one: Job) => one.name}
      version=${data}
      load=${async () => ({ items: status.jobs })}
      columns=${[
        { label: t.name, cell: (one: Job) => html`<code>${one.name}</code>` },
        { label: t.cron, cell: (one: Job) => html`<code class="when">${one.cron}</code>` },
        { label: t.runs, isNumber: true, cell: (one: Job) => numberText(one.runs) },
        { label: t.failures, isNumber: true, cell: (one: Job) => numberText(one.failures) },
        { label: t.changed, isNumber: true, cell: (one: Job) => numberText(one.lastChanged) },
        { label: t.lastRun, cell: (one: Job) => timeCell(one.lastRunAt) },
        { label: t.lastFailed, cell: (one: Job) => timeCell(one.lastFailedAt) },
      ]}
    />`
}

export function FailedJobs() {
  const t = texts.value.failedJobs
  const version = useSignal(0)
  const labelOf = ({ queue }: FailedJob) => (queue === 'mail' ? t.sendAgain : t.tryAgain)
  const retry = async ({ queue, id }: FailedJob) => {
    await attempt(() => kith.post('/admin/jobs/{queue}/failed/{id}/retry', { params: { path: { queue, id } } }), t.done)
    version.value += 1
  }
  const columns = [
    { label: t.failedAt, cell: (one: FailedJob) => timeCell(one.failedAt) },
    { label: t.queue, cell: (one: FailedJob) => html`<code>${one.queue}</code>` },
    { label: t.message, cell: (one: FailedJob) => html`<span class="words">${one.message ?? '–'}</span>` },
    { label: t.retries, isNumber: true, cell: (one: FailedJob) => numberText(one.retries) },
    { label: t.id, cell: (one: FailedJob) => idCell(one.id) },
    { label: t.retriedAt, cell: (one: FailedJob) => timeCell(one.retriedAt) },
  ]
  const action = {
    label: t.action,
    cell: (one: FailedJob) =>
      !one.retriedAt && html`<button class="secondary small" onClick=${() => retry(one)}>${labelOf(one)}</button>`,
  }
  return html`<p class="quiet">${t.about}</p>
    <${Table}
      caption=${t.title}
      keyOf=${(one: FailedJob) => one.id}
      version=${version}
      filters=${[
        { name: 'queue', label: t.queueField },
        { name: 'status', label: t.status, options: optionsOf(t.statuses) },
        { name: 'q', label: t.search },
        { name: 'from', label: t.from, kind: 'date' },
        { name: 'to', label: t.to, kind: 'date' },
      ]}
      load=${(query: object) => kith.get('/admin/jobs/failed', { params: { query } })}
      csv=${(query: Record<string, string>) => saveCsv('/admin/jobs/failed', query)}
      columns=${isAdmin.value ? [...columns, action] : columns}
    />`
}

export function StuckEffects() {
  const t = texts.value.effects
  const version = useSignal(0)
  const retry = async ({ personId }: Stuck) => {
    await attempt(() => kith.post('/admin/effects/stuck/{id}/retry', { params: { path: { id: personId } } }), t.done)
    version.value += 1
  }
  const columns = [
    { label: t.person, cell: (one: Stuck) => personCell(one.person, one.personId) },
    { label: t.event, cell: (one: Stuck) => html`<code>${one.event}</code>${one.eventId && ` ${one.eventId}`}` },
    { label: t.listener, cell: (one: Stuck) => (one.listener ? html`<code>${one.listener}</code>` : '–') },
    { label: t.code, cell: (one: Stuck) => html`<code>${one.code}</code>` },
    { label: t.attempts, isNumber: true, cell: (one: Stuck) => numberText(one.attempts) },
    { label: t.since, cell: (one: Stuck) => timeCell(one.since) },
    { label: t.failedAt, cell: (one: Stuck) => timeCell(one.failedAt) },
    { label: t.retryAt, cell: (one: Stuck) => timeCell(one.retryAt) },
  ]
  const action = {
    label: t.action,
    cell: (one: Stuck) => html`<button class="secondary small" onClick=${() => retry(one)}>${t.tryAgain}</button>`,
  }
  return html`<p class="quiet">${t.about}</p>
    <${Table}
      caption=${t.title}
      keyOf=${(one: Stuck) => one.id}
      version=${version}
      load=${(query: object) => kith.get('/admin/effects/stuck', { params: { query } })}
      csv=${(query: Record<string, string>) => saveCsv('/admin/effects/stuck', query)}
      columns=${isAdmin.value ? [...columns, action] : columns}
    />`
}
