// The steps of staff in a case: who may take which step, and the dialogs before the steps. The API enforces the rules:
// sql/moderation/22_actions.sql.
import type { Schema } from 'kith/client'
import { ask, type Field } from '../lib/dialog.ts'
import { attempt, notify } from '../lib/errors.ts'
import { bare, optionsOf } from '../lib/texts.ts'
import { categoryOptions, isMe, momentOf, nameOf } from './parts.ts'
import { isAdmin, kith } from './session.ts'
import { texts } from './texts.ts'
import { contentKinds, type Thing } from './things.ts'

export type Case = Schema<'StaffCase'>
export type CaseFile = Schema<'StaffCaseFile'>
type Account = Pick<Schema<'StaffUserDetails'>, 'id' | 'bannedAt' | 'limitedAt' | 'owner' | 'bots'>
export type Action = keyof typeof texts.value.actions

/** What only admins may do; moderators propose it. */
const forAdmins: Action[] = ['remove', 'restore', 'limit', 'unlimit', 'suspend', 'ban', 'unban']
const needReason: Action[] = ['warn', 'limit', 'suspend', 'ban']

/** Asks whether the owner of a bot is banned, too. */
export function alsoOwner(account: Account | null): Field[] {
  if (!account?.owner) return []
  return [{ name: 'alsoOwner', label: texts.value.people.alsoOwner(nameOf(account.owner)), kind: 'check' }]
}
/** What a ban does: the bots of a person are banned with them. */
export const banText = (text: string, account: Account | null): string =>
  account?.bots.length ? `${text} ${texts.value.people.alsoBots(account.bots.length)}` : text

/** Whether somebody else has claimed the case. */
export const isTaken = ({ claimedBy }: Case): boolean => claimedBy !== null && !isMe(claimedBy)
/** Whether the caller may work on the case: nobody works on a case about themselves. */
export const mayWork = (one: Case): boolean => !isMe(one.person) && !isTaken(one)

/**
 * The actions that fit the thing and the account, for staff of any role. If the thing or the account is unknown, the
 * actions for each of its states.
 */
function fitting({ targetType, person }: Case, thing?: Thing | null, account?: Account | null): Action[] {
  const isContent = Object.values(contentKinds).includes(targetType)
  const actions: (Action | false)[] = [
    person !== null && 'warn',
    ['post', 'reply'].includes(targetType) && (thing?.hiddenAt ? 'unhide' : 'hide'),
    targetType === 'post' && !thing?.deletedAt && 'remove',
    isContent && (thing?.removedAt ? 'restore' : 'remove'),
    person !== null && (account?.limitedAt ? 'unlimit' : 'limit'),
    person !== null && !account?.bannedAt && 'suspend',
    person !== null && (account?.bannedAt ? 'unban' : 'ban'),
  ]
  return actions.filter((one): one is Action => one !== false)
}

export const mayDo = (one: Case, thing?: Thing | null, account?: Account | null): Action[] =>
  fitting(one, thing, account).filter((action) => isAdmin.value || !forAdmins.includes(action))
export const mayPropose = (one: Case, thing?: Thing | null, account?: Account | null): Action[] =>
  isAdmin.value ? [] : fitting(one, thing, account).filter((action) => forAdmins.includes(action))

const path = ({ id }: Case) => ({ params: { path: { id } } })

const reasonField = (optional: Field['optional']): Field => {
  const t = texts.value.case
  return { name: 'reason', label: t.reason, kind: 'long', max: 1000, optional, hint: t.reasonHint }
}

function detailFields(one: Case, actions: Action[]): Field[] {
  const t = texts.value.case
  const until: Field = { name: 'until', label: t.until, kind: 'time', optional: 'told', hint: t.untilHint }
  return [
    ...(actions.includes('suspend') ? [until] : []),
    { name: 'category', label: t.category, kind: 'choice', value: one.category, options: categoryOptions() },
    { name: 'rule', label: t.rule, optional: true, max: 300, value: one.rule ?? '', hint: t.ruleHint },
  ]
}

const chosen = (actions: Action[]): Field => ({
  name: 'actions',
  label: texts.value.case.actions,
  kind: 'choices',
  options: optionsOf(texts.value.actions).filter(({ value }) => actions.includes(value as Action)),
})

const listOf = (actions = ''): string[] => actions.split(',').filter((one) => one !== '')

function act(one: Case, actions: string[], { reason, category, rule, until }: Record<string, string>) {
  const end = momentOf(until)
  const body = { actions, ...(reason && { reason }), ...(category && { category }), ...(rule && { rule }) }
  return kith.post('/admin/cases/{id}/actions', { ...path(one), body: { ...body, ...(end && { until: end }) } })
}

const bans = (actions: string[]): boolean => actions.includes('ban') || actions.includes('suspend')

/** Bans the owner of a bot for the same time as the bot. */
async function banOwner(account: Account | null, actions: string[], values: Record<string, string>): Promise<void> {
  const { reason = '', until, alsoOwner: isAsked } = values
  if (!isAsked || !account || !bans(actions)) return
  const end = actions.includes('ban') ? undefined : momentOf(until)
  const body = { reason, alsoOwner: true, ...(end && { until: end }) }
  // the case is already decided, so an error here is only shown
  await attempt(() => kith.post('/admin/users/{id}/ban', { params: { path: { id: account.id } }, body }))
}

/** Asks for the reason of an action, and takes the action. @returns whether it was taken */
export function actOnce(one: Case, action: Action, account: Account | null): Promise<boolean> {
  const { case: t, actions, actionTexts } = texts.value
  const isBan = bans([action])
  const isDangerous = forAdmins.includes(action)
  const isOfPerson = ['warn', 'limit', 'unlimit', 'suspend', 'ban', 'unban'].includes(action)
  return ask(
    {
      title: isOfPerson && one.person ? `${actions[action]}: ${nameOf(one.person)}` : actions[action],
      text: isBan ? banText(actionTexts[action], account) : actionTexts[action],
      fields: [
        reasonField(!needReason.includes(action)),
        ...detailFields(one, [action]).map((field) => (field.name === 'until' ? { ...field, optional: false } : field)),
        ...(isBan ? alsoOwner(account) : []),
      ],
      action: actions[action],
      isDangerous,
    },
    async (values) => {
      await act(one, [action], values)
      await banOwner(account, [action], values)
      notify(t.done)
    },
  )
}

/** Asks which actions to take, and takes them together. @returns whether they were taken */
export function actAtOnce(one: Case, actions: Action[], account: Account | null): Promise<boolean> {
  const t = texts.value.case
  const isBan = bans(actions)
  const text = isBan ? banText(t.actText, account) : t.actText
  const fields = [
    chosen(actions),
    reasonField('told'),
    ...detailFields(one, actions),
    ...(isBan ? alsoOwner(account) : []),
  ]
  return ask({ title: bare(t.actTitle), text, fields, action: t.act }, async (values) => {
    await act(one, listOf(values.actions), values)
    await banOwner(account, listOf(values.actions), values)
    notify(t.done)
  })
}

export function propose(one: Case, actions: Action[]): Promise<boolean> {
  const t = texts.value.case
  const fields = [chosen(actions), reasonField(false), ...detailFields(one, actions).slice(0, 1)]
  return ask({ title: bare(t.proposeTitle), text: t.proposeText, fields, action: t.propose }, async (values) => {
    const until = momentOf(values.until)
    const body = { actions: listOf(values.actions), reason: values.reason ?? '', ...(until && { until }) }
    await kith.post('/admin/cases/{id}/proposals', { ...path(one), body })
    notify(t.proposed)
  })
}

export function dismiss(one: Case): Promise<boolean> {
  const t = texts.value.case
  return ask({ title: t.dismiss, text: t.dismissText, action: t.dismiss }, async () => {
    await kith.post('/admin/cases/{id}/actions', { ...path(one), body: { actions: ['dismiss'] } })
    notify(t.dismissed)
  })
}

export function addNote(one: Case): Promise<boolean> {
  const t = texts.value.case
  const field: Field = { name: 'text', label: t.note, kind: 'long', max: 2000, hint: t.noteHint }
  return ask({ title: t.addNote, fields: [field], action: t.addNote }, ({ text = '' }) =>
    kith.post('/admin/cases/{id}/notes', { ...path(one), body: { text } }),
  )
}

export function change(one: Case): Promise<boolean> {
  const t = texts.value.case
  const fields: Field[] = [
    ...detailFields(one, []),
    {
      name: 'priority',
      label: t.priority,
      kind: 'choice',
      value: String(one.priority),
      options: optionsOf(t.priorities),
    },
  ]
  return ask({ title: t.change, fields, action: t.save }, ({ category, rule, priority }) => {
    const body = {
      ...(category && category !== one.category && { category }),
      ...(rule && rule !== one.rule && { rule }),
      ...(Number(priority) !== one.priority && { priority: Number(priority) }),
    }
    return kith.patch('/admin/cases/{id}', { ...path(one), body })
  })
}

export const claim = (one: Case) =>
  attempt(() => kith.post('/admin/cases/{id}/claim', path(one)), texts.value.case.claimedByYou)
export const release = (one: Case) =>
  attempt(() => kith.post('/admin/cases/{id}/release', path(one)), texts.value.case.released)

export function settle(one: Case, proposalId: string, verdict: 'accept' | 'decline'): Promise<boolean> {
  const t = texts.value.case
  const params = { path: { id: one.id, proposalId } }
  const isAccepted = verdict === 'accept'
  return ask(
    {
      title: isAccepted ? t.accept : t.decline,
      text: isAccepted ? t.acceptText : t.declineText,
      action: isAccepted ? t.accept : t.decline,
      isDangerous: isAccepted,
    },
    () =>
      isAccepted
        ? kith.post('/admin/cases/{id}/proposals/{proposalId}/accept', { params })
        : kith.post('/admin/cases/{id}/proposals/{proposalId}/decline', { params }),
  )
}
