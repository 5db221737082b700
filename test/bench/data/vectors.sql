-- of a model that nobody has; the feed looks at signatures, which are drawn by lot. Person 9 is as 2, and has a centroid,
-- as have all after them
insert into private.post_embeddings (post_id, model, digest, vector, signature)
select id, 'bench', md5(private.embedded_text(title, body)), array_fill(0::real, array[512]),
       ('x' || encode(sha512(id::text::bytea), 'hex'))::bit(512)
from app.posts;
insert into private.centroids (person_id, model, vector, signature, posts, refreshed_at)
select bench.person(n), 'bench', array_fill(0::real, array[512]), ('x' || encode(sha512(n::text::bytea), 'hex'))::bit(512),
       50, now()
from generate_series(9, 10000) n;
