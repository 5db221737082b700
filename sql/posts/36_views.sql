-- Views are the number of times that people other than the author opened a post. The facade counts them in batches, so
-- that no reader waits for the counting. docs/decisions.md, Posts.

create function api.count_views(p_posts uuid[], p_viewers uuid[]) returns json
language plpgsql volatile security definer   -- only for gate: callers may not write counters
set search_path = ''
as $$
begin
  perform private.lock_counters(p_posts);   -- prevents deadlocks between two batches of the same posts
  update app.post_counters c set views = c.views + v.opened
  from (select p.id, count(*) as opened
        from unnest(p_posts, p_viewers) as o (post, viewer) join app.posts p on p.id = o.post
        where o.viewer <> p.author_id group by p.id) v
  where c.post_id = v.id;
  return null;
end $$;
comment on function api.count_views is
  'For the facade alone: counts views of posts, each by one viewer. It ignores views by the author, and views of '
  'unknown posts.';
