-- Posts, and who may see them. docs/decisions.md, Posts.

create function private.visibility_level(p_visibility text) returns smallint
language plpgsql immutable
set search_path = ''
as $$
begin
  return (case p_visibility when 'public' then 0 when 'circles' then 1 else 2 end)::smallint;
end $$;
comment on function private.visibility_level is
  'The audience level that a visibility requires. See private.visibility.';

create function private.trending_at(p_published timestamptz, p_boost smallint) returns timestamptz
language plpgsql immutable   -- adding hours does not depend on the time zone
set search_path = ''
as $$
begin
  return p_published + p_boost * interval '4 hours';
end $$;
comment on function private.trending_at is
  'The place of a post in the trending order: its time of publication, moved four hours later for every doubling of '
  'its reactions, replies, reposts and bookmarks. See private.raise_trending.';

create function private.post_start(
  p_id uuid, p_format text, p_title text, p_media jsonb, p_visibility text, p_depth smallint, p_interest uuid,
  p_is_journalism boolean, p_pinned_at timestamptz, p_publish_at timestamptz, p_published_at timestamptz,
  p_edited_at timestamptz, p_hidden_at timestamptz, p_created_at timestamptz, p_imported_at timestamptz
) returns text
language plpgsql immutable   -- row_to_json is only stable, but these types have the same text under all settings
set search_path = ''
as $$
begin
  return (
    select left(row_to_json(s)::text, -1)
    from (select p_id as id,
                 p_format as format,
                 p_title as title,
                 p_media as media,
                 p_visibility as visibility,
                 p_depth as depth,
                 (array['Surface', 'Intro', 'Deep', 'Expert', 'Research', 'Thesis'])[p_depth + 1] as "depthLabel",
                 p_interest as "interestId",
                 p_is_journalism as "isJournalism",
                 p_pinned_at is not null as pinned,
                 private.utc(p_publish_at) as "publishAt",
                 private.utc(p_published_at) as "publishedAt",
                 private.utc(p_edited_at) as "editedAt",
                 private.utc(p_hidden_at) as "hiddenAt",
                 private.utc(p_created_at) as "createdAt",
                 private.utc(p_imported_at) as "importedAt") s);
end $$;
comment on function private.post_start is
  'The start of a post''s card: the fields that depend only on these columns, as JSON without the closing brace. '
  'After changing this function, rewrite the column app.posts.card_start.';

create table app.posts (
  id                   uuid primary key default gen_random_uuid(),
  author_id            uuid not null references app.users on delete restrict,
  persona_id           uuid references app.personas on delete set null,
  format               text not null default 'note'
                       check (format in ('note', 'essay', 'photo', 'video', 'quote', 'thread', 'repost')),
  title                text,
  body                 text not null,
  media                jsonb not null default '[]',
  quoted_post_id       uuid references app.posts on delete restrict,
  original_author_id   uuid,
  original_space_id    uuid,
  visibility           text not null default 'public' check (visibility in ('public', 'circles', 'inner')),
  depth                smallint not null default 0 check (depth between 0 and 5),
  interest_id          uuid references app.interests on delete restrict,
  space_id             uuid references app.spaces on delete restrict,
  is_journalism        boolean not null default false,
  publish_at           timestamptz,
  publish_again_at     timestamptz,
  published_at         timestamptz default now(),
  scheduled_emitted_at timestamptz,
  pinned_at            timestamptz,
  edited_at            timestamptz,
  hidden_at            timestamptz,
  deleted_at           timestamptz,
  author_banned        boolean not null default false,
  keyword_words        tsvector not null default '',
  trending_boost       smallint not null default 0,
  created_at           timestamptz not null default now(),
  imported_at          timestamptz,
  closer_id            uuid generated always as (
    case when visibility <> 'public' then author_id else original_author_id end) stored,
  within_id            uuid generated always as (coalesce(space_id, original_space_id)) stored,
  trending_at          timestamptz generated always as (private.trending_at(published_at, trending_boost)) stored,
  required_level       smallint not null generated always as (
    case when deleted_at is not null or author_banned then 4
         when hidden_at is not null or published_at is null then 3
         else private.visibility_level(visibility) end) stored,
  card_start           text not null generated always as (private.post_start(
    id, format, title, media, visibility, depth, interest_id, is_journalism, pinned_at, publish_at, published_at,
    edited_at, hidden_at, created_at, imported_at)) stored,
  -- erasure empties the words of deleted posts
  constraint post_title check (deleted_at is not null or
    case format when 'essay' then coalesce(length(private.trimmed(title)), 0) between 1 and 200
                else title is null end),
  constraint post_body check (deleted_at is not null or
    length(private.trimmed(body)) between case when format in ('photo', 'video', 'repost') then 0 else 1 end
      and case format when 'essay' then 100000 when 'thread' then 20000 when 'repost' then 0 else 5000 end),
  constraint post_media check (deleted_at is not null or
    jsonb_array_length(media) between case when format in ('photo', 'video') then 1 else 0 end
      and case format when 'repost' then 0 when 'video' then 1 else 10 end),
  constraint post_quoted check ((format in ('quote', 'repost')) = (quoted_post_id is not null)),
  -- a second repost returns the existing one, so its author must always see it, even after leaving a space
  check (space_id is null or format <> 'repost'),
  constraint space_visibility check (space_id is null or visibility = 'public'),
  constraint repost_bare check (format <> 'repost' or (interest_id is null and depth = 0)),
  check ((published_at is null) <= (publish_at is not null))
);
create index posts_author_id_idx on app.posts (author_id, published_at desc, id desc);
comment on index app.posts_author_id_idx is
  'A person''s posts, newest first. Used by private.find_posts_by for people close to the author, by private.posts_by '
  'for the feed, by private.next_posts for bans and erasures, and by the foreign key.';
create index posts_open_author_idx on app.posts (author_id, published_at desc, id desc)
  where required_level = 0 and space_id is null;
comment on index app.posts_open_author_idx is
  'A person''s posts for strangers (private.find_posts_by), without those that are for circles, in spaces, hidden or '
  'deleted.';
create index posts_interest_id_idx on app.posts (interest_id) where interest_id is not null;
comment on index app.posts_interest_id_idx is 'Used by the foreign key when an interest is deleted.';
create index posts_persona_id_idx on app.posts (persona_id) where persona_id is not null;
comment on index app.posts_persona_id_idx is 'Used by the foreign key in api.delete_persona.';
create index posts_reposts_idx on app.posts (quoted_post_id, id) where format = 'repost' and deleted_at is null;
comment on index app.posts_reposts_idx is
  'The reposts of a post: private.sync_repost_audience, private.sync_repost_audience_batch.';
create unique index posts_repost_key on app.posts (author_id, quoted_post_id)
  where format = 'repost' and deleted_at is null;
comment on index app.posts_repost_key is
  'A person''s repost of a post, of which there is at most one: api.create_post, api.unrepost, and the count of '
  'engagement.';
create index posts_pinned_idx on app.posts (author_id, pinned_at desc)
  where pinned_at is not null and deleted_at is null;
comment on index app.posts_pinned_idx is 'A person''s pins: private.pin, api.list_posts_by.';
create index posts_scheduled_idx on app.posts (greatest(publish_at, publish_again_at))
  where published_at is null and deleted_at is null and not author_banned;
comment on index app.posts_scheduled_idx is
  'The scheduled posts, by the time when they are due: private.job_publish_scheduled.';
create index posts_scheduled_author_idx on app.posts (author_id, greatest(publish_at, publish_again_at))
  where published_at is null and deleted_at is null and not author_banned;
comment on index app.posts_scheduled_author_idx is
  'The other due posts of an author, which yield to those of other authors: private.job_publish_scheduled, '
  'private.yield_turn.';
create index posts_waiting_idx on app.posts (author_id, publish_at, id)
  where published_at is null and deleted_at is null;
comment on index app.posts_waiting_idx is 'The caller''s scheduled posts: private.find_scheduled.';
create index posts_space_id_idx on app.posts (space_id, published_at desc, id desc)
  where required_level = 0 and space_id is not null;
comment on index app.posts_space_id_idx is
  'The posts that every member of a space sees: private.find_space_posts, which then need not scan deleted or '
  'hidden posts. The foreign key also uses the index.';
create index posts_author_in_space_idx on app.posts (space_id, author_id)
  where required_level = 0 and space_id is not null;
comment on index app.posts_author_in_space_idx is
  'Whether a person has posts in a space that the caller belongs to: private.find_posts_by.';
create index posts_own_in_space_idx on app.posts (space_id, author_id, published_at desc, id desc)
  where required_level = 3 and space_id is not null;
comment on index app.posts_own_in_space_idx is
  'The caller''s own posts that other members do not see: private.find_space_posts.';
create index posts_within_id_idx on app.posts (within_id, published_at desc, id desc)
  where required_level <= 2 and within_id is not null;
comment on index app.posts_within_id_idx is
  'The posts of a space, and reposts of them, in the feeds of its members: sql/feed/20_ranking.sql.';
comment on table app.posts is 'What people publish. Deleted, hidden and scheduled posts also have rows.';
insert into private.vital_tables values ('app.posts');
comment on column app.posts.card_start is
  'The start of the card, which private.post_start computes when the row changes.';
comment on column app.posts.trending_at is 'The place in the trending order (private.trending_at).';
comment on column app.posts.scheduled_emitted_at is
  'When the job or the author published a scheduled post; null for other posts.';
comment on column app.posts.hidden_at is
  'When staff, a space or a rule hid the post from everyone but its author; null if it is not hidden.';
comment on column app.posts.edited_at is
  'When the words or media of the post last changed after publication; null if never.';
comment on column app.posts.imported_at is
  'When the author imported the post from a dossier; null for a post that was written here.';
comment on column app.posts.deleted_at is
  'When the post was deleted, for everyone and permanently; null if it was not.';
comment on column app.posts.persona_id is
  'The persona under which the post was published; null means the author''s default persona.';
comment on column app.posts.media is
  'Pictures and other media, in order: [{url, alt, width, height, blurhash, posterUrl}]. All fields but url can be '
  'null.';
comment on column app.posts.quoted_post_id is 'The original of a quote or a repost.';
comment on column app.posts.original_author_id is
  'The author of the original, for a repost of a post for circles. Triggers write it.';
comment on column app.posts.space_id is
  'The group or guild whose members may see the post; null if it is in none. It never changes.';
comment on column app.posts.original_space_id is
  'The space of the original, for a repost of a post in a space. A trigger writes it.';
comment on column app.posts.within_id is
  'The space whose members alone may see the post: its own space or, for a repost, the space of the original. The '
  'feed finds posts by this column, so that it need not scan posts of other spaces.';
comment on column app.posts.closer_id is
  'The person to whom a viewer must be closer than a stranger: the author of a post for circles or, for a repost of '
  'such a post, the author of the original. The feed finds posts by this column.';
comment on column app.posts.keyword_words is
  'The words of title and body, in which muted keywords are searched (private.keyword_words). A trigger writes them.';
comment on column app.posts.publish_at is
  'When a scheduled post is due; null means that it was published immediately.';
comment on column app.posts.publish_again_at is
  'When the job tries again to publish the post, after publishing failed, while the author may not publish in its '
  'space, or while the post yields to posts of other authors. Until then other posts come first.';
comment on column app.posts.published_at is
  'When the post was published, which decides its place in lists; null while it is scheduled.';
comment on column app.posts.pinned_at is
  'When the author pinned the post. A deleted post keeps the value as its place on the profile.';
comment on column app.posts.required_level is
  'The audience level that a viewer needs: 0 anyone (or a member of the space), 1 in a circle, 2 inner circle, 3 the '
  'author (hidden, scheduled), 4 nobody (deleted, author banned). See private.visibility.';
comment on column app.posts.author_banned is
  'Whether the author is banned. A ban updates the newest 500 posts immediately, and the worker updates the others '
  '(private.hide_or_show_posts). Until then app.hidden_people hides them.';
comment on column app.posts.trending_boost is
  'The number of times that the sum of reactions, replies, reposts and bookmarks has doubled. See '
  'private.raise_trending.';

create table app.post_versions (
  post_id    uuid not null references app.posts on delete cascade,
  version    integer not null check (version > 0),
  title      text,
  body       text not null,
  media      jsonb not null,
  created_at timestamptz not null default now(),
  primary key (post_id, version)
);
comment on table app.post_versions is
  'The text of a post before each edit of its words, oldest first; created_at is the time of that edit.';

create table app.post_interests (
  post_id      uuid not null references app.posts on delete cascade,
  interest_id  uuid not null references app.interests on delete restrict,
  is_primary   boolean not null default false,
  published_at timestamptz,
  primary key (post_id, interest_id)
);
create unique index post_interests_primary_key on app.post_interests (post_id) where is_primary;
create index post_interests_further_idx on app.post_interests (post_id) where not is_primary;
comment on index app.post_interests_further_idx is
  'Finds the posts of a page that have more interests than the primary one: private.card_texts.';
create index post_interests_interest_id_idx on app.post_interests (interest_id, published_at desc, post_id desc);
comment on table app.post_interests is
  'A post''s interests: the primary one, which is also in app.posts, and up to four more.';
comment on column app.post_interests.published_at is
  'The time of the post, for the feed of an interest; null if the post is in a space, not published, hidden or '
  'deleted. Triggers maintain it.';

create table app.post_counters (
  post_id          uuid primary key references app.posts on delete cascade,
  reactions        integer not null default 0 check (reactions >= 0),
  replies          integer not null default 0 check (replies >= 0),
  shares           integer not null default 0 check (shares >= 0),
  bookmarks        integer not null default 0 check (bookmarks >= 0),
  views            bigint not null default 0 check (views >= 0),
  milestone        smallint not null default 0,
  boost            numeric(2, 1) not null default 0 check (boost >= 0),
  boost_expires_at timestamptz,
  bot_replies      integer not null default 0 check (bot_replies >= 0)
) with (fillfactor = 90);   -- free space on each page, so that counting changes no index
comment on table app.post_counters is
  'Counts of a post, in a separate table so that counting does not rewrite the post. Triggers maintain them; views '
  'are added in batches.';
comment on column app.post_counters.bot_replies is
  'The number of replies by bots. These do not count for trending.';
comment on column app.post_counters.boost is
  'The factor of the post''s score in the feed; 0 if the post is not boosted. sql/economy writes it, and a job '
  'resets it.';
comment on column app.post_counters.boost_expires_at is 'When the boost ends; null if there is none.';
comment on column app.post_counters.milestone is
  'The highest number of reactions of which the author was notified (5, 15, 50).';

create table app.post_emotions (
  post_id  uuid not null references app.posts on delete cascade,
  emotion  text not null,
  payments integer not null check (payments >= 0),
  mana     bigint not null check (mana >= 0),
  primary key (post_id, emotion)
);
comment on table app.post_emotions is 'Mana paid for a post, by emotion. A trigger in sql/economy maintains it.';
comment on column app.post_emotions.mana is 'Whole mana paid with this emotion, splits included.';

insert into private.event_types (name, payload, happens) values
  ('posts.post.published', '{postId,authorId}',
   'a post is published: immediately, or a scheduled one at its time'),
  ('posts.post.edited', '{postId}',
   'the author has changed a published post'),
  ('posts.post.deleted', '{postId,authorId}',
   'a post is deleted by its author or the staff, not by an erasure'),
  ('posts.post.reposted', '{postId,repostId,userId}',
   'a repost of the post is published'),
  ('posts.post.unreposted', '{postId,userId}',
   'a repost of the post is deleted by its author or the staff, not by an erasure'),
  ('posts.post.quoted', '{postId,quoteId,userId}',
   'a quote of the post is published'),
  ('posts.post.milestone', '{postId,reactions}',
   'a post has reached 5, 15 or 50 hearts for the first time');
insert into private.outbound_events (event, subject_type, subject_field, fields, people) values
  ('posts.post.published', 'post', 'postId', '{postId}', '{authorId}'),
  ('posts.post.edited', 'post', 'postId', '{postId}', '{}'),
  ('posts.post.deleted', 'post', 'postId', '{postId}', '{authorId}'),
  ('posts.post.reposted', 'post', 'postId', '{postId,repostId}', '{userId}'),
  ('posts.post.unreposted', 'post', 'postId', '{postId}', '{userId}'),
  ('posts.post.quoted', 'post', 'postId', '{postId,quoteId}', '{userId}');

insert into private.errors (code, status, text) values
  ('post_unknown', 404, 'There is no such post.'),
  ('post_not_yours', 403, 'Only the author of a post can do this.'),
  ('post_not_out', 422, 'This post has not been published yet.'),
  ('post_title', 422, 'An essay must have a title of 1 to 200 characters. Other formats cannot have one.'),
  ('post_body', 422, 'A post must have a body of up to 5000 characters, 20000 for a thread, 100000 for an essay. The '
  'body of a photo or a video can be empty, and a repost cannot have one.'),
  ('post_media', 422, 'A photo must have 1 to 10 media items and a video exactly one; a repost cannot have any, and '
   'other formats can have up to 10. Each item must have either an http(s) URL or an asset, and can have an alt text '
   'of up to 1000 characters.'),
  ('post_quoted', 422, 'A quote or a repost must name its original. Other formats cannot name one.'),
  ('post_interests_exceeded', 422, 'A post can have one primary interest and at most 4 more.');

create trigger _100_check_author before insert on app.posts for each row execute function private.check_author();

insert into private.links (type, path) values ('post', '/posts/{id}');
