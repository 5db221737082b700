// Posts and replies in every state.
import type { Schema } from 'kith/client'
import { html, type Signal, useSignal } from '../../lib/html.ts'
import { Table } from '../../lib/table.ts'
import { optionsOf, timeText } from '../../lib/texts.ts'
import { timeCell } from '../cells.ts'
import { beginning, Deeds, personLink, stepWith } from '../parts.ts'
import { isAdmin, kith, me, saveCsv } from '../session.ts'
import { texts } from '../texts.ts'
import { accessLink, clientLink, thingLink } from '../things.ts'

type Post = Schema<'StaffPost'>
type Reply = Schema<'StaffReply'>

export const authorFilter = () => ({ name: 'authorId', label: texts.value.posts.authorId })
export const timeFilters = () => {
  const { from, to } = texts.value.common
  return [
    { name: 'from', label: from, kind: 'date' },
    { name: 'to', label: to, kind: 'date' },
  ]
}
const yesOrNo = () => [
  { value: 'true', label: texts.value.common.yes },
  { value: 'false', label: texts.value.common.no },
]

type Published = {
  publishAt?: string | null
  publishedAt?: string | null
  hiddenAt: string | null
  deletedAt: string | null
}
function stateOf({ publishedAt, hiddenAt, deletedAt }: Published) {
  const { thing, posts } = texts.value
  if (deletedAt) return `${thing.deleted} ${timeText(deletedAt)}`
  if (hiddenAt) return `${thing.hidden} ${timeText(hiddenAt)}`
  return publishedAt === null ? posts.scheduled : posts.visible
}

/** The beginning of a post or a reply, which stands for its name in a question. */
const nameIn = ({ body }: { body: string }): string => beginning(body, 40)

function hideOrShow(
  version: Signal<number>,
  one: { id: string; authorId: string; body: string; hiddenAt: string | null; deletedAt: string | null },
  kind: 'posts' | 'replies',
) {
  const { actions, actionTexts } = texts.value
  if (one.deletedAt) return null
  const params = { path: { id: one.id } }
  const what = nameIn(one)
  if (one.hiddenAt) {
    if (one.authorId === me.value?.id) return null
    const about = { label: actions.unhide, what, text: actionTexts.unhide }
    return stepWith(version, about, (body) =>
      kind === 'posts'
        ? kith.post('/admin/posts/{id}/unhide', { params, body })
        : kith.post('/admin/replies/{id}/unhide', { params, body }),
    )
  }
  return stepWith(version, { label: actions.hide, what, text: actionTexts.hide }, (body) =>
    kind === 'posts'
      ? kith.post('/admin/posts/{id}/hide', { params, body })
      : kith.post('/admin/replies/{id}/hide', { params, body }),
  )
}

export function Posts() {
  const { posts: t, common, actions, actionTexts } = texts.value
  const version = useSignal(0)
  const deeds = (one: Post) => [
    hideOrShow(version, one, 'posts'),
    isAdmin.value &&
      !one.deletedAt &&
      stepWith(
        version,
        { label: actions.remove, what: nameIn(one), text: actionTexts.remove, isDangerous: true },
        (body) => kith.delete('/admin/posts/{id}', { params: { path: { id: one.id } }, body }),
      ),
  ]
  return html`<${Table}
    caption=${t.title}
    version=${version}
    keyOf=${(one: Post) => one.id}
    filters=${[
      { name: 'q', label: common.search },
      authorFilter(),
      { name: 'format', label: t.format, options: optionsOf(t.formats) },
      { name: 'visibility', label: texts.value.thing.visibility, options: optionsOf(t.visibilities) },
      { name: 'journalism', label: t.journalism, options: yesOrNo() },
      { name: 'hidden', label: texts.value.thing.hidden, options: yesOrNo() },
      { name: 'interestId', label: t.interestId },
      ...timeFilters(),
    ]}
    load=${(query: object) => kith.get('/admin/posts', { params: { query } })}
    csv=${(query: Record<string, string>) => saveCsv('/admin/posts', query)}
    columns=${[
      { label: common.author, cell: (one: Post) => personLink(one.authorId, one.author) },
      {
        label: t.words,
        cell: (one: Post) => html`${one.title && html`<strong class="words">${one.title}</strong>`}
          <div class="words">${beginning(one.body)}</div>
          <div class="row">
            ${one.quotedPostId && thingLink('post', one.quotedPostId, texts.value.thing.quotes)}
            ${accessLink('post', one.id)} ${clientLink('post', one.id)}
          </div>`,
      },
      { label: t.format, cell: (one: Post) => t.formats[one.format] },
      { label: texts.value.thing.visibility, cell: (one: Post) => t.visibilities[one.visibility] },
      { label: common.state, cell: stateOf },
      { label: common.created, cell: (one: Post) => timeCell(one.createdAt) },
      { label: common.deeds, cell: (one: Post) => html`<${Deeds} small deeds=${deeds(one)} />` },
    ]}
  />`
}

export function Replies() {
  const { replies: t, posts, common } = texts.value
  const version = useSignal(0)
  return html`<${Table}
    caption=${t.title}
    version=${version}
    keyOf=${(one: Reply) => one.id}
    filters=${[
      { name: 'q', label: common.search },
      authorFilter(),
      { name: 'kind', label: t.kind, options: optionsOf(t.kinds) },
      { name: 'hidden', label: texts.value.thing.hidden, options: yesOrNo() },
      ...timeFilters(),
    ]}
    load=${(query: object) => kith.get('/admin/replies', { params: { query } })}
    csv=${(query: Record<string, string>) => saveCsv('/admin/replies', query)}
    columns=${[
      { label: common.author, cell: (one: Reply) => personLink(one.authorId, one.author) },
      {
        label: posts.words,
        cell: (one: Reply) => html`<div class="words">${beginning(one.body)}</div>
          <div class="row">${thingLink('post', one.postId, t.ofPost)} ${accessLink('reply', one.id)}</div>`,
      },
      { label: t.kind, cell: (one: Reply) => t.kinds[one.kind] },
      { label: common.state, cell: stateOf },
      { label: common.created, cell: (one: Reply) => timeCell(one.createdAt) },
      {
        label: common.deeds,
        cell: (one: Reply) => html`<${Deeds} small deeds=${[hideOrShow(version, one, 'replies')]} />`,
      },
    ]}
  />`
}
