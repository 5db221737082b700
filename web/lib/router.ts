// Addresses within a part, such as /admin/cases/1?status=open. Links are ordinary <a href>; a click on a link within
// the part changes the page without loading the document again.
import { computed, signal } from './html.ts'

const place = signal(location.pathname + location.search)
const url = computed(() => new URL(place.value, location.origin))

/** The path of the page that is shown. */
export const path = computed(() => url.value.pathname)
/** The query of the page that is shown: filters only, never a token or a person's words. */
export const query = computed(() => url.value.searchParams)

/** Shows another page. With `replace`, Back goes to the page before this one. */
export function go(to: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', to)
  else history.pushState(null, '', to)
  place.value = location.pathname + location.search
}

/** Changes filters in the address; an empty value removes one. */
export function setQuery(changes: Record<string, string>): void {
  const next = new URLSearchParams(query.value)
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') next.delete(name)
    else next.set(name, value)
  }
  go(next.size > 0 ? `${path.value}?${next}` : path.value, { replace: true })
}

/** What the page of a pattern gets. */
export type PageProps = { params: Record<string, string> }

/**
 * The parameters of a path, for a pattern such as `/admin/cases/:id`; undefined if the path doesn't match. They are
 * not decoded.
 */
export function match(pattern: string, to: string): PageProps['params'] | undefined {
  const [wanted, found] = [pattern.split('/'), to.split('/')]
  if (wanted.length !== found.length) return undefined
  const params: PageProps['params'] = {}
  for (const [at, part] of wanted.entries()) {
    if (part.startsWith(':')) params[part.slice(1)] = found[at] ?? ''
    else if (part !== found[at]) return undefined
  }
  return params
}

/** Begins to handle clicks on links below `root`, such as /admin. */
export function startRouter(root: string): void {
  addEventListener('popstate', () => {
    place.value = location.pathname + location.search
  })
  document.addEventListener('click', (event) => {
    const link = (event.target as Element).closest?.('a')
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
    if (!link || !isPlain || event.defaultPrevented || link.target || link.hasAttribute('download')) return
    if (link.origin !== location.origin || !`${link.pathname}/`.startsWith(`${root}/`)) return
    event.preventDefault()
    go(link.pathname + link.search)
    scrollTo(0, 0)
  })
}
