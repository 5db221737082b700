// Pages whose code the browser loads when somebody opens them, so that the first page loads less.
import { ErrorNote } from './errors.ts'
import { type ComponentType, html, type VNode } from './html.ts'
import { useLoad } from './load.ts'
import { sharedTexts } from './shared-texts.ts'

/** The page with this name, from a file that is loaded later. */
export const later = <Name extends string, Props extends object>(
  read: () => Promise<Record<Name, ComponentType<Props>>>,
  name: Name,
): ComponentType<Props> =>
  function Later(props: Props): VNode {
    const file = useLoad(read, [])
    const Page = file.data.value?.[name]
    if (Page) return html`<${Page} ...${props} />` as VNode
    return html`<${ErrorNote} error=${file.error.value} />
      ${file.isLoading.value && html`<p class="quiet" role="status">${sharedTexts.value.loading}</p>`}` as VNode
  }
