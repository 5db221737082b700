// The interests as a tree: a branch is read when somebody opens it.
import type { Schema } from 'kith/client'
import { ask, type Field } from '../../lib/dialog.ts'
import { ErrorNote, notify, notifyError } from '../../lib/errors.ts'
import { html, type Signal, useSignal } from '../../lib/html.ts'
import { useLoad } from '../../lib/load.ts'
import { query, setQuery } from '../../lib/router.ts'
import { sharedTexts } from '../../lib/shared-texts.ts'
import { Table } from '../../lib/table.ts'
import { dotted, language, numberText, optionsOf } from '../../lib/texts.ts'
import { forgetNames } from '../interest-names.ts'
import { isAdmin, kith, saveCsv } from '../session.ts'
import { texts } from '../texts.ts'
import { adjust } from './reputation.ts'

type Interest = Schema<'StaffInterest'>
type Colour = Interest['accentColor']
const DEEPEST = 3

/** All interests with these filters, by name. */
async function all(filters: { level?: number; parentId?: string }): Promise<Interest[]> {
  const found: Interest[] = []
  for await (const one of kith.pages('/admin/interests', { params: { query: { ...filters, limit: 50 } } }))
    found.push(one)
  return found.sort((a, b) => a.name.localeCompare(b.name, language.value))
}

function fieldsOf(interest?: Interest): Field[] {
  const t = texts.value.interests
  return [
    { name: 'name', label: t.name, value: interest?.name, max: 80 },
    { name: 'slug', label: t.slug, value: interest?.slug, max: 80, hint: t.slugHint },
    {
      name: 'accentColor',
      label: t.colour,
      kind: 'choice',
      options: optionsOf(t.colours),
      value: interest?.accentColor ?? 'ink',
    },
  ]
}

function create(parent: Interest | undefined, version: Signal<number>): void {
  const t = texts.value.interests
  const title = parent ? t.addBelow(parent.name) : t.addTop
  ask({ title, text: t.addText, fields: fieldsOf(), action: t.add }, async ({ name = '', slug = '', accentColor }) => {
    const place = parent ? { level: parent.level + 1, parentId: parent.id } : { level: 1 }
    await kith.post('/admin/interests', { body: { name, slug, accentColor: accentColor as Colour, ...place } })
    forgetNames()
    version.value += 1
    notify(t.added(name))
  })
}

async function edit(interest: Interest, version: Signal<number>): Promise<void> {
  const t = texts.value.interests
  const { id, level, parentId } = interest
  let above: Interest[]
  try {
    above = level === 1 ? [] : await all({ level: level - 1 })
  } catch (error) {
    notifyError(error)
    return
  }
  const options = above.map((one) => ({ value: one.id, label: one.name }))
  const parent: Field = {
    name: 'parentId',
    label: t.parent,
    kind: 'choice',
    options,
    value: parentId ?? '',
    hint: t.parentHint,
  }
  const fields = [...fieldsOf(interest), ...(level === 1 ? [] : [parent])]
  await ask({ title: t.edit(interest.name), fields, action: t.save }, async (values) => {
    const { name, slug, accentColor, parentId: to } = values
    const body = { name, slug, accentColor: accentColor as Colour, ...(to && { parentId: to }) }
    await kith.patch('/admin/interests/{id}', { params: { path: { id } }, body })
    forgetNames()
    version.value += 1
    notify(t.saved(name ?? ''))
  })
}

function Actions({ interest, version }: { interest: Interest; version: Signal<number> }) {
  const t = texts.value.interests
  const step = (label: string, run: () => void) =>
    html`<button class="secondary small" onClick=${run}>${dotted(label)}<span class="hidden-label"> ${interest.name}</span></button>`
  return html`<span class="buttons">
    ${step(t.editShort, () => edit(interest, version))}
    ${interest.level < DEEPEST && step(t.addShort, () => create(interest, version))}
    ${step(texts.value.reputation.adjust, () => adjust(interest))}
  </span>`
}

function Node({ interest, version }: { interest: Interest; version: Signal<number> }) {
  const t = texts.value.interests
  const isOpen = useSignal(false)
  const toggle = () => {
    isOpen.value = !isOpen.value
  }
  const { name, slug, childCount, userCount } = interest
  return html`<li>
    <div class="node">
      <span>
        ${
          childCount > 0
            ? html`<button class="link" aria-expanded=${isOpen.value} onClick=${toggle}>${name}</button>`
            : html`<strong>${name}</strong>`
        }
        <span class="quiet"> ${slug} · ${t.people(numberText(userCount))}${childCount > 0 && ` · ${t.below(numberText(childCount))}`}</span>
      </span>
      ${isAdmin.value && html`<${Actions} interest=${interest} version=${version} />`}
    </div>
    ${isOpen.value && html`<${Branch} filters=${{ parentId: interest.id }} version=${version} />`}
  </li>`
}

function Branch({ filters, version }: { filters: { level?: number; parentId?: string }; version: Signal<number> }) {
  const { data, error, isLoading } = useLoad(() => all(filters), [version.value])
  return html`<${ErrorNote} error=${error.value} />
    ${isLoading.value && !data.value && html`<p class="quiet">${sharedTexts.value.loading}</p>`}
    <ul class="tree">
      ${data.value?.map((one) => html`<${Node} key=${one.id} interest=${one} version=${version} />`)}
    </ul>`
}

function Found({ version }: { version: Signal<number> }) {
  const t = texts.value.interests
  const columns = [
    { label: t.name, cell: (one: Interest) => one.name },
    { label: t.slug, cell: (one: Interest) => html`<code>${one.slug}</code>` },
    { label: t.level, isNumber: true, cell: (one: Interest) => numberText(one.level) },
    { label: t.userCount, isNumber: true, cell: (one: Interest) => numberText(one.userCount) },
  ]
  const action = {
    label: t.action,
    cell: (one: Interest) => html`<${Actions} interest=${one} version=${version} />`,
  }
  return html`<${Table}
    caption=${t.title}
    keyOf=${(one: Interest) => one.id}
    version=${version}
    load=${(asked: object) => kith.get('/admin/interests', { params: { query: { ...asked, q: query.value.get('q') ?? '' } } })}
    csv=${() => saveCsv('/admin/interests', { q: query.value.get('q') ?? '' })}
    columns=${isAdmin.value ? [...columns, action] : columns}
  />`
}

export function Interests() {
  const t = texts.value.interests
  const version = useSignal(0)
  const q = query.value.get('q')
  const search = (event: Event) => setQuery({ q: (event.target as HTMLInputElement).value.trim() })
  return html`<form class="filters" role="search" onSubmit=${(event: Event) => event.preventDefault()}>
      <label>${t.search} <input name="q" value=${q ?? ''} onChange=${search} /></label>
    </form>
    ${isAdmin.value && html`<p><button onClick=${() => create(undefined, version)}>${dotted(t.addTop)}</button></p>`}
    ${
      q
        ? html`<${Found} key=${q} version=${version} />`
        : html`<${Branch} filters=${{ level: 1 }} version=${version} />`
    }`
}
