-- Groups 1 to 250, whose members data/memberships.sql writes, and 1001 to 1300, whose only member is person 9501.
-- Guilds 2001 to 2003 with 500, 1000 and 5000 members, founded by person 1, each with 40 open proposals.
create function bench.space(p_n bigint) returns uuid language sql immutable
as $$ select ('60000000-0000-4000-8000-' || lpad(to_hex(p_n), 12, '0'))::uuid $$;
create function bench.proposal(p_n bigint) returns uuid language sql immutable
as $$ select ('70000000-0000-4000-8000-' || lpad(to_hex(p_n), 12, '0'))::uuid $$;
grant execute on function bench.space, bench.proposal to authenticated;

insert into app.spaces (id, kind, slug, name, join_policy, member_count, created_at)
select bench.space(n), s.kind, s.kind || '-' || n, 'Readers of history', case s.kind when 'group' then 'open' else 'request' end,
       s.members, now() - interval '90 days'
from (select n, 'group' as kind, case when n > 1000 then 1 else 0 end as members
      from (select generate_series(1, 250) n union all select generate_series(1001, 1300)) g
      union all values (2001, 'guild', 500), (2002, 'guild', 1000), (2003, 'guild', 5000)) s;
insert into app.guilds (space_id) select id from app.spaces where kind = 'guild';
insert into app.guild_charters (guild_id, version, charter) select space_id, 1, 'We read.' from app.guilds;
insert into app.mana_accounts (id, kind, balance) select space_id, 'treasury', 1000000000000 from app.guilds;
insert into app.space_members (space_id, user_id, role, made_at, created_at)
select s.id, bench.person(n), case n when 1 then 'owner' when 9501 then 'owner' else 'member' end, s.created_at,
       s.created_at + n * interval '1 minute'
from app.spaces s, lateral generate_series(case s.kind when 'guild' then 1 else 9501 end,
                                           case s.kind when 'guild' then s.member_count else 9500 + s.member_count end) n;
insert into app.guild_proposals (id, guild_id, proposer_id, kind, title, body, payload, created_at, closes_at, due_at)
select bench.proposal((g - 2000) * 100 + i), bench.space(g), bench.person(2), 'general', 'What we read next', 'A book.', '{}',
       now() - interval '1 hour', now() + interval '20 days', now() + interval '20 days'
from generate_series(2001, 2003) g, generate_series(1, 40) i;
insert into app.contribution_scores (user_id, score) select bench.person(n), n from generate_series(1, 10000) n on conflict do nothing;
