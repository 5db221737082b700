-- Views: how often a post was opened by others than its author. The facade counts them in batches, so that no reader waits.
-- docs/decisions.md, Posts.

create function api.count_views(p_posts uuid[], p_viewers uuid[]) returns json
language plpgsql volatile security definer   -- counters are nobody's to write; for gate alone
set search_path = ''
as $$
begin
  -- the rows in one order, whoever comes: two batches of the same posts would wait for each other
  perform from app.post_counters c where c.post_id = any (p_posts) order by c.post_id for update;
  update app.post_counters c set views = c.views + v.opened
  from (select p.id, count(*) as opened
        from unnest(p_posts, p_viewers) as o (post, viewer) join app.posts p on p.id = o.post
        where o.viewer <> p.author_id group by p.id) v
  where c.post_id = v.id;
  return null;
end $$;
comment on function api.count_views is
  'For the facade alone: counts openings of posts, each by a viewer; those by the author and of unknown posts are '
  'passed over.';
