// Finds the page of the web client for the path of a notification, a push or a mail.
import { match } from '../lib/router.ts'
import { me } from './session.ts'

/** The patterns of the API's paths that have a page here. Other paths have none. */
const places: Record<string, (id: string) => string> = {
  '/posts/:id': (id) => `/app/posts/${id}`,
  '/conversations/:id': (id) => `/app/messages/${id}`,
  '/circles/:id': (id) => `/app/circles/${id}`,
  '/circles/invitations/:id': () => '/app/circles',
  '/groups/:id': (id) => `/app/groups/${id}`,
  '/guilds/:id': (id) => `/app/guilds/${id}`,
  '/payments/:id': () => '/app/wallet',
  '/followers': () => `/app/people/${me.value?.username}`,
  '/apps': () => '/app/settings/programs',
  '/me/standing': () => '/account',
}

type Target = { type: string; id: string } | null | undefined

/** The address in the web client for a path of the API; undefined if the client has no page for it. */
export function addressOf(path: string, target?: Target): string | undefined {
  // a reply is on the page of its post
  if (path.startsWith('/replies/')) return target?.type === 'post' ? `/app/posts/${target.id}` : undefined
  if (path.startsWith('/@')) return `/app/people/${path.slice(2)}`
  for (const [pattern, to] of Object.entries(places)) {
    const params = match(pattern, path)
    if (params) return to(params.id ?? '')
  }
  return undefined
}
