// Votes in polls. The rules: sql/posts/30_polls.sql. A poll itself comes with its post.
import { routes } from '../../lib/routes.ts'
import { UuidId } from '../../lib/schemas.ts'
import { Poll, Vote } from './schemas.ts'

export default routes('posts', {
  'POST /posts/:id/poll/vote': {
    summary: 'Vote in a poll',
    description:
      'In the poll of the post, of a repost in that of the original. One vote a person: voting again moves it. The author may vote too. A poll that has closed and one whose post is not out yet are 422, a post without a poll is 404.',
    access: 'user',
    operation: 'vote_poll',
    params: UuidId,
    body: Vote,
    answers: { 200: Poll },
  },
  'DELETE /posts/:id/poll/vote': {
    summary: 'Take my vote back',
    description:
      'Repeating it changes nothing. A poll that has closed keeps its votes: 422. In the poll of a post that I no longer see it is taken back too, and the answer is that of an unknown post.',
    access: 'user',
    operation: 'unvote_poll',
    params: UuidId,
    answers: { 200: Poll },
  },
})
