// Circles: those of the person, those of others to which they belong, and invitations.
import type { Schema } from 'kith/client'
import { ask } from '../../lib/dialog.ts'
import { attempt, ErrorNote, notify } from '../../lib/errors.ts'
import { html, type VNode } from '../../lib/html.ts'
import { useLoad } from '../../lib/load.ts'
import { go, type PageProps } from '../../lib/router.ts'
import { sharedTexts } from '../../lib/shared-texts.ts'
import { optionsOf } from '../../lib/texts.ts'
import { FindPerson } from '../find-person.ts'
import { List, usePages } from '../list.ts'
import { type Card, nameOf, PersonLink, PersonRow } from '../people.ts'
import { kith, me } from '../session.ts'
import { texts } from '../texts.ts'

type Circle = Schema<'Circle'>
type Invitation = Schema<'CircleInvitation'>
type Member = Schema<'CircleMember'>
type Bond = Member['bondLevel']

const kindOf = (kind: string): string => (texts.value.circles.kinds as Record<string, string>)[kind] ?? kind

/** @returns whether the person left it */
function leave(circle: Circle): Promise<boolean> {
  const t = texts.value.circles
  const question = { title: t.leaveTitle(circle.name), text: t.leaveText, action: t.leave, isDangerous: true }
  const params = { path: { id: circle.id, memberId: me.value?.personId ?? '' } }
  return ask(question, () => kith.delete('/circles/me/{id}/members/{memberId}', { params }))
}

export function Circles(): VNode {
  const t = texts.value.circles
  const circles = usePages<Circle>(
    (cursor) => kith.get('/circles/me', { params: { query: { ...(cursor && { cursor }) } } }),
    [],
  )
  const invitations = useLoad(() => kith.get('/circles/invitations/me'), [])
  const create = async () => {
    let made: Circle | undefined
    const question = {
      title: t.create,
      text: t.createText,
      fields: [
        { name: 'name', label: t.name, max: 60 },
        { name: 'kind', label: t.kind, kind: 'choice' as const, options: optionsOf(t.kinds) },
      ],
      action: t.create,
    }
    await ask(question, async ({ name = '', kind }) => {
      made = await kith.post('/circles/me', { body: { name, kind: kind as 'general' } })
    })
    if (made) go(`/app/circles/${made.id}`)
  }
  const answer = (invitation: Invitation, isAccepted: boolean) =>
    attempt(
      async () => {
        const params = { path: { invitationId: invitation.id } }
        if (isAccepted) await kith.post('/circles/invitations/{invitationId}/accept', { params })
        else await kith.post('/circles/invitations/{invitationId}/decline', { params })
        await Promise.all([invitations.reload(), isAccepted && circles.reload()])
      },
      isAccepted ? t.accepted(invitation.circleName) : t.declined,
    )
  const waiting = invitations.data.value?.items ?? []
  return html`<p class="quiet">${t.text}</p>
    <p><button onClick=${create}>${t.create}</button></p>
    <${ErrorNote} error=${invitations.error.value} />
    ${
      waiting.length > 0 &&
      html`<section>
        <h2>${t.invitations}</h2>
        ${waiting.map(
          (one) => html`<div key=${one.id} class="row spread entry">
            <${PersonRow} card=${one.inviter} about=${html`<span class="words">${one.circleName}</span>`} />
            <div class="buttons">
              <button class="small" aria-label=${`${t.accept}: ${one.circleName}`} onClick=${() => answer(one, true)}>${t.accept}</button>
              <button class="secondary small" aria-label=${`${t.decline}: ${one.circleName}`} onClick=${() => answer(one, false)}>
                ${t.decline}
              </button>
            </div>
          </div>`,
        )}
      </section>`
    }
    <${List}
      pages=${circles}
      empty=${t.empty}
      item=${(circle: Circle) => html`<article key=${circle.id} class="row spread entry">
        <div>
          <a class="words strong" href=${`/app/circles/${circle.id}`}>${circle.name}</a>
          <div class="quiet">
            ${circle.isOwner ? kindOf(circle.kind) : html`${t.of} <${PersonLink} card=${circle.owner} />`}
          </div>
        </div>
        ${!circle.isOwner && html`<button class="secondary small" aria-label=${t.leaveTitle(circle.name)} onClick=${async () => (await leave(circle)) && circles.remove(circle.id)}>${t.leave}</button>`}
      </article>`}
    />` as VNode
}

/** The largest number of people in a circle. */
const MOST = 10

export function CirclePage({ params: { id = '' } }: PageProps): VNode {
  const t = texts.value.circles
  const circle = useLoad(async () => {
    // the API returns circles only in the list
    for await (const one of kith.pages('/circles/me', { params: { query: { limit: 50 } } }))
      if (one.id === id) return one
    return null
  }, [id])
  const found = circle.data.value
  if (circle.error.value) return html`<h1>${t.one}</h1><${ErrorNote} error=${circle.error.value} />` as VNode
  if (found === undefined) return html`<h1>${t.one}</h1><p class="quiet">${sharedTexts.value.loading}</p>` as VNode
  if (found === null) return html`<h1>${t.one}</h1><p>${t.gone}</p>` as VNode
  if (found.isOwner) return html`<${OwnCircle} found=${found} set=${circle.set} />` as VNode
  return html`<h1 class="words">${found.name}</h1>
    <${PersonRow} card=${found.owner} about=${t.owner} />
    <p>${t.othersText}</p>
    <button
      class="secondary"
      onClick=${async () => (await leave(found)) && go('/app/circles', { replace: true })}
    >
      ${t.leave}
    </button>` as VNode
}

function OwnCircle({ found, set }: { found: Circle; set: (now: Circle) => void }): VNode {
  const t = texts.value.circles
  const { id } = found
  const params = { path: { id } }
  const members = useLoad(() => kith.get('/circles/me/{id}/members', { params }), [id])
  const invitations = useLoad(() => kith.get('/circles/me/{id}/invitations', { params }), [id])
  const rename = () =>
    ask(
      { title: t.rename, fields: [{ name: 'name', label: t.name, value: found.name, max: 60 }], action: t.rename },
      async ({ name = '' }) => set(await kith.patch('/circles/me/{id}', { params, body: { name } })),
    )
  const remove = async () => {
    const question = { title: t.deleteTitle(found.name), text: t.deleteText, action: t.delete, isDangerous: true }
    if (!(await ask(question, () => kith.delete('/circles/me/{id}', { params })))) return
    notify(t.deleted)
    go('/app/circles', { replace: true })
  }
  const add = async (card: Card) => {
    await kith.post('/circles/me/{id}/members', { params, body: { memberId: card.personId } })
    notify(t.added(nameOf(card)))
    await members.reload()
  }
  const bond = (member: Member, bondLevel: Bond) =>
    attempt(async () => {
      const path = { id, memberId: member.member.personId }
      await kith.patch('/circles/me/{id}/members/{memberId}', { params: { path }, body: { bondLevel } })
      await members.reload()
    }, t.changed)
  const take = async ({ member }: Member) => {
    const question = { title: t.removeTitle(nameOf(member)), text: t.removeText, action: t.remove, isDangerous: true }
    const path = { id, memberId: member.personId }
    if (await ask(question, () => kith.delete('/circles/me/{id}/members/{memberId}', { params: { path } })))
      await members.reload()
  }
  const revoke = (invitation: Invitation) =>
    attempt(async () => {
      const path = { id, invitationId: invitation.id }
      await kith.delete('/circles/me/{id}/invitations/{invitationId}', { params: { path } })
      await invitations.reload()
    }, t.revoked)
  const inside = members.data.value?.items
  const waiting = invitations.data.value?.items ?? []
  return html`<h1 class="words">${found.name}</h1>
    <div class="buttons">
      <span class="tag">${kindOf(found.kind)}</span>
      <button class="secondary small" onClick=${rename}>${t.rename}</button>
      <button class="danger small" onClick=${remove}>${t.delete}</button>
    </div>
    <section>
      <h2>${t.members}</h2>
      <p class="quiet">${t.bondText}</p>
      <${ErrorNote} error=${members.error.value} />
      ${inside?.length === 0 && html`<p class="empty">${t.noMembers}</p>`}
      ${inside?.map(
        (one) => html`<div key=${one.memberId} class="row spread entry">
          <${PersonRow} card=${one.member} />
          <div class="buttons">
            <label class="plain">
              <input
                type="checkbox"
                role="switch"
                checked=${one.bondLevel === 'inner-circle'}
                onChange=${(event: Event) =>
                  bond(one, (event.target as HTMLInputElement).checked ? 'inner-circle' : 'acquaintance')}
              />
              ${t.inner}<span class="hidden-label">: ${nameOf(one.member)}</span>
            </label>
            <button class="secondary small" aria-label=${t.removeTitle(nameOf(one.member))} onClick=${() => take(one)}>${t.remove}</button>
          </div>
        </div>`,
      )}
    </section>
    ${
      waiting.length > 0 &&
      html`<section>
        <h2>${t.waiting}</h2>
        ${waiting.map(
          (one) => html`<div key=${one.id} class="row spread entry">
            <${PersonRow} card=${one.invitee} />
            <button class="secondary small" aria-label=${`${t.revoke}: ${nameOf(one.invitee)}`} onClick=${() => revoke(one)}>${t.revoke}</button>
          </div>`,
        )}
      </section>`
    }
    ${
      inside &&
      inside.length < MOST &&
      html`<section>
        <h2>${t.add}</h2>
        <${FindPerson} label=${t.find} action=${t.addAction} pick=${add} without=${inside.map(({ member }) => member)} />
      </section>`
    }` as VNode
}
