-- Actions of staff. Nothing is appended to the log, so the hashes are empty.
insert into app.audit_log (id, action, actor_id, target_type, target_id, created_at, hash)
select n, 'post.hidden', bench.person(1 + n % 10), 'post', bench.post(n)::text, now() - interval '1 year' + n * interval '1 second', ''
from generate_series(:from, :to) n;
insert into app.audit_details (audit_id, detail) select n, '{"reason": "It is an advertisement."}' from generate_series(:from, :to) n;
