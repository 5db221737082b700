-- The data that the bench uses: 10,000 people, and viewers with 0, 50 and 5000 relations. The other data are in data/,
-- one file for each feature. Only the files that a chosen case names are loaded (case.ts). Everything is written
-- without triggers and foreign keys (session_replication_role), and so includes the rows that triggers would write.
-- The id of a person or post is made from its number, so that load scripts can compute it.

create schema bench;
create function bench.person(p_n bigint) returns uuid language sql immutable
as $$ select ('10000000-0000-4000-8000-' || lpad(to_hex(p_n), 12, '0'))::uuid $$;
create function bench.post(p_n bigint) returns uuid language sql immutable
as $$ select ('20000000-0000-4000-8000-' || lpad(to_hex(p_n), 12, '0'))::uuid $$;
create function bench.numbered(p_kind text, p_n bigint) returns uuid language sql immutable
as $$ select (p_kind || '0000000-0000-4000-8000-' || lpad(to_hex(p_n), 12, '0'))::uuid $$;
create function bench.claims(p_n bigint) returns text language sql immutable
as $$ select '{"sub":"' || bench.person(p_n) || '","email":"p@example.org","role":"user","iat":1,"exp":9999999999}' $$;
grant usage on schema bench to authenticated;
grant execute on all functions in schema bench to authenticated;

insert into app.users (id, username, first_name, last_name, country, city)
select bench.person(n), 'p' || lpad(n::text, 6, '0'), 'Person', n::text, 'PT', 'Lisbon' from generate_series(1, 10000) n;
insert into app.usernames (hash, username, user_id) select private.username_hash(username), username, id from app.users on conflict do nothing;
insert into app.accounts (user_id, email) select bench.person(n), 'p' || n || '@example.org' from generate_series(1, 10000) n;
insert into app.personas (user_id, name, is_default) select bench.person(n), 'Main', true from generate_series(1, 10000) n;
insert into app.mana_accounts (id, kind) select bench.person(n), 'wallet' from generate_series(1, 10000) n;
insert into app.mana_transactions (id, kind) select bench.person(n), 'starter' from generate_series(1, 10000) n;
insert into app.mana_entries (transaction_id, account_id, seq, amount, balance_after)
select bench.person(n), a.id, nextval('app.mana_entries_seq'), a.amount, nullif(a.amount, -1000000)
from generate_series(1, 10000) n, lateral (values (private.mint(), -1000000), (bench.person(n), 1000000)) a (id, amount);
insert into app.wallets (user_id, balance, lifetime_earned) select bench.person(n), 1000000, 1000000 from generate_series(1, 10000) n;

-- The members of the circles: person 1 is in no circle, person 2 in 50, person 3 in 5000, and the others in 20 each
insert into app.circles (id, owner_id, kind, name) select bench.person(n), bench.person(n), 'general', 'Circle' from generate_series(1, 10000) n;
insert into app.circle_members (circle_id, owner_id, member_id, bond_level, made_at)
select bench.person(o), bench.person(o), bench.person(m), case when o % 5 = 0 then 'inner-circle' else 'acquaintance' end, now()
from (select 2 as m, 100 + i as o from generate_series(1, 50) i
      union all select 3, 100 + i from generate_series(1, 5000) i
      union all select 9, 100 + i from generate_series(1, 50) i
      union all select m, 1 + (m * 7919 + i * 104729) % 10000 from generate_series(4, 10000) m, generate_series(1, 20) i) x
where o <> m
on conflict do nothing;
insert into app.audience (viewer_id, author_id, level) select viewer_id, author_id, level from private.audience_rebuilt
on conflict do nothing;

insert into app.follows (follower_id, following_id, created_at)
select bench.person(n), bench.person(7), now() - n * interval '1 minute' from generate_series(1, 10000) n where n <> 7;
insert into app.follows (follower_id, following_id)
select bench.person(m), bench.person(100 + i)
from (values (2, 50), (3, 5000), (9, 50)) v (m, many), lateral generate_series(1, v.many) i;
