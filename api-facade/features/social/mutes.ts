// Mutes, blocks, muted keywords, reports. Rules are in sql/social, visibility in policies/social.sql.
import { routes } from '../../lib/routes.ts'
import { Muted, PersonId, UuidId } from '../../lib/schemas.ts'
import { Blocked, BlockedPage, Keyword, KeywordPage, NewKeyword, NewReport, PersonPage, Report } from './schemas.ts'

export default routes('social', {
  'POST /users/:id/block': {
    summary: 'Block a person',
    description:
      'Both fall silent for each other at once, and follows and pending invitations end, both ways. Memberships stay, silent. Repeating it changes nothing. A person blocks at most 5000 people.',
    access: 'user',
    operation: 'block_person',
    params: PersonId,
    as: { id: 'p_person' },
    answers: { 200: Blocked },
  },
  'DELETE /users/:id/block': {
    summary: 'Lift a block',
    description: 'What the memberships say holds again. Repeating it changes nothing.',
    access: 'user',
    operation: 'unblock_person',
    params: PersonId,
    as: { id: 'p_person' },
    answers: { 204: null },
  },
  'GET /identity/me/blocks': {
    summary: 'Whom I have blocked, by username',
    description: 'The one list that names people across a block, and it gives no more than their names.',
    access: 'user',
    operation: 'list_blocks',
    page: true,
    answers: { 200: BlockedPage },
  },
  'POST /users/:id/mute': {
    summary: 'Mute a person',
    description:
      'They notice nothing. They cause me no notifications any more, and my feed leaves their posts out; their profile, their posts opened one by one and their replies stay as they are. Repeating it changes nothing.',
    access: 'user',
    operation: 'mute_person',
    params: PersonId,
    as: { id: 'p_person' },
    answers: { 200: Muted },
  },
  'DELETE /users/:id/mute': {
    summary: 'Lift a mute',
    description: 'Repeating it changes nothing.',
    access: 'user',
    operation: 'unmute_person',
    params: PersonId,
    as: { id: 'p_person' },
    answers: { 204: null },
  },
  'GET /identity/me/mutes': {
    summary: 'Whom I have muted, by username',
    description: 'Leaves out who is banned or across a block; the mute stays.',
    access: 'user',
    operation: 'list_mutes',
    page: true,
    answers: { 200: PersonPage },
  },
  'GET /identity/me/muted-keywords': {
    summary: 'My muted keywords that still hold, newest first',
    access: 'user',
    operation: 'list_muted_keywords',
    page: true,
    answers: { 200: KeywordPage },
  },
  'POST /identity/me/muted-keywords': {
    summary: 'Mute a keyword, for good or until a moment',
    description:
      'My feed leaves out posts, also my own, whose title or body has it. Case and accents make no difference. Whole words are looked for, and any part of a text where the edge of the keyword is of a script that writes no spaces (Han, Kana, Hangul, Thai and others) or is no letter (`#tag`). At most 100. Muting it again sets `until` anew and keeps the id. While common words are muted a page of the feed can be short, or empty, although `hasMore` is true.',
    access: 'user',
    operation: 'mute_keyword',
    body: NewKeyword,
    answers: { 201: Keyword },
  },
  'DELETE /identity/me/muted-keywords/:id': {
    summary: 'Lift a muted keyword',
    description: 'Repeating it changes nothing; neither does an id that is none of mine.',
    access: 'user',
    operation: 'unmute_keyword',
    params: UuidId,
    answers: { 204: null },
  },
  'POST /reports': {
    summary: 'Report a person, a post or a reply to the staff',
    description:
      '`targetType` is `user`, `post` or `reply`; `targetId` an actor id or username for a person, else the UUID. What the caller may not see is 404, as if it did not exist. Reporting the same again while the first report is open is 409. At most 100 an hour and person, unless an operator sets another number: 429 `writes_exceeded`, and `Retry-After` says until when.',
    access: 'user',
    operation: 'report',
    body: NewReport,
    answers: { 201: Report },
  },
})
