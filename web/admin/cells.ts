// Cells that many lists have.
import type { Schema } from 'kith/client'
import { html, type VNode } from '../lib/html.ts'
import { timeText } from '../lib/texts.ts'
import { botTag, nameOf } from './parts.ts'

/** A person by name, as a link to their page if the internal id is known; a dash for nobody. */
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
/** An id. A UUID is shortened to its beginning; the title has all of it. */
export const idCell = (id: string | null | undefined): VNode =>
  (id
    ? html`<code title=${id}>${id.length === UUID_LENGTH ? `${id.slice(0, 8)}…` : id}</code>`
    : html`<span class="quiet">–</span>`) as VNode
