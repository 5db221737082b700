-- Vectors of a model that no worker has. The feed compares signatures, which are random here. People from number 9 on
-- have a centroid. Except for the centroid, person 9 is like person 2.
insert into private.post_embeddings (post_id, model, digest, vector, signature)
select id, 'bench', md5(private.embedded_text(title, body)), array_fill(0::real, array[512]),
       ('x' || encode(sha512(id::text::bytea), 'hex'))::bit(512)
from app.posts;
insert into private.centroids (person_id, model, vector, signature, posts, refreshed_at)
select bench.person(n), 'bench', array_fill(0::real, array[512]), ('x' || encode(sha512(n::text::bytea), 'hex'))::bit(512),
       50, now()
from generate_series(9, 10000) n;
