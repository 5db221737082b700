-- A centroid is what a person likes, as one vector: the mean of the latest posts to which they gave a heart, a spark
-- or a bookmark. The vector is stored, and recomputed after the person adds or removes one of these, at most once a
-- minute. The fewer posts it covers, the sooner it is recomputed. docs/decisions.md, Embeddings.

create table private.centroids (
  person_id    uuid primary key references app.users on delete cascade,
  model        text,
  vector       real[],
  signature    bit varying,
  posts        smallint not null default 0,
  refreshed_at timestamptz,
  due_at       timestamptz,
  check (num_nulls(model, vector, signature) in (0, 3))
) with (toast_tuple_target = 128);
alter table private.centroids
  alter column vector set storage external, alter column signature set storage plain,
  alter column model set storage plain;
create index centroids_due_at_idx on private.centroids (due_at) where due_at is not null;
comment on table private.centroids is
  'The mean of the vectors of the posts that each person reacted to or bookmarked last. The vector is null if none of '
  'these posts has one.';
comment on column private.centroids.posts is 'The number of posts that the mean covers, at most 50.';
comment on column private.centroids.refreshed_at is 'When the mean was last computed; null if never.';
comment on column private.centroids.due_at is 'When the mean must be recomputed; null while nothing has changed.';

create function private.refresh_centroids() returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_model     text := private.embedding_model();
  v_person    uuid;
  v_refreshed integer := 0;
  v_posts     uuid[];
  v_mean      real[];
  v_of        integer;
  v_early     boolean;
begin
  if v_model is null then
    return 0;
  end if;
  for v_person in
    select person_id from private.centroids where due_at <= now() order by due_at limit 20 for update skip locked
  loop
    v_posts := array(
      select m.post_id
      from ((select post_id, created_at from app.reactions where user_id = v_person
             order by created_at desc limit 100)
            union all
            (select post_id, created_at from app.bookmarks where user_id = v_person
             order by created_at desc limit 100)) m
      group by m.post_id order by max(m.created_at) desc, m.post_id limit 50);
    select array_agg(s.mean order by s.place), coalesce(max(s.posts), 0) into v_mean, v_of
    from (select u.place, avg(u.x)::real as mean, count(*) as posts
          from private.post_embeddings e cross join lateral unnest(e.vector) with ordinality as u (x, place)
          where e.post_id = any (v_posts) and e.model = v_model
          group by u.place) s;
    -- a post that got a reaction right after it was published may not have a vector yet
    v_early := private.find_unembedded(array(select p.id from app.posts p
                                             where p.id = any (v_posts)
                                               and p.published_at > now() - interval '10 minutes')) <> '{}';
    update private.centroids
    set model = case when v_mean is not null then v_model end, vector = v_mean,
        signature = private.signature(v_mean), posts = v_of, refreshed_at = now(),
        due_at = case when v_early then now() + interval '1 minute' end
    where person_id = v_person;
    v_refreshed := v_refreshed + 1;
  end loop;
  return v_refreshed;
end $$;
comment on function private.refresh_centroids is
  'Recomputes the next 20 centroids that are due, each from up to 50 posts, and returns their number.';
call private.force_index_scans('private.refresh_centroids');

create function private.job_refresh_centroids() returns integer
language plpgsql volatile security definer   -- the worker has no access to Kith's tables
set search_path = ''
as $$
begin
  return private.refresh_centroids();
end $$;
comment on function private.job_refresh_centroids is
  'Job: recomputes the centroids of people who added or removed hearts, sparks or bookmarks, 20 at a time. May run '
  'twice: a recomputed centroid is no longer due. The worker repeats it until none are due.';
insert into private.jobs (name, cron, expires, repeats) values ('refresh-centroids', '* * * * *', 60, true);

create function private.refresh_next_centroids(p_job jsonb, p_after uuid default null) returns json
language plpgsql volatile security definer   -- the worker has no access to Kith's tables
set search_path = ''
as $$
declare
  v_refreshed integer := private.refresh_centroids();
begin
  return json_build_object('changed', v_refreshed,
                           'next', case when v_refreshed = 20 then '00000000-0000-0000-0000-000000000000'::uuid end);
end $$;
comment on function private.refresh_next_centroids is
  'For the worker alone: does the same as private.job_refresh_centroids, for people who should not wait a minute.';
call private.make_batch_queue('centroids', 'private.refresh_next_centroids');

create function private.note_engagement(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_now boolean;
begin
  with due as (
    insert into private.centroids as c (person_id, due_at)
    select u.id, now()
    from (select distinct e.user_id as id from unnest(p_effects) e
          where e.user_id = (e.payload ->> 'userId')::uuid) p
    join app.users u on u.id = p.id and u.erased_at is null
    order by u.id
    -- wait longer for more posts, because a recomputation is expensive and one more post moves a mean of n by only 1/n
    on conflict (person_id) do update
      set due_at = greatest(now() + c.posts * interval '12 seconds', c.refreshed_at + interval '1 minute')
      where c.due_at is null
    returning due_at
  )
  select bool_or(due_at <= now()) into v_now from due;
  if v_now and private.embedding_model() is not null then
    perform private.enqueue('centroids', '{}');
  end if;
end $$;
comment on function private.note_engagement is
  'Listener: schedules a person''s centroid after they add or remove a heart, a spark or a bookmark. A first '
  'centroid is due at once. Otherwise, the more posts the centroid covers, the later it is due (after ten minutes '
  'for 50), so that one recomputation covers several reactions. It is never due within a minute of the last '
  'recomputation.';
insert into private.event_listeners (event, listener, position, timing) values
  ('posts.reaction.added', 'private.note_engagement', 800, 'soon'),
  ('posts.reaction.removed', 'private.note_engagement', 800, 'soon'),
  ('posts.bookmark.added', 'private.note_engagement', 800, 'soon'),
  ('posts.bookmark.removed', 'private.note_engagement', 800, 'soon');

create function private.job_embed_missing() returns integer
language plpgsql volatile security definer   -- the worker has no access to Kith's tables
set search_path = ''
as $$
declare
  v_model   text := private.embedding_model();
  v_walk    private.embedding_walk;
  v_waiting integer := (select count(*) from (select from pgboss.job
                                              where name = 'embeddings' and state < 'completed' limit 16) j);
  v_ids     uuid[];
  v_changed integer;
begin
  select * into v_walk from private.embedding_walk where finished_at is null for update skip locked;
  if not found or v_model is null or v_waiting = 16 then
    return 0;
  end if;
  v_ids := array(select id from app.posts where id > v_walk.after order by id limit 500);
  if v_ids <> '{}' then
    perform private.enqueue_embeddings(v_ids);
    update private.embedding_walk set after = v_ids[cardinality(v_ids)];
    return cardinality(v_ids);
  end if;
  if v_waiting > 0 then
    return 0;
  end if;
  if v_walk.walked_at is null then
    update private.embedding_walk set walked_at = now() returning walked_at into v_walk.walked_at;
  end if;
  update private.centroids set due_at = now()
  where person_id in (select person_id from private.centroids
                      where due_at is null and (refreshed_at < v_walk.walked_at) is not false
                      limit 500 for update skip locked);
  get diagnostics v_changed = row_count;
  if v_changed = 0 then
    update private.embedding_walk set finished_at = now();
  end if;
  return v_changed;
end $$;
comment on function private.job_embed_missing is
  'Job: queues posts that have no vector of the current model, for example because the model changed or there was '
  'none. It checks 500 posts at a time, while fewer than 16 jobs are waiting. After the last post it makes all older '
  'centroids due. May run twice: it skips posts that already have such a vector. The worker repeats it until nothing '
  'remains or the queue is full.';
insert into private.jobs (name, cron, expires, repeats) values ('embed-missing', '* * * * *', 60, true);

create function private.has_centroid() returns boolean
language plpgsql stable security definer   -- callers may not read centroids
set search_path = ''
as $$
begin
  return exists (select from private.centroids c
                 where c.person_id = app.uid() and c.model = private.embedding_model());
end $$;
comment on function private.has_centroid is 'Returns whether the caller has a centroid of the current model.';

create function private.nearness(p_ids uuid[]) returns table (id uuid, nearness integer)
language plpgsql stable security definer   -- returns only numbers, for posts that the caller can see
set search_path = ''
as $$
declare
  v_model     text := private.embedding_model();
  v_signature bit varying;
  v_bits      integer;
begin
  select c.signature, length(c.signature) into v_signature, v_bits
  from private.centroids c where c.person_id = app.uid() and c.model = v_model;
  return query
    select n.id, n.nearness
    from (select p.id,
                 (cos(pi() * bit_count(e.signature # v_signature) / v_bits) * 10000)::integer as nearness
          from unnest(p_ids) as w (id)
          join app.posts p on p.id = w.id
          join private.post_embeddings e
            on e.post_id = case p.format when 'repost' then p.quoted_post_id else p.id end
          where e.model = v_model) n
    where n.nearness > 0;
end $$;
comment on function private.nearness is
  'The similarity of posts to the caller''s centroid, from 0 to 10000. It is the cosine of the vectors, estimated '
  'from their signs. Returns only posts with a value above 0, and none if the caller has no centroid or there is no '
  'model.';
call private.force_index_scans('private.nearness');
