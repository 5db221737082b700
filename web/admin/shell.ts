// The frame of the panel: the header, the menu, and the page that the address names.
import { html, useEffect, useSignal } from '../lib/html.ts'
import { LanguageChoice } from '../lib/language.ts'
import { go, match, path } from '../lib/router.ts'
import { isWide } from '../lib/wide.ts'
import { HOME, type PanelPage, pages } from './pages.ts'
import { isAdmin, kith, me } from './session.ts'
import { type Texts, texts } from './texts.ts'

const isAllowed = ({ admin }: PanelPage): boolean => !admin || isAdmin.value

function pageAt(address: string): { row: PanelPage; params: Record<string, string> } | undefined {
  for (const row of pages.filter(isAllowed)) {
    const params = match(row.path, address)
    if (params) return { row, params }
  }
  return undefined
}

/** Who is logged in, and how to leave. */
function Account() {
  const t = texts.value
  return html`<span>${me.value?.username} <span class="tag">${me.value && t.people.roles[me.value.role]}</span></span>
    <button class="secondary small" onClick=${() => kith.logOut()}>${t.shell.logOut}</button>`
}

/** All pages by section. On a narrow screen it shows only when it is open, and has the account, too. */
function Menu() {
  const t = texts.value
  const shown = pages.filter((row) => row.section && isAllowed(row))
  const sections = [...new Set(shown.map((row) => row.section as keyof Texts['sections']))]
  const isCurrent = (row: PanelPage) => path.value === row.path || path.value.startsWith(`${row.path}/`)
  return html`<nav id="menu" aria-label=${t.shell.menu}>
    ${!isWide.value && html`<p class="row"><${Account} /></p>`}
    ${sections.map(
      (section) => html`<h2 key=${`h-${section}`}>${t.sections[section]}</h2>
        <ul key=${section}>
          ${shown
            .filter((row) => row.section === section)
            .map(
              (row) =>
                html`<li key=${row.path}>
                  <a href=${row.path} aria-current=${isCurrent(row) ? 'page' : undefined}>${row.title(t)}</a>
                </li>`,
            )}
        </ul>`,
    )}
  </nav>`
}

export function Shell() {
  const t = texts.value
  const isOpen = useSignal(false)
  const found = pageAt(path.value)
  const title = found?.row.title(t) ?? t.shell.unknown
  useEffect(() => {
    isOpen.value = false
    if (path.value === '/admin') go(HOME, { replace: true })
  }, [path.value])
  useEffect(() => {
    document.title = `${title} – ${t.shell.name}`
  }, [title])
  const toggle = () => {
    isOpen.value = !isOpen.value
  }
  const Page = found?.row.page
  return html`<header>
      <a class="skip" href="#page" onClick=${skip}>${t.shell.skip}</a>
      <span class="brand">${t.shell.name}</span>
      <${LanguageChoice} />
      ${
        isWide.value
          ? html`<${Account} />`
          : html`<button class="secondary small" aria-controls="menu" aria-expanded=${isOpen.value} onClick=${toggle}>
              ${t.shell.menu}
            </button>`
      }
    </header>
    ${(isWide.value || isOpen.value) && html`<${Menu} />`}
    <main id="page" tabindex="-1">
      <h1>${title}</h1>
      ${Page ? html`<${Page} key=${path.value} params=${found?.params ?? {}} />` : html`<p>${t.shell.unknownText}</p>`}
    </main>`
}

function skip(event: Event): void {
  event.preventDefault()
  document.getElementById('page')?.focus()
}
