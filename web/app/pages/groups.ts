// Groups and guilds: finding them, joining and leaving, their posts and members.
import type { Schema } from 'kith/client'
import { ask, type Field } from '../../lib/dialog.ts'
import { attempt, ErrorNote, notify } from '../../lib/errors.ts'
import { html, useSignal, type VNode } from '../../lib/html.ts'
import { type Loaded, useLoad } from '../../lib/load.ts'
import { go, query, setQuery } from '../../lib/router.ts'
import { sharedTexts } from '../../lib/shared-texts.ts'
import { optionsOf } from '../../lib/texts.ts'
import { PostCard } from '../card.ts'
import { FindPerson } from '../find-person.ts'
import { List, usePages } from '../list.ts'
import type { PageProps } from '../pages.ts'
import { type Card, isMe, nameOf, PersonRow } from '../people.ts'
import { kith } from '../session.ts'
import { texts } from '../texts.ts'
import { Words } from '../words.ts'

type Group = Schema<'Group'>
type Guild = Schema<'Guild'>
type Kind = 'groups' | 'guilds'

/** The filters of the list, which stand in the address. */
function Filters(): VNode {
  const t = texts.value.groups
  const search = (event: SubmitEvent) => {
    event.preventDefault()
    setQuery({ q: String(new FormData(event.target as HTMLFormElement).get('q') ?? '').trim() })
  }
  const isMine = query.value.get('mine') === 'true'
  return html`<form role="search" class="find" onSubmit=${search}>
      <label>${t.find} <input name="q" type="search" defaultValue=${query.value.get('q') ?? ''} /></label>
      <button class="secondary">${t.search}</button>
    </form>
    <label class="plain">
      <input type="checkbox" role="switch" checked=${isMine} onChange=${() => setQuery({ mine: isMine ? '' : 'true' })} />
      ${t.mine}
    </label>` as VNode
}

const asked = (cursor: string | undefined) => {
  const q = query.value.get('q')
  return {
    ...(q && { q }),
    ...(query.value.get('mine') === 'true' && { mine: true }),
    ...(cursor && { cursor }),
  }
}

const Tabs = ({ kind }: { kind: Kind }): VNode => {
  const t = texts.value
  const current = (one: Kind) => (one === kind ? 'page' : undefined)
  return html`<nav class="tabs" aria-label=${t.groups.kinds}>
    <a href="/app/groups" aria-current=${current('groups')}>${t.groups.title}</a>
    <a href="/app/guilds" aria-current=${current('guilds')}>${t.guilds.title}</a>
  </nav>` as VNode
}

function Entry({ space, kind }: { space: Group | Guild; kind: Kind }): VNode {
  const t = texts.value.groups
  return html`<article class="entry">
    <div class="row">
      <a class="words strong" href=${`/app/${kind}/${space.id}`}>${space.name}</a>
      ${space.viewer.role && html`<span class="tag">${t.member}</span>`}
      ${'visibility' in space && space.visibility === 'private' && html`<span class="tag">${t.private}</span>`}
      ${space.archivedAt && html`<span class="tag">${t.archived}</span>`}
    </div>
    ${space.about && html`<p class="words line">${space.about}</p>`}
    <small class="quiet">${t.count(space.memberCount)}</small>
  </article>` as VNode
}

export function Groups(): VNode {
  const t = texts.value.groups
  const filters = JSON.stringify(asked(undefined))
  const groups = usePages<Group>((cursor) => kith.get('/groups', { params: { query: asked(cursor) } }), [filters])
  const invitations = useLoad(() => kith.get('/groups/invitations/me'), [])
  const answer = (invitation: Schema<'GroupInvitation'>, isAccepted: boolean) =>
    attempt(async () => {
      const params = { path: { iid: invitation.id } }
      if (isAccepted) {
        await kith.post('/groups/invitations/{iid}/accept', { params })
        go(`/app/groups/${invitation.groupId}`)
      } else {
        await kith.post('/groups/invitations/{iid}/decline', { params })
        await invitations.reload()
      }
    })
  const create = async () => {
    let made: Group | undefined
    const fields: Field[] = [
      { name: 'name', label: t.name, max: 80 },
      { name: 'about', label: t.about, kind: 'long', max: 2000, optional: true },
      { name: 'visibility', label: t.visibility, kind: 'choice', options: optionsOf(t.visibilities) },
      { name: 'joinPolicy', label: t.joining, kind: 'choice', options: optionsOf(t.policies) },
    ]
    await ask({ title: t.create, fields, action: t.create }, async ({ name = '', about, visibility, joinPolicy }) => {
      const choices = { visibility: visibility as Group['visibility'], joinPolicy: joinPolicy as Group['joinPolicy'] }
      made = await kith.post('/groups', { body: { name, ...(about && { about }), ...choices } })
    })
    if (made) go(`/app/groups/${made.id}`)
  }
  const waiting = invitations.data.value?.items ?? []
  return html`<${Tabs} kind="groups" />
    ${waiting.map(
      (one) => html`<div key=${one.id} class="row spread entry">
        <${PersonRow} card=${one.inviter} about=${html`${t.invites} <span class="words strong">${one.group.name}</span>`} />
        <div class="buttons">
          <button class="small" aria-label=${`${t.accept}: ${one.group.name}`} onClick=${() => answer(one, true)}>${t.accept}</button>
          <button class="secondary small" aria-label=${`${t.decline}: ${one.group.name}`} onClick=${() => answer(one, false)}>${t.decline}</button>
        </div>
      </div>`,
    )}
    <p><button onClick=${create}>${t.create}</button></p>
    <${Filters} />
    <${List} pages=${groups} empty=${t.empty} item=${(one: Group) => html`<${Entry} key=${one.id} space=${one} kind="groups" />`} />` as VNode
}

export function Guilds(): VNode {
  const t = texts.value.guilds
  const filters = JSON.stringify(asked(undefined))
  const guilds = usePages<Guild>((cursor) => kith.get('/guilds', { params: { query: asked(cursor) } }), [filters])
  return html`<${Tabs} kind="guilds" />
    <p class="quiet">${t.text}</p>
    <${Filters} />
    <${List} pages=${guilds} empty=${t.empty} item=${(one: Guild) => html`<${Entry} key=${one.id} space=${one} kind="guilds" />`} />` as VNode
}

/** What a page shows while its group or guild loads, or if that failed. */
const Waiting = ({ title, loaded }: { title: string; loaded: Loaded<unknown> }): VNode =>
  html`<h1>${title}</h1>
    ${loaded.error.value ? html`<${ErrorNote} error=${loaded.error.value} />` : html`<p class="quiet">${sharedTexts.value.loading}</p>`}` as VNode

const question = (title: string, text: string) => ({ title, text, action: title, isDangerous: true })
const why = (t: { message: string; messageHint: string }): Field => ({
  name: 'message',
  label: t.message,
  hint: t.messageHint,
  kind: 'long',
  max: 500,
  optional: true,
})

export function GroupPage({ params: { id = '' } }: PageProps): VNode {
  const t = texts.value.groups
  const params = { path: { id } }
  const group = useLoad(() => kith.get('/groups/{id}', { params }), [id])
  const found = group.data.value
  if (!found) return html`<${Waiting} title=${t.one} loaded=${group} />` as VNode
  const { viewer, joinPolicy, archivedAt } = found
  const join = async () => {
    if (joinPolicy !== 'request' || viewer.status === 'invited') {
      await attempt(async () => {
        await kith.post('/groups/{id}/join', { params, body: {} })
        await group.reload()
      }, t.joined(found.name))
      return
    }
    const isSent = await ask({ title: t.ask, text: t.askText, fields: [why(t)], action: t.ask }, ({ message }) =>
      kith.post('/groups/{id}/join', { params, body: { ...(message && { message }) } }),
    )
    if (isSent) await group.reload()
  }
  const withdraw = () =>
    attempt(async () => {
      const path = { id, rid: viewer.requestId ?? '' }
      await kith.post('/groups/{id}/join-requests/{rid}/withdraw', { params: { path } })
      await group.reload()
    }, t.withdrawn)
  const leave = async () => {
    if (!(await ask(question(t.leave, t.leaveText), () => kith.post('/groups/{id}/leave', { params })))) return
    if (found.visibility === 'private') go('/app/groups', { replace: true })
    else await group.reload()
  }
  const invite = async (card: Card) => {
    await kith.post('/groups/{id}/invitations', { params, body: { inviteeId: card.personId } })
    notify(t.invited(nameOf(card)))
  }
  const isModerator = viewer.role === 'owner' || viewer.role === 'moderator'
  const isOpen = !archivedAt && (joinPolicy !== 'invite' || viewer.status === 'invited')
  return html`<h1 class="words">${found.name}</h1>
    <p class="row">
      <span class="quiet">${t.count(found.memberCount)}</span>
      ${found.visibility === 'private' && html`<span class="tag">${t.private}</span>`}
      <span class="tag">${t.policies[joinPolicy]}</span>
      ${archivedAt && html`<span class="tag">${t.archived}</span>`}
      ${viewer.role && html`<span class="tag">${t.roles[viewer.role]}</span>`}
    </p>
    ${found.about && html`<${Words} text=${found.about} />`}
    <div class="buttons">
      ${['none', 'invited'].includes(viewer.status) && isOpen && html`<button onClick=${join}>${joinPolicy === 'request' && viewer.status === 'none' ? t.ask : t.join}</button>`}
      ${viewer.status === 'none' && !isOpen && !archivedAt && html`<p class="quiet">${t.onlyInvited}</p>`}
      ${viewer.status === 'banned' && html`<p class="quiet">${t.banned}</p>`}
      ${viewer.status === 'pending' && html`<span>${t.pending}</span><button class="secondary" onClick=${withdraw}>${t.withdraw}</button>`}
      ${viewer.role && viewer.role !== 'owner' && html`<button class="secondary" onClick=${leave}>${t.leave}</button>`}
    </div>
    ${isModerator && html`<${Requests} id=${id} settled=${group.reload} />`}
    ${viewer.role && html`<${Posts} kind="groups" id=${id} isOpen=${!archivedAt} />`}
    <${Members} kind="groups" id=${id} version=${viewer.status} />
    ${(isModerator || (viewer.role && joinPolicy === 'open')) && !archivedAt && html`<section><h2>${t.invite}</h2><${FindPerson} label=${t.findPerson} action=${t.inviteAction} pick=${invite} /></section>`}` as VNode
}

/** Requests that the owner or a moderator decides. */
function Requests({ id, settled }: { id: string; settled: () => Promise<void> }): VNode | null {
  const t = texts.value.groups
  const requests = useLoad(() => kith.get('/groups/{id}/join-requests', { params: { path: { id } } }), [id])
  const items = requests.data.value?.items ?? []
  if (items.length === 0) return null
  const settle = (rid: string, isApproved: boolean) =>
    attempt(async () => {
      const params = { path: { id, rid } }
      if (isApproved) await kith.post('/groups/{id}/join-requests/{rid}/approve', { params })
      else await kith.post('/groups/{id}/join-requests/{rid}/reject', { params })
      await Promise.all([requests.reload(), settled()])
    })
  return html`<section>
    <h2>${t.requests}</h2>
    ${items.map(
      (one) => html`<div key=${one.id} class="row spread entry">
        <${PersonRow} card=${one.user} about=${one.message && html`<span class="words">${one.message}</span>`} />
        <div class="buttons">
          <button class="small" aria-label=${`${t.approve}: ${nameOf(one.user)}`} onClick=${() => settle(one.id, true)}>${t.approve}</button>
          <button class="secondary small" aria-label=${`${t.reject}: ${nameOf(one.user)}`} onClick=${() => settle(one.id, false)}>${t.reject}</button>
        </div>
      </div>`,
    )}
  </section>` as VNode
}

function Posts({ kind, id, isOpen }: { kind: Kind; id: string; isOpen: boolean }): VNode {
  const t = texts.value.groups
  const pages = usePages<Schema<'Post'>>(
    (cursor) => {
      const params = { path: { id }, query: { ...(cursor && { cursor }) } }
      return kind === 'groups' ? kith.get('/groups/{id}/posts', { params }) : kith.get('/guilds/{id}/posts', { params })
    },
    [id],
  )
  const error = useSignal<unknown>(undefined)
  const isBusy = useSignal(false)
  const publish = async (event: SubmitEvent) => {
    event.preventDefault()
    const form = event.target as HTMLFormElement
    const body = String(new FormData(form).get('body') ?? '').trim()
    if (body === '' || isBusy.value) return
    isBusy.value = true
    error.value = undefined
    try {
      const params = { path: { id } }
      const post =
        kind === 'groups'
          ? await kith.post('/groups/{id}/posts', { params, body: { body } })
          : await kith.post('/guilds/{id}/posts', { params, body: { body } })
      form.reset()
      const area = form.elements.namedItem('body') as HTMLTextAreaElement
      area.value = ''
      pages.prepend([post])
    } catch (failure) {
      error.value = failure
    }
    isBusy.value = false
  }
  return html`<section>
    <h2>${t.posts}</h2>
    ${
      isOpen &&
      html`<form onSubmit=${publish}>
        <label>${t.write} <textarea name="body" rows="3" maxlength="5000" required></textarea></label>
        <${ErrorNote} error=${error.value} />
        <button aria-busy=${isBusy.value}>${t.publish}</button>
      </form>`
    }
    <${List}
      pages=${pages}
      empty=${t.noPosts}
      item=${(post: Schema<'Post'>) => html`<${PostCard} key=${post.id} post=${post} onGone=${() => pages.remove(post.id)} />`}
    />
  </section>` as VNode
}

type AnyMember = { id: string; user: Card; role: string }

/** @param version changes when the members have changed */
function Members({ kind, id, version }: { kind: Kind; id: string; version: string }): VNode {
  const t = texts.value.groups
  const pages = usePages<AnyMember>(
    async (cursor) => {
      const params = { path: { id }, query: { ...(cursor && { cursor }) } }
      const { items, nextCursor } =
        kind === 'groups'
          ? await kith.get('/groups/{id}/members', { params })
          : await kith.get('/guilds/{id}/members', { params })
      return { items: items.map(({ userId, user, role }) => ({ id: userId, user, role })), nextCursor }
    },
    [id, version],
  )
  const roles = t.roles as Record<string, string>
  return html`<section>
    <h2>${t.members}</h2>
    <${List}
      pages=${pages}
      item=${({ user, role }: AnyMember) => html`<div key=${user.personId} class="row spread">
        <${PersonRow} card=${user} />
        <span>${isMe(user) && html`<span class="tag">${t.you}</span>`} ${role !== 'member' && html`<span class="tag">${roles[role]}</span>`}</span>
      </div>`}
    />
  </section>` as VNode
}

export function GuildPage({ params: { id = '' } }: PageProps): VNode {
  const t = texts.value.guilds
  const shared = texts.value.groups
  const params = { path: { id } }
  const guild = useLoad(() => kith.get('/guilds/{id}', { params }), [id])
  const found = guild.data.value
  if (!found) return html`<${Waiting} title=${t.one} loaded=${guild} />` as VNode
  const { viewer, archivedAt } = found
  const apply = async () => {
    const isSent = await ask(
      { title: t.apply, text: t.applyText(found.minRep), fields: [why(shared)], action: t.apply },
      ({ message }) => kith.post('/guilds/{id}/applications', { params, body: { ...(message && { message }) } }),
    )
    if (isSent) await guild.reload()
  }
  const withdraw = () =>
    attempt(async () => {
      const path = { id, aid: viewer.applicationId ?? '' }
      await kith.post('/guilds/{id}/applications/{aid}/withdraw', { params: { path } })
      await guild.reload()
    }, shared.withdrawn)
  const leave = async () => {
    if (await ask(question(shared.leave, shared.leaveText), () => kith.post('/guilds/{id}/leave', { params })))
      await guild.reload()
  }
  return html`<h1 class="words">${found.name}</h1>
    <p class="row">
      <span class="quiet">${shared.count(found.memberCount)}</span>
      ${archivedAt && html`<span class="tag">${shared.archived}</span>`}
      ${viewer.role && html`<span class="tag">${shared.roles[viewer.role]}</span>`}
      ${typeof found.treasuryBalance === 'number' && html`<span class="tag">${t.treasury(found.treasuryBalance)}</span>`}
    </p>
    ${found.about && html`<${Words} text=${found.about} />`}
    ${found.charter && html`<details><summary>${t.charter}</summary><${Words} text=${found.charter} /></details>`}
    <div class="buttons">
      ${viewer.status === 'none' && !archivedAt && html`<button onClick=${apply}>${t.apply}</button>`}
      ${viewer.status === 'pending' && html`<span>${t.pending}</span><button class="secondary" onClick=${withdraw}>${shared.withdraw}</button>`}
      ${viewer.role && viewer.role !== 'founder' && html`<button class="secondary" onClick=${leave}>${shared.leave}</button>`}
    </div>
    ${viewer.role && html`<${Posts} kind="guilds" id=${id} isOpen=${!archivedAt} />`}
    <${Members} kind="guilds" id=${id} version=${viewer.status} />` as VNode
}
