// The feed. The rules: sql/feed.
import { routes } from '../../lib/routes.ts'
import { FeedPage, FeedQuery } from './schemas.ts'

export default routes('feed', {
  'GET /feed': {
    summary: 'My feed',
    description: [
      'Without `tab`, For You: every post that I may see, ranked. Posts in time order are cut into blocks of about 50 at fixed moments; newer blocks come first, and within one the score decides: `engagement` (ln of 1 + hearts + 2 × replies + 3 × reposts + 2 × bookmarks), `depth` (0 to 1: how near its depth is to mine in its primary interest), `interest` (1: I chose that interest), `following` (1), `circle` (0.5, inner circle 1); `boost` is what a boost of its author multiplies all that by, beyond 1. A repost has the first three of its original, and no boost. Of what is near to the posts that I gave a heart, a spark or a bookmark last, two fifths of `limit` come to the front of each block, whatever their score: these have `semantic` (0 to 1: how near), which counts a few seconds after a post is out and a minute after I marked another. Where the instance has no model for that, or I have marked nothing, nothing is moved.',
      '`following`: what the people wrote whom I follow; `circles`: what was written for circles, inner circles included, by others who let me in and by me, and reposts of such; both newest first. `trending`: what anyone may see, by time moved up four hours for every doubling of what it set off (1 + hearts + replies + reposts + bookmarks). There the score is that place in hours since 1970, of `recency` and `engagement`.',
      'No score knows the clock, so walking a tab to its end gives every post of it once. `journalism=true`, `minDepth`, `interestId` and `format` narrow any tab. Left out are the posts of people whom I muted, posts that I muted, reposts of both, and posts with a keyword that I muted in their first 5000 characters, or in those of what they quote. When very many in a row are left out, a page may be short and yet have a `nextCursor`.',
    ].join('\n\n'),
    access: 'user',
    operation: 'list_feed',
    never: ['tab_unknown'],
    query: FeedQuery,
    page: true,
    answers: { 200: FeedPage },
  },
})
