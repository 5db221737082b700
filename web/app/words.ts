// Shows texts of people as text nodes, in which web addresses and names of people are links.
import { html, type VNode } from '../lib/html.ts'

/** A web address without the punctuation mark that ends the sentence, or a person's name after an @. */
const LINK = /(https?:\/\/[^\s<>"']+[^\s<>"'.,;:!?)\]}])|(?<![\p{L}\p{N}_@./])@([a-z0-9_]{3,30})(?![\p{L}\p{N}_])/giu

/** Text with its links. Only http and https: another scheme, such as javascript, stays text. */
export function partsOf(text: string): unknown[] {
  const parts: unknown[] = []
  let from = 0
  for (const found of text.matchAll(LINK)) {
    const [whole, address, username] = found
    parts.push(text.slice(from, found.index))
    from = found.index + whole.length
    parts.push(
      address
        ? html`<a href=${address} target="_blank" rel="noopener noreferrer nofollow ugc">${whole}</a>`
        : html`<a href=${`/app/people/${username?.toLowerCase()}`}>${whole}</a>`,
    )
  }
  return [...parts, text.slice(from)]
}

export const Words = ({ text }: { text: string }): VNode => html`<div class="words">${partsOf(text)}</div>` as VNode

const signs: Record<string, string> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&#x27;': "'",
  '&amp;': '&',
}
const plain = (text: string): string => text.replace(/&(?:lt|gt|quot|#39|#x27|amp);/g, (sign) => signs[sign] ?? sign)

/** The excerpt of a search, whose hits are in <mark>. */
export const Excerpt = ({ text }: { text: string }): VNode =>
  html`<div class="words">
    ${text.split(/<mark>(.*?)<\/mark>/s).map((part, at) => (at % 2 === 1 ? html`<mark>${plain(part)}</mark>` : plain(part)))}
  </div>` as VNode
