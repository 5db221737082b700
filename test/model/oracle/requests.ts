// The operations of the registry as requests: with every path of every route, and with the id of something that may be
// invisible.
import type { Operation } from '../../../api-facade/lib/call.ts'
import type { Route } from '../../../api-facade/lib/routes.ts'
import type { Entry } from './question.ts'
import { registry } from './registry.ts'

export type Kind = 'posts' | 'replies' | 'series'
export type Request = { method: string; path: string; body?: object }
/** What a request needs besides the id that it is about: ids of things that its sender sees. */
export type Means = { post: string; series: string; nothing: string }

type Sample = (id: string, means: Means) => { params?: Record<string, string>; query?: string; body?: object }
type Samples = { [O in Operation]?: Sample }

/** The requests where the id isn't simply the parameter of the path. */
const samples: Record<Kind, Samples> = {
  posts: {
    create_post: (id) => ({ body: { format: 'quote', body: 'Indeed', quotedPostId: id } }),
    update_post: () => ({ body: { depth: 1 } }),
    create_reply: () => ({ body: { body: 'Indeed' } }),
    react: () => ({ body: { kind: 'heart' } }),
    vote_poll: (_id, { nothing }) => ({ body: { optionId: nothing } }),
    invite_co_author: () => ({ body: { userId: 'bob', splitShare: 10 } }),
    respond_co_author: (_id, { nothing }) => ({ params: { inviteId: nothing }, body: { accept: true } }),
    add_series_item: (id, { series }) => ({ params: { id: series }, body: { postId: id } }),
    pay: (id) => ({ body: { emotion: 'love', tier: 0, postId: id } }),
    boost_post: () => ({ body: { tier: 1 } }),
    report: (id) => ({ body: { targetType: 'post', targetId: id, reason: 'No' } }),
  },
  replies: {
    list_replies: (id, { post }) => ({ params: { id: post }, query: `?parentId=${id}` }),
    create_reply: (id, { post }) => ({ params: { id: post }, body: { body: 'Indeed', parentId: id } }),
    pay: (id) => ({ body: { emotion: 'love', tier: 0, replyId: id } }),
    report: (id) => ({ body: { targetType: 'reply', targetId: id, reason: 'No' } }),
  },
  series: {},
}

/** Every request about something of a kind, by all existing routes. */
export function requests(routes: readonly Route[], kind: Kind, id: string, means: Means): Request[] {
  return routes.flatMap(({ method, path, row: { operation, as = {} } }) => {
    if (!operation || !(registry[operation] as Entry | undefined)?.[kind]) return []
    // The same operation by a path whose id is that of a group or guild
    if (Object.values(as).some((parameter) => /^p_(group|guild)_id$/.test(parameter))) return []
    const { params = {}, query = '', body } = samples[kind][operation]?.(id, means) ?? {}
    const filled = path.replace(/:(\w+)/g, (_all, name: string) => params[name] ?? id)
    return [{ method, path: filled + query, ...(body && { body }) }]
  })
}

/** The operations that can be asked about a kind. */
export const asking = (kind: Kind) =>
  (Object.entries(registry) as [Operation, Entry][]).flatMap(([operation, entry]) => (entry[kind] ? [operation] : []))
