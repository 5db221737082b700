// Shows Markdown that members wrote, such as the charter of a guild: headings, lists, quotes, code, rules, emphasis and
// links. The result consists of elements and text nodes, never of HTML, and links lead only to http and https. Text that
// is not Markdown is shown unchanged, with its line breaks.
import { html, useMemo, type VNode } from '../lib/html.ts'
import { partsOf } from './words.ts'

/**
 * The number of levels to which quotes, lists and emphasis can be nested. Deeper levels are shown as text, so that no
 * text exhausts the stack.
 */
const DEEPEST = 6

/**
 * An address, which has no emphasis in it; code; a link; bold; italic; a character after a backslash. Each is short,
 * because a long search from every character of a long text would take long.
 */
const INLINE = new RegExp(
  [
    /(?<address>https?:\/\/[^\s<>"']+)/u,
    /`(?<code>[^`\n]{1,500})`/u,
    /\[(?<label>[^\]\n]{1,300})\]\((?<to>https?:\/\/[^\s()]{1,1000})\)/u,
    /\*\*(?<strong>\S(?:[^\n]{0,500}?\S)?)\*\*/u,
    /\*(?<em>[^\s*](?:[^*\n]{0,500}?[^\s*])?)\*/u,
    /(?<![\p{L}\p{N}_])_(?<under>[^\s_](?:[^_\n]{0,500}?[^\s_])?)_(?![\p{L}\p{N}_])/u,
    /\\(?<sign>[\\`*_[\]()#+\-.!>])/u,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gu',
)

function inline(text: string, depth: number): unknown[] {
  if (depth > DEEPEST) return [text]
  const parts: unknown[] = []
  let from = 0
  for (const found of text.matchAll(INLINE)) {
    const { code, label, to, strong, em, under, sign } = found.groups ?? {}
    const italic = em ?? under
    if (found.index > from) parts.push(...partsOf(text.slice(from, found.index)))
    from = found.index + found[0].length
    if (code) parts.push(html`<code>${code}</code>`)
    else if (label) parts.push(html`<a href=${to} target="_blank" rel="noopener noreferrer nofollow ugc">${label}</a>`)
    else if (strong) parts.push(html`<strong>${inline(strong, depth + 1)}</strong>`)
    else if (italic) parts.push(html`<em>${inline(italic, depth + 1)}</em>`)
    else if (sign) parts.push(sign)
    else parts.push(...partsOf(found[0]))
  }
  return [...parts, ...partsOf(text.slice(from))]
}

// With the flag s, a dot matches the separators U+2028 and U+2029 too. Otherwise a line with many spaces and one of them
// would be searched from each space.
const ITEM = /^ {0,3}(?:[-*+]|(\d{1,9})[.)]) +(.*)$/s
const HEADING = /^(#{1,6}) +(.*)$/s
const RULE = /^ {0,3}(?:(?:- *){3,}|(?:\* *){3,}|(?:_ *){3,})$/
const QUOTE = /^ {0,3}> ?(.*)$/s
const FENCE = /^ {0,3}(?:```|~~~)/

/** The lines from `at` up to the first one for which `belongs` is false. */
function linesWhile(lines: string[], at: number, belongs: (line: string) => boolean): string[] {
  let end = at
  while (end < lines.length && belongs(lines[end] ?? '')) end++
  return lines.slice(at, end)
}

const isParagraph = (line: string): boolean =>
  line.trim() !== '' && ![ITEM, HEADING, RULE, QUOTE, FENCE].some((sign) => sign.test(line))

/** The list that begins at line `at`. Indented lines continue an item. */
function list(lines: string[], at: number, depth: number): { shown: VNode; next: number } {
  const isOrdered = ITEM.exec(lines[at] ?? '')?.[1] !== undefined
  const items: string[][] = []
  let next = at
  for (; next < lines.length; next++) {
    const line = lines[next] ?? ''
    const found = RULE.test(line) ? null : ITEM.exec(line)
    const isNext = found !== null && (found[1] !== undefined) === isOrdered
    if (isNext && (next === at || !/^ {2,}/.test(line))) items.push([found[2] ?? ''])
    else if (/^(?: {2,}|\t)/.test(line)) items.at(-1)?.push(line.replace(/^(?: {1,4}|\t)/, ''))
    else break
  }
  const shown = items.map((item) => html`<li>${blocks(item, depth + 1)}</li>`)
  const first = Number(ITEM.exec(lines[at] ?? '')?.[1] ?? 1)
  return { shown: (isOrdered ? html`<ol start=${first}>${shown}</ol>` : html`<ul>${shown}</ul>`) as VNode, next }
}

function heading(signs: string, words: unknown): VNode {
  // the page and its parts have the first two levels
  return (signs.length === 1 ? html`<h3>${words}</h3>` : html`<h4>${words}</h4>`) as VNode
}

function blocks(lines: string[], depth: number): unknown[] {
  if (depth > DEEPEST) return [html`<p class="words">${lines.join('\n')}</p>`]
  const shown: unknown[] = []
  let at = 0
  while (at < lines.length) {
    const line = lines[at] ?? ''
    const [, signs, title] = HEADING.exec(line) ?? []
    if (line.trim() === '') at++
    else if (FENCE.test(line)) {
      const code = linesWhile(lines, at + 1, (one) => !FENCE.test(one))
      shown.push(html`<pre tabindex="0"><code>${code.join('\n')}</code></pre>`)
      at += code.length + 2
    } else if (signs) {
      shown.push(heading(signs, inline(title ?? '', depth)))
      at++
    } else if (RULE.test(line)) {
      shown.push(html`<hr />`)
      at++
    } else if (QUOTE.test(line)) {
      const quoted = linesWhile(lines, at, (one) => QUOTE.test(one))
      const inner = quoted.map((one) => QUOTE.exec(one)?.[1] ?? '')
      shown.push(html`<blockquote>${blocks(inner, depth + 1)}</blockquote>`)
      at += quoted.length
    } else if (ITEM.test(line)) {
      const found = list(lines, at, depth)
      shown.push(found.shown)
      at = found.next
    } else {
      const words = linesWhile(lines, at, isParagraph)
      shown.push(html`<p class="words">${inline(words.join('\n'), depth)}</p>`)
      at += words.length
    }
  }
  return shown
}

/** The elements that show a text. */
export const elementsOf = (text: string): unknown[] => blocks(text.split(/\r?\n/), 0)

export function Markdown({ text }: { text: string }): VNode {
  const shown = useMemo(() => elementsOf(text), [text])
  return html`<div class="markdown">${shown}</div>` as VNode
}
