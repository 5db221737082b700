-- What posts are about, as vectors that a language model makes of their words. The worker makes them, from the queue
-- `embeddings` (api-facade/worker/embeddings.ts), and says which model that is; without one all of this rests.
-- docs/decisions.md, Embeddings.

create table private.post_embeddings (
  post_id   uuid primary key references app.posts on delete cascade,
  model     text not null,
  digest    text not null,
  vector    real[] not null,
  signature bit varying not null,
  check (cardinality(vector) = length(signature))
) with (toast_tuple_target = 128);   -- vectors stand apart: a feed looks at signatures alone
alter table private.post_embeddings
  alter column vector set storage external, alter column signature set storage plain,
  alter column model set storage plain, alter column digest set storage plain;
comment on table private.post_embeddings is
  'What posts are about, by one model each. Those of two models are never compared. A repost has its original''s.';
comment on column private.post_embeddings.digest is 'The hash of the words that it was made of.';
comment on column private.post_embeddings.signature is
  'The signs of the vector''s numbers: how many bits two of them share says nearly what the angle between the vectors '
  'does, at a thousandth of the cost.';

create table private.embedding_walk (
  after       uuid not null default '00000000-0000-0000-0000-000000000000',
  walked_at   timestamptz,
  finished_at timestamptz
);
create unique index embedding_walk_one_row_idx on private.embedding_walk ((true));
comment on table private.embedding_walk is
  'One row: how far private.job_embed_missing has come since the model changed, by ids of posts.';
comment on column private.embedding_walk.walked_at is 'When every post had been looked at; null until then.';
comment on column private.embedding_walk.finished_at is
  'When what people like had been made anew after that too; null until then.';
insert into private.embedding_walk default values;

select pgboss.create_queue('embeddings', '{"policy": "standard"}');

create function private.embedding_model() returns text
language plpgsql stable security definer   -- under a policy it would be planned anew whenever the role changes
set search_path = ''
as $$
begin
  return (select nullif(value, '') from app.settings where key = 'embedding_model');
end $$;
comment on function private.embedding_model is 'The model that makes vectors now; null where none does.';

create function private.use_embedding_model(p_model text) returns void
language plpgsql volatile security definer   -- the worker may touch no table of ours
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
  'For the worker alone, when it starts: which model makes vectors from now on, null for none. A change has all posts '
  'looked at again.';

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
  'The words of which a post''s vector is made: title and body up to 400 characters, since a model''s work grows '
  'with the square of their number. Null where there are too few to be about anything.';

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
    order by w.place);   -- not by id: the walk would be along all posts
end $$;
comment on function private.find_unembedded is
  'Which of these posts are out and have no vector of today''s model and of today''s words, or have one and no words '
  'any more, in the same order.';
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
  'Has vectors made of those of these posts that need one, 32 a job.';

create function private.embed_published(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.enqueue_embeddings(array(select distinct (e.payload ->> 'postId')::uuid from unnest(p_effects) e));
end $$;
comment on function private.embed_published is 'Listener: has vectors made of posts that go out.';

create function private.embed_edited(p_event jsonb) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.enqueue_embeddings(array[(p_event ->> 'postId')::uuid]);
end $$;
comment on function private.embed_edited is 'Listener: has a vector made anew when a post''s words have changed.';
insert into private.event_listeners (event, listener, position, timing) values
  ('posts.post.published', 'private.embed_published', 800, 'soon'),
  ('posts.post.edited', 'private.embed_edited', 800, 'at once');

create function private.take_unembedded(p_model text, p_ids uuid[]) returns json
language plpgsql volatile security definer   -- the worker may touch no table of ours
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
  'For the worker alone: [{id, text, digest}] of those of these posts that need a vector. Null when another model '
  'makes them by now.';

create function private.signature(p_vector real[]) returns bit varying
language plpgsql immutable
set search_path = ''
as $$
begin
  return (select string_agg(case when u.x > 0 then '1' else '0' end, '' order by u.place)::bit varying
          from unnest(p_vector) with ordinality as u (x, place));
end $$;
comment on function private.signature is 'The signs of a vector''s numbers, a bit each.';

create function private.store_embeddings(p_model text, p_made json) returns integer
language plpgsql volatile security definer   -- the worker may touch no table of ours
set search_path = ''
as $$
declare
  v_stored integer;
begin
  if p_model is distinct from private.embedding_model() then
    return 0;
  end if;
  -- whoever deletes or changes one of them meanwhile comes before this, or after it
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
  'For the worker alone: keeps vectors [{id, digest, vector}], and answers how many. One of a post that is deleted, '
  'or has other words by now, is dropped.';

create function private.forget_embedding() returns trigger
language plpgsql security definer   -- nobody may touch them
set search_path = ''
as $$
begin
  delete from private.post_embeddings where post_id = new.id;
  return null;
end $$;
comment on function private.forget_embedding is 'Trigger: the vector of a deleted post goes with it.';
create trigger _190_forget_embedding after update of deleted_at on app.posts
  for each row when (new.deleted_at is not null) execute function private.forget_embedding();
