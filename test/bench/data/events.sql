-- Upcoming events, which begin one minute after the other.
insert into app.contents (id, kind, author_id, title, created_at)
select bench.numbered('6', n), 'event', bench.person(1 + (n * 7919) % 10000), 'Reading circle ' || n, now() - n * interval '1 second'
from generate_series(:from, :to) n;
insert into app.events (id, body, starts_at, ends_at, timezone, location_kind, url)
select bench.numbered('6', n), 'What we read, and what we make of it.', now() + interval '30 days' + n * interval '1 minute',
       now() + interval '31 days' + n * interval '1 minute', 'UTC', 'online', 'https://example.org'
from generate_series(:from, :to) n;
insert into app.event_places (event_id) select bench.numbered('6', n) from generate_series(:from, :to) n;
