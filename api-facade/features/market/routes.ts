// The market: offerings, orders of them, reviews. Rules are in sql/market.
import { routes, type Table } from '../../lib/routes.ts'
import { UuidId } from '../../lib/schemas.ts'
import { listing } from '../content/schemas.ts'
import {
  Delivery,
  Dispute,
  NewOffering,
  NewOrder,
  NewReview,
  Offering,
  OfferingChanges,
  OfferingPage,
  OfferingQuery,
  Order,
  OrderPage,
  OrdersQuery,
  PlacedOrder,
  Review,
  ReviewPage,
} from './schemas.ts'

const offerings = routes('market', {
  'GET /economy/market/offerings': {
    summary: 'List offerings, newest first',
    description: `${listing} \`sort=price\` lists the cheapest first. \`sort=rating\` lists the best rated first, and offerings without reviews last. The cursors of both are opaque positions. Includes paused and sold out offerings. \`minPrice\` and \`maxPrice\` are inclusive.`,
    access: 'user',
    operation: 'list_offerings',
    never: ['offering_sort'],
    query: OfferingQuery,
    page: true,
    answers: { 200: OfferingPage },
    outcome: 'A page of offerings.',
  },
  'POST /economy/market/offerings': {
    summary: 'Offer something for mana',
    description: 'Without `stock` the offering never sells out.',
    access: 'user',
    operation: 'create_offering',
    body: NewOffering,
    answers: { 201: Offering },
    outcome: 'The new offering.',
  },
  'GET /economy/market/offerings/:id': {
    summary: 'Get an offering',
    description:
      'Only the seller sees an offering that staff removed; it has `removedAt`. The rating counts all reviews except removed ones; the stars of banned or erased people still count.',
    access: 'user',
    operation: 'get_offering',
    params: UuidId,
    answers: { 200: Offering },
    outcome: 'The offering with its stock and ratings.',
  },
  'PATCH /economy/market/offerings/:id': {
    summary: 'Change an offering',
    description:
      'Absent fields do not change, and existing orders keep the old values. `status: "paused"` stops new orders until it is `active` again; `sold_out` results from a `stock` of 0. Only a new title, description or interest counts as an edit (`editedAt`).',
    access: 'user',
    operation: 'update_offering',
    params: UuidId,
    body: OfferingChanges,
    bodyAs: 'p_changes',
    answers: { 200: Offering },
    outcome: 'The offering after the change.',
  },
  'DELETE /economy/market/offerings/:id': {
    summary: 'Delete an offering',
    description:
      'Deletes the offering for everyone and permanently. 409 while an order for it is held, accepted, delivered ' +
      'or disputed. Orders keep their reviews and a copy of the offering.',
    access: 'user',
    operation: 'delete_offering',
    params: UuidId,
    answers: { 204: null },
    outcome: 'The offering is deleted.',
  },
  'GET /economy/market/offerings/:id/reviews': {
    summary: 'List the reviews of an offering, newest first',
    description:
      'Leaves out reviews by people whom you cannot see. Only its author sees a review that staff removed; it has `removedAt`. A page scans at most 400 rows, so it may be shorter than `limit` and still have a next page.',
    access: 'user',
    id: 'listOfferingReviews',
    operation: 'list_reviews',
    params: UuidId,
    page: true,
    answers: { 200: ReviewPage },
    outcome: 'A page of reviews with their stars.',
  },
})

const step =
  '409 `order_state` if the order is in another state, if the step was already done, or if it is too late for the step; 403 if it is a step of the other party; 404 if it is not your order. The other party gets an `order.updated` notification, which names nobody and is therefore sent even with a block between you.'

const orders = routes('market', {
  'POST /economy/market/offerings/:id/orders': {
    summary: 'Order an offering',
    description:
      'Reduces the stock by one and holds the price until the order ends. If the seller does not answer within 72 hours, the order expires and all mana goes back. Your own offering is 400. With a block between you and the seller the answer is 404, but an order that already exists continues. Limit: 300 orders and steps of orders per person and hour, unless the operator sets another one (429 `writes_exceeded`).',
    access: 'user',
    operation: 'place_order',
    params: UuidId,
    body: NewOrder,
    answers: { 201: PlacedOrder },
    outcome: 'The order, whose price is held, and your balance after it.',
  },
  'GET /economy/market/orders': {
    summary: 'List your orders, newest first',
    description:
      'Lists the orders that you placed and received. `role` selects one of the two, and `state` the orders in that state. A page scans at most 400 rows, so it may be shorter than `limit` and still have a next page.',
    access: 'user',
    fresh: 'money',
    operation: 'list_orders',
    never: ['order_role'],
    query: OrdersQuery,
    page: true,
    answers: { 200: OrderPage },
    outcome: 'A page of your orders.',
  },
  'GET /economy/market/orders/:id': {
    summary: 'Get one of your orders',
    description: 'Only its buyer and its seller can read it, even with a block between the two.',
    access: 'user',
    fresh: 'money',
    operation: 'get_order',
    params: UuidId,
    answers: { 200: Order },
    outcome: 'The order with its steps.',
  },
  'POST /economy/market/orders/:id/accept': {
    summary: 'Accept an order, as its seller',
    description: `The order must be held. \`deadlineAt\` becomes now plus the days of delivery. ${step}`,
    access: 'user',
    operation: 'accept_order',
    params: UuidId,
    idempotent: true,
    answers: { 200: Order },
    outcome: 'The accepted order with its date of delivery.',
  },
  'POST /economy/market/orders/:id/decline': {
    summary: 'Decline an order, as its seller',
    description: `The order must be held. All the mana goes back to the buyer, and the item goes back into stock. ${step}`,
    access: 'user',
    operation: 'decline_order',
    params: UuidId,
    idempotent: true,
    answers: { 200: Order },
    outcome: 'The declined order; the buyer has the mana back.',
  },
  'POST /economy/market/orders/:id/deliver': {
    summary: 'Deliver an order, as its seller',
    description: `The order must be accepted; its deadline may have passed. An asset must be yours and committed. ${step}`,
    access: 'user',
    operation: 'deliver_order',
    params: UuidId,
    body: Delivery,
    idempotent: true,
    answers: { 200: Order },
    outcome: 'The delivered order, which the buyer can now confirm.',
  },
  'POST /economy/market/orders/:id/complete': {
    summary: 'Confirm that you received an order',
    description: `The order must be delivered. The seller gets the mana. After 7 days the order completes by itself. ${step}`,
    access: 'user',
    operation: 'complete_order',
    params: UuidId,
    idempotent: true,
    answers: { 200: Order },
    outcome: 'The completed order; the seller is paid.',
  },
  'POST /economy/market/orders/:id/cancel': {
    summary: 'Cancel an order',
    description: `The buyer can cancel a held order, the seller an accepted one, and the buyer an accepted one after \`deadlineAt\`. All the mana goes back to the buyer, and the item goes back into stock. ${step}`,
    access: 'user',
    operation: 'cancel_order',
    params: UuidId,
    idempotent: true,
    answers: { 200: Order },
    outcome: 'The cancelled order; the buyer has the mana back.',
  },
  'POST /economy/market/orders/:id/dispute': {
    summary: 'Dispute an order, as its buyer',
    description: `The order must be accepted or delivered. The mana stays held until an admin divides it. ${step}`,
    access: 'user',
    operation: 'dispute_order',
    params: UuidId,
    body: Dispute,
    idempotent: true,
    answers: { 200: Order },
    outcome: 'The disputed order, which waits for staff.',
  },
  'POST /economy/market/orders/:id/review': {
    summary: 'Review an order, as its buyer',
    description: 'The order must be completed, and can be reviewed once. Nobody is notified.',
    access: 'user',
    operation: 'review_order',
    params: UuidId,
    body: NewReview,
    answers: { 201: Review },
    outcome: 'Your review.',
  },
})

/** What the feature offers, for the API's description. */
export const about = 'The market: offerings, orders and reviews.'

const table: Table = { feature: 'market', rows: { ...offerings.rows, ...orders.rows } }
export default table
