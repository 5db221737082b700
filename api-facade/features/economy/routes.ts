// Economy routes: the caller's wallet, and payments. Rules are in sql/economy, visibility in policies/economy.sql.
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

/** What the feature offers, for the API's description. */
export const about = 'Mana: the wallet, payments and boosts.'

export default routes('economy', {
  'GET /economy/wallet': {
    summary: 'Get your wallet',
    description:
      'Everybody starts with 50 mana and gets 5 for every full 24 hours since `lastRegenAt`, up to a balance of 50. Mana that is held for a bounty or an order counts towards these 50, because it may come back. At 50 or more nothing is added, but `lastRegenAt` still advances.',
    access: 'user',
    operation: 'get_wallet',
    answers: { 200: Wallet },
    outcome: 'Your wallet, with the mana that is due up to now.',
  },
  'POST /economy/pay': {
    summary: 'Pay for a post, a reply or a person',
    description:
      'Exactly one of `postId`, `replyId` and `receiverId` is required. A payment for a repost goes to the original; a payment for a reply goes to its author. With `postId` the tiers Storm to Nova need a reputation of 10, 20, 35 and 50 in the primary interest of the post; a post without one needs none.',
    access: 'user',
    operation: 'pay',
    gate: { check: 'require_flag', of: 'emoji-pay' },
    body: NewPayment,
    answers: { 201: Paid },
    outcome: 'The payment with its shares, and what you have left.',
  },
  'GET /economy/payments': {
    summary: 'List payments that you sent or received, newest first',
    description:
      'Without `direction` the list has both. Your own payments always stay listed: a person whom you cannot see ' +
      '(blocked, banned or erased) is null, and so is the `postId` of a post that you cannot see. A payment that ' +
      'staff reversed stays listed, and a second row with `reversed: true` and `reversalOf` is added. Neither of ' +
      'the two counts in a breakdown.',
    access: 'user',
    fresh: 'money',
    operation: 'list_payments',
    never: ['direction_unknown'],
    query: PaymentsQuery,
    page: true,
    answers: { 200: PaymentPage },
    outcome: 'A page of payments. If you were paid, a payment has only your own share.',
  },
  'GET /economy/payments/:postId/breakdown': {
    summary: 'Count the payments of a post, by emotion',
    description:
      'The same map as `emojiBreakdown` of the post, or of the original of a repost: `count` is the number of payments, `total` the mana.',
    access: 'user',
    fresh: 'money',
    id: 'getPaymentBreakdown',
    also: [{ route: 'GET /economy/posts/:id/breakdown', params: UuidId, as: { id: 'p_post_id' } }],
    operation: 'get_breakdown',
    params: PostParam,
    answers: { 200: PostBreakdown },
    outcome: 'The number of payments and the mana of each emotion.',
  },
  'POST /posts/:id/boost': {
    summary: 'Boost one of your posts in the feed',
    description:
      'Multiplies the score of the post in For You, for everyone, until `expiresAt`. The mana is destroyed. 409 if the post is already boosted, or if staff hid it. Only the author can boost, not a co-author. For a repost the original is boosted, but not other reposts of it. The post shows the boost in `boostScore` and `boostExpiresAt`, which are reset about a minute after the boost ends. There is no refund if the post is deleted or hidden before that.',
    access: 'user',
    also: ['POST /economy/posts/:id/boost'],
    operation: 'boost_post',
    gate: { check: 'require_flag', of: 'emoji-pay' },
    never: ['boost_tier'],
    params: UuidId,
    body: NewBoost,
    answers: { 201: Boosted },
    outcome: 'The boost with its end, and your balance after it.',
  },
})
