// Parts that the pages of access tokens, apps and bots share: scopes to choose, and secrets that are shown once.
import type { Schema } from 'kith/client'
import { Copy } from '../../lib/copy.ts'
import type { Field } from '../../lib/dialog.ts'
import { html, useEffect, useRef, type VNode } from '../../lib/html.ts'
import { scopeTexts } from '../../lib/scope-texts.ts'
import { timeText } from '../../lib/texts.ts'
import { kith, me } from '../session.ts'
import { programTexts } from './texts.ts'

type Scope = Schema<'Scope'>

let read: Promise<Scope[]> | undefined
/** All scopes. They don't change while the page is open. */
export function readScopes(): Promise<Scope[]> {
  read ??= kith.get('/scopes').then(({ items }) => items)
  read.catch(() => {
    read = undefined
  })
  return read
}

/** A field in which scopes are chosen, by area. Only people who may have the scopes of staff see these. */
export function scopeField(scopes: Scope[], label: string, chosen: string[] = [], { all = false } = {}): Field {
  const t = scopeTexts.value
  const isStaff = me.value?.role !== 'user'
  return {
    name: 'scopes',
    label,
    kind: 'choices',
    value: chosen.join(','),
    options: scopes
      .filter(({ isForStaff }) => all || isStaff || !isForStaff)
      .map(({ scope, description }) => {
        const area = scope.split(':')[0] ?? ''
        return { value: scope, label: t.scopes[scope] ?? description, group: t.areas[area] ?? area }
      }),
  }
}

/** Scopes in words. A scope without a sentence is shown by its name. */
export function Scopes({ scopes, known }: { scopes: string[]; known: Scope[] | undefined }): VNode {
  const words = (scope: string) =>
    scopeTexts.value.scopes[scope] ?? known?.find((one) => one.scope === scope)?.description ?? scope
  return html`<ul class="scopes">${scopes.map((scope) => html`<li key=${scope}>${words(scope)}</li>`)}</ul>` as VNode
}

export const usedText = (at: string | null): string =>
  at ? programTexts.value.used(timeText(at)) : programTexts.value.unused

/** A secret, which is shown only once. */
export function Secret({ title, secret, kept }: { title: string; secret: string; kept: () => void }): VNode {
  const t = programTexts.value
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return html`<article class="secret">
    <h3 ref=${heading} tabindex="-1" class="words">${title}</h3>
    <p>${t.onlyNow}</p>
    <p><code>${secret}</code></p>
    <div class="buttons">
      <${Copy} text=${secret} />
      <button type="button" class="small" onClick=${kept}>${t.kept}</button>
    </div>
  </article>` as VNode
}
