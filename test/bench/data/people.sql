-- People beyond the 10,000: each joined a second after the one before.
insert into app.users (id, username, first_name, last_name, country, city, created_at)
select bench.person(10000 + n), 'q' || lpad(n::text, 7, '0'), 'Reader', n::text, 'PT', 'Porto', now() - interval '1 year' + n * interval '1 second'
from generate_series(:from, :to) n;
insert into app.usernames (hash, username, user_id)
select private.username_hash('q' || lpad(n::text, 7, '0')), 'q' || lpad(n::text, 7, '0'), bench.person(10000 + n) from generate_series(:from, :to) n;
insert into app.accounts (user_id, email) select bench.person(10000 + n), 'q' || n || '@example.org' from generate_series(:from, :to) n;
insert into app.audience (viewer_id, author_id, level) select bench.person(10000 + n), bench.person(10000 + n), 3 from generate_series(:from, :to) n;
