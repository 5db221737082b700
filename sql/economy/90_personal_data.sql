-- The personal data of the economy. An erasure keeps all of it, because the ledger needs the ids and numbers.

insert into private.personal_data (relation, person_column, section) values
  ('app.wallets', 'user_id', 'wallet'),
  ('app.mana_entries', 'account_id', 'manaEntries'),
  ('app.mana_holds', 'holder_id', 'manaHolds'),
  ('app.post_boosts', 'user_id', 'boosts'),
  ('app.payments', 'sender_id', 'paymentsSent'),
  ('app.payments', 'receiver_id', 'paymentsReceived'),
  ('app.payment_splits', 'sender_id', 'paymentSharesGiven'),
  ('app.payment_splits', 'receiver_id', 'paymentSharesReceived');
insert into private.personal_data (relation, person_column, section, within, whose) values
  ('app.mana_transactions', 'id', 'manaTransactions', '{manaEntries}', 't.id = p.transaction_id');
insert into private.personal_data (relation, person_column, reason) values
  ('app.mana_accounts', 'id', 'The wallet itself, which has a section.');
