// Things that people publish: where the panel shows them, and how they look to staff.
import { html, type VNode } from '../lib/html.ts'
import { timeText } from '../lib/texts.ts'
import { Facts, Medium, whenTrue } from './parts.ts'
import { texts } from './texts.ts'

/** The kinds of contents and of their children, by their names under /admin/content. */
export const contentKinds: Record<string, string> = {
  arguments: 'argument',
  audio: 'audio',
  courses: 'course',
  debates: 'debate',
  events: 'event',
  offerings: 'offering',
  problems: 'problem',
  projects: 'project',
  reviews: 'review',
  solutions: 'solution',
  videos: 'video',
}
/** The kinds that `GET /admin/access` doesn't accept, because they are children of a content. */
const below = new Set(['argument', 'review', 'solution'])

export const typeText = (type: string): string => (texts.value.types as Record<string, string>)[type] ?? type

/**
 * The address of a thing: its page, or a list that shows only this thing. Undefined for a thing that only a case
 * shows.
 */
export function addressOf(type: string, id: string): string | undefined {
  if (type === 'user') return `/admin/people/${id}`
  if (type === 'group' || type === 'guild') return `/admin/${type}s/${id}`
  if (type === 'post') return `/admin/posts?q=${id}`
  if (type === 'reply') return `/admin/replies?q=${id}`
  const kind = Object.keys(contentKinds).find((plural) => contentKinds[plural] === type)
  return kind && `/admin/content?kind=${kind}&q=${id}`
}

export function thingLink(type: string, id: string | null, label = typeText(type)): VNode | string {
  const to = id && addressOf(type, id)
  return to ? (html`<a href=${to}>${label}</a>` as VNode) : label
}

/** Opens a thing in the web client, where staff sees it as any member does. */
export function clientLink(type: string, id: string): VNode | false {
  const folder = { post: 'posts', user: 'people' }[type]
  return (
    folder !== undefined &&
    (html`<a href=${`/app/${folder}/${id}`} target="_blank" rel="noopener">${texts.value.thing.inClient}</a>` as VNode)
  )
}

/** A link to the page that explains why somebody sees a thing. */
export function accessLink(type: string, id: string): VNode | false {
  const isContent = Object.values(contentKinds).includes(type)
  if (below.has(type) || !(isContent || ['post', 'reply', 'group', 'guild', 'conversation'].includes(type)))
    return false
  const asked = new URLSearchParams({ targetType: isContent ? 'content' : type, targetId: id })
  return html`<a href=${`/admin/access?${asked}`}>${texts.value.access.whySee}</a>` as VNode
}

/** The fields of all kinds of things that the panel shows. */
export type Thing = {
  id: string
  title?: string | null
  name?: string
  body?: string
  about?: string | null
  media?: { url?: string; alt?: string | null }[]
  format?: string
  visibility?: string
  postId?: string
  parentId?: string | null
  quotedPostId?: string | null
  groupId?: string | null
  guildId?: string | null
  videoId?: string
  detail?: Record<string, unknown>
  user?: { firstName: string; lastName: string; username: string }
  memberCount?: number
  createdAt?: string
  publishAt?: string | null
  editedAt?: string | null
  hiddenAt?: string | null
  removedAt?: string | null
  deletedAt?: string | null
  archivedAt?: string | null
}

const WORDS = ['body', 'description', 'summary', 'text', 'caption', 'about']
const isPlain = (value: unknown): value is string | number => ['string', 'number'].includes(typeof value)

/** A thing with its words, as its readers see them, and its state. */
export function ThingView({ type, id, thing }: { type: string; id: string; thing: Thing | null }): VNode {
  const t = texts.value.thing
  if (!thing) return html`<p class="quiet">${type === 'message' ? t.message : t.gone}</p>` as VNode
  const detail = thing.detail ?? {}
  const words = [thing.body, thing.about, ...WORDS.map((name) => detail[name])].filter((one) => one && isPlain(one))
  const address = [detail.mediaUrl, detail.url].find((one) => typeof one === 'string') as string | undefined
  const media = thing.media ?? (address ? [{ url: address }] : [])
  const rest = Object.entries(detail).filter(([name, value]) => isPlain(value) && !WORDS.includes(name))
  return html`<div class="thing">
    ${thing.title && html`<h3 class="words">${thing.title}</h3>`}
    ${thing.name && html`<h3 class="words">${thing.name}</h3>`}
    ${words.map((one) => html`<div class="words">${one}</div>`)}
    ${media.map(
      ({ url, alt }) =>
        url && html`<${Medium} url=${url} alt=${alt} isVideo=${thing.format === 'video' || type === 'video'} />`,
    )}
    <${Facts}
      facts=${[
        [
          t.visibility,
          thing.visibility &&
            ((texts.value.posts.visibilities as Record<string, string>)[thing.visibility] ?? thing.visibility),
        ],
        [t.written, thing.createdAt && timeText(thing.createdAt)],
        whenTrue(t.due, thing.publishAt),
        whenTrue(t.edited, thing.editedAt),
        whenTrue(t.hidden, thing.hiddenAt),
        whenTrue(t.removed, thing.removedAt),
        whenTrue(t.deleted, thing.deletedAt),
        whenTrue(t.archived, thing.archivedAt),
        [t.within, thing.groupId && thingLink('group', thing.groupId)],
        [t.within, thing.guildId && thingLink('guild', thing.guildId)],
        [t.answers, thing.postId && thingLink('post', thing.postId)],
        [t.answers, thing.parentId && thingLink('reply', thing.parentId)],
        [t.quotes, thing.quotedPostId && thingLink('post', thing.quotedPostId)],
        [t.members, thing.memberCount],
        ...(type === 'user' || type === 'group' || type === 'guild' ? [] : rest),
      ]}
    />
    <p class="row">${addressOf(type, id) && thingLink(type, id, t.open)} ${accessLink(type, id)} ${type === 'post' && clientLink(type, id)}</p>
  </div>` as VNode
}
