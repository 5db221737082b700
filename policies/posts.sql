-- Who may see and change posts, replies and reactions. This file belongs to sql/posts/.

-- posts
alter table app.posts enable row level security;
grant select on app.posts to authenticated;
grant insert (
  author_id,
  persona_id,
  format,
  title,
  body,
  media,
  quoted_post_id,
  visibility,
  depth,
  interest_id,
  space_id,
  is_journalism,
  publish_at,
  published_at
) on app.posts to authenticated;
grant update (
  persona_id,
  title,
  body,
  media,
  visibility,
  depth,
  interest_id,
  is_journalism,
  publish_at
) on app.posts to authenticated;
create policy select_audience on app.posts for select to authenticated
  using ((select v.is_visible
          from private.visibility(author_id, required_level, space_id, format, quoted_post_id) v));
comment on policy select_audience on app.posts is
  'Viewers see a post if they have its required level, and its author is neither banned nor erased. Only members '
  'see a post in a space. Viewers see a repost only if they may see its original. The rule is private.visibility. '
  'The policies of the tables that belong to posts use this policy.';
create policy insert_own on app.posts for insert to authenticated
  with check (author_id = (select app.uid())
    and (select v.is_inside from private.visibility(author_id, required_level, space_id) v)
    and (quoted_post_id is null or format not in ('quote', 'repost')
      or private.post_visible_to(quoted_post_id, (select app.uid()))));
comment on policy insert_own on app.posts is
  'People publish in their own name, only in spaces that they belong to, and quote and repost only posts that they '
  'see.';
create policy update_own on app.posts for update to authenticated
  using (author_id = (select app.uid())) with check (author_id = (select app.uid()));
comment on policy update_own on app.posts is
  'Authors edit their posts; definer functions hide, delete, pin and publish them.';

-- post_versions: only the author's export reads them; a trigger writes them
alter table app.post_versions enable row level security;

-- post_interests
alter table app.post_interests enable row level security;
grant select, delete on app.post_interests to authenticated;
grant insert (post_id, interest_id) on app.post_interests to authenticated;
create policy select_with_post on app.post_interests for select to authenticated
  using ((select true from app.posts p where p.id = post_id));
comment on policy select_with_post on app.post_interests is 'Everyone who sees the post sees its interests.';
create policy insert_author on app.post_interests for insert to authenticated
  with check ((select p.author_id from app.posts p where p.id = post_id and p.format <> 'repost')
              = (select app.uid()));
comment on policy insert_author on app.post_interests is
  'Only the author adds interests to a post, and nobody to a repost.';
create policy delete_author on app.post_interests for delete to authenticated
  using (not is_primary and (select p.author_id from app.posts p where p.id = post_id) = (select app.uid()));
comment on policy delete_author on app.post_interests is
  'Only the author removes interests. Nobody removes the primary interest: a trigger changes it when the post '
  'changes.';

-- post_counters
alter table app.post_counters enable row level security;
grant select on app.post_counters to authenticated;
create policy select_with_post on app.post_counters for select to authenticated
  using ((select true from app.posts p where p.id = post_id));
comment on policy select_with_post on app.post_counters is
  'Everyone who sees the post sees its counters. Triggers write them.';

-- post_emotions
alter table app.post_emotions enable row level security;
grant select on app.post_emotions to authenticated;
create policy select_with_post on app.post_emotions for select to authenticated
  using ((select true from app.posts p where p.id = post_id));
comment on policy select_with_post on app.post_emotions is
  'Everyone who sees the post sees its emotions. Triggers write them.';

-- replies
alter table app.replies enable row level security;
grant select on app.replies to authenticated;
grant insert (post_id, author_id, parent_id, kind, body) on app.replies to authenticated;
create policy select_with_post on app.replies for select to authenticated
  using ((select v.is_visible from private.visibility(author_id, required_level) v)
     and (select true from app.posts p where p.id = post_id));
comment on policy select_with_post on app.replies is
  'Everyone who sees the post sees its replies. Exceptions are replies by banned or erased people, and replies by '
  'people whom the viewer blocked or who blocked the viewer.';
create policy insert_own on app.replies for insert to authenticated
  with check (author_id = (select app.uid()) and (select p.format <> 'repost' from app.posts p where p.id = post_id));
comment on policy insert_own on app.replies is
  'People reply in their own name to posts that they see, but not to a repost: the reply goes to the original.';

-- reactions
alter table app.reactions enable row level security;
grant select, delete on app.reactions to authenticated;
grant insert (post_id, user_id, kind) on app.reactions to authenticated;
create policy select_own on app.reactions for select to authenticated using (user_id = (select app.uid()));
comment on policy select_own on app.reactions is
  'People see only their own reactions. The reactions of others appear as a count.';
create policy insert_own on app.reactions for insert to authenticated
  with check (user_id = (select app.uid()) and (select p.format <> 'repost' from app.posts p where p.id = post_id));
comment on policy insert_own on app.reactions is
  'People react in their own name to posts that they see, but not to a repost: the reaction goes to the original.';
create policy delete_own on app.reactions for delete to authenticated using (user_id = (select app.uid()));
comment on policy delete_own on app.reactions is 'People take their own reactions back.';

-- bookmarks
alter table app.bookmarks enable row level security;
grant select, delete on app.bookmarks to authenticated;
grant insert (post_id, user_id) on app.bookmarks to authenticated;
create policy select_own on app.bookmarks for select to authenticated using (user_id = (select app.uid()));
comment on policy select_own on app.bookmarks is 'People see only their own bookmarks.';
create policy insert_own on app.bookmarks for insert to authenticated
  with check (user_id = (select app.uid()) and (select p.format <> 'repost' from app.posts p where p.id = post_id));
comment on policy insert_own on app.bookmarks is
  'People bookmark in their own name, and only posts that they see, but not a repost: the bookmark goes to the '
  'original.';
create policy delete_own on app.bookmarks for delete to authenticated using (user_id = (select app.uid()));
comment on policy delete_own on app.bookmarks is 'People take their own bookmarks back.';

-- post_mutes
alter table app.post_mutes enable row level security;
grant select, delete on app.post_mutes to authenticated;
grant insert (post_id, user_id) on app.post_mutes to authenticated;
create policy select_own on app.post_mutes for select to authenticated using (user_id = (select app.uid()));
comment on policy select_own on app.post_mutes is 'People see only their own mutes.';
create policy insert_own on app.post_mutes for insert to authenticated
  with check (user_id = (select app.uid()) and (select true from app.posts p where p.id = post_id));
comment on policy insert_own on app.post_mutes is 'People mute in their own name, and only posts that they see.';
create policy delete_own on app.post_mutes for delete to authenticated using (user_id = (select app.uid()));
comment on policy delete_own on app.post_mutes is 'People lift their own mutes.';

-- removed_bookmarks: only for definer functions
alter table private.removed_bookmarks enable row level security;

-- polls
alter table app.polls enable row level security;
grant select on app.polls to authenticated;
grant select on app.poll_card to authenticated;
create policy select_with_post on app.polls for select to authenticated
  using ((select true from app.posts p where p.id = post_id));
comment on policy select_with_post on app.polls is 'Everyone who sees the post sees its poll.';

-- poll_options
alter table app.poll_options enable row level security;
grant select on app.poll_options to authenticated;
create policy select_with_poll on app.poll_options for select to authenticated
  using ((select true from app.polls l where l.id = poll_id));
comment on policy select_with_poll on app.poll_options is
  'Everyone who sees the poll sees its options. A trigger counts the votes.';

-- poll_votes
alter table app.poll_votes enable row level security;
grant select on app.poll_votes to authenticated;
grant insert (poll_id, user_id, option_id), update (option_id), delete on app.poll_votes to authenticated;
create policy select_own on app.poll_votes for select to authenticated using (user_id = (select app.uid()));
comment on policy select_own on app.poll_votes is
  'People see their own vote; the votes of others appear only as totals.';
create policy insert_own on app.poll_votes for insert to authenticated
  with check (user_id = (select app.uid()) and (select true from app.polls l where l.id = poll_id));
comment on policy insert_own on app.poll_votes is 'People vote in their own name, and only in polls that they see.';
create policy update_own on app.poll_votes for update to authenticated
  using (user_id = (select app.uid()))
  with check (user_id = (select app.uid()) and (select true from app.polls l where l.id = poll_id));
comment on policy update_own on app.poll_votes is 'People change their own vote.';
create policy delete_own on app.poll_votes for delete to authenticated using (user_id = (select app.uid()));
comment on policy delete_own on app.poll_votes is 'People take their own vote back.';

-- series
alter table app.series enable row level security;
grant select on app.series to authenticated;
grant insert (author_id, title, description) on app.series to authenticated;
grant select on app.series_card to authenticated;
create policy select_author_or_reader on app.series for select to authenticated
  using (author_id = (select app.uid())
      or id in (select i.series_id from app.series_items i where i.series_id = series.id));
comment on policy select_author_or_reader on app.series is
  'The author of a series and everyone who sees one of its items see the series.';
create policy insert_own on app.series for insert to authenticated with check (author_id = (select app.uid()));
comment on policy insert_own on app.series is 'People create series in their own name.';

-- series_items
alter table app.series_items enable row level security;
grant select on app.series_items to authenticated;
create policy select_with_post on app.series_items for select to authenticated
  using ((select true from app.posts p where p.id = post_id));
comment on policy select_with_post on app.series_items is
  'Everyone who sees the post sees the item. Only definer functions write items, because positions also count items '
  'that the caller cannot see.';

-- deleted_series_items: only for definer functions
alter table private.deleted_series_items enable row level security;

-- series_follows
alter table app.series_follows enable row level security;
grant select, delete on app.series_follows to authenticated;
grant insert (series_id, user_id) on app.series_follows to authenticated;
create policy select_own on app.series_follows for select to authenticated using (user_id = (select app.uid()));
comment on policy select_own on app.series_follows is
  'People see their own follows; nobody sees who else follows a series.';
create policy insert_own on app.series_follows for insert to authenticated
  with check (user_id = (select app.uid())
          and (select s.author_id from app.series s where s.id = series_id) <> (select app.uid()));
comment on policy insert_own on app.series_follows is
  'People follow in their own name, and only series of others that they see.';
create policy delete_own on app.series_follows for delete to authenticated using (user_id = (select app.uid()));
comment on policy delete_own on app.series_follows is 'People end their own follows.';

-- post_co_authors
alter table app.post_co_authors enable row level security;
grant select on app.post_co_authors to authenticated;
grant insert (post_id, user_id, split_share) on app.post_co_authors to authenticated;
create policy select_with_post on app.post_co_authors for select to authenticated
  using ((select p.author_id from app.posts p where p.id = post_id) = (select app.uid())
      or user_id = (select app.uid())
      or (status = 'accepted' and (select true from app.posts p where p.id = post_id)));
comment on policy select_with_post on app.post_co_authors is
  'Everyone who sees the post sees its accepted co-authors. Only the author and the invited person see a pending '
  'invitation.';
create policy insert_author on app.post_co_authors for insert to authenticated
  with check ((select p.author_id from app.posts p where p.id = post_id) = (select app.uid())
          and (select true from app.users u where u.id = user_id));
comment on policy insert_author on app.post_co_authors is
  'The author invites people, but nobody who blocked them or whom they blocked. Updates and deletes are not '
  'allowed: private.settle_co_author records the answer.';

-- helpers
grant execute on function
  private.add_poll,
  private.co_author,
  private.delete_own_post,
  private.delete_repost,
  private.lock_open_post_space,
  private.find_bookmark_time,
  private.find_bookmarks,
  private.find_item_place,
  private.find_posts_by,
  private.find_replies,
  private.visible_among,
  private.find_reply_time,
  private.find_reposted,
  private.find_scheduled,
  private.find_scheduled_time,
  private.find_space_posts,
  private.lock_own_post,
  private.lock_running_poll,
  private.withdrawal_target,
  private.muted_posts,
  private.people_of_reply,
  private.pin,
  private.place_item,
  private.count_fitting_posts,
  private.post_card,
  private.post_cards,
  private.post_start,   -- a generated column of posts calls this function
  private.post_visible_to,
  private.publish_now,
  private.reply_cards,
  private.require_further_interests,
  private.require_future,
  private.require_engagement_card,
  private.require_media,
  private.require_original,
  private.require_poll_card,
  private.require_post,
  private.require_profile_place,
  private.require_published_original,
  private.require_published_post,
  private.require_quotable,
  private.require_reply,
  private.require_reported_post,
  private.require_reported_reply,
  private.require_series,
  private.require_split,
  private.series_cards,
  private.settle_co_author,
  private.trending_at,
  private.unpin,
  private.visibility,
  private.visibility_level,
  private.withdraw_vote
  to authenticated;

-- operations
grant execute on function
  api.add_series_item,
  api.bookmark,
  api.create_post,
  api.create_reply,
  api.create_series,
  api.delete_post,
  api.follow_series,
  api.get_post,
  api.get_posts,
  api.invite_co_author,
  api.list_bookmarks,
  api.list_my_series,
  api.list_posts_by,
  api.list_replies,
  api.list_scheduled_posts,
  api.list_series_items,
  api.list_space_posts,
  api.mute_post,
  api.pin_post,
  api.react,
  api.repost,
  api.respond_co_author,
  api.unbookmark,
  api.unfollow_series,
  api.unmute_post,
  api.unpin_post,
  api.unreact,
  api.unrepost,
  api.unvote_poll,
  api.update_post,
  api.vote_poll
  to authenticated;

-- gate: the facade counts views, and renders public pages
grant execute on function
  api.count_views,
  api.get_public_post,
  api.get_public_profile
  to gate;

-- jobs and batches that the worker runs
grant execute on function
  private.erase_next_posts,
  private.erase_next_replies,
  private.job_close_polls,
  private.job_publish_scheduled,
  private.hide_or_show_posts,
  private.hide_or_show_replies,
  private.sync_repost_audience_batch
  to worker;
