-- Views: how often others than its author opened a post. The facade counts them in batches, so that no reader waits.
-- docs/decisions.md, Posts.

create function api.count_views(p_posts uuid[], p_viewers uuid[]) returns json
language plpgsql volatile security definer   -- for gate alone: nobody may write counters
set search_path = ''
as $$
begin
  perform private.lock_counters(p_posts);   -- so that two batches of the same posts do not wait for each other
  update app.post_counters c set views = c.views + v.opened
  from (select p.id, count(*) as opened
        from unnest(p_posts, p_viewers) as o (post, viewer) join app.posts p on p.id = o.post
        where o.viewer <> p.author_id group by p.id) v
  where c.post_id = v.id;
  return null;
end $$;
comment on function api.count_views is
  'For the facade alone: counts openings of posts, each by a viewer. It skips those by the author and of unknown '
  'posts.';
