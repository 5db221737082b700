-- Embeddings: nobody can read them, and they are deleted with their posts.
begin;
select plan(26);
select test.people('alice', 'bob');

create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.waiting() returns bigint language sql security definer as $$
  select coalesce(sum(jsonb_array_length(data -> 'postIds')), 0) from pgboss.job where name = 'embeddings' $$;
grant execute on all functions in schema pg_temp to public;

-- Switched off, until a worker names its model
select test.act_as('alice');
insert into made select 'early', (api.create_post('Before there was a model') ->> 'id')::uuid;
select test.act_as('bob');
select api.react(pg_temp.id('early'), 'heart');
select test.act_as_owner();
select is(pg_temp.waiting(), 0::bigint, 'Without a model no post is queued');
select is((select count(*) from pgboss.job where name = 'centroids'), 0::bigint, 'Without a model no centroid is queued');
select is(private.job_embed_missing() + private.job_refresh_centroids(), 0, 'Without a model no job does anything');

select private.use_embedding_model('m');
select test.act_as('alice');
insert into made select 'one', (api.create_post('Something about gardens') ->> 'id')::uuid;
select test.settle();
select is(pg_temp.waiting(), 1::bigint, 'A published post is queued for its vector');

select test.act_as_owner();
select is(private.job_embed_missing(), 2, 'A new model queues all posts');
select is(private.take_unembedded('other', array[pg_temp.id('one')])::text, null, 'A worker with another model gets no texts');
select is(private.take_unembedded('m', array[pg_temp.id('one')]) #>> '{0,text}', 'Something about gardens', 'A worker with the current model gets the text');
select is(private.store_embeddings('other', '[]'), 0, 'Vectors of another model are not stored');
insert into private.post_embeddings (post_id, model, digest, vector, signature)
select id, 'm', md5(private.embedded_text(title, body)), '{1,-1,1,1}', '1011' from app.posts;
update private.centroids set due_at = now();
select is(private.job_refresh_centroids(), 1, 'The job computes Bob''s centroid');
select is((select vector from private.centroids where person_id = (select id from app.users where username = 'bob')), '{1,-1,1,1}'::real[],
  'The centroid is the mean of the vectors of the posts that he liked');
select is(private.signature('{0.5,-1,0,2}'::real[])::text, '1001', 'A signature has the signs of the vector');

select test.act_as('bob');
select is(api.list_feed() #>> '{items,0,why,0,factor}' is not null and api.list_feed()::text ~ '"semantic"', true, 'The feed names the factor "semantic"');
select throws_ok(q, '42501', null, 'Bob can''t ' || q)
from unnest(array['select from private.post_embeddings', 'select from private.centroids']) q;

select test.act_as('alice');
select is(pg_temp.waiting(), 3::bigint, 'Three posts have been queued by now');
select api.update_post(pg_temp.id('one'), '{"depth": 3}');
select is(pg_temp.waiting(), 3::bigint, 'An edit that doesn''t change the words queues nothing');
select api.update_post(pg_temp.id('one'), '{"body": "Something about cars"}');
select is(pg_temp.waiting(), 4::bigint, 'An edit of the words queues the post again');
select api.delete_post(pg_temp.id('early'));
select test.act_as_owner();
select is((select array_agg(post_id) from private.post_embeddings), array[pg_temp.id('one')], 'Deleting a post deletes its vector');

-- A post that is liked right after it is published has no vector yet
select test.act_as('alice');
insert into made select 'new', (api.create_post('Nobody knows yet what this is about') ->> 'id')::uuid;
select test.act_as('bob');
select api.react(pg_temp.id('new'), 'heart');
select test.act_as_owner();
select test.settle();
update private.centroids set due_at = now();
select is(private.job_refresh_centroids(), 1, 'The centroid is computed without the missing vector');
select is((select due_at from private.centroids), now() + interval '1 minute', 'The centroid is due again a minute later');

-- The more posts a centroid is made of, the longer it waits after a change
update private.centroids set posts = 50, due_at = null;
select test.act_as('bob');
select api.unreact(pg_temp.id('new'));
select test.act_as_owner();
select is((select due_at from private.centroids), now() + interval '10 minutes', 'A centroid of fifty posts is due ten minutes after a change');
update private.centroids set posts = 5;
select test.act_as('bob');
select api.react(pg_temp.id('one'), 'heart');
select test.act_as_owner();
select is((select due_at from private.centroids), now() + interval '10 minutes', 'Later changes don''t move the due time');
insert into private.post_embeddings (post_id, model, digest, vector, signature)
select id, 'm', md5(private.embedded_text(title, body)), '{1,-1,1,1}', '1011' from app.posts
  where id = pg_temp.id('one') on conflict do nothing;
update private.centroids set due_at = now();
select private.job_refresh_centroids();
select is((select posts from private.centroids), 1::smallint, 'A centroid counts only the posts that have vectors');
update private.centroids set due_at = null;
select test.act_as('bob');
select api.unreact(pg_temp.id('one'));
select test.act_as_owner();
select is((select due_at from private.centroids), now() + interval '1 minute', 'A centroid of one post is computed at most once a minute');

-- One post is found by its id, however many there are
insert into app.posts (author_id, body) select id, 'x' from app.users, generate_series(1, 200) where username = 'alice';
create function pg_temp.looked() returns bigint language sql as $$
  select sum(pg_stat_get_xact_tuples_returned(oid)) from pg_class
  where oid = 'app.posts'::regclass or oid in (select indexrelid from pg_index where indrelid = 'app.posts'::regclass) $$;
create temp table before as select pg_temp.looked() as looked;
select is(private.find_unembedded(array[pg_temp.id('new')]), array[pg_temp.id('new')], 'A post without a vector is found');
select cmp_ok(pg_temp.looked() - (select looked from before), '<', 10::bigint, 'Finding the post reads no other post');
select * from finish();
rollback;
