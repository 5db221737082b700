// Wallets and payments, as staff sees them. The rules: sql/admin/50_economy.sql.
import { routes } from '../../lib/routes.ts'
import { EconomyQuery, StaffPaymentPage, StaffWalletPage } from './schemas.ts'

export default routes('admin', {
  'GET /admin/economy/wallets': {
    summary: 'Everybody’s wallets, the newest first',
    description:
      'All, or with `userId` the one of a person. A wallet is as it was last settled: staff who look at it regenerate nothing, so it may have more for its person. Those of banned and erased people are among them; an erased person is found by the list alone.',
    access: 'moderator',
    operation: 'list_wallets',
    query: EconomyQuery,
    page: true,
    answers: { 200: StaffWalletPage },
  },
  'GET /admin/economy/payments': {
    summary: 'All payments and their reversals, newest first',
    description:
      'All, or with `userId` those that a person sent or had a share of. Each is whole: every share, and the post or reply also when it is gone.',
    access: 'moderator',
    operation: 'list_all_payments',
    query: EconomyQuery,
    page: true,
    answers: { 200: StaffPaymentPage },
  },
})
