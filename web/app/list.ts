// A list of the API that grows by a button: the next page is added below.
import { attempt, ErrorNote } from '../lib/errors.ts'
import { type ComponentChildren, html, useSignal, type VNode } from '../lib/html.ts'
import { type Loaded, useLoad } from '../lib/load.ts'
import { sharedTexts } from '../lib/shared-texts.ts'
import { texts } from './texts.ts'

export type Page<Item> = { items: Item[]; nextCursor?: string | null }
export type Pages<Item> = Loaded<Page<Item>> & {
  items: Item[]
  /** Reads the next page. */
  more: () => Promise<void>
  /** Adds items at the top, each once. */
  prepend: (items: Item[]) => void
  remove: (id: string) => void
}

export function usePages<Item extends { id: string }>(
  read: (cursor: string | undefined) => Promise<Page<Item>>,
  keys: readonly unknown[],
): Pages<Item> {
  const loaded = useLoad(() => read(undefined), keys)
  const current = () => loaded.data.peek() ?? { items: [] }
  const without = (items: Item[], others: Item[]) => items.filter(({ id }) => !others.some((one) => one.id === id))
  return {
    ...loaded,
    items: loaded.data.value?.items ?? [],
    more: async () => {
      const { items, nextCursor } = current()
      const next = await read(nextCursor ?? undefined)
      loaded.set({ ...next, items: [...items, ...without(next.items, items)] })
    },
    prepend: (added) => {
      const { items, nextCursor } = current()
      loaded.set({ items: [...added, ...without(items, added)], nextCursor: nextCursor ?? null })
    },
    remove: (gone) => {
      const { items, nextCursor } = current()
      loaded.set({ items: items.filter(({ id }) => id !== gone), nextCursor: nextCursor ?? null })
    },
  }
}

type ListOptions<Item> = {
  pages: Pages<Item>
  item: (item: Item) => unknown
  /** What the page says if there is nothing. */
  empty?: ComponentChildren
}

/** The items of a list, and the button for more of them. */
export function List<Item extends { id: string }>({ pages, item, empty }: ListOptions<Item>): VNode {
  const isBusy = useSignal(false)
  const { items, isLoading, error, data } = pages
  const more = async () => {
    if (isBusy.value) return
    isBusy.value = true
    await attempt(pages.more)
    isBusy.value = false
  }
  return html`<div class="stack" aria-busy=${isLoading.value}>
    <${ErrorNote} error=${error.value} />
    ${items.map(item)}
    ${isLoading.value && items.length === 0 && html`<p class="quiet">${sharedTexts.value.loading}</p>`}
    ${!isLoading.value && !error.value && items.length === 0 && html`<div class="empty">${empty ?? sharedTexts.value.empty}</div>`}
    ${
      data.value?.nextCursor &&
      html`<button class="secondary" aria-busy=${isBusy.value} onClick=${more}>${texts.value.common.more}</button>`
    }
  </div>` as VNode
}
