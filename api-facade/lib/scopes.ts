// The scopes of access tokens, and which of them each operation needs. `npm run gen` writes them to
// sql/generated/40_scopes.sql, where the database reads them (sql/base/31_scopes.sql).
// docs/decisions.md, Access tokens.
import { idOf, type Route, spellings, type Table } from './routes.ts'

/** The areas of the API. The scopes are their names with `:read` and `:write`. */
export const areas = {
  profile: {
    features: ['identity', 'interests', 'moderation'],
    read: 'Read your profile, personas, interests, invite codes and standing, and the profiles of others.',
    write: 'Change your profile, personas and interests, make invite codes, and appeal decisions.',
  },
  social: {
    features: ['social'],
    read: 'Read your circles, follows, blocks and mutes.',
    write: 'Change your circles, follow, block and mute people, and report.',
  },
  posts: {
    features: ['posts', 'feed'],
    read: 'Read posts, replies, series, bookmarks and feeds.',
    write: 'Publish, edit and delete posts and replies, react, vote and bookmark.',
  },
  messaging: {
    features: ['messaging'],
    read: 'Read your conversations.',
    write: 'Send, edit and delete messages, and change conversations.',
  },
  notifications: {
    features: ['notifications'],
    read: 'Read your notifications and their settings.',
    write: 'Mark notifications as read, change their settings, and register devices.',
  },
  spaces: {
    features: ['groups', 'guilds', 'treasury'],
    read: 'Read groups and guilds: members, requests, proposals, treasuries and reports.',
    write: 'Create, change, join and leave groups and guilds, vote in them, and move the mana of treasuries.',
  },
  contents: {
    features: ['courses', 'debates', 'events', 'problems', 'projects', 'videos', 'wiki'],
    read: 'Read videos, audio, courses, debates, events, problems, projects and the wiki.',
    write:
      'Publish and change videos, audio, courses, debates, events, problems, projects and the wiki, and take part.',
  },
  media: {
    features: ['media'],
    read: 'Read the state of your uploads.',
    write: 'Upload and delete files.',
  },
  economy: {
    features: ['economy', 'market'],
    read: 'Read your wallet, payments, offerings and orders.',
    write: 'Pay with your mana, boost posts, sell and buy.',
  },
  reputation: {
    features: ['reputation'],
    read: 'Read reputations, votes and what you may do.',
    write: 'Vote on reputations, and appeal.',
  },
  discovery: {
    features: ['discovery'],
    read: 'Search, and read suggestions.',
    write: 'Change what you are looking for.',
  },
  ai: {
    features: ['ai'],
    read: 'Read your sessions with the assistant.',
    write: 'Use the assistant.',
  },
  staff: {
    features: ['admin', 'oversight', 'webhooks'],
    read: 'Read what moderators and admins may read.',
    write: 'Do what moderators and admins may do.',
  },
} as const satisfies Record<string, { features: readonly string[]; read: string; write: string }>
export type Area = keyof typeof areas

export type Scope = `${Area}:${'read' | 'write'}`

/** The area of a route, `any` if every access token may use it, `none` if only a login may. */
function areaOf({ feature, row }: Route): Area | 'any' | 'none' {
  if (row.scope) return row.scope
  if (row.access === 'moderator' || row.access === 'admin') return 'staff'
  const names = Object.keys(areas) as Area[]
  const area = names.find((name) => (areas[name].features as readonly string[]).includes(feature))
  if (!area) throw new Error(`api-facade/lib/scopes.ts: the feature ${feature} has no area`)
  return area
}

/** The scope that a route needs; null if every access token may use it, undefined if none may or it needs no token. */
export function scopeOf(route: Route): Scope | null | undefined {
  const area = areaOf(route)
  if (route.row.access === 'public' || area === 'none') return undefined
  return area === 'any' ? null : `${area}:${route.method === 'GET' ? 'read' : 'write'}`
}

/** By which names the routes ask the database: those of their operations, and of those that have a handler their own. */
function namesOf({ row, path, method }: Route): string[] {
  if (row.operation) return [row.operation]
  return [idOf({ row, path, method }), ...(row.calls ?? [])]
}

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`

/** @throws Error if an operation belongs to two areas */
export function scopesSql(tables: readonly Table[]): string {
  const found = new Map<string, Set<Scope | null>>([['note_presence', new Set([null])]])
  for (const route of spellings(tables)) {
    const scope = scopeOf(route)
    if (scope === undefined || route.alias) continue
    for (const name of namesOf(route)) found.set(name, (found.get(name) ?? new Set()).add(scope))
  }
  const rows = [...found]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, scopes]) => {
      if (new Set([...scopes].map((scope) => scope?.split(':')[0])).size > 1)
        throw new Error(`api-facade/lib/scopes.ts: ${name} belongs to two areas, ${[...scopes].join(' and ')}`)
      return [...scopes].sort().map((scope) => `  (${quoted(name)}, ${scope === null ? 'null' : quoted(scope)})`)
    })
  const scopes = (Object.keys(areas) as Area[]).flatMap((area, at) =>
    (['read', 'write'] as const).map(
      (access, to) =>
        `  (${quoted(`${area}:${access}`)}, ${at * 20 + to * 10 + 10}, ${area === 'staff'},\n   ${quoted(areas[area][access])})`,
    ),
  )
  return `-- Generated by \`npm run gen\` from the route tables. Not to be edited.
-- The scopes of access tokens, and those that each operation needs: api-facade/lib/scopes.ts.

insert into private.scopes (scope, position, staff, says) values
${scopes.join(',\n')};

insert into private.operation_scopes (operation, scope) values
${rows.join(',\n')};
`
}
