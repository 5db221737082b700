// Cells that many lists have.
import type { Schema } from 'kith/client'
import { html, type VNode } from '../lib/html.ts'
import { timeText } from '../lib/texts.ts'
import { botTag, nameOf } from './parts.ts'
import { texts } from './texts.ts'

/** A person by name, as a link to their page if the internal id is known; a dash if there is no person. */
export function personCell(card: Schema<'PersonCard'> | null | undefined, id?: string | null): VNode {
  if (!card) return html`<span class="quiet">–</span>` as VNode
  const name = nameOf(card)
  return html`${id ? html`<a href=${`/admin/people/${id}`}>${name}</a>` : name}
    <div class="quiet">${card.username}${botTag(card)}</div>` as VNode
}

/** What people wrote, or a dash. */
export const wordsCell = (words: string | null | undefined): VNode =>
  (words ? html`<span class="words">${words}</span>` : html`<span class="quiet">–</span>`) as VNode

export const timeCell = (at: string | null | undefined): VNode =>
  html`<time class="when" datetime=${at ?? undefined}>${timeText(at)}</time>` as VNode

const UUID_LENGTH = 36
/** An id. A UUID is shortened to its beginning; the title has the whole UUID. */
export const idCell = (id: string | null | undefined): VNode =>
  (id
    ? html`<code title=${id}>${id.length === UUID_LENGTH ? `${id.slice(0, 8)}…` : id}</code>`
    : html`<span class="quiet">–</span>`) as VNode

/** One value of an entry: times as the language writes them, what is no text as JSON. */
function valueText(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value)
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) ? timeText(value) : value
}

/** How many values of an entry a list shows at once. */
const AT_ONCE = 3

/** The values of an entry by their names, without empty ones. If there are more than that, they show after a click. */
export function dataCell(data: Record<string, unknown> | null): VNode {
  const all = Object.entries(data ?? {}).filter(([, value]) => value !== null)
  const list = (shown: typeof all) =>
    html`<dl class="facts">${shown.map(([name, value]) => html`<dt>${name}</dt><dd class="words">${valueText(value)}</dd>`)}</dl>`
  if (all.length === 0) return html`<span class="quiet">–</span>` as VNode
  if (all.length <= AT_ONCE) return list(all) as VNode
  return html`<details class="more">
    <summary>${texts.value.common.values(all.length)}</summary>
    ${list(all)}
  </details>` as VNode
}
