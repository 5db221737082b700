// The proposals of a guild, about which its members vote.
import { KithError, type Schema } from 'kith/client'
import { ask, type Field } from '../../lib/dialog.ts'
import { attempt, ErrorNote, notify } from '../../lib/errors.ts'
import { html, type VNode } from '../../lib/html.ts'
import { useLoad } from '../../lib/load.ts'
import { go, type PageProps } from '../../lib/router.ts'
import { sharedTexts } from '../../lib/shared-texts.ts'
import { numberText, optionsOf, timeText } from '../../lib/texts.ts'
import { List, usePages } from '../list.ts'
import { Markdown } from '../markdown.ts'
import { type Card, isMe, PersonLink } from '../people.ts'
import { kith } from '../session.ts'
import { spaceTexts } from '../space-texts.ts'
import { texts } from '../texts.ts'
import { Words } from '../words.ts'

type Summary = Schema<'ProposalSummary'>
type Proposal = Schema<'Proposal'>
type Kind = Summary['kind']
type Vote = 'yes' | 'no' | 'abstain'

/** The fields that only proposals of a kind have. */
function fieldsOf(kind: Kind, charter: string): Field[] {
  const t = spaceTexts.value
  const person = { name: 'userId', label: t.person, max: 30 }
  const fields: Record<Kind, Field[]> = {
    general: [],
    charter: [{ name: 'charter', label: t.charter, kind: 'long', max: 20_000, value: charter }],
    steward: [person, { name: 'grant', label: t.grant, kind: 'check', value: 'true', hint: t.grantHint }],
    expel: [person],
    disburse: [
      { ...person, name: 'recipientId' },
      { name: 'amount', label: t.amount, kind: 'number', min: 1, value: '1' },
    ],
  }
  return fields[kind]
}

function payloadOf(kind: Kind, values: Record<string, string>): Schema<'NewProposal'>['payload'] {
  const { charter = '', userId = '', grant, recipientId = '', amount } = values
  if (kind === 'charter') return { charter }
  if (kind === 'steward') return { userId, grant: grant === 'true' }
  if (kind === 'expel') return { userId }
  if (kind === 'disburse') return { recipientId, amount: Number(amount) }
  return undefined
}

/** Asks for the kind of a proposal, then for its text and the fields of the kind. @returns the new proposal */
async function propose(id: string, charter: string): Promise<Proposal | undefined> {
  const t = spaceTexts.value
  let kind: Kind = 'general'
  const kinds: Field = { name: 'kind', label: t.kind, kind: 'choice', options: optionsOf(t.kinds) }
  const isChosen = await ask({ title: t.propose, fields: [kinds], action: t.continue }, async (values) => {
    kind = values.kind as Kind
  })
  if (!isChosen) return undefined
  let made: Proposal | undefined
  const fields: Field[] = [
    { name: 'title', label: t.subject, max: 200 },
    { name: 'body', label: t.reasons, kind: 'long', max: 20_000, optional: true },
    ...fieldsOf(kind, charter),
    { name: 'closesAt', label: t.closes, kind: 'time', optional: true, hint: t.closesHint },
  ]
  await ask({ title: t.propose, text: t.kinds[kind], fields, action: t.propose }, async (values) => {
    const { title = '', body, closesAt, ...rest } = values
    const payload = payloadOf(kind, rest)
    made = await kith.post('/guilds/{id}/proposals', {
      params: { path: { id } },
      body: {
        kind,
        title,
        ...(body && { body }),
        ...(payload && { payload }),
        ...(closesAt && { closesAt: new Date(closesAt).toISOString() }),
      },
    })
  })
  return made
}

/** The proposals to a guild, newest first, for its members. */
export function Proposals({ id, charter, isOpen }: { id: string; charter: string; isOpen: boolean }): VNode {
  const t = spaceTexts.value
  const pages = usePages<Summary>(
    (cursor) => kith.get('/guilds/{id}/proposals', { params: { path: { id }, query: { ...(cursor && { cursor }) } } }),
    [id],
  )
  const make = async () => {
    const made = await propose(id, charter)
    if (!made) return
    notify(t.proposed)
    go(`/app/guilds/${id}/proposals/${made.id}`)
  }
  const row = (one: Summary) => html`<article key=${one.id} class="entry">
    <div class="row">
      <a class="words strong" href=${`/app/guilds/${id}/proposals/${one.id}`}>${one.title}</a>
      <span class="tag">${t.states[one.status]}</span>
    </div>
    <small class="quiet">${one.status === 'open' ? t.until(timeText(one.closesAt)) : t.decided(timeText(one.decidedAt))}</small>
  </article>`
  return html`<section>
    <h2>${t.proposals}</h2>
    ${isOpen && html`<p><button class="secondary" onClick=${make}>${t.propose}</button></p>`}
    <${List} pages=${pages} empty=${t.noProposals} item=${row} />
  </section>` as VNode
}

/** Whom a proposal is about. */
function Person({ id }: { id: string | null | undefined }): VNode {
  const person = useLoad<Card | null>(async () => {
    try {
      return id ? await kith.get('/users/{usernameOrId}', { params: { path: { usernameOrId: id } } }) : null
    } catch (error) {
      // the person was erased, or there is a block
      if (error instanceof KithError && error.status === 404) return null
      throw error
    }
  }, [id])
  const card = person.data.value
  if (person.error.value) return html`<${ErrorNote} error=${person.error.value} />` as VNode
  if (card === undefined) return html`…` as VNode
  return (card ? html`<${PersonLink} card=${card} />` : html`${spaceTexts.value.somebody}`) as VNode
}

/** What happens if the proposal passes or, after the decision, what was proposed. */
function Effect({ proposal: { kind, payload, status } }: { proposal: Proposal }): VNode | null {
  const effects = status === 'open' ? spaceTexts.value.effects : spaceTexts.value.decidedEffects
  const { charter = '', userId, grant = false, recipientId, amount = 0 } = payload
  if (kind === 'charter')
    return html`<p>${effects.charter}</p><article><${Markdown} text=${charter} /></article>` as VNode
  if (kind === 'steward') return html`<p>${effects.steward(html`<${Person} id=${userId} />`, grant)}</p>` as VNode
  if (kind === 'expel') return html`<p>${effects.expel(html`<${Person} id=${userId} />`)}</p>` as VNode
  if (kind === 'disburse')
    return html`<p>${effects.disburse(html`<${Person} id=${recipientId} />`, numberText(amount))}</p>` as VNode
  return null
}

export function ProposalPage({ params: { id = '', pid = '' } }: PageProps): VNode {
  const t = spaceTexts.value
  const params = { path: { id, pid } }
  const loaded = useLoad<Proposal>(() => kith.get('/guilds/{id}/proposals/{pid}', { params }), [id, pid])
  const found = loaded.data.value
  const back = html`<p><a href=${`/app/guilds/${id}`}>${t.backTo}</a></p>`
  if (!found) {
    return html`<h1>${texts.value.guilds.proposal}</h1>
      ${loaded.error.value ? html`<${ErrorNote} error=${loaded.error.value} />` : html`<p class="quiet">${sharedTexts.value.loading}</p>`}${back}` as VNode
  }
  const { status, tally, viewer, proposer } = found
  const isOpen = status === 'open'
  const vote = (value: Vote) =>
    attempt(async () => {
      loaded.set(await kith.put('/guilds/{id}/proposals/{pid}/vote', { params, body: { value } }))
    }, t.voted)
  const withdraw = async () => {
    const question = { title: t.withdraw, text: t.withdrawText, action: t.withdraw, isDangerous: true }
    await ask(question, async () => {
      loaded.set(await kith.post('/guilds/{id}/proposals/{pid}/withdraw', { params }))
    })
  }
  const all = Object.entries(t.votes) as [Vote, string][]
  return html`<h1 class="words">${found.title}</h1>
    <p class="row">
      <span class="tag">${t.states[status]}</span>
      <span class="quiet">${isOpen ? t.until(timeText(found.closesAt)) : t.decided(timeText(found.decidedAt))}</span>
      ${proposer && html`<span>${t.by} <${PersonLink} card=${proposer} /></span>`}
    </p>
    ${found.body && html`<${Words} text=${found.body} />`}
    <${Effect} proposal=${found} />
    ${found.reason && html`<p>${t.failures[found.reason] ?? t.otherFailure}</p>`}
    <section class="poll">
      <h2>${isOpen ? t.vote : t.tally}</h2>
      <ul>
        ${all.map(([value, label]) => {
          const words = html`<span>${label}</span> <span class="number">${numberText(tally[value])}</span>`
          return html`<li key=${value} class="option">
            ${
              isOpen
                ? html`<button class="secondary" aria-pressed=${String(viewer.vote === value)} onClick=${() => vote(value)}>${words}</button>`
                : html`<p class="result-of-poll">${words}</p>`
            }
            <progress value=${tally[value]} max=${Math.max(tally.eligible, 1)} aria-hidden="true"></progress>
          </li>`
        })}
      </ul>
      <small class="quiet">${t.quorum(tally.quorum, tally.eligible)}</small>
    </section>
    ${isOpen && proposer && isMe(proposer) && html`<div class="buttons"><button class="secondary" onClick=${withdraw}>${t.withdraw}</button></div>`}
    ${back}` as VNode
}
