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
    summary: 'Offerings, newest first',
    description: `${listing} \`sort=price\` is the cheapest first, \`sort=rating\` the best rated, without reviews last; a cursor of these is a place. Paused and sold out ones are among them. \`minPrice\` and \`maxPrice\` are included.`,
    access: 'user',
    operation: 'list_offerings',
    never: ['offering_sort'],
    query: OfferingQuery,
    page: true,
    answers: { 200: OfferingPage },
  },
  'POST /economy/market/offerings': {
    summary: 'Offer something for mana',
    description: 'Without `stock` it is never sold out.',
    access: 'user',
    operation: 'create_offering',
    body: NewOffering,
    answers: { 201: Offering },
  },
  'GET /economy/market/offerings/:id': {
    summary: 'An offering',
    description:
      'One that staff removed its seller alone still sees, with `removedAt`. The rating is of all reviews but removed ones; stars of people who are banned or erased stay in it.',
    access: 'user',
    operation: 'get_offering',
    params: UuidId,
    answers: { 200: Offering },
  },
  'PATCH /economy/market/offerings/:id': {
    summary: 'Change my offering',
    description:
      'What is not named stays. Orders stay as they were placed. `status: "paused"` takes no orders until it is `active` again; `sold_out` follows from a `stock` of 0. Only another title, description or interest is an edit (`editedAt`).',
    access: 'user',
    operation: 'update_offering',
    params: UuidId,
    body: OfferingChanges,
    bodyAs: 'p_changes',
    answers: { 200: Offering },
  },
  'DELETE /economy/market/offerings/:id': {
    summary: 'Delete my offering',
    description:
      'For everyone, for good. While an order of it is held, accepted, delivered or disputed it is 409. Orders keep what was offered, and what was said of it.',
    access: 'user',
    operation: 'delete_offering',
    params: UuidId,
    answers: { 204: null },
  },
  'GET /economy/market/offerings/:id/reviews': {
    summary: 'The reviews of an offering, newest first',
    description:
      'Without those of people whom I do not see. One that staff removed its author alone still sees, with `removedAt`. A page looks at 400 and may be short.',
    access: 'user',
    operation: 'list_reviews',
    params: UuidId,
    page: true,
    answers: { 200: ReviewPage },
  },
})

const step =
  'An order in another state is 409 `order_state`, also one in which this was done already, or whose time is over though nobody has ended it yet; a step of the other party is 403, and an order of others 404. The other party gets an `order.updated` notification, which names nobody and so comes across a block too.'

const orders = routes('market', {
  'POST /economy/market/offerings/:id/orders': {
    summary: 'Order an offering',
    description:
      'Takes one of the stock and holds the price until the order ends. Without an answer of the seller within 72 hours it expires and all of it goes back. One’s own offering is 400; one across a block is 404, while an order that runs already goes on. Orders and steps of them: at most 300 an hour and person, unless an operator sets another number: 429 `writes_exceeded`.',
    access: 'user',
    operation: 'place_order',
    params: UuidId,
    body: NewOrder,
    idempotent: true,
    answers: { 201: PlacedOrder },
  },
  'GET /economy/market/orders': {
    summary: 'My orders, newest first',
    description:
      'Those that I placed and those that I got, or with `role` one of the two, in every state or one. A page looks at 400 and may be short.',
    access: 'user',
    operation: 'list_orders',
    never: ['order_role'],
    query: OrdersQuery,
    page: true,
    answers: { 200: OrderPage },
  },
  'GET /economy/market/orders/:id': {
    summary: 'An order of mine',
    description: 'For its buyer and its seller, also across a block.',
    access: 'user',
    operation: 'get_order',
    params: UuidId,
    answers: { 200: Order },
  },
  'POST /economy/market/orders/:id/accept': {
    summary: 'Take an order on, as its seller',
    description: `A held one; \`deadlineAt\` is so many days of delivery from now. ${step}`,
    access: 'user',
    operation: 'accept_order',
    params: UuidId,
    idempotent: true,
    answers: { 200: Order },
  },
  'POST /economy/market/orders/:id/decline': {
    summary: 'Decline an order, as its seller',
    description: `A held one. All of the mana goes back, and the piece into the stock. ${step}`,
    access: 'user',
    operation: 'decline_order',
    params: UuidId,
    idempotent: true,
    answers: { 200: Order },
  },
  'POST /economy/market/orders/:id/deliver': {
    summary: 'Deliver an order, as its seller',
    description: `An accepted one, also past its deadline. An asset is a committed one of mine. ${step}`,
    access: 'user',
    operation: 'deliver_order',
    params: UuidId,
    body: Delivery,
    idempotent: true,
    answers: { 200: Order },
  },
  'POST /economy/market/orders/:id/complete': {
    summary: 'Say that I have what I ordered',
    description: `A delivered one; after 7 days it completes by itself. The mana is the seller’s. ${step}`,
    access: 'user',
    operation: 'complete_order',
    params: UuidId,
    idempotent: true,
    answers: { 200: Order },
  },
  'POST /economy/market/orders/:id/cancel': {
    summary: 'Cancel an order',
    description: `A held one its buyer, an accepted one its seller, and its buyer only past \`deadlineAt\`. All of the mana goes back, and the piece into the stock. ${step}`,
    access: 'user',
    operation: 'cancel_order',
    params: UuidId,
    idempotent: true,
    answers: { 200: Order },
  },
  'POST /economy/market/orders/:id/dispute': {
    summary: 'Dispute an order, as its buyer',
    description: `An accepted or a delivered one: the mana stays held until an admin divides it. ${step}`,
    access: 'user',
    operation: 'dispute_order',
    params: UuidId,
    body: Dispute,
    idempotent: true,
    answers: { 200: Order },
  },
  'POST /economy/market/orders/:id/review': {
    summary: 'Review an order, as its buyer',
    description: 'A completed one, once. Nobody is told of it.',
    access: 'user',
    operation: 'review_order',
    params: UuidId,
    body: NewReview,
    answers: { 201: Review },
  },
})

const table: Table = { feature: 'market', rows: { ...offerings.rows, ...orders.rows } }
export default table
