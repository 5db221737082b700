-- :posts posts, the latest 50,000 of which have replies, reactions and payments. The author and the visibility of a
-- post follow from its number, so that every author writes all kinds
insert into app.posts (id, author_id, body, visibility, depth, interest_id, published_at, created_at, trending_boost)
select bench.post(n), bench.person(1 + (n * 7919) % 10000), 'Post ' || n || repeat(' some words about what was read', 8),
       case when n % 10 = 0 then 'public'   -- the posts that the load reads and writes to
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

-- No worker computes the vectors of the posts written here
delete from private.event_listeners where listener in ('private.embed_published', 'private.embed_edited');
