// Reads a preview from a page: from OpenGraph, otherwise from its title and description.
import { Tokenizer } from 'htmlparser2'
import { isForEverybody, webAddress } from '../shared/addresses.ts'

/** Plain texts, which must be escaped for display. */
export type Preview = {
  /** The final URL of the page. */
  url: string
  title: string
  description: string | null
  imageUrl: string | null
  siteName: string | null
}

/** The maximum length of each text. */
const LENGTHS = { title: 300, description: 1000, siteName: 100 } as const
/** How many characters are scanned for a text, including tags and spaces. */
const LOOK = 8192

type Said = { title: string; meta: Map<string, string> }

/** The preview of a page; null if the page has no title. */
export function previewOf(html: string, url: URL): Preview | null {
  const { title, meta } = read(html)
  const first = (length: number, ...texts: (string | undefined)[]): string | null => {
    for (const text of texts) {
      const clean = plain(text ?? '', length)
      if (clean) return clean
    }
    return null
  }
  const shown = first(LENGTHS.title, meta.get('og:title'), meta.get('twitter:title'), title)
  if (!shown) return null
  const { description, siteName } = LENGTHS
  const descriptions = ['og:description', 'twitter:description', 'description'].map((name) => meta.get(name))
  const images = ['og:image:secure_url', 'og:image', 'og:image:url', 'twitter:image'].map((name) => meta.get(name))
  const image = images.find((text) => text?.trim())
  const imageUrl = image === undefined ? null : webAddress(image.trim(), url)
  return {
    url: url.href,
    title: shown,
    description: first(description, ...descriptions),
    imageUrl: imageUrl && isForEverybody(imageUrl) ? imageUrl.href : null,
    siteName: first(siteName, meta.get('og:site_name'), meta.get('application-name')),
  }
}

/**
 * The title and the meta elements before the body. Uses a tokenizer: a parser searches its stack of open elements for
 * each unmatched end tag, so a malicious page could use a core for seconds.
 */
function read(html: string): Said {
  const said: Said = { title: '', meta: new Map() }
  let tag = ''
  let attribute = ''
  let attributes = new Map<string, string>()
  let titles = 0
  const add = (text: string, more: string) => (text.length < LOOK ? text + more.slice(0, LOOK) : text)
  const inTitle = () => tag === 'title' && titles === 1
  const addTitle = (more: string) => {
    if (inTitle()) said.title = add(said.title, more)
  }
  const addValue = (more: string) => {
    if (tag === 'meta') attributes.set(attribute, add(attributes.get(attribute) ?? '', more))
  }
  const endTag = () => {
    if (tag === 'title') titles++
    if (tag !== 'meta') return
    const name = attributes.get('property') ?? attributes.get('name') ?? ''
    const content = attributes.get('content')
    const key = name.trim().toLowerCase()
    if (content?.trim() && !said.meta.has(key)) said.meta.set(key, content)
  }
  const nothing = () => {}
  const tokenizer = new Tokenizer(
    {},
    {
      onopentagname(start, end) {
        tag = html.slice(start, end).toLowerCase()
        attributes = new Map()
        if (tag === 'body') tokenizer.pause()
      },
      onattribname(start, end) {
        attribute = html.slice(start, Math.min(end, start + 20)).toLowerCase()
        // Only the first title counts.
        if (attributes.has(attribute)) attribute = ''
      },
      onattribdata: (start, end) => addValue(html.slice(start, end)),
      onattribentity: (code) => addValue(String.fromCodePoint(code)),
      onattribend: nothing,
      onopentagend: endTag,
      onselfclosingtag: endTag,
      ontext: (start, end) => addTitle(html.slice(start, end)),
      ontextentity: (code) => addTitle(String.fromCodePoint(code)),
      onclosetag() {
        tag = ''
      },
      oncdata: nothing,
      oncomment: nothing,
      ondeclaration: nothing,
      onprocessinginstruction: nothing,
      onend: nothing,
    },
  )
  tokenizer.write(html)
  tokenizer.end()
  return said
}

/** The text without tags, control characters and changes of the writing direction; empty if nothing visible is left. */
export function plain(text: string, length: number): string {
  const line = text
    .toWellFormed()
    .replace(/<[/a-z!?][^>]*>?/gi, ' ')
    .replace(/[\p{Cc}\p{Co}\p{Cn}\p{Bidi_C}\ufeff\s]+/gu, ' ')
    .normalize('NFC')
    .trim()
  if (!/[\p{L}\p{N}\p{P}\p{S}]/u.test(line)) return ''
  return [...line].slice(0, length).join('').trim()
}
