-- A person's feed leaves out posts that the person muted, and these posts cause the person no notifications.

create table app.post_mutes (
  post_id    uuid not null references app.posts on delete cascade,
  user_id    uuid not null references app.users on delete cascade,
  created_at timestamptz not null default now(),
  primary key (user_id, post_id)
);
create index post_mutes_post_id_idx on app.post_mutes (post_id);
comment on table app.post_mutes is
  'The posts that people muted. A person''s feed leaves out muted posts and their reposts, and these cause the '
  'person no notifications.';
-- no right to update, because people only make or lift mutes

insert into private.errors (code, status, text) values
  ('post_mutes_exhausted', 409, 'You can mute at most 5000 posts.');

insert into private.lock_kinds (kind, position) values ('post mutes', 515);

create function private.limit_post_mutes() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  -- see private.limit_mutes
  perform private.lock('post mutes', new.user_id::text);
  if (select count(*) from app.post_mutes where user_id = new.user_id and post_id <> new.post_id) >= 5000 then
    perform private.raise_error('post_mutes_exhausted');
  end if;
  return new;
end $$;
comment on function private.limit_post_mutes is 'Trigger: rejects a mute if the person has muted 5000 posts.';
create trigger limit_post_mutes before insert on app.post_mutes
  for each row execute function private.limit_post_mutes();

create function private.muted_posts() returns uuid[]
language plpgsql stable   -- runs as the invoker: policies show only the caller's own mutes
set search_path = ''
as $$
begin
  return array(select post_id from app.post_mutes where user_id = app.uid());
end $$;
comment on function private.muted_posts is
  'The posts that the caller has muted. A query that filters by them calls this once.';

create function api.mute_post(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.require_published_post(p_id);
  insert into app.post_mutes (post_id, user_id)
  select p.id, private.require_caller() from app.posts p where p.id = p_id
  on conflict do nothing;
  return json_build_object('muted', true);
end $$;
comment on function api.mute_post is
  'Mutes a post: the caller''s feed leaves out the post and its reposts, and the post causes the caller no '
  'notifications. Repeating it changes nothing. Fails: post_mutes_exhausted.';

create function api.unmute_post(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  delete from app.post_mutes where post_id = p_id and user_id = private.require_caller();
  if not found then
    perform private.require_post(p_id);
  end if;
  return null;   -- null becomes a 204 response
end $$;
comment on function api.unmute_post is
  'Unmutes a post, even one that the caller can no longer see; repeating it changes nothing.';
