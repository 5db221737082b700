// Co-authors of posts. The rules: sql/posts/33_co_authors.sql; what they are paid: sql/economy/20_payments.sql.
import { routes } from '../../lib/routes.ts'
import { Acceptance, UuidId } from '../../lib/schemas.ts'
import { CoAuthorInvitation, CoAuthorParams, NewCoAuthor } from './schemas.ts'

export default routes('posts', {
  'POST /posts/:id/co-authors': {
    summary: 'Invite a co-author to my post',
    description:
      "The id of the answer is the invitation's, which the invited person is told of. At most 4 co-authors, pending ones included; the share and those of accepted ones add up to 90 percent at most. Somebody who may not see the post cannot be invited (422), nor anybody while it is not out yet. A block ends a pending invitation. It counts among the 100 invitations an hour of `POST /circles/me/:id/invitations`: 429 `writes_exceeded`.",
    access: 'user',
    operation: 'invite_co_author',
    params: UuidId,
    body: NewCoAuthor,
    answers: { 201: CoAuthorInvitation },
  },
  'POST /posts/:id/co-authors/:inviteId/respond': {
    summary: 'Accept or decline to be a co-author',
    description:
      'For the invited person alone: others who see the invitation are 403. Shares are checked again. From then on each payment of the post gives them their share, rounded down. A declined invitation is gone, and its author may invite again. `accept: false` after accepting leaves: the answer is the same `declined`, from then on the share stays with the author. One may leave a post that one does not see any more, too. `accept: true` a second time is 409.',
    access: 'user',
    operation: 'respond_co_author',
    params: CoAuthorParams,
    body: Acceptance,
    never: ['value_invalid'],
    answers: { 200: CoAuthorInvitation },
  },
})
