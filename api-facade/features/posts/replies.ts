// Replies. The rules: sql/posts/20_replies.sql.
import { routes } from '../../lib/routes.ts'
import { UuidId } from '../../lib/schemas.ts'
import { NewReply, RepliesQuery, Reply, ReplyPage } from './schemas.ts'

export default routes('posts', {
  'POST /posts/:id/replies': {
    summary: 'Reply to a post, or to a reply under it',
    description:
      'A reply to a repost is one to the original, whose id is its `postId`. A criticism has 50 to 300 characters, a contribution at least 100, a reaction up to 280, anything else up to 5000. `parentId` is the reply that is answered: its author is told, as the author of the post is. A scheduled post takes no replies. Whom the body mentions by `@username` is told, up to 20 people who may see the post, of the first 200 mentions. At most 600 replies an hour and person, unless an operator sets another number, and mentions as in `POST /posts`: 429 `writes_exceeded`, and `Retry-After` says until when.',
    access: 'user',
    operation: 'create_reply',
    params: UuidId,
    body: NewReply,
    answers: { 201: Reply },
  },
  'GET /posts/:id/replies': {
    summary: 'Replies to a post, oldest first',
    description:
      'Of a repost those to the original. A flat list of all, each with its `parentId`, which is null where I may not see the reply that it answers. With `?parentId=` the direct answers to that reply.',
    access: 'user',
    operation: 'list_replies',
    params: UuidId,
    query: RepliesQuery,
    page: true,
    answers: { 200: ReplyPage },
  },
})
