-- Bans: what a banned person wrote disappears, and comes back when the ban ends.

create function private.lock_published() returns trigger
language plpgsql security definer   -- only triggers write counters
set search_path = ''
as $$
begin
  -- one erasure at a time: two people who erase themselves have rows that name each other
  if new.erased_at is not null then
    perform pg_advisory_xact_lock(hashtextextended('erasure', 0));
  end if;
  perform private.lock_counters(array(
    select p.id from app.posts p
    where p.author_id = new.id
      and ((old.banned_at is null) <> (new.banned_at is null)
        or p.deleted_at is null or p.title is not null or p.body <> '' or p.media <> '[]')
    union select p.quoted_post_id from app.posts p
    where p.author_id = new.id and p.format = 'repost' and p.deleted_at is null
    union select r.post_id from app.replies r
    where r.author_id = new.id and r.deleted_at is null and r.hidden_at is null));
  return null;
end $$;
comment on function private.lock_published is
  'Trigger: before a ban or an erasure changes anything, locks the counters of everything that it will count or '
  'change: the person''s posts, what they reposted and what they replied under (ARCHITECTURE.md, Locks). Anybody who '
  'reacts, counts views, moderates, bans or erases meanwhile waits without holding a lock that is needed here.';
-- its name makes it the first of the triggers that a ban or an erasure fires
create trigger _100_lock_published after update of banned_at, erased_at on app.users
  for each row when ((old.banned_at is null) <> (new.banned_at is null) or new.erased_at is not null)
  execute function private.lock_published();

create function private.mark_posts_of_banned() returns trigger
language plpgsql security definer   -- a ban changes rows of the banned person
set search_path = ''
as $$
begin
  update app.posts set author_banned = new.banned_at is not null where author_id = new.id;
  return null;
end $$;
comment on function private.mark_posts_of_banned is
  'Trigger: a ban hides a person''s posts from everyone, and its end shows them again.';
create trigger _150_mark_posts_of_banned after update of banned_at on app.users
  for each row when ((old.banned_at is null) <> (new.banned_at is null))
  execute function private.mark_posts_of_banned();

create function private.mark_replies_of_banned() returns trigger
language plpgsql security definer   -- a ban changes rows of the banned person
set search_path = ''
as $$
begin
  update app.replies set author_banned = new.banned_at is not null where author_id = new.id;
  return null;
end $$;
comment on function private.mark_replies_of_banned is
  'Trigger: a ban hides a person''s replies from everyone, and its end shows them again.';
create trigger _151_mark_replies_of_banned after update of banned_at on app.users
  for each row when ((old.banned_at is null) <> (new.banned_at is null))
  execute function private.mark_replies_of_banned();
