-- What bookmarks and reposts are worth in both ledgers, and what goes with a deleted post. Reactions are in
-- 20_earning.sql and 70_contribution.sql. The order of locks: ARCHITECTURE.md, Locks.
-- docs/decisions.md, Reputation.

create function private.earn_from_bookmark() returns trigger
language plpgsql security definer   -- writes for the post's author
set search_path = ''
as $$
begin
  perform private.earn_reputation_by_post(new.post_id, 'bookmark.received', new.user_id);
  perform private.earn_contribution(new.user_id, 'bookmark_given', new.post_id)
  from app.posts p where p.id = new.post_id and p.author_id <> new.user_id;
  return null;
end $$;
comment on function private.earn_from_bookmark is
  'Trigger: a bookmark earns the post''s author bookmark.received, and is a contribution of the person who sets it. '
  'People''s own posts give them nothing.';
create trigger _300_earn_from_bookmark after insert on app.bookmarks
  for each row execute function private.earn_from_bookmark();

create function private.reverse_from_bookmarks() returns trigger
language plpgsql security definer   -- writes for the posts' authors
set search_path = ''
as $$
begin
  perform private.lock_ledger('reputation', array(
    select p.author_id from gone g join app.posts p on p.id = g.post_id));
  perform private.reverse_reputation(array(
    select private.find_standing_reputation(p.author_id, 'bookmark.received', g.post_id, g.user_id)
    from gone g join app.posts p on p.id = g.post_id));
  perform private.lock_ledger('contribution', array(select distinct g.user_id from gone g));
  perform private.reverse_contribution(g.user_id, 'bookmark_given', g.post_id) from gone g order by g.user_id;
  return null;
end $$;
comment on function private.reverse_from_bookmarks is
  'Trigger: when a bookmark goes, what it gave in both ledgers goes too.';
create trigger _300_reverse_from_bookmarks after delete on app.bookmarks
  referencing old table as gone for each statement execute function private.reverse_from_bookmarks();

create function private.earn_reputation_from_repost(p_event jsonb) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.earn_reputation_by_post((p_event ->> 'postId')::uuid, 'repost.received',
                                          (p_event ->> 'userId')::uuid);
end $$;
comment on function private.earn_reputation_from_repost is
  'Listener: a repost earns the author of the original repost.received, until it is deleted. A quote earns them '
  'nothing.';
insert into private.event_listeners (event, listener, position) values
  ('posts.post.reposted', 'private.earn_reputation_from_repost', 300);

create function private.list_standing_reputation(
  p_user uuid, p_source uuid, p_from uuid, out entries uuid[], out next uuid
)
language plpgsql stable
set search_path = ''
as $$
begin
  -- of each person and kind only the newest counts, as in private.find_standing_reputation: it goes from one to the
  -- next, since somebody may have liked and unliked for hours
  with recursive newest as (
    (select coalesce(e.earned_from, e.user_id) as person, e.kind, e.id, e.undoes_id, 1 as place
     from app.reputation_entries e
     where e.user_id = p_user and e.source_id = p_source and e.roll_up_level = 0
       and coalesce(e.earned_from, e.user_id) >= p_from
     order by coalesce(e.earned_from, e.user_id), e.kind, e.position desc limit 1)
    union all
    select e.person, e.kind, e.id, e.undoes_id, n.place + 1
    from newest n
    cross join lateral (
      select coalesce(m.earned_from, m.user_id) as person, m.kind, m.id, m.undoes_id
      from app.reputation_entries m
      where m.user_id = p_user and m.source_id = p_source and m.roll_up_level = 0
        and (coalesce(m.earned_from, m.user_id), m.kind) > (n.person, n.kind)
      order by coalesce(m.earned_from, m.user_id), m.kind, m.position desc limit 1) e
    where n.place < 500
  )
  select coalesce(array_agg(n.id) filter (where n.undoes_id is null), '{}'),
         case when count(*) = 500 then (array_agg(n.person order by n.place desc))[1] end
  into entries, next from newest n;
end $$;
comment on function private.list_standing_reputation is
  'Up to 500 direct entries that a cause gave a person and that were not undone, of what was earned from this person '
  'and those behind; next is the person to go on from, or null. Lock first (private.lock_ledger).';

create function private.forfeit_earnings(p_job jsonb, p_after uuid default null) returns json
language plpgsql volatile security definer   -- writes for a post's author
set search_path = ''
as $$
declare
  v_post   uuid := (p_job ->> 'postId')::uuid;
  v_author uuid := (p_job ->> 'authorId')::uuid;
  v_from   uuid := coalesce(p_after, '00000000-0000-0000-0000-000000000000');
  v_found  record;
begin
  perform private.lock_ledger('reputation', array[v_author]);
  v_found := private.list_standing_reputation(v_author, v_post, v_from);
  perform private.reverse_reputation(v_found.entries);
  return json_build_object('changed', cardinality(v_found.entries), 'next', v_found.next);
end $$;
comment on function private.forfeit_earnings is
  'For the worker alone, and private.forfeit_post: takes back up to 500 entries that a post {postId, authorId} earned '
  'its author, from the next people. Answers {changed, next}; next is null at the end.';

call private.make_batch_queue('forfeited-earnings', 'private.forfeit_earnings');

create function private.forfeit_post(p_event jsonb) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_post     app.posts;
  v_original app.posts;
begin
  select * into v_post from app.posts where id = (p_event ->> 'postId')::uuid;
  if v_post.format = 'repost' then
    select * into v_original from app.posts where id = v_post.quoted_post_id;
  end if;
  perform private.lock_ledger('reputation', array[v_post.author_id, v_original.author_id]);
  perform private.reverse_reputation(array[private.find_standing_reputation(
    v_original.author_id, 'repost.received', v_original.id, v_post.author_id)]);
  perform private.reverse_contribution(v_post.author_id, 'post_created', v_post.id);
  if private.forfeit_earnings(p_event) ->> 'next' is not null then
    perform private.enqueue('forfeited-earnings', p_event::json);   -- a post that many liked is deleted as fast as any
  end if;
end $$;
comment on function private.forfeit_post is
  'Listener: when anybody deletes a post, its author loses what it earned in both ledgers (beyond 500 entries soon '
  'after), and the author of an original loses what the deleted repost earned them. Writing and deleting again and '
  'again therefore earns nothing. An erasure deletes without this event, so what was earned stays.';
insert into private.event_listeners (event, listener, position) values
  ('posts.post.deleted', 'private.forfeit_post', 300);
