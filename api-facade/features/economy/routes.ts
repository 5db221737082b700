// Economy routes: one's wallet and emoji payments. Rules are in sql/economy, visibility in policies/economy.sql.
import { routes } from '../../lib/routes.ts'
import { UuidId } from '../../lib/schemas.ts'
import {
  Boosted,
  NewBoost,
  NewPayment,
  Paid,
  PaymentPage,
  PaymentsQuery,
  PostBreakdown,
  PostParam,
  Wallet,
} from './schemas.ts'

export default routes('economy', {
  'GET /economy/wallet': {
    summary: 'My wallet, regenerated up to now',
    description:
      'Everybody starts with 50 mana and gets 5 for every whole 24 hours since `lastRegenAt`, up to a balance of 50, of which mana that is held for a bounty or an order counts as part, since it may come back. At 50 or more the periods pass unused: `lastRegenAt` moves on all the same.',
    access: 'user',
    operation: 'get_wallet',
    answers: { 200: Wallet },
  },
  'POST /economy/pay': {
    summary: 'Pay for a post, for a reply, or a person',
    description:
      'Exactly one of `postId`, `replyId` and `receiverId` is the target; a payment for a repost is one for the original, a reply’s mana goes to the reply’s author. Only with `postId` a tier asks for reputation in the post’s primary interest: 10, 20, 35 and 50 from Storm to Nova. A post without a primary interest asks for none.',
    access: 'user',
    operation: 'pay',
    gate: { check: 'require_flag', of: 'emoji-pay' },
    body: NewPayment,
    idempotent: true,
    answers: { 201: Paid },
  },
  'GET /economy/payments': {
    summary: 'Payments that I sent or received, newest first',
    description:
      'Without `direction` both. One’s own payments stay listed whatever becomes of the other side: a person whom I cannot see (a block, a ban, an erasure) is null, and so is `postId` of a post that I do not see. A payment that staff took back stays, and a second row repeats it with `reversed: true` and `reversalOf`; neither is in a breakdown.',
    access: 'user',
    operation: 'list_payments',
    never: ['direction_unknown'],
    query: PaymentsQuery,
    page: true,
    answers: { 200: PaymentPage },
  },
  'GET /economy/payments/:postId/breakdown': {
    summary: 'What a post was paid, by emotion',
    description:
      'The same map as `emojiBreakdown` of the post, of a repost that of the original: `count` is payments, `total` mana.',
    access: 'user',
    also: [{ route: 'GET /economy/posts/:id/breakdown', params: UuidId, as: { id: 'p_post_id' } }],
    operation: 'get_breakdown',
    params: PostParam,
    answers: { 200: PostBreakdown },
  },
  'POST /posts/:id/boost': {
    summary: 'Boost a post of mine in the feed',
    description:
      'Multiplies its score in For You, for everybody, until `expiresAt`; the mana is burnt. While it is boosted another boost is 409, and so is one of a post that staff hid. Only the author may, not a co-author; of a repost it is the original that is boosted, and reposts of it are not. The post shows it in `boostScore` and `boostExpiresAt`, which go back within a minute or so after its end. Nothing is given back for a post that is deleted or hidden meanwhile.',
    access: 'user',
    also: ['POST /economy/posts/:id/boost'],
    operation: 'boost_post',
    gate: { check: 'require_flag', of: 'emoji-pay' },
    never: ['boost_tier'],
    params: UuidId,
    body: NewBoost,
    idempotent: true,
    answers: { 201: Boosted },
  },
})
