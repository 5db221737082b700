-- Arguments in the debate. Up to a hundred of them have the same number of votes.
insert into app.debate_arguments (id, debate_id, author_id, side, body, depth, votes, created_at)
select (lpad(to_hex(n), 8, '0') || '-0000-7000-8000-000000000000')::uuid, bench.numbered('7', 0),
       bench.person(1 + (n * 7919) % 10000), case when n % 2 = 0 then 'for' else 'against' end,
       'I read on both, and this is what I make of the one and of the other.', 1, (n * 7) % 1000, now()
from generate_series(:from, :to) n;
update app.debates set argument_count = :to where id = bench.numbered('7', 0);
