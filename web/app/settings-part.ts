// The frame of all pages of the settings.
import { type ComponentChildren, html, type VNode } from '../lib/html.ts'
import { path } from '../lib/router.ts'
import { texts } from './texts.ts'

const addresses = ['', '/notifications', '/privacy', '/account', '/programs'] as const

/** A page of the settings, with links to the others. */
export function Part({ children }: { children?: ComponentChildren }): VNode {
  const t = texts.value.settings
  return html`<nav class="tabs" aria-label=${t.title}>
      ${addresses.map((one, at) => {
        const address = `/app/settings${one}`
        return html`<a key=${one} href=${address} aria-current=${path.value === address ? 'page' : undefined}>${t.parts[at]}</a>`
      })}
    </nav>
    ${children}` as VNode
}
