// The queue of cases, which works without a mouse.
import { html, signal, useSignal } from '../../lib/html.ts'
import { Keys } from '../../lib/keys.ts'
import { go, query } from '../../lib/router.ts'
import { Table } from '../../lib/table.ts'
import { optionsOf, sinceText } from '../../lib/texts.ts'
import { actAtOnce, actOnce, addNote, type Case, claim, dismiss, mayDo, mayWork } from '../case-work.ts'
import { categoryOptions, categoryText, nameOf, personLink } from '../parts.ts'
import { kith, saveCsv } from '../session.ts'
import { texts } from '../texts.ts'
import { typeText } from '../things.ts'

/** The cases that the queue showed last, so that staff can go from one case to the next. */
const queue = signal<{ filters: string; ids: string[] }>({ filters: '', ids: [] })

/** Without a status in the address, the queue lists open cases. */
function askedOf(filters: Record<string, string>): Record<string, string> {
  const { status = 'open', ...rest } = filters
  return status === 'all' ? rest : { status, ...rest }
}
const read = (filters: Record<string, string>) =>
  kith.get('/admin/cases', { params: { query: askedOf(filters) as object } })

/** The address of a case, which keeps the filters of the queue. */
export const caseAddress = (id: string): string => {
  const filters = query.value.toString()
  return `/admin/cases/${id}${filters && `?${filters}`}`
}
export const queueAddress = (): string => `/admin/cases${query.value.size > 0 ? `?${query.value}` : ''}`

/**
 * The neighbour of a case in the queue with the filters of the address: `step` 1 is the next. A decided case is not in
 * the queue any more, so with `isDecided` the queue is read again.
 * @returns undefined at the end
 */
export async function neighbourOf(id: string, step: 1 | -1, isDecided = false): Promise<string | undefined> {
  const filters = query.value.toString()
  const before = queue.value.ids.indexOf(id)
  if (isDecided || before < 0 || queue.value.filters !== filters) {
    const { items } = await read(Object.fromEntries(query.value))
    queue.value = { filters, ids: items.map((one) => one.id) }
  }
  const { ids } = queue.value
  const at = ids.indexOf(id)
  if (at >= 0) return ids[at + step]
  return ids[Math.max(0, Math.min(before, ids.length - 1))]
}

export function Cases() {
  const { cases: t, case: words, common, types } = texts.value
  const items = useSignal<Case[]>([])
  const place = useSignal(0)
  const version = useSignal(0)
  const current = (): Case | undefined => items.value[place.value]
  const move = (step: number) => {
    place.value = Math.max(0, Math.min(items.value.length - 1, place.value + step))
    document.querySelectorAll('.list tbody tr')[place.value]?.scrollIntoView({ block: 'nearest' })
  }
  const open = () => {
    const one = current()
    if (one) go(caseAddress(one.id))
  }
  const work =
    (run: (one: Case) => Promise<unknown>, isAllowed: (one: Case) => boolean = mayWork) =>
    async () => {
      const one = current()
      if (!one || !isAllowed(one)) return
      if ((await run(one)) !== false) version.value += 1
    }
  const isOpen = (one: Case) => mayWork(one) && one.status === 'open'
  const may = (action: 'hide' | 'warn') => (one: Case) => isOpen(one) && mayDo(one).includes(action)
  return html`<p class="quiet">${t.about}</p>
    <${Table}
      caption=${t.title}
      version=${version}
      keyOf=${(one: Case) => one.id}
      isCurrent=${(one: Case) => one === current()}
      onItems=${(found: Case[]) => {
        items.value = found
        queue.value = { filters: query.value.toString(), ids: found.map((one) => one.id) }
        move(0)
      }}
      filters=${[
        {
          name: 'status',
          label: words.status,
          first: words.open,
          options: [
            { value: 'closed', label: words.closed },
            { value: 'all', label: t.both },
          ],
        },
        { name: 'category', label: words.category, options: categoryOptions() },
        { name: 'priority', label: words.priority, options: optionsOf(words.priorities) },
        { name: 'claimed', label: words.claimed, options: optionsOf(t.claims) },
        { name: 'targetType', label: words.about, options: optionsOf(types) },
        { name: 'waiting', label: t.waiting, first: t.withStaff, options: [{ value: 'true', label: t.withSpaces }] },
        { name: 'personId', label: common.person },
        { name: 'q', label: t.search },
        { name: 'from', label: common.from, kind: 'date' },
        { name: 'to', label: common.to, kind: 'date' },
      ]}
      load=${read}
      csv=${(filters: Record<string, string>) => saveCsv('/admin/cases', askedOf(filters))}
      columns=${[
        {
          label: words.about,
          cell: (one: Case) => html`<a href=${caseAddress(one.id)}>${typeText(one.targetType)}</a>`,
        },
        { label: words.priority, cell: (one: Case) => words.priorities[String(one.priority) as '1'] },
        { label: words.category, cell: (one: Case) => html`<span class="tag">${categoryText(one.category)}</span>` },
        { label: common.person, cell: (one: Case) => personLink(one.personId, one.person) },
        { label: words.source, cell: (one: Case) => words.sources[one.source] },
        { label: words.reports, isNumber: true, cell: (one: Case) => one.reportCount },
        { label: words.claimed, cell: (one: Case) => (one.claimedBy ? nameOf(one.claimedBy) : '–') },
        {
          label: words.status,
          cell: (one: Case) => (one.outcome ? words.outcomes[one.outcome] : words.open),
        },
        { label: words.opened, cell: (one: Case) => sinceText(one.createdAt) },
      ]}
    />
    <${Keys}
      keys=${[
        { key: 'j', label: t.down, run: () => move(1) },
        { key: 'k', label: t.up, run: () => move(-1) },
        { key: 'Enter', label: t.open, run: open },
        { key: 'o', label: t.open, run: open },
        { key: 'c', label: words.claim, run: work(claim, isOpen) },
        { key: 'n', label: words.addNote, run: work(addNote, () => true) },
        { key: 'h', label: texts.value.actions.hide, run: work((one) => actOnce(one, 'hide', null), may('hide')) },
        { key: 'd', label: words.dismiss, run: work(dismiss, isOpen) },
        { key: 'w', label: texts.value.actions.warn, run: work((one) => actOnce(one, 'warn', null), may('warn')) },
        { key: 'a', label: words.actTitle, run: work((one) => actAtOnce(one, mayDo(one), null), isOpen) },
      ]}
    />`
}
