// Co-authors of posts. The rules: sql/posts/33_co_authors.sql; what they are paid: sql/economy/20_payments.sql.
import { routes } from '../../lib/routes.ts'
import { Acceptance, UuidId } from '../../lib/schemas.ts'
import { CoAuthorInvitation, CoAuthorParams, NewCoAuthor } from './schemas.ts'

export default routes('posts', {
  'POST /posts/:id/co-authors': {
    summary: 'Invite a co-author to a post',
    description:
      'Returns the id of the invitation and notifies the person. A post has at most 4 co-authors, including pending ones; the share plus those of accepted co-authors can be at most 90 percent. A person who cannot see the post cannot be invited (422), and nobody can be invited to a post that is not published. A block ends a pending invitation. Counts towards the limit of 100 invitations an hour of `POST /circles/me/:id/invitations`: 429 `writes_exceeded`.',
    access: 'user',
    operation: 'invite_co_author',
    params: UuidId,
    body: NewCoAuthor,
    answers: { 201: CoAuthorInvitation },
    outcome: 'The invitation, which waits for an answer.',
  },
  'POST /posts/:id/co-authors/:inviteId/respond': {
    summary: 'Accept or decline an invitation to be a co-author',
    description:
      'Only the invited person can do this; others who can see the invitation get 403. The shares are checked ' +
      'again. Once the invitation is accepted, the co-author gets the share of every payment for the post, ' +
      'rounded down. A declined invitation is deleted, and the author can invite the person again. A co-author ' +
      'can leave the post later with `accept: false`. The answer is `declined`, and from then on the share goes ' +
      'to the author. You can also leave a post that you can no longer see. Accepting a second time is 409.',
    access: 'user',
    id: 'respondToCoAuthorInvitation',
    operation: 'respond_co_author',
    params: CoAuthorParams,
    body: Acceptance,
    never: ['value_invalid'],
    answers: { 200: CoAuthorInvitation },
    outcome: 'The invitation with your answer.',
  },
})
