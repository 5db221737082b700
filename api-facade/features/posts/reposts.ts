// Reposts and quotes. The rules: sql/posts/24_reposts.sql, and 50_publishing.sql, which makes them.
import { routes } from '../../lib/routes.ts'
import { UuidId } from '../../lib/schemas.ts'
import { NewRepost, Post } from './schemas.ts'

export default routes('posts', {
  'POST /posts/:id/repost': {
    summary: 'Repost a post, or quote it',
    description: [
      'Without a body, or with an empty one, it is a repost, otherwise a quote: as `POST /posts` with `quotedPostId`, which can do more for a quote. A repost of a repost is of the original. A repost that stands already is answered again, as it was.',
      'A repost points at the original: it takes no `interestId`, no `interestIds` and no `depth` (422), and what is done to it (reactions, bookmarks, replies, votes, payments) is done to the original. Muting, pinning and deleting are of the repost itself.',
      'What is passed on shows only to those who may see it themselves, whatever the visibility around it. A repost is counted among the shares and earns the original’s author reputation while it stands; a quote does neither. The author is told of both, if they may see them.',
      'One’s own post is 400. An `Idempotency-Key` is that of `POST /posts`.',
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
    idempotent: true,
    answers: { 201: Post },
  },
  'DELETE /posts/:id/repost': {
    summary: 'Take my repost back',
    description:
      'By the id of the post, or of a repost of it, whatever I see of the post by now. The repost is deleted; quotes stay. Repeating it changes nothing.',
    access: 'user',
    operation: 'unrepost',
    params: UuidId,
    answers: { 204: null },
  },
})
