// Groups and guilds: finding, founding and changing them, joining and leaving, and their posts.
import type { Schema } from 'kith/client'
import { ask, type Field } from '../../lib/dialog.ts'
import { attempt, ErrorNote, notify } from '../../lib/errors.ts'
import { html, useSignal, type VNode } from '../../lib/html.ts'
import { type Loaded, useLoad } from '../../lib/load.ts'
import { go, type PageProps, query, setQuery } from '../../lib/router.ts'
import { sharedTexts } from '../../lib/shared-texts.ts'
import { numberText, optionsOf } from '../../lib/texts.ts'
import { PostCard } from '../card.ts'
import { FindPerson } from '../find-person.ts'
import { List, usePages } from '../list.ts'
import { Markdown } from '../markdown.ts'
import { type Card, nameOf, PersonRow } from '../people.ts'
import { kith, me } from '../session.ts'
import { type Kind, Members, Outside, Requests } from '../space-members.ts'
import { spaceTexts } from '../space-texts.ts'
import { texts } from '../texts.ts'
import { Words } from '../words.ts'
import { Proposals } from './proposals.ts'

type Group = Schema<'Group'>
type Guild = Schema<'Guild'>

/** The filters of the list, which are in the address. */
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

/** A node of the catalog of interests, as deep as the API describes it. */
type Node = { id: string; name: string; children?: unknown[] | undefined }
/** A node and all nodes below it, each with the names of the nodes above it. */
const flat = ({ id, name, children = [] }: Node, above: string[] = []): { value: string; label: string }[] => {
  const names = [...above, name]
  return [{ value: id, label: names.join(' › ') }, ...children.flatMap((child) => flat(child as Node, names))]
}

/** Creates a guild, which only admins can do, and shows it. */
async function found(): Promise<void> {
  const [t, shared] = [spaceTexts.value, texts.value.groups]
  const { items } = await kith.get('/interests/catalog')
  let made: Guild | undefined
  const fields: Field[] = [
    { name: 'name', label: shared.name, max: 80 },
    { name: 'interestId', label: t.interest, kind: 'choice', options: items.flatMap((one) => flat(one)) },
    { name: 'about', label: shared.about, kind: 'long', max: 2000, optional: true },
    { name: 'charter', label: t.charter, kind: 'long', max: 20_000, optional: true, hint: t.charterHint },
    { name: 'minRep', label: t.minRep, kind: 'number', min: 0, max: 1000, value: '0' },
  ]
  await ask(
    { title: t.found, fields, action: t.found },
    async ({ name = '', interestId = '', about, charter, minRep }) => {
      const words = { ...(about && { about }), ...(charter && { charter }) }
      made = await kith.post('/guilds', { body: { name, interestId, ...words, minRep: Number(minRep) } })
    },
  )
  if (made) go(`/app/guilds/${made.id}`)
}

export function Guilds(): VNode {
  const t = texts.value.guilds
  const filters = JSON.stringify(asked(undefined))
  const guilds = usePages<Guild>((cursor) => kith.get('/guilds', { params: { query: asked(cursor) } }), [filters])
  return html`<${Tabs} kind="guilds" />
    <p class="quiet">${t.text}</p>
    ${me.value?.role === 'admin' && html`<p><button onClick=${() => attempt(found)}>${spaceTexts.value.found}</button></p>`}
    <${Filters} />
    <${List} pages=${guilds} empty=${t.empty} item=${(one: Guild) => html`<${Entry} key=${one.id} space=${one} kind="guilds" />`} />` as VNode
}

/** What a page shows while its group or guild loads, or if loading failed. */
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
  const turn = useSignal(0)
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
    turn.value += 1
    notify(t.invited(nameOf(card)))
  }
  // when this changes, the lists of members and requests are read again
  const version = `${viewer.role} ${found.memberCount}`
  const changed = async () => {
    turn.value += 1
    await group.reload()
  }
  const isOwner = viewer.role === 'owner'
  const isModerator = isOwner || viewer.role === 'moderator'
  const m = spaceTexts.value
  const change = async () => {
    const fields: Field[] = [
      { name: 'name', label: t.name, max: 80, value: found.name },
      { name: 'about', label: t.about, kind: 'long', max: 2000, optional: true, value: found.about ?? '' },
    ]
    const choices: Field[] = [
      {
        name: 'visibility',
        label: t.visibility,
        kind: 'choice',
        options: optionsOf(t.visibilities),
        value: found.visibility,
      },
      { name: 'joinPolicy', label: t.joining, kind: 'choice', options: optionsOf(t.policies), value: joinPolicy },
    ]
    const isDone = await ask(
      { title: m.change, fields: isOwner ? [...fields, ...choices] : fields, action: m.change },
      async ({ name = '', about, visibility, joinPolicy: policy }) => {
        const given = { visibility: visibility as Group['visibility'], joinPolicy: policy as Group['joinPolicy'] }
        const body = { name, about: about || null, ...(isOwner && given) }
        group.set(await kith.patch('/groups/{id}', { params, body }))
      },
    )
    if (isDone) notify(m.changed)
  }
  const archive = async () => {
    if (await ask(question(m.archive, m.archiveText), () => kith.delete('/groups/{id}', { params })))
      await group.reload()
  }
  const restore = () => attempt(async () => group.set(await kith.post('/groups/{id}/restore', { params })), m.restored)
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
      ${viewer.role && !isOwner && html`<button class="secondary" onClick=${leave}>${t.leave}</button>`}
      ${isModerator && html`<button class="secondary" onClick=${change}>${m.change}</button>`}
      ${isOwner && (archivedAt ? html`<button class="secondary" onClick=${restore}>${m.restore}</button>` : html`<button class="secondary" onClick=${archive}>${m.archive}</button>`)}
    </div>
    ${isModerator && html`<${Requests} kind="groups" id=${id} settled=${group.reload} />`}
    ${viewer.role && html`<${Posts} kind="groups" id=${id} isOpen=${!archivedAt} />`}
    <${Members} kind="groups" id=${id} role=${viewer.role} version=${version} changed=${changed} />
    ${isModerator && html`<${Outside} id=${id} version=${`${version} ${turn.value}`} />`}
    ${(isModerator || (viewer.role && joinPolicy === 'open')) && !archivedAt && html`<section><h2>${t.invite}</h2><${FindPerson} label=${t.findPerson} action=${t.inviteAction} pick=${invite} /></section>`}` as VNode
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
  const leads = viewer.role === 'founder' || viewer.role === 'steward'
  const m = spaceTexts.value
  const change = async () => {
    const fields: Field[] = [
      { name: 'name', label: shared.name, max: 80, value: found.name },
      { name: 'about', label: shared.about, kind: 'long', max: 2000, optional: true, value: found.about ?? '' },
      { name: 'minRep', label: m.minRep, kind: 'number', min: 0, max: 1000, value: String(found.minRep) },
    ]
    const isDone = await ask({ title: m.change, fields, action: m.change }, async ({ name = '', about, minRep }) => {
      const body = { name, about: about || null, minRep: Number(minRep) }
      guild.set(await kith.patch('/guilds/{id}', { params, body }))
    })
    if (isDone) notify(m.changed)
  }
  return html`<h1 class="words">${found.name}</h1>
    <p class="row">
      <span class="quiet">${shared.count(found.memberCount)}</span>
      ${archivedAt && html`<span class="tag">${shared.archived}</span>`}
      ${viewer.role && html`<span class="tag">${shared.roles[viewer.role]}</span>`}
      ${typeof found.treasuryBalance === 'number' && html`<a href=${`/app/guilds/${id}/treasury`}>${t.treasury(numberText(found.treasuryBalance))}</a>`}
    </p>
    ${found.about && html`<${Words} text=${found.about} />`}
    ${found.charter && html`<details><summary>${t.charter}</summary><${Markdown} text=${found.charter} /></details>`}
    <p><a href=${`/app/guilds/${id}/charters`}>${t.allCharters}</a></p>
    <div class="buttons">
      ${viewer.status === 'none' && !archivedAt && html`<button onClick=${apply}>${t.apply}</button>`}
      ${viewer.status === 'pending' && html`<span>${t.pending}</span><button class="secondary" onClick=${withdraw}>${shared.withdraw}</button>`}
      ${viewer.role && viewer.role !== 'founder' && html`<button class="secondary" onClick=${leave}>${shared.leave}</button>`}
      ${viewer.role === 'founder' && html`<button class="secondary" onClick=${change}>${m.change}</button>`}
    </div>
    ${leads && html`<${Requests} kind="guilds" id=${id} settled=${guild.reload} />`}
    ${viewer.role && html`<${Proposals} id=${id} charter=${found.charter} isOpen=${!archivedAt} />`}
    ${viewer.role && html`<${Posts} kind="guilds" id=${id} isOpen=${!archivedAt} />`}
    <${Members} kind="guilds" id=${id} role=${viewer.role} version=${`${viewer.role} ${found.memberCount}`} changed=${guild.reload} />` as VNode
}
