-- Videos, the latest of which has 5000 comments
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
