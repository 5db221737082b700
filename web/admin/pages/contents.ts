// Contents of every kind, uploads, series and circles.
import type { Schema } from 'kith/client'
import { html, useSignal } from '../../lib/html.ts'
import { Table } from '../../lib/table.ts'
import { numberText, optionsOf, timeText } from '../../lib/texts.ts'
import { timeCell } from '../cells.ts'
import { beginning, Deeds, Medium, personLink, stepWith } from '../parts.ts'
import { isAdmin, kith, me, saveCsv } from '../session.ts'
import { texts } from '../texts.ts'
import { accessLink, contentKinds, typeText } from '../things.ts'
import { authorFilter, timeFilters } from './posts.ts'

type Content = Schema<'StaffContent'>
type Media = Schema<'StaffMedia'>
type Series = Schema<'StaffSeries'>
type Circle = Schema<'StaffCircle'>

export function Contents() {
  const { contents: t, posts, common, actions, actionTexts } = texts.value
  const version = useSignal(0)
  const kinds = Object.entries(contentKinds).map(([value, kind]) => ({ value, label: typeText(kind) }))
  const deedOf = (one: Content) => {
    const kind = Object.keys(contentKinds).find((plural) => contentKinds[plural] === one.kind)
    if (!isAdmin.value || !kind) return null
    if (one.removedAt && one.authorId === me.value?.id) return null
    const params = { path: { kind, id: one.id } }
    const what = one.title ?? typeText(one.kind)
    return one.removedAt
      ? stepWith(version, { label: actions.restore, what, text: actionTexts.restore }, (body) =>
          kith.post('/admin/content/{kind}/{id}/restore', { params, body }),
        )
      : stepWith(version, { label: actions.remove, what, text: t.removeText, isDangerous: true }, (body) =>
          kith.post('/admin/content/{kind}/{id}/remove', { params, body }),
        )
  }
  const wordsOf = ({ detail }: Content) =>
    [detail.body, detail.description, detail.summary, detail.caption].find((one) => typeof one === 'string') as
      | string
      | undefined
  return html`<${Table}
    caption=${t.title}
    version=${version}
    keyOf=${(one: Content) => one.id}
    filters=${[
      { name: 'kind', label: t.kind, options: kinds },
      { name: 'status', label: common.state, options: optionsOf(t.states) },
      { name: 'q', label: t.search },
      ...timeFilters(),
    ]}
    load=${(query: object) => kith.get('/admin/content', { params: { query } })}
    csv=${(query: Record<string, string>) => saveCsv('/admin/content', query)}
    columns=${[
      { label: t.kind, cell: (one: Content) => typeText(one.kind) },
      { label: common.author, cell: (one: Content) => personLink(one.authorId, one.author) },
      {
        label: posts.words,
        cell: (one: Content) => html`${one.title && html`<strong class="words">${one.title}</strong>`}
          <div class="words">${beginning(wordsOf(one) ?? '')}</div>
          ${accessLink(one.kind, one.id)}`,
      },
      {
        label: common.state,
        cell: (one: Content) => (one.removedAt ? `${t.states.removed} ${timeText(one.removedAt)}` : t.states.visible),
      },
      { label: common.created, cell: (one: Content) => timeCell(one.createdAt) },
      ...(isAdmin.value
        ? [{ label: common.deeds, cell: (one: Content) => html`<${Deeds} small deeds=${[deedOf(one)]} />` }]
        : []),
    ]}
  />`
}

export function MediaPage() {
  const { media: t, common } = texts.value
  return html`<${Table}
    caption=${t.title}
    keyOf=${(one: Media) => one.id}
    filters=${[
      { name: 'kind', label: t.kind, options: optionsOf(t.kinds) },
      { name: 'status', label: common.state, options: optionsOf(t.states) },
      { name: 'ownerId', label: t.owner },
      { name: 'q', label: t.search },
      ...timeFilters(),
    ]}
    load=${(query: object) => kith.get('/admin/media', { params: { query } })}
    csv=${(query: Record<string, string>) => saveCsv('/admin/media', query)}
    columns=${[
      { label: t.owner, cell: (one: Media) => personLink(one.ownerId, one.owner) },
      {
        label: t.kind,
        cell: (one: Media) => html`${t.kinds[one.kind]} <div class="quiet">${one.mimeType ?? one.contentType}</div>`,
      },
      { label: t.size, isNumber: true, cell: (one: Media) => numberText(one.size) },
      {
        label: t.shows,
        cell: (one: Media) =>
          one.url && one.kind !== 'audio'
            ? html`<${Medium} url=${one.url} alt=${one.alt} isVideo=${one.kind === 'video'} />`
            : (one.alt ?? '–'),
      },
      { label: common.state, cell: (one: Media) => t.states[one.status] },
      { label: common.created, cell: (one: Media) => timeCell(one.createdAt) },
    ]}
  />`
}

export function SeriesPage() {
  const { series: t, common } = texts.value
  return html`<${Table}
    caption=${t.title}
    keyOf=${(one: Series) => one.id}
    filters=${[{ name: 'q', label: common.search }, authorFilter(), ...timeFilters()]}
    load=${(query: object) => kith.get('/admin/series', { params: { query } })}
    csv=${(query: Record<string, string>) => saveCsv('/admin/series', query)}
    columns=${[
      { label: common.author, cell: (one: Series) => personLink(one.authorId, one.author) },
      {
        label: texts.value.posts.words,
        cell: (one: Series) => html`<strong class="words">${one.title}</strong>
          <div class="words">${beginning(one.description ?? '')}</div>`,
      },
      { label: t.parts, isNumber: true, cell: (one: Series) => numberText(one.partCount) },
      { label: common.created, cell: (one: Series) => timeCell(one.createdAt) },
    ]}
  />`
}

export function Circles() {
  const { circles: t, common } = texts.value
  const version = useSignal(0)
  const removal = (one: Circle) =>
    stepWith(
      version,
      { label: t.remove, what: one.name, text: t.removeText, isDangerous: true, hasReason: false },
      () => kith.delete('/admin/circles/{id}', { params: { path: { id: one.id } } }),
    )
  return html`<${Table}
    caption=${t.title}
    version=${version}
    keyOf=${(one: Circle) => one.id}
    filters=${[
      { name: 'q', label: common.search },
      { name: 'kind', label: t.kind, options: optionsOf(t.kinds) },
      { name: 'ownerId', label: t.ownerId },
      ...timeFilters(),
    ]}
    load=${(query: object) => kith.get('/admin/circles', { params: { query } })}
    csv=${(query: Record<string, string>) => saveCsv('/admin/circles', query)}
    columns=${[
      { label: t.name, cell: (one: Circle) => html`<span class="words">${one.name}</span>` },
      { label: t.owner, cell: (one: Circle) => personLink(one.ownerId, one.owner) },
      { label: t.kind, cell: (one: Circle) => t.kinds[one.kind] },
      { label: texts.value.thing.members, isNumber: true, cell: (one: Circle) => numberText(one.memberCount) },
      { label: common.created, cell: (one: Circle) => timeCell(one.createdAt) },
      ...(isAdmin.value
        ? [{ label: common.deeds, cell: (one: Circle) => html`<${Deeds} small deeds=${[removal(one)]} />` }]
        : []),
    ]}
  />`
}
