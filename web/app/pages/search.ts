// Search over everything that somebody can see. Without a query, the page suggests people.
import type { Schema } from 'kith/client'
import { html, type VNode } from '../../lib/html.ts'
import { query, setQuery } from '../../lib/router.ts'
import { optionsOf } from '../../lib/texts.ts'
import { addressOfPost, When } from '../card.ts'
import { List, usePages } from '../list.ts'
import { addressOfPerson, type Card, nameOf, PersonLink, PersonRow } from '../people.ts'
import { kith } from '../session.ts'
import { texts } from '../texts.ts'
import { Excerpt } from '../words.ts'

type Found = Schema<'SearchItem'> & { id: string }
type Type = Schema<'SearchItem'>['type']

/** The address of the page for a search result; undefined if the client has none. */
function addressOf(item: Found): string | undefined {
  if (item.type === 'person') return addressOfPerson(item)
  if (item.type === 'post') return addressOfPost(item.id)
  if (item.type === 'group' || item.type === 'guild') return `/app/${item.type}s/${item.slug}`
  return undefined
}

function Result({ item }: { item: Found }): VNode {
  const t = texts.value.search
  const to = addressOf(item)
  const byline = 'actor' in item ? texts.value.post.by(nameOf(item.actor)) : t.types[item.type]
  const title = item.type === 'person' ? nameOf(item) : item.title || byline
  return html`<article class="result">
    <h2 class="words">${to ? html`<a href=${to}>${title}</a>` : title}</h2>
    <p class="quiet facts">
      <span class="tag">${t.types[item.type]}</span>
      ${item.type === 'person' && html`<span>@${item.username}</span>`}
      ${'actor' in item && html`<${PersonLink} card=${item.actor} />`}
      ${'createdAt' in item && html`<${When} at=${item.createdAt} />`}
    </p>
    ${item.excerpt && html`<${Excerpt} text=${item.excerpt} />`}
  </article>` as VNode
}

function Results({ q, type }: { q: string; type: string }): VNode {
  const pages = usePages<Found>(
    async (cursor) => {
      const asked = { q, ...(type && { type: type as Type }), ...(cursor && { cursor }) }
      const page = await kith.get('/discovery/search', { params: { query: asked } })
      return { ...page, items: page.items as Found[] }
    },
    [q, type],
  )
  return html`<${List}
    pages=${pages}
    item=${(item: Found) => html`<${Result} key=${`${item.type}-${item.id}`} item=${item} />`}
    empty=${texts.value.search.none}
  />` as VNode
}

function People(): VNode {
  const pages = usePages<Card>(
    (cursor) => kith.get('/discovery/people', { params: { query: cursor ? { cursor } : {} } }),
    [],
  )
  return html`<h2>${texts.value.search.people}</h2>
    <${List} pages=${pages} item=${(card: Card) => html`<${PersonRow} key=${card.id} card=${card} />`} />` as VNode
}

export function Search(): VNode {
  const t = texts.value.search
  const q = query.value.get('q') ?? ''
  const type = query.value.get('type') ?? ''
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const data = new FormData(event.target as HTMLFormElement)
    setQuery({ q: String(data.get('q')).trim() })
  }
  return html`<form class="search" role="search" onSubmit=${submit}>
      <label>${t.words} <input type="search" name="q" maxlength="200" defaultValue=${q} key=${q} /></label>
      <label>
        ${t.type}
        <select value=${type} onChange=${(event: Event) => setQuery({ type: (event.target as HTMLSelectElement).value })}>
          <option value="">${t.all}</option>
          ${optionsOf(t.types).map(({ value, label }) => html`<option value=${value}>${label}</option>`)}
        </select>
      </label>
      <button>${t.action}</button>
    </form>
    ${q ? html`<${Results} key=${`${q} ${type}`} q=${q} type=${type} />` : html`<${People} />`}` as VNode
}
