-- People who look for friends, chose three of the interests of viewer 2, and wrote a post. They can be found by name.
insert into app.users (id, username, first_name, last_name, country, city, created_at)
select bench.numbered('a', n), 's' || lpad(n::text, 7, '0'), 'Seeker', n::text, 'PT', 'Porto', now() - interval '1 year' + n * interval '1 second'
from generate_series(:from, :to) n;
insert into app.usernames (hash, username, user_id)
select private.username_hash('s' || lpad(n::text, 7, '0')), 's' || lpad(n::text, 7, '0'), bench.numbered('a', n) from generate_series(:from, :to) n;
insert into app.audience (viewer_id, author_id, level) select bench.numbered('a', n), bench.numbered('a', n), 3 from generate_series(:from, :to) n;
insert into private.name_trigrams (trigram, joined_at, user_id)
select distinct t, now() - interval '1 year' + n * interval '1 second', bench.numbered('a', n)
from generate_series(:from, :to) n, unnest(extensions.show_trgm('seeker ' || n || ' s' || lpad(n::text, 7, '0'))) t;
insert into app.connection_intents (user_id, intent, created_at)
select bench.numbered('a', n), 'friends', now() - interval '1 year' + n * interval '1 second' from generate_series(:from, :to) n;
insert into app.user_interests (user_id, interest_id, depth, expertise)
select bench.numbered('a', n), (select array_agg(id order by slug) from app.interests)[(1 + (n * 7 + i) % 40)::integer], 3, 1
from generate_series(:from, :to) n, generate_series(1, 3) i;
insert into app.user_interests (user_id, interest_id, depth, expertise)
select bench.person(2), i.id, 3, 1 from (select id from app.interests order by slug limit 40) i on conflict do nothing;
insert into private.intent_interests (intent, interest_id, placed_at, user_id)
select 'friends', c.interest_id, i.created_at, i.user_id
from app.connection_intents i join app.user_interests c on c.user_id = i.user_id
where i.user_id between bench.numbered('a', :from) and bench.numbered('a', :to);
insert into app.posts (id, author_id, body, visibility, published_at, created_at)
select bench.numbered('a', n), bench.numbered('a', n), 'What I read', 'public', now() - interval '1 day' + n * interval '1 millisecond', now()
from generate_series(:from, :to) n;
insert into app.post_counters (post_id) select bench.numbered('a', n) from generate_series(:from, :to) n;
