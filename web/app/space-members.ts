// The members of a group or a guild, the people who want to join, and what its leaders can do about them.
import type { Schema } from 'kith/client'
import { ask } from '../lib/dialog.ts'
import { attempt, ErrorNote } from '../lib/errors.ts'
import { html, type VNode } from '../lib/html.ts'
import { useLoad } from '../lib/load.ts'
import { optionsOf } from '../lib/texts.ts'
import { type Deed, Menu } from './card.ts'
import { List, usePages } from './list.ts'
import { type Card, isMe, nameOf, PersonRow } from './people.ts'
import { kith } from './session.ts'
import { spaceTexts } from './space-texts.ts'
import { texts } from './texts.ts'

export type Kind = 'groups' | 'guilds'
type Member = { id: string; user: Card; role: string }
type Request = Schema<'JoinRequest'> | Schema<'GuildApplication'>
type Role = Schema<'GroupMember'>['role']
type Changed = () => Promise<unknown>

/** What the owner and the moderators of a group can do about a member; `role` is the role of the reader. */
function deedsInGroup(id: string, role: string | null, { user, role: theirs }: Member, changed: Changed): Deed[] {
  const t = spaceTexts.value
  const isOwner = role === 'owner'
  if (isMe(user) || theirs === 'owner' || !(isOwner || (role === 'moderator' && theirs === 'member'))) return []
  const params = { path: { id, userId: user.personId } }
  const step = async (title: string, text: string, action: string, run: () => Promise<unknown>) => {
    if (await ask({ title, text, action, isDangerous: true }, run)) await changed()
  }
  const changeRole = async () => {
    const { owner, moderator, member } = texts.value.groups.roles
    const options = optionsOf({ moderator, member, owner })
    const field = { name: 'role', label: t.role, kind: 'choice' as const, value: theirs, options }
    const question = { title: t.changeRole, text: t.ownerText, fields: [field], action: t.change }
    const isDone = await ask(question, ({ role: given }) =>
      kith.patch('/groups/{id}/members/{userId}', { params, body: { role: given as Role } }),
    )
    if (isDone) await changed()
  }
  const remove = (ban: boolean) =>
    kith.delete('/groups/{id}/members/{userId}', { params: { ...params, query: ban ? { ban } : {} } })
  const name = nameOf(user)
  return [
    ...(isOwner ? [{ label: t.changeRole, run: changeRole }] : []),
    {
      label: t.remove,
      isDangerous: true,
      run: () => step(t.removeTitle(name), t.removeText, t.remove, () => remove(false)),
    },
    { label: t.ban, isDangerous: true, run: () => step(t.banTitle(name), t.banText, t.ban, () => remove(true)) },
  ]
}

/** What the founder of a guild can do about a member. Other roles change by proposals. */
function deedsInGuild(id: string, role: string | null, { user }: Member, changed: Changed): Deed[] {
  const t = spaceTexts.value
  if (role !== 'founder' || isMe(user)) return []
  const handOver = async () => {
    const params = { path: { id, userId: user.personId } }
    const question = { title: t.handOver, text: t.handOverText(nameOf(user)), action: t.handOver, isDangerous: true }
    const run = () => kith.patch('/guilds/{id}/members/{userId}', { params, body: { role: 'founder' } })
    if (await ask(question, run)) await changed()
  }
  return [{ label: t.handOver, isDangerous: true, run: handOver }]
}

type MembersOptions = {
  kind: Kind
  id: string
  /** The role of the reader. */
  role: string | null
  /** Changes when the members have changed. */
  version: string
  /** Called after a step. */
  changed: Changed
}

export function Members({ kind, id, role, version, changed }: MembersOptions): VNode {
  const t = texts.value.groups
  const pages = usePages<Member>(
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
  const after = () => Promise.all([changed(), pages.reload()])
  const deedsOf = (one: Member) => (kind === 'groups' ? deedsInGroup : deedsInGuild)(id, role, one, after)
  const row = (one: Member) => {
    const deeds = deedsOf(one)
    return html`<div key=${one.user.personId} class="row spread">
      <${PersonRow} card=${one.user} />
      <span class="row">
        ${isMe(one.user) && html`<span class="tag">${t.you}</span>`}
        ${one.role !== 'member' && html`<span class="tag">${roles[one.role]}</span>`}
        ${deeds.length > 0 && html`<${Menu} label=${spaceTexts.value.more(nameOf(one.user))} deeds=${deeds} />`}
      </span>
    </div>`
  }
  return html`<section><h2>${t.members}</h2><${List} pages=${pages} item=${row} /></section>` as VNode
}

/** The people who want to join, for those who decide. It shows nothing if there are none. */
export function Requests({ kind, id, settled }: { kind: Kind; id: string; settled: Changed }): VNode | null {
  const t = texts.value.groups
  const requests = useLoad<{ items: Request[] }>(() => {
    const params = { path: { id } }
    return kind === 'groups'
      ? kith.get('/groups/{id}/join-requests', { params })
      : kith.get('/guilds/{id}/applications', { params })
  }, [id])
  const items = requests.data.value?.items ?? []
  if (items.length === 0) return html`<${ErrorNote} error=${requests.error.value} />` as VNode
  const settleInGroup = (rid: string, isApproved: boolean) => {
    const params = { path: { id, rid } }
    return isApproved
      ? kith.post('/groups/{id}/join-requests/{rid}/approve', { params })
      : kith.post('/groups/{id}/join-requests/{rid}/reject', { params })
  }
  const settleInGuild = (aid: string, isApproved: boolean) => {
    const params = { path: { id, aid } }
    return isApproved
      ? kith.post('/guilds/{id}/applications/{aid}/approve', { params })
      : kith.post('/guilds/{id}/applications/{aid}/reject', { params })
  }
  const settle = (request: string, isApproved: boolean) =>
    attempt(async () => {
      await (kind === 'groups' ? settleInGroup : settleInGuild)(request, isApproved)
      await Promise.all([requests.reload(), settled()])
    })
  return html`<section>
    <h2>${kind === 'groups' ? t.requests : spaceTexts.value.applications}</h2>
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

/** Rows about people; nothing if there are none. */
const People = ({ title, rows }: { title: string; rows: VNode[] }): VNode | null =>
  rows.length === 0 ? null : (html`<section><h2>${title}</h2>${rows}</section>` as VNode)

/** Pending invitations to a group, and people who are banned from it, for its owner and its moderators. */
export function Outside({ id, version }: { id: string; version: string }): VNode {
  const t = spaceTexts.value
  const params = { path: { id } }
  const invitations = useLoad(() => kith.get('/groups/{id}/invitations', { params }), [id, version])
  const bans = useLoad(() => kith.get('/groups/{id}/bans', { params }), [id, version])
  const revoke = (iid: string) =>
    attempt(async () => {
      await kith.delete('/groups/{id}/invitations/{iid}', { params: { path: { id, iid } } })
      await invitations.reload()
    }, t.revoked)
  const lift = (userId: string) =>
    attempt(async () => {
      await kith.delete('/groups/{id}/bans/{userId}', { params: { path: { id, userId } } })
      await bans.reload()
    }, t.lifted)
  const row = (card: Card, about: string, action: string, run: () => unknown) =>
    html`<div key=${card.personId} class="row spread entry">
      <${PersonRow} card=${card} about=${about} />
      <button class="secondary small" aria-label=${`${action}: ${nameOf(card)}`} onClick=${run}>${action}</button>
    </div>` as VNode
  return html`<${ErrorNote} error=${invitations.error.value ?? bans.error.value} />
    <${People}
      title=${t.invitations}
      rows=${invitations.data.value?.items.map((one) => row(one.invitee, t.invitedBy(nameOf(one.inviter)), t.revoke, () => revoke(one.id))) ?? []}
    />
    <${People}
      title=${t.bans}
      rows=${bans.data.value?.items.map((one) => row(one.user, '', t.lift, () => lift(one.userId))) ?? []}
    />` as VNode
}
