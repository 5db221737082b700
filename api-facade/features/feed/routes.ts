// The routes of the feed and of changes since a cursor. The rules: sql/feed.
import { routes } from '../../lib/routes.ts'
import { FeedPage, FeedQuery, Sync, SyncQuery } from './schemas.ts'

/** What the feature offers, for the API's description. */
export const about = 'The home feed.'

export default routes('feed', {
  'GET /feed': {
    summary: 'Get your feed',
    description: [
      'Without `tab` the feed is For You: every post that you can see, ranked. Posts are divided by time into blocks of about 50, at fixed moments. Newer blocks come first; within a block the score decides. The score is the sum of: `engagement` (ln of 1 + hearts + 2 × replies + 3 × reposts + 2 × bookmarks), `depth` (0 to 1: how close its depth is to yours in its primary interest), `interest` (1 if you chose that interest), `following` (1), `circle` (0.5, inner circle 1). A boost by the author multiplies the sum; `boost` is what it adds. A repost has the `engagement`, `depth` and `interest` of its original, and no boost. Posts that resemble those to which you last gave a heart, a spark or a bookmark fill up to two fifths of `limit` at the front of each block, whatever their score. Such a post has `semantic` (0 to 1: how similar it is). This takes effect a few seconds after a post is published and a minute after your last such reaction. If the instance has no model for this, or if you have given no such reaction, no post is moved to the front.',
      '`following`: posts of people whom you follow. `circles`: your own posts for circles and inner circles and those of others that include you, and reposts of these. Both tabs are ordered newest first. `trending`: public posts, ordered by time, moved up four hours for every doubling of their engagement (1 + hearts + replies + reposts + bookmarks). In this tab the score is the resulting time in hours since 1970: the sum of `recency` and `engagement`.',
      'Scores do not depend on the current time, so paging to the end of a tab returns each of its posts once. `journalism=true`, `minDepth`, `interestId` and `format` filter any tab. The feed leaves out posts of people whom you muted, posts that you muted, and reposts of such posts. It also leaves out posts with a keyword that you muted, in the first 5000 characters of the post or of the post that it quotes. If many posts in a row are left out, a page may be short and still have a `nextCursor`.',
    ].join('\n\n'),
    access: 'user',
    operation: 'list_feed',
    never: ['tab_unknown'],
    query: FeedQuery,
    page: true,
    answers: { 200: FeedPage },
    outcome: 'A page of posts, each with the reasons for its position.',
  },
  'GET /sync': {
    summary: 'Get what changed since a cursor',
    description: [
      'This operation is for clients that keep copies of what they have read. Call it without `after` before you read the first thing, and keep `nextCursor`. Later send that cursor as `after`: you get the things that changed since, the oldest change first, and a new cursor. Apply all items, then store the new cursor. While `hasMore` is true, call again. A page has at most 400 items. It can be empty and have more, because changes that do not concern you are left out.',
      'It lists posts and contents that were edited, hidden, shown again or deleted; replies that were hidden, shown again or deleted; and people whose public profile changed or who were banned, shown again or erased. If a person is gone, discard everything by that person. If a post is gone, discard its replies and reposts too. When an original changes, the list has no items for its reposts and quotes.',
      'It does not list new things, counters, votes, or what you stop seeing because a circle, a membership or a block changed. Messages have `changedSince`, notifications have `since`.',
      'Changes of the last 10 seconds are listed again by the next call, so the same item may come twice. A cursor is valid for 30 days; after that the answer is 410 `sync_too_old`, and you begin again without a cursor.',
    ].join('\n\n'),
    access: 'user',
    fresh: 'settled',
    id: 'sync',
    operation: 'list_changes',
    query: SyncQuery,
    answers: { 200: Sync },
    outcome: 'The changes, and the cursor for the next call.',
  },
})
