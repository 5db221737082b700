-- Vectors that say what posts are about; a language model computes them from the words of the posts. The worker
-- computes them for the jobs in the queue `embeddings` (api-facade/worker/embeddings.ts), and stores the name of the
-- model. Without a model, none of this runs. docs/decisions.md, Embeddings.

create table private.post_embeddings (
  post_id   uuid primary key references app.posts on delete cascade,
  model     text not null,
  digest    text not null,
  vector    real[] not null,
  signature bit varying not null,
  check (cardinality(vector) = length(signature))
) with (toast_tuple_target = 128);   -- store vectors out of line, because a feed reads only signatures
alter table private.post_embeddings
  alter column vector set storage external, alter column signature set storage plain,
  alter column model set storage plain, alter column digest set storage plain;
comment on table private.post_embeddings is
  'The vector of each post, with the model that computed it. Vectors of two models are never compared. A repost '
  'uses the vector of its original.';
comment on column private.post_embeddings.digest is 'The hash of the words from which the vector was computed.';
comment on column private.post_embeddings.signature is
  'The signs of the vector''s numbers. The number of equal bits of two signatures estimates the angle between the '
  'vectors, at a thousandth of the cost.';

create table private.embedding_walk (
  after       uuid not null default '00000000-0000-0000-0000-000000000000',
  walked_at   timestamptz,
  finished_at timestamptz
);
create unique index embedding_walk_one_row_idx on private.embedding_walk ((true));
comment on table private.embedding_walk is
  'The progress of private.job_embed_missing since the model changed, in one row. The job checks posts in order of '
  'id.';
comment on column private.embedding_walk.walked_at is 'When the job had checked every post; null until then.';
comment on column private.embedding_walk.finished_at is
  'When, after walked_at, all centroids had been recomputed, too; null until then.';
insert into private.embedding_walk default values;

select pgboss.create_queue('embeddings', '{"policy": "standard"}');

create function private.embedding_model() returns text
language plpgsql stable security definer   -- with a policy, each change of role would cost a new plan
set search_path = ''
as $$
begin
  return (select nullif(value, '') from app.settings where key = 'embedding_model');
end $$;
comment on function private.embedding_model is 'The current model for vectors; null if there is none.';

create function private.use_embedding_model(p_model text) returns void
language plpgsql volatile security definer   -- the worker has no access to Kith's tables
set search_path = ''
as $$
begin
  insert into app.settings as s (key, value) values ('embedding_model', coalesce(p_model, ''))
  on conflict (key) do update set value = excluded.value where s.value <> excluded.value;
  if found then
    update private.embedding_walk set after = default, walked_at = null, finished_at = null;
  end if;
end $$;
comment on function private.use_embedding_model is
  'For the worker alone, when it starts: stores which model computes vectors from now on, null for none. If the '
  'model has changed, the worker then checks all posts again.';

create function private.embedded_text(p_title text, p_body text) returns text
language plpgsql immutable
set search_path = ''
as $$
declare
  v_text text := private.trimmed(left(concat_ws('. ', p_title, p_body), 400));
begin
  return case when length(v_text) >= 10 then v_text end;
end $$;
comment on function private.embedded_text is
  'The words from which a post''s vector is computed: title and body, up to 400 characters, because the work of a '
  'model grows with the square of the length. Null if there are fewer than 10 characters, which say too little '
  'about a topic.';

create function private.find_unembedded(p_ids uuid[]) returns uuid[]
language plpgsql stable
set search_path = ''
as $$
declare
  v_model text := private.embedding_model();
begin
  return array(
    select p.id
    from unnest(p_ids) with ordinality as w (id, place)
    join app.posts p on p.id = w.id
    left join private.post_embeddings e on e.post_id = p.id
    cross join lateral (select private.embedded_text(p.title, p.body) as words) t
    where v_model is not null and p.published_at is not null and p.deleted_at is null and p.format <> 'repost'
      and case when t.words is null then e.post_id is not null
               else (e.model = v_model and e.digest = md5(t.words)) is not true end
    order by w.place);   -- an order by id would make Postgres scan all posts
end $$;
comment on function private.find_unembedded is
  'Returns the published posts, in the same order, whose vector is missing, was computed by another model or from '
  'other words, or must be deleted because the post now has too few words.';
call private.force_index_scans('private.find_unembedded');

create function private.enqueue_embeddings(p_ids uuid[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.enqueue('embeddings', json_build_object('postIds', c.ids))
  from (select array_agg(u.id) as ids
        from unnest(private.find_unembedded(p_ids)) with ordinality as u (id, place)
        group by (u.place - 1) / 32) c;
end $$;
comment on function private.enqueue_embeddings is
  'Queues these posts for a new vector, if they need one, 32 per job.';

create function private.embed_published(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.enqueue_embeddings(array(select distinct (e.payload ->> 'postId')::uuid from unnest(p_effects) e));
end $$;
comment on function private.embed_published is 'Listener: queues published posts for a vector.';

create function private.embed_edited(p_event jsonb) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.enqueue_embeddings(array[(p_event ->> 'postId')::uuid]);
end $$;
comment on function private.embed_edited is 'Listener: queues a post for a new vector when its words have changed.';
insert into private.event_listeners (event, listener, position, timing) values
  ('posts.post.published', 'private.embed_published', 800, 'soon'),
  ('posts.post.imported', 'private.embed_published', 800, 'soon'),
  ('posts.post.edited', 'private.embed_edited', 800, 'at once');

create function private.take_unembedded(p_model text, p_ids uuid[]) returns json
language plpgsql volatile security definer   -- the worker has no access to Kith's tables
set search_path = ''
as $$
declare
  v_ids uuid[];
begin
  if p_model is distinct from private.embedding_model() then
    return null;
  end if;
  v_ids := private.find_unembedded(p_ids);
  delete from private.post_embeddings e using app.posts p
  where e.post_id = any (v_ids) and p.id = e.post_id and private.embedded_text(p.title, p.body) is null;
  return (
    select coalesce(json_agg(json_build_object('id', p.id, 'text', t.words, 'digest', md5(t.words)) order by p.id),
                    '[]')
    from app.posts p
    cross join lateral (select private.embedded_text(p.title, p.body) as words) t
    where p.id = any (v_ids) and t.words is not null);
end $$;
comment on function private.take_unembedded is
  'For the worker alone: [{id, text, digest}] of the posts that need a vector. Returns null if p_model is no longer '
  'the current model.';

create function private.signature(p_vector real[]) returns bit varying
language plpgsql immutable
set search_path = ''
as $$
begin
  return (select string_agg(case when u.x > 0 then '1' else '0' end, '' order by u.place)::bit varying
          from unnest(p_vector) with ordinality as u (x, place));
end $$;
comment on function private.signature is 'The signs of a vector''s numbers, one bit each.';

create function private.store_embeddings(p_model text, p_made json) returns integer
language plpgsql volatile security definer   -- the worker has no access to Kith's tables
set search_path = ''
as $$
declare
  v_stored integer;
begin
  if p_model is distinct from private.embedding_model() then
    return 0;
  end if;
  -- a concurrent deletion or edit of one of these posts commits before this lock or after this transaction
  perform from app.posts where id in (select (m ->> 'id')::uuid from json_array_elements(p_made) m)
  order by id for share;
  insert into private.post_embeddings as e (post_id, model, digest, vector, signature)
  select p.id, p_model, m.digest, m.vector, private.signature(m.vector)
  from json_to_recordset(p_made) as m (id uuid, digest text, vector real[])
  join app.posts p on p.id = m.id
  where p.deleted_at is null and md5(private.embedded_text(p.title, p.body)) = m.digest
  order by p.id
  on conflict (post_id) do update
    set model = excluded.model, digest = excluded.digest, vector = excluded.vector, signature = excluded.signature;
  get diagnostics v_stored = row_count;
  return v_stored;
end $$;
comment on function private.store_embeddings is
  'For the worker alone: stores vectors [{id, digest, vector}] and returns the number of stored vectors. It does '
  'not store the vector of a post that was deleted or whose words have changed meanwhile.';

create function private.forget_embedding() returns trigger
language plpgsql security definer   -- callers may not access vectors
set search_path = ''
as $$
begin
  delete from private.post_embeddings where post_id = new.id;
  return null;
end $$;
comment on function private.forget_embedding is 'Trigger: deletes the vector of a deleted post.';
create trigger _190_forget_embedding after update of deleted_at on app.posts
  for each row when (new.deleted_at is not null) execute function private.forget_embedding();
