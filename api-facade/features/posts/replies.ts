// The routes of replies. The rules: sql/posts/20_replies.sql.
import { routes } from '../../lib/routes.ts'
import { UuidId } from '../../lib/schemas.ts'
import { NewReply, RepliesQuery, Reply, ReplyPage } from './schemas.ts'

export default routes('posts', {
  'POST /posts/:id/replies': {
    summary: 'Reply to a post, or to a reply under it',
    description:
      'A reply to a repost goes to the original, whose id is its `postId`. A criticism has 50 to 300 characters, a contribution at least 100, a reaction up to 280, any other reply up to 5000. `parentId` is the reply that this one answers; the authors of that reply and of the post are notified. A scheduled post accepts no replies. People whom the body mentions by `@username` are notified: up to 20 people who can see the post, among the first 200 mentions. Limit: 600 replies per person and hour, unless the operator sets another one, and mentions as in `POST /posts` (429 `writes_exceeded`). `Retry-After` says when to try again.',
    access: 'user',
    operation: 'create_reply',
    params: UuidId,
    body: NewReply,
    answers: { 201: Reply },
    outcome: 'The new reply.',
  },
  'GET /posts/:id/replies': {
    summary: 'List replies to a post, oldest first',
    description:
      'Lists all replies, for a repost those to the original. Each has its `parentId`, which is null if you cannot see the reply that it answers. With `?parentId=`, lists only the direct answers to that reply.',
    access: 'user',
    operation: 'list_replies',
    params: UuidId,
    query: RepliesQuery,
    page: true,
    answers: { 200: ReplyPage },
    outcome: 'A page of replies.',
  },
})
