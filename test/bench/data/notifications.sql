-- The inbox of a person with 100,000 notifications, who read all but the last 5000
insert into app.notifications (id, user_id, kind, group_key, target_type, target_id, payload, created_at, updated_at, read_at)
select bench.post(n), bench.person(4), 'post.replied', 'post.replied:' || bench.post(n), 'post', bench.post(n),
       json_build_object('postId', bench.post(n), 'replyId', bench.post(n)), t.at, t.at, case when n > 5000 then t.at end
from generate_series(1::bigint, 100000) n, lateral (select now() - n * interval '1 minute') t (at);
insert into app.notification_actors (notification_id, actor_id, created_at)
select bench.post(n), bench.person(100 + n % 9000), now() - n * interval '1 minute' from generate_series(1::bigint, 100000) n;
