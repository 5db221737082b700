-- The channel feed:public: the id of every new public post, and nothing else.
-- Specification: Events › Delivery. Decisions: Visibility.

create function private.broadcast_post() returns trigger
language plpgsql security definer   -- sends to others than the caller
set search_path = ''
as $$
begin
  perform private.broadcast('feed:public', 'post', jsonb_build_object('id', p.id))
  from app.posts p
  where p.id = (new.payload ->> 'postId')::uuid and p.required_level = 0 and p.space_id is null and p.closer_id is null
    and not exists (select from app.posts q where q.id = p.quoted_post_id and p.format = 'repost' and q.space_id is not null);
  return null;
end $$;
comment on function private.broadcast_post is
  'Trigger of the outbox: a public post is announced when it is published, which for a scheduled one is later than its insert.';
create trigger broadcast_post after insert on app.domain_events
  for each row when (new.name = 'posts.post.published')
  execute function private.broadcast_post();
