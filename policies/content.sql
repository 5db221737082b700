-- Who may see and change contents. This file belongs to sql/content/.

-- content_kinds: a registry, only for definer functions
alter table private.content_kinds enable row level security;
alter table private.content_places enable row level security;

-- content_child_kinds, content_child_tables: registries, only for definer functions
alter table private.content_child_kinds enable row level security;
alter table private.content_child_tables enable row level security;

-- content_cascades: a registry, only for definer functions
alter table private.content_cascades enable row level security;

-- contents
alter table app.contents enable row level security;
grant select on app.contents to authenticated;
create policy select_audience on app.contents for select to authenticated
  using ((select v.is_visible from private.visibility(author_id, required_level, space_id) v));
comment on policy select_audience on app.contents is
  'Everybody sees a content, unless its author is banned or erased, has blocked them, or is blocked by them '
  '(private.visibility). Only its author sees a content while it is removed or a draft. Only members see what is in '
  'a space. The policies of each kind use this policy.';
-- no policy for insert, because private.add_content publishes contents

-- helpers
grant execute on function
  private.add_content,
  private.begin_vote,
  private.content_cursors,
  private.content_list,
  private.content_place,
  private.delete_content,
  private.lock_open_content,
  private.find_contents,
  private.interests_below,
  private.require_body,
  private.require_content,
  private.require_reported_content,
  private.require_shown,
  private.search_contents,
  private.share_lock_content
  to authenticated;
grant execute on function
  private.words_in
  to authenticated, service_role;

-- batches that the worker runs
grant execute on function
  private.clear_content,
  private.hide_or_show_contents,
  private.hide_or_show_children
  to worker;
