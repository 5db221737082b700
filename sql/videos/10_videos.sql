-- Videos and audio are two kinds of contents, each with a recording that is stored elsewhere and a caption. The
-- columns that all kinds have are in app.contents. docs/decisions.md, Contents.

create table app.videos (
  id            uuid primary key references app.contents on delete cascade,
  media_url     text not null,
  thumbnail_url text,
  caption       text,
  duration_sec  numeric(6, 3) check (duration_sec between 0 and 60),
  constraint video_caption check (length(caption) between 1 and 280)
);
comment on table app.videos is 'The columns of a video that its head in app.contents does not have.';

create table app.audio (
  id           uuid primary key references app.contents on delete cascade,
  media_url    text not null,
  caption      text,
  duration_sec numeric(6, 3) check (duration_sec between 0 and 300),
  constraint audio_caption check (length(caption) between 1 and 280)
);
comment on table app.audio is 'The columns of an audio recording that its head in app.contents does not have.';

create table app.video_counters (
  video_id uuid primary key references app.videos on delete cascade,
  likes    integer not null default 0 check (likes >= 0),
  reposts  integer not null default 0 check (reposts >= 0),
  comments integer not null default 0 check (comments >= 0)
);
comment on table app.video_counters is
  'The counts of a video, in a separate table so that counting doesn''t rewrite the video. Triggers maintain them.';

insert into private.errors (code, status, text) values
  ('video_unknown', 404, 'There is no such video.'),
  ('audio_unknown', 404, 'There is no such audio recording.'),
  ('video_caption', 422, 'The caption of a video can have at most 280 characters.'),
  ('audio_caption', 422, 'The caption of an audio recording can have at most 280 characters.');

insert into private.lock_kinds (kind, position) values ('video counters', 550);

create function private.count_video() returns trigger
language plpgsql security definer   -- only triggers may write counters
set search_path = ''
as $$
begin
  insert into app.video_counters (video_id) values (new.id);
  return null;
end $$;
comment on function private.count_video is 'Trigger: inserts the counters of a new video.';
create trigger _100_count_video after insert on app.videos for each row execute function private.count_video();

create function private.lock_video_counters(p_videos uuid[]) returns void
language plpgsql volatile security definer   -- only triggers may write counters
set search_path = ''
as $$
begin
  perform private.check_lock_order('video counters', variadic p_videos::text[]);
  perform from app.video_counters c where c.video_id = any (p_videos) order by c.video_id for no key update;
end $$;
comment on function private.lock_video_counters is
  'Locks the counters of these videos, sorted by id. Call it before changing heads or comments: ARCHITECTURE.md, '
  'Locks.';

create view private.video_details with (security_invoker) as
select v.id,
       json_build_object(
         'mediaUrl', v.media_url,
         'thumbnailUrl', v.thumbnail_url,
         'caption', v.caption,
         'durationSec', trim_scale(v.duration_sec)) as detail
from app.videos v;
comment on view private.video_details is
  'The fields that only the card of a video has: {mediaUrl, thumbnailUrl, caption, durationSec}.';

create view private.audio_details with (security_invoker) as
select a.id,
       json_build_object('mediaUrl', a.media_url, 'caption', a.caption,
                         'durationSec', trim_scale(a.duration_sec)) as detail
from app.audio a;
comment on view private.audio_details is
  'The fields that only the card of a recording has: {mediaUrl, caption, durationSec}.';

create function private.erase_videos(p_ids uuid[]) returns void
language plpgsql volatile security definer   -- an erasure changes rows that callers may not change
set search_path = ''
as $$
begin
  perform private.lock_video_counters(p_ids);   -- this also deletes the counters
  delete from app.videos where id = any (p_ids);
end $$;
comment on function private.erase_videos is
  'Deletes the recordings and captions of these videos, because their author is erased.';

create function private.erase_audio(p_ids uuid[]) returns void
language plpgsql volatile security definer   -- an erasure changes rows that callers may not change
set search_path = ''
as $$
begin
  delete from app.audio where id = any (p_ids);
end $$;
comment on function private.erase_audio is
  'Deletes the recordings and captions of these audio contents, because their author is erased.';

insert into private.content_kinds (kind, plural, relation, details, eraser, titled) values
  ('video', 'videos', 'app.videos', 'private.video_details', 'private.erase_videos', false),
  ('audio', 'audio', 'app.audio', 'private.audio_details', 'private.erase_audio', false);

insert into private.personal_data (relation, person_column, section, within) values
  ('app.videos', 'id', 'videos', '{contents}'),
  ('app.video_counters', 'video_id', 'videoCounters', '{contents}'),
  ('app.audio', 'id', 'audio', '{contents}');

create function private.require_video(p_id uuid) returns app.contents
language plpgsql stable
set search_path = ''
as $$ begin return private.require_content('video', p_id); end $$;
comment on function private.require_video is 'Returns the head of a video if the caller may see it.';

create function private.require_audio(p_id uuid) returns app.contents
language plpgsql stable
set search_path = ''
as $$ begin return private.require_content('audio', p_id); end $$;
comment on function private.require_audio is 'Returns the head of a recording if the caller may see it.';



insert into private.report_targets (type, finder, author, place) values
  ('video', 'private.require_reported_content', 'select author_id from app.contents where id = $1',
   'select c.space_id, c.title, d.caption, c.removed_at is not null
    from app.contents c join app.videos d on d.id = c.id where c.id = $1'),
  ('audio', 'private.require_reported_content', 'select author_id from app.contents where id = $1',
   'select c.space_id, c.title, d.caption, c.removed_at is not null
    from app.contents c join app.audio d on d.id = c.id where c.id = $1');
insert into private.notification_targets (type, words) values
  ('video', 'select c.id, c.title, d.caption from app.contents c join app.videos d on d.id = c.id
           where c.id = any ($1)'),
  ('audio', 'select c.id, c.title, d.caption from app.contents c join app.audio d on d.id = c.id
           where c.id = any ($1)');
insert into private.links (type, path) values
  ('video', '/videos/{id}'),
  ('audio', '/audio/{id}');
