// A form that finds people by name, with a button for an action on each of them.
import { ErrorNote } from '../lib/errors.ts'
import { html, useSignal, type VNode } from '../lib/html.ts'
import { sharedTexts } from '../lib/shared-texts.ts'
import { type Card, isMe, PersonRow } from './people.ts'
import { kith } from './session.ts'
import { texts } from './texts.ts'

type Options = {
  label: string
  /** The label of the button beside each person. */
  action: string
  pick: (card: Card) => Promise<unknown>
  /** The people who are not offered. */
  without?: Card[]
}

export function FindPerson({ label, action, pick, without = [] }: Options): VNode {
  const t = texts.value.find
  const found = useSignal<Card[] | undefined>(undefined)
  const error = useSignal<unknown>(undefined)
  const isBusy = useSignal(false)
  const run = async (step: () => Promise<unknown>) => {
    if (isBusy.value) return
    isBusy.value = true
    error.value = undefined
    try {
      await step()
    } catch (failure) {
      error.value = failure
    }
    isBusy.value = false
  }
  const search = (event: SubmitEvent) => {
    event.preventDefault()
    const q = String(new FormData(event.target as HTMLFormElement).get('q') ?? '').trim()
    if (q === '') return
    void run(async () => {
      found.value = (await kith.get('/discovery/people', { params: { query: { q, limit: 8 } } })).items
    })
  }
  const shown = found.value?.filter(
    (card) => !isMe(card) && !without.some(({ personId }) => personId === card.personId),
  )
  return html`<form role="search" class="find" onSubmit=${search}>
      <label>${label} <input name="q" type="search" autocomplete="off" placeholder=${t.hint} required /></label>
      <button class="secondary" aria-busy=${isBusy.value}>${t.search}</button>
    </form>
    <${ErrorNote} error=${error.value} words=${t.errors} />
    <div aria-live="polite">
      ${shown?.length === 0 && html`<p class="quiet">${sharedTexts.value.empty}</p>`}
      ${shown?.map(
        (card) => html`<div key=${card.personId} class="row spread">
          <${PersonRow} card=${card} />
          <button
            class="small"
            aria-label=${t.actionFor(action, `${card.firstName} ${card.lastName}`)}
            onClick=${() =>
              run(async () => {
                await pick(card)
                found.value = undefined
              })}
          >
            ${action}
          </button>
        </div>`,
      )}
    </div>` as VNode
}
