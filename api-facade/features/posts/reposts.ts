// Reposts and quotes. The rules: sql/posts/24_reposts.sql; 50_publishing.sql creates them.
import { routes } from '../../lib/routes.ts'
import { UuidId } from '../../lib/schemas.ts'
import { NewRepost, Post } from './schemas.ts'

export default routes('posts', {
  'POST /posts/:id/repost': {
    summary: 'Repost a post, or quote it',
    description: [
      'Without a body, or with an empty one, this creates a repost, otherwise a quote: like `POST /posts` with `quotedPostId`, which has more options for a quote. A repost of a repost refers to its original. If you have already reposted the post, that repost is returned unchanged.',
      'A repost refers to the original: it has no `interestId`, `interestIds` or `depth` (422), and reactions, bookmarks, replies, votes and payments go to the original. Muting, pinning and deleting apply to the repost itself.',
      'A repost or a quote shows the original only to people who can see the original, whatever the visibility of the repost or quote. A repost counts in `shares` and earns reputation for the author of the original as long as it exists; a quote does neither. The author of the original is notified of a repost or a quote that they can see.',
      'Your own post is 400. An `Idempotency-Key` works as in `POST /posts`.',
    ].join('\n\n'),
    access: 'user',
    operation: 'repost',
    never: [
      'asset_kind',
      'asset_pending',
      'asset_unknown',
      'journalism_not_allowed',
      'media_url',
      'poll_closes_at',
      'poll_options',
      'post_media',
      'post_quoted',
      'post_title',
      'publish_at_past',
    ],
    params: UuidId,
    body: NewRepost.optional(),
    answers: { 201: Post },
    outcome: 'The repost or quote, which is a post.',
  },
  'DELETE /posts/:id/repost': {
    summary: 'Delete your repost of a post',
    description:
      'Takes the id of the post or of a repost of it. Deletes your repost, even if you can no longer see the post; your quotes stay. Repeating it changes nothing.',
    access: 'user',
    operation: 'unrepost',
    params: UuidId,
    answers: { 204: null },
    outcome: 'You have no repost of the post.',
  },
})
