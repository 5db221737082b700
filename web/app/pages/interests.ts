// The interests that somebody chose, and the catalog to choose from.
import type { Schema } from 'kith/client'
import { ask } from '../../lib/dialog.ts'
import { attempt, ErrorNote, notify } from '../../lib/errors.ts'
import { html, type VNode } from '../../lib/html.ts'
import { useLoad } from '../../lib/load.ts'
import { sharedTexts } from '../../lib/shared-texts.ts'
import { numberText } from '../../lib/texts.ts'
import { kith } from '../session.ts'
import { texts } from '../texts.ts'

type Mine = Schema<'UserInterest'>
/** A node of the catalog, as deep as the API describes it. */
type Node = { id: string; name: string; userCount: number; children?: unknown[] | undefined }

const DEPTHS = ['1', '2', '3', '4', '5'] as const

export function Interests(): VNode {
  const t = texts.value.interests
  const mine = useLoad(() => kith.get('/me/interests'), [])
  const catalog = useLoad(() => kith.get('/interests/catalog'), [])
  const items = mine.data.value?.items ?? []
  const chosen = new Map(items.map((one) => [one.interestId, one]))

  const choose = async (id: string, name: string, before?: Mine) => {
    const options = DEPTHS.map((value, at) => ({ value, label: t.degrees[at] ?? value }))
    const question = {
      title: name,
      text: t.chooseText,
      fields: [
        { name: 'depth', label: t.depth, kind: 'choice' as const, options, value: String(before?.depth ?? 1) },
        {
          name: 'expertise',
          label: t.expertise,
          kind: 'choice' as const,
          options,
          value: String(before?.expertise ?? 1),
        },
      ],
      action: t.save,
    }
    const isDone = await ask(question, async ({ depth, expertise }) => {
      const interests = [{ interestId: id, depth: Number(depth), expertise: Number(expertise) }]
      mine.set(await kith.post('/interests/me/bulk', { body: { interests } }))
    })
    if (isDone) notify(t.saved(name))
  }
  const remove = ({ interestId: id, name }: Mine) =>
    attempt(async () => {
      await kith.delete('/me/interests/{id}', { params: { path: { id } } })
      await mine.reload()
    }, t.removed(name))

  const branch = (node: Node): VNode =>
    html`<li key=${node.id}>
      <div class="node">
        <span><a href=${`/app?interestId=${node.id}`}>${node.name}</a> ${node.userCount > 0 && html`<span class="quiet">${t.people(numberText(node.userCount))}</span>`}</span>
        ${
          chosen.has(node.id)
            ? html`<span class="tag">${t.chosen}</span>`
            : html`<button class="secondary small" onClick=${() => choose(node.id, node.name)}>
                ${t.choose}<span class="hidden-label">: ${node.name}</span>
              </button>`
        }
      </div>
      ${
        node.children &&
        node.children.length > 0 &&
        html`<details><summary>${t.narrower(node.name)}</summary><ul class="tree">${(node.children as Node[]).map(branch)}</ul></details>`
      }
    </li>` as VNode

  return html`<p>${t.text}</p>
    <section>
      <h2>${t.mine}</h2>
      <${ErrorNote} error=${mine.error.value} />
      ${mine.data.value && items.length === 0 && html`<p class="empty">${t.none}</p>`}
      <ul class="plain">
        ${items.map(
          (one) => html`<li key=${one.interestId} class="node">
            <span>
              <a href=${`/app?interestId=${one.interestId}`}>${one.name}</a>
              <span class="quiet"> ${t.degreesOf(t.degrees[one.depth - 1] ?? '', t.degrees[one.expertise - 1] ?? '')}</span>
            </span>
            <span class="buttons">
              <button class="secondary small" onClick=${() => choose(one.interestId, one.name, one)}>
                ${t.change}<span class="hidden-label">: ${one.name}</span>
              </button>
              <button class="secondary small" onClick=${() => remove(one)}>
                ${t.remove}<span class="hidden-label">: ${one.name}</span>
              </button>
            </span>
          </li>`,
        )}
      </ul>
    </section>
    <section>
      <h2>${t.catalog}</h2>
      <${ErrorNote} error=${catalog.error.value} />
      ${catalog.isLoading.value && html`<p class="quiet">${sharedTexts.value.loading}</p>`}
      <ul class="tree">${(catalog.data.value?.items ?? []).map(branch)}</ul>
    </section>` as VNode
}
