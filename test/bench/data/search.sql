-- Posts and audio to be found, in order of time. All of them contain one word, half of them a second word, one in a
-- hundred a third, and ten in total a fourth. Each also has a word of its own, which resembles no name. One in twenty
-- is audio, the others are posts.
create or replace function bench.found(p_n bigint, out type text, out words text) language sql immutable
as $$
  select case when p_n % 20 = 7 then 'audio' else 'post' end,
         concat_ws(' ', 'common', case when p_n % 2 = 0 then 'even' else 'odd' end, 'some' || p_n % 100,
                   case when p_n <= 10000 and p_n % 1000 = 0 then 'rare' end, 'own' || translate(p_n::text, '0123456789', 'ghjkmpqvxz'))
$$;
insert into app.posts (id, author_id, body, published_at, created_at)
select bench.numbered('b', n), bench.person(1 + (n * 7919) % 10000), f.words, now() - interval '1 year' + n * interval '1 second', now()
from generate_series(:from, :to) n, bench.found(n) f where f.type = 'post';
insert into app.post_counters (post_id)
select bench.numbered('b', n) from generate_series(:from, :to) n, bench.found(n) f where f.type = 'post';
insert into app.contents (id, kind, author_id, created_at)
select bench.numbered('b', n), 'audio', bench.person(1 + (n * 7919) % 10000), now() - interval '1 year' + n * interval '1 second'
from generate_series(:from, :to) n, bench.found(n) f where f.type = 'audio';
insert into app.audio (id, media_url, caption)
select bench.numbered('b', n), 'https://media.example.org/' || n, f.words
from generate_series(:from, :to) n, bench.found(n) f where f.type = 'audio';
insert into private.search_documents (type, id, author_id, scope, words)
select f.type, bench.numbered('b', n), bench.person(1 + (n * 7919) % 10000), f.type, setweight(to_tsvector('simple', f.words), 'D')
from generate_series(:from, :to) n, bench.found(n) f order by n;
insert into private.search_words (scope, word, number)
select d.scope, w, d.number
from private.search_documents d, unnest(tsvector_to_array(d.words)) w
where d.type <> 'person' and d.id between bench.numbered('b', :from) and bench.numbered('b', :to);
