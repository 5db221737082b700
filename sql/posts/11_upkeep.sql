-- What triggers maintain for a post: its keyword_words, its counters, the times of its interests, its trending_boost.

insert into private.lock_kinds (kind, position) values ('post counters', 500);

create function private.prepare_post() returns trigger
language plpgsql security definer   -- reads the original of a repost regardless of who may see it
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' and new.format = 'repost' then
    -- take the same lock as the foreign key: either this statement waits for an edit of the original, or the edit
    -- finds the repost (private.sync_repost_audience)
    select p.closer_id, p.space_id into new.original_author_id, new.original_space_id
    from app.posts p where p.id = new.quoted_post_id for key share;
  end if;
  new.keyword_words := private.keyword_words(private.keyword_text(array[new.title, new.body]));
  return new;
end $$;
comment on function private.prepare_post is
  'Trigger: fills original_author_id, original_space_id and keyword_words, so that feeds need not compute them at '
  'every read.';
create trigger _120_prepare_post before insert or update of title, body on app.posts
  for each row execute function private.prepare_post();

create function private.count_post() returns trigger
language plpgsql security definer   -- only triggers may write counters
set search_path = ''
as $$
begin
  insert into app.post_counters (post_id) values (new.id);
  if new.interest_id is not null then
    insert into app.post_interests (post_id, interest_id, is_primary) values (new.id, new.interest_id, true);
  end if;
  return null;
end $$;
comment on function private.count_post is
  'Trigger: creates the counters of a new post, and the row of its primary interest in app.post_interests.';
create trigger _151_count_post after insert on app.posts for each row execute function private.count_post();

create function private.lock_counters(p_posts uuid[]) returns void
language plpgsql volatile security definer   -- only triggers may write counters
set search_path = ''
as $$
begin
  perform private.check_lock_order('post counters', variadic p_posts::text[]);
  perform from app.post_counters c where c.post_id = any (p_posts) order by c.post_id for no key update;
end $$;
comment on function private.lock_counters is
  'Locks the counters of these posts, sorted by post. Call it before you lock posts or replies, because the '
  'triggers that count lock the counters first, and then write to posts (private.raise_trending). ARCHITECTURE.md, '
  'Locks.';

create function private.date_interests() returns trigger
language plpgsql security definer   -- only triggers may write published_at
set search_path = ''
as $$
begin
  update app.post_interests
  set published_at = case when new.required_level <= 2 and new.within_id is null then new.published_at end
  where post_id = new.id;
  return null;
end $$;
comment on function private.date_interests is
  'Trigger: adds a post to the feeds of its interests when it is published, and removes it while it is hidden or when '
  'it is deleted, so that feeds don''t scan such posts. Posts of a space are never added, because members find them '
  'by the space.';
create trigger _160_date_interests
  after update of published_at, hidden_at, deleted_at, author_banned on app.posts
  for each row when (new.published_at is distinct from old.published_at
                     or (new.required_level <= 2) <> (old.required_level <= 2))
  execute function private.date_interests();

create function private.date_interest() returns trigger
language plpgsql security definer   -- only triggers may write published_at
set search_path = ''
as $$
begin
  select p.published_at into new.published_at from app.posts p
  where p.id = new.post_id and p.required_level <= 2 and p.within_id is null;
  return new;
end $$;
comment on function private.date_interest is
  'Trigger: copies the time of the post to a new interest, as private.date_interests does.';
create trigger date_interest before insert on app.post_interests for each row execute function private.date_interest();

create function private.raise_trending() returns trigger
language plpgsql security definer   -- changes posts of people other than the caller
set search_path = ''
as $$
declare
  -- count only whole doublings, so that the row of the post and its indexes rarely change
  v_engagement integer := new.reactions + new.replies - new.bot_replies + new.shares + new.bookmarks;
  -- log(2, …) would take twenty times as long
  v_boost smallint := length(ltrim((1 + v_engagement)::bit(32)::text, '0')) - 1;
begin
  update app.posts set trending_boost = v_boost where id = new.post_id and trending_boost <> v_boost;
  return null;
end $$;
comment on function private.raise_trending is
  'Trigger: moves a post up in the trending order by four hours for every doubling of its reactions, reposts, '
  'bookmarks, and replies by people. The order does not depend on the current time, so it changes only when '
  'somebody does something.';
create trigger raise_trending after update of reactions, replies, shares, bookmarks on app.post_counters
  for each row execute function private.raise_trending();
