// Orders of the market for staff. The rules: sql/admin/55_market.sql.
import { routes } from '../../lib/routes.ts'
import { UuidId } from '../../lib/schemas.ts'
import { OrderResolution, StaffOrder, StaffOrderPage, StaffOrdersQuery } from './schemas.ts'

export default routes('admin', {
  'GET /admin/market/orders': {
    summary: 'List all orders, newest first',
    description:
      'Lists orders in every state, or with `state` in one: `state=disputed` lists the orders that wait for a decision. Includes orders of banned and erased people. A page scans at most 400 rows, so it may be shorter than `limit` and still have a next page.',
    access: 'moderator',
    operation: 'list_all_orders',
    query: StaffOrdersQuery,
    page: true,
    answers: { 200: StaffOrderPage },
    outcome: 'A page of orders with their steps.',
  },
  'POST /admin/market/orders/:id/resolve': {
    summary: 'Decide a disputed order',
    description:
      'You can do this only once. `refundMana` of the held mana goes back to the buyer and the rest to the ' +
      'seller, even if they are banned or erased. 409 if the order is not disputed. The buyer and the seller get ' +
      'an `order.updated` notification. The note is required and is only stored in the audit log. Writes an audit ' +
      'entry.',
    access: 'admin',
    operation: 'resolve_order',
    params: UuidId,
    body: OrderResolution,
    idempotent: true,
    answers: { 200: StaffOrder },
    outcome: 'The order with its decision, and what the buyer gets back.',
  },
})
