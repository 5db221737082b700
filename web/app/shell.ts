// The frame of the web client: the header, the menu, and the page that the address names.
import { attempt } from '../lib/errors.ts'
import { html, useEffect, useRef, type VNode } from '../lib/html.ts'
import { LanguageChoice } from '../lib/language.ts'
import { match, path } from '../lib/router.ts'
import { isWide } from '../lib/wide.ts'
import { IconOf } from './icons.ts'
import { type AppPage, pages } from './pages.ts'
import { logOut } from './push.ts'
import { me } from './session.ts'
import { texts } from './texts.ts'

function pageAt(address: string): { row: AppPage; params: Record<string, string> } | undefined {
  const bare = address.replace(/\/$/, '')
  for (const row of pages) {
    const params = match(row.path, bare)
    if (params) return { row, params }
  }
  return undefined
}

function Entry({ row }: { row: AppPage }): VNode {
  const t = texts.value
  const isCurrent = path.value === row.path || (row.path !== '/app' && path.value.startsWith(`${row.path}/`))
  const count = row.count?.value ?? 0
  return html`<li>
    <a href=${row.path} aria-current=${isCurrent ? 'page' : undefined}>
      ${row.icon && html`<${IconOf} name=${row.icon} />`} <span>${row.title(t)}</span>
      ${count > 0 && html`<span class="count"><span aria-hidden="true">${count > 99 ? '99+' : count}</span><span class="hidden-label">${t.shell.unread(count)}</span></span>`}
    </a>
  </li>` as VNode
}

/** The menu. A wide screen has all entries at the side; a narrow one has a bar at the bottom, with the rest under "More". */
function Menu(): VNode {
  const t = texts.value.shell
  const more = useRef<HTMLDetailsElement>(null)
  useEffect(() => {
    if (more.current) more.current.open = false
  }, [path.value])
  const shown = pages.filter(({ icon }) => icon)
  const entries = (rows: AppPage[]) => rows.map((row) => html`<${Entry} key=${row.path} row=${row} />`)
  const main = shown.filter(({ isMain }) => isMain)
  const rest = shown.filter(({ isMain }) => !isMain)
  const exit = html`<li key="out"><button class="secondary small" onClick=${() => attempt(logOut)}>${t.logOut}</button></li>`
  if (isWide.value) {
    return html`<nav aria-label=${t.menu}><ul>${entries([...main, ...rest])}${exit}</ul></nav>` as VNode
  }
  return html`<nav aria-label=${t.menu}>
    <ul>
      ${entries(main)}
      <li class="more">
        <details ref=${more}>
          <summary><${IconOf} name="more" /> <span>${t.more}</span></summary>
          <ul>
            ${entries(rest)}${exit}
          </ul>
        </details>
      </li>
    </ul>
  </nav>` as VNode
}

export function Shell(): VNode {
  const t = texts.value
  const found = pageAt(path.value)
  const title = found?.row.title(t) ?? t.shell.unknown
  useEffect(() => {
    document.title = `${title} – ${t.shell.name}`
  }, [title])
  const Page = found?.row.page
  return html`<header>
      <a class="skip" href="#page" onClick=${skip}>${t.shell.skip}</a>
      <a class="brand" href="/app">${t.shell.name}</a>
      <${LanguageChoice} />
      <a href=${`/app/people/${me.value?.username}`}><span class="hidden-label">${t.shell.profile}: </span>${me.value?.username}</a>
    </header>
    <${Menu} />
    <main id="page" tabindex="-1">
      ${!found?.row.hasHeading && html`<h1>${title}</h1>`}
      ${Page ? html`<${Page} key=${path.value} params=${found?.params ?? {}} />` : html`<p>${t.shell.unknownText}</p>`}
    </main>` as VNode
}

function skip(event: Event): void {
  event.preventDefault()
  document.getElementById('page')?.focus()
}
