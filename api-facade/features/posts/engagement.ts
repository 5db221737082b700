// Reactions, bookmarks, mutes and pins of posts. The rules: sql/posts/21_reactions.sql to 23_post_mutes.sql,
// 34_pins.sql.
import { routes } from '../../lib/routes.ts'
import { Muted, UuidId } from '../../lib/schemas.ts'
import { NewReaction, Post, PostPage, ReactionAnswer, TakenReaction } from './schemas.ts'

export default routes('posts', {
  'POST /posts/:id/react': {
    summary: 'Give a heart or a spark',
    description:
      'Repeating it changes nothing. Hearts are counted, sparks are not. A reaction to a repost goes to the ' +
      'original, whose `counters` and `viewer` are returned. Limit: 2000 reactions per person and hour, including ' +
      'repeated ones, unless the operator sets another one (429 `writes_exceeded`). `Retry-After` says when to ' +
      'try again.',
    access: 'user',
    operation: 'react',
    params: UuidId,
    body: NewReaction,
    answers: { 200: ReactionAnswer },
    outcome: 'The counters of the post, and what you have done with it.',
  },
  'DELETE /posts/:id/react': {
    summary: 'Remove your reaction',
    description:
      'Removes the reaction that `kind` names, in the query or in the body. Without `kind` both reactions are ' +
      'removed. A reaction to a repost is that to its original. Repeating it changes nothing. If you can no ' +
      'longer see the post, the reaction is removed, but the answer is 404.',
    access: 'user',
    operation: 'unreact',
    params: UuidId,
    query: TakenReaction,
    body: TakenReaction.optional(),
    answers: { 200: ReactionAnswer },
    outcome: 'The counters of the post, and what you have done with it.',
  },
  'POST /posts/:id/bookmark': {
    summary: 'Bookmark a post',
    description:
      'For a repost the original is bookmarked. Repeating it changes nothing, and the bookmark keeps its position ' +
      'in the list. Others only see the count. A bookmark of your own post counts but earns no reputation. Limit: ' +
      '2000 bookmarks per person and hour, including repeated ones, unless the operator sets another one (429 ' +
      '`writes_exceeded`). `Retry-After` says when to try again.',
    access: 'user',
    operation: 'bookmark',
    params: UuidId,
    answers: { 200: ReactionAnswer },
    outcome: 'The counters of the post, and what you have done with it.',
  },
  'DELETE /posts/:id/bookmark': {
    summary: 'Remove a bookmark',
    description:
      'Also works for a post that you can no longer see; for a repost the bookmark of the original is removed. Repeating it changes nothing.',
    access: 'user',
    operation: 'unbookmark',
    params: UuidId,
    answers: { 204: null },
    outcome: 'The bookmark is removed.',
  },
  'GET /posts/bookmarks': {
    summary: 'List your bookmarks, newest first',
    description:
      'Lists only posts that you can still see. The cursor is the id of the last post, and is valid for a day after its bookmark is removed.',
    access: 'user',
    operation: 'list_bookmarks',
    page: true,
    answers: { 200: PostPage },
    outcome: 'A page of bookmarked posts that you can still see.',
  },
  'POST /posts/:id/mute': {
    summary: 'Mute a post',
    description:
      'Removes the post and its reposts from your feed, and stops notifications about it, even if it is your own. Muting a repost mutes only that repost. Nobody is notified. Repeating it changes nothing.',
    access: 'user',
    operation: 'mute_post',
    params: UuidId,
    answers: { 200: Muted },
    outcome: 'The post is muted for you.',
  },
  'DELETE /posts/:id/mute': {
    summary: 'Unmute a post',
    description: 'Also works for a post that you can no longer see. Repeating it changes nothing.',
    access: 'user',
    operation: 'unmute_post',
    params: UuidId,
    answers: { 204: null },
    outcome: 'The post is not muted for you.',
  },
  'POST /posts/:id/pin': {
    summary: 'Pin a post to your profile',
    description:
      'You can pin at most 3 posts. Reposts whose original you can no longer see do not count, up to 50 pinned posts in all. The post that was pinned last comes first. Pinning it again changes nothing. Somebody else’s post is 403 if you can see it, otherwise 404.',
    access: 'user',
    operation: 'pin_post',
    params: UuidId,
    answers: { 200: Post },
    outcome: 'The pinned post.',
  },
  'DELETE /posts/:id/pin': {
    summary: 'Unpin a post',
    description: 'Also works for a repost whose original you can no longer see. Repeating it changes nothing.',
    access: 'user',
    operation: 'unpin_post',
    params: UuidId,
    answers: { 204: null },
    outcome: 'The post is not pinned.',
  },
})
