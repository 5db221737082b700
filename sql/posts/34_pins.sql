-- Authors can pin up to three posts, which come first on their profiles. docs/decisions.md, Posts.

insert into private.errors (code, status, text) values
  ('pins_exhausted', 409, 'You can pin at most 3 posts. Unpin one first.');

insert into private.lock_kinds (kind, position) values ('pins', 515);

create function private.pin(p_post uuid) returns void
language plpgsql volatile security definer   -- callers may not write pinned_at
set search_path = ''
as $$
declare
  v_pinned integer;
  v_all    integer;
begin
  -- lock first and count in a later statement, so that each call sees the pins of earlier calls
  perform private.lock('pins', private.require_caller()::text);
  -- don't count reposts that their author cannot see, because the author does not find them on the profile to unpin
  -- them
  select count(*) filter (where private.post_visible_to(id, author_id)), count(*) into v_pinned, v_all
  from app.posts
  where author_id = app.uid() and pinned_at is not null and deleted_at is null and id <> p_post;
  if v_pinned >= 3 or v_all >= 50 then
    perform private.raise_error('pins_exhausted');
  end if;
  update app.posts set pinned_at = now() where id = p_post and author_id = app.uid() and pinned_at is null;
end $$;
comment on function private.pin is
  'Pins the caller''s post, which must be locked already. A deleted post is never pinned.';

create function private.unpin(p_post uuid) returns boolean
language plpgsql volatile security definer   -- callers may not write pinned_at
set search_path = ''
as $$
begin
  update app.posts set pinned_at = null
  where id = p_post and author_id = private.require_caller() and pinned_at is not null and deleted_at is null;
  return found;
end $$;
comment on function private.unpin is 'Unpins the caller''s post; returns false if it was not pinned.';

create function api.pin_post(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_post app.posts := private.lock_own_post(p_id);
begin
  if v_post.published_at is null then
    perform private.raise_error('post_not_out');
  end if;
  perform private.pin(p_id);
  return private.post_card(p_id);
end $$;
comment on function api.pin_post is
  'Pins the caller''s post to their profile. Repeating it changes nothing, not even its place. Returns the post.';

create function api.unpin_post(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  if not private.unpin(p_id) then
    perform private.lock_own_post(p_id);
  end if;
  return null;   -- null becomes a 204 response
end $$;
comment on function api.unpin_post is
  'Unpins the caller''s post, even a repost whose original they can no longer see; repeating it changes nothing.';
