-- When the audience of a post changes, its reposts get the same audience, so that the feed finds them: 500 reposts at
-- once, the others soon after.

create function private.sync_repost_audience_batch(p_job jsonb, p_after uuid default null) returns json
language plpgsql volatile security definer   -- changes other people's reposts
set search_path = ''
as $$
declare
  v_ids uuid[];
begin
  -- either this batch waits for an edit of the audience, or the edit waits for this batch, so that it never writes an
  -- old audience
  perform from app.posts where id = (p_job ->> 'postId')::uuid for key share;
  v_ids := array(
    select r.id from app.posts r
    where r.quoted_post_id = (p_job ->> 'postId')::uuid and r.format = 'repost' and r.deleted_at is null
      and r.id > coalesce(p_after, '00000000-0000-0000-0000-000000000000')
    order by r.id limit 500 for no key update);
  update app.posts r set original_author_id = o.closer_id
  from app.posts o
  where r.id = any (v_ids) and o.id = r.quoted_post_id and r.original_author_id is distinct from o.closer_id;
  return json_build_object('changed', cardinality(v_ids), 'next', v_ids[500]);
end $$;
comment on function private.sync_repost_audience_batch is
  'For the worker alone: copies the audience of a post {postId} to its next 500 reposts after p_after, so that the '
  'feed finds them. Returns {changed, next}; next is null at the end.';

call private.make_batch_queue('moved-reposts', 'private.sync_repost_audience_batch');

create function private.sync_repost_audience() returns trigger
language plpgsql security definer   -- changes other people's reposts
set search_path = ''
as $$
declare
  v_ids uuid[];
begin
  -- skip locked reposts, because a ban or an erasure that has locked one may be waiting for this post
  v_ids := array(select r.id from app.posts r
                 where r.quoted_post_id = new.id and r.format = 'repost' and r.deleted_at is null
                 order by r.id limit 500 for no key update skip locked);
  update app.posts set original_author_id = new.closer_id where id = any (v_ids);
  if cardinality(v_ids) = 500 or exists (
       select from app.posts r
       where r.quoted_post_id = new.id and r.format = 'repost' and r.deleted_at is null
         and r.original_author_id is distinct from new.closer_id) then
    perform private.enqueue('moved-reposts', json_build_object('postId', new.id));
  end if;
  return null;
end $$;
comment on function private.sync_repost_audience is
  'Trigger: when a post is opened to everyone or restricted to circles, updates the audience for which the feed '
  'finds its reposts: 500 reposts at once, the others soon after. The visibility of a repost does not depend on '
  'this.';
call private.force_index_scans('private.sync_repost_audience');
create trigger _140_sync_repost_audience after update of visibility on app.posts
  for each row when (new.format <> 'repost' and new.closer_id is distinct from old.closer_id)
  execute function private.sync_repost_audience();
