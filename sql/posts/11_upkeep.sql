-- What triggers keep of a post: words, counters, times in the junction, its warmth, where the feed finds reposts, silence.
-- Specification: Resources › Post (counters). Decisions: Visibility (bans).

create function private.prepare_post() returns trigger
language plpgsql security definer   -- looks at what is reposted, whoever may see it
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' and new.format = 'repost' then
    -- locked as its foreign key locks it: an edit under way is waited for, or finds the repost (private.close_reposts)
    select p.closer_id into new.original_author_id from app.posts p where p.id = new.quoted_post_id for key share;
  end if;
  new.words := private.words(array[new.title, new.body]);
  return new;
end $$;
comment on function private.prepare_post is 'Trigger: what a post keeps so that feeds need not work it out each time.';
create trigger prepare_post before insert or update of title, body on app.posts
  for each row execute function private.prepare_post();

create function private.place_reposts(p_job jsonb, p_after uuid default null) returns json
language plpgsql volatile security definer   -- the reposts are others'
set search_path = ''
as $$
declare
  v_ids uuid[];
begin
  -- an edit of its audience waits, or is waited for: what is written below would be of before it
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
comment on function private.place_reposts is
  'For the worker alone: the next 500 reposts of a post {postId} behind one are found where it is. Answers {changed, next}; next is null at the end.';

-- as in sql/base/75_enqueue.sql: what is asked for before the first worker starts waits for it
select pgboss.create_queue('moved-reposts', '{"policy": "standard"}');

create function private.close_reposts() returns trigger
language plpgsql security definer   -- the reposts are others'
set search_path = ''
as $$
begin
  -- waits for none: a ban or an erasure that has the repost may be waiting for this post
  update app.posts set original_author_id = new.closer_id
  where id = any (array(select r.id from app.posts r
                        where r.quoted_post_id = new.id and r.format = 'repost' and r.deleted_at is null
                        order by r.id limit 500 for no key update skip locked));
  if exists (select from app.posts r
             where r.quoted_post_id = new.id and r.format = 'repost' and r.deleted_at is null
               and r.original_author_id is distinct from new.closer_id) then
    perform private.enqueue('moved-reposts', json_build_object('postId', new.id));
  end if;
  return null;
end $$;
comment on function private.close_reposts is
  'Trigger: reposts of a post that is opened to everyone are found by everyone, those of one that is closed only by who is closer; beyond 500 soon after. Whether they are seen does not depend on it.';
create trigger close_reposts after update of visibility on app.posts
  for each row when (new.format <> 'repost' and new.closer_id is distinct from old.closer_id)
  execute function private.close_reposts();

create function private.count_post() returns trigger
language plpgsql security definer   -- counters are written by triggers alone
set search_path = ''
as $$
begin
  insert into app.post_counters (post_id) values (new.id);
  if new.interest_id is not null then
    insert into app.post_interests (post_id, interest_id, is_primary, published_at)
    values (new.id, new.interest_id, true, new.published_at);
  end if;
  return null;
end $$;
comment on function private.count_post is 'Trigger: a new post has counters, and its primary interest in the junction.';
create trigger count_post after insert on app.posts for each row execute function private.count_post();

create function private.lock_counters(p_posts uuid[]) returns void
language plpgsql volatile security definer   -- counters are written by triggers alone
set search_path = ''
as $$
begin
  perform from app.post_counters c where c.post_id = any (p_posts) order by c.post_id for no key update;
end $$;
comment on function private.lock_counters is
  'Locks the counters of these posts, in one order. Before any lock on posts or replies: who counts holds counters, and then writes to posts (private.warm_post).';

create function private.date_interests() returns trigger
language plpgsql security definer   -- the time in the junction is written by triggers alone
set search_path = ''
as $$
begin
  update app.post_interests set published_at = new.published_at where post_id = new.id;
  return null;
end $$;
comment on function private.date_interests is 'Trigger: a scheduled post that goes out takes its place in the feeds of its interests.';
create trigger date_interests after update of published_at on app.posts
  for each row when (new.published_at is distinct from old.published_at) execute function private.date_interests();

create function private.date_interest() returns trigger
language plpgsql security definer   -- the time in the junction is written by triggers alone
set search_path = ''
as $$
begin
  select p.published_at into new.published_at from app.posts p where p.id = new.post_id;
  return new;
end $$;
comment on function private.date_interest is 'Trigger: an interest of a post has the post''s time.';
create trigger date_interest before insert on app.post_interests for each row execute function private.date_interest();

create function private.warm_post() returns trigger
language plpgsql security definer   -- changes the post of another than the caller
set search_path = ''
as $$
declare
  -- whole doublings: the post's own row and its indexes change a few times in its life, and not at every heart
  v_warmth smallint := floor(log(2, 1 + new.reactions + new.replies + new.shares + new.bookmarks));
begin
  update app.posts set warmth = v_warmth where id = new.post_id and warmth <> v_warmth;
  return null;
end $$;
comment on function private.warm_post is
  'Trigger: what a post sets off (reactions, replies, reposts, bookmarks) moves it up among the trending, four hours for every doubling. Without the clock: the order changes only when somebody does something.';
create trigger warm_post after update of reactions, replies, shares, bookmarks on app.post_counters
  for each row execute function private.warm_post();

create function private.silence_posts() returns trigger
language plpgsql security definer   -- a ban changes rows of the banned person
set search_path = ''
as $$
begin
  update app.posts set author_silenced = new.banned_at is not null where author_id = new.id;
  return null;
end $$;
comment on function private.silence_posts is 'Trigger: a ban takes a person''s posts from everyone, its end gives them back.';
create trigger silence_posts after update of banned_at on app.users
  for each row when ((old.banned_at is null) <> (new.banned_at is null))
  execute function private.silence_posts();
