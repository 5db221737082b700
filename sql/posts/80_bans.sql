-- A ban hides what the person wrote, and its end shows it again. A ban updates the rows of the newest 500 posts and
-- replies at once, and the worker updates the others. Until then app.hidden_people hides them. docs/decisions.md,
-- Staff.

create function private.next_posts(p_author uuid, p_after uuid) returns uuid[]
language plpgsql stable security definer   -- called by definer functions that change a person's rows
set search_path = ''
as $$
declare
  v_from   timestamptz := 'infinity';
  v_before uuid := coalesce(p_after, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  v_ids    uuid[] := '{}';
begin
  if p_after is not null then
    select published_at into v_from from app.posts where id = p_after;
  end if;
  if v_from is not null then
    v_ids := array(select id from app.posts
                   where author_id = p_author and (published_at, id) < (v_from, v_before)
                   order by published_at desc, id desc limit 500);
    v_before := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  end if;
  if cardinality(v_ids) < 500 then
    v_ids := v_ids || array(select id from (select id from app.posts
                                            where author_id = p_author and published_at is null and id < v_before
                                            order by published_at desc, id desc limit 500) w
                            limit 500 - cardinality(v_ids));
  end if;
  return v_ids;
end $$;
comment on function private.next_posts is
  'The next 500 posts of a person after p_after: first the published posts, newest first, then the others. If the '
  'post p_after has been published in the meantime, it begins again with the newest, so that none is left out.';
call private.force_index_scans('private.next_posts');

create function private.next_replies(p_author uuid, p_after uuid) returns uuid[]
language plpgsql stable security definer   -- called by definer functions that change a person's rows
set search_path = ''
as $$
declare
  v_from   timestamptz := coalesce((select created_at from app.replies where id = p_after), 'infinity');
  v_before uuid := coalesce(p_after, p_author);   -- no row has this time, so any id works
begin
  return array(select id from app.replies
               where author_id = p_author and (created_at, id) < (v_from, v_before)
               order by created_at desc, id desc limit 500);
end $$;
comment on function private.next_replies is 'The next 500 replies of a person after p_after, newest first.';
call private.force_index_scans('private.next_replies');

create function private.lock_written(p_posts uuid[], p_replies uuid[]) returns void
language plpgsql volatile security definer   -- only triggers may write counters
set search_path = ''
as $$
begin
  perform private.lock_counters(p_posts || array(
    select p.quoted_post_id from app.posts p
    where p.id = any (p_posts) and p.format = 'repost' and p.deleted_at is null
    union select r.post_id from app.replies r where r.id = any (p_replies)));
end $$;
comment on function private.lock_written is
  'Call this function before a ban or an erasure changes these posts and replies of a person. It locks the counters '
  'that will change: of the posts, of reposted posts, and of posts with the replies (ARCHITECTURE.md, Locks). '
  'Concurrent reactions, counts of views, actions of staff, bans and erasures wait without holding a lock that is '
  'needed here.';

create function private.hide_or_show_posts(p_job jsonb, p_after uuid default null) returns json
language plpgsql volatile security definer   -- a ban changes rows of the banned person
set search_path = ''
as $$
declare
  v_user    uuid := (p_job ->> 'userId')::uuid;
  v_banned  boolean;
  v_ids     uuid[];
  v_changed integer;
begin
  -- either a change of the ban waits for this batch, or this batch waits for the change, so that it never writes an
  -- old state
  select banned_at is not null into v_banned from app.users where id = v_user for share;
  v_ids := private.next_posts(v_user, p_after);
  perform private.lock_written(v_ids, '{}');
  update app.posts set author_banned = v_banned where id = any (v_ids) and author_banned <> v_banned;
  get diagnostics v_changed = row_count;
  return json_build_object('changed', v_changed, 'next', v_ids[500]);
end $$;
comment on function private.hide_or_show_posts is
  'For the worker and private.hide_banned_posts: hides the next 500 posts of a person {userId} after p_after if the '
  'person is banned now, or shows them again if not. Returns {changed, next}; next is null at the end.';
call private.make_batch_queue('banned-posts', 'private.hide_or_show_posts');

create function private.hide_or_show_replies(p_job jsonb, p_after uuid default null) returns json
language plpgsql volatile security definer   -- a ban changes rows of the banned person
set search_path = ''
as $$
declare
  v_user    uuid := (p_job ->> 'userId')::uuid;
  v_banned  boolean;
  v_ids     uuid[];
  v_changed integer;
begin
  -- see private.hide_or_show_posts
  select banned_at is not null into v_banned from app.users where id = v_user for share;
  v_ids := private.next_replies(v_user, p_after);
  perform private.lock_written('{}', v_ids);
  update app.replies set author_banned = v_banned where id = any (v_ids) and author_banned <> v_banned;
  get diagnostics v_changed = row_count;
  return json_build_object('changed', v_changed, 'next', v_ids[500]);
end $$;
comment on function private.hide_or_show_replies is
  'For the worker and private.hide_banned_posts: does the same as private.hide_or_show_posts, for the replies of a '
  'person {userId}.';
call private.make_batch_queue('banned-replies', 'private.hide_or_show_replies');

create function private.lock_published(p_user app.users) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.lock_written(private.next_posts(p_user.id, null), private.next_replies(p_user.id, null));
end $$;
comment on function private.lock_published is
  'Step: calls private.lock_written for the rows that a ban or an erasure changes in its own transaction.';
-- the first of the steps that change what a person wrote
insert into private.account_steps (step, events, position) values
  ('private.lock_published', '{ban,unban,erasure}', 100);

create function private.hide_banned_posts(p_user app.users) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_job json := json_build_object('userId', p_user.id);
begin
  -- each change of a ban starts its own run from the beginning, so that the last one updates everything
  if private.hide_or_show_posts(v_job::jsonb) ->> 'next' is not null then
    perform private.enqueue('banned-posts', v_job);
  end if;
  if private.hide_or_show_replies(v_job::jsonb) ->> 'next' is not null then
    perform private.enqueue('banned-replies', v_job);
  end if;
end $$;
comment on function private.hide_banned_posts is
  'Step: at a ban, hides a person''s newest 500 posts and replies; at its end, shows them again. The worker updates '
  'the others.';
insert into private.account_steps (step, events, position) values
  ('private.hide_banned_posts', '{ban,unban}', 150);
