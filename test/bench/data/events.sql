-- Upcoming events, which begin one minute after another.
insert into app.contents (id, kind, author_id, title, created_at)
select bench.numbered('6', n), 'event', bench.person(1 + (n * 7919) % 10000), 'Reading circle ' || n, now() - n * interval '1 second'
from generate_series(:from, :to) n;
insert into app.events (id, body, starts_at, ends_at, timezone, location_kind, url)
select bench.numbered('6', n), 'What we read, and what we make of it.', now() + interval '30 days' + n * interval '1 minute',
       now() + interval '31 days' + n * interval '1 minute', 'UTC', 'online', 'https://example.org'
from generate_series(:from, :to) n;
insert into app.event_seats (event_id, host_id)
select bench.numbered('6', n), bench.person(1 + (n * 7919) % 10000) from generate_series(:from, :to) n;
insert into private.content_places (content_id, sort, at, author_id, required_level)
select e.id, s.sort, e.starts_at, c.author_id, c.required_level
from generate_series(:from, :to) n join app.events e on e.id = bench.numbered('6', n) join app.contents c on c.id = e.id
cross join unnest(array['start', 'upcoming']) s (sort);
