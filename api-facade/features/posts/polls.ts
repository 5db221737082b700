// Votes in polls. The rules: sql/posts/30_polls.sql. A poll is created with its post.
import { routes } from '../../lib/routes.ts'
import { UuidId } from '../../lib/schemas.ts'
import { Poll, Vote } from './schemas.ts'

export default routes('posts', {
  'POST /posts/:id/poll/vote': {
    summary: 'Vote in a poll',
    description:
      'Votes in the poll of the post; for a repost, in the poll of the original. A person has one vote: voting again moves the vote. The author can vote, too. 422 if the poll has closed or the post is not published; 404 if the post has no poll.',
    access: 'user',
    operation: 'vote_poll',
    params: UuidId,
    body: Vote,
    answers: { 200: Poll },
    outcome: 'The poll with your vote.',
  },
  'DELETE /posts/:id/poll/vote': {
    summary: 'Remove your vote',
    description:
      'Repeating it changes nothing. 422 if the poll has closed. If you can no longer see the post, the vote is removed, but the answer is 404.',
    access: 'user',
    operation: 'unvote_poll',
    params: UuidId,
    answers: { 200: Poll },
    outcome: 'The poll without your vote.',
  },
})
