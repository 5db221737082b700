// One person: who they are, what staff decided about them, and what admins can do.
import type { Schema } from 'kith/client'
import { ask, type Field } from '../../lib/dialog.ts'
import { ErrorNote, notify } from '../../lib/errors.ts'
import { html, type Signal, useSignal } from '../../lib/html.ts'
import { useLoad } from '../../lib/load.ts'
import { go, type PageProps } from '../../lib/router.ts'
import { saveFile } from '../../lib/save.ts'
import { Table } from '../../lib/table.ts'
import { bare, numberText, optionsOf, timeText } from '../../lib/texts.ts'
import { alsoOwner, banText } from '../case-work.ts'
import { timeCell } from '../cells.ts'
import {
  botFacts,
  botTag,
  categoryOptions,
  categoryText,
  Deeds,
  Facts,
  isMe,
  Later,
  momentOf,
  nameOf,
  personLink,
  whenTrue,
} from '../parts.ts'
import { isAdmin, kith, me, saveCsv } from '../session.ts'
import { texts } from '../texts.ts'
import { clientLink, thingLink, typeText } from '../things.ts'
import { statusOf } from './people.ts'

type Account = Schema<'StaffUserDetails'>
type Standing = Schema<'Standing'>
type Invitee = Schema<'StaffInvitee'>

const read = (id: string) => kith.get('/admin/users/{id}', { params: { path: { id } } })

const reason = (): Field => ({
  name: 'reason',
  label: texts.value.common.reason,
  kind: 'long',
  max: 1000,
  hint: texts.value.person.reasonHint,
})
const optionalReason = (): Field => ({ ...reason(), optional: true, hint: texts.value.common.reasonHint })
const until = (): Field => ({ name: 'until', label: texts.value.case.until, kind: 'time' })

/** The steps that an admin may take with an account in its state. */
function stepsOf(account: Account, after: () => Promise<void>) {
  const { person: t, actions, actionTexts, people } = texts.value
  const params = { path: { id: account.id } }
  const step = (
    label: string,
    text: string,
    fields: Field[],
    run: (values: Record<string, string>) => Promise<unknown>,
    isDangerous = false,
    then = after,
  ) => ({
    label,
    isDangerous,
    run: async () => {
      const action = bare(label)
      const question = { title: `${action}: ${nameOf(account.user)}`, text, fields, action, isDangerous }
      if (!(await ask(question, run))) return
      notify(texts.value.common.done)
      await then()
    },
  })
  const { bannedAt, limitedAt, role } = account
  const isProtected = role === 'admin'
  const download = async () => {
    const found = await kith.post('/admin/users/{id}/export', { params })
    saveFile(new Blob([JSON.stringify(found)], { type: 'application/json' }), `${account.user.username}.json`)
  }
  return [
    step(
      t.changeRole,
      t.changeRoleText,
      [{ name: 'role', label: people.role, kind: 'choice', value: role, options: optionsOf(people.roles) }],
      (values) => kith.patch('/admin/users/{id}/role', { params, body: { role: values.role as 'user' } }),
      true,
    ),
    step(t.endSessions, t.endSessionsText, [optionalReason()], ({ reason: why }) =>
      kith.post('/admin/users/{id}/sessions/end', { params, body: { reason: why ?? null } }),
    ),
    !isProtected &&
      !limitedAt &&
      step(
        actions.limit,
        actionTexts.limit,
        [reason()],
        ({ reason: why = '' }) => kith.post('/admin/users/{id}/limit', { params, body: { reason: why } }),
        true,
      ),
    limitedAt &&
      account.id !== me.value?.id &&
      step(actions.unlimit, actionTexts.unlimit, [optionalReason()], ({ reason: why }) =>
        kith.post('/admin/users/{id}/unlimit', { params, body: { reason: why ?? null } }),
      ),
    !isProtected &&
      step(
        actions.suspend,
        banText(actionTexts.suspend, account),
        [reason(), until(), ...alsoOwner(account)],
        ({ reason: why = '', until: end, alsoOwner: also }) =>
          kith.post('/admin/users/{id}/ban', {
            params,
            body: { reason: why, until: momentOf(end) ?? null, ...(also && { alsoOwner: true }) },
          }),
        true,
      ),
    !isProtected &&
      (!bannedAt || account.suspendedUntil) &&
      step(
        actions.ban,
        banText(actionTexts.ban, account),
        [reason(), ...alsoOwner(account)],
        ({ reason: why = '', alsoOwner: also }) =>
          kith.post('/admin/users/{id}/ban', { params, body: { reason: why, ...(also && { alsoOwner: true }) } }),
        true,
      ),
    bannedAt &&
      step(actions.unban, actionTexts.unban, [optionalReason()], ({ reason: why }) =>
        kith.post('/admin/users/{id}/unban', { params, body: { reason: why ?? null } }),
      ),
    bannedAt && step(t.export, t.exportText, [], download),
    bannedAt &&
      step(
        t.erase,
        t.eraseText(account.user.username),
        [],
        () => kith.post('/admin/users/{id}/erase', { params }),
        true,
        // the page of an erased person does not exist
        async () => go('/admin/people?status=erased', { replace: true }),
      ),
  ]
}

function StandingOf({ id, version }: { id: string; version: number }) {
  const { case: t, actions, appeals } = texts.value
  const page = useLoad<Standing>(
    () => kith.get('/admin/users/{id}/standing', { params: { path: { id } } }),
    [id, version],
  )
  const found = page.data.value
  if (!found) return html`<${ErrorNote} error=${page.error.value} />`
  return html`<${Facts} facts=${[[t.strikes, found.strikes]]} />
    ${found.decisions.length === 0 && html`<p class="quiet">${t.noDecisions}</p>`}
    <ul class="entries">
      ${found.decisions.map(
        (one) => html`<li key=${one.id}>
          <strong>${actions[one.action]}</strong> · ${thingLink(one.targetType, one.targetId)} · ${categoryText(one.category)}
          ${one.overturnedAt ? html` <span class="tag">${t.overturned}</span>` : one.liftedAt && html` <span class="tag">${t.lifted}</span>`}
          ${one.reason && html`<div class="words">${one.reason}</div>`}
          ${one.appeal && html`<div><a href=${`/admin/appeals?personId=${id}`}>${texts.value.person.appeal}</a>: ${appeals.states[one.appeal.status]}</div>`}
          <div class="quiet">${timeText(one.createdAt)}</div>
        </li>`,
      )}
    </ul>`
}

function Sessions({ id, version }: { id: string; version: Signal<number> }) {
  const t = texts.value.person
  type Row = Record<'id' | 'createdAt' | 'lastSeenAt' | 'expiresAt', string> &
    Record<'device' | 'network' | 'userAgent', string | null> & { kind: 'rotating' | 'fixed' }
  return html`<${Table}
    caption=${t.sessions}
    version=${version}
    keyOf=${(one: Row) => one.id}
    load=${(query: object) => kith.get('/admin/users/{id}/sessions', { params: { path: { id }, query } })}
    columns=${[
      {
        label: t.device,
        cell: (one: Row) =>
          html`<div class="words">${one.device ?? '–'}</div><div class="quiet words">${one.userAgent}</div>`,
      },
      { label: t.network, cell: (one: Row) => one.network ?? '–' },
      { label: t.sessionKind, cell: (one: Row) => t.sessionKinds[one.kind] },
      { label: t.began, cell: (one: Row) => timeCell(one.createdAt) },
      { label: t.lastSeen, cell: (one: Row) => timeCell(one.lastSeenAt) },
      { label: t.expires, cell: (one: Row) => timeCell(one.expiresAt) },
    ]}
  />`
}

function Invitees({ id }: { id: string }) {
  const { person: t, people, actions, common, case: words } = texts.value
  const version = useSignal(0)
  const chosen = useSignal<string[]>([])
  const mark = (event: Event, person: string) => {
    const rest = chosen.value.filter((one) => one !== person)
    chosen.value = (event.target as HTMLInputElement).checked ? [...rest, person] : rest
  }
  const act = async () => {
    const people = chosen.value
    const isDone = await ask(
      {
        title: bare(t.actOnInvitees(people.length)),
        text: t.actOnInviteesText,
        fields: [
          {
            name: 'action',
            label: common.deeds,
            kind: 'choice',
            options: optionsOf({ limit: actions.limit, suspend: actions.suspend, ban: actions.ban }),
          },
          reason(),
          { name: 'category', label: words.category, kind: 'choice', value: 'other', options: categoryOptions() },
          { ...until(), optional: 'told', hint: words.untilHint },
        ],
        action: words.act,
        isDangerous: true,
      },
      ({ action, reason: why = '', category, until: end }) =>
        kith.post('/admin/users/{id}/invitees/actions', {
          params: { path: { id } },
          body: {
            action: action as 'ban',
            people,
            reason: why,
            ...(category && { category }),
            ...(end && { until: momentOf(end) ?? '' }),
          },
        }),
    )
    if (!isDone) return
    notify(common.done)
    chosen.value = []
    version.value += 1
  }
  const box = (one: Invitee) =>
    html`<input
      type="checkbox"
      aria-label=${t.choose(nameOf(one.user))}
      checked=${chosen.value.includes(one.id)}
      onChange=${(event: Event) => mark(event, one.id)}
    />`
  return html`<${Table}
      caption=${t.invitees}
      version=${version}
      keyOf=${(one: Invitee) => one.id}
      filters=${[{ name: 'q', label: people.search }]}
      load=${(query: object) => kith.get('/admin/users/{id}/invitees', { params: { path: { id }, query } })}
      csv=${(query: Record<string, string>) => saveCsv(`/admin/users/${id}/invitees`, query)}
      columns=${[
        ...(isAdmin.value ? [{ label: t.chosen, cell: box }] : []),
        { label: people.person, cell: (one: Invitee) => personLink(one.id, one.user) },
        { label: people.status, cell: statusOf },
        { label: words.strikes, isNumber: true, cell: (one: Invitee) => one.strikes },
        { label: t.invited, isNumber: true, cell: (one: Invitee) => numberText(one.inviteeCount) },
        { label: people.joined, cell: (one: Invitee) => timeCell(one.joinedAt) },
      ]}
    />
    ${isAdmin.value && chosen.value.length > 0 && html`<${Deeds} deeds=${[{ label: t.actOnInvitees(chosen.value.length), isDangerous: true, run: act }]} />`}`
}

function CasesOf({ id }: { id: string }) {
  const { cases: t, case: words } = texts.value
  type Row = Schema<'StaffCase'>
  return html`<${Table}
    caption=${t.title}
    keyOf=${(one: Row) => one.id}
    load=${(query: object) => kith.get('/admin/cases', { params: { query: { ...query, personId: id } } })}
    columns=${[
      {
        label: words.about,
        cell: (one: Row) => html`<a href=${`/admin/cases/${one.id}`}>${typeText(one.targetType)}</a>`,
      },
      { label: words.category, cell: (one: Row) => categoryText(one.category) },
      { label: words.status, cell: (one: Row) => (one.outcome ? words.outcomes[one.outcome] : words.open) },
      { label: words.opened, cell: (one: Row) => timeCell(one.createdAt) },
    ]}
  />`
}

export function PersonPage({ params: { id = '' } }: PageProps) {
  const { person: t, people, cases } = texts.value
  const page = useLoad<Account>(() => read(id), [id])
  const version = useSignal(0)
  const account = page.data.value
  if (!account || page.error.value) return html`<${ErrorNote} error=${page.error.value} />`
  const after = async () => {
    version.value += 1
    await page.reload()
  }
  const mayAct = isAdmin.value && !isMe(account.user)
  return html`<div class="columns">
      <section aria-labelledby="who">
        <h2 id="who">${nameOf(account.user)} <span class="tag">${statusOf(account)}</span>${botTag(account.user)}</h2>
        <${Facts}
          facts=${[
            [t.username, html`${account.user.username} ${clientLink('user', account.user.username)}`],
            [people.email, account.email],
            [t.verified, account.emailVerifiedAt ? timeText(account.emailVerifiedAt) : texts.value.common.no],
            [people.role, people.roles[account.role]],
            [people.joined, timeText(account.createdAt)],
            [people.seen, timeText(account.lastSeenAt)],
            whenTrue(people.banned, account.bannedAt),
            whenTrue(people.limited, account.limitedAt),
            [t.invitedBy, account.invitedBy && personLink(account.invitedById, account.invitedBy)],
            ...botFacts(account),
            [t.place, [account.city, account.country].filter(Boolean).join(', ')],
            [t.reputation, numberText(account.reputation)],
            [t.contribution, numberText(account.contribution)],
            [t.balance, numberText(account.balance)],
            [t.openReports, account.openReports],
            [t.about, account.about && html`<span class="words">${account.about}</span>`],
            [t.internalId, html`<code>${account.id}</code>`],
          ]}
        />
        <p class="row">
          <a href=${`/admin/posts?authorId=${account.id}`}>${t.posts}</a>
          <a href=${`/admin/replies?authorId=${account.id}`}>${t.replies}</a>
          <a href=${`/admin/access?personId=${account.id}`}>${texts.value.access.whatSees}</a>
        </p>
        ${mayAct && html`<${Deeds} deeds=${stepsOf(account, after)} />`}
      </section>
      <section aria-labelledby="standing">
        <h2 id="standing">${t.standing}</h2>
        <${StandingOf} id=${account.id} version=${version.value} />
      </section>
    </div>
    <${Later} title=${t.sessions} show=${() => html`<${Sessions} id=${account.id} version=${version} />`} />
    <${Later} title=${t.invitees} show=${() => html`<${Invitees} id=${account.id} />`} />
    <${Later} title=${cases.title} show=${() => html`<${CasesOf} id=${account.id} />`} />`
}
