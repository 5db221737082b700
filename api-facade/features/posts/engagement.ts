// What people do with a post: reactions, bookmarks, mutes, pins. The rules: sql/posts/21_reactions.sql to 23_post_mutes.sql, 34_pins.sql.
import { routes } from '../../lib/routes.ts'
import { Muted, UuidId } from '../../lib/schemas.ts'
import { NewReaction, Post, PostPage, ReactionAnswer, TakenReaction } from './schemas.ts'

export default routes('posts', {
  'POST /posts/:id/react': {
    summary: 'Give a heart or a spark',
    description:
      'Repeating it changes nothing. Hearts are counted, sparks are not. A reaction to a repost is one to the original, whose `counters` and `viewer` are answered. At most 2000 an hour and person, repeats among them, unless an operator sets another number: 429 `writes_exceeded`, and `Retry-After` says until when.',
    access: 'user',
    operation: 'react',
    params: UuidId,
    body: NewReaction,
    answers: { 200: ReactionAnswer },
  },
  'DELETE /posts/:id/react': {
    summary: 'Take my reaction back',
    description:
      'With `?kind=` that one, without it both; of a repost those to the original. Repeating it changes nothing. From a post that I no longer see it is taken back too, and the answer is that of an unknown post.',
    access: 'user',
    operation: 'unreact',
    params: UuidId,
    query: TakenReaction,
    answers: { 200: ReactionAnswer },
  },
  'POST /posts/:id/bookmark': {
    summary: 'Keep a post among my bookmarks',
    description:
      'Of a repost it is the original that is kept. Repeating it changes nothing, and leaves it at its place in the list. Others see a count alone; a bookmark of one’s own post is counted and earns nothing. At most 2000 an hour and person, repeats among them, unless an operator sets another number: 429 `writes_exceeded`, and `Retry-After` says until when.',
    access: 'user',
    operation: 'bookmark',
    params: UuidId,
    answers: { 200: ReactionAnswer },
  },
  'DELETE /posts/:id/bookmark': {
    summary: 'Take my bookmark back',
    description:
      'Also from a post that I no longer see; of a repost that of the original. Repeating it changes nothing.',
    access: 'user',
    operation: 'unbookmark',
    params: UuidId,
    answers: { 204: null },
  },
  'GET /posts/bookmarks': {
    summary: 'My bookmarks, the newest first',
    description:
      'Of posts that I still may see. The cursor is the last post’s id, and holds for a day when its bookmark is taken back meanwhile.',
    access: 'user',
    operation: 'list_bookmarks',
    page: true,
    answers: { 200: PostPage },
  },
  'POST /posts/:id/mute': {
    summary: 'Mute a post',
    description:
      'It leaves my feed, with the reposts of it, and I am told of nothing that happens to it, be it my own. Muting a repost mutes that repost alone. Nobody notices. Repeating it changes nothing.',
    access: 'user',
    operation: 'mute_post',
    params: UuidId,
    answers: { 200: Muted },
  },
  'DELETE /posts/:id/mute': {
    summary: 'Lift my mute of a post',
    description: 'Also of a post that I no longer see. Repeating it changes nothing.',
    access: 'user',
    operation: 'unmute_post',
    params: UuidId,
    answers: { 204: null },
  },
  'POST /posts/:id/pin': {
    summary: 'Pin my post to my profile',
    description:
      'At most 3, and 50 with those of which I no longer see the original; the one pinned last comes first. Pinning it again changes nothing. A post of somebody else is 403 when I see it, otherwise 404.',
    access: 'user',
    operation: 'pin_post',
    params: UuidId,
    answers: { 200: Post },
  },
  'DELETE /posts/:id/pin': {
    summary: 'Unpin my post',
    description: 'Also a repost of what I no longer see. Repeating it changes nothing.',
    access: 'user',
    operation: 'unpin_post',
    params: UuidId,
    answers: { 204: null },
  },
})
