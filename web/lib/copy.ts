import { html, useSignal, type VNode } from './html.ts'
import { sharedTexts } from './shared-texts.ts'

/** A button that copies a text, and then says that it did. */
export function Copy({ text }: { text: string }): VNode {
  const isCopied = useSignal(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    isCopied.value = true
  }
  const label = isCopied.value ? sharedTexts.value.copied : sharedTexts.value.copy
  return html`<button type="button" class="secondary small" aria-live="polite" onClick=${copy}>${label}</button>` as VNode
}
