// Wallets and payments, as staff sees them. The rules: sql/admin/50_economy.sql.
import { routes } from '../../lib/routes.ts'
import { UuidId } from '../../lib/schemas.ts'
import { EconomyQuery, NewReversal, Reversal, StaffPaymentPage, StaffWalletPage } from './schemas.ts'

export default routes('admin', {
  'GET /admin/economy/wallets': {
    summary: 'Everybody’s wallets, the newest first',
    description:
      'All, or with `userId` the one of a person; `q` is its id, which is the person’s, or letters in the names, `from` and `to` are when it was made. A page looks at 400 and may be short. A wallet is as it was last settled: staff who look at it regenerate nothing, so it may have more for its person. Those of banned and erased people are among them; an erased person is found by the list alone.',
    access: 'moderator',
    operation: 'list_wallets',
    query: EconomyQuery,
    page: true,
    answers: { 200: StaffWalletPage },
  },
  'GET /admin/economy/payments': {
    summary: 'All payments and their reversals, newest first',
    description:
      'All, or with `userId` those that a person sent or had a share of. `q` is an id, or letters in the usernames of sender and receiver or the emotion. A page looks at 400 and may be short. Each is whole: every share, and the post or reply also when it is gone.',
    access: 'moderator',
    operation: 'list_all_payments',
    query: EconomyQuery,
    page: true,
    answers: { 200: StaffPaymentPage },
  },
  'POST /admin/economy/payments/:id/reverse': {
    summary: 'Take a payment back',
    description:
      'Once: a payment that was taken back, or is what took one back, is 409. Nothing of it is changed: a new row repeats it with `reversed: true` and `reversalOf`, in the history of all whom it concerns, each who was paid gives back their share, and the sender gets all of it again. What was earned and spent in a lifetime goes down with it, both payments drop out of the breakdown of the post, and the contribution that it was is taken back. Where those who were paid no longer have the mana it is 409; with `force: true` they give back what they have, and the rest (`minted`) is made anew. The reason is for the audit log alone, and is required. Leaves an audit entry.',
    access: 'admin',
    operation: 'reverse_payment',
    params: UuidId,
    body: NewReversal,
    idempotent: true,
    answers: { 201: Reversal },
  },
})
