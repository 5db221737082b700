-- The world that is measured: 10,000 people, :posts posts, and viewers with 0, 50 and 5000 relations.
-- Written past triggers and foreign keys (session_replication_role), and therefore with everything that they would keep.
-- A person's or post's id is made of its number, so that load scripts can name them.
set session_replication_role = replica;

create schema bench;
create function bench.person(p_n bigint) returns uuid language sql immutable
as $$ select ('10000000-0000-4000-8000-' || lpad(to_hex(p_n), 12, '0'))::uuid $$;
create function bench.post(p_n bigint) returns uuid language sql immutable
as $$ select ('20000000-0000-4000-8000-' || lpad(to_hex(p_n), 12, '0'))::uuid $$;
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

-- who is in whose circles: person 1 in nobody's, 2 in 50, 3 in 5000, the others in 20 each
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

-- the author and the visibility of a post come from its number, in such a way that every author writes all kinds
insert into app.posts (id, author_id, body, visibility, depth, interest_id, published_at, created_at, trending_boost)
select bench.post(n), bench.person(1 + (n * 7919) % 10000), 'Post ' || n || repeat(' some words about what was read', 8),
       case when n % 10 = 0 then 'public'   -- what the load reads and writes to
            when (n + n / 10000) % 9 = 7 then 'circles' when (n + n / 10000) % 9 = 8 then 'inner' else 'public' end, n % 6,
       (select array_agg(id order by slug) from app.interests)[(1 + n % 500)::integer],
       now() - (:posts - n) * interval '20 seconds', now() - (:posts - n) * interval '20 seconds',
       case when n > :posts - 50000 then 3 else 0 end
from generate_series(1::bigint, :posts) n;
insert into app.feed_blocks (starts_at)
select published_at from (select published_at, row_number() over (order by published_at) as n from app.posts) p where n % 50 = 0;
insert into app.user_interests (user_id, interest_id, depth, expertise)
select bench.person(m), i.id, 3, 1 from (values (1), (2), (3), (9)) v (m), lateral (select id from app.interests order by slug limit 40) i;
insert into app.post_interests (post_id, interest_id, is_primary, published_at) select id, interest_id, true, published_at from app.posts;
insert into app.reactions (post_id, user_id, kind)
select bench.post(n), bench.person(1 + (n * 31 + i * 977) % 10000), 'heart' from generate_series(:posts - 50000::bigint, :posts) n, generate_series(1, 4) i
on conflict do nothing;
insert into app.replies (post_id, author_id, body)
select bench.post(n), bench.person(1 + (n * 37 + i * 991) % 10000), 'A reply of some length' from generate_series(:posts - 50000::bigint, :posts) n, generate_series(1, 3) i;
insert into app.post_counters (post_id, reactions, replies)
select p.id, coalesce(r.n, 0), coalesce(a.n, 0) from app.posts p
left join (select post_id, count(*) n from app.reactions group by 1) r on r.post_id = p.id
left join (select post_id, count(*) n from app.replies group by 1) a on a.post_id = p.id;
insert into app.post_emotions (post_id, emotion, payments, mana)
select bench.post(n), e, 3, 9 from generate_series(:posts - 50000::bigint, :posts) n, unnest(array['joy', 'insight']) e;

-- the inbox of somebody who has had 100,000 notifications, and read all but the last 5000
insert into app.notifications (id, user_id, kind, group_key, target_type, target_id, payload, created_at, updated_at, read_at)
select bench.post(n), bench.person(4), 'post.replied', 'post.replied:' || bench.post(n), 'post', bench.post(n),
       json_build_object('postId', bench.post(n), 'replyId', bench.post(n)), t.at, t.at, case when n > 5000 then t.at end
from generate_series(1::bigint, 100000) n, lateral (select now() - n * interval '1 minute') t (at);
insert into app.notification_actors (notification_id, actor_id, created_at)
select bench.post(n), bench.person(100 + n % 9000), now() - n * interval '1 minute' from generate_series(1::bigint, 100000) n;

-- videos, of which the latest has 5000 comments
insert into app.contents (id, kind, author_id, interest_id, created_at)
select bench.post(n), 'video', bench.person(1 + (n * 7919) % 10000),
       (select array_agg(id order by slug) from app.interests)[(1 + n % 500)::integer], now() - n * interval '1 minute'
from generate_series(1::bigint, 20000) n;
insert into app.videos (id, media_url, caption, duration_sec)
select bench.post(n), 'https://media.example.org/' || n, 'What I saw', 30 from generate_series(1::bigint, 20000) n;
insert into app.video_likes (video_id, user_id)
select bench.post(n), bench.person(1 + (n * 31 + i * 977) % 10000) from generate_series(1::bigint, 20000) n, generate_series(1, 4) i;
insert into app.video_comments (video_id, author_id, body, created_at)
select bench.post(1), bench.person(1 + n), 'A comment of some length', now() - n * interval '1 second'
from generate_series(1::bigint, 5000) n;
insert into app.video_counters (video_id, likes, comments)
select bench.post(n), 4, case when n = 1 then 5000 else 0 end from generate_series(1::bigint, 20000) n;

-- of a model that nobody has; the feed looks at signatures, which are drawn by lot. Person 9 is as 2, and has a centroid
insert into private.post_embeddings (post_id, model, digest, vector, signature)
select id, 'bench', md5(private.embedded_text(title, body)), array_fill(0::real, array[512]),
       ('x' || encode(sha512(id::text::bytea), 'hex'))::bit(512)
from app.posts;
insert into private.centroids (person_id, model, vector, signature, refreshed_at)
select bench.person(9), 'bench', array_fill(0::real, array[512]), ('x' || encode(sha512('9'), 'hex'))::bit(512), now();
-- the vectors of posts that are written come from no worker here
delete from private.event_listeners where listener in ('private.embed_published', 'private.embed_edited');

set session_replication_role = origin;
vacuum analyze;
