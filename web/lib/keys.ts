// Single keys that do something on a page, such as j for the next row. They never fire while somebody types, and the
// person can switch them off.
import { html, signal, useEffect, useRef, type VNode } from './html.ts'
import { sharedTexts } from './shared-texts.ts'

export type Key = {
  /** As in `event.key`. */
  key: string
  label: string
  run: () => unknown
}

const areOn = signal(localStorage.getItem('keys') !== 'off')

function setKeys(on: boolean): void {
  localStorage.setItem('keys', on ? 'on' : 'off')
  areOn.value = on
}

/**
 * Whether a key press is meant for what has the focus: a field for text, a button that Enter presses, or an open
 * dialog.
 */
function isTaken(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return true
  if (target.closest('input, textarea, select, [contenteditable]')) return true
  return event.key === 'Enter' && target.closest('a, button, summary') !== null
}

/** The keys of a page: handles them while the page is shown, and lists them. `?` opens and closes the list. */
export function Keys({ keys }: { keys: Key[] }): VNode {
  const list = useRef<HTMLDetailsElement>(null)
  const current = useRef(keys)
  current.current = keys
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (!areOn.value || isTaken(event)) return
      if (event.key === '?' && list.current) {
        list.current.open = !list.current.open
        if (list.current.open) list.current.querySelector('summary')?.focus()
        return
      }
      const found = current.current.find(({ key }) => key === event.key)
      if (!found) return
      event.preventDefault()
      found.run()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
  const t = sharedTexts.value
  return html`<details class="keys" ref=${list} open>
    <summary>${t.keys} <kbd>?</kbd></summary>
    <ul>
      ${keys.map(({ key, label }) => html`<li key=${key}><kbd>${key}</kbd> ${label}</li>`)}
    </ul>
    <label>
      <input
        type="checkbox"
        role="switch"
        checked=${areOn.value}
        onChange=${(event: Event) => setKeys((event.target as HTMLInputElement).checked)}
      />
      ${t.keysOn}
    </label>
  </details>` as VNode
}
