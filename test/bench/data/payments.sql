-- Payments of one mana from each person to the one 41 numbers later, with their transactions and splits.
insert into app.mana_transactions (id, kind, created_at)
select bench.numbered('c', n), 'payment', now() - interval '1 year' + n * interval '1 second'
from generate_series(:from, :to) n;
insert into app.mana_entries (transaction_id, account_id, seq, amount, balance_after)
select bench.numbered('c', n), a.id, nextval('app.mana_entries_seq'), a.amount, 1000000
from generate_series(:from, :to) n,
     lateral (values (bench.person(1 + n % 10000), -1), (bench.person(1 + (n + 41) % 10000), 1)) a (id, amount);
insert into app.payments (id, sender_id, receiver_id, emotion, tier, amount, created_at)
select bench.numbered('c', n), bench.person(1 + n % 10000), bench.person(1 + (n + 41) % 10000), 'joy', 0, 1,
       now() - interval '1 year' + n * interval '1 second'
from generate_series(:from, :to) n;
insert into app.payment_splits (payment_id, receiver_id, sender_id, amount, created_at)
select id, receiver_id, sender_id, 1, created_at from app.payments
where id between bench.numbered('c', :from) and bench.numbered('c', :to);
