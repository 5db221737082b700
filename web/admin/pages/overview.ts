// The overview of the instance: counters, the figures of each day, and pending work.
import type { Schema } from 'kith/client'
import { ErrorNote, hasCode } from '../../lib/errors.ts'
import { html, useMemo } from '../../lib/html.ts'
import { type Loaded, useLoad } from '../../lib/load.ts'
import { Plot } from '../../lib/plot.ts'
import { query, setQuery } from '../../lib/router.ts'
import { sharedTexts } from '../../lib/shared-texts.ts'
import { language, numberText, timeText } from '../../lib/texts.ts'
import { kith } from '../session.ts'
import { texts } from '../texts.ts'
import { Effects } from './jobs.ts'

type Day = Schema<'DailyFigures'>['days'][number]
const SPANS = ['7', '30', '90', '365']
const DAY_MS = 86_400_000
const dayBefore = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10)

function Counters({ metrics: { data, error } }: { metrics: Loaded<Schema<'Metrics'>> }) {
  const t = texts.value.overview
  const found = data.value
  if (!found) return html`<${ErrorNote} error=${error.value} />`
  const counter = (label: string, value: number, to?: string) =>
    html`<div>
      <dt>${label}</dt>
      <dd>${to ? html`<a href=${to}>${numberText(value)}</a>` : numberText(value)}</dd>
    </div>`
  return html`<dl class="counters">
      ${counter(t.users, found.users, '/admin/people')}
      ${counter(t.active, found.mauActive)}
      ${counter(t.posts, found.postsTotal)}
      ${counter(t.reportsOpen, found.reportsOpen, '/admin/cases')}
      ${counter(t.hidden, found.postsHidden + found.repliesHidden)}
      ${counter(t.invites, found.invitesActive, '/admin/invites?status=active')}
      ${found.manaAudit && counter(t.violations, found.manaAudit.violations, '/admin/books')}
    </dl>
    <p class="quiet">${t.counted(timeText(found.countedAt))}</p>`
}

function Plots({ days }: { days: Day[] }) {
  const t = texts.value.overview
  const plots = useMemo(() => {
    const line = (label: string, name: Exclude<keyof Day, 'day'>) => ({ label, values: days.map((day) => day[name]) })
    return [
      { title: t.people, lines: [line(t.activeLine, 'active'), line(t.joined, 'joined')] },
      { title: t.postsADay, lines: [line(t.posts, 'posts'), line(t.replies, 'replies')] },
      { title: t.payments, lines: [line(t.paymentLine, 'payments'), line(t.mana, 'mana')] },
      { title: t.reports, lines: [line(t.reportLine, 'reports'), line(t.closed, 'casesClosed')] },
    ]
  }, [days, language.value])
  const dates = useMemo(() => days.map(({ day }) => day), [days])
  return html`<div class="columns">
    ${plots.map(({ title, lines }) => html`<${Plot} key=${title} title=${title} days=${dates} lines=${lines} />`)}
  </div>`
}

function Days() {
  const t = texts.value.overview
  const span = query.value.get('days') ?? '30'
  const { data, error } = useLoad(
    () =>
      kith.get('/admin/metrics/days', { params: { query: { from: dayBefore(Number(span) - 1), to: dayBefore(0) } } }),
    [span],
  )
  const choose = (event: Event) => setQuery({ days: (event.target as HTMLSelectElement).value })
  return html`<form class="filters" onSubmit=${(event: Event) => event.preventDefault()}>
      <label>
        ${t.span}
        <select name="days" value=${span} onChange=${choose}>
          ${SPANS.map((days) => html`<option value=${days}>${t.lastDays(days)}</option>`)}
        </select>
      </label>
    </form>
    <${ErrorNote} error=${error.value} />
    ${!data.value && !error.value && html`<p class="quiet">${sharedTexts.value.loading}</p>`}
    ${data.value && html`<${Plots} days=${data.value.days} />`}`
}

function Work() {
  const t = texts.value.overview
  const { data, error } = useLoad(() => kith.get('/admin/jobs'), [])
  const status = data.value
  if (!status) return html`<${ErrorNote} error=${error.value} />`
  const failed = status.queues.reduce((sum, one) => sum + one.failed, 0)
  const waiting = status.queues.reduce((sum, one) => sum + one.waiting + one.active, 0)
  return html`<div class="columns">
    <section>
      <h3>${t.jobs}</h3>
      <dl class="facts">
        <dt>${t.waiting}</dt><dd><a href="/admin/jobs">${numberText(waiting)}</a></dd>
        <dt>${t.failed}</dt><dd><a href="/admin/failed-jobs?status=open">${numberText(failed)}</a></dd>
      </dl>
    </section>
    <section>
      <h3>${t.effects}</h3>
      <${Effects} effects=${status.effects} />
    </section>
  </div>`
}

export function Overview() {
  const t = texts.value.overview
  const metrics = useLoad(() => kith.get('/admin/metrics'), [])
  if (!metrics.data.value && !metrics.error.value) return html`<p class="quiet">${sharedTexts.value.loading}</p>`
  // without the second factor that their role requires, staff get this error for every request, so it is shown once
  if (hasCode(metrics.error.value, 'factor_missing')) return html`<${ErrorNote} error=${metrics.error.value} />`
  return html`<${Counters} metrics=${metrics} />
    <${Days} />
    <h2>${t.work}</h2>
    <${Work} />`
}
