-- 4000 members in each group. Everybody is in at most a hundred groups.
insert into app.space_members (space_id, user_id, made_at, created_at)
select bench.space(1 + (n - 1) / 4000), bench.person(1 + (n * 7) % 10000), now() - interval '90 days',
       now() - interval '80 days' + n * interval '1 second'
from generate_series(:from, :to) n;
update app.spaces s set member_count = m.count
from (select space_id, count(*) from app.space_members group by 1) m where m.space_id = s.id;
