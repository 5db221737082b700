// The page that explains why somebody sees a thing, or does not.
import type { Schema } from 'kith/client'
import { FormField, valuesOf } from '../../lib/dialog.ts'
import { ErrorNote } from '../../lib/errors.ts'
import { html } from '../../lib/html.ts'
import { useLoad } from '../../lib/load.ts'
import { query, setQuery } from '../../lib/router.ts'
import { optionsOf } from '../../lib/texts.ts'
import { nameOf, personLink } from '../parts.ts'
import { kith } from '../session.ts'
import { texts } from '../texts.ts'

type Found = Schema<'Access'>

function Answer({ found }: { found: Found }) {
  const t = texts.value.access
  const name = nameOf(found.person)
  const reasons: Record<string, string> = t.reasons
  const about = ({ targetType, targetId }: { targetType: string; targetId: string }) =>
    `/admin/access?${new URLSearchParams({ personId: found.personId, targetType, targetId })}`
  return html`<section aria-labelledby="answer">
    <h2 id="answer">${found.canSee ? t.sees(name) : t.seesNot(name)}</h2>
    ${found.shown !== null && html`<p>${found.shown ? t.shown : t.notShown}</p>`}
    <ul class="entries">
      ${found.reasons.map(
        (one) => html`<li key=${one.code}>
          <span class="tag">${t.effects[one.effect]}</span> ${reasons[`${one.code} ${one.effect}`] ?? one.text}
          ${one.about && html` <a href=${about(one.about)}>${t.askNext(t.targets[one.about.targetType])}</a>`}
        </li>`,
      )}
    </ul>
    <p class="row">${personLink(found.personId, found.person)}${found.author && html` · ${t.author} ${personLink(found.authorId, found.author)}`}</p>
  </section>`
}

export function AccessPage() {
  const t = texts.value.access
  const asked = ['personId', 'targetType', 'targetId'].map((name) => query.value.get(name) ?? '')
  const [personId = '', targetType = '', targetId = ''] = asked
  const isComplete = asked.every((one) => one !== '')
  const answer = useLoad(async () => {
    if (!isComplete) return undefined
    return kith.get('/admin/access', {
      params: { query: { personId, targetType: targetType as Found['targetType'], targetId } },
    })
  }, asked)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    setQuery(valuesOf(event.target as HTMLFormElement))
  }
  return html`<p>${t.about}</p>
    <form class="filters ids" key=${asked.join()} onSubmit=${submit}>
      <${FormField} field=${{ name: 'personId', label: t.person, value: personId }} />
      <${FormField}
        field=${{ name: 'targetType', label: t.type, kind: 'choice', value: targetType || 'post', options: optionsOf(t.targets) }}
      />
      <${FormField} field=${{ name: 'targetId', label: t.id, value: targetId }} />
      <div class="buttons"><button>${t.ask}</button></div>
    </form>
    <${ErrorNote} error=${answer.error.value} />
    <div aria-live="polite">${answer.data.value && html`<${Answer} found=${answer.data.value} />`}</div>`
}
