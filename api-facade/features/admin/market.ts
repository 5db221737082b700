// Orders of the market, as staff sees them. The rules: sql/admin/55_market.sql.
import { routes } from '../../lib/routes.ts'
import { UuidId } from '../../lib/schemas.ts'
import { OrderResolution, StaffOrder, StaffOrderPage, StaffOrdersQuery } from './schemas.ts'

export default routes('admin', {
  'GET /admin/market/orders': {
    summary: 'All orders, newest first',
    description:
      'In every state or one: with `state=disputed` those that wait for a decision. Those of banned and erased people are among them. A page looks at 400 and may be short.',
    access: 'moderator',
    operation: 'list_all_orders',
    query: StaffOrdersQuery,
    page: true,
    answers: { 200: StaffOrderPage },
  },
  'POST /admin/market/orders/:id/resolve': {
    summary: 'Decide a disputed order',
    description:
      'Once: `refundMana` of what is held goes back to the buyer, and the rest is the seller’s, also when they are banned or erased. In any other state it is 409. Both get an `order.updated` notification. The note is for the audit log alone, and is required. Leaves an audit entry.',
    access: 'admin',
    operation: 'resolve_order',
    params: UuidId,
    body: OrderResolution,
    idempotent: true,
    answers: { 200: StaffOrder },
  },
})
