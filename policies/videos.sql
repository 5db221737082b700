-- Who may see and change videos and audio. This file belongs to sql/videos/. The policies of the head are in
-- policies/content.sql.

-- videos
alter table app.videos enable row level security;
grant select on app.videos to authenticated;
grant insert (id, media_url, thumbnail_url, caption, duration_sec) on app.videos to authenticated;
create policy select_with_content on app.videos for select to authenticated
  using ((select true from app.contents c where c.id = videos.id));
comment on policy select_with_content on app.videos is 'Everybody who sees the head sees the video.';
create policy insert_author on app.videos for insert to authenticated
  with check ((select c.author_id from app.contents c where c.id = videos.id and c.kind = 'video')
              = (select app.uid()));
comment on policy insert_author on app.videos is 'Only the author of the head can add the video.';

-- audio
alter table app.audio enable row level security;
grant select on app.audio to authenticated;
grant insert (id, media_url, caption, duration_sec) on app.audio to authenticated;
create policy select_with_content on app.audio for select to authenticated
  using ((select true from app.contents c where c.id = audio.id));
comment on policy select_with_content on app.audio is 'Everybody who sees the head sees the recording.';
create policy insert_author on app.audio for insert to authenticated
  with check ((select c.author_id from app.contents c where c.id = audio.id and c.kind = 'audio')
              = (select app.uid()));
comment on policy insert_author on app.audio is 'Only the author of the head can add the recording.';

-- video_counters
alter table app.video_counters enable row level security;
grant select on app.video_counters to authenticated;
create policy select_with_content on app.video_counters for select to authenticated
  using ((select true from app.contents c where c.id = video_id));
comment on policy select_with_content on app.video_counters is
  'Everybody who sees the video sees its counters. Triggers write them.';

-- video_likes
alter table app.video_likes enable row level security;
grant select, delete on app.video_likes to authenticated;
grant insert (video_id, user_id) on app.video_likes to authenticated;
create policy select_own on app.video_likes for select to authenticated using (user_id = (select app.uid()));
comment on policy select_own on app.video_likes is
  'People see only their own likes. The likes of others appear only as a count.';
create policy insert_own on app.video_likes for insert to authenticated
  with check (user_id = (select app.uid())
          and (select c.kind = 'video' and c.required_level = 0 from app.contents c where c.id = video_id));
comment on policy insert_own on app.video_likes is
  'People like videos in their own name, and only videos that they see and that are not removed.';
create policy delete_own on app.video_likes for delete to authenticated using (user_id = (select app.uid()));
comment on policy delete_own on app.video_likes is 'People take their own likes back.';

-- video_reposts
alter table app.video_reposts enable row level security;
grant select, delete on app.video_reposts to authenticated;
grant insert (video_id, user_id) on app.video_reposts to authenticated;
create policy select_own on app.video_reposts for select to authenticated using (user_id = (select app.uid()));
comment on policy select_own on app.video_reposts is
  'People see only their own reposts. The reposts of others appear only as a count.';
create policy insert_own on app.video_reposts for insert to authenticated
  with check (user_id = (select app.uid())
          and (select c.kind = 'video' and c.required_level = 0 from app.contents c where c.id = video_id));
comment on policy insert_own on app.video_reposts is
  'People repost videos in their own name, and only videos that they see and that are not removed.';
create policy delete_own on app.video_reposts for delete to authenticated using (user_id = (select app.uid()));
comment on policy delete_own on app.video_reposts is 'People take their own reposts back.';

-- video_comments
alter table app.video_comments enable row level security;
grant select on app.video_comments to authenticated;
grant insert (video_id, author_id, body) on app.video_comments to authenticated;
grant select on app.video_comment_card to authenticated;
create policy select_with_content on app.video_comments for select to authenticated
  using ((select v.is_visible from private.visibility(author_id, required_level) v)
     and (select true from app.contents c where c.id = video_id));
comment on policy select_with_content on app.video_comments is
  'Everybody who sees the video sees its comments. Exceptions are comments that were taken back, comments by banned '
  'or erased people, and comments by people whom the viewer blocked or who blocked the viewer.';
create policy insert_own on app.video_comments for insert to authenticated
  with check (author_id = (select app.uid())
          and (select c.kind = 'video' and c.required_level = 0 from app.contents c where c.id = video_id));
comment on policy insert_own on app.video_comments is
  'People comment on videos in their own name, and only on videos that they see and that are not removed.';

-- helpers
grant execute on function
  private.audio_cards,
  private.clamped,
  private.delete_video,
  private.find_caption,
  private.comment_cards,
  private.find_comment_time,
  private.find_comments,
  private.remove_comment,
  private.require_audio,
  private.require_audio_card,
  private.require_comment,
  private.require_open_video,
  private.require_reported_comment,
  private.require_video,
  private.require_video_card,
  private.video_cards
  to authenticated;

-- operations
grant execute on function
  api.create_audio,
  api.create_video,
  api.create_video_comment,
  api.delete_audio,
  api.delete_video,
  api.delete_video_comment,
  api.get_audio,
  api.get_video,
  api.like_video,
  api.list_audio,
  api.list_audio_by,
  api.list_video_comments,
  api.list_videos,
  api.list_videos_by,
  api.repost_video,
  api.unlike_video,
  api.unrepost_video
  to authenticated;

-- batches that the worker runs
grant execute on function
  private.hide_or_show_comments
  to worker;
