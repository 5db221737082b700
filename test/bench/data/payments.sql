<<<<<<< HEAD
-- Payments of one mana from each person to the one 41 further on, with their movements.
insert into app.mana_transactions (id, kind, created_at)
select p.id, 'payment', p.at
from generate_series(:from, :to) n, lateral (select bench.post(n) as id, now() - interval '30 days' + n * interval '1 second' as at) p;
insert into app.mana_entries (transaction_id, account_id, seq, amount, balance_after)
select bench.post(n), a.id, nextval('app.mana_entries_seq'), a.amount, 1000000
from generate_series(:from, :to) n,
     lateral (values (bench.person(1 + n % 10000), -1), (bench.person(1 + (n + 41) % 10000), 1)) a (id, amount);
insert into app.payments (id, sender_id, receiver_id, emotion, tier, amount, created_at)
select bench.post(n), bench.person(1 + n % 10000), bench.person(1 + (n + 41) % 10000), 'joy', 0, 1,
       now() - interval '30 days' + n * interval '1 second'
from generate_series(:from, :to) n;
=======
-- Payments of a heart's price from one to another.
insert into app.mana_transactions (id, kind, created_at)
select bench.numbered('c', n), 'payment', now() - interval '1 year' + n * interval '1 second' from generate_series(:from, :to) n;
insert into app.payments (id, sender_id, receiver_id, emotion, tier, amount, created_at)
select bench.numbered('c', n), bench.person(1 + n % 10000), bench.person(1 + (n * 7919 + 1) % 10000), 'joy', 0, 1,
       now() - interval '1 year' + n * interval '1 second'
from generate_series(:from, :to) n;
insert into app.payment_splits (payment_id, receiver_id, sender_id, amount, created_at)
select id, receiver_id, sender_id, 1, created_at from app.payments
where id between bench.numbered('c', :from) and bench.numbered('c', :to);
>>>>>>> e91183f (test(bench): events, debates, orders, courses, discovery, search and lists of staff, as data grow)
