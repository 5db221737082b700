-- Who may read the feed. This file belongs to sql/feed/.

-- feed_blocks: only for definer functions
alter table app.feed_blocks enable row level security;

grant execute on function
  api.list_changes,
  api.list_feed,
  private.find_changes,
  private.feed_in_time,
  private.feed_list,
  private.feed_ranked,
  private.require_feed_cursor
  to authenticated;
