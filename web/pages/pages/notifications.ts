// The newest notifications, for people who follow a link in a mail and don't have an app.
import type { Schema } from 'kith/client'
import { ErrorNote } from '../../lib/errors.ts'
import { html } from '../../lib/html.ts'
import { useLoad } from '../../lib/load.ts'
import { sharedTexts } from '../../lib/shared-texts.ts'
import { sinceText } from '../../lib/texts.ts'
import { Login } from '../parts.ts'
import { kith, me } from '../session.ts'
import { texts } from '../texts.ts'

type Notification = Schema<'NotificationPage'>['items'][number]

export function Notifications() {
  const t = texts.value.notifications
  return me.value ? html`<${Newest} />` : html`<p>${t.text}</p><${Login} />`
}

function Newest() {
  const t = texts.value.notifications
  const list = useLoad(() => kith.get('/notifications', { params: { query: { limit: 20 } } }), [])
  const items = list.data.value?.items
  if (list.error.value) return html`<${ErrorNote} error=${list.error.value} />`
  if (!items) return html`<p class="quiet">${sharedTexts.value.loading}</p>`
  if (items.length === 0) return html`<p>${t.none}</p>`
  return html`<p>${t.app} <a href="/app/notifications">${texts.value.apps.here}</a></p>
    <ul class="entries">
      ${items.map((one) => html`<${Entry} key=${one.id} one=${one} />`)}
    </ul>`
}

function Entry({ one }: { one: Notification }) {
  const t = texts.value.notifications
  const names = one.actors.map(({ firstName, lastName }) => `${firstName} ${lastName}`).join(', ')
  return html`<li>
    <strong>${t.kinds[one.kind]}${one.count > 1 && ` (${one.count})`}</strong>
    ${!one.readAt && html` <span class="tag">${t.unread}</span>`}
    ${names && html`<div>${names}</div>`}
    ${(one.title ?? one.excerpt) && html`<div class="words">${one.title ?? one.excerpt}</div>`}
    <small class="quiet">${sinceText(one.createdAt)}</small>
  </li>`
}
