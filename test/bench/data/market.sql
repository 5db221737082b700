-- Offerings, each with a finished order.
insert into app.contents (id, kind, author_id, title, created_at)
select bench.numbered('8', n), 'offering', bench.person(9001 + n % 1000), 'A page of notes', now() - n * interval '1 second'
from generate_series(:from, :to) n;
insert into app.offerings (id, description, price_mana, delivery_days)
select bench.numbered('8', n), 'On what you read.', 1, 1 from generate_series(:from, :to) n;
insert into private.content_places (content_id, sort, at, author_id, required_level)
select c.id, s.sort, to_timestamp(s.value), c.author_id, c.required_level
from generate_series(:from, :to) n join app.contents c on c.id = bench.numbered('8', n)
cross join (values ('price', 1), ('rating', 0)) s (sort, value);
insert into app.orders (offering_id, buyer_id, seller_id, title, description, price_mana, delivery_days, took_stock, state, created_at)
select bench.numbered('8', n), bench.person(1 + n % 9000), bench.person(9001 + n % 1000), 'A page of notes', 'On what you read.',
       1, 1, false, 'completed', now() - n * interval '1 second'
from generate_series(:from, :to) n;
