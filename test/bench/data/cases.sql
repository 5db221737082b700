-- Open cases about posts, of every priority. Nobody reported them, so that only the queue grows.
insert into app.cases (id, target_type, target_id, category, priority, source, opened_at)
select bench.numbered('d', n), 'post', bench.post(n), 'spam', 1 + n % 4, 'rule', now() - interval '1 year' + n * interval '1 second'
from generate_series(:from, :to) n;
