// The list of webhooks, the page of one webhook with its deliveries, and the event log.
import type { Schema } from 'kith/client'
import { Copy } from '../../lib/copy.ts'
import { ask, type Field } from '../../lib/dialog.ts'
import { attempt, ErrorNote, notify, notifyError } from '../../lib/errors.ts'
import { html, type Signal, useSignal } from '../../lib/html.ts'
import { useLoad } from '../../lib/load.ts'
import { go, type PageProps } from '../../lib/router.ts'
import { sharedTexts } from '../../lib/shared-texts.ts'
import { Table } from '../../lib/table.ts'
import { dotted, numberText, optionsOf, timeText } from '../../lib/texts.ts'
import { dataCell, idCell, timeCell } from '../cells.ts'
import { kith, saveCsv } from '../session.ts'
import { texts } from '../texts.ts'

type Webhook = Schema<'Webhook'>
type Delivery = Schema<'WebhookDelivery'>
type Logged = Schema<'LoggedEvent'>

async function fieldsOf(webhook?: Webhook): Promise<Field[]> {
  const t = texts.value.webhooks
  const { availableEvents } = await kith.get('/admin/webhooks')
  const options = availableEvents.map(({ event, happens }) => ({ value: event, label: `${event}: ${happens}` }))
  return [
    { name: 'url', label: t.url, value: webhook?.url, max: 2000, hint: t.urlHint },
    { name: 'description', label: t.description, value: webhook?.description, max: 200, optional: true },
    { name: 'active', label: t.active, kind: 'check', value: String(webhook?.active ?? true) },
    { name: 'events', label: t.events, kind: 'choices', options, value: webhook?.events.join(',') },
  ]
}

const bodyOf = ({ url = '', description = '', active, events = '' }: Record<string, string>) => ({
  url,
  description,
  active: active === 'true',
  events: events.split(',').filter(Boolean),
})

/** A secret, which is shown only once. */
function Secret({ secret }: { secret: Signal<string> }) {
  const t = texts.value.webhooks
  if (!secret.value) return null
  return html`<article class="secret" role="status">
    <p>${t.secretOnce}</p>
    <p><code>${secret.value}</code></p>
    <div class="buttons">
      <${Copy} text=${secret.value} />
      <button
        class="secondary small"
        onClick=${() => {
          secret.value = ''
        }}
      >
        ${t.secretKept}
      </button>
    </div>
  </article>`
}

export function Webhooks() {
  const t = texts.value.webhooks
  const version = useSignal(0)
  const secret = useSignal('')
  const create = async () => {
    try {
      const fields = await fieldsOf()
      await ask({ title: t.add, text: t.addText, fields, action: t.add }, async (values) => {
        const made = await kith.post('/admin/webhooks', { body: bodyOf(values) })
        secret.value = made.secret
        version.value += 1
      })
    } catch (error) {
      notifyError(error)
    }
  }
  return html`<p class="quiet">${t.about}</p>
    <p><button onClick=${create}>${dotted(t.add)}</button></p>
    <${Secret} secret=${secret} />
    <${Table}
      caption=${t.title}
      keyOf=${(one: Webhook) => one.id}
      version=${version}
      load=${() => kith.get('/admin/webhooks')}
      columns=${[
        {
          label: t.url,
          cell: (one: Webhook) => html`<a class="words" href=${`/admin/webhooks/${one.id}`}>${one.url}</a>`,
        },
        { label: t.description, cell: (one: Webhook) => one.description || '–' },
        { label: t.events, isNumber: true, cell: (one: Webhook) => numberText(one.events.length) },
        {
          label: t.state,
          cell: (one: Webhook) => html`<span class="tag">${one.active ? t.isActive : t.isPaused}</span>`,
        },
        { label: t.failingSince, cell: (one: Webhook) => timeCell(one.failingSince) },
        { label: t.created, cell: (one: Webhook) => timeCell(one.createdAt) },
      ]}
    />`
}

function Deliveries({ id, version }: { id: string; version: Signal<number> }) {
  const t = texts.value.webhooks
  const replay = ({ id: deliveryId }: Delivery) =>
    attempt(async () => {
      const path = { id, deliveryId }
      await kith.post('/admin/webhooks/{id}/deliveries/{deliveryId}/replay', { params: { path } })
      version.value += 1
    }, t.replayed)
  const outcome = ({ responseStatus, failure, excerpt }: Delivery) =>
    html`${responseStatus ?? (failure ? t.failures[failure] : '–')}
      ${excerpt && html`<div class="quiet words">${excerpt}</div>`}`
  return html`<${Table}
    caption=${t.deliveries}
    keyOf=${(one: Delivery) => String(one.id)}
    version=${version}
    filters=${[{ name: 'status', label: t.state, options: optionsOf(t.statuses) }]}
    load=${(query: object) => kith.get('/admin/webhooks/{id}/deliveries', { params: { path: { id }, query } })}
    csv=${(query: Record<string, string>) => saveCsv(`/admin/webhooks/${id}/deliveries`, query)}
    columns=${[
      { label: t.created, cell: (one: Delivery) => timeCell(one.createdAt) },
      { label: t.event, cell: (one: Delivery) => html`<code>${one.event}</code>` },
      { label: t.state, cell: (one: Delivery) => html`<span class="tag">${t.statuses[one.status]}</span>` },
      { label: t.attempts, isNumber: true, cell: (one: Delivery) => numberText(one.attempts) },
      { label: t.outcome, cell: outcome },
      { label: t.nextAttempt, cell: (one: Delivery) => timeCell(one.nextAttemptAt) },
      {
        label: t.action,
        cell: (one: Delivery) =>
          html`<button class="secondary small" onClick=${() => replay(one)}>${t.replay}</button>`,
      },
    ]}
  />`
}

export function WebhookPage({ params }: PageProps) {
  const t = texts.value.webhooks
  const { id = '' } = params
  const path = { id }
  const secret = useSignal('')
  const version = useSignal(0)
  const { data, error, set } = useLoad(() => kith.get('/admin/webhooks/{id}', { params: { path } }), [id])
  const one = data.value
  const change = async (webhook: Webhook) => {
    try {
      const fields = await fieldsOf(webhook)
      await ask({ title: t.change, text: t.changeText, fields, action: t.save }, async (values) => {
        set(await kith.patch('/admin/webhooks/{id}', { params: { path }, body: bodyOf(values) }))
        notify(t.saved)
      })
    } catch (failure) {
      notifyError(failure)
    }
  }
  const test = () =>
    attempt(async () => {
      await kith.post('/admin/webhooks/{id}/test', { params: { path } })
      version.value += 1
    }, t.tested)
  const replace = () =>
    ask({ title: t.replace, text: t.replaceText, action: t.replace, isDangerous: true }, async () => {
      const made = await kith.post('/admin/webhooks/{id}/secret', { params: { path } })
      secret.value = made.secret
      set(made.webhook)
    })
  const remove = () =>
    ask({ title: t.remove, text: t.removeText, action: t.remove, isDangerous: true }, async () => {
      await kith.delete('/admin/webhooks/{id}', { params: { path } })
      notify(t.removed)
      go('/admin/webhooks')
    })
  return html`<p><a href="/admin/webhooks">${t.title}</a></p>
    <${ErrorNote} error=${error.value} />
    ${!one && !error.value && html`<p class="quiet">${sharedTexts.value.loading}</p>`}
    ${
      one &&
      html`<dl class="facts">
          <dt>${t.url}</dt><dd class="words">${one.url}</dd>
          ${one.description && html`<dt>${t.description}</dt><dd class="words">${one.description}</dd>`}
          <dt>${t.state}</dt><dd>${one.active ? t.isActive : t.isPaused}</dd>
          ${one.failingSince && html`<dt>${t.failingSince}</dt><dd>${timeText(one.failingSince)}</dd>`}
          ${one.previousSecretUntil && html`<dt>${t.previousSecret}</dt><dd>${timeText(one.previousSecretUntil)}</dd>`}
          <dt>${t.events}</dt><dd>${one.events.map((event) => html`<code>${event}</code> `)}</dd>
        </dl>
        <p class="buttons">
          <button class="secondary" onClick=${test}>${t.test}</button>
          <button class="secondary" onClick=${() => change(one)}>${dotted(t.change)}</button>
          <button class="secondary" onClick=${replace}>${dotted(t.replace)}</button>
          <button class="danger" onClick=${remove}>${dotted(t.remove)}</button>
        </p>
        <${Secret} secret=${secret} />
        <h2>${t.deliveries}</h2>
        <${Deliveries} id=${id} version=${version} />`
    }`
}

export function EventLog() {
  const t = texts.value.eventLog
  const load = async ({ after, cursor }: Record<string, string>) => {
    const limit = 50
    const { items, next } = await kith.get('/admin/events', {
      params: { query: { after: Number(cursor ?? after ?? 0), limit } },
    })
    return { items, nextCursor: items.length === limit ? String(next) : null }
  }
  return html`<p class="quiet">${t.about}</p>
    <${Table}
      caption=${t.title}
      keyOf=${(one: Logged) => one.id}
      filters=${[{ name: 'after', label: t.after }]}
      load=${load}
      columns=${[
        { label: t.sequence, isNumber: true, cell: (one: Logged) => String(one.sequence) },
        { label: t.time, cell: (one: Logged) => timeCell(one.timestamp) },
        { label: t.type, cell: (one: Logged) => html`<code>${one.type}</code>` },
        { label: t.subject, cell: (one: Logged) => html`${one.subject.type} <div>${idCell(one.subject.id)}</div>` },
        { label: t.data, cell: (one: Logged) => dataCell(one.data) },
      ]}
    />`
}
