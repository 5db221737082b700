-- Messages: every second one is in the group, and the others are spread over 4000 direct conversations.
insert into app.messages (conversation_id, number, sender_id, body, created_at)
select c.id, c.last_number + row_number() over (partition by c.id order by m.n),
       case when m.n % 2 = 0 then bench.person(3001 + (m.n / 2) % 50) else c.one_id end,
       'What I read today, and what I make of it.', now() - interval '40 days' + m.n * interval '1 second'
from (select n, bench.talk(case when n % 2 = 0 then 0 else 1001 + (n / 2) % 4000 end) as talk
      from generate_series(:from, :to) n) m
join app.conversations c on c.id = m.talk;
update app.conversations c set last_number = m.number, last_message_at = now()
from (select conversation_id, max(number) as number from app.messages group by 1) m where m.conversation_id = c.id;
