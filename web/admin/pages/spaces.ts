// The lists of groups and guilds, and the page of one group or guild with its members and the people who want to join.
import type { Schema } from 'kith/client'
import { ask } from '../../lib/dialog.ts'
import { ErrorNote, notify } from '../../lib/errors.ts'
import { html, type Signal, useSignal } from '../../lib/html.ts'
import { useLoad } from '../../lib/load.ts'
import type { PageProps } from '../../lib/router.ts'
import { Table } from '../../lib/table.ts'
import { bare, numberText, optionsOf, timeText } from '../../lib/texts.ts'
import { timeCell } from '../cells.ts'
import { type Deed, Deeds, Facts, nameOf, personLink, stepWith, whenTrue } from '../parts.ts'
import { isAdmin, kith, saveCsv } from '../session.ts'
import { texts } from '../texts.ts'
import { accessLink } from '../things.ts'
import { timeFilters } from './posts.ts'

type Group = Schema<'StaffGroup'>
type Guild = Schema<'StaffGuild'>
type Card = Schema<'PersonCard'>
type Member = { userId: string; user: Card; role: string; joinedAt: string }
type Request = { id: string; userId: string; user: Card; message: string; createdAt: string }

const nameColumn = (kind: 'groups' | 'guilds') => ({
  label: texts.value.spaces.name,
  cell: (one: Group | Guild) =>
    html`<a class="words" href=${`/admin/${kind}/${one.id}`}>${one.name}</a> <div class="quiet">${one.slug}</div>`,
})

export function Groups() {
  const { spaces: t, common, thing } = texts.value
  return html`<${Table}
    caption=${t.groups}
    keyOf=${(one: Group) => one.id}
    filters=${[
      { name: 'q', label: t.search },
      { name: 'visibility', label: thing.visibility, options: optionsOf(t.visibilities) },
      { name: 'status', label: common.state, options: optionsOf(t.states) },
      ...timeFilters(),
    ]}
    load=${(query: object) => kith.get('/admin/groups', { params: { query } })}
    csv=${(query: Record<string, string>) => saveCsv('/admin/groups', query)}
    columns=${[
      nameColumn('groups'),
      { label: t.owner, cell: (one: Group) => personLink(one.ownerId, one.owner) },
      { label: thing.visibility, cell: (one: Group) => t.visibilities[one.visibility] },
      { label: t.policy, cell: (one: Group) => t.policies[one.joinPolicy] },
      { label: thing.members, isNumber: true, cell: (one: Group) => numberText(one.memberCount) },
      { label: common.state, cell: (one: Group) => t.states[one.status] },
      { label: common.created, cell: (one: Group) => timeCell(one.createdAt) },
    ]}
  />`
}

export function Guilds() {
  const { spaces: t, common, thing } = texts.value
  return html`<${Table}
    caption=${t.guilds}
    keyOf=${(one: Guild) => one.id}
    filters=${[
      { name: 'q', label: t.search },
      { name: 'status', label: common.state, options: optionsOf(t.states) },
      ...timeFilters(),
    ]}
    load=${(query: object) => kith.get('/admin/guilds', { params: { query } })}
    csv=${(query: Record<string, string>) => saveCsv('/admin/guilds', query)}
    columns=${[
      nameColumn('guilds'),
      { label: t.founder, cell: (one: Guild) => personLink(one.founderId, one.founder) },
      { label: thing.members, isNumber: true, cell: (one: Guild) => numberText(one.memberCount) },
      { label: t.treasury, isNumber: true, cell: (one: Guild) => numberText(one.treasuryBalance) },
      { label: common.state, cell: (one: Guild) => t.states[one.status] },
      { label: common.created, cell: (one: Guild) => timeCell(one.createdAt) },
    ]}
  />`
}

type Ways = {
  /** What admins can do: change a role, expel a member, decide a request. */
  role: (userId: string, role: string) => Promise<unknown>
  expel: (userId: string) => Promise<unknown>
  settle: (id: string, isApproved: boolean) => Promise<unknown>
  members: (query: { cursor?: string }) => Promise<{ items: Member[]; nextCursor?: string | null }>
  /** The owner or founder can neither be expelled nor get another role. */
  leader: 'owner' | 'founder'
  roles: Record<string, string>
}

function Members({ ways, version }: { ways: Ways; version: Signal<number> }) {
  const { spaces: t, people, common } = texts.value
  const changeRole = async ({ userId, user, role }: Member) => {
    const field = {
      name: 'role',
      label: people.role,
      kind: 'choice' as const,
      value: role,
      options: optionsOf(ways.roles),
    }
    const question = {
      title: `${t.changeRole}: ${nameOf(user)}`,
      text: t.changeRoleText,
      fields: [field],
      action: t.changeRole,
    }
    if (!(await ask(question, (values) => ways.role(userId, values.role ?? role)))) return
    notify(common.done)
    version.value += 1
  }
  const deeds = (one: Member): Deed[] =>
    one.role === ways.leader
      ? []
      : [
          { label: t.changeRole, run: () => changeRole(one) },
          stepWith(
            version,
            { label: t.expel, what: nameOf(one.user), text: t.expelText, isDangerous: true, hasReason: false },
            () => ways.expel(one.userId),
          ),
        ]
  return html`<${Table}
    caption=${texts.value.thing.members}
    version=${version}
    keyOf=${(one: Member) => one.userId}
    load=${ways.members}
    columns=${[
      { label: people.person, cell: (one: Member) => personLink(one.userId, one.user) },
      { label: people.role, cell: (one: Member) => ways.roles[one.role] ?? one.role },
      { label: people.joined, cell: (one: Member) => timeCell(one.joinedAt) },
      ...(isAdmin.value
        ? [{ label: common.deeds, cell: (one: Member) => html`<${Deeds} small deeds=${deeds(one)} />` }]
        : []),
    ]}
  />`
}

function Requests({ requests, ways, version }: { requests: Request[]; ways: Ways; version: Signal<number> }) {
  const t = texts.value.spaces
  if (requests.length === 0) return html`<p class="quiet">${t.noRequests}</p>`
  const deeds = ({ id, user }: Request) => [
    stepWith(version, { label: t.approve, what: nameOf(user), text: t.approveText, hasReason: false }, () =>
      ways.settle(id, true),
    ),
    stepWith(version, { label: t.reject, what: nameOf(user), text: t.rejectText, hasReason: false }, () =>
      ways.settle(id, false),
    ),
  ]
  return html`<ul class="entries">
    ${requests.map(
      (one) => html`<li key=${one.id}>
        ${personLink(one.userId, one.user)} <span class="quiet">${timeText(one.createdAt)}</span>
        <div class="words">${one.message}</div>
        ${isAdmin.value && html`<${Deeds} small deeds=${deeds(one)} />`}
      </li>`,
    )}
  </ul>`
}

export function GroupPage({ params: { id = '' } }: PageProps) {
  const { spaces: t, thing } = texts.value
  const version = useSignal(0)
  const page = useLoad(() => kith.get('/admin/groups/{id}', { params: { path: { id } } }), [id, version.value])
  const group = page.data.value
  const path = { id }
  const ways: Ways = {
    leader: 'owner',
    roles: t.groupRoles,
    members: async (query) => (await kith.get('/admin/groups/{id}', { params: { path, query } })).members,
    role: (userId, role) =>
      kith.patch('/admin/groups/{id}/members/{userId}', {
        params: { path: { id, userId } },
        body: { role: role as 'member' },
      }),
    expel: (userId) => kith.delete('/admin/groups/{id}/members/{userId}', { params: { path: { id, userId } } }),
    settle: (rid, isApproved) =>
      isApproved
        ? kith.post('/admin/groups/{id}/join-requests/{rid}/approve', { params: { path: { id, rid } } })
        : kith.post('/admin/groups/{id}/join-requests/{rid}/reject', { params: { path: { id, rid } } }),
  }
  if (!group) return html`<${ErrorNote} error=${page.error.value} />`
  const archiving = group.archivedAt
    ? stepWith(version, { label: t.restore, what: group.name, text: t.restoreText }, (body) =>
        kith.post('/admin/groups/{id}/restore', { params: { path }, body }),
      )
    : stepWith(version, { label: t.archive, what: group.name, text: t.archiveText, isDangerous: true }, (body) =>
        kith.post('/admin/groups/{id}/archive', { params: { path }, body }),
      )
  return html`<section aria-labelledby="group">
      <h2 id="group"><span class="words">${group.name}</span> <span class="tag">${t.states[group.status]}</span></h2>
      <div class="words">${group.about}</div>
      <${Facts}
        facts=${[
          [t.slug, group.slug],
          [t.owner, personLink(group.ownerId, group.owner)],
          [thing.visibility, t.visibilities[group.visibility]],
          [t.policy, t.policies[group.joinPolicy]],
          [thing.members, numberText(group.memberCount)],
          [texts.value.common.created, timeText(group.createdAt)],
          whenTrue(thing.archived, group.archivedAt),
        ]}
      />
      <p>${accessLink('group', group.id)}</p>
      ${isAdmin.value && html`<${Deeds} deeds=${[archiving]} />`}
    </section>
    <h2>${t.requests}</h2>
    <${Requests} requests=${group.requests} ways=${ways} version=${version} />
    <h2>${thing.members}</h2>
    <${Members} ways=${ways} version=${version} />`
}

async function settleProposal(id: string): Promise<void> {
  const t = texts.value.spaces
  const fields = [
    { name: 'pid', label: t.proposalId },
    { name: 'verdict', label: t.verdict, kind: 'choice' as const, options: optionsOf(t.verdicts) },
  ]
  const question = {
    title: bare(t.settleProposal),
    text: t.settleProposalText,
    fields,
    action: t.settle,
    isDangerous: true,
  }
  const isDone = await ask(question, ({ pid = '', verdict }) => {
    const params = { path: { id, pid } }
    if (verdict === 'approve') return kith.post('/admin/guilds/{id}/proposals/{pid}/approve', { params })
    if (verdict === 'reject') return kith.post('/admin/guilds/{id}/proposals/{pid}/reject', { params })
    return kith.post('/admin/guilds/{id}/proposals/{pid}/force-close', { params })
  })
  if (isDone) notify(texts.value.common.done)
}

export function GuildPage({ params: { id = '' } }: PageProps) {
  const { spaces: t, thing } = texts.value
  const version = useSignal(0)
  const page = useLoad(() => kith.get('/admin/guilds/{id}', { params: { path: { id } } }), [id, version.value])
  const guild = page.data.value
  const path = { id }
  const ways: Ways = {
    leader: 'founder',
    roles: t.guildRoles,
    members: async (query) => (await kith.get('/admin/guilds/{id}', { params: { path, query } })).members,
    role: (userId, role) =>
      kith.patch('/admin/guilds/{id}/members/{userId}', {
        params: { path: { id, userId } },
        body: { role: role as 'member' },
      }),
    expel: (userId) => kith.delete('/admin/guilds/{id}/members/{userId}', { params: { path: { id, userId } } }),
    settle: (aid, isApproved) =>
      isApproved
        ? kith.post('/admin/guilds/{id}/applications/{aid}/approve', { params: { path: { id, aid } } })
        : kith.post('/admin/guilds/{id}/applications/{aid}/reject', { params: { path: { id, aid } } }),
  }
  if (!guild) return html`<${ErrorNote} error=${page.error.value} />`
  const archiving = guild.archivedAt
    ? stepWith(version, { label: t.restore, what: guild.name, text: t.restoreText }, (body) =>
        kith.post('/admin/guilds/{id}/restore', { params: { path }, body }),
      )
    : stepWith(version, { label: t.archive, what: guild.name, text: t.archiveText, isDangerous: true }, (body) =>
        kith.post('/admin/guilds/{id}/archive', { params: { path }, body }),
      )
  return html`<section aria-labelledby="guild">
      <h2 id="guild"><span class="words">${guild.name}</span> <span class="tag">${t.states[guild.status]}</span></h2>
      <div class="words">${guild.about}</div>
      <${Facts}
        facts=${[
          [t.slug, guild.slug],
          [t.founder, personLink(guild.founderId, guild.founder)],
          [thing.members, numberText(guild.memberCount)],
          [t.stewards, numberText(guild.stewardCount)],
          [t.minRep, numberText(guild.minRep)],
          [t.treasury, numberText(guild.treasuryBalance)],
          [texts.value.common.created, timeText(guild.createdAt)],
          whenTrue(thing.archived, guild.archivedAt),
        ]}
      />
      <p>${accessLink('guild', guild.id)}</p>
      ${isAdmin.value && html`<${Deeds} deeds=${[archiving, { label: t.settleProposal, run: () => settleProposal(id) }]} />`}
    </section>
    <h2>${t.applications}</h2>
    <${Requests} requests=${guild.applications} ways=${ways} version=${version} />
    <h2>${thing.members}</h2>
    <${Members} ways=${ways} version=${version} />`
}
