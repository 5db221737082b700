// Mutes, blocks, muted keywords, reports. Rules are in sql/social, visibility in policies/social.sql.
import { routes } from '../../lib/routes.ts'
import { Muted, PersonId, UuidId } from '../../lib/schemas.ts'
import { Blocked, BlockedPage, Keyword, KeywordPage, NewKeyword, NewReport, PersonPage, Report } from './schemas.ts'

export default routes('social', {
  'POST /users/:id/block': {
    summary: 'Block a person',
    description:
      'Takes effect immediately: neither of you sees the other, and follows and pending invitations between you end. Memberships in each other’s circles remain, but are hidden. Repeating it changes nothing. You can block at most 5000 people.',
    access: 'user',
    operation: 'block_person',
    params: PersonId,
    as: { id: 'p_person' },
    answers: { 200: Blocked },
    outcome: 'The person is blocked.',
  },
  'DELETE /users/:id/block': {
    summary: 'Unblock a person',
    description: 'Hidden memberships become visible again. Repeating it changes nothing.',
    access: 'user',
    operation: 'unblock_person',
    params: PersonId,
    as: { id: 'p_person' },
    answers: { 204: null },
    outcome: 'The person is not blocked.',
  },
  'GET /identity/me/blocks': {
    summary: 'List people whom you blocked, by username',
    description: 'No other list contains people whom you blocked; this one contains only their names.',
    access: 'user',
    operation: 'list_blocks',
    page: true,
    answers: { 200: BlockedPage },
    outcome: 'A page of people.',
  },
  'POST /users/:id/mute': {
    summary: 'Mute a person',
    description:
      'The person is not notified of it. You get no notifications because of them any more, and your feed leaves out their posts; their profile, single posts and replies stay visible. Repeating it changes nothing.',
    access: 'user',
    operation: 'mute_person',
    params: PersonId,
    as: { id: 'p_person' },
    answers: { 200: Muted },
    outcome: 'The person is muted for you.',
  },
  'DELETE /users/:id/mute': {
    summary: 'Unmute a person',
    description: 'Repeating it changes nothing.',
    access: 'user',
    operation: 'unmute_person',
    params: PersonId,
    as: { id: 'p_person' },
    answers: { 204: null },
    outcome: 'The person is not muted for you.',
  },
  'GET /identity/me/mutes': {
    summary: 'List people whom you muted, by username',
    description: 'Leaves out people who are banned or have a block with you; their mute remains.',
    access: 'user',
    operation: 'list_mutes',
    page: true,
    answers: { 200: PersonPage },
    outcome: 'A page of people.',
  },
  'GET /identity/me/muted-keywords': {
    summary: 'List your active muted keywords, newest first',
    description: 'Leaves out keywords whose time, `until`, has passed.',
    access: 'user',
    operation: 'list_muted_keywords',
    etag: true,
    page: true,
    answers: { 200: KeywordPage },
    outcome: 'A page of keywords that are muted now.',
  },
  'POST /identity/me/muted-keywords': {
    summary: 'Mute a keyword, permanently or until a time',
    description:
      'Your feed leaves out posts, including your own, whose title or body contains the keyword. Case and accents are ignored. Only whole words match. But where the keyword begins or ends with a script without spaces (Han, Kana, Hangul, Thai and others) or with a character that is not a letter or digit (`#tag`), it also matches within a word. At most 100 keywords. Muting a keyword again updates `until` and keeps the id. With common words muted, a page of the feed can be short or empty although `hasMore` is true.',
    access: 'user',
    operation: 'mute_keyword',
    body: NewKeyword,
    answers: { 201: Keyword },
    outcome: 'The muted keyword, and until when.',
  },
  'DELETE /identity/me/muted-keywords/:id': {
    summary: 'Unmute a keyword',
    description: 'Repeating it changes nothing, and neither does an id that is not yours.',
    access: 'user',
    operation: 'unmute_keyword',
    params: UuidId,
    answers: { 204: null },
    outcome: 'The keyword is not muted.',
  },
  'POST /reports': {
    summary: 'Report a person, a post or a reply to staff',
    description:
      '`targetId` is an actor id or username for a person, otherwise the UUID. 404 for anything that you cannot see. 409 if you report the same thing again while the first report is open. Limit: 100 reports per person and hour, unless the operator sets another one (429 `writes_exceeded`). `Retry-After` says when to try again.',
    access: 'user',
    id: 'createReport',
    operation: 'report',
    body: NewReport,
    answers: { 201: Report },
    outcome: 'Your report, which waits for staff.',
  },
})
