-- Votes on proposals of the guild with 1000 members, which were decided long ago and have 1000 votes each.
insert into app.guild_proposals (id, guild_id, proposer_id, kind, title, body, payload, status, yes, no, abstain, eligible,
                                 created_at, closes_at, decided_at)
select bench.proposal(1000 + n), bench.space(2002), bench.person(2), 'general', 'What we read next', 'A book.', '{}', 'failed',
       0, 1000, 0, 1000, now() - interval '80 days' + n * interval '1 hour', now() - interval '10 days', now() - interval '10 days'
from generate_series((:from - 1) / 1000, (:to - 1) / 1000) n
on conflict do nothing;
insert into app.guild_votes (proposal_id, user_id, value)
select bench.proposal(1000 + (n - 1) / 1000), bench.person(1 + (n - 1) % 1000), 'no' from generate_series(:from, :to) n;
