// The inbox. Notifications that arrive while it is open appear at its top.
import type { Schema } from 'kith/client'
import { attempt } from '../../lib/errors.ts'
import { html, useEffect, type VNode } from '../../lib/html.ts'
import { go, query } from '../../lib/router.ts'
import { sinceText, timeText } from '../../lib/texts.ts'
import { addressOf } from '../addresses.ts'
import { List, usePages } from '../list.ts'
import { onUser } from '../live.ts'
import { Face, nameOf } from '../people.ts'
import { kith } from '../session.ts'
import { spaced } from '../spaced.ts'
import { texts } from '../texts.ts'
import { unreadNotifications } from '../unread.ts'

type Item = Schema<'Notification'>

const read = (cursor?: string) => kith.get('/notifications', { params: { query: { ...(cursor && { cursor }) } } })

export function Notifications(): VNode {
  const t = texts.value.notifications
  const pages = usePages<Item>(read, [])
  useEffect(() => {
    const latest = spaced(() =>
      read().then(
        ({ items }) => pages.prepend(items),
        () => undefined,
      ),
    )
    return onUser(({ event }) => {
      if (event === 'notification') latest()
    })
  }, [])
  const show = (items: Item[]) => pages.prepend(items)
  const mark = (item: Item) =>
    attempt(async () => {
      unreadNotifications.value = (await kith.post('/notifications/read', { body: { ids: [item.id] } })).count
      show(pages.items.map((one) => (one.id === item.id ? { ...one, readAt: new Date().toISOString() } : one)))
    })
  const markAll = () =>
    attempt(async () => {
      const before = new Date().toISOString()
      unreadNotifications.value = (await kith.post('/notifications/read', { body: { before } })).count
      show(pages.items.map((one) => ({ ...one, readAt: one.readAt ?? before })))
    })
  const isUnread = pages.items.some(({ readAt }) => !readAt) || unreadNotifications.value > 0
  return html`<div class="row end">
      ${isUnread && html`<button class="secondary small" onClick=${markAll}>${t.readAll}</button>`}
      <a href="/app/settings/notifications">${t.settings}</a>
    </div>
    <${List}
      pages=${pages}
      empty=${t.empty}
      item=${(item: Item) => html`<${Row} key=${item.id} item=${item} mark=${() => mark(item)} />`}
    />` as VNode
}

/** The kinds of notifications that count people; the others count actions. */
const countsPeople = new Set<string>(['user.followed', 'post.reacted', 'post.reposted'])

/** What happened, in a sentence. */
function sentenceOf(item: Item): string {
  const t = texts.value.notifications
  const names = item.actors.map(nameOf)
  const others = countsPeople.has(item.kind) ? item.count - names.length : 0
  if (names.length > 0 && others > 0) names.push(t.others(others))
  const who = names.length > 0 ? new Intl.ListFormat(document.documentElement.lang).format(names) : t.somebody
  if (item.kind === 'membership.decided') return t.membership[item.payload.event](who)
  return t.kinds[item.kind](who, item.count)
}

function Row({ item, mark }: { item: Item; mark: () => Promise<void> }): VNode {
  const t = texts.value.notifications
  const address = addressOf(item.path, item.target)
  const sentence = sentenceOf(item)
  const [actor] = item.actors
  const words = item.kind === 'admin.broadcast' ? item.payload.body : item.excerpt
  const title = item.kind === 'admin.broadcast' ? item.payload.title : item.title
  const open = () => {
    if (!item.readAt) void mark()
  }
  return html`<article class=${`notice${item.readAt ? '' : ' unread'}`}>
    ${actor ? html`<${Face} card=${actor} />` : html`<span class="face" aria-hidden="true">K</span>`}
    <div>
      <p>
        ${!item.readAt && html`<span class="hidden-label">${t.unread} </span>`}
        ${address ? html`<a href=${address} onClick=${open}>${sentence}</a>` : sentence}
      </p>
      ${title && html`<p class="words strong">${title}</p>`}
      ${words && html`<p class="words quiet">${words}</p>`}
      <p class="row quiet">
        <time datetime=${item.createdAt} title=${timeText(item.createdAt)}>${sinceText(item.createdAt)}</time>
        ${!item.readAt && html`<button class="link" onClick=${mark} aria-label=${`${t.read}: ${sentence}`}>${t.read}</button>`}
      </p>
    </div>
  </article>` as VNode
}

/** The page to which a click on a push leads. It forwards to the page of the thing, or to the inbox if there is none. */
export function OpenPath(): VNode {
  useEffect(() => {
    const [path, type, id] = ['path', 'type', 'id'].map((name) => query.value.get(name) ?? '')
    go(addressOf(path ?? '', type && id ? { type, id } : null) ?? '/app/notifications', { replace: true })
  }, [])
  return html`` as VNode
}
