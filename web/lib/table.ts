// A list of the API as a table: filters in the address, pages by cursor, and CSV.
import { attempt, ErrorNote } from './errors.ts'
import { html, type ReadonlySignal, useEffect, useSignal, type VNode } from './html.ts'
import { useLoad } from './load.ts'
import { query, setQuery } from './router.ts'
import { sharedTexts } from './shared-texts.ts'

export type Column<Item> = {
  label: string
  cell: (item: Item) => unknown
  /** Right-aligned, with digits of equal width. */
  isNumber?: boolean
}
export type Filter = {
  /** The name of the query parameter, in the address and in the API. */
  name: string
  label: string
  /** Choices; without them a field to type in. */
  options?: { value: string; label: string }[]
  /** The choice if the address has none. Default: all. */
  first?: string
  /** Default: text. */
  kind?: 'text' | 'date'
}
type Page<Item> = { items: Item[]; nextCursor?: string | null }

type TableOptions<Item> = {
  /** What the table contains, for screen readers. */
  caption: string
  columns: Column<Item>[]
  filters?: Filter[]
  /** Reads a page: the filters' values and the cursor are in `asked`. */
  load: (asked: Record<string, string>) => Promise<Page<Item>>
  /** Downloads the list as CSV with these filters. */
  csv?: (asked: Record<string, string>) => Promise<void>
  /** When this changes, the list is read again. */
  version?: ReadonlySignal<unknown>
  keyOf?: (item: Item) => string
  /** Whether the item's row is the one that is selected with the keyboard. */
  isCurrent?: (item: Item) => boolean
  onItems?: (items: Item[]) => void
}

function FilterField({ filter }: { filter: Filter }): VNode {
  const { name, label, options, first, kind = 'text' } = filter
  const value = query.value.get(name) ?? ''
  const change = (event: Event) => setQuery({ [name]: (event.target as HTMLInputElement).value.trim() })
  const control = options
    ? html`<select name=${name} value=${value} onChange=${change}>
        <option value="">${first ?? sharedTexts.value.all}</option>
        ${options.map((one) => html`<option value=${one.value}>${one.label}</option>`)}
      </select>`
    : html`<input name=${name} type=${kind} value=${value} onChange=${change} />`
  return html`<label>${label} ${control}</label>` as VNode
}

/** A day as the API takes it: the time when it begins for the reader, or for `to` the time when it ends. */
function edgeOf(day: string, name: string): string {
  const at = new Date(`${day}T${name === 'to' ? '23:59:59.999' : '00:00'}`)
  return Number.isNaN(at.getTime()) ? day : at.toISOString()
}

export function Table<Item>(options: TableOptions<Item>): VNode {
  const { caption, columns, filters = [], load, csv, version, keyOf, isCurrent, onItems } = options
  const texts = sharedTexts.value
  const cursor = useSignal('')
  const asked: Record<string, string> = {}
  for (const { name, kind } of filters) {
    const value = query.value.get(name)
    if (value) asked[name] = kind === 'date' ? edgeOf(value, name) : value
  }
  const key = JSON.stringify(asked)
  useEffect(() => {
    cursor.value = ''
  }, [key])
  const page = useLoad(
    () => load({ ...asked, ...(cursor.value && { cursor: cursor.value }) }),
    [key, cursor.value, version?.value],
  )
  const items = page.data.value?.items ?? []
  useEffect(() => {
    if (page.data.value) onItems?.(page.data.value.items)
  }, [page.data.value])
  const next = page.data.value?.nextCursor
  return html`<section class="list" aria-busy=${page.isLoading.value}>
    ${
      filters.length > 0 &&
      html`<form class="filters" role="search" onSubmit=${(event: Event) => event.preventDefault()}>
        ${filters.map((filter) => html`<${FilterField} key=${filter.name} filter=${filter} />`)}
      </form>`
    }
    <${ErrorNote} error=${page.error.value} />
    <div class="scroll" tabindex="0" role="region" aria-label=${caption}>
      <table>
        <caption>${caption}</caption>
        <thead><tr>${columns.map((one) => html`<th scope="col" class=${one.isNumber ? 'number' : ''}>${one.label}</th>`)}</tr></thead>
        <tbody>
          ${items.map(
            (item, at) => html`<tr key=${keyOf?.(item) ?? at} aria-current=${isCurrent?.(item) ? 'true' : undefined}>
              ${columns.map(
                (one) => html`<td data-label=${one.label} class=${one.isNumber ? 'number' : ''}>
                    <div>${one.cell(item)}</div>
                  </td>`,
              )}
            </tr>`,
          )}
        </tbody>
      </table>
    </div>
    ${page.isLoading.value && items.length === 0 && html`<p class="quiet">${texts.loading}</p>`}
    ${!page.isLoading.value && !page.error.value && items.length === 0 && html`<p class="quiet">${Object.keys(asked).length > 0 ? texts.noMatch : texts.empty}</p>`}
    <nav class="buttons" aria-label=${caption}>
      ${
        cursor.value &&
        html`<button class="secondary" onClick=${() => {
          cursor.value = ''
        }}>${texts.first}</button>`
      }
      ${
        next &&
        html`<button class="secondary" onClick=${() => {
          cursor.value = next
        }}>${texts.next}</button>`
      }
      ${csv && items.length > 0 && html`<button class="secondary" onClick=${() => attempt(() => csv(asked))}>${texts.csv}</button>`}
    </nav>
  </section>` as VNode
}
