// Wallets and payments for staff. The rules: sql/admin/50_economy.sql.
import { routes } from '../../lib/routes.ts'
import { UuidId } from '../../lib/schemas.ts'
import { Books, EconomyQuery, NewReversal, Reversal, StaffPaymentPage, StaffWalletPage } from './schemas.ts'

export default routes('admin', {
  'GET /admin/economy/wallets': {
    summary: 'List wallets, newest first',
    description:
      'Lists all wallets, or with `userId` only that of one person. `q` is the id of the wallet, which is also the id of the person, or a part of the person’s names. `from` and `to` refer to the creation of the wallet. A page scans at most 400 rows, so it may be shorter than `limit` and still have a next page. The balance is that of the last settlement. Mana that regenerated since then is not included, so the person may have more. Includes wallets of banned and erased people; an erased person is only found in the full list.',
    access: 'moderator',
    operation: 'list_wallets',
    query: EconomyQuery,
    page: true,
    answers: { 200: StaffWalletPage },
    outcome: 'A page of wallets with their owners.',
  },
  'GET /admin/economy/payments': {
    summary: 'List all payments and their reversals, newest first',
    description:
      'Lists all payments, or with `userId` only those that this person sent or had a share of. `q` is an id, or a part of the usernames of sender and receiver or of the emotion. A page scans at most 400 rows, so it may be shorter than `limit` and still have a next page. A payment has every share, and the post or reply even if it was deleted.',
    access: 'moderator',
    operation: 'list_all_payments',
    query: EconomyQuery,
    page: true,
    answers: { 200: StaffPaymentPage },
    outcome: 'A page of payments with everyone’s shares.',
  },
  'GET /admin/economy/audit': {
    summary: 'Get the result of the latest audit of the books',
    description:
      'Two nightly jobs check every rule of the ledgers. The entries of each transaction add up to zero, and so do all accounts together. Each balance is the sum of its entries. Up to 100 violations of each rule are listed; any violation is a bug.',
    access: 'moderator',
    operation: 'get_books',
    answers: { 200: Books },
    outcome: 'What the audits found, and when.',
  },
  'POST /admin/economy/payments/:id/reverse': {
    summary: 'Reverse a payment',
    description:
      'You can do this only once: a reversed payment is 409, and so is a reversal. The payment itself does not ' +
      'change: a new row repeats it with `reversed: true` and `reversalOf`, in the histories of the sender and ' +
      'the recipients. Each recipient gives back their share, and the sender gets the whole amount. Lifetime ' +
      'earnings and spending are reduced, and the contribution that the payment earned is subtracted. Neither the ' +
      'payment nor its reversal counts in the breakdown of the post. 409 if recipients no longer have the mana. ' +
      'With `force: true` they give back what they have, and the rest (`minted`) is newly created. The reason is ' +
      'required and is only stored in the audit log. Writes an audit entry.',
    access: 'admin',
    operation: 'reverse_payment',
    params: UuidId,
    body: NewReversal,
    idempotent: true,
    answers: { 201: Reversal },
    outcome: 'The reversal, which is a separate payment, and the mana that had to be created for it.',
  },
})
