// The pages of moderation rules: the list, one rule with its hits and its replay, and the form for a new rule.
import type { Schema } from 'kith/client'
import { ask, FormField, valuesOf } from '../../lib/dialog.ts'
import { ErrorNote, notify } from '../../lib/errors.ts'
import { html, type Signal, useSignal } from '../../lib/html.ts'
import { useLoad } from '../../lib/load.ts'
import { go, type PageProps, query } from '../../lib/router.ts'
import { Table } from '../../lib/table.ts'
import { numberText, optionsOf, timeText } from '../../lib/texts.ts'
import { timeCell } from '../cells.ts'
import { categoryOptions, categoryText, type Deed, Deeds, Facts, personLink, stepWith } from '../parts.ts'
import { isAdmin, kith, saveCsv } from '../session.ts'
import { texts } from '../texts.ts'
import { thingLink, typeText } from '../things.ts'
import { timeFilters } from './posts.ts'

type Rule = Schema<'Rule'>
type Condition = Schema<'RuleCondition'>
type Hit = Schema<'RuleHit'>
type Replay = Schema<'RuleReplay'>

/** What rules can judge. */
const judged: Schema<'NewRule'>['appliesTo'] = [
  ...(['post', 'reply', 'audio', 'course', 'debate', 'event'] as const),
  ...(['offering', 'problem', 'project', 'video'] as const),
  ...(['argument', 'review', 'solution', 'video-comment'] as const),
]

function sentenceOf(condition: Condition): string {
  const t = texts.value.rules.conditions
  switch (condition.kind) {
    case 'new-account':
      return t.newAccount(condition.hours)
    case 'words':
      return t.words(condition.words.join(', '))
    case 'link':
      return t.link
    case 'media':
      return t.media(condition.hashes.join(', '))
    case 'rate':
      return t.rate(condition.moreThan, condition.minutes)
    case 'near-ban':
      return t.nearBan(condition.steps)
    case 'reports':
      return t.reports(condition.people, condition.reputation ?? null)
  }
}

const Conditions = ({ conditions }: { conditions: Condition[] }) =>
  html`<ul>${conditions.map((one) => html`<li class="words">${sentenceOf(one)}</li>`)}</ul>`

export function Rules() {
  const { rules: t, common } = texts.value
  return html`<p class="quiet">${t.about}</p>
    ${isAdmin.value && html`<p><a href="/admin/new-rule">${t.make}</a></p>`}
    <${Table}
      caption=${t.title}
      keyOf=${(one: Rule) => one.id}
      filters=${[
        { name: 'mode', label: t.mode, options: optionsOf(t.modes) },
        { name: 'q', label: t.search },
        ...timeFilters(),
      ]}
      load=${(query: object) => kith.get('/admin/rules', { params: { query } })}
      csv=${(query: Record<string, string>) => saveCsv('/admin/rules', query)}
      columns=${[
        { label: t.name, cell: (one: Rule) => html`<a class="words" href=${`/admin/rules/${one.id}`}>${one.name}</a>` },
        { label: t.if, cell: (one: Rule) => html`<${Conditions} conditions=${one.conditions} />` },
        { label: t.action, cell: (one: Rule) => t.actions[one.action] },
        { label: t.mode, cell: (one: Rule) => html`<span class="tag">${t.modes[one.mode]}</span>` },
        { label: common.created, cell: (one: Rule) => timeCell(one.createdAt) },
      ]}
    />`
}

function ReplayResult({ found, more }: { found: Replay; more: () => unknown }) {
  const t = texts.value.rules
  return html`<section aria-live="polite">
    <h2>${t.replay}</h2>
    <p>${t.replayed(numberText(found.looked), numberText(found.wouldHit), numberText(found.ofWhichStaffRemoved))}</p>
    ${found.lookedUntil && html`<p class="quiet">${t.lookedUntil(timeText(found.lookedUntil))}</p>`}
    <ul class="entries">
      ${found.sample.map(
        (one) => html`<li key=${one.targetId}>
          ${thingLink(one.targetType, one.targetId)} · ${personLink(one.authorId, one.author)}
          ${one.removed && html` <span class="tag">${t.staffRemoved}</span>`}
          <div class="words">${one.excerpt}</div>
          <div class="quiet">${timeText(one.createdAt)}</div>
        </li>`,
      )}
    </ul>
    ${found.nextCursor && html`<${Deeds} deeds=${[{ label: t.older, run: more }]} />`}
  </section>`
}

const numberOf = (value: string | undefined): number | undefined => (value ? Number(value) : undefined)

const linesOf = (text = ''): string[] =>
  text
    .split('\n')
    .map((one) => one.trim())
    .filter((one) => one !== '')

/** The conditions of a form; those without a value are left out. */
function conditionsOf(values: Record<string, string>): Condition[] {
  const [hours, moreThan, steps, people] = ['hours', 'moreThan', 'steps', 'people'].map((name) =>
    numberOf(values[name]),
  )
  const [words, hashes] = [linesOf(values.words), linesOf(values.hashes)]
  const reputation = numberOf(values.reputation)
  const all: (Condition | undefined)[] = [
    hours === undefined ? undefined : { kind: 'new-account', hours },
    words.length > 0 ? { kind: 'words', words } : undefined,
    values.link === 'true' ? { kind: 'link' } : undefined,
    hashes.length > 0 ? { kind: 'media', hashes } : undefined,
    moreThan === undefined ? undefined : { kind: 'rate', moreThan, minutes: numberOf(values.minutes) ?? 60 },
    steps === undefined ? undefined : { kind: 'near-ban', steps },
    people === undefined ? undefined : { kind: 'reports', people, ...(reputation !== undefined && { reputation }) },
  ]
  return all.filter((one) => one !== undefined)
}

export function NewRulePage() {
  const { rules: t, case: words } = texts.value
  const given = query.value // the file that the rule should look for, from the link in a case
  const error = useSignal<unknown>(undefined)
  const found = useSignal<Replay | undefined>(undefined)
  const run = async (form: HTMLFormElement, isTrial: boolean, cursor?: string | null) => {
    const values = valuesOf(form)
    const conditions = conditionsOf(values)
    const appliesTo = (values.appliesTo ?? '').split(',') as ('post' | 'reply')[]
    error.value = undefined
    try {
      if (isTrial) {
        found.value = await kith.post('/admin/rules/replay', {
          body: { conditions, appliesTo, ...(cursor && { cursor }) },
        })
      } else {
        const { name = '', action, category } = values
        const made = await kith.post('/admin/rules', {
          body: { name, action: action as 'case', conditions, appliesTo, ...(category && { category }) },
        })
        notify(t.made)
        go(`/admin/rules/${made.id}`)
      }
    } catch (failure) {
      error.value = failure
    }
  }
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const isTrial = (event.submitter as HTMLButtonElement | null)?.value === 'try'
    void run(event.target as HTMLFormElement, isTrial)
  }
  const more = () => {
    const form = document.querySelector('form')
    if (form) void run(form, true, found.value?.nextCursor)
  }
  const field = (name: string, label: string, more: object = {}) =>
    html`<${FormField} field=${{ name, label, optional: 'told', ...more }} />`
  const number = (name: string, label: string, max: number) => field(name, label, { kind: 'number', min: 1, max })
  return html`<p>${t.newText}</p>
    <form class="sheet" onSubmit=${submit}>
      ${field('name', t.name, { optional: false, max: 80 })}
      <${FormField} field=${{ name: 'appliesTo', label: t.appliesTo, kind: 'choices', value: given.get('appliesTo') ?? 'post,reply', options: judged.map((value) => ({ value, label: typeText(value) })) }} />
      <fieldset>
        <legend>${t.if}</legend>
        <p class="quiet">${t.ifText}</p>
        ${number('hours', t.fields.hours, 8760)}
        ${field('words', t.fields.words, { kind: 'long' })}
        ${field('link', t.fields.link, { kind: 'check' })}
        ${field('hashes', t.fields.hashes, { kind: 'long', value: given.get('hash') ?? '' })}
        ${number('moreThan', t.fields.moreThan, 500)}
        ${number('minutes', t.fields.minutes, 1440)}
        ${number('steps', t.fields.steps, 3)}
        ${number('people', t.fields.people, 20)}
        ${number('reputation', t.fields.reputation, 1_000_000)}
      </fieldset>
      ${field('action', t.action, { kind: 'choice', optional: false, options: optionsOf(t.actions) })}
      ${field('category', words.category, { kind: 'choice', value: 'spam', options: categoryOptions() })}
      <${ErrorNote} error=${error.value} />
      <div class="buttons">
        <button name="step" value="try" class="secondary">${t.try}</button>
        <button name="step" value="make">${t.make}</button>
      </div>
    </form>
    ${found.value && html`<${ReplayResult} found=${found.value} more=${more} />`}`
}

function Hits({ id, version }: { id: string; version: Signal<number> }) {
  const { rules: t, common, cases } = texts.value
  return html`<${Table}
    caption=${t.hits}
    version=${version}
    keyOf=${(one: Hit) => one.id}
    filters=${[
      { name: 'mode', label: t.mode, options: optionsOf({ shadow: t.modes.shadow, live: t.modes.live }) },
      ...timeFilters(),
    ]}
    load=${(query: object) => kith.get('/admin/rules/{id}/hits', { params: { path: { id }, query } })}
    csv=${(query: Record<string, string>) => saveCsv(`/admin/rules/${id}/hits`, query)}
    columns=${[
      { label: t.what, cell: (one: Hit) => thingLink(one.targetType, one.targetId) },
      { label: common.author, cell: (one: Hit) => personLink(one.authorId, one.author) },
      { label: t.mode, cell: (one: Hit) => t.modes[one.mode] },
      { label: t.action, cell: (one: Hit) => t.actions[one.action] },
      {
        label: cases.title,
        cell: (one: Hit) =>
          one.caseId ? html`<a href=${`/admin/cases/${one.caseId}`}>${texts.value.case.openCase}</a>` : '–',
      },
      { label: common.created, cell: (one: Hit) => timeCell(one.createdAt) },
    ]}
  />`
}

export function RulePage({ params: { id = '' } }: PageProps) {
  const { rules: t, common } = texts.value
  const version = useSignal(0)
  const replay = useSignal<Replay | undefined>(undefined)
  const path = { id }
  const page = useLoad(() => kith.get('/admin/rules/{id}', { params: { path } }), [id, version.value])
  const rule = page.data.value
  if (!rule) return html`<${ErrorNote} error=${page.error.value} />`
  const to = (mode: Rule['mode']) =>
    rule.mode !== mode &&
    stepWith(
      version,
      {
        label: t.modeSteps[mode],
        what: rule.name,
        text: t.modeTexts[mode](t.actions[rule.action]),
        isDangerous: mode === 'live',
        hasReason: false,
      },
      () => kith.patch('/admin/rules/{id}', { params: { path }, body: { mode } }),
    )
  const change: Deed = {
    label: t.change,
    run: async () => {
      const fields = [
        { name: 'name', label: t.name, value: rule.name, max: 80 },
        { name: 'action', label: t.action, kind: 'choice' as const, value: rule.action, options: optionsOf(t.actions) },
      ]
      const isDone = await ask(
        { title: t.change, text: t.changeText, fields, action: t.save },
        ({ name = '', action }) =>
          kith.patch('/admin/rules/{id}', { params: { path }, body: { name, action: action as Rule['action'] } }),
      )
      if (isDone) version.value += 1
    },
  }
  const run = async (cursor?: string | null) => {
    await ask({ title: t.replay, text: t.replayText, action: t.replay }, async () => {
      replay.value = await kith.post('/admin/rules/{id}/replay', { params: { path }, body: cursor ? { cursor } : {} })
    })
  }
  const removal: Deed = {
    label: t.delete,
    isDangerous: true,
    run: async () => {
      const question = { title: `${t.delete}: ${rule.name}`, text: t.deleteText, action: t.delete, isDangerous: true }
      if (await ask(question, () => kith.delete('/admin/rules/{id}', { params: { path } }))) {
        notify(common.done)
        go('/admin/rules')
      }
    },
  }
  return html`<section aria-labelledby="rule">
      <h2 id="rule"><span class="words">${rule.name}</span> <span class="tag">${t.modes[rule.mode]}</span></h2>
      <p>${t.allHold}</p>
      <${Conditions} conditions=${rule.conditions} />
      <${Facts}
        facts=${[
          [t.appliesTo, rule.appliesTo.map(typeText).join(', ')],
          [t.action, t.actions[rule.action]],
          [texts.value.case.category, categoryText(rule.category)],
          [t.modeSince, timeText(rule.modeSince)],
          [t.replayedAt, timeText(rule.replayedAt)],
          [common.created, timeText(rule.createdAt)],
        ]}
      />
      ${
        isAdmin.value &&
        html`<${Deeds} deeds=${[{ label: t.replay, run: () => run() }, to('shadow'), to('live'), to('off'), change, removal]} />`
      }
    </section>
    ${replay.value && html`<${ReplayResult} found=${replay.value} more=${() => run(replay.value?.nextCursor)} />`}
    <h2>${t.hits}</h2>
    <${Hits} id=${id} version=${version} />`
}
