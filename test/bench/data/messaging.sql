-- Conversations by number. Numbers 0 and 5001 to 5050 are groups of the people 3001 to 3050. These people read in
-- group 0 and send to the other groups, and no two of them send to the same group at once. Numbers 1 to 1000 are
-- direct conversations of person 10 with the people 1001 to 2000, each with five messages by the other person. Numbers
-- 1001 to 5000 are direct conversations, each of two other people.
create function bench.talk(p_n bigint) returns uuid language sql immutable
as $$ select ('40000000-0000-4000-8000-' || lpad(to_hex(p_n), 12, '0'))::uuid $$;
grant execute on function bench.talk to authenticated;

insert into app.conversations (id, kind, title)
select bench.talk(n), 'group', 'Readers' from (select 0 as n union all select generate_series(5001, 5050)) g;
insert into app.conversations (id, kind, one_id, other_id)
select bench.talk(n), 'direct', case when n <= 1000 then bench.person(10) else bench.person(n) end,
       bench.person(case when n <= 1000 then 1000 + n else 4000 + n end)
from generate_series(1, 5000) n;
insert into app.conversation_members (conversation_id, user_id, joined_at, latest_at)
select c.id, p.id, now() - interval '60 days', now() - interval '1 day' + (row_number() over ()) * interval '1 second'
from (select id, array[one_id, other_id] as people from app.conversations where kind = 'direct'
      union all select id, array(select bench.person(n) from generate_series(3001, 3050) n)
      from app.conversations where kind = 'group') c,
     unnest(c.people) p (id);
insert into app.conversation_spans (conversation_id, user_id, first_number)
select conversation_id, user_id, 1 from app.conversation_members;
insert into app.messages (conversation_id, number, sender_id, body, created_at)
select bench.talk(n), i, bench.person(1000 + n), 'What I read today, and what I make of it.', now() - interval '50 days'
from generate_series(1, 1000) n, generate_series(1, 5) i;
update app.conversations set last_number = 5, last_message_at = now() - interval '50 days'
where id in (select conversation_id from app.messages);
