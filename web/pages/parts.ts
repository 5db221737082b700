// Parts that several pages for people have.
import { ErrorNote } from '../lib/errors.ts'
import { type ComponentChildren, html, useSignal, type VNode } from '../lib/html.ts'
import { instance } from '../lib/instance.ts'
import { LoginForm } from '../lib/login.ts'
import { enter, kith } from './session.ts'
import { texts } from './texts.ts'

/** A text of the operator: paragraphs, and lines that begin with # as headings. Never HTML. */
export function Prose({ text }: { text: string }): VNode {
  const blocks = text.trim().split(/\n\s*\n/)
  return html`${blocks.map((block, at) => {
    const [, signs, heading] = /^(#{1,6}) +(.+)$/.exec(block) ?? []
    if (!signs) return html`<p key=${at} class="words">${block}</p>`
    return signs.length === 1 ? html`<h2 key=${at}>${heading}</h2>` : html`<h3 key=${at}>${heading}</h3>`
  })}` as VNode
}

/** Says that something was done. */
export const Done = ({ children }: { children?: ComponentChildren }): VNode =>
  html`<div role="status" class="done">${children}</div>` as VNode

/** Links to the web client and to the apps that the operator names. */
export function Apps(): VNode {
  const t = texts.value.apps
  const apps = instance.value?.apps ?? []
  return html`<ul class="apps">
    <li><a role="button" href="/app">${t.here}</a></li>
    ${apps.map(({ name, url }) => html`<li key=${url}><a role="button" href=${url}>${name}</a></li>`)}
  </ul>` as VNode
}

/** A step that runs after a click: programs that check mail open links, but do not click. */
export function Step({
  action,
  words,
  run,
}: {
  action: string
  words: Record<string, string>
  run: () => Promise<void>
}) {
  const error = useSignal<unknown>(undefined)
  const isBusy = useSignal(false)
  const click = async () => {
    if (isBusy.value) return
    isBusy.value = true
    error.value = undefined
    try {
      await run()
    } catch (failure) {
      error.value = failure
    }
    isBusy.value = false
  }
  return html`<${ErrorNote} error=${error.value} words=${words} />
    <button onClick=${click} aria-busy=${isBusy.value} aria-disabled=${isBusy.value}>${action}</button>`
}

export function Login({ returnTo, children }: { returnTo?: string; children?: ComponentChildren }): VNode {
  return html`<${LoginForm} kith=${kith} enter=${enter} returnTo=${returnTo} words=${texts.value.errors} />
    <p class="quiet"><a href="/forgot-password">${texts.value.login.forgot}</a></p>
    ${children}` as VNode
}
